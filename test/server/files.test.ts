/** The files of a catalogue over HTTP: conditions, ranges, types, outcomes; who may do what is in `permissions.test.ts`. */
import '../support/judged.ts';
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { readFileSync, rmSync } from 'node:fs';
import { symlink, writeFile } from 'node:fs/promises';
import { describe, it, type TestContext } from 'node:test';
import { gunzipSync } from 'node:zlib';
import { serveAccounts } from '../support/accounts.ts';
import { until } from '../support/folder.ts';
import { raw, statusesIn } from '../support/raw.ts';

const root = '/api/v1/files/';
const home = 'namespaces/parks/datasets/trees';
const csv = 'a,b\n1,2\n';
const sha256 = (bytes: string) => createHash('sha256').update(bytes).digest('hex');
const digest = (bytes: string) => `sha-256=:${createHash('sha256').update(bytes).digest('base64')}:`;
const slug = '20240101000000000000';
const svg = '<svg xmlns="http://www.w3.org/2000/svg"/>';

async function given(test: TestContext) {
  const server = await serveAccounts(test);
  const { folder, accounts, ask } = server;
  folder.write(`${home}/data/a.csv`, csv);
  folder.write(
    `${home}/versions/${slug}.yaml`,
    `checksum: ${sha256(csv)}\nfile: {name: a.csv, format: csv, size: 8}\n`,
  );
  folder.write('site_media/oak.svg', svg);
  folder.write(`${home}/dataset.yaml`, 'id: 7\nlabel: Trees # old ones\nimage: /site_media/oak.svg\n');
  folder.write('namespaces/secret/datasets/inner/dataset.yaml', 'id: 8\nlabel: Inner\n');
  folder.write('queries/q.json', '{"label":"Q","dataset":"parks/trees"}');
  await until(async () => (await ask('/api/v1/namespaces/parks/datasets/trees/version/latest/')).status === 200);
  await until(async () => (await ask('/api/v1/queries/q/')).status === 200);
  const tokenOf = async (name: string) => (await accounts.addToken(name)).token;
  return { ...server, alice: await tokenOf('alice'), bob: await tokenOf('bob'), eve: await tokenOf('eve') };
}

const linesIn = (text: string) =>
  text
    .trim()
    .split('\n')
    .map(
      (line) => JSON.parse(line) as { path: string; checksum: string; size: number; record: boolean; text?: string },
    );

describe('the list of files', { concurrency: 3 }, () => {
  it('has a point of the timeline, which is known until the private folder is removed', async (test) => {
    const { ask, folder } = await given(test);
    const look = async (since: string | null, headers: Record<string, string> = {}) => {
      const known = since === null ? {} : { 'X-Catalogue-Since': since };
      const { status, headers: found } = await ask(root, { headers: { ...known, ...headers } });
      const [etag, point] = [found.get('etag') ?? '', found.get('x-catalogue-timeline') ?? ''];
      return { status, etag, point, continues: found.get('x-catalogue-continues') };
    };
    const first = await look(null);
    assert.deepEqual([/^[0-9a-f]{16}\.1$/.test(first.point), first.continues], [true, null]);
    assert.deepEqual(await look(first.point), { ...first, continues: 'true' });
    const unchanged = await look(first.point, { 'If-None-Match': first.etag });
    assert.deepEqual(unchanged, { ...first, status: 304, continues: 'true' });
    for (const wrong of [first.point.replace(/1$/, '2'), 'x', '0.1', `${first.point}x`, '__proto__.0', 'x.-1'])
      assert.equal((await look(wrong)).continues, 'false', wrong);
    rmSync(folder.path('.catalogue/timeline'));
    const later = await look(first.point, { 'If-None-Match': first.etag });
    assert.deepEqual([later.status, later.continues, later.point === first.point], [304, 'false', false]);
    assert.equal((await look(later.point)).continues, 'true');
  });

  it('is a line each, with texts where they are asked for', async (test) => {
    const { ask, folder, alice } = await given(test);
    const plain = await ask(root);
    assert.equal(plain.headers.get('content-type'), 'application/x-ndjson');
    const entries = linesIn(plain.text);
    assert.ok(entries.every(({ text }) => text === undefined));
    assert.deepEqual(
      entries.find(({ path }) => path === `${home}/data/a.csv`),
      { path: `${home}/data/a.csv`, checksum: sha256(csv), size: 8, record: false },
    );
    assert.doesNotMatch(plain.text, /secret|inner|users/);
    const full = await ask(`${root}?texts=true`, {}, alice);
    for (const { path, text, record, checksum } of linesIn(full.text)) {
      assert.equal(text, record ? readFileSync(folder.path(path), 'utf8') : undefined);
      assert.equal(checksum, sha256(readFileSync(folder.path(path), 'utf8')));
    }
    assert.match(full.text, /inner.*users/s);
  });

  it('isn’t sent to one who has it, in whatever coding', async (test) => {
    const { ask, base, bob } = await given(test);
    const plain = { 'Accept-Encoding': 'identity' };
    const { headers } = await ask(root, { headers: plain });
    const tag = headers.get('etag') ?? '';
    const packed = await fetch(base + root, { headers: { 'Accept-Encoding': 'gzip' } });
    const packedTag = packed.headers.get('etag') ?? '';
    assert.deepEqual([packed.headers.get('content-encoding'), packedTag], ['gzip', tag.replace(/"$/, '-gzip"')]);
    const known = { [tag]: tag, [packedTag]: packedTag, [`W/${tag}`]: tag, [`"a", ${packedTag}`]: packedTag, '*': tag };
    for (const [condition, named] of Object.entries(known))
      for (const method of ['GET', 'HEAD']) {
        const answer = await ask(root, { method, headers: { 'If-None-Match': condition } });
        assert.deepEqual([answer.status, answer.text, answer.headers.get('etag')], [304, '', named], condition);
        assert.equal(answer.headers.get('vary'), headers.get('vary'));
      }
    const head = await ask(root, { method: 'HEAD', headers: plain });
    assert.deepEqual([head.status, head.text, head.headers.get('etag')], [200, '', tag]);
    const own = await ask(root, { headers: { ...plain, 'If-None-Match': tag } }, bob);
    assert.equal(own.status, 200);
    assert.notEqual(own.headers.get('etag'), tag);
    assert.match(own.headers.get('cache-control') ?? '', /^private/);
    assert.equal(gunzipSync(await packedBody(base)).toString(), (await ask(root)).text);
  });
});

/** The body of a packed answer, as it comes. */
async function packedBody(base: string): Promise<Buffer> {
  const answer = await raw(base, `GET ${root} HTTP/1.0\r\nHost: a\r\nAccept-Encoding: gzip\r\n\r\n`);
  return Buffer.from(answer.slice(answer.indexOf('\r\n\r\n') + 4), 'latin1');
}

describe('a file', { concurrency: 3 }, () => {
  it('is what it is, and neither run nor guessed', async (test) => {
    const { ask, folder } = await given(test);
    assert.equal((await ask(`${root}catalogue.yaml`)).status, 404);
    folder.write('catalogue.yaml', 'people: public\n');
    await until(async () => (await ask(`${root}catalogue.yaml`)).status === 200);
    const types = {
      [`${home}/dataset.yaml`]: ['application/yaml', null],
      'queries/q.json': ['application/json', null],
      [`${home}/data/a.csv`]: ['text/csv; charset=utf-8', 'attachment; filename="a.csv"'],
      'site_media/oak.svg': ['image/svg+xml', 'attachment; filename="oak.svg"'],
      'catalogue.yaml': ['application/yaml', null],
    };
    for (const [path, [type, disposition]] of Object.entries(types)) {
      const { status, headers, text } = await ask(root + path);
      assert.equal(status, 200);
      assert.equal(headers.get('content-type')?.replace(/^(application\/.*); charset=utf-8$/, '$1'), type);
      assert.equal(headers.get('content-disposition'), disposition);
      assert.equal(headers.get('etag'), `"${sha256(text)}"`);
      assert.equal(headers.get('repr-digest'), digest(text));
      assert.equal(headers.get('x-content-type-options'), 'nosniff');
      assert.match(headers.get('content-security-policy') ?? '', /^default-src 'none'; sandbox$/);
      assert.equal(headers.get('access-control-allow-origin'), '*');
      const head = await ask(root + path, { method: 'HEAD' });
      assert.deepEqual([head.text, head.headers.get('content-length')], ['', String(Buffer.byteLength(text))]);
    }
  });

  it('comes in part, where it is still the one that was meant', async (test) => {
    const { ask } = await given(test);
    const get = (path: string, headers: Record<string, string>) => ask(root + path, { headers });
    for (const [path, whole] of [
      [`${home}/data/a.csv`, csv],
      ['queries/q.json', '{"label":"Q","dataset":"parks/trees"}'],
    ] as const) {
      const tag = `"${sha256(whole)}"`;
      const part = await get(path, { Range: 'bytes=2-5', 'If-Match': tag });
      assert.deepEqual([part.status, part.text], [206, whole.slice(2, 6)]);
      assert.equal(part.headers.get('content-range'), `bytes 2-5/${whole.length}`);
      assert.equal((await get(path, { Range: 'bytes=3-' })).text, whole.slice(3));
      assert.equal((await get(path, { Range: 'bytes=900-' })).status, 416);
      assert.equal((await get(path, { 'If-Match': `"${sha256('other')}"`, Range: 'bytes=2-5' })).status, 412);
      assert.equal((await get(path, { 'If-None-Match': tag })).status, 304);
    }
  });

  it('that nobody may see, or that is none, is nowhere', async (test) => {
    const { ask, folder, eve, bob } = await given(test);
    await writeFile(folder.beside('outside'), 'label: Outside\n');
    await symlink(folder.beside('outside'), folder.path('site_media/linked.png'));
    const nowhere = await ask(`${root}namespaces/none/namespace.yaml`, {}, eve);
    const paths = [
      'namespaces/secret/namespace.yaml',
      'namespaces/secret/datasets/inner/dataset.yaml',
      'users/bob.yaml',
      '.catalogue/accounts.json',
      '%2ecatalogue/accounts.json',
      'namespaces%2f..%2fcatalogue.yaml',
      'namespaces%5cparks%5cnamespace.yaml',
      'namespaces/parks/namespace.yaml%00',
      'namespaces/parks/namespace.yaml/',
      'Namespaces/parks/namespace.yaml',
      'namespaces/PARKS/namespace.yaml',
      'namespaces//parks/namespace.yaml',
      '/etc/passwd',
      'C:/catalogue.yaml',
      'site_media/linked.png',
      'site_media/CON',
    ];
    for (const path of paths) {
      const { status, text } = await ask(root + path, {}, eve);
      assert.deepEqual([status, text], [404, nowhere.text], path);
    }
    assert.equal((await ask(`${root}namespaces/secret/namespace.yaml`, {}, bob)).status, 200);
    assert.equal((await ask(`${root}namespaces/parks/name%73pace.yaml`)).status, 200);
  });

  it('is asked for without tricks on the line either', async (test) => {
    const { base } = await given(test);
    const paths = [
      '../../../catalogue.yaml',
      'namespaces/../catalogue.yaml',
      'namespaces/%2e%2e/catalogue.yaml',
      'namespaces/../../../../../etc/passwd',
      './catalogue.yaml',
      '..\\catalogue.yaml',
      '%',
    ];
    for (const path of paths) {
      const told = await raw(base, `GET ${root}${path} HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n`);
      assert.ok([400, 404].includes(statusesIn(told)[0] ?? 0), `${path}: ${told.slice(0, 100)}`);
    }
  });

  it('knows its methods', async (test) => {
    const { ask, bob } = await given(test);
    const path = `${root}${home}/dataset.yaml`;
    const post = await ask(path, { method: 'POST' }, bob);
    assert.deepEqual([post.status, post.headers.get('allow')], [405, 'GET, PUT, DELETE, HEAD, OPTIONS']);
    assert.equal((await ask(root, { method: 'DELETE' }, bob)).headers.get('allow'), 'GET, PATCH, HEAD, OPTIONS');
    const bytes = await ask(`${root}${home}/data/a.csv`, { method: 'DELETE', headers: { 'If-Match': '*' } }, bob);
    assert.deepEqual([bytes.status, bytes.headers.get('allow')], [405, 'GET, PUT, HEAD, OPTIONS']);
    const options = await ask(path, { method: 'OPTIONS', headers: { Accept: 'application/json' } });
    assert.deepEqual([options.status, options.body.name], [200, 'File Instance']);
    const headers = { Origin: 'https://a.example', 'Access-Control-Request-Method': 'PUT' };
    const preflight = await ask(path, { method: 'OPTIONS', headers });
    assert.match(preflight.headers.get('access-control-allow-methods') ?? '', /PUT/);
    assert.match(preflight.headers.get('access-control-allow-headers') ?? '', /If-Match.*Repr-Digest/);
  });
});
