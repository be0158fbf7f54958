/** What caches and clients may keep, and writes on condition: of saved queries, of the latest version, and of indented JSON. */
import assert from 'node:assert/strict';
import { readdirSync, utimesSync } from 'node:fs';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { after, before, describe, it } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import { sendStoredBytes } from '../../src/server/stored-bytes.ts';
import { serveAccounts } from '../support/accounts.ts';
import { makeWorkshop, type Workshop } from '../support/published.ts';
import { serveFolder } from '../support/server.ts';

const ref = { kind: 'version', namespace: 'lab', dataset: 'trees' } as const;
const trees = '/api/v1/namespaces/lab/datasets/trees/';

describe('a response with bytes', () => {
  let workshop: Workshop;
  let server: Awaited<ReturnType<typeof serveFolder>>;
  let slugs: readonly string[];
  const get = (path: string, headers: Record<string, string> = {}) => fetch(server.base + path, { headers });

  before(async () => {
    workshop = await makeWorkshop();
    const publish = async (text: string) => (await workshop.publish('trees', 'trees.csv', text)).version.slug;
    slugs = [await publish('a\n1\n2\n'), await publish('a\n1\n2\n3\n')];
    const payloads = join(workshop.root, 'namespaces/lab/datasets/trees/data');
    for (const [i, name] of readdirSync(payloads).sort().entries())
      utimesSync(join(payloads, name), 1_700_000_000 + i * 60, 1_700_000_000 + i * 60);
    const query = { label: 'Old', slug: 'old', dataset: 'lab/trees', version: slugs[0] };
    await workshop.catalogue.create('query', query);
    server = await serveFolder(workshop.root);
  });
  after(async () => {
    await server.close();
    await workshop.remove();
  });

  it('is kept for good only where the address names a version', async () => {
    const policy = async (path: string) => (await get(path)).headers.get('cache-control') ?? '';
    const [first = ''] = slugs;
    for (const path of ['data.csv', 'data.parquet', 'download/'])
      assert.match(await policy(`${trees}version/${first}/${path}`), /immutable/, path);
    for (const path of ['data.csv', 'data.parquet', 'data.geojson'])
      for (const root of [trees, `${trees}version/latest/`, '/api/v1/queries/old/'])
        assert.equal(await policy(root + path), 'no-cache', root + path);
  });

  it('is sent again after the latest version was withdrawn, though its bytes are older', async () => {
    for (const path of [`${trees}download/`, `${trees}version/latest/download/`]) {
      const since = (await get(path)).headers.get('last-modified') ?? '';
      assert.equal((await get(path, { 'If-Modified-Since': since })).status, 304);
      await workshop.catalogue.edit({ ...ref, slug: slugs[1] ?? '' }, { ready: false });
      const again = await until200(path, since);
      assert.equal(await again.text(), 'a\n1\n2\n');
      const named = `${trees}version/${slugs[0]}/download/`;
      assert.equal((await get(named, { 'If-Modified-Since': since })).status, 304);
      await workshop.catalogue.edit({ ...ref, slug: slugs[1] ?? '' }, { ready: true });
      while ((await (await get(path)).text()) !== 'a\n1\n2\n3\n') await wait(20);
    }
  });

  /** The response once the server has seen the change. */
  async function until200(path: string, since: string): Promise<Response> {
    for (let turn = 0; turn < 100; turn++) {
      const response = await get(path, { 'If-Modified-Since': since });
      if (response.status === 200) return response;
      await wait(20);
    }
    throw new Error('not sent');
  }
});

it('a file of which a client has asked for several ranges is closed, though the client has left', async () => {
  let closed = 0;
  const headers: Record<string, string> = { Range: 'bytes=0-0,2-2' };
  const ctx = {
    method: 'GET',
    get: (name: string) => headers[name] ?? '',
    set: () => {},
    response: { get: () => 'text/csv' },
    body: undefined as Readable | undefined,
  };
  await sendStoredBytes(
    ctx as never,
    {
      ...{ size: 9, mediaType: 'text/csv', tag: 'x', headers: {}, stream: () => Readable.from(['a']) },
      close: async () => {
        closed++;
      },
    } as never,
  );
  ctx.body?.destroy();
  await wait(10);
  assert.equal(closed, 1);
});

it('If-Match takes the ETag of each form of the JSON, whatever form the write asks for', async (t) => {
  const { accounts, send, base } = await serveAccounts(t);
  const { token } = await accounts.addToken('alice');
  const parks = { label: 'Trees', namespace: '/api/v1/namespaces/parks/' };
  assert.equal((await send('POST', '/api/v1/datasets/', parks, token)).status, 201);
  const url = `${base}/api/v1/namespaces/parks/datasets/trees/`;
  const forms = [
    ['', {}],
    ['', { Accept: 'application/json; indent=4' }],
    ['?format=json', {}],
    ['?_format=json', { Accept: 'application/json; indent=2' }],
    ['', { Accept: 'application/json; indent=0' }],
  ] as const;
  const patch = (query: string, accept: object, etag: string) =>
    fetch(url + query, {
      method: 'PATCH',
      headers: { ...accept, Authorization: `Token ${token}`, 'Content-Type': 'application/json', 'If-Match': etag },
      body: JSON.stringify({ label: `Trees ${++edits}` }),
    });
  let edits = 0;
  for (const [readQuery, readAccept] of forms)
    for (const [query, accept] of forms) {
      const read = await fetch(url + readQuery, { headers: { ...readAccept, Authorization: `Token ${token}` } });
      const seen = read.headers.get('etag') ?? '';
      const written = await patch(query, accept, seen);
      assert.equal(written.status, 200, `${readQuery} ${JSON.stringify(readAccept)}`);
      assert.equal((await patch(query, accept, seen)).status, 412);
      assert.equal((await patch(query, accept, written.headers.get('etag') ?? '')).status, 200);
    }
});

it('If-Match takes the ETag of an upload, whatever else its response says', async (t) => {
  const { accounts, send, base } = await serveAccounts(t);
  const { token } = await accounts.addToken('alice');
  await send('POST', '/api/v1/datasets/', { label: 'Trees', namespace: '/api/v1/namespaces/parks/' }, token);
  const upload = (body: string) =>
    fetch(`${base}/api/v1/namespaces/parks/datasets/trees/version/?name=a.csv&force=true`, {
      method: 'POST',
      headers: { Authorization: `Token ${token}` },
      body,
    });
  await upload('id,height\n1,2\n');
  const response = await upload('id,size\n1,3\n');
  assert.ok('changes' in (await response.json()));
  const written = await fetch(response.headers.get('location') ?? '', {
    method: 'PATCH',
    headers: {
      Authorization: `Token ${token}`,
      'Content-Type': 'application/json',
      'If-Match': response.headers.get('etag') ?? '',
    },
    body: '{"notes": "Measured again"}',
  });
  assert.equal(written.status, 200);
});

it('If-Match of a GET is heeded at every address, and an error has no validator of what was asked for', async (t) => {
  const workshop = await makeWorkshop();
  t.after(() => workshop.remove());
  await workshop.publish('trees', 'trees.csv', 'a\n1\n2\n');
  const server = await serveFolder(workshop.root);
  t.after(() => server.close());
  const get = (path: string, headers: Record<string, string>) => fetch(server.base + path, { headers });
  const page = { Accept: 'text/html' };
  for (const [path, others] of [
    ['/api/v1/namespaces/lab/', {}],
    [trees, {}],
    [trees, page],
    [`${trees}data/`, {}],
    [`${trees}data.csv`, {}],
    [`${trees}download/`, {}],
    ['/docs/deploy/catalogue.service', {}],
  ] as const) {
    const etag = (await get(path, others)).headers.get('etag') ?? '';
    for (const [condition, status] of [
      ['"other"', 412],
      [`"other", ${etag}`, 200],
      ['*', 200],
    ] as const) {
      const { headers, ...response } = await answerOf(get(path, { ...others, 'If-Match': condition }));
      assert.equal(response.status, status, `${path} ${condition}`);
      if (status === 412) assert.deepEqual(validatorsIn(headers), [], path);
    }
  }
  for (const path of [`${trees}data.csv`, `${trees}download/`]) {
    const { status, headers } = await answerOf(get(path, { Range: 'bytes=1000-' }));
    assert.deepEqual([status, validatorsIn(headers)], [416, []]);
  }
});

async function answerOf(asked: Promise<Response>) {
  const response = await asked;
  await response.text();
  return { status: response.status, headers: response.headers };
}

const validatorsIn = (headers: Headers) =>
  ['ETag', 'Last-Modified', 'Repr-Digest', 'Content-Disposition'].filter((name) => headers.has(name));
