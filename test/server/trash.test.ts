/** The trash over real HTTP: for staff, who look into it, put back and delete for good. */
import '../support/judged.ts';
import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { rename } from 'node:fs/promises';
import { request } from 'node:http';
import { describe, it, type TestContext } from 'node:test';
import { serveAccounts } from '../support/accounts.ts';

const trash = '/api/v1/trash/';
const parks = '/api/v1/namespaces/parks/';

async function withTrash(test: TestContext) {
  const server = await serveAccounts(test);
  const { accounts, ask, send } = server;
  const [{ token: alice }, { token: bob }] = [await accounts.addToken('alice'), await accounts.addToken('bob')];
  for (const label of ['Trees', 'Lawns'])
    assert.equal((await send('POST', `${parks}datasets/`, { label }, bob)).status, 201);
  for (const slug of ['trees', 'lawns'])
    assert.equal((await ask(`${parks}datasets/${slug}/`, { method: 'DELETE' }, bob)).status, 204);
  const list = async () => (await ask(trash, {}, alice)).body;
  const entry = async (name: string) =>
    (await list()).results.find((one: { name: string }) => one.name === name) as Record<string, string>;
  return { ...server, alice, bob, list, entry };
}

describe('the trash', () => {
  it('is listed in pages, the newest first, for staff alone', async (t) => {
    const { ask, list, alice, bob, base } = await withTrash(t);
    const { count, next, previous, results } = await list();
    assert.deepEqual([count, next, previous], [2, null, null]);
    assert.deepEqual(
      results.map(({ kind, name, by }: Record<string, string>) => [kind, name, by]),
      [
        ['dataset', 'parks/lawns', 'bob'],
        ['dataset', 'parks/trees', 'bob'],
      ],
    );
    const [newest] = results;
    assert.deepEqual(Object.keys(newest), ['id', 'kind', 'name', 'paths', 'removed', 'by', 'url']);
    assert.equal(newest.url, `${base}${trash}${newest.id}/`);
    assert.deepEqual((await ask(new URL(newest.url).pathname, {}, alice)).body, newest);
    const page = await ask(`${trash}?page_size=1&page=2`, {}, alice);
    assert.deepEqual([page.body.results.length, page.body.results[0].name, page.body.next], [1, 'parks/trees', null]);
    assert.match(page.headers.get('cache-control') ?? '', /private/);
    assert.equal((await ask(`${trash}?page=3`, {}, alice)).status, 404);
    for (const [token, status] of [
      [undefined, 401],
      [bob, 403],
    ] as const)
      for (const path of [trash, `${trash}${newest.id}/`, `${trash}nothing/`])
        assert.equal((await ask(path, {}, token)).status, status, path);
  });

  it('is not emptied by an address with another parameter than `before`', async (t) => {
    const { ask, list, alice } = await withTrash(t);
    for (const name of ['befor', '_before', 'Before', 'older', 'page_size']) {
      const { status, body } = await ask(`${trash}?${name}=2020-01-01`, { method: 'DELETE' }, alice);
      const hint = name.toLowerCase().includes('befor') ? ' Did you mean "before"?' : '';
      assert.deepEqual([status, body], [400, { [name]: [`Unknown parameter "${name}".${hint}`] }]);
    }
    assert.equal((await list()).count, 2);
  });

  it('gives back what it has, where there is a place for it', async (t) => {
    const { ask, send, entry, list, alice, folder } = await withTrash(t);
    const trees = await entry('parks/trees');
    const restore = `${trash}${trees.id}/restore/`;
    const dry = await send('POST', restore, { dry_run: true }, alice);
    assert.deepEqual([dry.status, dry.body], [200, trees]);
    assert.equal((await ask(`${parks}datasets/trees/`)).status, 404);
    assert.equal((await send('POST', `${parks}datasets/`, { label: 'Trees' }, alice)).status, 201);
    for (const body of [{ dry_run: true }, {}]) {
      const taken = await send('POST', restore, body, alice);
      assert.equal(taken.status, 409);
      assert.match(taken.body.detail, /The dataset parks\/trees can't be restored: .* exists\./);
    }
    assert.deepEqual((await send('POST', restore, { dry_run: 'perhaps' }, alice)).body, {
      dry_run: ['Must be a valid boolean.'],
    });
    const lawns = await entry('parks/lawns');
    const restored = await send('POST', `${trash}${lawns.id}/restore/`, {}, alice);
    assert.deepEqual([restored.status, restored.body], [200, lawns]);
    // As after every write, the next who asks sees it.
    assert.equal((await ask(`${parks}datasets/lawns/`)).status, 200);
    assert.ok(existsSync(folder.path('namespaces/parks/datasets/lawns/dataset.yaml')));
    assert.equal((await list()).count, 1);
    assert.equal((await send('POST', `${trash}${lawns.id}/restore/`, {}, alice)).status, 404);
  });

  it('is emptied: of one thing, of what is older, of all', async (t) => {
    const { ask, send, entry, list, alice, folder } = await withTrash(t);
    const trees = await entry('parks/trees');
    const old = `20200101000000000-${trees.id?.slice(-8)}`;
    const path = (id: string | undefined) => folder.path(`.catalogue/trash/${id}`);
    await rename(path(trees.id), path(old));
    const before = await ask(`${trash}?before=2021-01-01T00:00:00Z`, { method: 'DELETE' }, alice);
    assert.equal(before.status, 200);
    assert.deepEqual(
      before.body.results.map(({ id }: { id: string }) => id),
      [old],
    );
    for (const wrong of ['', 'yesterday', '7'])
      assert.equal((await ask(`${trash}?before=${wrong}`, { method: 'DELETE' }, alice)).status, 400, wrong);
    const lawns = await entry('parks/lawns');
    assert.equal((await ask(`${trash}${lawns.id}/`, { method: 'DELETE' }, alice)).status, 204);
    assert.deepEqual([existsSync(path(lawns.id)), (await list()).count], [false, 0]);
    assert.equal((await send('DELETE', trash, {}, alice)).body.count, 0);
  });

  it('holds nothing but its entries, whatever is asked for', async (t) => {
    const { base, alice, folder } = await withTrash(t);
    // As they stand: a client of good manners would tidy them up.
    const raw = (method: string, path: string) =>
      new Promise<number | undefined>((resolve, reject) => {
        const headers = { Authorization: `Token ${alice}` };
        request(base, { method, path, headers }, (answer) => {
          answer.resume();
          resolve(answer.statusCode);
        })
          .on('error', reject)
          .end();
      });
    for (const id of ['..', '%2e%2e', '..%2f..', '.gitignore', '..%2faccounts.json', '%00', 'x'.repeat(300)])
      for (const [method, path] of [
        ['GET', `${trash}${id}/`],
        ['DELETE', `${trash}${id}/`],
        ['POST', `${trash}${id}/restore/`],
      ] as const)
        assert.ok([400, 404].includes((await raw(method, path)) ?? 0), `${method} ${path}`);
    for (const path of ['.catalogue/accounts.json', '.catalogue/trash/.gitignore', 'catalogue.yaml'])
      assert.ok(existsSync(folder.path(path)), path);
  });
});
