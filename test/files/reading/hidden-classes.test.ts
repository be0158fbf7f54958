/** What is in memory for each unit has one hidden class for all units: V8 would need more memory for theirs than for the units. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setFlagsFromString } from 'node:v8';
import { runInThisContext } from 'node:vm';
import { PackedColumns, packState, SharedValues, unpackState } from '../../../src/files/reading/packed-state.ts';
import { readUnit } from '../../../src/files/reading/read-unit.ts';
import { unitOfReading } from '../../../src/files/reading/unit-reading.ts';
import { DiskTree } from '../../../src/files/tree/disk-tree.ts';
import { makeFollowedFolder } from '../../support/followed.ts';

setFlagsFromString('--allow-natives-syntax');
const haveSameClass: (a: unknown, b: unknown) => boolean = runInThisContext('(a, b) => %HaveSameMap(a, b)');

test('states, readings and units of datasets have one hidden class, also when the code is optimized', (t) => {
  const folder = makeFollowedFolder(t);
  folder.dataset('namespaces/a/datasets/d', 'D', ['v1']);
  const tree = new DiskTree(folder.root);
  const columns = new PackedColumns();
  const packed = packState(readUnit(tree, { kind: 'dataset', namespace: 'a', slug: 'd' }), columns);
  const shared = new SharedValues();
  const copy = () => JSON.parse(JSON.stringify(packed));
  const states = Array.from({ length: 1000 }, () => unpackState(copy(), columns.columns, shared));
  const [first, second] = states.slice(-2).map((state) => [state, state.reading, unitOfReading(state.reading)]);
  assert.equal(states[0]?.reading.kind, 'dataset');
  for (const [i, one] of (first ?? []).entries())
    assert.ok(haveSameClass(one, second?.[i]), `of ${JSON.stringify(one)}`);
  const read = Array.from({ length: 300 }, () => readUnit(tree, { kind: 'dataset', namespace: 'a', slug: 'd' }));
  assert.ok(haveSameClass(read.at(-1)?.reading, read.at(-2)?.reading));
});
