import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { changedFields, compareFieldsOfSides } from '../../src/sync/field-conflicts.ts';

describe('a conflict, field by field', () => {
  it('shows what differs, and who has changed it', () => {
    const base = { label: 'Trees', licence: 'MIT', notes: 'x' };
    const ours = { label: 'Mine', licence: 'MIT', notes: 'y', contact: 'a@example.org' };
    const theirs = { label: 'Yours', licence: 'CC0-1.0', notes: 'y' };
    assert.deepEqual(compareFieldsOfSides({ base, ours, theirs }), [
      { field: 'label', base: 'Trees', ours: 'Mine', theirs: 'Yours', changedBy: 'both' },
      { field: 'licence', base: 'MIT', ours: 'MIT', theirs: 'CC0-1.0', changedBy: 'theirs' },
      { field: 'contact', base: undefined, ours: 'a@example.org', theirs: undefined, changedBy: 'ours' },
    ]);
  });

  it('knows columns by their names, in whatever order', () => {
    const column = (name: string, unit: string) => ({ type: 'float', name, unit });
    const base = { columns: [column('height', 'm'), column('width', 'm')] };
    const ours = { columns: [column('width', 'm'), column('height', 'cm')] };
    const found = compareFieldsOfSides({ base, ours, theirs: base });
    assert.deepEqual(found, [{ field: 'columns.height.unit', base: 'm', ours: 'cm', theirs: 'm', changedBy: 'ours' }]);
  });

  it('takes a list without names for a whole', () => {
    const found = compareFieldsOfSides({ base: null, ours: { keywords: ['a', 'b'] }, theirs: { keywords: ['a'] } });
    assert.deepEqual(found, [
      { field: 'keywords', base: undefined, ours: ['a', 'b'], theirs: ['a'], changedBy: 'both' },
    ]);
  });

  it('ignores the order of keys', () => {
    const base = {
      file: { name: 'a.csv', size: 1 },
      columns: [{ name: 'a', extra: { x: 1, y: 2 } }],
      bounds: [{ a: 1, b: 2 }],
    };
    const theirs = {
      bounds: [{ b: 2, a: 1 }],
      columns: [{ extra: { y: 2, x: 1 }, name: 'a' }],
      file: { size: 1, name: 'a.csv' },
    };
    assert.deepEqual(compareFieldsOfSides({ base, ours: base, theirs }), []);
    assert.deepEqual(changedFields(base, theirs), []);
    assert.deepEqual(changedFields({ a: [1, 2] }, { a: [2, 1] }), ['a'], 'the order of a list counts');
    assert.deepEqual(changedFields({ a: undefined }, {}), []);
  });

  it('has no fields where a side has no record', () => {
    assert.deepEqual(compareFieldsOfSides({ base: { a: 1 }, ours: null, theirs: { a: 2 } }), []);
  });

  it('says in few words which fields change', () => {
    assert.deepEqual(changedFields({ a: 1, b: [1], c: 3 }, { a: 1, b: [2], d: 4 }), ['b', 'c', 'd']);
  });
});
