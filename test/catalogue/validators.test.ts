/** What is said of a record that doesn't fit its schema. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { RecordKind } from '../../src/catalogue/schemas.ts';
import { findMisspelledKeys } from '../../src/catalogue/validators.ts';
import { validateRecord } from '../../src/files/reading/validate-record.ts';

const errorsOf = (kind: RecordKind, value: unknown) => {
  const checked = validateRecord(kind, value);
  return 'errors' in checked ? checked.errors : [];
};

const label = 'x';
const table: readonly (readonly [RecordKind, unknown, pointer: string, message: string])[] = [
  ['dataset', {}, '', '"label" is missing. Add a line "label: …".'],
  ['query', { label }, '', '"dataset" is missing. Add a line "dataset: …".'],
  ['dataset', { label: 1.1 }, '/label', 'label must be text, but reads as 1.1. Write it in quotes: "1.1".'],
  ['dataset', { label: true }, '/label', 'label must be text, but reads as true. Write it in quotes: "true".'],
  ['dataset', { label: null }, '/label', 'label must be text, not nothing.'],
  ['dataset', { label: [] }, '/label', 'label must be text, not a list.'],
  ['dataset', { label: {} }, '/label', 'label must be text, not a group of keys.'],
  ['dataset', { label: '' }, '/label', 'label is empty.'],
  ['dataset', { label: 'x'.repeat(201) }, '/label', 'label has more than 200 characters.'],
  ['dataset', { label, id: 'seven' }, '/id', 'id must be a whole number, not "seven".'],
  ['dataset', { label, id: 1.5 }, '/id', 'id must be a whole number, not 1.5.'],
  ['dataset', { label, id: 0 }, '/id', 'id must be at least 1, not 0.'],
  ['dataset', { label, id: 2 ** 31 }, '/id', 'id must be at most 2147483647, not 2147483648.'],
  ['dataset', { label, keywords: 'a, b' }, '/keywords', 'keywords must be a list, not "a, b".'],
  [
    'dataset',
    { label, keywords: ['trees', 2024] },
    '/keywords/1',
    'Item 2 of keywords must be text, but reads as 2024. Write it in quotes: "2024".',
  ],
  ['dataset', { label, keywords: [''] }, '/keywords/0', 'Item 1 of keywords is empty.'],
  [
    'dataset',
    { label, keywords: ['x'.repeat(120)] },
    '/keywords/0',
    'Item 1 of keywords has more than 100 characters.',
  ],
  [
    'dataset',
    { label, columns: [{ name: 'a', type: 'integer', former_names: [7] }] },
    '/columns/0/former_names/0',
    'Item 1 of former_names must be text, but reads as 7. Write it in quotes: "7".',
  ],
  ['version', { file: 'trees.csv' }, '/file', 'file must be a group of "key: value" lines, not "trees.csv".'],
  ['version', { ready: 'yes' }, '/ready', 'ready must be true or false, not "yes".'],
  ['version', { bbox: [1, 2, 3] }, '/bbox', 'bbox has fewer than 4 items.'],
  ['version', { bbox: [1, 2, 3, 'x'] }, '/bbox/3', 'Item 4 of bbox must be a number, not "x".'],
  [
    'query',
    { label, dataset: 'a/b', version: 2020 },
    '/version',
    'version must be text, but reads as 2020. Write it in quotes: "2020".',
  ],
  ['query', { label, dataset: 'a/b', version: [] }, '/version', 'version must be text or null, not a list.'],
  [
    'dataset',
    { label, visibility: 'privat' },
    '/visibility',
    'visibility must be one of public, private, not "privat". Did you mean private?',
  ],
  [
    'dataset',
    { label, visibility: 'hidden' },
    '/visibility',
    'visibility must be one of public, private, not "hidden".',
  ],
  [
    'dataset',
    { label, columns: [{ name: 'a', type: 'int' }] },
    '/columns/0/type',
    'type must be one of geometry, integer, float, string, boolean, date, datetime, time, object, array, not "int".',
  ],
  ['dataset', { label, columns: [{ type: 'integer' }] }, '/columns/0', '"name" is missing. Add a line "name: …".'],
  [
    'query',
    { label, dataset: 'trees' },
    '/dataset',
    `dataset doesn't have the form that is expected: "trees". The dataset asked: <namespace>/<dataset>.`,
  ],
  [
    'version',
    { datetime: '2020-01-01' },
    '/datetime',
    `datetime doesn't have the form that is expected: "2020-01-01". ` +
      'When the version was made: ISO 8601, UTC. Left out, the timestamp in the file name.',
  ],
  [
    'namespace',
    { label, owners: ['the editors'] },
    '/owners/0',
    `Item 1 of owners doesn't have the form that is expected: "the editors". It must match ^[-a-zA-Z0-9_]+$.`,
  ],
  ['namespace', { label, owners: ['a', 'a'] }, '/owners', 'owners has "a" twice.'],
  ['dataset', [], '', 'The file must be a group of "key: value" lines, not a list.'],
];

describe('checkRecord', () => {
  for (const [kind, value, pointer, message] of table)
    it(`${kind} ${JSON.stringify(value).slice(0, 80)}`, () => {
      assert.deepEqual(errorsOf(kind, value), [{ pointer, message }]);
    });

  it('says everything at once', () => {
    const pointers = errorsOf('dataset', { id: 'x', keywords: [1] }).map(({ pointer }) => pointer);
    assert.deepEqual(pointers.sort(), ['', '/id', '/keywords/0']);
  });

  it('says enough, and not a line for each of a hundred thousand items', () => {
    const errors = errorsOf('dataset', { label, keywords: new Array(100_000).fill(1) });
    assert.ok(errors.length >= 10 && errors.length <= 100, String(errors.length));
  });

  it('takes what fits, and keys that it does not know', () => {
    const value = { label, id: 7, ours: { anything: [1] } };
    const checked = validateRecord('dataset', value);
    assert.ok('value' in checked && checked.value === value);
    assert.deepEqual(errorsOf('settings', {}), []);
    assert.deepEqual(errorsOf('query', { label, dataset: 'a/b', version: null }), []);
  });

  it('cuts long values short', () => {
    const [error] = errorsOf('version', { checksum: 'z'.repeat(1000) });
    assert.ok(error && error.message.length < 300);
  });
});

describe('misspelledKeys', () => {
  const messages = (value: Record<string, unknown>) =>
    findMisspelledKeys('dataset', value).map(({ message }) => message);

  it('names the key that was probably meant', () => {
    assert.deepEqual(messages({ lable: 1 }), ['"lable" means nothing here. Did you mean "label"?']);
    assert.deepEqual(messages({ label, license: 'CC0-1.0' }), [
      '"license" means nothing here. Did you mean "licence"?',
    ]);
  });

  it('knows no keys by the names of JavaScript', () => {
    const found = findMisspelledKeys('settings', { constructor: 1, toString: {} });
    assert.deepEqual(
      found.map(({ pointer }) => pointer),
      ['/constructor', '/toString'],
    );
  });

  it('says nothing of other keys, nor where the right key is there too', () => {
    assert.deepEqual(messages({ label, lable: 1, 'x-ours': 2, project: 3 }), []);
  });

  it('points at the key', () => {
    assert.deepEqual(
      findMisspelledKeys('dataset', { 'label/': 1, 'labe~': 1 }).map(({ pointer }) => pointer),
      ['/label~1', '/labe~0'],
    );
  });
});
