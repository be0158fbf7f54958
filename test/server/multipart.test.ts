/** Multipart forms as no honest client sends them, and as some honest ones do. */
import assert from 'node:assert/strict';
import { readdir } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { describe, it, type TestContext } from 'node:test';
import { serveAccounts } from '../support/accounts.ts';

const obtain = '/api/v1/auth/token/obtain/';

const part = (head: string, body = 'x') => `--B\r\n${head}\r\n\r\n${body}\r\n`;
const field = (name: string, more = '') => `Content-Disposition: form-data; name="${name}"${more}`;
const end = '--B--\r\n';

async function posting(test: TestContext) {
  const server = await serveAccounts(test);
  const post = (path: string, body: string, token?: string) =>
    server.ask(path, { method: 'POST', headers: { 'Content-Type': 'multipart/form-data; boundary=B' }, body }, token);
  return { ...server, post };
}

const missing = { username: ['This field is required.'], password: ['This field is required.'] };

describe('the head of a part', () => {
  it('may name an encoding that changes nothing', async (test) => {
    const { post } = await posting(test);
    for (const encoding of ['7bit', '8bit', 'binary', 'BINARY']) {
      const head = `${field('username')}\r\nContent-Transfer-Encoding: ${encoding}`;
      const { body } = await post(obtain, `${part(head)}${end}`);
      assert.deepEqual(body, { password: missing.password }, encoding);
    }
  });

  it('ends no process by naming another, nor where it is cut off', async (test) => {
    const { post } = await posting(test);
    for (const encoding of ['base64', 'quoted-printable', 'utf-7', '__proto__'])
      for (const rest of ['\r\n\r\nx\r\n--B--\r\n', '\r\nx\r\n', '']) {
        const body = `--B\r\n${field('username')}\r\ncontent-transfer-ENCODING:\t${encoding}${rest}`;
        assert.equal((await post(obtain, body)).status, 400, body);
      }
    for (const cut of ['7bit\r\nx\r\n', '8bit\r\n'])
      assert.equal((await post(obtain, `--B\r\n${field('a')}\r\nContent-Transfer-Encoding: ${cut}`)).status, 400);
  });

  it('is not searched for minutes', async (test) => {
    const { post } = await posting(test);
    const started = performance.now();
    const { status, body } = await post(obtain, `${part(field('a', '; filename="'.repeat(30_000)))}${end}`);
    assert.equal(status, 400);
    assert.deepEqual(body, { detail: 'Multipart form parse error - The head of a part is too long' });
    assert.ok(performance.now() - started < 1000);
  });

  it('may be empty, lack a name, or lie between chunks', async (test) => {
    const { base, post } = await posting(test);
    const form = `preamble\r\n--B\r\n\r\nx\r\n${part('Content-Type: text/plain')}${part(field('username'), '--B\r\r\n--')}${end}`;
    assert.deepEqual((await post(obtain, form)).body, { password: missing.password });
    const pieces = new ReadableStream({
      start(controller) {
        for (const byte of Buffer.from(form)) controller.enqueue(new Uint8Array([byte]));
        controller.close();
      },
    });
    const headers = { 'Content-Type': 'multipart/form-data; boundary="B"' };
    const response = await fetch(`${base}${obtain}`, {
      method: 'POST',
      headers,
      body: pieces,
      duplex: 'half',
    } as never);
    assert.deepEqual(await response.json(), { password: missing.password });
  });
});

describe('a form', () => {
  it('has a thousand parts at most', async (test) => {
    const { post } = await posting(test);
    const parts = (count: number, more = '') => part(field('a', more)).repeat(count) + end;
    assert.deepEqual((await post(obtain, parts(1000))).body, missing);
    assert.equal((await post(obtain, parts(1001))).status, 400);
    assert.equal((await post(obtain, parts(1001, '; filename="f"'))).status, 400);
  });

  it('has 2 MB at most where no file is wanted', async (test) => {
    const { post } = await posting(test);
    const large = 'x'.repeat(3_000_000);
    for (const more of ['', '; filename="f"', '\r\nContent-Type: text/plain'])
      assert.equal((await post(obtain, part(field('a', more), large) + end)).status, 413, more);
  });

  it('is told that it was cut off', async (test) => {
    const { post } = await posting(test);
    for (const cut of [part(field('username')), `--B\r\n${field('user')}`]) {
      const { status, body } = await post(obtain, cut);
      assert.equal(status, 400);
      assert.deepEqual(body, { detail: 'Multipart form parse error - It ends before its closing boundary' });
    }
  });

  it('leaves no files', async (test) => {
    const { post } = await posting(test);
    const before = new Set(await readdir(tmpdir()));
    const typed = part(`${field('username')}\r\nContent-Type: text/plain`, 'marked by the multipart test');
    assert.deepEqual((await post(obtain, typed + end)).body, { password: missing.password });
    const made = (await readdir(tmpdir())).filter((name) => !before.has(name) && /^[a-z0-9]{25}$/.test(name));
    assert.deepEqual(made, []);
  });
});

it('is told what is wrong while it still sends', async (test) => {
  const { send, ask, accounts } = await serveAccounts(test);
  const { token } = await accounts.addToken('alice');
  const username = 'x'.repeat(20_000_000);
  assert.equal((await send('POST', obtain, { username })).status, 413);
  const namespace = '/api/v1/namespaces/water/';
  await send('POST', '/api/v1/datasets/', { label: 'Wells', namespace }, token);
  const body = `[{]${username}`;
  const headers = { 'Content-Type': 'application/json' };
  const answer = await ask(`${namespace}datasets/wells/version/`, { method: 'POST', headers, body }, token);
  assert.equal(answer.status, 400);
});

describe('an upload by form', () => {
  const versions = '/api/v1/namespaces/parks/datasets/trees/version/';
  const csv = (type = '') => part(field('file', `; filename="a.csv"${type}`), 'a,b\n1,2\n');

  async function dataset(test: TestContext) {
    const server = await posting(test);
    const { token } = await server.accounts.addToken('bob');
    const namespace = '/api/v1/namespaces/parks/';
    assert.equal((await server.send('POST', '/api/v1/datasets/', { label: 'Trees', namespace }, token)).status, 201);
    return { ...server, token };
  }

  it("needs no media type, and its fields' types don't matter", async (test) => {
    const { post, token } = await dataset(test);
    const label = part(`${field('label')}\r\nContent-Type: text/plain; charset=UTF-8`, 'Bäume');
    const { status, body } = await post(versions, label + csv() + end, token);
    assert.deepEqual([status, body.label], [201, 'Bäume']);
  });

  it('has the name of its file in the way of .NET and of older packages of Python, too', async (test) => {
    const { post, token } = await dataset(test);
    const extended = "filename*=utf-8''b%C3%A4ume%2C%20a%22b.csv";
    for (const [i, names] of [
      extended,
      `filename="=?utf-8?B?YsOkdW1lLmNzdg==?="; ${extended}`,
      `filename=trees; FileName* = UTF-8'de'b%C3%A4ume.csv`,
    ].entries()) {
      const file = part(field('file', `; ${names}`), `a,b\n1,${i}\n`);
      const { status, body } = await post(versions, file + end, token);
      assert.deepEqual([status, body.format, body.rows], [201, 'csv', 1], JSON.stringify(body));
    }
    for (const broken of ["filename*=utf-8''%ff.csv", "filename*=utf-16''a.csv"]) {
      const { status, body } = await post(versions, part(field('file', `; ${broken}`), 'a,b\n') + end, token);
      assert.deepEqual([status, body], [400, { file: ['No file was submitted.'] }], broken);
    }
  });

  it('has one file', async (test) => {
    const { post, token, ask } = await dataset(test);
    const { status, body } = await post(versions, csv() + csv('\r\nContent-Type: text/csv') + end, token);
    assert.deepEqual([status, body], [400, { file: ['More than one file was submitted.'] }]);
    const other = part(field('image', '; filename="b.png"'));
    assert.equal((await post(versions, other + csv() + other + end, token)).status, 201);
    assert.equal((await ask('/api/v1/versions/')).body.count, 1);
  });
});
