/** What becomes visible to whom by synchronisation: nothing that is private on its own side. */
import assert from 'node:assert/strict';
import { appendFileSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { Readable } from 'node:stream';
import { describe, it, type TestContext } from 'node:test';
import type { RecordChange } from '../../src/catalogue/replica.ts';
import { homeOf, makeFolder } from '../support/folder.ts';
import { contentOf, edit, failuresOf, lookAfterEach, pullFrom, pushTo } from './pair.ts';

const trees = { kind: 'dataset', namespace: 'lab', slug: 'trees' } as const;
const record = `${homeOf('lab/trees')}/dataset.yaml`;
const versions = `${homeOf('lab/trees')}/versions`;

const publish = (root: string, table = 'name,salary\nann,1\n') =>
  edit(root, (catalogue) => catalogue.publish(trees, { source: Readable.from([table]), fileName: 'a.csv' }));

/** Two catalogues in step, with a public dataset of one version, unless that is to come later. */
async function start(test: TestContext, { withDataset = true } = {}) {
  const [here, there] = [makeFolder({}, test).root, makeFolder({}, test).root];
  for (const root of [here, there]) mkdirSync(join(root, 'namespaces'), { recursive: true });
  await edit(there, async (catalogue) => {
    await catalogue.create('namespace', { label: 'Lab' });
    if (withDataset) await catalogue.create('dataset', { label: 'Trees', namespace: 'lab' });
  });
  if (withDataset) await publish(there, 'name,height\noak,1\n');
  assert.deepEqual(failuresOf(await pullFrom(here, there)), []);
  return { here, there, before: contentOf(there) };
}

const write = (root: string, path: string, text: string) => {
  mkdirSync(dirname(join(root, path)), { recursive: true });
  writeFileSync(join(root, path), text);
};
const versionsIn = (root: string) => readdirSync(join(root, versions)).sort();
/** What a replica was asked to change, in order. */
const recorded = (changes: RecordChange[]) => lookAfterEach((list) => changes.push(...list));

describe('what is private', () => {
  for (const what of ['dataset', 'namespace'] as const)
    it(`isn't mixed with a public ${what} of the same name that the other side has added`, async (test) => {
      const { here, there } = await start(test, { withDataset: false });
      const addTo = async (root: string, id: number, visibility: string) => {
        const namespace = what === 'namespace' ? 'own' : 'lab';
        const home = `namespaces/${namespace}`;
        if (what === 'namespace')
          write(root, `${home}/namespace.yaml`, `id: ${id}\nlabel: Own\nvisibility: ${visibility}\n`);
        const text =
          what === 'dataset' ? `id: ${id}\nlabel: Survey\nvisibility: ${visibility}\n` : `id: ${id}\nlabel: Plans\n`;
        const slug = what === 'dataset' ? 'survey' : `survey-${id}`;
        write(root, `${home}/datasets/${slug}/dataset.yaml`, text);
        await edit(root, (catalogue) =>
          catalogue.publish(
            { kind: 'dataset', namespace, slug },
            { source: Readable.from([`place,value\nx,${id}\n`]), fileName: 'a.csv' },
          ),
        );
      };
      await addTo(here, 100, 'private');
      await addTo(there, 200, 'public');
      const [ours, theirs] = [contentOf(here), contentOf(there)];
      const pushed = await pushTo(here, there);
      const pulled = await pullFrom(here, there);
      assert.deepEqual([pushed.done, pulled.done], [[], []]);
      assert.ok(pushed.plan.conflicts.length > 0);
      assert.deepEqual([contentOf(here), contentOf(there)], [ours, theirs]);
    });

  for (const [what, path] of [
    ['dataset', record],
    ['namespace', 'namespaces/lab/namespace.yaml'],
  ] as const)
    it(`isn't sent into a ${what} that is still public, as long as its record is a conflict`, async (test) => {
      const { here, there } = await start(test);
      appendFileSync(join(here, path), 'visibility: private\n');
      await publish(here);
      appendFileSync(join(there, path), 'description: Other\n');
      const now = contentOf(there);
      const { done, plan } = await pushTo(here, there);
      assert.deepEqual([done, contentOf(there)], [[], now]);
      assert.deepEqual(
        plan.conflicts.map((one) => one.path),
        [path],
      );
      const reason = `The ${what} it is in is visible to more people on the other side: decide on the ${what} first.`;
      const held = plan.blocked.map((one) => [dirname(one.path), one.reason]);
      assert.ok(held.some(([folder]) => folder === versions));
      for (const [, given] of held) assert.equal(given, reason);
      // The decision: the record is private, and so the version may follow.
      await pullFrom(here, there, { choice: 'ours', names: [what === 'dataset' ? 'lab/trees' : 'lab'] });
      assert.deepEqual(failuresOf(await pushTo(here, there)), []);
      assert.match(readFileSync(join(there, path), 'utf8'), /private/);
      assert.deepEqual(versionsIn(there), versionsIn(here));
    });

  it("doesn't come from the remote into a dataset that is still public", async (test) => {
    const { here, there } = await start(test);
    appendFileSync(join(there, record), 'visibility: private\n');
    await publish(there);
    appendFileSync(join(here, record), 'description: Other\n');
    const now = contentOf(here);
    const { done, plan } = await pullFrom(here, there);
    assert.deepEqual([done, contentOf(here)], [[], now]);
    assert.ok(plan.blocked.some((one) => dirname(one.path) === versions));
  });

  for (const [what, broken] of [
    ['a faulty', 'keywords: [\n'],
    ['an invalid', 'readers: [nobody]\nstate: {}\n'],
  ] as const)
    it(`isn't sent if the remote refuses ${what} record that makes it private`, async (test) => {
      const { here, there } = await start(test);
      await publish(here);
      appendFileSync(join(here, record), `visibility: private\n${broken}`);
      const versionsBefore = versionsIn(there);
      const gardener = { username: 'ann', staff: true, groups: [] };
      await pushTo(here, there, {}, { as: gardener, viewer: gardener });
      assert.deepEqual(versionsIn(there), versionsBefore);
    });

  it('is removed before its dataset becomes public, also if the columns are others then', async (test) => {
    const { here, there } = await start(test);
    await edit(there, (catalogue) => catalogue.edit(trees, { visibility: 'private' }));
    await publish(there);
    assert.deepEqual(failuresOf(await pullFrom(here, there)), []);
    const secret = versionsIn(here).at(-1)?.replace('.yaml', '') ?? '';
    await edit(here, async (catalogue) => {
      await catalogue.remove({ kind: 'version', namespace: 'lab', dataset: 'trees', slug: secret });
      await catalogue.edit(trees, { visibility: 'public' });
    });
    const changes: RecordChange[] = [];
    assert.deepEqual(failuresOf(await pushTo(here, there, {}, { wrap: recorded(changes) })), []);
    assert.deepEqual(
      changes.map((change) => `${change.do} ${change.path}`),
      [`remove ${versions}/${secret}.yaml`, `write ${record}`],
    );
    assert.deepEqual(contentOf(here), contentOf(there));
  });

  it('keeps its dataset private if its removal is a conflict', async (test) => {
    const { here, there } = await start(test);
    await edit(there, (catalogue) => catalogue.edit(trees, { visibility: 'private' }));
    assert.deepEqual(failuresOf(await pullFrom(here, there)), []);
    const [stem = ''] = versionsIn(here);
    rmSync(join(here, versions, stem));
    await edit(here, (catalogue) => catalogue.edit(trees, { visibility: 'public' }));
    appendFileSync(join(there, versions, stem), '# Reviewed\n');
    const { done, plan } = await pushTo(here, there);
    assert.deepEqual(done, []);
    assert.deepEqual(
      plan.blocked.map(({ path, reason }) => [path, reason]),
      [
        [
          record,
          `It would become visible to more people, and lab/trees@${stem.replace('.yaml', '')} in it hasn't been decided on.`,
        ],
      ],
    );
    assert.match(readFileSync(join(there, record), 'utf8'), /private/);
  });

  it("isn't pulled into a public namespace before it is removed, if another dataset has its former name", async (test) => {
    const { here, there } = await start(test);
    const plans = { kind: 'dataset', namespace: 'secret', slug: 'plans' } as const;
    await edit(there, async (catalogue) => {
      await catalogue.create('namespace', { label: 'Secret', visibility: 'private' });
      await catalogue.create('dataset', { label: 'Plans', namespace: 'secret' });
      for (const table of ['name,salary\nann,1\n', 'name,height\noak,1\n'])
        await catalogue.publish(plans, { source: Readable.from([table]), fileName: 'a.csv' });
    });
    assert.deepEqual(failuresOf(await pullFrom(here, there)), []);
    const [secret = ''] = readdirSync(join(here, homeOf('secret/plans'), 'versions'));
    await edit(there, async (catalogue) => {
      await catalogue.remove({ ...plans, kind: 'version', dataset: 'plans', slug: secret.replace('.yaml', '') });
      await catalogue.edit(plans, { namespace: 'lab' });
      await catalogue.create('dataset', { label: 'Plans', namespace: 'secret' });
    });
    const before = contentOf(here);
    const { done, failures, plan } = await pullFrom(here, there);
    assert.deepEqual([done, failures, contentOf(here)], [[], [], before]);
    const reason = plan.blocked.find(({ path }) => path === `${homeOf('lab/plans')}/dataset.yaml`)?.reason ?? '';
    assert.match(reason, /Remove the local secret\/plans, which goes to the trash, and then: catalogue pull --theirs$/);
    // As the message says.
    await edit(here, (catalogue) => catalogue.remove(plans));
    assert.deepEqual(failuresOf(await pullFrom(here, there, { choice: 'theirs' })), []);
    assert.deepEqual(contentOf(here), contentOf(there));
  });
});
