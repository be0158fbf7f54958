/** Queries of private datasets whose names others take over in the same run: they stay with their dataset, and nobody else sees them. */
import assert from 'node:assert/strict';
import { mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import type { Catalogue } from '../../src/catalogue/catalogue.ts';
import { anonymous } from '../../src/catalogue/permissions.ts';
import { makeFolder } from '../support/folder.ts';
import { seed } from '../support/prompt.ts';
import { contentOf, edit, failuresOf, filesSeenBy, lookAfterEach, pullFrom, pushTo, runInPieces } from './pair.ts';

const trees = { kind: 'dataset', namespace: 'parks', slug: 'trees' } as const;
const benches = { ...trees, slug: 'benches' } as const;
const parks = { kind: 'namespace', slug: 'parks' } as const;
const tall = { kind: 'query', slug: 'tall' } as const;

/** Two folders with a private dataset and its query, whose texts have "Secret". */
async function start(test: TestContext) {
  const { root: there } = makeFolder(
    {
      ...seed,
      namespaces: {
        parks: { id: 1, label: 'Parks' },
        water: { id: 2, label: 'Water' },
        hidden: { id: 3, label: 'Hidden', visibility: 'private' },
      },
      queries: { tall: { id: 7, label: 'Secret query', dataset: 'parks/trees' } },
    },
    test,
  );
  const { root: here } = makeFolder({ namespaces: {} }, test);
  mkdirSync(join(here, 'namespaces'));
  await edit(there, (view) => view.edit(trees, { visibility: 'private', label: 'Secret trees' }));
  await pullFrom(here, there);
  return { here, there };
}

/** What people do to parks/trees and its query, and with another dataset that has the name then. */
const changes: Readonly<Record<string, (view: Catalogue) => Promise<unknown>>> = {
  'renames it, and adds one': async (view) => {
    await view.edit(trees, { slug: 'old' });
    await view.create('dataset', { label: 'New', slug: 'trees', namespace: 'parks' });
  },
  'renames it and its query, and renames one': async (view) => {
    await view.edit(tall, { slug: 'taller', label: 'Secret query of old trees' });
    await view.edit(trees, { slug: 'old' });
    await view.edit(benches, { slug: 'trees' });
  },
  'moves it into a private namespace, and renames one': async (view) => {
    await view.edit(trees, { namespace: 'hidden' });
    await view.edit(benches, { slug: 'trees' });
  },
  'renames it, removes its query, and renames one': async (view) => {
    await view.remove(tall);
    await view.edit(trees, { slug: 'old' });
    await view.edit(benches, { slug: 'trees' });
  },
  'renames its namespace, and adds both': async (view) => {
    await view.edit(parks, { slug: 'gardens' });
    await view.create('namespace', { slug: 'parks', label: 'New' });
    await view.create('dataset', { label: 'New', slug: 'trees', namespace: 'parks' });
  },
  'gives its query another private dataset, and shows it': async (view) => {
    await view.create('dataset', { label: 'Other', slug: 'other', namespace: 'parks', visibility: 'private' });
    await view.edit(tall, { dataset: 'parks/other' });
    await view.edit(trees, { visibility: 'public', label: 'Trees' });
  },
};

describe('the query of a private dataset whose name another one gets', () => {
  for (const [what, change] of Object.entries(changes))
    for (const run of [pushTo, pullFrom])
      it(`is never seen by others: somebody ${what}, and a ${run === pushTo ? 'push' : 'pull'} takes that over`, async (test) => {
        const { here, there } = await start(test);
        const [source, target] = run === pushTo ? [here, there] : [there, here];
        await edit(source, change);
        const content = contentOf(source);
        const seen = new Set<string>();
        const look = lookAfterEach(async () => {
          for (const { path, text } of await filesSeenBy(anonymous, target))
            if (/Secret/.test(text ?? '')) seen.add(path);
        });
        await runInPieces(run, here, there, (replica) => look(replica, 'theirs'));
        assert.deepEqual([...seen], []);
        assert.deepEqual(contentOf(target), content);
        assert.deepEqual(contentOf(source), content);
      });

  it('stays with it on the remote, if it was changed on both sides', async (test) => {
    const { here, there } = await start(test);
    await edit(there, (view) => view.edit(tall, { label: 'Secret of theirs' }));
    await edit(here, async (view) => {
      await view.edit(tall, { label: 'Secret of ours' });
      await changes['renames it, and adds one']?.(view);
    });
    const { plan } = await pushTo(here, there);
    assert.equal(plan.conflicts.length, 1);
    for (const { text } of await filesSeenBy(anonymous, there)) assert.doesNotMatch(text ?? '', /Secret/);
    assert.match(
      readFileSync(join(there, 'queries/tall.yaml'), 'utf8'),
      /^label: Secret of theirs\ndataset: parks\/old$/m,
    );
    await pullFrom(here, there, { choice: 'ours' });
    assert.deepEqual(failuresOf(await pushTo(here, there)), []);
    assert.deepEqual(contentOf(there), contentOf(here));
  });

  it('names that one, if it does so on both sides', async (test) => {
    const { here, there } = await start(test);
    const before = readFileSync(join(there, 'queries/tall.yaml'), 'utf8');
    await edit(here, async (view) => {
      await changes['renames it, and adds one']?.(view);
      await view.edit(tall, { dataset: 'parks/trees' });
    });
    assert.deepEqual(failuresOf(await pushTo(here, there)), []);
    assert.equal(readFileSync(join(there, 'queries/tall.yaml'), 'utf8'), before);
    assert.deepEqual(contentOf(there), contentOf(here));
  });
});
