/** The quick reader of plain YAML says the same as the library, or nothing. */
import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { readPlainYaml } from '../../src/text/plain-yaml.ts';
import { readYaml } from '../../src/text/yaml.ts';
import { randomNumbers } from '../support/random.ts';

const examples = fileURLToPath(new URL('../../catalogue-data/', import.meta.url));
const records = readdirSync(examples, { recursive: true, encoding: 'utf8' })
  .filter((path) => path.endsWith('.yaml') && !path.includes('.catalogue'))
  .map((path) => readFileSync(join(examples, path), 'utf8'));

/** The library's value; undefined for a text that it refuses. */
function readByLibrary(text: string): unknown {
  try {
    return readYaml(text).value;
  } catch {
    return undefined;
  }
}

function assertSame(text: string): boolean {
  const plain = readPlainYaml(text);
  if (plain === undefined) return false;
  assert.deepStrictEqual([plain], [readByLibrary(text)], JSON.stringify(text));
  return true;
}

/** Pieces of YAML; the odd ones are what a reader of a part of it could take for plain. */
const pieces = [
  'label: Trees',
  'id: 17',
  'a: -0',
  'a: -0.0',
  'a: 1.50',
  'a: 0x1f',
  'a: 0o17',
  'a: 008',
  'a: 1e3',
  'a: 12345678901234567890',
  'a: .5',
  'a: -.inf',
  'a: .nan',
  'a: +1',
  'a: 2024-05-01',
  'a: 1.2.3',
  'a: 12:30:45',
  'a: 1_000',
  'a: 4e5f',
  'a: 0123abc',
  'a: Null',
  'a: TRUE',
  'a: true',
  'a: yes',
  'a: ~',
  'a:',
  'a: ',
  'a: "x"',
  'a: "x\\ny \\"z\\""',
  'a: "x\\u0041"',
  'a: "x" # no',
  'a: "x"y',
  'a: "open',
  "a: 'it''s'",
  "a: 'open",
  "a: ''",
  'a: x # comment',
  'a: x#y',
  'a: x: y',
  'a: x:',
  'a: http://example.org/#x',
  'a: - b',
  'a: -b',
  'a: -',
  'a: --- b',
  'a: [b, c]',
  'a: []',
  'a: {}',
  'a: &b c',
  'a: *b',
  'a: !!str 1',
  'a: @b',
  'a: `b',
  'a: %b',
  'a: ,b',
  'a: ]b',
  'a: ?b',
  'a: ? b',
  'a: |',
  'a: |-',
  'a: |+',
  'a: >',
  'a: >-',
  'a: |2',
  '- b',
  '- b: c',
  '-',
  '- - b',
  '- "b: c"',
  '- |-',
  '-b',
  '# comment',
  '---',
  '...',
  '%YAML 1.2',
  'text in the next line',
  '"quoted key": b',
  '? b',
  'null: b',
  'true: b',
  '__proto__: b',
  'constructor: b',
  '12: b',
  'a b: c',
  '<<: b',
  'a:b',
  'a : b',
  'é: b',
  '図表１ 離婚件数の推移（全国・昭和40年） (CSV): https://example.org/1.csv',
  '"【新着】: (CSV)": b',
  '"a\\nb": c',
  '"a" : c',
  '"a":b',
  '2019 (CSV): b',
  '2019: b',
  '1.5: b',
  '0x1f: b',
  '2019-05-01: b',
  '12:30: b',
  '1_000: b',
  'https://example.org/: b',
  'a: b: c',
  'a #b: c',
  'a#b: c',
  'a, [b] {c}: d',
  '(a): b',
  'a\u3000: b',
  '\u3000a: b',
  'a: \u3000b',
  'a: b\u3000 ',
  'a: 東京都',
  'True: b',
  '1e3: b',
  "'a': b",
  'a: été – 5 °C',
  'a: \u00a0x',
  'a: x\u00a0',
  'a: \u{1f600}',
  'a: x\ty',
  'a: x\r',
  '',
  ' ',
];

describe('plain YAML', () => {
  it('is what the program and people write', () => {
    assert.ok(records.length > 20);
    for (const text of records) assert.ok(assertSame(text), text);
    const typed =
      'label: Trees\ndescription: >-\n  One line,\n  and another.\n\n  A paragraph.\nkeywords:\n- a\n- b\nowner:\n';
    assert.ok(assertSame(typed));
  });

  it('is read in time that grows with the text, and not with its square', { timeout: 30_000 }, () => {
    const { keywords } = readPlainYaml(`keywords:\n${'- old trees\n'.repeat(800_000)}`) as { keywords: string[] };
    assert.equal(keywords.length, 800_000);
  });

  it('is read as the library reads it, whatever the lines are', () => {
    const seed = Date.now() % 1_000_000;
    const random = randomNumbers(seed);
    const pick = <T>(list: readonly T[]): T => list[Math.floor(random() * list.length)] as T;
    let plain = 0;
    for (let i = 0; i < 100_000; i++) {
      const lines = Array.from({ length: 1 + Math.floor(random() * 5) }, () => {
        const piece = pick(pieces);
        // Keys of their own, or most texts would have duplicates.
        const named =
          piece.startsWith('a:') && random() < 0.8 ? `k${Math.floor(random() * 1000)}${piece.slice(1)}` : piece;
        return pick(['', '', '', '  ', '  ', '    ', ' ']) + (random() < 0.15 ? '- ' : '') + named;
      });
      const text = lines.join('\n') + pick(['\n', '\n', '', '\n\n', '\n  \n']);
      try {
        if (assertSame(text)) plain++;
      } catch (error) {
        throw new Error(`Seed ${seed}: ${JSON.stringify(text)}`, { cause: error });
      }
    }
    assert.ok(plain > 500, `${plain} plain texts, seed ${seed}`);
  });

  it('is read as the library reads it, after random changes of a record', () => {
    const seed = Date.now() % 1_000_000;
    const random = randomNumbers(seed);
    const inserted = [
      ' ',
      '\n',
      '-',
      ':',
      '#',
      '"',
      "'",
      '  ',
      '\n  ',
      '|',
      '0',
      'e',
      '.',
      '- ',
      ': ',
      '\n\n',
      '&',
      '[',
      '~',
    ];
    let plain = 0;
    for (let i = 0; i < 10_000; i++) {
      let text = (records[Math.floor(random() * records.length)] ?? '').slice(0, 1500);
      for (let n = 0; n < 1 + random() * 3; n++) {
        const at = Math.floor(random() * text.length);
        const what = random() < 0.3 ? '' : (inserted[Math.floor(random() * inserted.length)] ?? '');
        text = text.slice(0, at) + what + text.slice(at + Math.floor(random() * 3));
      }
      if (assertSame(text)) plain++;
    }
    assert.ok(plain > 500, `${plain} plain texts, seed ${seed}`);
  });
});
