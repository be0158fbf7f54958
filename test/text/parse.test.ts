import assert from 'node:assert/strict';
import { test } from 'node:test';
import { getHeapStatistics, setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import fc from 'fast-check';
import { parse, stringify } from 'yaml';
import { findPosition, parseRecordText } from '../../src/text/parse.ts';
import { anyCharacter } from '../support/characters.ts';
import { record } from './records.ts';

const readFrom = (text: string, format: 'yaml' | 'json' = 'yaml') => {
  const parsed = parseRecordText(text, format);
  assert.ok('value' in parsed, JSON.stringify(parsed));
  return parsed.value;
};

const errorOf = (text: string, format: 'yaml' | 'json' = 'yaml') => {
  const parsed = parseRecordText(text, format);
  assert.ok('error' in parsed, JSON.stringify(parsed));
  return parsed.error;
};

const styles = [
  {},
  { lineWidth: 0 },
  { lineWidth: 20, minContentWidth: 0 },
  { indentSeq: false, indent: 4 },
  { collectionStyle: 'flow' },
  { defaultStringType: 'QUOTE_SINGLE', defaultKeyType: 'PLAIN' },
  { defaultStringType: 'QUOTE_DOUBLE', doubleQuotedAsJSON: true },
  { defaultStringType: 'BLOCK_LITERAL', defaultKeyType: 'PLAIN', collectionStyle: 'block' },
  { defaultStringType: 'BLOCK_FOLDED', defaultKeyType: 'PLAIN', collectionStyle: 'block' },
] as const;

/** Characters that YAML 1.2 (5.1) wants escaped; the library `yaml` writes and reads them as they are. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is looked for
const unprintable = /[\u0000-\u0008\u000b-\u001f\u007f-\u0084\u0086-\u009f\ufeff\ufffe\uffff]/;

test('what one YAML library writes in any style, we read as it does', () => {
  fc.assert(
    fc.property(record, fc.constantFrom(...styles), (value, style) => {
      const text = stringify(value, { version: '1.2', aliasDuplicateObjects: false, ...style });
      fc.pre(!unprintable.test(text));
      const theirs: unknown = parse(text, { version: '1.2' });
      assert.deepEqual(readFrom(text), theirs);
    }),
    { numRuns: 1500 },
  );
});

test('both YAML readers agree on edge cases of the core schema', () => {
  const cases = [
    'a: 0x1f\nb: 0o17\nc: 017\nd: 1_000\ne: 1e3\nf: .5\nh: +1\ni: .inf\nj: -.INF\nk: .NaN\nu: 1.\nv: 0b1',
    'l: ~\nm: Null\nn: True\no: yes\np: 1.10\nq: 12:30\nr: 2020-01-01\ns: 12345678901234567890\nx: =\ny: <<\nz:',
    '1: a\ntrue: b\n1.10: e',
    '<<: {a: 1}\nb: 2',
    '__proto__: {x: 1}\nconstructor: 2',
    '\ufeffa: 1\r\nb: |\r\n  x\r\n  y\r\n\r\nc: 1\r\n',
    "a: \"x\n  y\\\n  z\"\nb: x\n  y\n\n  z\nc: 'it''s\n  so'",
    'a: x #c\nb: x#c\nc:d: 1\ne: {b:1}\nf: {b, c}\ng: [b: c]\nh: []\ni: {}',
    'a: |2\n    x\n  y\nb: >-\n  f\n\n  g\n   h\n\nc: |+\n  k\n\n\nd: 1',
    'a:\n- x\n-   b: 1\n    c: 2\n- - 1\n  - 2\n-',
    'a: &x {b: 1}\nc: [*x, *x]\nd: !!str 5\ne: !!int "5"',
    '---\na: 1\n...\n',
    '? a\n: b\n"c" : d',
    'a: "\\x41\\u263a\\U0001F600\\/\\e\\_\\N\\L\\P"',
  ];
  for (const text of cases) assert.deepEqual(readFrom(text), parse(text, { version: '1.2' }), text);
});

test('an error says where it is, what is wrong and what to write', () => {
  const cases: [string, string, RegExp][] = [
    ['a: 1\nb: 3\na: 2', '3:1 /a', /"a" is given twice, first in line 1/],
    ['c:\n  - a: 1\n    "a": 2', '3:5 /c/0/a', /"a" is given twice, first in line 2/],
    ['f: {x: 1, x: 2}', '1:11 /f/x', /"x" is given twice/],
    ['label: Trees: of the city', '1:8 ', /holds ": ": quote it, as in label: "Trees: of the city"/],
    ['a: @x', '1:4 ', /can't begin with @: quote it, as in a: "@x"/],
    ['a: `x`', '1:4 ', /can't begin with `: quote it/],
    ['a: %x', '1:4 ', /can't begin with %: quote it/],
    ['a: *x', '1:4 ', /repeats an anchor, and there is none of this name: quote it/],
    ['a: !foo x', '1:4 ', /is a tag, and this one is unknown: quote it/],
    ['a: [draft] b', '1:4 ', /is a list: quote it, as in a: "\[draft\] b"/],
    ['a: "x" y', '1:4 ', /follows the closing quote/],
    ['a: - b', '1:4 ', /quote it, as in a: "- b"/],
    ['\ta: 1', '1:1 ', /tab/],
    ['a:\n\tb: 1', '2:1 ', /tab/],
    ['a: 1\n---\nb: 2', '2:1 ', /several YAML documents/],
    ['---\na: 1\n---\nb: 2', '3:1 ', /several YAML documents/],
    ['%YAML 1.2\n---\na: 1', '1:1 ', /Directives such as "%YAML 1.2"/],
    ['', '1:1 ', /is empty/],
    ['# only a comment\n', '1:1 ', /is empty/],
    ['# c\n- a', '2:1 ', /holds a list/],
    ['foo', '1:1 ', /holds a single value/],
    ['--- null', '1:1 ', /holds nothing/],
    ['a: {b: 1', '1:9 ', /never closed/],
    ['title: [\n', '2:1 ', /\[ or mapping \{ above is not closed: add the closing \] or \}/],
    ['a: {b: [1],\nc: 1}', '2:1 ', /above is not closed.*or indent this line/],
    ['a: [x\nb: [y]', '2:1 ', /above is not closed/],
    ['x: 1\na: "x\nb: 1', '2:4 ', /This " opens a text that is never closed/],
    ["a: 'x", '1:4 ', /This ' opens a text that is never closed/],
    ['? [x, y]\n: c', '1:1 ', /A key must be a text/],
    ['a: \u0007', '1:4 ', /U\+0007.*"\\u0007"/],
    ['a: \u0000', '1:4 ', /U\+0000/],
    ['label: Trees\n  description: x', '2:3 ', /indented more than "label" above/],
    ['a: 1\nb:2', '2:1 ', /A space is missing behind "b:"/],
    ['a: 1\nfoo', '2:1 ', /no "key: value"/],
    ['a: "\\q"', '1:6 ', /backslash begins an escape/],
    ['a: &a [*a]', '1:8 ', /\*a stands within the value that it repeats/],
    [`a: &x 1\nb: [${'*x,'.repeat(101)}]`, '2:306 ', /more than 100 aliases/],
    [`a: ${'['.repeat(60)}`, '1:53 ', /deeper than 50/],
    ['\ufeffa: @x', '1:4 ', /can't begin with @/],
  ];
  for (const [text, place, message] of cases) {
    const error = errorOf(text);
    assert.equal(`${error.line}:${error.column} ${error.pointer}`, place, text);
    assert.match(error.message, message, text);
  }
});

test('aliases of aliases of aliases are refused before they are written out', () => {
  const lines = ['a0: &a0 [1, 1, 1, 1, 1, 1, 1, 1, 1]'];
  for (let level = 1; level < 9; level++) lines.push(`a${level}: &a${level} [${`*a${level - 1}, `.repeat(9)}]`);
  assert.match(errorOf(lines.join('\n')).message, /repeat too much/);
});

test('JSON is strict, and its errors have places too', () => {
  assert.deepEqual(
    readFrom('\ufeff{"a": [1, {"b:": "{"}], "__proto__": 1}', 'json'),
    JSON.parse('{"a": [1, {"b:": "{"}], "__proto__": 1}'),
  );
  const cases: [string, string, RegExp][] = [
    ['{"a":1,\n"a":2}', '2:1 /a', /"a" is given twice, first in line 1/],
    ['{"a":{"__proto__":1,"x":[{"y":1,"y":2}]}}', '1:33 /a/x/0/y', /given twice/],
    ['{"a":1,}', '1:7 ', /no comma behind the last item/],
    ['{a:1}', '1:2 ', /"a" stands where a key in double quotes should be/],
    ["{'a':1}", '1:2 ', /no single quotes/],
    ['// c\n{}', '1:1 ', /no comments/],
    ['{"a": "x\ny"}', '1:7 ', /not closed/],
    ['{"a":1 "b":2}', '1:8 ', /a comma or }/],
    ['{"a" 1}', '1:6 ', /a colon/],
    ['{"a":01}', '1:6 ', /a value/],
    ['{"a":', '1:6 ', /ends where a value/],
    ['{}x', '1:3 ', /follows the end/],
    [' ', '1:1 ', /is empty/],
    ['[1]', '1:1 ', /holds a list/],
    ['['.repeat(100_000), `1:51 ${'/0'.repeat(50)}`, /deeper than 50/],
  ];
  for (const [text, place, message] of cases) {
    const error = errorOf(text, 'json');
    assert.equal(`${error.line}:${error.column} ${error.pointer}`, place, text.slice(0, 50));
    assert.match(error.message, message, text.slice(0, 50));
  }
});

test('any JSON record reads as JSON.parse reads it', () => {
  fc.assert(
    fc.property(record, fc.constantFrom(undefined, 1, '\t'), (value, indent) => {
      assert.deepEqual(readFrom(JSON.stringify(value, null, indent), 'json'), value);
    }),
  );
});

test('no text makes it throw', () => {
  const piece = fc.constantFrom(
    'a',
    ': ',
    '- ',
    '\n',
    '  ',
    '\t',
    '"',
    "'",
    '{',
    '}',
    '[',
    ']',
    ',',
    '&a ',
    '*a',
    '|',
    '>',
    '#',
    '!',
    '---',
    '? ',
    '\r',
    '\\',
    '1',
  );
  const text = fc.oneof(
    fc.array(piece, { maxLength: 30 }).map((pieces) => pieces.join('')),
    fc.string({ unit: anyCharacter }),
  );
  fc.assert(
    fc.property(text, fc.constantFrom('yaml' as const, 'json' as const), (text, format) => {
      const parsed = parseRecordText(text, format);
      if ('error' in parsed) {
        const lines = text.split('\n');
        const { line, column } = parsed.error;
        assert.ok(line >= 1 && line <= lines.length && column >= 1, `${line}:${column}`);
        assert.ok(column <= (lines[line - 1] ?? '').length + 1, `${line}:${column}`);
      }
      findPosition(text, format, '/a/0/a');
    }),
    { numRuns: 2000 },
  );
});

test('a pointer has its place, or that of what is nearest', () => {
  const yaml =
    'label: x\ncolumns:\n  - name: a\n    type: b\n  -\n    name: c\ntags: [a, b]\nn:\nk:\n  - - 1\na/b~c: |\n  t\n"q": {r: 1}\n';
  const places: Record<string, string> = {
    '': '1:1',
    '/label': '1:8',
    '/columns': '2:1',
    '/columns/0': '3:5',
    '/columns/1/name': '6:11',
    '/columns/0/missing': '3:5',
    '/columns/7': '2:1',
    '/tags/1': '7:11',
    '/n': '8:1',
    '/k/0/0': '10:7',
    '/a~1b~0c': '11:8',
    '/q/r': '13:10',
    '/missing': '1:1',
  };
  for (const [pointer, expected] of Object.entries(places)) {
    const { line, column } = findPosition(yaml, 'yaml', pointer);
    assert.equal(`${line}:${column}`, expected, pointer);
  }
  assert.deepEqual(findPosition('{\n  "a": [1,\n 2]\n}', 'json', '/a/1'), { line: 3, column: 2 });
  assert.deepEqual(findPosition('a: 1\nb: @', 'yaml', '/a'), { line: 2, column: 4 });
});

test('a merge conflict is called one, with its lines and both sides', () => {
  const conflict = (text: string, format?: 'json') => {
    const { line, column, message } = errorOf(text, format);
    return `${line}:${column} ${message.split(':')[0]}`;
  };
  const side = (mark: string, name = '') => `${mark.repeat(7)}${name && ` ${name}`}\n`;
  const both = (a: string, b: string) => side('<', 'HEAD') + a + side('=') + b + side('>', 'feature');
  const sides = '(HEAD and feature)';
  assert.equal(conflict(`a: 1\n${both('b: 1\n', 'b: 2\n')}`), `2:1 Unresolved merge conflict in lines 2 to 6 ${sides}`);
  assert.equal(
    conflict(`${both('a: 1\n', '')}d: |\n  x\n${both('  y\n', '  z\n')}`),
    `1:1 Unresolved merge conflicts in lines 1 to 4 ${sides}, 7 to 11 ${sides}`,
  );
  assert.equal(
    conflict(`{\r\n${both('"a": 1\n', '"a": 2\n').replaceAll('\n', '\r\n')}}`, 'json'),
    `2:1 Unresolved merge conflict in lines 2 to 6 ${sides}`,
  );
  const base = `a: 1\n${side('<')}b: 1\n${side('|', '1234abc')}b: 0\n${side('=')}b: 2\n${side('>')}`;
  assert.equal(conflict(base), '2:1 Unresolved merge conflict in lines 2 to 8');
  assert.match(conflict(`a: 1\n${side('<')}b: 2\n`), /^\d+:\d+ (?!Unresolved)/);
  assert.deepEqual(readFrom('a: |\n  <<<<<<< HEAD\n  =======\n  >>>>>>> b\n'), {
    a: '<<<<<<< HEAD\n=======\n>>>>>>> b\n',
  });
});

test('a value does not keep the text in memory that it was read from', () => {
  setFlagsFromString('--expose-gc');
  const collectGarbage = runInNewContext('gc') as () => void;
  const comment = `# ${'x'.repeat(50_000)}\n`;
  const texts = {
    plain: ['yaml', (n: number) => `label: The title of number ${n}\nnotes: 'That is in quotes, ${n}'\n${comment}`],
    flow: ['yaml', (n: number) => `{label: The title of number ${n}}\n${comment}`],
    json: ['json', (n: number) => `{"label": "The title of number ${n}", "notes": "${'x'.repeat(50_000)}"}`],
  } as const;
  for (const [name, [format, textOf]] of Object.entries(texts)) {
    const labels: unknown[] = [];
    collectGarbage();
    const before = getHeapStatistics().used_heap_size;
    for (let n = 0; n < 200; n++) labels.push((readFrom(textOf(n), format) as { label: string }).label);
    collectGarbage();
    const kept = getHeapStatistics().used_heap_size - before;
    assert.equal(labels.length, 200);
    assert.ok(kept < 2_000_000, `${name}: ${kept} bytes are kept of 200 texts with 50,000 each`);
  }
});
