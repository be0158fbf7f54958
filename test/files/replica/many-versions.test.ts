/** The files of a dataset with many versions, asked for one after another as a pull does. */
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { findReplicaFile, listUnitFiles } from '../../../src/files/replica/items.ts';
import { given } from './replica-support.ts';

const home = 'namespaces/parks/datasets/trees';
const slugs = Array.from({ length: 2000 }, (_, i) => `v${10_000 + i}`);

it('each file is found as it is in the list, without going through the others', async (test) => {
  const { files } = await given(test, {
    files: Object.fromEntries(
      slugs.flatMap((slug) => [
        [`${home}/versions/${slug}.yaml`, `label: ${slug}\nfile: { name: ${slug}.csv, size: 4 }\n`],
        [`${home}/data/${slug}.csv`, 'a\n1\n'],
      ]),
    ),
  });
  await files.load();
  const state = files.store.states.get(`${home}/dataset`);
  assert.ok(state);
  const listed = [...listUnitFiles(state)];
  assert.equal(listed.length, 4001);
  const began = process.cpuUsage();
  const found = listed.map(({ path }) => findReplicaFile(files.store, path));
  const { user } = process.cpuUsage(began);
  assert.deepEqual(found, listed);
  // Going through the list for each file takes 20 s.
  assert.ok(user < 3_000_000, `${user / 1e6} s`);
  assert.equal(findReplicaFile(files.store, `${home}/data/none.csv`), null);
  assert.equal(findReplicaFile(files.store, `${home}/versions/none.yaml`), null);
});
