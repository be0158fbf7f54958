/** Columns in a dataset's record: which entry belongs to which column of data. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { nameAfterRename } from '../../src/catalogue/column-names.ts';
import {
  columnStateForVersions,
  columnsInRecordAfterData,
  columnsInRecordAfterInput,
} from '../../src/catalogue/columns.ts';
import { datasetFromRecord, versionFromRecord } from '../../src/catalogue/entities.ts';

const written = { type: 'string', name: 'c', label: 'C', description: 'Long ago a, then b', former_names: ['a', 'b'] };
const data = [
  { name: 'a', type: 'integer' },
  { name: 'b', type: 'string' },
] as const;

describe('an entry whose column had two other names', () => {
  const after = [{ type: 'integer', name: 'a', label: 'A' }, written];

  it('belongs to the column of the later name if data have both', () => {
    assert.deepEqual(columnsInRecordAfterData([written], data, 'v'), after);
    assert.deepEqual(columnsInRecordAfterData([written], [...data].reverse(), 'v'), [...after].reverse());
    assert.equal(columnsInRecordAfterData(after, data, 'w'), after);
  });

  it('belongs to the column of the earlier name if the later one has an entry of its own', () => {
    const own = { type: 'string', name: 'b', label: 'B' };
    const renamed = { ...written, type: 'integer' };
    assert.deepEqual(columnsInRecordAfterData([written, own], data, 'v'), [renamed, own]);
  });

  it('gives its texts to that column only', () => {
    const version = versionFromRecord('parks', 'trees', 'v', { columns: [...data] }, null);
    const dataset = datasetFromRecord('parks', 'trees', { label: 'Trees', columns: [{ ...written, type: 'string' }] });
    const { columns } = columnStateForVersions(dataset, [version]);
    assert.deepEqual(
      columns.map(({ name, label, description }) => [name, label, description]),
      [
        ['a', 'A', ''],
        ['b', 'C', 'Long ago a, then b'],
      ],
    );
  });

  it('has the texts that an input gives under the name of that column', () => {
    const input = [
      { name: 'a', unit: 'm' },
      { name: 'b', unit: 'kg' },
    ];
    for (const before of [[written], after]) {
      const texts = columnsInRecordAfterInput(before, input, data).map((column) => Object.entries(column));
      assert.deepEqual(
        texts
          .map(Object.fromEntries)
          .map(({ name, unit }) => [name, unit])
          .sort(),
        [
          ['a', 'm'],
          ['c', 'kg'],
        ],
      );
    }
  });
});

describe('the present name of a column', () => {
  const names = (count: number, name: string) => Array.from({ length: count }, (_, i) => `${name} ${i}`);

  it('is found however the letters of the former one are composed, unless several columns may be meant', () => {
    const former = { größe: ['height'], ['höhe'.normalize('NFD')]: ['a'], höhe: ['b'] };
    for (const form of ['NFC', 'NFD'] as const)
      assert.equal(nameAfterRename(former, 'größe'.normalize(form)), 'height', form);
    assert.equal(nameAfterRename(former, 'höhe'), 'b');
    assert.equal(nameAfterRename(former, 'umfang'), undefined);
    assert.equal(nameAfterRename(former, 'stärke'), undefined);
    const two = { [`${'ö'.normalize('NFD')}ö`]: ['a'], [`ö${'ö'.normalize('NFD')}`]: ['b'] };
    assert.equal(nameAfterRename(two, 'öö'), undefined);
  });

  it('of thousands of columns is found in linear time', (t) => {
    const former = Object.fromEntries(names(1000, 'größe').map((name, i) => [name, [`height ${i}`]]));
    const { mock: normalize } = t.mock.method(String.prototype, 'normalize');
    for (const name of names(1000, 'höhe')) assert.equal(nameAfterRename(former, name), undefined);
    assert.ok(normalize.callCount() <= 2000, `${normalize.callCount()} names composed`);
  });
});
