import assert from 'node:assert/strict';
import test from 'node:test';
import fc from 'fast-check';
import { type ItemLayout, ItemScanner } from '../../../src/data/formats/json/item-scanner.ts';

function scan(text: string, layout: ItemLayout, size: number) {
  const scanner = new ItemScanner(layout);
  const items: { text: string; offset: number; line: number }[] = [];
  const bytes = Buffer.from(text);
  for (let at = 0; at < bytes.length; at += size) {
    scanner.push(bytes.subarray(at, at + size), (chunk, start, end, offset, line) => {
      items.push({ text: chunk.toString('utf8', start, end), offset, line });
    });
  }
  return { items, outside: scanner.end()?.toString() };
}

const json = fc.dictionary(fc.string({ unit: 'grapheme' }), fc.jsonValue({ maxDepth: 3 }));

test('features are found whatever is in them, wherever the chunks end', () => {
  fc.assert(
    fc.property(
      fc.array(json),
      json,
      fc.integer({ min: 1, max: 40 }),
      fc.constantFrom(undefined, 2),
      (features, crs, size, indent) => {
        const text = JSON.stringify(
          { name: 'a "features": [', crs, features, type: 'FeatureCollection' },
          null,
          indent,
        );
        const { items, outside } = scan(text, 'features', size);
        assert.deepEqual(
          items.map((item) => JSON.parse(item.text)),
          JSON.parse(JSON.stringify(features)),
        );
        const bytes = Buffer.from(text);
        for (const item of items) {
          assert.equal(bytes.toString('utf8', item.offset, item.offset + Buffer.byteLength(item.text)), item.text);
          assert.equal(item.line, bytes.toString('utf8', 0, item.offset).split('\n').length);
        }
        assert.deepEqual(
          JSON.parse(outside ?? ''),
          JSON.parse(JSON.stringify({ name: 'a "features": [', crs, features: [], type: 'FeatureCollection' })),
        );
      },
    ),
  );
});

test('items of arrays, lines and records are found wherever the chunks end', () => {
  fc.assert(
    fc.property(fc.array(json), fc.integer({ min: 1, max: 40 }), (values, size) => {
      const texts = values.map((value) => JSON.stringify(value));
      const expected = JSON.parse(JSON.stringify(values));
      const found = (text: string, layout: ItemLayout) =>
        scan(text, layout, size).items.map((item) => JSON.parse(item.text));
      assert.deepEqual(found(` [ ${texts.join(' ,\n')}\n]\n`, 'array'), expected);
      assert.deepEqual(found(texts.join('\r\n\n'), 'lines'), expected);
      assert.deepEqual(found(texts.map((text) => `\u001e${text}\n`).join(''), 'records'), expected);
    }),
  );
});

test('any text is either found to be items or refused, and never anything else', () => {
  const byte = fc.constantFrom('{', '}', '[', ']', '"', '\\', ',', ':', '1', 'a', '\n', ' ', '"features":[');
  fc.assert(
    fc.property(
      fc.array(byte),
      fc.constantFrom<ItemLayout>('features', 'array', 'lines', 'records'),
      (parts, layout) => {
        const text = parts.join('');
        const results = [1, 3, 1000].map((size) => {
          try {
            return JSON.stringify(scan(text, layout, size));
          } catch (error) {
            assert.equal((error as Error).name, 'PayloadError');
            return (error as Error).message.replace(/found.*/, '');
          }
        });
        assert.deepEqual(new Set(results).size, 1, JSON.stringify([text, layout, results]));
      },
    ),
    { numRuns: 1000 },
  );
});

const refusals: [string, ItemLayout, string, RegExp][] = [
  ['a line that breaks off', 'lines', '{"a":1}\n{"a":\n{"a":2}\n', /line 2, byte 13: the text breaks off/],
  ['two items on a line', 'lines', '{"a":1} {"a":2}', /line 1, byte 8: expected an object/],
  ['something that is no object', 'lines', '{"a":1}\n[1]\n', /line 2, byte 8: expected an object/],
  ['a comma too many', 'array', '[{},]', /line 1, byte 4/],
  ['a missing comma', 'array', '[{}{}]', /line 1, byte 3/],
  ['a number among the items', 'array', '[1]', /line 1, byte 1/],
  ['a string that is not closed', 'array', '[{"a":"b\n"}]', /line 1, byte 8: a string goes over the end/],
  ['a text after the end', 'array', '[{}] {}', /line 1, byte 5/],
  ['features that are cut off', 'features', '{"features":[{"a":1},{"a"', /the text breaks off/],
  ['a null among the features', 'features', '{"features":[null]}', /line 1, byte 13: expected an object/],
  ['nesting without end', 'array', `[{"a":${'['.repeat(100_000)}`, /nested deeper than 100 levels/],
  ['nesting around the features', 'features', '['.repeat(100_000), /nested deeper than 100 levels/],
];
for (const [what, layout, text, message] of refusals) {
  test(`${what}: refused with its position`, () => {
    for (const size of [1, 7, 1_000_000]) assert.throws(() => scan(text, layout, size), message);
  });
}
