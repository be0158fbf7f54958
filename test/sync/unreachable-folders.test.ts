/** Folders of namespaces and datasets that are there, and can't be reached: what is in them was not removed. */
import assert from 'node:assert/strict';
import { mkdirSync, readdirSync, renameSync, rmSync, symlinkSync, unlinkSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import { openFileCatalogue } from '../../src/files/file-catalogue.ts';
import { homeOf, makeFolder, until } from '../support/folder.ts';
import { seed } from '../support/prompt.ts';
import { contentOf, failuresOf, pullFrom, pushTo } from './pair.ts';

const trees = homeOf('parks/trees');

/** Two folders with the same catalogue, after a pull. */
async function start(test: TestContext) {
  const queries = { tall: { id: 7, label: 'Tall trees', dataset: 'parks/trees' } };
  const there = makeFolder({ ...seed, queries }, test);
  const here = makeFolder({ namespaces: {} }, test);
  mkdirSync(join(here.root, 'namespaces'), { recursive: true });
  assert.deepEqual(failuresOf(await pullFrom(here.root, there.root)), []);
  return { here, there };
}

type Folder = Awaited<ReturnType<typeof start>>['here'];

/** What takes the place of a folder; its contents are beside the catalogue. */
const losses: Readonly<Record<string, (folder: Folder, path: string) => void>> = {
  'a link that leaves the catalogue': (folder, path) => symlinkSync(folder.beside('moved'), folder.path(path)),
  'a link that leads nowhere': (folder, path) => symlinkSync(folder.beside('nowhere'), folder.path(path)),
  'a mount point without its disk': (folder, path) => mkdirSync(folder.path(path)),
};

const remedies = [
  /: It is a link that leaves the catalogue folder; .* To remove the (dataset|namespace), remove namespaces\/parks[a-z/]*\.$/,
  /: It is a link that leads nowhere\. To remove the (dataset|namespace), remove namespaces\/parks[a-z/]*\.$/,
  /: The folder is empty\. If a disk belongs here, mount it; to remove the (dataset|namespace), remove the folder\.$/,
];

const places = ['namespaces/parks', 'namespaces/parks/datasets', trees, `${trees}/versions`];
/** As the program itself leaves them. */
const mayBeEmpty = ['namespaces/parks/datasets', `${trees}/versions`];

for (const [i, [name, lose]] of Object.entries(losses).entries())
  describe(`a folder in whose place is ${name}`, () => {
    for (const path of places.filter((one) => i < 2 || !mayBeEmpty.includes(one))) {
      it(`is not removed from the remote: ${path}`, async (test) => {
        const { here, there } = await start(test);
        const before = contentOf(there.root);
        renameSync(here.path(path), here.beside('moved'));
        lose(here, path);
        for (const run of [pushTo, pullFrom]) {
          const { done, plan } = await run(here.root, there.root);
          assert.deepEqual([done, plan.incoming, plan.outgoing, plan.conflicts], [[], [], [], []], run.name);
          assert.ok(plan.blocked.length > 0);
          for (const { reason } of plan.blocked) assert.match(reason, remedies[i] as RegExp);
        }
        assert.deepEqual(contentOf(there.root), before);
        rmSync(here.path(path), { recursive: true });
        renameSync(here.beside('moved'), here.path(path));
        const { plan } = await pushTo(here.root, there.root);
        assert.deepEqual([plan.blocked, plan.outgoing], [[], []]);
      });

      it(`is not removed from the local folder: ${path}`, async (test) => {
        const { here, there } = await start(test);
        const before = contentOf(here.root);
        renameSync(there.path(path), there.beside('moved'));
        lose(there, path);
        for (const run of [pullFrom, pushTo]) {
          const { done, plan } = await run(here.root, there.root);
          assert.deepEqual([done, plan.incoming, plan.outgoing, plan.conflicts], [[], [], [], []], run.name);
          assert.match(plan.blocked.map(({ reason }) => reason).join(), /^The remote .* put back on the remote\.$/);
        }
        assert.deepEqual(contentOf(here.root), before);
      });

      it(`stays in its last state on a server, also over a restart: ${path}`, async (test) => {
        const { there: folder } = await start(test);
        const open = async () => {
          const catalogue = await openFileCatalogue(folder.root, { watch: true, scanEvery: 3_600_000 });
          test.after(() => catalogue.close());
          await catalogue.load();
          await catalogue.feed();
          const versions = () => catalogue.snapshot.folders.get('parks')?.datasets.get('trees')?.versions.length;
          const removed = async () =>
            (await catalogue.for().changes({ since: '2000-01-01T00:00:00Z' })).items.filter((one) => one.removed);
          return { catalogue, versions, removed };
        };
        const { catalogue, versions, removed } = await open();
        const count = versions();
        assert.ok(count);
        renameSync(folder.path(path), folder.beside('moved'));
        lose(folder, path);
        await until(() => catalogue.snapshot.diagnostics.has(path));
        for (let round = 0; round < 2; round++) {
          await catalogue.refresh([{ folder: '' }]);
          await catalogue.refresh([{ kind: 'dataset', namespace: 'parks', slug: 'trees' }]);
          assert.deepEqual([versions(), await removed()], [count, []], `${round}`);
        }
        await catalogue.close();
        const again = await open();
        assert.deepEqual([again.versions(), await again.removed()], [count, []], 'again');
        rmSync(folder.path(path), { recursive: true });
        renameSync(folder.beside('moved'), folder.path(path));
        await until(() => !again.catalogue.snapshot.diagnostics.size);
        await again.catalogue.refresh([{ folder: '' }]);
        assert.equal(again.versions(), count);
        if (!mayBeEmpty.includes(path)) {
          rmSync(folder.path(path), { recursive: true });
          await until(() => again.versions() === undefined);
          await until(async () => (await again.removed()).length > 0);
        }
      });
    }
  });

describe('a folder that is removed', () => {
  it('is removed on the other side: with its link, or with files left in it that are no records', async (test) => {
    const { here, there } = await start(test);
    renameSync(here.path(trees), here.beside('moved'));
    symlinkSync(here.beside('moved'), here.path(trees));
    await pushTo(here.root, there.root);
    unlinkSync(here.path(trees));
    unlinkSync(here.path('queries/tall.yaml'));
    assert.deepEqual(failuresOf(await pushTo(here.root, there.root)), []);
    assert.deepEqual(readdirSync(there.path('namespaces/parks/datasets')).includes('trees'), false);
    for (const name of readdirSync(here.path('namespaces/parks'))) here.clear(`namespaces/parks/${name}`);
    here.write('namespaces/parks/.DS_Store', 'x');
    const { failures, plan } = await pushTo(here.root, there.root);
    assert.deepEqual([failures, plan.blocked], [[], []]);
    assert.deepEqual(
      Object.keys(contentOf(there.root)).filter((path) => path.startsWith('namespaces/parks/')),
      [],
    );
  });
});
