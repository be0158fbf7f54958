/** Versions with many columns share those that are equal: a table of 10,000 columns may have many versions. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Column } from '../../../src/catalogue/types.ts';
import { PackedColumns, packState } from '../../../src/files/reading/packed-state.ts';
import { UnitStore } from '../../../src/files/reading/unit-store.ts';
import { makeFollowedFolder } from '../../support/followed.ts';

const count = 1000;
const home = 'namespaces/a/datasets/d';
const versionWith = (columns: readonly object[]) =>
  JSON.stringify({ label: 'V', datetime: '2024-01-31T12:00:00Z', ready: false, columns });
const columnsWith = (type: string) =>
  Array.from({ length: count }, (_, i) => ({ name: `c${i}`, type: i === 7 ? type : 'float' }));

test('a version shares its columns with another one, and each column of a state is written as JSON once', (t) => {
  const folder = makeFollowedFolder(t);
  folder.dataset(home, 'D', []);
  folder.write(`${home}/versions/v1.json`, versionWith(columnsWith('float')));
  const store = new UnitStore(folder.root);
  for (const _ of store.rescan([{ folder: '' }]));
  folder.write(`${home}/versions/v2.json`, versionWith(columnsWith('string')));
  for (const _ of store.rescan([{ folder: '' }]));
  const versions = store.snapshot.folders.get('a')?.datasets.get('d')?.versions ?? [];
  const [first = [], second = []] = versions.map(({ columns }) => columns as readonly Column[]);
  assert.equal(first.length, count);
  const others = first.flatMap((column, i) => (column === second[i] ? [] : [i]));
  assert.deepEqual(others, [7]);
  const [state] = [...store.states.values()].filter(({ reading }) => reading.kind === 'dataset');
  assert.ok(state);
  const packed = new PackedColumns();
  const write = t.mock.method(JSON, 'stringify');
  packState(state, packed);
  const written = write.mock.callCount();
  assert.ok(written <= 2 * count + 2, `${written} written`);
  packState(state, packed);
  assert.equal(write.mock.callCount(), written);
});
