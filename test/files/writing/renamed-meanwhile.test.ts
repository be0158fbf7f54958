/** Writes in a dataset whose namespace gets another name after they were planned: nothing appears under the former name. */
import assert from 'node:assert/strict';
import { readdirSync, renameSync } from 'node:fs';
import { type TestContext, test } from 'node:test';
import { NotFoundError } from '../../../src/catalogue/errors.ts';
import { openFileCatalogue } from '../../../src/files/file-catalogue.ts';
import { type Action, performFileActions } from '../../../src/files/writing/action.ts';
import { writeNewRecordsTogether } from '../../../src/files/writing/create-together.ts';
import { ChangedMeanwhileError } from '../../../src/files/writing/record-file.ts';
import { WriteContext } from '../../../src/files/writing/write-context.ts';
import { homeOf, makeFolder } from '../../support/folder.ts';

const home = homeOf('parks/trees');
const { signal } = new AbortController();

async function open(t: TestContext) {
  const folder = makeFolder(
    {
      namespaces: { parks: { id: 1, label: 'Parks' } },
      datasets: { 'parks/trees': { id: 1, label: 'Trees' } },
      files: { [`${home}/data/aside`]: 'a\n1\n' },
    },
    t,
  );
  const files = await openFileCatalogue(folder.root);
  t.after(() => files.close());
  const isUnderNewName = () => assert.deepEqual(readdirSync(folder.path('namespaces')), ['gardens']);
  return { folder, files, isUnderNewName };
}

const version = (slug: string) => ({
  ...{ path: `${home}/versions/${slug}.yaml`, text: 'label: a\n' },
  ref: { kind: 'version', namespace: 'parks', dataset: 'trees', slug } as const,
});

test('a payload and a version', async (t) => {
  const { folder, files, isUnderNewName } = await open(t);
  renameSync(folder.path('namespaces/parks'), folder.path('namespaces/gardens'));
  const add: Action = {
    do: 'add',
    path: `${home}/data/a.csv`,
    from: folder.path(`${home}/data/aside`),
    replace: false,
  };
  const perform = (action: Action) => performFileActions(files, [action], new WriteContext(null), signal);
  await assert.rejects(perform(add), { code: 'ENOENT' });
  await assert.rejects(perform({ do: 'create', ...version('1') }), NotFoundError);
  isUnderNewName();
});

test('a version that is restored from the trash', async (t) => {
  const { folder, files, isUnderNewName } = await open(t);
  const { path, ref } = version('1');
  const from = folder.path('.catalogue/trash/1/1.yaml');
  folder.write('.catalogue/trash/1/1.yaml', 'label: a\n');
  renameSync(folder.path('namespaces/parks'), folder.path('namespaces/gardens'));
  const restore: Action = { do: 'restore', ref, path, from };
  await assert.rejects(performFileActions(files, [restore], new WriteContext(null), signal), NotFoundError);
  isUnderNewName();
});

test('a dataset that gets another name', async (t) => {
  const { folder, files, isUnderNewName } = await open(t);
  renameSync(folder.path('namespaces/parks'), folder.path('namespaces/gardens'));
  const move: Action = { do: 'move', from: home, to: homeOf('parks/bushes') };
  await assert.rejects(performFileActions(files, [move], new WriteContext(null), signal), ChangedMeanwhileError);
  isUnderNewName();
});

test('versions that are written together', async (t) => {
  const { folder, isUnderNewName } = await open(t);
  renameSync(folder.path('namespaces/parks'), folder.path('namespaces/gardens'));
  const versions = Array.from({ length: 3 }, (_, i) => version(`${i}`));
  const errors = await writeNewRecordsTogether(folder.root, versions, signal);
  assert.deepEqual([...errors.keys()], versions);
  for (const error of errors.values()) assert.ok(error instanceof NotFoundError);
  isUnderNewName();
});

test('a version before that, in a dataset that had none', async (t) => {
  const { folder, files } = await open(t);
  await performFileActions(files, [{ do: 'create', ...version('1') }], new WriteContext(null), signal);
  const errors = await writeNewRecordsTogether(folder.root, [version('2'), version('3')], signal);
  assert.equal(errors.size, 0);
  assert.deepEqual(readdirSync(folder.path(`${home}/versions`)).sort(), ['1.yaml', '2.yaml', '3.yaml']);
});
