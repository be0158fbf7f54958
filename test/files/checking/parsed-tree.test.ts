/** The tree that `check` reads: each record is read and parsed once, for its unit and for the rules. */
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { findRuleViolations } from '../../../src/catalogue/rules.ts';
import { ParsedTree, treeRecordsOf } from '../../../src/files/checking/tree-records.ts';
import { readUnits } from '../../../src/files/reading/read-unit.ts';
import { scanForUnits } from '../../../src/files/reading/scan.ts';
import { DiskTree } from '../../../src/files/tree/disk-tree.ts';
import { makeFolder } from '../../support/folder.ts';

it('reads each file once', (t) => {
  const folder = makeFolder(
    {
      namespaces: { parks: { label: 'Parks' } },
      datasets: { 'parks/trees': { id: 1, label: 'Trees' }, 'parks/benches': { id: 1, labell: 'Benches' } },
      versions: { 'parks/trees@20200101000000000000': {} },
      files: { 'namespaces/parks/datasets/broken/dataset.yaml': '[' },
    },
    t,
  );
  const disk = new DiskTree(folder.root);
  const paths: string[] = [];
  t.mock.method(disk, 'read', (path: string) => {
    const read = DiskTree.prototype.read.call(disk, path);
    if (read) paths.push(path);
    return read;
  });
  const tree = new ParsedTree(disk);
  const scanned = [...scanForUnits(tree)];
  const units = scanned.flatMap((found) => ('unit' in found ? [found.unit] : []));
  const records = treeRecordsOf(tree, readUnits(tree, units), scanned);
  assert.ok([...findRuleViolations(records)].length >= 2);
  assert.equal([...records.paths()].length, 5);
  assert.equal(paths.length, 6);
  assert.equal(new Set(paths).size, 6);
});
