/** Datasets in private namespaces, which their readers see, whatever their own visibility is. */
import assert from 'node:assert/strict';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { describe, it, type TestContext } from 'node:test';
import { anonymous, type Viewer } from '../../src/catalogue/permissions.ts';
import { makeFolder } from '../support/folder.ts';
import { contentOf, edit, failuresOf, filesSeenBy, lookAfterEach, pullFrom, pushTo } from './pair.ts';

const ann: Viewer = { username: 'ann', staff: false, groups: [] };
const readers = ['user:ann'];
const dataset = (namespace: string, slug: string) => ({ kind: 'dataset', namespace, slug }) as const;

const publish = async (root: string, ref: ReturnType<typeof dataset>, table: string): Promise<string> => {
  const upload = () => ({ source: Readable.from([table]), fileName: 'a.csv' });
  return (await edit(root, (catalogue) => catalogue.publish(ref, upload()))).version.slug;
};

const pathsSeenBy = async (viewer: Viewer, root: string) => (await filesSeenBy(viewer, root)).map(({ path }) => path);

/** Two catalogues in step: `secret` is a private namespace, `team` one that ann reads, `crew` one that bob reads, `parks` a public one. */
async function start(test: TestContext) {
  const [here, there] = [makeFolder({}, test).root, makeFolder({}, test).root];
  for (const root of [here, there]) mkdirSync(join(root, 'namespaces'), { recursive: true });
  await edit(there, async (catalogue) => {
    await catalogue.create('user', { username: 'ann' });
    await catalogue.create('namespace', { label: 'Parks' });
    await catalogue.create('namespace', { label: 'Secret', visibility: 'private' });
    await catalogue.create('namespace', { label: 'Team', visibility: 'private', readers });
    await catalogue.create('user', { username: 'bob' });
    await catalogue.create('namespace', { label: 'Crew', visibility: 'private', readers: ['user:bob'] });
    await catalogue.create('dataset', { label: 'Rota', namespace: 'team' });
    await catalogue.create('dataset', { label: 'Plans', namespace: 'secret' });
    await catalogue.create('dataset', { label: 'Trees', namespace: 'parks' });
  });
  const version = await publish(there, dataset('secret', 'plans'), 'name,salary\nann,1\n');
  const rota = await publish(there, dataset('team', 'rota'), 'day\nMonday\n');
  await publish(there, dataset('parks', 'trees'), 'name,height\noak,1\n');
  assert.deepEqual(failuresOf(await pullFrom(here, there)), []);
  /** Pushes. @returns the paths that a viewer sees after any request */
  const push = async (viewer: Viewer) => {
    const seen = new Set<string>();
    const wrap = lookAfterEach(async () => {
      for (const path of await pathsSeenBy(viewer, there)) seen.add(path);
    });
    return { result: await pushTo(here, there, {}, { wrap }), seen: [...seen] };
  };
  return { here, there, version, rota, push };
}

describe('a dataset of a private namespace', () => {
  const plans = dataset('secret', 'plans');

  it('gets readers after the removal of a version', async (test) => {
    const { here, there, version, push } = await start(test);
    await edit(here, async (catalogue) => {
      await catalogue.remove({ ...plans, kind: 'version', dataset: 'plans', slug: version });
      await catalogue.edit(plans, { readers });
    });
    const { result, seen } = await push(ann);
    assert.deepEqual(failuresOf(result), []);
    assert.ok(seen.some((path) => path.endsWith('plans/dataset.yaml')));
    assert.deepEqual(
      seen.filter((path) => path.includes(version)),
      [],
    );
    assert.deepEqual(contentOf(here), contentOf(there));
  });

  it('gets no readers while the remote has a version that was not pulled', async (test) => {
    const { here, there, push } = await start(test);
    await edit(here, (catalogue) => catalogue.edit(plans, { readers, visibility: 'private' }));
    const added = await publish(there, plans, 'name,salary\nann,2\n');
    const { result, seen } = await push(ann);
    assert.deepEqual(
      seen.filter((path) => path.includes(added)),
      [],
    );
    assert.match(
      result.plan.blocked.find(({ path }) => path.endsWith('dataset.yaml'))?.reason ?? '',
      /Make it as visible as before, pull, and then/,
    );
  });
});

describe('a public dataset that moves to a private namespace with readers', () => {
  it('gets its other changes there', async (test) => {
    const { here, there, push } = await start(test);
    const trees = dataset('team', 'trees');
    await edit(here, (catalogue) =>
      catalogue.edit(dataset('parks', 'trees'), { namespace: 'team', description: 'For the team' }),
    );
    const added = await publish(here, trees, 'name,height,owner\noak,2,ann\n');
    const { result, seen } = await push(anonymous);
    assert.deepEqual(failuresOf(result), []);
    assert.deepEqual(
      seen.filter((path) => path.includes(added)),
      [],
    );
    assert.deepEqual(contentOf(here), contentOf(there));
  });
});

describe('a dataset that moves between private namespaces with different readers', () => {
  const [before, after] = [dataset('team', 'rota'), dataset('crew', 'rota')];
  const bob: Viewer = { username: 'bob', staff: false, groups: [] };

  for (const [what, isRemoved] of [
    ['a version is removed and another one added', true],
    ['a version is added', false],
  ] as const)
    it(`shows each of them nothing that is meant for the others: ${what}`, async (test) => {
      const { here, there, rota, push } = await start(test);
      await edit(here, async (catalogue) => {
        if (isRemoved) await catalogue.remove({ ...before, kind: 'version', dataset: 'rota', slug: rota });
        await catalogue.edit(before, { namespace: 'crew' });
      });
      const added = await publish(here, after, 'day\nTuesday\n');
      const { result, seen } = await push(ann);
      const ofAnn = seen.filter((path) => path.includes(added));
      const ofBob = (await pathsSeenBy(bob, there)).filter((path) => isRemoved && path.includes(rota));
      assert.deepEqual([ofAnn, ofBob], [[], []]);
      if (!isRemoved) {
        assert.deepEqual([failuresOf(result), contentOf(here)], [[], contentOf(there)]);
        return;
      }
      const reasons = result.plan.blocked.map(({ reason }) => reason);
      assert.match(reasons.join('\n'), /Move it back, push, and then move it again\.$/m);
      for (const place of [before, after]) {
        const present = place === before ? after : before;
        await edit(here, (catalogue) => catalogue.edit(present, { namespace: place.namespace }));
        assert.deepEqual(failuresOf((await push(ann)).result), []);
      }
      assert.deepEqual(contentOf(here), contentOf(there));
    });
});

describe('a private dataset of a public namespace that becomes public in a private one', () => {
  it('is shown to nobody at its former place', async (test) => {
    const { here, there, push } = await start(test);
    const [before, after] = [dataset('parks', 'trees'), dataset('team', 'trees')];
    await edit(here, (catalogue) => catalogue.edit(before, { visibility: 'private' }));
    assert.deepEqual(failuresOf((await push(anonymous)).result), []);
    await edit(here, (catalogue) => catalogue.edit(before, { namespace: 'team', visibility: 'public' }));
    const { result, seen } = await push(anonymous);
    const ofTrees = (paths: readonly string[]) => paths.filter((path) => path.includes('trees'));
    assert.deepEqual(ofTrees(seen), []);
    const reasons = result.plan.blocked.map(({ reason }) => reason).join('\n');
    assert.match(reasons, /Make it private, push, and then make it visible again\.$/m);
    for (const visibility of ['private', 'public'] as const) {
      await edit(here, (catalogue) => catalogue.edit(after, { visibility }));
      const again = await push(anonymous);
      assert.deepEqual([failuresOf(again.result), ofTrees(again.seen)], [[], []]);
    }
    assert.deepEqual(contentOf(here), contentOf(there));
  });
});
