/** Uploads over HTTP: a version by form or as raw bytes, whole or not at all. */
import '../support/judged.ts';
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { readdir } from 'node:fs/promises';
import { connect } from 'node:net';
import { Readable } from 'node:stream';
import { describe, it, type TestContext } from 'node:test';
import { gzipSync } from 'node:zlib';
import { request } from 'undici';
import { serveAccounts } from '../support/accounts.ts';
import { homeOf, until } from '../support/folder.ts';
import { raw } from '../support/raw.ts';

const trees = '/api/v1/namespaces/parks/datasets/trees/';
const versions = `${trees}version/`;
const csv = 'name,height\noak,12\n';
const sum = (text: string) => createHash('sha256').update(text).digest('hex');

async function nursery(t: TestContext) {
  const server = await serveAccounts(t);
  const { token } = await server.accounts.addToken('bob');
  const made = await server.send(
    'POST',
    '/api/v1/datasets/',
    { label: 'Trees', namespace: '/api/v1/namespaces/parks/' },
    token,
  );
  assert.equal(made.status, 201);
  const post = (body: string | FormData, path = versions, type = 'text/csv', as: string | undefined = token) =>
    server.ask(path, { method: 'POST', body, headers: typeof body === 'string' ? { 'Content-Type': type } : {} }, as);
  const kept = async () => {
    const names = await readdir(server.folder.path(homeOf('parks/trees')), { recursive: true });
    return names.filter((name) => /^(data|versions)\/./.test(name)).sort();
  };
  return { ...server, token, post, kept };
}

function form(parts: readonly (readonly [name: string, value: string, fileName?: string])[]): FormData {
  const data = new FormData();
  for (const [name, value, fileName] of parts)
    if (fileName) data.append(name, new Blob([value], { type: 'text/csv' }), fileName);
    else data.append(name, value);
  return data;
}

describe('an upload', () => {
  it('by a form that ends before its closing boundary is refused, and keeps nothing', async (t) => {
    const { post, kept } = await nursery(t);
    const head = '--B\r\nContent-Disposition: form-data; name="file"; filename="a.csv"\r\n\r\n';
    for (const rest of ['', csv, csv.repeat(100_000)]) {
      const { status, body } = await post(head + rest, versions, 'multipart/form-data; boundary=B');
      const detail = 'Multipart form parse error - It ends before its closing boundary';
      assert.deepEqual([status, body], [400, { detail }]);
    }
    assert.deepEqual(await kept(), []);
  });

  it('by a form that is refused is answered to a client that reads only when it has sent all', async (t) => {
    const { base, token, accounts } = await nursery(t);
    const { token: eve } = await accounts.addToken('eve');
    const { hostname, port } = new URL(base);
    const part = (head: string, value: string) =>
      `--B\r\nContent-Disposition: form-data; name=${head}\r\n\r\n${value}\r\n`;
    const send = (as: string, before: string, type: string, start: string) => {
      const file = part(`file; filename=a\r\nContent-Type: ${type}`, start + 'x'.repeat(20_000_000));
      const body = `${before}${file}--B--\r\n`;
      const head = [
        `POST ${versions} HTTP/1.1`,
        ...['Host: a', `Authorization: Token ${as}`, `Content-Length: ${body.length}`],
        'Content-Type: multipart/form-data; boundary=B',
      ];
      return new Promise<string>((resolve, reject) => {
        const socket = connect(Number(port), hostname);
        socket.pause();
        socket.write(`${head.join('\r\n')}\r\n\r\n${body}`, () => socket.resume());
        let text = '';
        socket.once('error', reject).once('end', () => reject(new Error(`It was closed: ${text}`)));
        socket.on('data', (chunk) => {
          text += chunk;
          if (!/\r\n\r\n\{.*\}$/.test(text)) return;
          socket.destroy();
          resolve(text);
        });
      });
    };
    const answers = await Promise.all([
      send(eve, '', 'text/csv', ''),
      send(token, part('delimiter', 'many'), 'text/csv', ''),
      send(token, '', 'application/json', '[{]'),
    ]);
    assert.deepEqual(
      answers.map((text) => text.slice(9, 12)),
      ['403', '400', '400'],
    );
    assert.match(answers[1] ?? '', /"delimiter":/);
  });

  it('by form: the fields may stand before and behind the file', async (t) => {
    const { post, ask } = await nursery(t);
    const { status, headers, body } = await post(
      form([
        ['label', 'Spring'],
        ['file', csv, 'trees.csv'],
        ['notes', 'Counted by hand'],
        ['checksum', sum(csv)],
      ]),
    );
    assert.equal(status, 201);
    assert.equal(headers.get('location'), body.url);
    assert.deepEqual(
      [body.label, body.notes, body.format, body.rows, body.ready, body.checksum, body.size],
      ['Spring', 'Counted by hand', 'csv', 1, true, sum(csv), csv.length],
    );
    // It is there for the next who asks, on any connection.
    assert.equal((await ask(`${trees}download/`)).text, csv);
    assert.equal((await ask(trees)).body.versions[0].url, body.url);
  });

  it('of a user who may not write any more when it ends: 403, and nothing of it stays', async (t) => {
    const { ask, send, accounts, base, token, kept } = await nursery(t);
    const { token: staff } = await accounts.addToken('alice');
    const changes = [
      ['leaves the group', () => send('PATCH', '/api/v1/users/bob/', { groups: [] as string[] }, staff)],
      ['is removed', () => send('DELETE', '/api/v1/users/bob/', undefined, staff)],
    ] as const;
    for (const [what, change] of changes) {
      let end = () => {};
      const ended = new Promise<void>((resolve) => {
        end = resolve;
      });
      async function* body() {
        yield Buffer.from(csv + 'ash,7\n'.repeat(100_000));
        await ended;
        yield Buffer.from('elm,9\n');
      }
      const headers = { 'Content-Type': 'text/csv', Authorization: `Token ${token}` };
      const uploaded = request(new URL(versions, base), { method: 'POST', headers, body: Readable.from(body()) });
      await until(async () => (await kept()).length > 0);
      assert.ok((await change()).status < 300, what);
      end();
      const { statusCode, body: answer } = await uploaded;
      assert.equal(statusCode, 403, `${what}: ${await answer.text()}`);
      assert.deepEqual(await kept(), [], what);
      assert.equal((await ask(trees)).body.versions.length, 0);
      if (what === 'leaves the group')
        await send('PATCH', '/api/v1/users/bob/', { groups: ['/api/v1/groups/gardeners/'] }, staff);
    }
  });

  it('as raw bytes, with the rest in the address; the same bytes again are the same version', async (t) => {
    const { post, kept } = await nursery(t);
    const first = await post(csv, `${versions}?label=Spring&notes=By%20hand&name=trees.csv&checksum=${sum(csv)}`);
    assert.deepEqual([first.status, first.body.label, first.body.notes], [201, 'Spring', 'By hand']);
    const files = await kept();
    const again = await post(csv);
    assert.deepEqual([again.status, again.body.url], [200, first.body.url]);
    assert.equal(again.headers.get('location'), null);
    assert.deepEqual(await kept(), files);
  });

  it('whose body is compressed is refused, like other compressed bodies', async (t) => {
    const { base, token, kept } = await nursery(t);
    for (const [method, path, type, text] of [
      ['POST', versions, 'text/csv', csv],
      ['PATCH', trees, 'application/json', '{"label": "Trees"}'],
    ] as const) {
      const headers = { Authorization: `Token ${token}`, 'Content-Type': type, 'Content-Encoding': 'gzip' };
      const answer = await fetch(base + path, { method, headers, body: gzipSync(text) });
      assert.equal(answer.status, 415);
      const { detail } = (await answer.json()) as { detail: string };
      assert.equal(detail, 'Unsupported media type "Content-Encoding: gzip" in request. Send the body uncompressed.');
    }
    assert.deepEqual(await kept(), []);
    const plain = { Authorization: `Token ${token}`, 'Content-Type': 'text/csv', 'Content-Encoding': 'identity' };
    assert.equal((await fetch(base + versions, { method: 'POST', headers: plain, body: csv })).status, 201);
  });

  it('whose body is compressed on its way is refused, and one in chunks is not', async (t) => {
    const { base, token, kept } = await nursery(t);
    const send = (coding: string, body: Buffer) => {
      const head = `POST ${versions} HTTP/1.1\r\nHost: x\r\nAuthorization: Token ${token}\r\nContent-Type: text/csv\r\nConnection: close`;
      const chunk = [Buffer.from(`${body.length.toString(16)}\r\n`), body, Buffer.from('\r\n0\r\n\r\n')];
      return raw(base, Buffer.concat([Buffer.from(`${head}\r\nTransfer-Encoding: ${coding}\r\n\r\n`), ...chunk]));
    };
    const refused = await send('gzip, chunked', gzipSync(csv));
    assert.match(refused, /^HTTP\/1\.1 415 /);
    assert.match(refused, /Transfer-Encoding: gzip, chunked.*Send the body uncompressed/);
    assert.deepEqual(await kept(), []);
    assert.match(await send('Chunked', Buffer.from(csv)), /^HTTP\/1\.1 201 /);
  });

  it('is refused if a parameter of the address is nearly one that it has', async (t) => {
    const { post, kept } = await nursery(t);
    const near = { redy: 'ready', cheksum: 'checksum', encodng: 'encoding', renames: 'rename', _ready: 'ready' };
    for (const [name, meant] of Object.entries(near))
      for (const body of [csv, form([['file', csv, 'a.csv']])]) {
        const { status, body: answer } = await post(body, `${versions}?${name}=false`);
        const message = `Unknown parameter "${name}". Did you mean "${meant}"?`;
        assert.deepEqual([status, answer], [400, { [name]: [message] }]);
      }
    assert.deepEqual(await kept(), []);
    assert.equal((await post(csv, `${versions}?sensor=7`)).status, 201);
  });

  it('is kept whole or not at all, and says why', async (t) => {
    const { post, kept, accounts, folder } = await nursery(t);
    const { token: eve } = await accounts.addToken('eve');
    const { token: reader } = await accounts.addToken('bob', { scope: 'read' });
    const refused: readonly (readonly [number, Promise<{ status: number; text: string }>, RegExp])[] = [
      [400, post(csv, `${versions}?checksum=${'0'.repeat(64)}`), /"checksum":\["The bytes have the checksum/],
      [
        400,
        post(
          form([
            ['file', csv, 'a.csv'],
            ['checksum', 'x'],
          ]),
        ),
        /"checksum"/,
      ],
      [400, post('{"type":"FeatureCollection","features":[', versions, 'application/geo+json'), /"file"/],
      [400, post('a,b\n"1,2\n'), /"file":\["[^"]*line/],
      [400, post(''), /No file was submitted/],
      [400, post(form([['label', 'x']])), /No file was submitted/],
      [
        400,
        post(
          form([
            ['file', csv, 'a.csv'],
            ['label', 'x'.repeat(300)],
          ]),
        ),
        /"label"/,
      ],
      [401, post(csv, versions, 'text/csv', ''), /credentials/],
      [403, post(csv, versions, 'text/csv', eve), /permission/],
      [403, post(csv, versions, 'text/csv', reader), /permission|read/],
      [404, post(csv, versions.replace('trees', 'none')), /Not found/],
      [404, post(csv, '/api/v1/namespaces/secret/datasets/x/version/', 'text/csv', eve), /Not found/],
    ];
    for (const [status, answer, message] of refused) {
      const told = await answer;
      assert.equal(told.status, status, told.text);
      assert.match(told.text, message);
    }
    assert.deepEqual(await kept(), []);
    assert.deepEqual(await readdir(folder.path('namespaces/parks/datasets')), ['trees']);
  });

  it('that is too large is told so before it is sent', async (t) => {
    const { base, token, kept } = await nursery(t);
    const head = `POST ${versions} HTTP/1.1\r\nHost: x\r\nAuthorization: Token ${token}\r\nContent-Type: text/csv\r\n`;
    const answer = await raw(base, `${head}Content-Length: ${1e12}\r\nConnection: close\r\n\r\na,b\n`, (text) =>
      text.includes('}'),
    );
    assert.match(answer, /^HTTP\/1\.1 413 /);
    assert.match(answer, /larger than \d+ bytes/);
    assert.deepEqual(await kept(), []);
  });

  it('two at once are two versions, and one where their bytes are the same', async (t) => {
    const { post, ask, kept } = await nursery(t);
    const texts = Array.from({ length: 6 }, (_, i) => `a\n${i >> 1}\n`);
    const answers = await Promise.all(texts.map((text, i) => post(i % 2 ? text : form([['file', text, 'a.csv']]))));
    for (const { status, text } of answers) assert.ok(status === 201 || status === 200, text);
    const made = answers.filter(({ status }) => status === 201);
    const { body } = await ask(`${trees}version/`);
    assert.equal(body.count, made.length);
    // Only the newest is compared with: in which order they came is a matter of luck.
    assert.ok(made.length >= 3);
    assert.equal((await kept()).length, 2 * made.length);
    for (const { url, checksum } of body.results) {
      const bytes = (await ask(`${new URL(url).pathname}download/`)).text;
      assert.equal(sum(bytes), checksum);
    }
  });

  it('of a form that is cut off leaves nothing', async (t) => {
    const { base, token, kept, log } = await nursery(t);
    const head = `POST ${versions} HTTP/1.1\r\nHost: x\r\nAuthorization: Token ${token}\r\nContent-Type: multipart/form-data; boundary=B\r\n`;
    const part = '--B\r\nContent-Disposition: form-data; name="file"; filename="a.csv"\r\n\r\na,b\n1,2\n';
    const { hostname, port } = new URL(base);
    const socket = connect(Number(port), hostname);
    socket.write(`${head}Content-Length: 9999\r\n\r\n${part}`);
    await until(async () => (await kept()).length > 0);
    socket.destroy();
    await until(async () => (await kept()).length === 0);
    assert.doesNotMatch(log.join('\n'), /Error/);
  });
});
