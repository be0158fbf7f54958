import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { TextBuffer } from '../../../src/data/formats/text-buffer.ts';
import { anyCharacter } from '../../support/characters.ts';

const printed = (value: number) => {
  const out = new TextBuffer();
  out.number(value);
  return Buffer.from(out.take()).toString();
};

test('numbers are written as JavaScript prints them', () => {
  const numbers = [
    0,
    -0,
    1,
    -1,
    9,
    10,
    99,
    100,
    2 ** 31 - 1,
    2 ** 31,
    -(2 ** 31),
    -(2 ** 31) - 1,
    2 ** 53,
    1e15,
    1e20,
    1e21,
    1e22,
    0.1,
    0.5,
    -0.5,
    1e-6,
    1.5e-6,
    1e-7,
    1.1e-7,
    0.0000123,
    0.1 + 0.2,
    1 / 3,
    179.9999999,
    99999999.9999999,
    1e8 + 0.5,
    123456.7,
    -66.1057355,
    5e-324,
    Number.MAX_VALUE,
    Number.MIN_VALUE,
    Number.EPSILON,
  ];
  for (const number of numbers) assert.equal(printed(number), String(number));
});

test('whatever the number, and whatever its decimals', () => {
  const anyNumber = fc.double({ noNaN: true, noDefaultInfinity: true });
  fc.assert(
    fc.property(anyNumber, (number) => assert.equal(printed(number), String(number))),
    { numRuns: 2000 },
  );
  const decimal = fc.tuple(fc.integer(), fc.integer({ min: 0, max: 12 })).map(([n, places]) => n / 10 ** places);
  fc.assert(
    fc.property(decimal, (number) => assert.equal(printed(number), String(number))),
    { numRuns: 5000 },
  );
  const neighbour = decimal.chain((n) => fc.constantFrom(n * (1 + Number.EPSILON), n * (1 - Number.EPSILON)));
  fc.assert(
    fc.property(neighbour, (number) => assert.equal(printed(number), String(number))),
    { numRuns: 5000 },
  );
});

test('plain text is UTF-8, or not written at all', () => {
  const special = new Uint8Array(128);
  special['"'.charCodeAt(0)] = 1;
  fc.assert(
    fc.property(fc.string({ unit: anyCharacter, maxLength: 300 }), (text) => {
      const out = new TextBuffer();
      const done = out.plainText(text, special);
      assert.equal(Buffer.from(out.take()).toString(), done ? text : '');
    }),
  );
});

test('the buffer grows, and what was taken stays as it was', () => {
  const out = new TextBuffer();
  out.text('a');
  const first = out.take();
  out.text('é'.repeat(300_000));
  out.byte(33);
  assert.equal(Buffer.from(first).toString(), 'a');
  assert.equal(Buffer.from(out.take()).toString(), `${'é'.repeat(300_000)}!`);
  assert.equal(out.take().length, 0);
});
