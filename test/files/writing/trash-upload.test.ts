import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import { Readable } from 'node:stream';
import { test } from 'node:test';
import { NotFoundError } from '../../../src/catalogue/errors.ts';
import { openFileCatalogue } from '../../../src/files/file-catalogue.ts';
import { makeFolder } from '../../support/folder.ts';

test('a dataset that is removed during an upload takes nothing of it into the trash', async (t) => {
  const folder = makeFolder(
    { namespaces: { parks: { id: 1, label: 'Parks' } }, datasets: { 'parks/trees': { id: 1, label: 'Trees' } } },
    t,
  );
  const files = await openFileCatalogue(folder.root);
  t.after(() => files.close());
  const catalogue = files.for();
  const trees = { kind: 'dataset', namespace: 'parks', slug: 'trees' } as const;
  let begun = () => {};
  const isWriting = new Promise<void>((resolve) => {
    begun = resolve;
  });
  let goOn = () => {};
  const isRemoved = new Promise<void>((resolve) => {
    goOn = resolve;
  });
  async function* bytes() {
    for (let i = 0; i < 40; i++) yield Buffer.from('a,b\n1,2\n'.repeat(20_000));
    begun();
    await isRemoved;
    yield Buffer.from('3,4\n');
  }
  const upload = catalogue.publish(trees, { source: Readable.from(bytes()), fileName: 'trees.csv' });
  const refused = assert.rejects(upload, NotFoundError);
  await isWriting;
  await catalogue.remove(trees);
  const inTrash = readdirSync(folder.path('.catalogue/trash'), { recursive: true }).map(String);
  assert.ok(inTrash.some((path) => path.endsWith('trees/dataset.yaml')));
  assert.deepEqual(
    inTrash.filter((path) => path.includes('catalogue-tmp')),
    [],
  );
  goOn();
  await refused;
});
