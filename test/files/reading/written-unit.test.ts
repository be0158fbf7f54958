/** States of units that follow from what was written: equal to what is read, and never older than the files. */
import assert from 'node:assert/strict';
import { readFileSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { it, type TestContext } from 'node:test';
import { openFileCatalogue } from '../../../src/files/file-catalogue.ts';
import { runStepsWithoutPause } from '../../../src/files/reading/event-loop.ts';
import { latestChange, unpackStamps } from '../../../src/files/tree/stamps.ts';
import { makeFolder } from '../../support/folder.ts';

const key = 'namespaces/parks/datasets/trees/dataset';
const unit = { kind: 'dataset', namespace: 'parks', slug: 'trees' } as const;

async function open(t: TestContext) {
  const content = {
    namespaces: { parks: { id: 1, label: 'Parks' } },
    datasets: { 'parks/trees': { id: 2, label: 'Trees', columns: [{ name: 'a', type: 'string' }] } },
    versions: { 'parks/trees@first': { id: 3, label: 'First', file: { url: 'https://data.example/a.csv' } } },
  };
  const folder = makeFolder(content, t);
  const files = await openFileCatalogue(folder.root);
  t.after(() => files.close());
  await files.load();
  const edit = (description: string) => files.for().edit(unit, { description });
  const dataset = () => files.snapshot.folders.get('parks')?.datasets.get('trees');
  const path = folder.path('namespaces/parks/datasets/trees/dataset.yaml');
  return { folder, files, edit, dataset, path, rescan: () => runStepsWithoutPause(files.store.rescan([unit])) };
}

it('the state after a write is the one that is read, and the feed has the time of the file', async (t) => {
  const { folder, files, edit, dataset, path, rescan } = await open(t);
  const shown = await edit('written');
  assert.equal(dataset(), shown);
  const state = files.store.states.get(key);
  assert.equal(Math.floor(latestChange(state?.stamps ?? '')), Math.floor(statSync(path).ctimeMs));
  const other = await openFileCatalogue(folder.root);
  t.after(() => other.close());
  assert.deepEqual(await other.for().get(unit), shown);
  assert.deepEqual(
    [...unpackStamps(state?.stamps ?? '')].map(([place]) => place),
    [...unpackStamps(other.store.states.get(key)?.stamps ?? '')].map(([place]) => place),
  );
  rescan();
  assert.equal(dataset(), shown, 'what is read afterwards is equal: the same object');
});

it('a change by hand right after a write, of the same length and with the same time, is neither lost nor overlooked', async (t) => {
  const { edit, dataset, path, rescan } = await open(t);
  await edit('one');
  const { atime, mtime } = statSync(path);
  writeFileSync(path, readFileSync(path, 'utf8').replace('Trees', 'Shrub'));
  utimesSync(path, atime, mtime);
  rescan();
  assert.equal(dataset()?.label, 'Shrub');
  await edit('two');
  writeFileSync(path, readFileSync(path, 'utf8').replace('Shrub', 'Hedge'));
  utimesSync(path, atime, mtime);
  const shown = await edit('three');
  assert.deepEqual([shown.label, shown.description], ['Hedge', 'three']);
  assert.match(readFileSync(path, 'utf8'), /label: Hedge[\s\S]*description: three/);
});

it('what else has changed in the folder of a dataset is read before the next write', async (t) => {
  const { folder, edit, dataset } = await open(t);
  await edit('one');
  folder.write('namespaces/parks/datasets/trees/versions/second.yaml', 'id: 4\nlabel: Second\n');
  const shown = await edit('two');
  assert.deepEqual(shown.versions.map(({ slug }) => slug).sort(), ['first', 'second']);
  assert.equal(dataset(), shown);
  folder.write('namespaces/parks/datasets/trees/dataset.yaml', 'id: 2\nlabel: [\n');
  await assert.rejects(edit('three'), /dataset\.yaml:\d+:\d+/);
});

it('versions, payloads and new records are read from their files', async (t) => {
  const { files, folder, dataset } = await open(t);
  await files.for().edit({ ...unit, kind: 'version', dataset: 'trees', slug: 'first' }, { label: 'Renamed' });
  assert.equal(dataset()?.versions[0]?.label, 'Renamed');
  await files.for().create('dataset', { namespace: 'parks', slug: 'paths', label: 'Paths' });
  const read = await openFileCatalogue(folder.root);
  t.after(() => read.close());
  await read.load();
  assert.deepEqual(files.snapshot.folders, read.snapshot.folders);
});
