/** A dataset that one side has removed, with another one under its name: versions of the former one don't get into it. */
import assert from 'node:assert/strict';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { Readable } from 'node:stream';
import { it, type TestContext } from 'node:test';
import { localAdmin } from '../../src/catalogue/permissions.ts';
import { openFileCatalogue } from '../../src/files/file-catalogue.ts';
import { homeOf, makeFolder } from '../support/folder.ts';
import { seed } from '../support/prompt.ts';
import { contentOf, failuresOf, makeEmpty, pullFrom, pushTo } from './pair.ts';

const ref = { kind: 'dataset', namespace: 'parks', slug: 'trees' } as const;
const home = homeOf('parks/trees');

async function publish(root: string, text: string) {
  const catalogue = await openFileCatalogue(root);
  try {
    const source = Readable.from([Buffer.from(text)]);
    await catalogue.for(localAdmin).publish(ref, { source, fileName: 'a.csv' });
  } finally {
    await catalogue.close();
  }
}

async function start(test: TestContext) {
  const there = makeFolder(seed, test);
  const here = makeFolder({}, test);
  await makeEmpty(here.root);
  assert.deepEqual(failuresOf(await pullFrom(here.root, there.root)), []);
  return { here, there };
}

/** Removes the dataset, and makes another one. */
async function replace(root: string) {
  rmSync(`${root}/${home}`, { recursive: true });
  makeFolderOf(root);
  await publish(root, 'x,y\n1,2\n');
}

function makeFolderOf(root: string) {
  const folder = `${root}/${home}`;
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder);
  writeFileSync(`${folder}/dataset.yaml`, 'id: 4711\nlabel: Other\n');
}

for (const by of ['there', 'here'] as const)
  it(`a dataset that is replaced ${by} is in conflict with a version that is added to it on the other side`, async (test) => {
    const folders = await start(test);
    const { here, there } = folders;
    await replace(folders[by].root);
    await publish(folders[by === 'here' ? 'there' : 'here'].root, 'name,height\nfir,2\n');
    const before = [contentOf(here.root), contentOf(there.root)];
    for (const run of [pullFrom, pushTo]) {
      const { done, plan } = await run(here.root, there.root);
      assert.deepEqual([done, plan.incoming, plan.outgoing], [[], [], []], run.name);
      assert.ok(plan.conflicts.some(({ path }) => path === `${home}/dataset.yaml`));
      assert.ok(plan.conflicts.length >= 3);
    }
    assert.deepEqual([contentOf(here.root), contentOf(there.root)], before);
  });

for (const choice of ['ours', 'theirs'] as const)
  it(`the choice of a side takes all of it: ${choice}`, async (test) => {
    const { here, there } = await start(test);
    await replace(there.root);
    await publish(here.root, 'name,height\nfir,2\n');
    const wanted = contentOf(choice === 'ours' ? here.root : there.root);
    await pullFrom(here.root, there.root, { choice });
    await pushTo(here.root, there.root);
    const records = (root: string) => Object.keys(contentOf(root)).filter((path) => path.endsWith('.yaml'));
    assert.deepEqual(records(here.root), records(there.root));
    assert.deepEqual(contentOf(here.root)[`${home}/dataset.yaml`], wanted[`${home}/dataset.yaml`]);
    assert.deepEqual(
      records(here.root),
      Object.keys(wanted).filter((path) => path.endsWith('.yaml')),
    );
  });

it('is replaced if the other side has changed nothing in it', async (test) => {
  const { here, there } = await start(test);
  await replace(there.root);
  assert.deepEqual(failuresOf(await pullFrom(here.root, there.root)), []);
  assert.deepEqual(contentOf(here.root), contentOf(there.root));
});
