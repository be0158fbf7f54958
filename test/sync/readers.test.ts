/** Private datasets of which the readers change on one side. */
import assert from 'node:assert/strict';
import { appendFileSync, mkdirSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { describe, it, type TestContext } from 'node:test';
import type { Catalogue } from '../../src/catalogue/catalogue.ts';
import { openFileCatalogue } from '../../src/files/file-catalogue.ts';
import { homeOf, makeFolder } from '../support/folder.ts';
import { contentOf, failuresOf, pullFrom, pushTo } from './pair.ts';

const trees = { kind: 'dataset', namespace: 'parks', slug: 'trees' } as const;
const record = `${homeOf('parks/trees')}/dataset.yaml`;

async function edit<T>(root: string, work: (catalogue: Catalogue) => Promise<T>): Promise<T> {
  const files = await openFileCatalogue(root);
  try {
    return await work(files.for());
  } finally {
    await files.close();
  }
}

/** Adds a version. @returns the path of its record */
async function publish(root: string, table: string): Promise<string> {
  const source = Readable.from([table]);
  const { version } = await edit(root, (catalogue) => catalogue.publish(trees, { source, fileName: 'a.csv' }));
  return `${homeOf('parks/trees')}/versions/${version.slug}.yaml`;
}

const removeVersion = (root: string, path: string) => {
  const slug = /(\d+)\.yaml$/.exec(path)?.[1] ?? '';
  return edit(root, (catalogue) => catalogue.remove({ kind: 'version', namespace: 'parks', dataset: 'trees', slug }));
};

const versionsIn = (root: string) => readdirSync(join(root, homeOf('parks/trees'), 'versions'));

/** Two catalogues in step: parks/trees has two versions, and is private, with the group `lab` as its reader. */
async function start(test: TestContext) {
  const [here, there] = [makeFolder({}, test).root, makeFolder({}, test).root];
  for (const root of [here, there]) mkdirSync(join(root, 'namespaces'), { recursive: true });
  await edit(there, async (catalogue) => {
    for (const label of ['Lab', 'Office']) await catalogue.create('group', { label });
    await catalogue.create('namespace', { label: 'Parks' });
    await catalogue.create('dataset', { ...trees, label: 'Trees', visibility: 'private', readers: ['lab'] });
  });
  await publish(there, 'name,height\noak,1\n');
  const last = await publish(there, 'name,height\noak,2\n');
  assert.deepEqual(failuresOf(await pullFrom(here, there)), []);
  return { here, there, last };
}

const stepsOf = ({ done }: Awaited<ReturnType<typeof pushTo>>) => done.map((step) => `${step.do} ${step.path}`);
const renameLab = (catalogue: Catalogue) => catalogue.edit({ kind: 'group', slug: 'lab' }, { slug: 'laboratory' });

describe('a group of readers with a new name', () => {
  it('is no other one: a dataset gets its further readers after what was removed in it is gone', async (test) => {
    const { here, there, last } = await start(test);
    await edit(here, renameLab);
    await removeVersion(here, last);
    await edit(here, (catalogue) => catalogue.edit(trees, { readers: ['laboratory', 'office'] }));
    const pushed = await pushTo(here, there);
    assert.deepEqual(failuresOf(pushed), []);
    assert.deepEqual(stepsOf(pushed).slice(-2), [`remove ${last}`, `write ${record}`]);
    assert.deepEqual(contentOf(here), contentOf(there));
  });

  it('keeps nothing back in a dataset whose record is a conflict', async (test) => {
    const { here, there } = await start(test);
    await edit(here, renameLab);
    await publish(here, 'name,height\noak,3\n');
    appendFileSync(join(there, record), 'description: Other\n');
    const pushed = await pushTo(here, there);
    assert.deepEqual([failuresOf(pushed), pushed.plan.blocked], [[], []]);
    assert.deepEqual(versionsIn(there), versionsIn(here));
  });
});
