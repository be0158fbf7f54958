/** Input, judged with the messages of Django REST Framework. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { WritableKind } from '../../src/catalogue/catalogue.ts';
import { ValidationError } from '../../src/catalogue/errors.ts';
import { type InputOptions, parseInput, pythonTypeName, writableFields } from '../../src/catalogue/input.ts';

const create: InputOptions = { partial: false };
const patch: InputOptions = { partial: true, label: 'Old label' };
const put: InputOptions = { partial: false, label: 'Old label' };
const required = 'This field is required.';
const noNull = 'This field may not be null.';
const noBlank = 'This field may not be blank.';
const noString = 'Not a valid string.';
const badSlug = 'Enter a valid "slug" consisting of letters, numbers, underscores or hyphens.';
const tooLong = (n: number) => `Ensure this field has no more than ${n} characters.`;

const tooMany = (n: number) => `Ensure this field has no more than ${n} elements.`;
const numbers = (length: number) => Array.from({ length }, (_, i) => i);

const badDate = (name: string, text: string, description: string) =>
  `${name} doesn't have the form that is expected: "${text}". ${description}: YYYY-MM-DD, or a time in UTC.`;

function errorsOf(kind: WritableKind, input: Record<string, unknown>, options: InputOptions) {
  try {
    parseInput(kind, input, options);
    return null;
  } catch (error) {
    assert.ok(error instanceof ValidationError, String(error));
    return error.fields;
  }
}

/** Field by field: the value of one field, and what is said of it. */
const refused: readonly (readonly [field: string, value: unknown, ...messages: string[]])[] = [
  ['label', null, noNull],
  ['label', '', noBlank],
  ['label', ' \t\u00a0\u3000', noBlank],
  ['label', true, noString],
  ['label', [], noString],
  // biome-ignore lint/correctness/noPrecisionLoss: as JSON.parse rounds it
  ['label', 12345678901234567890, noString],
  ['publisher', 2 ** 53, noString],
  ['slug', -(2 ** 53), badSlug],
  ['keywords', [2 ** 60], noString],
  ['label', {}, noString],
  ['label', 'x'.repeat(201), tooLong(200)],
  ['label', '😀'.repeat(201), tooLong(200)],
  ['label', 'a\0b', 'Null characters are not allowed.'],
  ['label', '\ud800', 'Surrogate characters are not allowed: U+D800.'],
  ['label', `\0${'x'.repeat(200)}`, tooLong(200), 'Null characters are not allowed.'],
  ['slug', null, noNull],
  ['slug', true, badSlug],
  ['slug', [], badSlug],
  ['slug', {}, badSlug],
  ['slug', 'a b', badSlug],
  ['slug', 'é', badSlug],
  ['slug', '../x', badSlug],
  ['slug', 'a\nb', badSlug],
  ['slug', 'x'.repeat(101), tooLong(100)],
  ['slug', `é${'x'.repeat(100)}`, tooLong(100), badSlug],
  ['namespace', null, noNull],
  ['namespace', '', noNull],
  ['description', null, noNull],
  ['description', ['x'], noString],
  ['image', 'x'.repeat(256), tooLong(255)],
  ['image', null, noNull],
  ['visibility', 'hidden', '"hidden" is not a valid choice.'],
  ['visibility', null, noNull],
  ['visibility', 7, '"7" is not a valid choice.'],
  ['visibility', ['public'], '"["public"]" is not a valid choice.'],
  ['visibility', { toString: 1 }, '"{"toString":1}" is not a valid choice.'],
  ['issued', '2020', badDate('issued', '2020', 'When it was first published, if before its first version')],
  ['modified', ' x ', badDate('modified', 'x', 'When it was last changed, if after its newest version')],
  ['issued', ['2020'], noString],
  ...['2026-02-30', '2026-13-45', '0000-00-00', '2026-02-28T25:61:61Z', ' 2021-02-29T12:00:00.5Z'].map(
    (text) => ['issued', text, `issued "${text.trim()}" is not a date or time that exists.`] as const,
  ),
  [
    'links',
    { Paper: 'javascript:1', Data: 'https://example.org/a', Code: 7, More: ['https://example.org'], x: null },
    `Paper doesn't have the form that is expected: "javascript:1". URL that begins with https, http, ftp, s3 or gs.`,
    'Code must be text, but reads as 7. Write it in quotes: "7".',
    'More must be text, not a list.',
    'x must be text, not nothing.',
  ],
  [
    'links',
    { Paper: `https://${'x'.repeat(301)}/` },
    `Paper doesn't have the form that is expected: "https://${'x'.repeat(48)}…. URL that begins with https, http, ftp, s3 or gs.`,
  ],
  ['links', Object.fromEntries(numbers(10_001).map((i) => [i, 'https://example.org'])), tooMany(10_000)],
  ['reading', { types: Object.fromEntries(numbers(10_001).map((i) => [i, 'string'])) }, `types: ${tooMany(10_000)}`],
  ['keywords', null, noNull],
  ['keywords', 'a, b', 'Expected a list of items but got type "str".'],
  ['keywords', { a: 1 }, 'Expected a list of items but got type "dict".'],
  ['keywords', [''], noBlank],
  ['keywords', [[]], noString],
  ['keywords', ['x'.repeat(101)], tooLong(100)],
  ['keywords', Array(2001).fill('a'), tooMany(2000)],
  ...['licence', 'homepage', 'publisher', 'contact'].map((name): readonly [string, unknown, ...string[]] => [
    name,
    'x'.repeat(10_001),
    tooLong(10_000),
  ]),
  ['columns', 7, 'Expected a list of items but got type "int".'],
  ['columns', ['height'], 'Each column needs a "name".'],
  ['columns', [null], 'Each column needs a "name".'],
  ['columns', [{ label: 'x' }], 'Each column needs a "name".'],
  ['columns', [{ name: 'height', label: null }], noNull],
];

describe('what is refused', () => {
  for (const [field, value, ...messages] of refused)
    it(`${field}: ${JSON.stringify(value)?.slice(0, 60)}`, () => {
      const input = { label: 'x', namespace: 'parks', [field]: value };
      assert.deepEqual(errorsOf('dataset', input, create), { [field]: messages });
      assert.deepEqual(errorsOf('dataset', { [field]: value }, patch), { [field]: messages });
    });

  it('owners that are no slugs', () => {
    assert.deepEqual(errorsOf('namespace', { label: 'x', owners: ['a b'] }, create), {
      owners: ['"a b" is not a valid slug.'],
    });
  });

  it('what is absent, and everything at once', () => {
    assert.deepEqual(errorsOf('dataset', {}, create), { label: [required], namespace: [required] });
    assert.deepEqual(errorsOf('dataset', {}, put), { label: [required], namespace: [required] });
    assert.deepEqual(errorsOf('namespace', {}, create), { label: [required] });
    assert.deepEqual(errorsOf('dataset', { slug: 'a b', image: null }, create), {
      label: [required],
      slug: [badSlug],
      namespace: [required],
      image: [noNull],
    });
    assert.equal(errorsOf('dataset', {}, patch), null);
  });

  it('a label that gives no slug', () => {
    for (const input of [{ label: '!!!' }, { label: '!!!', slug: ' ' }])
      assert.deepEqual(errorsOf('namespace', input, create), { slug: [noBlank] });
    assert.deepEqual(errorsOf('namespace', { slug: '' }, { partial: true, label: '!!!' }), { slug: [noBlank] });
  });
});

describe('what is taken', () => {
  const table: readonly (readonly [Record<string, unknown>, InputOptions, Record<string, unknown>])[] = [
    [{ label: '  Trees\u3000' }, create, { label: 'Trees', slug: 'trees' }],
    [{ label: 42 }, create, { label: '42', slug: '42' }],
    [{ label: 9007199254740991, slug: 1.5e3 }, create, { label: '9007199254740991', slug: '1500' }],
    [{ label: 'x'.repeat(200) }, create, { label: 'x'.repeat(200), slug: 'x'.repeat(100) }],
    [{ label: '😀'.repeat(100), slug: 7 }, create, { label: '😀'.repeat(100), slug: '7' }],
    [{ label: 'Trees', slug: ' Big_Trees ' }, create, { label: 'Trees', slug: 'Big_Trees' }],
    [{ label: 'Trees', slug: '' }, create, { label: 'Trees', slug: 'trees' }],
    [{ label: 'a\tb\u2028c' }, create, { label: 'a\tb\u2028c', slug: 'a-bc' }],
    [{ label: 'Trees' }, put, { label: 'Trees' }],
    [{ label: 'Trees', slug: '' }, put, { label: 'Trees', slug: 'trees' }],
    [{ slug: ' ' }, patch, { slug: 'old-label' }],
    [{ slug: 'x' }, patch, { slug: 'x' }],
    [{ description: ' ' }, patch, { description: '' }],
    [{ visibility: 'private' }, patch, { visibility: 'private' }],
    [{ owners: ['a', ' a ', 'b'] }, patch, { owners: ['a', 'b'] }],
    [{ owners: [] }, patch, { owners: [] }],
    [{ id: 1, url: 'x', datasets: 'y', __proto__: { label: 'inherited' } }, patch, {}],
  ];
  for (const [input, options, expected] of table)
    it(`${JSON.stringify(input).slice(0, 60)}`, () => {
      assert.deepEqual(parseInput('namespace', input, options), expected);
    });

  it('dates, times and links', () => {
    const links = { Paper: 'https://example.org/a%20b', 'a/b': 's3://bucket/key' };
    for (const issued of ['', '2020-02-29', '2020-01-31', '2020-01-31T12:00:00Z'])
      assert.deepEqual(parseInput('dataset', { issued, links }, patch), { issued, links });
  });

  it('the words of columns, told apart by name', () => {
    const columns = [{ name: 'height', label: ' Height ', unit: 'm', other: 1 }, { name: 'x' }];
    assert.deepEqual(parseInput('dataset', { columns }, patch), {
      columns: [{ name: 'height', label: 'Height', unit: 'm' }, { name: 'x' }],
    });
  });

  it('every writable field and no other', () => {
    assert.equal(
      writableFields('dataset').join(' '),
      'label slug namespace description image showcase_image thumbnail_image ' +
        'keywords licence homepage publisher contact links issued modified visibility readers columns reading',
    );
    assert.equal(writableFields('namespace').join(' '), 'label slug description visibility owners readers');
  });

  it('nothing of a hostile key', () => {
    const input = JSON.parse('{"label":"x","__proto__":{"polluted":1},"constructor":{"prototype":{"polluted":1}}}');
    assert.deepEqual(Object.keys(parseInput('namespace', input, create)), ['label', 'slug']);
    assert.equal(({} as { polluted?: number }).polluted, undefined);
  });
});

describe('typeName', () => {
  const table: readonly (readonly [unknown, string])[] = [
    [[], 'list'],
    ['', 'str'],
    [1, 'int'],
    [1.5, 'float'],
    [true, 'bool'],
    [null, 'NoneType'],
    [{}, 'dict'],
  ];
  for (const [value, name] of table) it(name, () => assert.equal(pythonTypeName(value), name));
});
