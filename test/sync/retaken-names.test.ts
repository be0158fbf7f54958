/** Records that were renamed, and whose former names have new records: the other side gets a rename and an addition. */
import assert from 'node:assert/strict';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import type { Catalogue } from '../../src/catalogue/catalogue.ts';
import { anonymous, type Viewer } from '../../src/catalogue/permissions.ts';
import type { Refs } from '../../src/catalogue/ref.ts';
import type { Replica } from '../../src/catalogue/replica.ts';
import { computeChecksum } from '../../src/disk/checksum.ts';
import { openFileCatalogue } from '../../src/files/file-catalogue.ts';
import { type ChangeSummary, summarizeEachChange } from '../../src/sync/summary.ts';
import { push, type SyncResult } from '../../src/sync/sync.ts';
import { homeOf, makeFolder } from '../support/folder.ts';
import { seed } from '../support/prompt.ts';
import {
  contentOf,
  cutAfter,
  failuresOf,
  filesSeenBy,
  lookAfterEach,
  pullFrom,
  pushTo,
  runInPieces,
  withPair,
} from './pair.ts';

const bob: Viewer = { username: 'bob', staff: false, groups: ['gardeners'] };

async function start(test: TestContext) {
  const there = makeFolder(
    {
      ...seed,
      namespaces: { parks: { id: 1, label: 'Parks', owners: ['gardeners'] }, water: { id: 2, label: 'Water' } },
      groups: { gardeners: { id: 5, label: 'Gardeners' } },
      queries: { tall: { id: 7, label: 'Tall trees', dataset: 'parks/trees' } },
    },
    test,
  ).root;
  const here = makeFolder({ namespaces: {} }, test).root;
  mkdirSync(join(here, 'namespaces'));
  await pullFrom(here, there);
  const edit = async (root: string, work: (view: Catalogue) => Promise<unknown>) => {
    const catalogue = await openFileCatalogue(root);
    await work(catalogue.for());
    await catalogue.close();
  };
  const same = async () => {
    const [ours, theirs] = [contentOf(here), contentOf(there)];
    assert.deepEqual(ours, theirs);
    for (const again of [await pullFrom(here, there), await pushTo(here, there)])
      assert.deepEqual([again.done, again.plan.conflicts, failuresOf(again)], [[], [], []]);
  };
  return { here, there, edit, same };
}

const stepsOf = ({ done }: SyncResult) => done.map((step) => `${step.do} ${step.path}`);
const rename = async (view: Catalogue, ref: Refs['query' | 'dataset'], slug: string) => {
  await view.edit(ref, { slug });
  if (ref.kind === 'query') await view.create('query', { label: 'New', slug: ref.slug, dataset: 'parks/trees' });
  else await view.create('dataset', { label: 'New', slug: ref.slug, namespace: ref.namespace });
};
const tall = { kind: 'query', slug: 'tall' } as const;
const trees = { kind: 'dataset', namespace: 'parks', slug: 'trees' } as const;
const pathOf = (name: string) => `${homeOf(name)}/dataset.yaml`;

describe('a record with the former name of another', () => {
  it('is pushed by an owner, twice', async (test) => {
    const { here, there, edit, same } = await start(test);
    for (const year of ['2024', '2025']) {
      await edit(here, (view) => rename(view, tall, `tall_${year}`));
      const pushed = await pushTo(here, there, {}, { as: bob, viewer: bob });
      assert.deepEqual(failuresOf(pushed), []);
      assert.equal(stepsOf(pushed)[0], 'move queries/tall.yaml');
      await same();
    }
    assert.match(readFileSync(join(there, 'queries/tall_2024.yaml'), 'utf8'), /id: 7\n/);
  });

  for (const run of [pushTo, pullFrom])
    it(`has given that one its own, and a ${run === pushTo ? 'push' : 'pull'} takes over both at once`, async (test) => {
      const { here, there, edit, same } = await start(test);
      const exchange = async (view: Catalogue, one: Refs['namespace' | 'dataset'], other: string) => {
        await view.edit(one, { slug: 'between' });
        await view.edit({ ...one, slug: other }, { slug: one.slug });
        await view.edit({ ...one, slug: 'between' }, { slug: other });
      };
      await edit(run === pushTo ? here : there, async (view) => {
        await view.edit({ kind: 'namespace', slug: 'parks' }, { owners: [] });
        await exchange(view, trees, 'benches');
      });
      assert.deepEqual(failuresOf(await run(here, there)), []);
      await edit(run === pushTo ? here : there, (view) =>
        exchange(view, { kind: 'namespace', slug: 'parks' }, 'water'),
      );
      assert.deepEqual(failuresOf(await run(here, there)), []);
      assert.match(readFileSync(join(there, 'namespaces/water/namespace.yaml'), 'utf8'), /^id: 1\nlabel: Parks$/m);
      assert.match(readFileSync(join(there, pathOf('water/benches')), 'utf8'), /^label: Trees$/m);
      await same();
    });

  for (const run of [pushTo, pullFrom])
    for (const one of [trees, { kind: 'namespace', slug: 'parks' }] as const)
      it(`has given that one its own, and other people see it: a ${run === pushTo ? 'push' : 'pull'} of ${one.kind}s takes over both`, async (test) => {
        const { here, there, edit, same } = await start(test);
        const other = one.kind === 'dataset' ? 'benches' : 'water';
        await edit(there, async (view) => {
          await view.remove(tall);
          await view.edit(one, { visibility: 'private', owners: [] });
          await view.edit({ kind: 'namespace', slug: 'parks' }, { owners: [] });
        });
        await pullFrom(here, there);
        await edit(run === pushTo ? here : there, async (view) => {
          await view.edit(one, { slug: 'between' });
          await view.edit({ ...one, slug: other }, { slug: one.slug });
          await view.edit({ ...one, slug: 'between' }, { slug: other });
        });
        const source = contentOf(run === pushTo ? here : there);
        const seen = new Set<string>();
        const lookAtLabels = async () => {
          for (const { text } of await filesSeenBy(anonymous, there))
            for (const [label] of text?.matchAll(/^label: (Trees|Tall trees)$/gm) ?? []) seen.add(label);
        };
        // Broken off after each request, and continued.
        for (let after = 1; ; after++) {
          const cut = cutAfter(after);
          const wrap = (replica: Replica, side: 'ours' | 'theirs') => cut(lookAfterEach(lookAtLabels)(replica, side));
          const done = await run(here, there, {}, { wrap }).catch((error: Error) => {
            assert.match(error.message, /cut/);
            return null;
          });
          if (done === null) continue;
          assert.deepEqual(failuresOf(done), []);
          break;
        }
        assert.deepEqual(contentOf(here), source);
        assert.deepEqual([...seen], []);
        await same();
      });

  for (const run of [pushTo, pullFrom])
    it(`is moved after that one into another namespace, by a ${run === pushTo ? 'push' : 'pull'} that is broken off after each request`, async (test) => {
      const { here, there, edit, same } = await start(test);
      await edit(run === pushTo ? here : there, async (view) => {
        await view.edit(trees, { namespace: 'water' });
        await view.edit({ ...trees, slug: 'benches' }, { slug: 'trees' });
      });
      await runInPieces(run, here, there);
      await same();
    });

  it('has given that one its own, and cannot be moved: what is new in it is not added to the one that other people see', async (test) => {
    const { here, there, edit } = await start(test);
    const benches = { ...trees, slug: 'benches' };
    await edit(there, async (view) => {
      await view.remove(tall);
      await view.edit(benches, { visibility: 'private' });
    });
    await pullFrom(here, there);
    await edit(here, async (view) => {
      await view.edit(benches, { slug: 'between' });
      await view.edit(trees, { slug: 'benches' });
      await view.edit({ ...trees, slug: 'between' }, { slug: 'trees' });
    });
    mkdirSync(join(here, homeOf('parks/trees'), 'versions'), { recursive: true });
    writeFileSync(join(here, homeOf('parks/trees'), 'versions/20300102030405000000.yaml'), 'id: 99\nnotes: Secret\n');
    let isChanged = false;
    const changeBefore = (replica: Replica, side: 'ours' | 'theirs') =>
      side === 'ours'
        ? replica
        : new Proxy(replica, {
            get(target, name) {
              const method = Reflect.get(target, name);
              return async (...args: unknown[]) => {
                if (name === 'apply' && !isChanged) {
                  isChanged = true;
                  await edit(there, (view) => view.edit(benches, { description: 'Changed meanwhile' }));
                }
                return method.apply(target, args);
              };
            },
          });
    const { failures } = await pushTo(here, there, {}, { wrap: changeBefore });
    assert.ok(failures.length > 0);
    for (const { text } of await filesSeenBy(anonymous, there)) assert.doesNotMatch(text ?? '', /Secret/);
  });

  for (const name of ['benches', 'oaks', 'trees'])
    it(`has exchanged it with two others, and a push of parks/${name} leaves none at another name`, async (test) => {
      const { here, there, edit, same } = await start(test);
      const at = (slug: string) => ({ ...trees, slug });
      await edit(there, async (view) => {
        await view.remove(tall);
        await view.create('dataset', { label: 'Oaks', slug: 'oaks', namespace: 'parks' });
        await view.edit(at('benches'), { visibility: 'private' });
      });
      await pullFrom(here, there);
      await edit(here, async (view) => {
        await view.edit(at('benches'), { slug: 'between' });
        await view.edit(at('oaks'), { slug: 'benches' });
        await view.edit(trees, { slug: 'oaks' });
        await view.edit(at('between'), { slug: 'trees' });
      });
      assert.deepEqual(failuresOf(await pushTo(here, there, { names: [`parks/${name}`] })), []);
      assert.deepEqual(Object.keys(contentOf(there)), Object.keys(contentOf(here)));
      await pushTo(here, there);
      await same();
    });

  it('has given that one its own, other people see it, and queries belong to it: the message has the way to push both', async (test) => {
    const { here, there, edit, same } = await start(test);
    const setVisibility = (slug: string, visibility: 'public' | 'private') =>
      edit(here, async (view) => void (await view.edit({ ...trees, slug }, { visibility })));
    await setVisibility('trees', 'private');
    await pushTo(here, there);
    await edit(here, async (view) => {
      await view.edit(trees, { slug: 'between' });
      await view.edit({ ...trees, slug: 'benches' }, { slug: 'trees' });
      await view.edit({ ...trees, slug: 'between' }, { slug: 'benches' });
    });
    const wrap = lookAfterEach(async () => {
      for (const { text } of await filesSeenBy(anonymous, there)) assert.doesNotMatch(text ?? '', /^label: T/m);
    });
    const refused = await pushTo(here, there, {}, { wrap });
    assert.match(
      refused.plan.blocked.find(({ path }) => path === pathOf('parks/trees'))?.reason ?? '',
      /^Two records have exchanged their names, .* Make both private, /,
    );
    await setVisibility('trees', 'private');
    assert.deepEqual(failuresOf(await pushTo(here, there, {}, { wrap })), []);
    await setVisibility('trees', 'public');
    assert.deepEqual(failuresOf(await pushTo(here, there, {}, { wrap })), []);
    await same();
  });

  it('has given that one its own: people read one rename of each, and what has changed besides', async (test) => {
    const { here, there, edit } = await start(test);
    await edit(there, (view) => view.remove(tall));
    await pullFrom(here, there);
    await edit(here, async (view) => {
      await view.edit(trees, { slug: 'between' });
      await view.edit({ ...trees, slug: 'benches' }, { slug: 'trees', licence: 'CC0-1.0' });
      await view.edit({ ...trees, slug: 'between' }, { slug: 'benches' });
    });
    const changes = await withPair(here, there, async (pair) => {
      let summaries: readonly ChangeSummary[] = [];
      await push(pair, {
        onPlan: async ({ steps, comparison }) => {
          summaries = await summarizeEachChange(steps, pair, comparison.texts.ours);
        },
      });
      return summaries;
    });
    assert.deepEqual(
      changes.map(({ change, name, to, fields }) => [change, name, to ?? fields?.join()]),
      [
        ['move', 'parks/benches', 'parks/trees'],
        ['change', 'parks/benches', 'aliases'],
        ['move', 'parks/trees', 'parks/benches'],
        ['change', 'parks/trees', 'licence,aliases'],
      ],
    );
  });

  it('has given that one its own on the remote, and a local query belongs to it: the message has the way to push that', async (test) => {
    const { here, there, edit, same } = await start(test);
    const secret = { kind: 'query', slug: 'secret' } as const;
    const addQuery = (dataset: string) =>
      edit(here, (view) => view.create('query', { slug: secret.slug, label: 'Secret', dataset }));
    const benches = { ...trees, slug: 'benches' };
    await edit(there, async (view) => {
      await view.remove(tall);
      await view.edit(benches, { visibility: 'private' });
    });
    await pullFrom(here, there);
    await addQuery('parks/benches');
    await edit(there, async (view) => {
      await view.edit(benches, { slug: 'between' });
      await view.edit(trees, { slug: 'benches' });
      await view.edit({ ...trees, slug: 'between' }, { slug: 'trees' });
    });
    const wrap = lookAfterEach(async () => {
      for (const { text } of await filesSeenBy(anonymous, there)) assert.doesNotMatch(text ?? '', /Secret/);
    });
    for (const run of [pushTo, pullFrom, pushTo]) {
      const { plan } = await run(here, there, {}, { wrap });
      assert.match(
        plan.blocked.find(({ path }) => path === 'queries/secret.yaml')?.reason ?? '',
        /^On the remote, two records have exchanged their names, .* Remove these queries, pull, /,
      );
    }
    await edit(here, (view) => view.remove(secret));
    assert.deepEqual(failuresOf(await pullFrom(here, there)), []);
    await addQuery('parks/trees');
    assert.deepEqual(failuresOf(await pushTo(here, there, {}, { wrap })), []);
    await same();
  });

  it('has given that one its own, beside an exchange that is held: both keep their versions', async (test) => {
    const { here, there, edit, same } = await start(test);
    const at = (slug: string) => ({ ...trees, slug });
    await edit(there, async (view) => {
      await view.remove(tall);
      for (const slug of ['ash', 'birch']) await view.create('dataset', { label: slug, slug, namespace: 'parks' });
      await view.create('query', { label: 'Q', slug: 'q', dataset: 'parks/ash' });
      await view.edit(trees, { visibility: 'private' });
    });
    await pullFrom(here, there);
    await edit(here, async (view) => {
      for (const [one, other] of [
        ['trees', 'benches'],
        ['ash', 'birch'],
      ] as const) {
        await view.edit(at(one), { slug: 'between' });
        await view.edit(at(other), { slug: one });
        await view.edit(at('between'), { slug: other });
      }
    });
    const pushed = await pushTo(here, there);
    assert.deepEqual(failuresOf(pushed), []);
    assert.deepEqual(
      stepsOf(pushed).filter((step) => /^(put|remove)/.test(step)),
      [],
    );
    await same();
  });

  it('has given that one its own, and both have versions of the same name', async (test) => {
    const { here, there, edit, same } = await start(test);
    const benches = { ...trees, slug: 'benches' };
    const [from, to] = [join(there, homeOf('parks/trees')), join(there, homeOf('parks/benches'))];
    const version = 'versions/20200102030405000000.yaml';
    const rows = readFileSync(join(from, 'data/trees.csv'), 'utf8').replaceAll(/\d/g, '1');
    for (const folder of ['data', 'versions']) mkdirSync(join(to, folder), { recursive: true });
    writeFileSync(join(to, 'data/trees.csv'), rows);
    const text = readFileSync(join(from, version), 'utf8').replace(/^id: .*$/m, 'id: 99');
    writeFileSync(join(to, version), text.replace(/^checksum: .*$/m, `checksum: ${computeChecksum(rows)}`));
    await edit(there, async (view) => {
      await view.remove(tall);
      await view.edit(benches, { visibility: 'private' });
    });
    assert.deepEqual(failuresOf(await pullFrom(here, there)), []);
    await edit(here, async (view) => {
      await view.edit(benches, { slug: 'between' });
      await view.edit(trees, { slug: 'benches' });
      await view.edit({ ...trees, slug: 'between' }, { slug: 'trees' });
    });
    assert.deepEqual(failuresOf(await pushTo(here, there)), []);
    await same();
  });

  it('is pulled, and the payloads of the dataset with the name before are kept', async (test) => {
    const { here, there, edit, same } = await start(test);
    await edit(there, (view) => rename(view, trees, 'trees-2024'));
    const pulled = await pullFrom(here, there);
    assert.deepEqual(failuresOf(pulled), []);
    assert.deepEqual(
      stepsOf(pulled).sort(),
      [
        `move ${pathOf('parks/trees')}`,
        'write queries/tall.yaml',
        `write ${pathOf('parks/trees-2024')}`,
        `write ${pathOf('parks/trees')}`,
      ].sort(),
    );
    await same();
  });

  it('may have its name from a rename, too', async (test) => {
    const { here, there, edit, same } = await start(test);
    await edit(here, async (view) => {
      await view.edit(trees, { slug: 'old' });
      await view.edit({ ...trees, slug: 'benches' }, { slug: 'trees' });
    });
    const pushed = await pushTo(here, there);
    assert.deepEqual(failuresOf(pushed), []);
    assert.deepEqual(stepsOf(pushed).slice(0, 2), [`move ${pathOf('parks/trees')}`, `move ${pathOf('parks/benches')}`]);
    await same();
  });

  it('is pushed beside changes of the other side to the renamed one', async (test) => {
    const { here, there, edit, same } = await start(test);
    await edit(here, (view) => rename(view, trees, 'trees-2024'));
    const version = { kind: 'version', namespace: 'parks', dataset: 'trees', slug: '20200102030405000000' } as const;
    await edit(there, (view) => view.edit(version, { notes: 'Theirs' }));
    for (const run of [pullFrom, pushTo]) assert.deepEqual(failuresOf(await run(here, there)), []);
    assert.match(
      readFileSync(join(there, homeOf('parks/trees-2024'), 'versions/20200102030405000000.yaml'), 'utf8'),
      /Theirs/,
    );
    await same();
  });

  it('is left alone where both sides have renamed the one before, each in its own way', async (test) => {
    const { here, there, edit } = await start(test);
    await edit(here, (view) => rename(view, trees, 'ours'));
    await edit(there, (view) => view.edit(trees, { slug: 'theirs' }));
    const { plan, done } = await pullFrom(here, there);
    assert.match(plan.blocked.map(({ reason }) => reason).join(), /Both sides have renamed parks\/trees/);
    assert.deepEqual(
      done.filter(({ path }) => path.includes('trees')),
      [],
    );
  });

  it('is found again after a run that ended between the rename and its note', async (test) => {
    const { here, there, edit, same } = await start(test);
    await edit(here, (view) => rename(view, trees, 'trees-2024'));
    await edit(there, (view) => view.edit(trees, { slug: 'trees-2024' }));
    for (const run of [pullFrom, pushTo]) assert.deepEqual(failuresOf(await run(here, there)), []);
    await same();
  });
});
