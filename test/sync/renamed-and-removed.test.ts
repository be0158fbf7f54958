/** Records that one side has removed, and the other one has renamed: neither the removal nor the new name is lost without a word. */
import assert from 'node:assert/strict';
import { existsSync, mkdirSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import { summarizeEachConflict } from '../../src/sync/summary.ts';
import { pull } from '../../src/sync/sync.ts';
import { homeOf, makeFolder } from '../support/folder.ts';
import { seed } from '../support/prompt.ts';
import { contentOf, edit, failuresOf, pullFrom, pushTo, withPair } from './pair.ts';

const trees = { kind: 'dataset', namespace: 'parks', slug: 'trees' } as const;
const lakes = { kind: 'namespace', slug: 'lakes' } as const;
const sides = ['here', 'there'] as const;

async function start(test: TestContext) {
  const content = {
    ...seed,
    namespaces: { ...seed.namespaces, lakes: { id: 3, label: 'Lakes' } },
    groups: { walkers: { label: 'Walkers' } },
  };
  const [there, here] = [content, { namespaces: {} }].map((content) => makeFolder(content, test).root) as [
    string,
    string,
  ];
  mkdirSync(join(here, 'namespaces'));
  assert.deepEqual(failuresOf(await pullFrom(here, there)), []);
  return { here, there };
}

/** Removes a dataset and a namespace on one side, and renames and relabels them on the other one. */
async function removeAndRename(test: TestContext, remover: 'here' | 'there') {
  const folders = await start(test);
  const { here, there } = folders;
  const [removed, renamed] = remover === 'here' ? [here, there] : [there, here];
  await edit(removed, async (catalogue) => {
    await catalogue.remove(trees);
    await catalogue.remove(lakes);
  });
  await edit(renamed, async (catalogue) => {
    await catalogue.edit(trees, { slug: 'baeume', label: 'Bäume' });
    await catalogue.edit(lakes, { slug: 'seen', label: 'Seen' });
  });
  return folders;
}

/** Chooses the records of a side, after which both are the same without another conflict. */
async function choose(choice: 'ours' | 'theirs', here: string, there: string): Promise<void> {
  await pullFrom(here, there, { choice });
  for (const run of [pushTo, pullFrom]) {
    const { failures, plan } = await run(here, there);
    assert.deepEqual([failures, plan.conflicts, plan.blocked], [[], [], []]);
  }
  assert.deepEqual(contentOf(here), contentOf(there));
}

describe('a record that one side has removed, and the other one renamed and changed', () => {
  for (const remover of sides)
    it(`is a conflict, whether it was removed ${remover} or not, which names both`, async (test) => {
      const { here, there } = await removeAndRename(test, remover);
      const before = [here, there].map(contentOf);
      for (const run of [pullFrom, pushTo]) {
        const { failures, done, plan } = await run(here, there);
        assert.deepEqual([failures, done, plan.blocked], [[], [], []]);
      }
      assert.deepEqual([here, there].map(contentOf), before);
      const conflicts = await withPair(here, there, async (pair) => {
        let found: Awaited<ReturnType<typeof summarizeEachConflict>> = [];
        await pull(pair, {
          dryRun: true,
          onPlan: async ({ plan, comparison }) => {
            found = await summarizeEachConflict(plan.conflicts, pair, comparison);
          },
        });
        return found.filter(({ path }) => /(dataset|namespace)\.yaml$/.test(path));
      });
      const [ours, theirs] = remover === 'here' ? ['removed', 'changed'] : ['changed', 'removed'];
      assert.deepEqual(
        conflicts.map(({ name, from, ours: mine, theirs: others }) => [from, name, mine, others]),
        [
          ['parks/trees', 'parks/baeume', ours, theirs],
          ['lakes', 'seen', ours, theirs],
        ],
      );
    });

  for (const remover of sides)
    for (const choice of ['ours', 'theirs'] as const)
      it(`is what ${choice} have, where it was removed ${remover}, once that is chosen`, async (test) => {
        const { here, there } = await removeAndRename(test, remover);
        await choose(choice, here, there);
        const isKept = (choice === 'ours') !== (remover === 'here');
        for (const path of [homeOf('parks/baeume'), 'namespaces/seen'])
          assert.equal(existsSync(join(there, path)), isKept, path);
        assert.equal(existsSync(join(there, homeOf('parks/trees'))), false);
      });

  for (const remover of sides)
    for (const choice of ['ours', 'theirs'] as const)
      it(`is a conflict, too, if only its folder or file was renamed by hand, until ${choice} are chosen: removed ${remover}`, async (test) => {
        const { here, there } = await start(test);
        const [removed, renamed] = remover === 'here' ? [here, there] : [there, here];
        for (const [from, to] of [
          [homeOf('parks/trees'), homeOf('parks/baeume')],
          ['namespaces/lakes', 'namespaces/seen'],
          ['groups/walkers.yaml', 'groups/hikers.yaml'],
        ] as const) {
          rmSync(join(removed, from), { recursive: true });
          renameSync(join(renamed, from), join(renamed, to));
        }
        const before = [here, there].map(contentOf);
        for (const run of [pullFrom, pushTo]) {
          const { failures, done, plan } = await run(here, there);
          assert.deepEqual([failures, done, plan.blocked], [[], [], []]);
          assert.equal(plan.conflicts.filter(({ path }) => /(dataset|namespace|hikers)\.yaml$/.test(path)).length, 3);
        }
        assert.deepEqual([here, there].map(contentOf), before);
        await choose(choice, here, there);
        const isKept = (choice === 'ours') !== (remover === 'here');
        for (const path of [homeOf('parks/baeume'), 'namespaces/seen', 'groups/hikers.yaml'])
          assert.equal(existsSync(join(there, path)), isKept, path);
        if (isKept) assert.deepEqual(contentOf(there), before[sides.indexOf(remover === 'here' ? 'there' : 'here')]);
      });
});
