/** `?dry_run=true`: no write that is asked for it changes anything. */
import assert from 'node:assert/strict';
import { readdir, readFile } from 'node:fs/promises';
import { it, type TestContext } from 'node:test';
import { routes } from '../../src/server/routes.ts';
import { serveAccounts } from '../support/accounts.ts';

const trees = '/api/v1/namespaces/parks/datasets/trees/';

async function withTrees(test: TestContext) {
  const server = await serveAccounts(test);
  const { token } = await server.accounts.addToken('alice');
  const made = await server.send(
    'POST',
    '/api/v1/datasets/',
    { label: 'Trees', namespace: '/api/v1/namespaces/parks/' },
    token,
  );
  assert.equal(made.status, 201);
  const state = async () => {
    const paths = (await readdir(server.folder.root, { recursive: true }))
      .filter((path) => /\.ya?ml$/.test(path))
      .sort();
    return Promise.all(paths.map(async (path) => [path, await readFile(server.folder.path(path), 'utf8')]));
  };
  return { ...server, token, state };
}

it('an invalid value is refused, and a false one is no dry run', async (test) => {
  const { send, token, state } = await withTrees(test);
  const before = await state();
  for (const value of ['maybe', '2', ''])
    assert.deepEqual((await send('PATCH', `${trees}?dry_run=${value}`, { label: 'x' }, token)).body, {
      dry_run: ['Must be a valid boolean.'],
    });
  assert.deepEqual(await state(), before);
  assert.equal((await send('PATCH', `${trees}?dry_run=0`, { label: 'Oaks' }, token)).body.label, 'Oaks');
});

it('another spelling is refused, and so are two values', async (test) => {
  const { send, token, state } = await withTrees(test);
  const before = await state();
  for (const name of ['dryrun', 'dry-run', 'dryRun', '_dry_run', 'DRY_RUN', 'dry_rum', 'dryruns'])
    for (const method of ['DELETE', 'PATCH'])
      assert.deepEqual((await send(method, `${trees}?${name}=true`, method === 'PATCH' ? {} : undefined, token)).body, {
        [name]: [`Unknown parameter "${name}". Did you mean "dry_run"?`],
      });
  const twice = await send('DELETE', `${trees}?dry_run=true&dry_run=false`, undefined, token);
  assert.deepEqual(twice.body, { dry_run: ['This parameter is given with different values: give it once.'] });
  assert.deepEqual(await state(), before);
});

it('the answer is that of the write, without a Location', async (test) => {
  const { send, ask, token, state } = await withTrees(test);
  const before = await state();
  const dry = (method: string, path: string, body?: unknown) => send(method, `${path}?dry_run=true`, body, token);
  const made = await dry('POST', '/api/v1/datasets/', { label: 'Wells', namespace: '/api/v1/namespaces/water/' });
  assert.deepEqual([made.status, made.body.slug, made.headers.get('location')], [201, 'wells', null]);
  const edited = await dry('PATCH', trees, { label: 'Oaks' });
  assert.deepEqual([edited.status, edited.body.label], [200, 'Oaks']);
  assert.deepEqual((await dry('PATCH', trees, { label: '' })).body, { label: ['This field may not be blank.'] });
  assert.equal((await dry('DELETE', trees)).status, 204);
  const csv = { method: 'POST', body: 'a,b\n1,2\n', headers: { 'Content-Type': 'text/csv' } };
  const published = await ask(`${trees}version/?dry_run=true&label=Dry`, csv, token);
  assert.deepEqual([published.status, published.body.label, published.body.rows], [201, 'Dry', 1]);
  const form = new FormData();
  form.append('file', new Blob(['a,b\n1,2\n']), 'a.csv');
  form.append('label', 'Behind');
  const uploaded = await ask(`${trees}version/?dry_run=true`, { method: 'POST', body: form }, token);
  assert.deepEqual([uploaded.status, uploaded.body.label], [201, 'Behind']);

  const path = 'namespaces/parks/namespace.yaml';
  const put = (body: string, query = '') =>
    ask(`/api/v1/files/${path}${query}`, { method: 'PUT', body, headers: { 'If-Match': '*' } }, token);
  const tried = await put('label: Gardens\n', '?dry_run=1');
  assert.equal(tried.status, 200);
  const [file] = (await send('PATCH', '/api/v1/files/?dry_run=yes', [{ do: 'remove', path, ifMatch: 'x' }], token))
    .body;
  assert.equal(file.status, 412);
  assert.deepEqual(await state(), before);
  assert.deepEqual((await put('label: Gardens\n')).body, tried.body);
});

it('no write changes anything', async (test) => {
  const { send, ask, token, state, accounts } = await withTrees(test);
  assert.equal((await send('DELETE', '/api/v1/namespaces/water/', undefined, token)).status, 204);
  const [entry] = (await ask('/api/v1/trash/', {}, token)).body.results;
  const before = await state();
  const kept = [(await ask('/api/v1/trash/', {}, token)).body, (await accounts.tokens()).length];
  const parts: Readonly<Record<string, string>> = {
    ...{ namespace: 'parks', dataset: 'trees', version: 'latest', group: 'gardeners', user: 'bob', query: 'none' },
    ...{ token: (await accounts.tokens())[0]?.id ?? '', entry: entry.id, path: 'namespaces/parks/namespace.yaml' },
  };
  for (const { path, handlers } of routes)
    for (const method of Object.keys(handlers).filter((name) => name !== 'GET')) {
      const address = path.replace(/[:*](\w+)/g, (_, name: string) => parts[name] ?? '');
      const body = path.endsWith('files/') ? [] : { label: 'New', namespace: '/api/v1/namespaces/parks/' };
      const { status, text } = await send(
        method,
        `${address}?dry_run=true`,
        method === 'DELETE' ? undefined : body,
        token,
      );
      assert.ok(status < 500, `${method} ${address}: ${text}`);
      assert.deepEqual(await state(), before, `${method} ${address}`);
    }
  assert.deepEqual([(await ask('/api/v1/trash/', {}, token)).body, (await accounts.tokens()).length], kept);
});
