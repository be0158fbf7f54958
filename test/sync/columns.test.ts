/** Versions that are added on both sides: the columns are those of the newest, whichever record of the dataset is kept. */
import assert from 'node:assert/strict';
import { Readable } from 'node:stream';
import { it } from 'node:test';
import { checkCatalogueFiles } from '../../src/files/checking/check.ts';
import { openFileCatalogue } from '../../src/files/file-catalogue.ts';
import { makeRoot } from '../support/prompt.ts';
import { contentOf, failuresOf, makeEmpty, pullFrom, pushTo } from './pair.ts';

const ref = { kind: 'dataset', namespace: 'lab', slug: 'trees' } as const;

it('columns follow the newest version after a pull that keeps ours', async () => {
  const ours = await makeRoot({});
  const theirs = await makeRoot({});
  for (const root of [ours, theirs]) await makeEmpty(root);
  const at = async <T>(
    root: string,
    work: (catalogue: ReturnType<Awaited<ReturnType<typeof openFileCatalogue>>['for']>) => Promise<T>,
  ) => {
    const files = await openFileCatalogue(root);
    try {
      return await work(files.for());
    } finally {
      await files.close();
    }
  };
  const publish = (root: string, text: string) =>
    at(root, (catalogue) => catalogue.publish(ref, { source: Readable.from([Buffer.from(text)]), fileName: 'a.csv' }));
  const shown = (root: string) =>
    at(root, async (catalogue) =>
      (await catalogue.get<'dataset'>(ref)).columns.map(({ name, unit }) => `${name} ${unit}`.trim()),
    );

  await at(theirs, async (catalogue) => {
    await catalogue.create('namespace', { label: 'Lab' });
    await catalogue.create('dataset', { label: 'Trees', namespace: 'lab' });
  });
  await publish(theirs, 'name,height\noak,1\n');
  await at(theirs, (catalogue) => catalogue.edit<'dataset'>(ref, { columns: [{ name: 'height', unit: 'm' }] }));
  await pullFrom(ours, theirs);
  await publish(ours, 'name,height,older\noak,2,x\n');
  await publish(theirs, 'name,newer\noak,y\n');
  await pullFrom(ours, theirs, { choice: 'ours' });
  assert.deepEqual(await shown(ours), ['name', 'newer']);
  assert.deepEqual(failuresOf(await pushTo(ours, theirs)), []);
  assert.deepEqual(await shown(theirs), ['name', 'newer']);
  for (const root of [ours, theirs]) assert.deepEqual((await checkCatalogueFiles(root, {})).problems, []);
  assert.deepEqual(contentOf(ours), contentOf(theirs));
  await publish(theirs, 'name,height\noak,3\n');
  assert.deepEqual(await shown(theirs), ['name', 'height m'], 'the description is still there');
});
