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

describe('a dataset with other readers', () => {
  const setReaders = (root: string, readers: readonly string[]) =>
    edit(root, (catalogue) => catalogue.edit(trees, { readers }));

  it('gets them after what was removed in it is gone', async (test) => {
    const { here, there, last } = await start(test);
    await removeVersion(here, last);
    await setReaders(here, ['office']);
    const pushed = await pushTo(here, there);
    assert.deepEqual(failuresOf(pushed), []);
    assert.deepEqual(stepsOf(pushed), [`remove ${last}`, `write ${record}`]);
    assert.deepEqual(contentOf(here), contentOf(there));
  });

  it('gets them before what was added in it', async (test) => {
    const { here, there } = await start(test);
    await setReaders(here, ['office']);
    const added = await publish(here, 'name,height\noak,3\n');
    const pushed = await pushTo(here, there);
    assert.deepEqual(failuresOf(pushed), []);
    const steps = stepsOf(pushed);
    assert.ok(steps.indexOf(`write ${record}`) < steps.indexOf(`write ${added}`), steps.join());
    assert.deepEqual(contentOf(here), contentOf(there));
  });

  for (const [run, name] of [
    [pushTo, 'push'],
    [pullFrom, 'pull'],
  ] as const)
    it(`gets them by a second ${name} if something in it was added, and something removed`, async (test) => {
      const { here, there, last } = await start(test);
      const source = run === pushTo ? here : there;
      await removeVersion(source, last);
      const added = await publish(source, 'name,height\noak,3\n');
      await setReaders(source, ['office']);
      const first = await run(here, there);
      assert.deepEqual(stepsOf(first), [`remove ${last}`]);
      const reason = first.plan.blocked.find(({ path }) => path === record)?.reason ?? '';
      assert.match(reason, new RegExp(`${name} again after that\\.$`, 'i'));
      const second = await run(here, there);
      assert.deepEqual([failuresOf(second), second.plan.blocked], [[], []]);
      const steps = stepsOf(second);
      assert.ok(steps.indexOf(`write ${record}`) < steps.indexOf(`write ${added}`), steps.join());
      assert.deepEqual(contentOf(here), contentOf(there));
    });

  it('is pushed without them first if something in it was changed, too', async (test) => {
    const { here, there, last } = await start(test);
    appendFileSync(join(here, last), 'notes: Other\n');
    await setReaders(here, ['office']);
    const before = contentOf(there);
    const { done, plan } = await pushTo(here, there);
    assert.deepEqual([done, contentOf(there)], [[], before]);
    assert.match(
      plan.blocked.find(({ path }) => path === record)?.reason ?? '',
      /Push it without its new readers and owners first, and then with them\.$/,
    );
    for (const readers of [[], ['office']]) {
      await setReaders(here, readers);
      assert.deepEqual(failuresOf(await pushTo(here, there)), []);
    }
    assert.deepEqual(contentOf(here), contentOf(there));
  });

  it('is pulled after the local one was hidden if something in it was changed, too', async (test) => {
    const { here, there, last } = await start(test);
    appendFileSync(join(there, last), 'notes: Other\n');
    await setReaders(there, ['office']);
    const before = contentOf(here);
    const { done, plan } = await pullFrom(here, there);
    assert.deepEqual([done, contentOf(here)], [[], before]);
    assert.match(
      plan.blocked.find(({ path }) => path === record)?.reason ?? '',
      /without readers and owners, and then: catalogue pull --theirs parks\/trees$/,
    );
    await setReaders(here, []);
    assert.deepEqual(failuresOf(await pullFrom(here, there, { choice: 'theirs', names: ['parks/trees'] })), []);
    assert.deepEqual(contentOf(here), contentOf(there));
  });
});
