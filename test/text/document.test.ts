import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ConflictError } from '../../src/catalogue/errors.ts';
import { editRecordText, newRecordText } from '../../src/text/document.ts';

const order = ['id', 'label', 'description', 'image', 'keywords', 'licence', 'columns', 'aliases'];

const trees = `# yaml-language-server: $schema=https://example.org/schemas/dataset.json
# The trees of the city, as the parks department counts them.
id: 5   # never change this
label: 'It''s trees' # shown in lists

# Markdown
description: | # may be long
  First line,
    indented,

  last line.

keywords: # what people search for
  - bomen\t# a tab\tin a comment
  # between two
  - "trees"
  # - old
columns:
- type: string # not an integer
  name: a

- {type: integer, name: b} # in braces
- name: c
  # inner
  type: float
  unit: m
x-steward: {name: Ann, rooms: [1,2]}   # nobody here knows this key
# the end
`;

/** The lines that an edit took out and put in, as diff(1) would show them. */
function difference(before: string, after: string): string[] {
  const a = before.split('\n');
  const b = after.split('\n');
  let start = 0;
  while (start < a.length && start < b.length && a[start] === b[start]) start++;
  let end = 0;
  while (end < a.length - start && end < b.length - start && a.at(-1 - end) === b.at(-1 - end)) end++;
  return [
    ...a.slice(start, a.length - end).map((line) => `-${line}`),
    ...b.slice(start, b.length - end).map((line) => `+${line}`),
  ];
}

const edit = (changes: Record<string, unknown>, text = trees) =>
  difference(text, editRecordText(text, 'yaml', changes, order));
const columns = (...changed: object[]) => ({ columns: changed });
const [a, b, c] = [
  { type: 'string', name: 'a' },
  { type: 'integer', name: 'b' },
  { name: 'c', type: 'float', unit: 'm' },
];

test('a scalar is replaced alone: comment, spaces and quotes stay', () => {
  assert.deepEqual(edit({ id: 6 }), ['-id: 5   # never change this', '+id: 6   # never change this']);
  assert.deepEqual(edit({ label: "Ann's" }), [
    "-label: 'It''s trees' # shown in lists",
    "+label: 'Ann''s' # shown in lists",
  ]);
  assert.deepEqual(edit({ label: 'two\nlines\n' }), [
    "-label: 'It''s trees' # shown in lists",
    '+label: | # shown in lists',
    '+  two',
    '+  lines',
  ]);
  assert.deepEqual(edit({ label: 'a\tb' }), [
    "-label: 'It''s trees' # shown in lists",
    '+label: "a\\tb" # shown in lists',
  ]);
});

test('a block of text stays one, and its header keeps its comment', () => {
  assert.deepEqual(edit({ description: 'First line,\n  indented,\n\nnew line.\n' }), ['-  last line.', '+  new line.']);
  assert.deepEqual(edit({ description: 'Short' }).slice(-2), ['+description: |- # may be long', '+  Short']);
  assert.deepEqual(edit({ description: 5 }).slice(-1), ['+description: 5 # may be long']);
  assert.deepEqual(edit({ d: 'one two three' }, 'd: >-\n    one\n    two\nlabel: x'), [
    '-    one',
    '-    two',
    '+    one two three',
  ]);
});

test('items of lists come and go without touching the others', () => {
  assert.deepEqual(edit({ keywords: ['bomen', 'new', 'trees'] }), ['+  - new']);
  assert.deepEqual(edit({ keywords: ['bomen', 'trees', '1.10'] }), ['+  - "1.10"']);
  assert.deepEqual(edit({ keywords: ['yes', 'bomen', 'trees'] }), ['+  - "yes"']);
  assert.deepEqual(edit({ keywords: ['trees'] }), ['-  - bomen\t# a tab\tin a comment']);
  assert.deepEqual(edit({ keywords: ['bomen', 'Trees'] }), ['-  - "trees"', '+  - "Trees"']);
});

test('within a list of mappings only what changed is written', () => {
  assert.deepEqual(edit(columns(a, { ...b, type: 'geometry' }, c)), [
    '-- {type: integer, name: b} # in braces',
    '+- {type: geometry, name: b} # in braces',
  ]);
  assert.deepEqual(edit(columns({ ...a, label: 'A' }, b, c)), ['+  label: A']);
  assert.deepEqual(
    edit(columns(a, { ...b, unit: 'a, b' }, c)).at(-1),
    '+- {type: integer, name: b, unit: "a, b"} # in braces',
  );
  assert.deepEqual(edit(columns({ name: 'a' }, b, c)), [
    '-- type: string # not an integer',
    '-  name: a',
    '+- name: a',
  ]);
  assert.deepEqual(edit(columns(a, c)), ['-- {type: integer, name: b} # in braces']);
  assert.deepEqual(edit(columns({ ...a, name: 'z' }, b, c)), ['-  name: a', '+  name: z']);
  assert.match(
    editRecordText(trees, 'yaml', columns(a, b, { name: 'd', type: 'date' }, { ...c, unit: 'km' }), order),
    /# in braces\n- name: d\n {2}type: date\n- name: c\n {2}# inner\n {2}type: float\n {2}unit: km\n/,
  );
});

test('a new key goes where it belongs, a removed one takes its lines and no comments of others', () => {
  assert.deepEqual(edit({ licence: 'CC0-1.0' }), ['+licence: CC0-1.0']);
  const both = editRecordText(
    trees,
    'yaml',
    { licence: 'CC0-1.0', image: 'a.png', aliases: ['old', 'older'], zz: {} },
    order,
  );
  assert.match(both, / {2}last line\.\nimage: a\.png\n\nkeywords:/);
  assert.match(both, / {2}# - old\nlicence: CC0-1\.0\ncolumns:/);
  assert.match(both, / {2}unit: m\naliases:\n {2}- old\n {2}- older\nx-steward:.*\nzz: \{\}\n# the end\n$/);
  assert.deepEqual(edit({ id: undefined }), ['-id: 5   # never change this']);
  assert.deepEqual(edit({ id: 1 }, '# about\n\n# the label\nlabel: x\n'), ['+id: 1']);
  assert.equal(
    editRecordText('# about\n\n# the label\nlabel: x\n', 'yaml', { id: 1 }, order),
    '# about\n\nid: 1\n# the label\nlabel: x\n',
  );
  assert.equal(editRecordText('# about\nlabel: x', 'yaml', { id: 1 }, order), '# about\nid: 1\nlabel: x');
  assert.equal(
    editRecordText('x: 1\nlabel: a # c\n', 'yaml', { label: undefined, x: undefined, id: 2 }, order),
    'id: 2\n',
  );
  assert.equal(editRecordText('# c\nlabel: a\n', 'yaml', { label: undefined }, order), '# c\n{}\n');
});

test('a literal that keeps its blank lines stays when all keys below it are removed', () => {
  const text = 'id: 1\nunit: |+\n  a\n\n\nname: x\ntype: y';
  const removed = { name: undefined, type: undefined };
  assert.equal(editRecordText(text, 'yaml', removed, order), 'id: 1\nunit: |+\n  a\n\n\n');
});

test('a key that is removed leaves its blank lines to no text above', () => {
  const text = 'type:\n  id: |+\n    a\n\n\nid: 1\n\nfile: 2\n';
  assert.equal(editRecordText(text, 'yaml', { id: undefined }, order), 'type:\n  id: |+\n    a\n\n\nfile: 2\n');
  assert.equal(editRecordText('a: 1\n\nid: 1\n\nb: 2\n', 'yaml', { id: undefined }, order), 'a: 1\n\nb: 2\n');
  assert.equal(editRecordText('a: 1\nid: 1\n\nb: 2\n', 'yaml', { id: undefined }, order), 'a: 1\n\nb: 2\n');
});

test('a value that changes its kind is written anew behind its key', () => {
  assert.deepEqual(edit({ keywords: [] }).at(-1), '+keywords: [] # what people search for');
  assert.deepEqual(edit({ keywords: 'all' }).at(-1), '+keywords: all # what people search for');
  assert.deepEqual(edit({ id: { a: 1 } }).slice(1), ['+id:   # never change this', '+  a: 1']);
  assert.equal(editRecordText('label:\nid: 1\n', 'yaml', { label: 'x' }, order), 'label: x\nid: 1\n');
  assert.equal(editRecordText('k: # c\n  v\nid: 1\n', 'yaml', { k: 'w' }, order), 'k: # c\n  w\nid: 1\n');
  assert.equal(editRecordText('keywords: []\n', 'yaml', { keywords: ['a'] }, order), 'keywords:\n  - a\n');
  assert.equal(editRecordText('{}\n', 'yaml', { label: 'x', id: 1 }, order), 'label: x\nid: 1\n');
});

test('line ends, byte order mark and the missing last line break stay', () => {
  const crlf = `\ufeff${trees.replaceAll('\n', '\r\n')}`;
  const changes = { label: 'two\nlines', licence: 'x', keywords: ['trees', 'b'], ...columns(a, b) };
  const plain = editRecordText(trees, 'yaml', changes, order);
  assert.equal(editRecordText(crlf, 'yaml', changes, order), `\ufeff${plain.replaceAll('\n', '\r\n')}`);
  assert.equal(
    editRecordText('label: x', 'yaml', { id: 1, keywords: ['a'] }, order),
    'id: 1\nlabel: x\nkeywords:\n  - a',
  );
  assert.equal(editRecordText('label: x\nid: 1', 'yaml', { id: undefined }, order), 'label: x');
});

test('habits of indentation are taken over', () => {
  const text = 'label: x\nfile:\n    name: a\nkeywords:\n- a\n';
  assert.equal(
    editRecordText(text, 'yaml', { aliases: ['a', { b: [1] }], x: { y: { z: 1 } } }, order),
    `${text}aliases:\n- a\n- b:\n  - 1\nx:\n    y:\n        z: 1\n`,
  );
});

test('anchors stay, and aliases are written out where they would say something else', () => {
  const text =
    'label: &l Trees # c\ndescription: *l\ncolumns:\n  - &c {name: a, type: string}\n  - name: b\n    like: *c # d\n';
  assert.equal(editRecordText(text, 'yaml', { id: 1 }, order), `id: 1\n${text}`);
  assert.equal(editRecordText(text, 'yaml', { description: 'x' }, order), text.replace('*l', 'x'));
  assert.equal(editRecordText(text, 'yaml', { label: 'y' }, order), text.replace('Trees', 'y').replace('*l', 'Trees'));
  assert.equal(
    editRecordText(text, 'yaml', { label: undefined }, order),
    text.replace(/.*\n/, '').replace('*l', 'Trees'),
  );
  const columns = [
    { name: 'a', type: 'date' },
    { name: 'b', like: { name: 'a', type: 'string' } },
  ];
  assert.match(
    editRecordText(text, 'yaml', { columns }, order),
    /type: date\}\n {2}- name: b\n {4}like: # d\n {6}name: a\n {6}type: string\n$/,
  );
});

test('JSON keeps its indentation, its spaces and its order', () => {
  const json = '{\n\t"id": 1,\n\t"keywords": ["a", "b"],\n\t"columns": [\n\t\t{"name":"a","type":"b"}\n\t]\n}';
  assert.equal(
    editRecordText(
      json,
      'json',
      { id: 2, label: 'é\u007f', keywords: ['a', 'c', 'b'], columns: [{ name: 'a', type: 'c' }] },
      order,
    ),
    '{\n\t"id": 2,\n\t"label": "é\u007f",\n\t"keywords": ["a", "c", "b"],\n\t"columns": [\n\t\t{"name":"a","type":"c"}\n\t]\n}',
  );
  assert.equal(
    editRecordText('{"label":"x","id":1}\n', 'json', { aliases: [{ a: 1 }] }, order),
    '{"label":"x","aliases":[{"a":1}],"id":1}\n',
  );
  assert.equal(editRecordText('{}', 'json', { label: 'x' }, order), '{\n  "label": "x"\n}');
  assert.equal(editRecordText('{ "id": 1 }', 'json', { id: undefined }, order), '{}');
});

test('what can not be edited is refused', () => {
  assert.throws(() => editRecordText('a: @', 'yaml', { a: 1 }, []), ConflictError);
  assert.throws(() => editRecordText('[1]', 'json', { a: 1 }, []), ConflictError);
  for (const value of [new Date(0), 1n, () => 1, Symbol('s'), new Map()])
    assert.throws(() => editRecordText('a: 1', 'yaml', { a: [value] }, []), TypeError);
  assert.throws(() => editRecordText('{"a":1}', 'json', { a: Number.NaN }, []), TypeError);
  assert.equal(
    editRecordText('a: 1', 'yaml', { a: Number.NaN, b: { c: undefined, d: -0 } }, []),
    'a: .nan\nb:\n  d: 0',
  );
});

test('`__proto__` is a key like any other', () => {
  const changes = JSON.parse('{"__proto__": {"x": 1}}');
  assert.equal(editRecordText('a: 1\n', 'yaml', changes, []), 'a: 1\n__proto__:\n  x: 1\n');
  assert.equal(Object.getPrototypeOf({}).x, undefined);
});

test('a new file is quoted where some reader could misread it', () => {
  const value = {
    notes: 'a\n\n  b\n',
    label: '1.10',
    id: 5,
    bbox: [4.5, -52, 0, 1e21],
    words: [
      'yes',
      'null',
      '2020-01-01',
      '007',
      '20240131123456000000',
      '12:30',
      '0x1f',
      '~',
      '',
      ' x',
      'a: b',
      'a #b',
      'x',
    ],
    columns: [{ name: 'a', notes: 'l\nm', like: [] }],
  };
  assert.equal(
    newRecordText(value, order, '# yaml-language-server: $schema=x.json'),
    `# yaml-language-server: $schema=x.json
id: 5
label: "1.10"
columns:
  - name: a
    notes: |-
      l
      m
    like: []
notes: |
  a

    b
bbox:
  - 4.5
  - -52
  - 0
  - 1e+21
words:
  - "yes"
  - "null"
  - "2020-01-01"
  - "007"
  - "20240131123456000000"
  - "12:30"
  - "0x1f"
  - "~"
  - ""
  - " x"
  - "a: b"
  - "a #b"
  - x
`,
  );
  assert.equal(newRecordText({}, order), '{}\n');
});

test('Edits of long lists take time in proportion to their length, not to its square', () => {
  const words = (from: number, to: number) => Array.from({ length: to - from }, (_, i) => `word${from + i}`);
  const block = (items: readonly string[]) => `keywords:\n${items.map((item) => `  - ${item}\n`).join('')}`;
  const flow = (items: readonly string[]) => `{"keywords": ${JSON.stringify(items).replaceAll(',', ', ')}}`;
  for (const [format, write] of [
    ['yaml', block],
    ['json', flow],
  ] as const) {
    const [short, long] = [words(0, 30_000), words(0, 60_000)];
    assert.equal(editRecordText(write(short), format, { keywords: long }, order), write(long));
    assert.equal(editRecordText(write(long), format, { keywords: short }, order), write(short));
    const [from, to] = [words(15_000, 30_000), words(0, 45_000)];
    assert.equal(editRecordText(write(from), format, { keywords: to }, order), write(to));
    assert.equal(editRecordText(write(to), format, { keywords: from }, order), write(from));
  }
});

test('JSON of the deepest nesting that is read can be edited', () => {
  const nested = (value: string) => `{"x-a":${'['.repeat(49)}1${']'.repeat(49)},"label":"${value}"}`;
  assert.equal(editRecordText(nested('a'), 'json', { label: 'b' }, order), nested('b'));
});
