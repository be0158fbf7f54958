/** What other programs, such as git, do in the folder between the plan of a write and its end: nothing of it is lost. */
import assert from 'node:assert/strict';
import fs from 'node:fs';
import { it, type TestContext } from 'node:test';
import { ConflictError, NotFoundError, StaleError } from '../../../src/catalogue/errors.ts';
import { openFileCatalogue } from '../../../src/files/file-catalogue.ts';
import { commitSingleStep } from '../../../src/files/transaction.ts';
import type { Change } from '../../../src/files/writing/change.ts';
import { ChangedMeanwhileError, openRecordFile } from '../../../src/files/writing/record-file.ts';
import { rewriteRecord, writeBack } from '../../../src/files/writing/rewrite.ts';
import { replaceBuiltin } from '../../support/builtin.ts';
import { homeOf, makeFolder } from '../../support/folder.ts';

async function open(t: TestContext) {
  const folder = makeFolder(
    {
      namespaces: { parks: { id: 1, label: 'Parks' } },
      datasets: { 'parks/trees': { id: 1, label: 'Trees' } },
      groups: { wardens: { id: 1, label: 'Wardens' } },
    },
    t,
  );
  const files = await openFileCatalogue(folder.root);
  t.after(() => files.close());
  await files.load();
  const textOf = (path: string) => fs.readFileSync(folder.path(path), 'utf8');
  return { folder, files, textOf, groups: () => fs.readdirSync(folder.path('groups')).sort() };
}

/** A change of nothing; while it is planned, behind the others, something else happens. */
const during = (path: string, work: () => void): Change => ({
  do: 'edit',
  path,
  set() {
    work();
    return {};
  },
});

const dataset = `${homeOf('parks/trees')}/dataset.yaml`;
const asYaml = 'id: 1\nlabel: By git\n';
const asJson = '{ "id": 1, "label": "By git" }\n';

for (const [from, to, text] of [
  ['json', 'yaml', asYaml],
  ['yaml', 'json', asJson],
] as const)
  it(`a record that git has given the extension .${to} keeps it, if a push wanted the same`, async (t) => {
    const { folder, files, textOf, groups } = await open(t);
    if (from === 'json') {
      fs.rmSync(folder.path('groups/wardens.yaml'));
      fs.writeFileSync(folder.path('groups/wardens.json'), '{ "id": 1, "label": "Wardens" }\n');
    }
    const paths = { from: `groups/wardens.${from}`, path: `groups/wardens.${to}` };
    const file = await openRecordFile(files.store.tree, paths.from);
    fs.rmSync(folder.path(paths.from));
    fs.writeFileSync(folder.path(paths.path), text);
    const before = file.bytes ?? assert.fail();
    const rewriting = { do: 'rewrite', ...paths, text: text.replace('git', 'push'), file, before } as const;
    await assert.rejects(rewriteRecord(folder.root, rewriting), StaleError);
    assert.deepEqual(groups(), [`wardens.${to}`]);
    assert.equal(textOf(paths.path), text);
  });

it('what an editor saves while a write is undone stays', async (t) => {
  const { folder, textOf } = await open(t);
  const path = folder.path('groups/wardens.yaml');
  const written = textOf('groups/wardens.yaml');
  const openNow = fs.openSync;
  const end = replaceBuiltin(t, fs, 'openSync', (opened: string, ...rest: [number]) => {
    if (opened.endsWith('.catalogue-tmp')) fs.writeFileSync(path, asYaml);
    return openNow(opened, ...rest);
  });
  await assert.rejects(
    writeBack(folder.root, 'groups/wardens.yaml', written, Buffer.from('id: 1\n')),
    (error) => error instanceof ChangedMeanwhileError && error.message.startsWith('groups/wardens.yaml is being'),
  );
  end();
  assert.equal(textOf('groups/wardens.yaml'), asYaml);
});

it('a group that git adds under the new name of another one is not replaced', async (t) => {
  const { folder, files, textOf, groups } = await open(t);
  const wardens = textOf('groups/wardens.yaml');
  const changes = [
    { do: 'move', path: 'groups/wardens.yaml', to: 'groups/rangers.yaml', ifMatch: '*' },
    during(dataset, () => fs.writeFileSync(folder.path('groups/rangers.yaml'), asYaml)),
  ] as const;
  await assert.rejects(commitSingleStep(files.access(), { changes }, { message: () => '' }), ConflictError);
  assert.deepEqual(groups(), ['rangers.yaml', 'wardens.yaml']);
  assert.deepEqual([textOf('groups/rangers.yaml'), textOf('groups/wardens.yaml')], [asYaml, wardens]);
});

it('nor one that it adds where another one is restored', async (t) => {
  const { folder, files, textOf } = await open(t);
  await files.for().remove({ kind: 'group', slug: 'wardens' });
  const [entry] = await files.for().trash.list();
  assert.ok(entry);
  const from = folder.path(`.catalogue/trash/${entry.id}/groups/wardens.yaml`);
  const { size } = fs.statSync(from);
  const path = 'groups/wardens.yaml';
  const changes = [
    { do: 'restore', path, from, size, ref: entry.ref, record: undefined },
    during(dataset, () => fs.writeFileSync(folder.path(path), asYaml)),
  ] as const;
  await assert.rejects(commitSingleStep(files.access(), { changes }, { message: () => '' }), ConflictError);
  assert.equal(textOf(path), asYaml);
  assert.ok(fs.existsSync(from));
});

const writes: Readonly<Record<string, Change>> = {
  edited: { do: 'edit', path: dataset, set: () => ({ label: 'Other' }) },
  removed: { do: 'remove', path: dataset, ifMatch: '*' },
};
for (const [word, change] of Object.entries(writes))
  it(`a dataset isn't found that is ${word} while its namespace gets another name`, async (t) => {
    const { folder, files } = await open(t);
    const [former, name] = [folder.path('namespaces/parks'), folder.path('namespaces/gardens')];
    const changes = [change, during('groups/wardens.yaml', () => fs.existsSync(former) && fs.renameSync(former, name))];
    await assert.rejects(commitSingleStep(files.access(), { changes }, { message: () => '' }), NotFoundError);
    assert.deepEqual(fs.readdirSync(folder.path('namespaces')), ['gardens']);
    assert.deepEqual(await files.for().trash.list(), []);
  });
