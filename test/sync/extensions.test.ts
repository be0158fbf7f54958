/** Records that get other extensions (`dataset.yaml`, `dataset.json`) on one side, or on both: between folders, and over HTTP. */
import assert from 'node:assert/strict';
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import { parse, stringify } from 'yaml';
import { extensions } from '../../src/catalogue/layout.ts';
import { localAdmin } from '../../src/catalogue/permissions.ts';
import type { Replica } from '../../src/catalogue/replica.ts';
import { openFileCatalogue } from '../../src/files/file-catalogue.ts';
import { openRemoteCatalogue } from '../../src/remote/remote-catalogue.ts';
import { createApp } from '../../src/server/app.ts';
import { SyncState } from '../../src/sync/state.ts';
import { pull, push, type SyncOptions, type SyncResult } from '../../src/sync/sync.ts';
import { homeOf, makeFolder } from '../support/folder.ts';
import { seed } from '../support/prompt.ts';
import { contentOf, cutAfter, failuresOf, pullFrom, pushTo } from './pair.ts';

type Wrap = (replica: Replica) => Replica;
type Run = (options?: SyncOptions, wrap?: Wrap) => Promise<SyncResult>;

interface Sides {
  readonly here: string;
  readonly there: string;
  readonly pull: Run;
  readonly push: Run;
}

const content = {
  ...seed,
  groups: { gardeners: { id: 5, label: 'Gardeners' } },
  users: { root: { id: 1, staff: true }, ann: { id: 6, groups: ['gardeners'] } },
  queries: { tall: { id: 7, label: 'Tall trees', dataset: 'parks/trees' } },
};

const folders = (here: string, there: string): Sides => ({
  here,
  there,
  pull: (options, wrap = (replica) => replica) => pullFrom(here, there, options, { wrap }),
  push: (options, wrap = (replica) => replica) => pushTo(here, there, options, { wrap }),
});

/** As a clone of a server has it. */
async function overHttp(here: string, there: string, test: TestContext): Promise<Sides> {
  const files = await openFileCatalogue(there);
  const viewer = { ...localAdmin, username: 'root' };
  const accounts = { viewerByToken: async () => viewer } as never;
  const server = createServer(createApp((one) => files.for(one), { accounts }));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  test.after(async () => {
    server.closeAllConnections();
    server.close();
    await files.close();
  });
  const run =
    (work: typeof pull): Run =>
    async (options, wrap = (replica) => replica) => {
      const remotes = join(here, '.catalogue', 'remotes');
      mkdirSync(remotes, { recursive: true });
      const [local, remote] = [await openFileCatalogue(here), await openRemoteCatalogue(base, { token: 'x' })];
      await files.refresh([{ folder: '' }]);
      const state = await SyncState.open(join(remotes, 'there.ndjson'));
      const [ours, theirs] = [local.for().replica, remote.replica].map(wrap) as [Replica, Replica];
      try {
        return await work({ ours, theirs, state, spool: join(remotes, 'there.texts'), viewer }, options);
      } finally {
        await state.close();
        await Promise.all([local.close(), remote.close()]);
      }
    };
  return { here, there, pull: run(pull), push: run(push as typeof pull) };
}

const kinds = { 'two folders': folders, 'a folder and a server': overHttp };

for (const [kind, open] of Object.entries(kinds))
  describe(`records with other extensions in ${kind}`, () => {
    /** A catalogue and its clone. */
    async function start(test: TestContext): Promise<Sides> {
      const [there, here] = [makeFolder(content, test).root, makeFolder({ namespaces: {} }, test).root];
      mkdirSync(join(here, 'namespaces'), { recursive: true });
      const sides = await open(here, there, test);
      assert.deepEqual(failuresOf(await sides.pull()), []);
      return sides;
    }

    it('hand each other what one of them has rewritten, and have nothing to do then', async (test) => {
      const sides = await start(test);
      for (const [i, next] of ['json', 'yml', 'yaml', 'yml', 'json', 'yaml'].entries()) {
        const [root, run] = i % 2 ? [sides.here, sides.push] : [sides.there, sides.pull];
        for (const stem of stems) rewrite(root, stem, next, i < 4 ? `Text ${i}` : undefined);
        const wanted = contentOf(root);
        const result = await run();
        assert.deepEqual(failuresOf(result), []);
        assert.deepEqual(
          result.done.map((step) => step.do),
          stems.map(() => 'write'),
          next,
        );
        for (const side of [sides.here, sides.there]) assert.deepEqual(contentOf(side), wanted);
        for (const again of [await sides.pull(), await sides.push()])
          assert.deepEqual([again.done, again.plan.conflicts, again.plan.agreed], [[], [], []]);
      }
    });

    it('come to the same when every run is broken off after any number of operations', async (test) => {
      const sides = await start(test);
      for (const [i, next] of ['json', 'yml'].entries()) {
        const [root, run] = i % 2 ? [sides.here, sides.push] : [sides.there, sides.pull];
        for (const stem of stems) rewrite(root, stem, next, `${next} ${i}`);
        const wanted = contentOf(root);
        for (let after = 1; ; after++) {
          const ended = await run({}, cutAfter(after)).then(failuresOf, (error) => error.message);
          if (ended === 'cut') continue;
          assert.deepEqual(ended, []);
          break;
        }
        for (const side of [sides.here, sides.there]) assert.deepEqual(contentOf(side), wanted);
      }
    });

    it('leave alone what both have rewritten, until somebody chooses', async (test) => {
      const sides = await start(test);
      for (const choice of ['ours', 'theirs'] as const) {
        rewrite(sides.here, trees, 'json', `Mine ${choice}`);
        rewrite(sides.there, trees, 'yml', `Yours ${choice}`);
        const mine = contentOf(sides.here);
        const theirs = contentOf(sides.there);
        const asked = await sides.pull();
        assert.deepEqual(
          asked.plan.conflicts.map(({ path }) => path.replace(/\.\w+$/, '')),
          [trees],
        );
        assert.deepEqual([contentOf(sides.here), contentOf(sides.there)], [mine, theirs]);
        assert.deepEqual(failuresOf(await sides.pull({ choice })), []);
        const pushed = await sides.push();
        assert.deepEqual([failuresOf(pushed), pushed.plan.conflicts], [[], []]);
        const wanted = choice === 'ours' ? mine : theirs;
        assert.deepEqual([contentOf(sides.here), contentOf(sides.there)], [wanted, wanted]);
        const again = await sides.pull();
        assert.deepEqual([again.done, again.plan.conflicts, again.plan.agreed], [[], [], []]);
      }
    });

    it('are one record also where nothing is known of before', async (test) => {
      const sides = await start(test);
      rewrite(sides.here, trees, 'json', 'Trees');
      rewrite(sides.there, trees, 'yml', 'Trees');
      rmSync(join(sides.here, '.catalogue', 'remotes'), { recursive: true });
      const asked = await sides.pull();
      assert.deepEqual([asked.plan.conflicts.length, asked.plan.blocked, asked.done], [1, [], []]);
      assert.deepEqual(failuresOf(await sides.pull({ choice: 'theirs' })), []);
      assert.deepEqual(contentOf(sides.here), contentOf(sides.there));
    });

    it('are renamed at the same time', async (test) => {
      const sides = await start(test);
      // On the other side, and on the same.
      rewrite(sides.here, trees, 'json', 'Oaks');
      rewrite(sides.here, version, 'yml', 'First');
      rename(sides.there, homeOf('parks/trees'), homeOf('parks/oaks'));
      rewrite(sides.there, 'queries/tall', 'json', 'Very tall', { dataset: 'parks/oaks' });
      rename(sides.there, 'queries/tall.json', 'queries/taller.json');
      rewrite(sides.there, `${homeOf('parks/benches')}/dataset`, 'yml', 'Seats');
      rename(sides.there, homeOf('parks/benches'), homeOf('parks/seats'));
      const pulled = await sides.pull();
      assert.deepEqual([failuresOf(pulled), pulled.plan.conflicts], [[], []]);
      assert.deepEqual(pulled.done.filter((step) => step.do === 'move').length, 3);
      const pushed = await sides.push();
      assert.deepEqual([failuresOf(pushed), pushed.plan.conflicts], [[], []]);
      assert.deepEqual(contentOf(sides.here), contentOf(sides.there));
      assert.ok(existsSync(join(sides.there, homeOf('parks/oaks'), 'dataset.json')));
      assert.ok(existsSync(join(sides.here, 'queries/taller.json')));
    });
  });

const trees = `${homeOf('parks/trees')}/dataset`;
const version = `${homeOf('parks/trees')}/versions/20200102030405000000`;
const stems = ['groups/gardeners', 'users/ann', 'namespaces/parks/namespace', trees, version, 'queries/tall'];

/** Gives a record another extension, and another label; without one, its text is the same where that can be. */
function rewrite(root: string, stem: string, extension: string, label?: string, more: object = {}): void {
  const former = join(root, `${stem}.${extensions.find((one) => existsSync(join(root, `${stem}.${one}`)))}`);
  const text = readFileSync(former, 'utf8');
  const fields = { ...parse(text), ...(label !== undefined && { label }), ...more };
  rmSync(former);
  const others = extension === 'json' ? JSON.stringify(fields, null, '\t') : `# Rewritten\n${stringify(fields)}`;
  const isSame = label === undefined && extension !== 'json' && !former.endsWith('.json');
  writeFileSync(join(root, `${stem}.${extension}`), isSame ? text : others);
}

const rename = (root: string, path: string, to: string) => renameSync(join(root, path), join(root, to));
