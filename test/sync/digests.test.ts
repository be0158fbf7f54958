/** Comparison by digests of groups of files: it is the full comparison, with less to send. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, rmSync, utimesSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import fc from 'fast-check';
import { chooseDigestGroupCount, digestGroupOfPath, GroupDigests } from '../../src/catalogue/manifest-groups.ts';
import type { Replica } from '../../src/catalogue/replica.ts';
import { computeChecksum } from '../../src/disk/checksum.ts';
import { openRemoteCatalogue } from '../../src/remote/remote-catalogue.ts';
import type { SyncPlan } from '../../src/sync/plan.ts';
import { CatalogueFolder, homeOf, makeFolder, removeFolder, temporaryParent } from '../support/folder.ts';
import { filesIn } from '../support/prompt.ts';
import { gitEnv } from '../support/repository.ts';
import { serveFolder } from '../support/server.ts';
import { edits, Hands } from './edits.ts';
import { contentOf, failuresOf, makeEmpty, pullFrom, pushTo } from './pair.ts';

const home = mkdtempSync(join(temporaryParent(), 'catalogue-digests-'));
after(() => removeFolder(home));
let count = 0;

const start = {
  namespaces: { kept: { id: 1, label: 'Kept' }, a: { id: 2, label: 'A' } },
  datasets: {
    'kept/kept': { id: 1, label: 'Kept' },
    'a/one': { id: 2, label: 'One' },
    'a/two': { id: 3, label: 'Two' },
  },
  queries: { q: { id: 1, label: 'Q', dataset: 'kept/kept' } },
};

/** Requests of manifests and digests, and the number of entries that were listed. */
interface Count {
  digests: number;
  manifests: number;
  entries: number;
}

/** Counts what is asked of the remote. @param isOld true for a server without digests */
const counting =
  (counted: Count, isOld = false) =>
  (replica: Replica, side: 'ours' | 'theirs'): Replica =>
    side === 'ours'
      ? replica
      : new Proxy(replica, {
          get(target, name) {
            if (name === 'digests')
              return async (...given: Parameters<Replica['digests']>) => {
                counted.digests++;
                return isOld ? 'unsupported' : target.digests(...given);
              };
            if (name === 'manifest')
              return async (...given: Parameters<Replica['manifest']>) => {
                counted.manifests++;
                const manifest = await target.manifest(...given);
                const entries = async function* () {
                  for await (const entry of manifest?.entries ?? []) {
                    counted.entries++;
                    yield entry;
                  }
                };
                return manifest && { ...manifest, entries: entries() };
              };
            const value = Reflect.get(target, name);
            return typeof value === 'function' ? value.bind(target) : value;
          },
        });
/** A plan without the positions of texts in the file of the last common state: files are fetched side by side, in any order. */
const withoutPositions = (plan: SyncPlan): unknown =>
  JSON.parse(
    JSON.stringify(plan, (key, value: unknown) => {
      if (key === 'position') return undefined;
      return value instanceof Map ? Object.fromEntries(value) : value;
    }),
  );

const zero = (): Count => ({ digests: 0, manifests: 0, entries: 0 });

describe('a comparison by digests', () => {
  it('has the result of the full comparison, after any edits, old times and a checkout in git', async () => {
    await fc.assert(
      fc.asyncProperty(edits(6), edits(6), edits(4), async (first, second, local) => {
        const folder = join(home, String(count++));
        const [there, plain, full] = ['there', 'plain', 'full'].map((name) => join(folder, name)) as [
          string,
          string,
          string,
        ];
        new CatalogueFolder(there, start);
        mkdirSync(join(plain, 'namespaces'), { recursive: true });
        const git = (...words: string[]) =>
          execFileSync('git', ['-c', 'user.name=T', '-c', 'user.email=t@example.org', ...words], {
            cwd: there,
            env: gitEnv,
          });
        const hands = new Hands(there, 'yours', () => true);
        const commit = () => {
          git('add', '.');
          git('commit', '-q', '--allow-empty', '-m', 'Edit');
        };
        git('init', '-q');
        commit();
        await pullFrom(plain, there);
        cpSync(plain, full, { recursive: true });
        const compare = async (step: string) => {
          const results = [
            await pullFrom(plain, there, {}, { wrap: counting(zero()) }),
            await pullFrom(full, there, {}, { wrap: counting(zero(), true) }),
          ].map((result) => ({
            plan: withoutPositions(result.plan),
            failures: failuresOf(result),
            done: result.done.map(({ path, do: what }) => `${what} ${path}`).sort(),
          }));
          assert.deepEqual(results[0], results[1], step);
          assert.deepEqual(contentOf(plain), contentOf(full), step);
        };
        for (const edit of first) hands.do(edit);
        commit();
        await compare('first edits');
        // The same edits, on both of the local sides.
        for (const root of [plain, full]) {
          const mine = new Hands(root, 'mine', (name) => /mine/.test(name));
          for (const edit of local) mine.do(edit);
        }
        for (const edit of second) hands.do(edit);
        for (const path of filesIn(there)) if (!path.startsWith('.')) utimesSync(join(there, path), 1e9, 1e9);
        commit();
        await compare('second edits');
        git('checkout', '-q', 'HEAD~1');
        for (const path of filesIn(there)) if (!path.startsWith('.')) utimesSync(join(there, path), 1e9, 1e9);
        await compare('checkout');
        await compare('nothing');
        rmSync(folder, { recursive: true });
      }),
      { numRuns: 6 },
    );
  });

  it('lists few files if few differ: after a pull, a push, and a conflict that stays', async (test) => {
    const names = Array.from({ length: 120 }, (_, i) => `set-${i}`);
    const there = makeFolder(
      {
        namespaces: { parks: { id: 1, label: 'Parks' } },
        datasets: Object.fromEntries(names.map((name, i) => [`parks/${name}`, { id: i + 10, label: name }])),
      },
      test,
    );
    const here = makeFolder({}, test);
    await makeEmpty(here.root);
    const pulled = async () => {
      const counted = zero();
      const result = await pullFrom(here.root, there.root, {}, { wrap: counting(counted) });
      assert.deepEqual(failuresOf(result), []);
      return { counted, done: result.done.map(({ path }) => path), conflicts: result.plan.conflicts.length };
    };
    assert.deepEqual((await pulled()).counted, { digests: 0, manifests: 1, entries: 122 });
    assert.deepEqual((await pulled()).counted, { digests: 1, manifests: 0, entries: 0 });
    const path = (name: string) => `${homeOf(`parks/${name}`)}/dataset.yaml`;
    there.write(path('set-7'), 'id: 17\nlabel: Seven\n');
    const one = await pulled();
    assert.deepEqual([one.done, one.counted.digests, one.counted.manifests], [[path('set-7')], 1, 1]);
    assert.ok(one.counted.entries < 30, `${one.counted.entries} entries`);

    here.write(path('set-8'), 'id: 18\nlabel: Eight\n');
    assert.deepEqual(failuresOf(await pushTo(here.root, there.root)), []);
    assert.deepEqual((await pulled()).counted, { digests: 1, manifests: 0, entries: 0 });

    here.write(path('set-9'), 'id: 19\nlabel: Mine\n');
    there.write(path('set-9'), 'id: 19\nlabel: Yours\n');
    for (const _ of [1, 2]) {
      const { conflicts, counted } = await pulled();
      assert.deepEqual([conflicts, counted.manifests], [1, 1]);
      assert.ok(counted.entries < 30);
    }
  });

  it('is a full one if the server is older, or changes between two requests', async (test) => {
    const there = makeFolder({ namespaces: { parks: { id: 1, label: 'Parks' } } }, test);
    const here = makeFolder({}, test);
    await makeEmpty(here.root);
    await pullFrom(here.root, there.root);
    there.write('namespaces/parks/namespace.yaml', 'id: 1\nlabel: Old\n');
    const counted = zero();
    const old = await pullFrom(here.root, there.root, {}, { wrap: counting(counted, true) });
    assert.deepEqual([old.done.length, counted.manifests], [1, 1]);
    there.write('namespaces/parks/namespace.yaml', 'id: 1\nlabel: Busy\n');
    let manifests = 0;
    const wrap = (replica: Replica, side: 'ours' | 'theirs') =>
      side === 'ours'
        ? replica
        : new Proxy(replica, {
            get(target, name) {
              if (name === 'manifest')
                return async (options: Parameters<Replica['manifest']>[0]) => {
                  const manifest = await target.manifest(options);
                  return options?.groups && manifest && manifests++ === 0 ? { ...manifest, tag: 'other' } : manifest;
                };
              const value = Reflect.get(target, name);
              return typeof value === 'function' ? value.bind(target) : value;
            },
          });
    assert.equal((await pullFrom(here.root, there.root, {}, { wrap })).done.length, 1);
    assert.equal(manifests, 1);
  });

  it('is recognised as unsupported over HTTP by the list of an older server', async (test) => {
    const there = makeFolder({ namespaces: { parks: { id: 1, label: 'Parks' } } }, test);
    const server = await serveFolder(there.root);
    const older = createServer(async (request, response) => {
      const answer = await fetch(`${server.base}${request.url?.replace(/\?.*/, '')}`);
      response.writeHead(answer.status, {
        'content-type': answer.headers.get('content-type') ?? '',
        etag: answer.headers.get('etag') ?? '',
      });
      response.end(await answer.text());
    });
    await new Promise<void>((resolve) => older.listen(0, '127.0.0.1', resolve));
    const remote = await openRemoteCatalogue(`http://127.0.0.1:${(older.address() as AddressInfo).port}`);
    const present = await openRemoteCatalogue(server.base);
    test.after(async () => {
      await remote.close();
      await present.close();
      older.closeAllConnections();
      older.close();
      await server.close();
    });
    assert.equal(await remote.replica.digests(16), 'unsupported');
    const found = await present.replica.digests(16);
    assert.ok(found && found !== 'unsupported');
    assert.equal(await present.replica.digests(16, { known: found.tag }), null);
    for (const query of ['groups=0', 'groups=1e3', 'groups=99999', 'groups=4&only=4', 'groups=4&only=x', 'only=1'])
      assert.equal((await fetch(`${server.base}/api/v1/files/?${query}`)).status, 400, query);
  });
});

describe('digests of groups', () => {
  const files = fc.uniqueArray(
    fc.record({
      path: fc
        .tuple(fc.nat(30), fc.constantFrom('dataset.yaml', 'versions/1.yaml', 'data/a.csv'))
        .map(([name, file]) => `namespaces/n/datasets/d${name}/${file}`),
      checksum: fc.constantFrom('a', 'b', ''),
      size: fc.nat(2),
    }),
    { selector: ({ path }) => path },
  );
  const digestsOf = (list: readonly { path: string; checksum: string; size: number }[], groups: number) => {
    const digests = new GroupDigests(groups);
    for (const file of list) digests.add(file);
    return digests.compute(computeChecksum);
  };

  it('differ exactly for the groups in which files differ, whatever their order', () => {
    fc.assert(
      fc.property(files, files, fc.integer({ min: 1, max: 40 }), (one, other, groups) => {
        const lines = (list: typeof one, group: number) =>
          list
            .filter(({ path }) => digestGroupOfPath(path, groups) === group)
            .map((file) => JSON.stringify([file.path, file.checksum, file.size]))
            .sort();
        const [first, second] = [digestsOf(one, groups), digestsOf([...other].reverse(), groups)];
        for (let group = 0; group < groups; group++) {
          const isSame = lines(one, group).join() === lines(other, group).join();
          assert.equal(first[group] === second[group], isSame);
        }
      }),
    );
    assert.deepEqual([0, 3000, 1e9].map(chooseDigestGroupCount), [16, 64, 8192]);
  });
});
