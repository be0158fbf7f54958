/** Files that are written over HTTP: many at once with an outcome each, one by one with conditions, and bytes. */
import '../support/judged.ts';
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { connect } from 'node:net';
import { describe, it, type TestContext } from 'node:test';
import { openFileCatalogue } from '../../src/files/file-catalogue.ts';
import { serveAccounts } from '../support/accounts.ts';
import { until } from '../support/folder.ts';
import { served } from '../support/served.ts';

const root = '/api/v1/files/';
const home = 'namespaces/parks/datasets/trees';
const sha256 = (bytes: string) => createHash('sha256').update(bytes).digest('hex');
const digest = (bytes: string) => `sha-256=:${createHash('sha256').update(bytes).digest('base64')}:`;
const write = (path: string, text: string, seen: string | null = null) => ({ do: 'write', path, text, ifMatch: seen });
const text = 'id: 7\nlabel: Trees # old ones\n';

async function given(test: TestContext) {
  const server = await serveAccounts(test);
  const { accounts, send } = server;
  const tokenOf = async (name: string) => (await accounts.addToken(name)).token;
  const tokens = { alice: await tokenOf('alice'), bob: await tokenOf('bob'), eve: await tokenOf('eve') };
  const change = (changes: unknown, token = tokens.bob) => send('PATCH', root, changes, token);
  assert.equal((await change([write(`${home}/dataset.yaml`, text)])).body[0].status, 200);
  return { ...server, ...tokens, change };
}

describe('changes, many at once', { concurrency: 3 }, () => {
  it('have an outcome each, as requests of their own would have', async (test) => {
    const { change, ask, folder } = await given(test);
    folder.write('queries/broken.yaml', 'label: [\n');
    await until(async () => (await ask('/api/v1/intrinsecus/')).text.includes('"id"'));
    const { status, body, headers } = await change([
      write(`${home}/versions/v1.yaml`, 'ready: false\n'),
      write(`${home}/dataset.yaml`, 'label: 5\n', sha256(text)),
      write('namespaces/water/datasets/wells/dataset.yaml', 'label: Wells\n'),
      write(`${home}/dataset.yaml`, 'id: 7\nlabel: Else\n', sha256('else')),
      write('namespaces/parks/datasets/TREES/dataset.yaml', 'label: Twin\n'),
      write('../x.yaml', 'label: X\n'),
      { do: 'remove', path: 'queries/none.yaml', ifMatch: sha256('') },
    ]);
    assert.deepEqual([status, headers.get('content-type')], [200, 'application/json']);
    assert.deepEqual(
      body.map((one: { status: number }) => one.status),
      [200, 400, 403, 412, 409, 400, 403],
    );
    assert.deepEqual(Object.keys(body[0]), ['path', 'status']);
    const message = `${home}/dataset.yaml:1:8: label must be text, but reads as 5. Write it in quotes: "5".`;
    assert.deepEqual(body[1], {
      path: `${home}/dataset.yaml`,
      status: 400,
      errors: { non_field_errors: [message] },
    });
    assert.equal(body[2].detail, 'You do not have permission to perform this action.');
    assert.equal((await ask('/api/v1/namespaces/parks/datasets/trees/version/v1/')).status, 200);
    assert.equal(readFileSync(folder.path(`${home}/dataset.yaml`), 'utf8'), text);
  });

  it('are told to be none where they are none', async (test) => {
    const { change, ask, bob } = await given(test);
    for (const wrong of [
      {},
      null,
      'x',
      [null],
      [{}],
      [{ do: 'write', path: 'a' }],
      [{ do: 'erase', path: 'a', ifMatch: 'b' }],
      [{ do: 'move', path: 'a', to: 'b', ifMatch: 'b', queries: 'q' }],
      [{ do: 'move', path: 'a', to: 'b', ifMatch: 'b', queries: [1] }],
    ])
      assert.equal((await change(wrong)).status, 400, JSON.stringify(wrong));
    assert.match((await change([write('a', 'b'), { do: 'remove', path: 'a' }])).text, /Number 2 is not a change/);
    const many = await change(Array.from({ length: 1001 }, () => write('a', 'b')));
    assert.deepEqual([many.status, /at most 1000/.test(many.text)], [400, true]);
    assert.deepEqual((await change([])).body, []);
    const patch = (body: string, type = 'application/json') =>
      ask(root, { method: 'PATCH', body, headers: { 'Content-Type': type } }, bob);
    assert.equal((await patch('[')).status, 400);
    assert.equal((await patch('a=b', 'application/x-www-form-urlencoded')).status, 415);
    assert.equal((await patch(`[${' '.repeat(8 * 1024 * 1024)}]`)).status, 413);
    const large = JSON.stringify([write('groups/a.yaml', `label: ${'x'.repeat(3_000_000)}\n`)]);
    assert.deepEqual((await patch(large)).body[0].status, 403);
  });

  it('tell nothing of what is private', async (test) => {
    const { change, eve, bob } = await given(test);
    await change([write('namespaces/secret/datasets/inner/dataset.yaml', 'id: 8\nlabel: Inner\n')], bob);
    const told = async (namespace: string, dataset: string) => {
      const path = `namespaces/${namespace}/datasets/${dataset}/dataset.yaml`;
      const { body } = await change(
        [
          write(path, 'label: A\n'),
          write(path, 'label: A\n', sha256('id: 8\nlabel: Inner\n')),
          { do: 'remove', path, ifMatch: sha256('id: 8\nlabel: Inner\n') },
          write(`namespaces/${namespace}/namespace.yaml`, 'label: A\n'),
          write('queries/q.yaml', `label: Q\ndataset: ${namespace}/${dataset}\n`),
        ],
        eve,
      );
      return JSON.stringify(body).replaceAll(namespace, '').replaceAll(dataset, '');
    };
    assert.equal(await told('secret', 'inner'), await told('no-such', 'none'));
  });

  it('are refused by a server that only reads, and from pages of others', async (test) => {
    const { accounts, ask } = await given(test);
    const session = await accounts.startSession('alice');
    const init = { method: 'PATCH', body: '[]', headers: { 'Content-Type': 'application/json' } };
    const headers = { ...init.headers, Cookie: `sessionid=${session.key}; csrftoken=${'x'.repeat(43)}` };
    const page = await ask('/auth/logout/', { headers });
    const ours = /csrftoken=([\w-]+)/.exec(page.headers.getSetCookie().join())?.[1] ?? '';
    const statusWith = async (sent: object) => (await ask(root, { ...init, headers: { ...headers, ...sent } })).status;
    assert.match((await ask(root, { ...init, headers })).text, /CSRF Failed/);
    assert.equal(await statusWith({ 'X-CSRFToken': 'x'.repeat(43) }), 403);
    assert.equal(await statusWith({ 'X-CSRFToken': ours }), 200);
    const still = await served({ users: { alice: { staff: true } } }, test, { readOnly: true });
    const files = await openFileCatalogue(still.folder.root);
    test.after(() => files.close());
    const { token } = await files.accounts.addToken('alice');
    for (const [method, path] of [
      ['PATCH', root],
      ['PUT', `${root}groups/a.yaml`],
      ['DELETE', `${root}users/alice.yaml`],
    ] as const) {
      const headers = { ...init.headers, Authorization: `Token ${token}`, 'If-Match': '*' };
      const answer = await fetch(still.base + path, { ...init, method, headers });
      assert.deepEqual([answer.status, await answer.json()], [403, { detail: 'This server is read-only.' }]);
    }
  });
});

describe('one record', { concurrency: 3 }, () => {
  it('is written as it was seen, and removed', async (test) => {
    const { ask, bob, folder } = await given(test);
    const path = `${root}${home}/dataset.yaml`;
    const put = (body: string, headers: Record<string, string>) => ask(path, { method: 'PUT', body, headers }, bob);
    assert.equal((await put('label: A\n', {})).status, 428);
    assert.equal((await put('label: A\n', { 'If-None-Match': '*' })).status, 412);
    assert.equal((await put('label: A\n', { 'If-Match': '"other"' })).status, 412);
    const changed = await put('label: A\n', { 'If-Match': `"${sha256(text)}"` });
    assert.deepEqual([changed.status, changed.headers.get('etag')], [200, `"${sha256('label: A\n')}"`]);
    assert.deepEqual(changed.body, {
      path: `${home}/dataset.yaml`,
      checksum: sha256('label: A\n'),
      size: 9,
      record: true,
    });
    assert.equal((await put('label: [', { 'If-Match': changed.headers.get('etag') ?? '' })).status, 400);
    const remove = (headers: Record<string, string>) => ask(path, { method: 'DELETE', headers }, bob);
    assert.equal((await remove({})).status, 428);
    assert.equal((await remove({ 'If-Match': `"${sha256(text)}"` })).status, 412);
    assert.equal((await remove({ 'If-Match': changed.headers.get('etag') ?? '' })).status, 204);
    assert.equal((await remove({ 'If-Match': '*' })).status, 404);
    assert.equal(existsSync(folder.path(home)), false);
    assert.equal((await put('label: B\n', { 'If-Match': '*' })).status, 412);
    assert.equal((await put('label: B\n', { 'If-None-Match': '*' })).status, 201);
    assert.equal(
      (await ask(`${root}catalogue.yaml`, { method: 'DELETE', headers: { 'If-Match': '*' } }, bob)).status,
      403,
    );
  });

  it('is refused if its bytes are not those of Repr-Digest, or a part of the file', async (test) => {
    const { ask, bob, folder } = await given(test);
    const put = (headers: Record<string, string>) =>
      ask(
        `${root}${home}/dataset.yaml`,
        { method: 'PUT', body: 'label: A\n', headers: { 'If-Match': '*', ...headers } },
        bob,
      );
    for (const wrong of [digest('label: B\n'), 'sha-256=:AAAA:', 'x'])
      assert.equal((await put({ 'Repr-Digest': wrong })).status, 400, wrong);
    assert.equal((await put({ 'Content-Range': 'bytes 0-8/20' })).status, 400);
    assert.equal(readFileSync(folder.path(`${home}/dataset.yaml`), 'utf8'), text);
    assert.equal((await put({ 'Repr-Digest': digest('label: A\n') })).status, 200);
  });

  it('takes a list in If-Match, and is added once only', async (test) => {
    const { ask, bob } = await given(test);
    const send = (method: string, headers: Record<string, string>, body?: string) =>
      ask(`${root}${home}/dataset.yaml`, { method, headers, ...(body && { body }) }, bob);
    const list = (...texts: string[]) => ({ 'If-Match': texts.map((one) => `"${sha256(one)}"`).join(', ') });
    assert.equal((await send('PUT', list('other', 'another'), 'label: A\n')).status, 412);
    assert.equal((await send('PUT', list('other', text), 'label: A\n')).status, 200);
    assert.equal((await send('PUT', { 'If-None-Match': '*' }, 'label: A\n')).status, 200, 'the same, again');
    assert.equal((await send('DELETE', list('other', text))).status, 412);
    assert.equal((await send('DELETE', list('label: A\n', text))).status, 204);
    assert.equal((await send('PUT', { 'If-None-Match': '*' }, 'label: A\n')).status, 201);
  });

  it('of two writers at once, one is told to read again', async (test) => {
    const { ask, bob, alice } = await given(test);
    const headers = { 'If-Match': `"${sha256(text)}"` };
    const put = (body: string, token: string) =>
      ask(`${root}${home}/dataset.yaml`, { method: 'PUT', body, headers }, token);
    const both = await Promise.all([put('label: A\n', bob), put('label: B\n', alice)]);
    assert.deepEqual(both.map(({ status }) => status).sort(), [200, 412]);
  });
});

describe('bytes', { concurrency: 3 }, () => {
  const csv = 'a,b\n1,2\n';

  it('are added once, with the digest that they have', async (test) => {
    const { ask, bob, eve, folder } = await given(test);
    const path = `${root}${home}/data/a.csv`;
    const put = (body: string, headers: Record<string, string>, token = bob) =>
      ask(path, { method: 'PUT', body, headers }, token);
    assert.equal((await put(csv, {})).status, 400);
    assert.equal((await put(csv, { 'Repr-Digest': digest('other') })).status, 400);
    assert.equal((await put(csv, { 'Repr-Digest': digest(csv), 'Content-Encoding': 'gzip' })).status, 415);
    assert.equal((await put(csv, { 'Repr-Digest': digest(csv) }, eve)).status, 403);
    assert.equal(existsSync(folder.path(`${home}/data`)), false);
    const told = await put(csv, { 'Repr-Digest': digest(csv), 'If-None-Match': '*' });
    assert.deepEqual([told.status, told.body.checksum], [201, sha256(csv)]);
    assert.equal((await put(csv, { 'Repr-Digest': `md5=:x:, ${digest(csv)}` })).status, 200);
    assert.equal((await put('other', { 'Repr-Digest': digest('other') })).status, 409);
    assert.equal((await ask(path, {}, bob)).status, 404);
    assert.deepEqual(readdirSync(folder.path(`${home}/data`)), ['a.csv']);
    const stream = new Blob(['a']).stream();
    const chunked = { method: 'PUT', body: stream, duplex: 'half', headers: { 'Repr-Digest': digest('a') } };
    assert.equal((await ask(`${root}${home}/data/b.csv`, chunked as RequestInit, bob)).status, 411);
    const picture = await ask(
      `${root}site_media/a.png`,
      { method: 'PUT', body: 'x', headers: { 'Repr-Digest': digest('x') } },
      bob,
    );
    assert.equal(picture.status, 201);
  });

  it('that break off leave nothing', async (test) => {
    const { base, bob, folder } = await given(test);
    const { hostname, port } = new URL(base);
    const socket = connect(Number(port), hostname);
    const lines = [
      `PUT ${root}${home}/data/a.csv HTTP/1.1`,
      'Host: a',
      `Authorization: Token ${bob}`,
      `Repr-Digest: ${digest(csv)}`,
      'Content-Length: 8',
    ];
    socket.write(`${lines.join('\r\n')}\r\n\r\na,b\n`);
    await until(() => readdirSync(folder.path(`${home}/data`)).length === 1);
    socket.destroy();
    await until(() => !existsSync(folder.path(`${home}/data`)));
  });

  for (const path of [
    'site_media/..%2fcatalogue.yaml',
    'site_media/.x.png',
    'site_media/a:b.png',
    'site_media/nul.png',
    'site_media/a%5cb.png',
    `${home}/data/a%00.csv`,
  ])
    it(`have no place at ${path}`, async (test) => {
      const { ask, alice, folder } = await given(test);
      const { status } = await ask(
        root + path,
        { method: 'PUT', body: csv, headers: { 'Repr-Digest': digest(csv) } },
        alice,
      );
      assert.equal(status, 400);
      assert.equal(existsSync(folder.path('site_media')), false);
    });
});
