/** Keys by folder: the same for several folders at once as for each alone. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { groupByFolder } from '../../../src/files/reading/group-by-folder.ts';

test('entries below several folders are those below each', () => {
  const keys = [
    'catalogue',
    'users/ann',
    'namespaces/a/namespace',
    'namespaces/a/datasets/b/dataset',
    'namespaces/ab/x',
  ];
  const entries = keys.map((key, i) => [key, i] as const);
  const folders = ['', 'namespaces/', 'namespaces/a/', 'namespaces/a/datasets/', 'users/', 'groups/'];
  const together = groupByFolder(
    entries,
    folders.map((folder) => ({ folder })),
  );
  for (const folder of folders) {
    const expected = entries.filter(([key]) => key.startsWith(folder));
    assert.deepEqual([...together(folder)], expected);
    assert.deepEqual([...groupByFolder(entries, [{ folder }])(folder)], expected);
  }
});
