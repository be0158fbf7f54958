/** A dataset that one side has moved to where the other one has added another of the same name. */
import assert from 'node:assert/strict';
import { mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { it } from 'node:test';
import type { Catalogue } from '../../src/catalogue/catalogue.ts';
import { openFileCatalogue } from '../../src/files/file-catalogue.ts';
import { homeOf, makeFolder } from '../support/folder.ts';
import { contentOf, failuresOf, pullFrom, pushTo } from './pair.ts';

async function edit(root: string, work: (catalogue: Catalogue) => Promise<unknown>): Promise<void> {
  const files = await openFileCatalogue(root);
  await work(files.for());
  await files.close();
}

it('is not removed from the other side until that conflict is decided', async (test) => {
  const [here, there] = [makeFolder({}, test).root, makeFolder({}, test).root];
  for (const root of [here, there]) mkdirSync(join(root, 'namespaces'), { recursive: true });
  await edit(there, async (catalogue) => {
    for (const label of ['Parks', 'Lab']) await catalogue.create('namespace', { label });
    await catalogue.create('dataset', { label: 'Trees', namespace: 'parks' });
  });
  assert.deepEqual(failuresOf(await pullFrom(here, there)), []);
  const trees = { kind: 'dataset', namespace: 'parks', slug: 'trees' } as const;
  await edit(here, (catalogue) => catalogue.edit(trees, { namespace: 'lab' }));
  await edit(there, (catalogue) =>
    catalogue.create('dataset', { label: 'Other trees', slug: 'trees', namespace: 'lab' }),
  );
  const [ours, theirs] = [contentOf(here), contentOf(there)];
  const { done, plan } = await pushTo(here, there);
  assert.deepEqual([done, contentOf(there)], [[], theirs]);
  assert.deepEqual(
    plan.blocked.map(({ path, reason }) => [path, reason]),
    [
      [
        `${homeOf('parks/trees')}/dataset.yaml`,
        'It was moved to lab/trees, where each side has another one: decide on that first.',
      ],
    ],
  );
  assert.deepEqual((await pullFrom(here, there)).done, []);
  assert.deepEqual(contentOf(here), ours);
  // With another name, it is a move again.
  await edit(here, (catalogue) => catalogue.edit({ ...trees, namespace: 'lab' }, { slug: 'our-trees' }));
  assert.deepEqual(failuresOf(await pullFrom(here, there)), []);
  assert.deepEqual(failuresOf(await pushTo(here, there)), []);
  assert.deepEqual(contentOf(here), contentOf(there));
});

it('is not removed either beside many that were', async (test) => {
  const slugs = Array.from({ length: 501 }, (_, i) => `tree-${i}`);
  const names = ['parks/trees', ...slugs.map((slug) => `parks/${slug}`)];
  const datasets = Object.fromEntries(names.map((name, i) => [name, { id: i + 1, label: 'Trees' }]));
  const there = makeFolder(
    { namespaces: { parks: { id: 1, label: 'Parks' }, lab: { id: 2, label: 'Lab' } }, datasets },
    test,
  ).root;
  const here = makeFolder({}, test).root;
  mkdirSync(join(here, 'namespaces'), { recursive: true });
  assert.deepEqual(failuresOf(await pullFrom(here, there)), []);
  for (const slug of slugs) rmSync(join(here, homeOf(`parks/${slug}`)), { recursive: true });
  for (const root of [here, there]) mkdirSync(join(root, homeOf('lab')), { recursive: true });
  renameSync(join(here, homeOf('parks/trees')), join(here, homeOf('lab/trees')));
  writeFileSync(join(here, homeOf('lab/trees'), 'dataset.yaml'), 'id: 1\nlabel: Our trees\n');
  mkdirSync(join(there, homeOf('lab/trees')), { recursive: true });
  writeFileSync(join(there, homeOf('lab/trees'), 'dataset.yaml'), 'id: 999\nlabel: Other trees\n');
  const { plan } = await pushTo(here, there, { dryRun: true });
  assert.equal(plan.outgoing.length, slugs.length);
  assert.deepEqual(
    plan.blocked.map(({ path }) => path),
    [`${homeOf('parks/trees')}/dataset.yaml`],
  );
});
