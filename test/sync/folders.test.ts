/** Two folders kept in step: whole runs, with nothing in between. */
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import { stringify } from 'yaml';
import { anonymous, localAdmin } from '../../src/catalogue/permissions.ts';
import type { Replica } from '../../src/catalogue/replica.ts';
import { openFileCatalogue } from '../../src/files/file-catalogue.ts';
import type { RemoteViewer } from '../../src/sync/rights.ts';
import type { SyncOptions } from '../../src/sync/sync.ts';
import { homeOf, makeFolder } from '../support/folder.ts';
import { trees as rows, seed } from '../support/prompt.ts';
import { contentOf, failuresOf, pullFrom, pushTo } from './pair.ts';

/** A catalogue there, and one here that is empty. */
async function start(test: TestContext) {
  const there = makeFolder(
    {
      ...seed,
      groups: { gardeners: { id: 5, label: 'Gardeners' } },
      // Several at once, in a folder that isn't there yet.
      users: Object.fromEntries(
        ['ann', 'bob', 'carol', 'dan'].map((name, i) => [name, { id: 6 + i, name, groups: ['gardeners'] }]),
      ),
      queries: { tall: { id: 7, label: 'Tall trees', dataset: 'parks/trees' } },
      files: { ...seed.files, 'site_media/oak.png': 'no picture' },
    },
    test,
  );
  const here = makeFolder({ namespaces: {} }, test);
  mkdirSync(join(here.root, 'namespaces'));
  const write = (root: string, path: string, text: string) => {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
  };
  const edit = (root: string, path: string, from: string | RegExp, to: string) => {
    const text = readFileSync(join(root, path), 'utf8');
    assert.notEqual(text.replace(from, to), text, path);
    write(root, path, text.replace(from, to));
  };
  const same = () => assert.deepEqual(contentOf(here.root), contentOf(there.root));
  return { here: here.root, there: there.root, write, edit, same };
}

const trees = `${homeOf('parks/trees')}/dataset.yaml`;
const version = `${homeOf('parks/trees')}/versions/20200102030405000000.yaml`;

describe('two folders', () => {
  it('have the same after the first pull, and nothing is to be done then', async (test) => {
    const { here, there, same } = await start(test);
    const first = await pullFrom(here, there);
    assert.deepEqual(failuresOf(first), []);
    same();
    const state = join(here, '.catalogue', 'remotes', 'there.ndjson');
    assert.equal(statSync(state).mode & 0o777, 0o600);
    // Headers have the point of the remote's timeline, of which each run of a catalogue has its own.
    const filesInState = () => readFileSync(state, 'utf8').replace(/^\{"state":.*\n/gm, '');
    const before = filesInState();
    const second = await pullFrom(here, there);
    assert.deepEqual([second.done, second.plan.conflicts, second.plan.agreed], [[], [], []]);
    const third = await pushTo(here, there);
    assert.deepEqual([third.done, third.plan.conflicts], [[], []]);
    assert.equal(filesInState(), before);
  });

  it('hand each other what one of them has changed, byte by byte', async (test) => {
    const { here, there, write, edit, same } = await start(test);
    await pullFrom(here, there);
    edit(here, trees, 'label: Trees', '# Ours.\nlabel:   "Old trees"');
    edit(there, `${homeOf('parks/benches')}/dataset.yaml`, 'To sit on', 'To lie on');
    write(here, `${homeOf('parks/ponds')}/dataset.yaml`, stringify({ id: 31, label: 'Ponds' }));
    rmSync(join(there, homeOf('water/wells')), { recursive: true });
    assert.deepEqual(failuresOf(await pullFrom(here, there)), []);
    assert.deepEqual(failuresOf(await pushTo(here, there)), []);
    same();
    assert.match(readFileSync(join(there, trees), 'utf8'), /# Ours\.\nlabel: {3}"Old trees"/);
  });

  it('leave alone what both have changed until somebody decides', async (test) => {
    const { here, there, edit, same } = await start(test);
    await pullFrom(here, there);
    for (const choice of ['ours', 'theirs'] as const) {
      edit(here, trees, /label: .*/, `label: Mine ${choice}`);
      edit(there, trees, /label: .*/, `label: Yours ${choice}`);
      const asked = await pullFrom(here, there);
      assert.deepEqual(
        asked.plan.conflicts.map(({ path }) => path),
        [trees],
      );
      assert.deepEqual(
        (await pushTo(here, there)).plan.conflicts.map(({ path }) => path),
        [trees],
      );
      assert.match(readFileSync(join(here, trees), 'utf8'), /label: Mine/);
      assert.match(readFileSync(join(there, trees), 'utf8'), /label: Yours/);
      const settled = await pullFrom(here, there, { choice, names: ['parks/trees'] });
      assert.deepEqual([settled.plan.conflicts, failuresOf(settled)], [[], []]);
      await pushTo(here, there);
      same();
      const expected = choice === 'ours' ? /label: Mine ours/ : /label: Yours theirs/;
      assert.match(readFileSync(join(here, trees), 'utf8'), expected);
    }
  });

  it('take a conflict that was mended by hand for settled, once both say the same', async (test) => {
    const { here, there, edit, same } = await start(test);
    await pullFrom(here, there);
    edit(here, trees, /label: .*/, 'label: Mine');
    edit(there, trees, /label: .*/, 'label: Yours');
    edit(here, trees, /label: .*/, 'label: Yours');
    const { plan } = await pullFrom(here, there);
    assert.deepEqual(plan.conflicts, []);
    same();
  });

  it('know a rename, and send no payload for it', async (test) => {
    const { here, there, edit, same } = await start(test);
    await pullFrom(here, there);
    renameSync(join(there, homeOf('parks/trees')), join(there, homeOf('water/oaks')));
    edit(there, `${homeOf('water/oaks')}/dataset.yaml`, 'label: Trees', 'label: Oaks');
    edit(here, version, 'rows: 3', 'rows: 3\nnotes: Ours');
    renameSync(join(here, 'namespaces/water'), join(here, 'namespaces/wet'));
    const pulled = await pullFrom(here, there);
    assert.deepEqual(failuresOf(pulled), []);
    assert.deepEqual(
      pulled.done.map((step) => step.do),
      ['move', 'write'],
    );
    const pushed = await pushTo(here, there);
    assert.deepEqual(failuresOf(pushed), []);
    assert.deepEqual(
      pushed.done.map((step) => step.do),
      ['move', 'write'],
    );
    same();
    assert.match(
      readFileSync(join(there, `${homeOf('wet/oaks')}/versions/20200102030405000000.yaml`), 'utf8'),
      /notes: Ours/,
    );
    assert.deepEqual((await pullFrom(here, there)).done, []);
  });

  it('take names over that records have left to each other, in one run', async (test) => {
    const { here, there, same } = await start(test);
    await pullFrom(here, there);
    const rename = (root: string, from: string, to: string) =>
      renameSync(join(root, homeOf(from)), join(root, homeOf(to)));
    rename(there, 'parks/benches', 'parks/old');
    rename(there, 'parks/trees', 'parks/benches');
    assert.deepEqual(failuresOf(await pullFrom(here, there)), []);
    same();
    rename(here, 'parks/benches', 'parks/aside');
    rename(here, 'parks/old', 'parks/benches');
    rename(here, 'parks/aside', 'parks/old');
    assert.deepEqual(failuresOf(await pushTo(here, there)), []);
    same();
    assert.deepEqual((await pullFrom(here, there)).done, []);
  });

  it('say how to come to one name, where each has renamed a record in its own way, and leave it alone until then', async (test) => {
    const { here, there, edit, same } = await start(test);
    await pullFrom(here, there);
    renameSync(join(there, homeOf('parks/trees')), join(there, homeOf('water/oaks')));
    renameSync(join(here, homeOf('parks/trees')), join(here, homeOf('parks/elms')));
    renameSync(join(there, 'groups/gardeners.yaml'), join(there, 'groups/foresters.yaml'));
    renameSync(join(here, 'groups/gardeners.yaml'), join(here, 'groups/arborists.yaml'));
    renameSync(join(there, 'namespaces/parks'), join(there, 'namespaces/green'));
    edit(here, `${homeOf('parks/elms')}/versions/20200102030405000000.yaml`, 'rows: 3', 'rows: 3\nnotes: Ours');
    const before = contentOf(there);
    for (const [run, namespace] of [
      [pushTo, 'parks'],
      [pullFrom, 'parks'],
      [pullFrom, 'green'],
      [pushTo, 'green'],
    ] as const) {
      const { plan, failures } = await run(here, there);
      assert.deepEqual([plan.conflicts, failures], [[], []]);
      assert.deepEqual(
        plan.blocked.map(({ reason, isConflict }) => [reason.replace(/^.*: catalogue/s, 'catalogue'), isConflict]),
        [
          [`catalogue dataset edit ${namespace}/elms --namespace water --slug oaks`, true],
          ['catalogue group edit arborists --slug foresters', true],
        ],
      );
    }
    assert.deepEqual(contentOf(there), before);
    renameSync(join(here, homeOf('green/elms')), join(here, homeOf('water/oaks')));
    renameSync(join(here, 'groups/arborists.yaml'), join(here, 'groups/foresters.yaml'));
    assert.deepEqual(failuresOf(await pullFrom(here, there)), []);
    assert.deepEqual(failuresOf(await pushTo(here, there)), []);
    same();
    assert.match(readFileSync(join(there, homeOf('water/oaks'), 'versions/20200102030405000000.yaml'), 'utf8'), /Ours/);
  });

  it('know a renamed group, whose members are others by that', async (test) => {
    const { here, there, edit, same } = await start(test);
    await pullFrom(here, there);
    const files = await openFileCatalogue(there);
    await files.for().edit({ kind: 'group', slug: 'gardeners' }, { slug: 'foresters' });
    await files.close();
    edit(there, 'users/ann.yaml', 'name: ann', 'name: Ann');
    const { failures, done, plan } = await pullFrom(here, there);
    assert.deepEqual([failures, plan.conflicts, done[0]?.do], [[], [], 'move']);
    same();
    assert.deepEqual((await pushTo(here, there)).plan.conflicts, []);
  });

  it('overwrite nothing that was changed after a group was renamed, and do the rest if a member is gone', async (test) => {
    const { here, there, edit } = await start(test);
    await pullFrom(here, there);
    const files = await openFileCatalogue(there);
    await files.for().edit({ kind: 'group', slug: 'gardeners' }, { slug: 'foresters' });
    await files.close();
    for (const name of ['ann', 'bob', 'carol']) edit(there, `users/${name}.yaml`, `name: ${name}`, `name: New ${name}`);
    const wrap = (replica: Replica, side: 'ours' | 'theirs'): Replica => {
      if (side === 'theirs') return replica;
      const apply: Replica['apply'] = async (changes, options) => {
        const outcomes = await replica.apply(changes, options);
        if (changes.some((change) => change.do === 'move')) {
          edit(here, 'users/ann.yaml', 'name: ann', 'name: Ours');
          rmSync(join(here, 'users/bob.yaml'));
        }
        return outcomes;
      };
      return new Proxy(replica, {
        get: (target, name) => {
          const value = name === 'apply' ? apply : Reflect.get(target, name);
          return typeof value === 'function' && name !== 'apply' ? value.bind(target) : value;
        },
      });
    };
    const result = await pullFrom(here, there, {}, { wrap });
    assert.deepEqual(
      failuresOf(result)
        .map((line) => line.replace(/Error: .*/, ''))
        .sort(),
      ['users/ann.yaml: Stale', 'users/bob.yaml: NotFound'],
    );
    const text = (name: string) => readFileSync(join(here, `users/${name}.yaml`), 'utf8');
    assert.match(text('ann'), /name: Ours\ngroups:\n {2}- foresters/);
    assert.match(text('carol'), /name: New carol\ngroups:\n {2}- foresters/);
  });

  it('take a dataset that one removed and the other changed for one conflict, with all that lies in it', async (test) => {
    const { here, there, edit, same } = await start(test);
    await pullFrom(here, there);
    for (const choice of ['theirs', 'ours'] as const) {
      rmSync(join(here, homeOf('parks/trees')), { recursive: true });
      edit(there, version, 'rows: 3', `rows: 3 # ${choice}`);
      const asked = await pullFrom(here, there);
      assert.deepEqual(asked.plan.conflicts.length, 3);
      const settled = await pullFrom(here, there, { choice });
      assert.deepEqual(failuresOf(settled), []);
      assert.deepEqual(failuresOf(await pushTo(here, there)), []);
      same();
      assert.equal(trees in contentOf(here), choice === 'theirs');
    }
  });

  it('bring a payload back that one of them has lost', async (test) => {
    const { here, there, same } = await start(test);
    await pullFrom(here, there);
    rmSync(join(here, homeOf('parks/trees'), 'data/trees.csv'));
    await pullFrom(here, there);
    same();
  });

  it('send no version whose payload is missing, or a Git LFS pointer, until it is there', async (test) => {
    const { here, there, write, same } = await start(test);
    await pullFrom(here, there);
    const newer = (slug: string, id: number) => {
      const file = { name: `${slug}.csv`, size: rows.length };
      const path = `${homeOf('parks/trees')}/versions/${slug}.yaml`;
      write(here, path, stringify({ id, file, checksum: createHash('sha256').update(rows).digest('hex') }));
      return { path, payload: `${homeOf('parks/trees')}/data/${file.name}` };
    };
    const [first, second, whole] = ['20210102030405000000', '20220102030405000000', '20230102030405000000'].map(
      (slug, i) => newer(slug, 41 + i),
    );
    assert.ok(first && second && whole);
    write(here, first.payload, `version https://git-lfs.github.com/spec/v1\noid sha256:${'0'.repeat(64)}\nsize 80\n`);
    write(here, whole.payload, rows);
    for (const dryRun of [true, false]) {
      const { failures, done } = await pushTo(here, there, { dryRun });
      assert.deepEqual(
        failures.map(({ path }) => path),
        [first.path, second.path],
      );
      for (const { error } of failures) assert.match(error.message, /payload data\/\d+\.csv is missing.*git lfs pull/);
      assert.deepEqual(
        done.map(({ path }) => path),
        dryRun ? [] : [whole.payload, whole.path],
      );
    }
    for (const { path } of [first, second]) assert.equal(path in contentOf(there), false);
    for (const { payload } of [first, second]) write(here, payload, rows);
    assert.deepEqual(failuresOf(await pushTo(here, there)), []);
    same();
    // Where the remote lacks it, a pull leaves the version alone in the same way.
    rmSync(join(there, second.payload));
    const other = makeFolder({ namespaces: {} }, test);
    mkdirSync(join(other.root, 'namespaces'));
    const [failure, ...others] = failuresOf(await pullFrom(other.root, there));
    assert.match(failure ?? '', /2022\d+\.yaml: .*data\/2022\d+\.csv is missing on the remote/);
    assert.deepEqual(others, []);
  });

  it('send a version that is named with its payload', async (test) => {
    const { here, there, write } = await start(test);
    await pullFrom(here, there);
    const checksum = createHash('sha256').update(rows).digest('hex');
    for (const [i, name] of ['2021.csv', 'oaks.csv', '2023.csv'].entries()) {
      write(here, `${homeOf('parks/trees')}/data/${name}`, rows);
      const file = { name, size: rows.length };
      write(here, `${homeOf('parks/trees')}/versions/202${i + 1}.yaml`, stringify({ id: 41 + i, file, checksum }));
    }
    const sent = async (slug: string) => {
      const result = await pushTo(here, there, { names: [`parks/trees@${slug}`] });
      assert.deepEqual(failuresOf(result), []);
      return result.done.map(({ path }) => path.slice(homeOf('parks/trees').length + 1));
    };
    assert.deepEqual(await sent('2022'), ['data/oaks.csv', 'versions/2022.yaml']);
    assert.deepEqual(await sent('2021'), ['data/2021.csv', 'versions/2021.yaml']);
  });

  it('report what does not fit, and do the rest', async (test) => {
    const { here, there, write, edit } = await start(test);
    await pullFrom(here, there);
    edit(there, trees, 'label: Trees', 'label: [1');
    write(there, `${homeOf('parks/ponds')}/dataset.yaml`, stringify({ id: 31, label: 'Ponds' }));
    const { failures, done } = await pullFrom(here, there);
    assert.deepEqual(
      failures.map(({ path }) => path),
      [trees],
    );
    assert.deepEqual(
      done.map(({ path }) => path),
      [`${homeOf('parks/ponds')}/dataset.yaml`],
    );
    assert.match(readFileSync(join(here, trees), 'utf8'), /label: Trees/);
  });

  it('do not take for removed what those who are not signed in can not see', async (test) => {
    const { here, there } = await start(test);
    await pullFrom(here, there);
    rmSync(join(there, homeOf('parks/benches')), { recursive: true });
    const { plan, done } = await pullFrom(here, there, {}, { viewer: anonymous });
    assert.deepEqual(done, []);
    assert.deepEqual(
      plan.blocked.map(({ path }) => path),
      [`${homeOf('parks/benches')}/dataset.yaml`],
    );
    assert.deepEqual((await pullFrom(here, there, {}, { viewer: anonymous })).done, []);
    assert.deepEqual(
      (await pullFrom(here, there)).done.map((step) => step.do),
      ['remove'],
    );
  });

  it('do not take for removed what a user with other rights may not see', async (test) => {
    const user = (username: string, ...groups: string[]) => ({ username, staff: false, groups });
    const as = (viewer: RemoteViewer, options: SyncOptions = {}) => pullFrom(here, there, options, { viewer });
    const { here, there, write } = await start(test);
    const add = (slug: string, id: number) =>
      write(there, `${homeOf(`parks/${slug}`)}/dataset.yaml`, stringify({ id, label: slug }));
    const hide = (slug: string) => rmSync(join(there, homeOf(`parks/${slug}`)), { recursive: true });
    const isLeftAlone = async (viewer: RemoteViewer, slug: string, reason: RegExp) => {
      const { plan, done } = await as(viewer);
      assert.deepEqual(done, []);
      assert.deepEqual(
        plan.blocked.map(({ path }) => path),
        [`${homeOf(`parks/${slug}`)}/dataset.yaml`],
      );
      assert.match(plan.blocked[0]?.reason ?? '', reason);
    };
    const removed = async (viewer: RemoteViewer) => (await as(viewer)).done.map((step) => `${step.do} ${step.path}`);
    const ann = user('ann', 'gardeners');

    await as(ann);
    hide('benches');
    await isLeftAlone(user('bob', 'gardeners'), 'benches', /or it is hidden from bob, who doesn't have all the rights/);
    await isLeftAlone(user('ann'), 'benches', /or it is hidden from ann/);
    assert.deepEqual(await removed(user('ann', 'gardeners', 'more')), [
      `remove ${homeOf('parks/benches')}/dataset.yaml`,
    ]);
    // Only Bob sees a dataset that comes with a part of a pull, and one that comes while another is left alone.
    await as(ann);
    add('ponds', 31);
    await as(user('bob'), { names: ['parks/ponds'] });
    hide('ponds');
    await isLeftAlone(ann, 'ponds', /hidden from ann/);
    await isLeftAlone(user('bob'), 'ponds', /hidden from bob/);
    assert.deepEqual(await removed(localAdmin), [`remove ${homeOf('parks/ponds')}/dataset.yaml`]);
    // Staff see all; who was staff doesn't.
    add('lakes', 32);
    await as(localAdmin);
    hide('lakes');
    await isLeftAlone(ann, 'lakes', /hidden from ann/);
    assert.deepEqual(await removed(localAdmin), [`remove ${homeOf('parks/lakes')}/dataset.yaml`]);
  });

  it('do nothing in a rehearsal', async (test) => {
    const { here, there } = await start(test);
    const before = contentOf(here);
    const { plan, done } = await pullFrom(here, there, { dryRun: true });
    assert.deepEqual([done, contentOf(here)], [[], before]);
    assert.equal(plan.incoming.length, 14);
  });

  it('fill an empty one by a push', async (test) => {
    const { here, there, same } = await start(test);
    assert.deepEqual(failuresOf(await pushTo(there, here)), []);
    same();
  });
});
