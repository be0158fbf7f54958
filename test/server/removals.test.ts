/** Removals in the feed of changes: each viewer is told of what the viewer could see, and of nothing else. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { rmSync } from 'node:fs';
import { describe, it, type TestContext } from 'node:test';
import { openCatalogue } from '../../src/index.ts';
import { openRemoteCatalogue } from '../../src/remote/remote-catalogue.ts';
import { serveAccounts } from '../support/accounts.ts';
import { homeOf, makeFolder, until } from '../support/folder.ts';
import { type } from '../support/prompt.ts';
import { gitEnv } from '../support/repository.ts';
import { serveFolder } from '../support/server.ts';

interface Change {
  readonly kind: string;
  readonly url: string;
  readonly datetime: string;
  readonly removed: boolean;
  readonly moved_to: string | null;
}

const datasets = '/api/v1/namespaces/parks/datasets/';
const nameIn = (url: string) =>
  url.replace(/.*\/(?:namespaces|api\/v1)\//, '').replace(/datasets\/|version\/|\/$/g, '');

async function given(test: TestContext) {
  const server = await serveAccounts(test);
  const { folder, accounts, ask } = server;
  for (const [i, name] of ['parks/trees', 'parks/ponds', 'parks/lawns', 'secret/inner', 'water/wells'].entries())
    folder.write(`${homeOf(name)}/dataset.yaml`, `id: ${i + 1}\nlabel: ${name}\n`);
  for (const slug of ['a', 'b']) folder.write(`${homeOf('parks/lawns')}/versions/${slug}.yaml`, `label: ${slug}\n`);
  folder.write('queries/deep.yaml', 'id: 1\nlabel: Deep\ndataset: parks/ponds\n');
  await until(async () => (await ask('/api/v1/queries/deep/')).status === 200);
  await until(async () => (await ask('/api/v1/datasets/')).body.count === 4);
  const tokens: Record<string, string> = {};
  for (const name of ['alice', 'bob', 'eve']) tokens[name] = (await accounts.addToken(name)).token;
  /** Removals as a user is told of them, by name. */
  const removed = async (user?: string) => {
    const { status, body } = await ask('/api/v1/changes/?since=2000-01-01&page_size=100', {}, tokens[user ?? '']);
    assert.equal(status, 200);
    const results = (body.results as Change[]).filter((change) => change.removed);
    return new Map(results.map((change) => [nameIn(change.url), change]));
  };
  const namesOf = async (user?: string) => [...(await removed(user)).keys()].sort();
  return { ...server, tokens, removed, namesOf };
}

describe('removals', { concurrency: 4 }, () => {
  it('are those by the API, the command line, by hand and by git; what comes back is none', async (test) => {
    const { folder, ask, tokens, removed, namesOf } = await given(test);
    const git = (...words: string[]) =>
      execFileSync('git', ['-c', 'user.name=T', '-c', 'user.email=t@example.org', ...words], {
        cwd: folder.root,
        env: gitEnv,
      });
    folder.write('.gitignore', '.catalogue/\n');
    git('init', '-q');
    git('add', '.');
    git('commit', '-q', '-m', 'All');
    assert.deepEqual(await namesOf(), []);

    assert.equal((await ask(`${datasets}trees/`, { method: 'DELETE' }, tokens.bob)).status, 204);
    assert.equal((await type(['query', 'remove', 'deep', '--yes'], { root: folder.root })).exitCode, 0);
    rmSync(folder.path('namespaces/water'), { recursive: true });
    rmSync(folder.path(`${homeOf('parks/lawns')}/versions/a.yaml`));
    const all = ['parks/lawns/a', 'parks/trees', 'queries/deep', 'water', 'water/wells'];
    await until(async () => (await namesOf()).length === all.length);
    assert.deepEqual(await namesOf(), all);
    const [change] = (await removed()).values();
    assert.deepEqual(Object.keys(change ?? {}), ['kind', 'url', 'datetime', 'record_datetime', 'removed', 'moved_to']);
    assert.equal((await removed()).get('parks/lawns/a')?.kind, 'version');

    git('checkout', '-q', '.');
    await until(async () => (await namesOf()).length === 0);
    git('rm', '-q', '-r', 'namespaces/parks/datasets/ponds');
    await until(async () => (await namesOf()).length > 0);
    // A query without its dataset is hidden.
    assert.deepEqual(await namesOf(), ['parks/ponds', 'queries/deep']);
  });

  it('have the new address of what was renamed or moved', async (test) => {
    const { send, tokens, removed, namesOf } = await given(test);
    assert.equal((await send('PATCH', `${datasets}trees/`, { slug: 'oaks' }, tokens.alice)).status, 200);
    assert.equal((await send('PATCH', '/api/v1/namespaces/water/', { slug: 'wet' }, tokens.alice)).status, 200);
    await until(async () => (await namesOf()).length === 3);
    const moves = [...(await removed())].map(([name, { moved_to }]) => `${name} ${nameIn(moved_to ?? '')}`);
    assert.deepEqual(moves.sort(), ['parks/trees parks/oaks', 'water wet', 'water/wells wet/wells']);
  });

  it('are told to those who can see the record no longer, and to nobody else', async (test) => {
    const { folder, ask, send, tokens, namesOf } = await given(test);
    assert.equal((await send('PATCH', `${datasets}ponds/`, { visibility: 'private' }, tokens.alice)).status, 200);
    await until(async () => (await namesOf()).length === 2);
    const hidden = ['parks/ponds', 'queries/deep'];
    assert.deepEqual([await namesOf(), await namesOf('eve'), await namesOf('bob')], [hidden, hidden, []]);
    // Nobody but its owners and staff ever saw the secret one.
    rmSync(folder.path(homeOf('secret/inner')), { recursive: true });
    await until(async () => (await namesOf('bob')).length === 1);
    assert.deepEqual([await namesOf('alice'), await namesOf('bob')], [['secret/inner'], ['secret/inner']]);
    assert.deepEqual([await namesOf(), await namesOf('eve')], [hidden, hidden]);

    // A user who becomes a member now was none then, and one who leaves sees no more of it.
    folder.write('users/eve.yaml', 'id: 3\ngroups: [gardeners]\n');
    folder.write('users/bob.yaml', 'id: 2\ngroups: []\n');
    await until(async () => (await ask('/api/v1/namespaces/secret/', {}, tokens.eve)).status === 200);
    await until(async () => (await namesOf('bob')).length === 4);
    assert.deepEqual(await namesOf('bob'), ['parks/ponds', 'queries/deep', 'secret', 'secret/inner']);
    assert.deepEqual(await namesOf('eve'), []);
    const { body } = await ask('/api/v1/changes/?since=2000-01-01', {}, tokens.eve);
    assert.deepEqual(
      (body.results as Change[])
        .slice(-3)
        .map(({ url }) => nameIn(url))
        .sort(),
      ['parks/ponds', 'queries/deep', 'secret'],
    );
  });

  it('are known after a restart, and in the library; the beginning of what is known is said', async (test) => {
    const folder = makeFolder(
      {
        namespaces: { parks: { id: 1, label: 'Parks' } },
        datasets: { 'parks/trees': { id: 1, label: 'Trees' }, 'parks/ponds': { id: 2, label: 'Ponds' } },
      },
      test,
    );
    const changesAt = async (base: string) =>
      (await (await fetch(`${base}/api/v1/changes/?since=2000-01-01`)).json()) as {
        results: Change[];
        until: string;
        complete_since: string;
      };
    const first = await serveFolder(folder.root);
    const { complete_since } = await changesAt(first.base);
    assert.ok(Math.abs(Date.parse(complete_since) - Date.now()) < 600_000);
    await first.close();
    rmSync(folder.path(homeOf('parks/trees')), { recursive: true });

    const second = await serveFolder(folder.root);
    const [local, remote] = [await openCatalogue(folder.root), await openRemoteCatalogue(second.base)];
    test.after(async () => {
      await Promise.all([local.close(), remote.close()]);
      await second.close();
    });
    const isTold = (change: Change) => change.removed && change.url.endsWith('/parks/datasets/trees/');
    await until(async () => (await changesAt(second.base)).results.some(isTold));
    const answer = await changesAt(second.base);
    assert.equal(answer.complete_since, complete_since);
    assert.ok(Date.parse(answer.until) <= Date.now() - 1000);
    const page = await remote.changes({ since: '2000-01-01' });
    assert.equal(page.completeSince, complete_since);
    const removed = { kind: 'dataset', namespace: 'parks', slug: 'trees' };
    assert.deepEqual(
      page.items.filter((item) => item.removed).map(({ ref, movedTo }) => [ref, movedTo]),
      [[removed, null]],
    );
    const inFolder = await local.changes({ since: '2000-01-01' });
    assert.deepEqual(inFolder.items, page.items);
    assert.equal(
      (await remote.changes()).items.some((item) => item.removed),
      false,
    );

    rmSync(folder.path('.catalogue/changes.ndjson'));
    const third = await serveFolder(folder.root);
    test.after(() => third.close());
    const anew = await changesAt(third.base);
    assert.ok(anew.complete_since > complete_since && !anew.results.some(isTold));
  });
});
