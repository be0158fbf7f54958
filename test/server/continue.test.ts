/** Requests with `Expect: 100-continue`: the client sends the body when it has 100, and only then. */
import assert from 'node:assert/strict';
import { connect } from 'node:net';
import { describe, it } from 'node:test';
import { serveAccounts } from '../support/accounts.ts';
import { raw, statusesIn } from '../support/raw.ts';

const trees = '/api/v1/namespaces/parks/datasets/trees/';
const finalStatus = /HTTP\/1\.1 [2-5]\d\d .*\r\n\r\n\{.*\}$/s;

async function nursery(t: Parameters<typeof serveAccounts>[0]) {
  const server = await serveAccounts(t);
  const { token } = await server.accounts.addToken('bob');
  const { token: stranger } = await server.accounts.addToken('eve');
  const dataset = { label: 'Trees', namespace: '/api/v1/namespaces/parks/' };
  await server.send('POST', '/api/v1/datasets/', dataset, token);
  /** Sends the head of a request, and waits until the server closes or the text has what is waited for. */
  const sendHead = (target: string, headers: readonly string[], end?: RegExp) => {
    const all = ['Host: a', 'Expect: 100-continue', ...headers];
    return raw(server.base, `${target} HTTP/1.1\r\n${all.join('\r\n')}\r\n\r\n`, end && ((text) => end.test(text)));
  };
  return { ...server, token, stranger, sendHead };
}

describe('a request with Expect: 100-continue', () => {
  it('that is refused by its head gets the final response alone, and its connection is closed', async (t) => {
    const { token, stranger, sendHead } = await nursery(t);
    const upload = `POST ${trees}version/`;
    const bytes = ['Content-Type: text/csv', 'Content-Length: 2000000000'];
    const by = (one: string) => `Authorization: Token ${one}`;
    const tooLong = ['Content-Type: application/json', 'Content-Length: 3000000'];
    for (const [target, headers, status] of [
      [upload, bytes, 401],
      [upload, [...bytes, by('0000')], 401],
      [upload, [...bytes, by(stranger)], 403],
      [upload, ['Content-Type: text/csv', 'Transfer-Encoding: chunked', by(stranger)], 403],
      [upload.replace('trees', 'shrubs'), [...bytes, by(token)], 404],
      [`POST ${trees}data/`, [...bytes, by(token)], 405],
      ['POST /nowhere/', bytes, 404],
      [upload, ['Content-Type: text/csv', `Content-Length: ${2 ** 40}`, by(token)], 413],
      ['POST /api/v1/datasets/', [...tooLong, by(token)], 413],
      ['POST /api/v1/auth/token/obtain/', tooLong, 413],
      [upload, ['Content-Type: multipart/form-data; boundary=B', `Content-Length: ${2 ** 40}`, by(token)], 413],
      [upload, [...bytes, 'Content-Encoding: gzip', by(token)], 415],
    ] as const) {
      const text = await sendHead(target, headers);
      assert.deepEqual(statusesIn(text), [status], `${target}: ${text}`);
      assert.match(text, /^Connection: close\r$/im);
    }
  });

  it('gets 100 when its body is read, and needn’t wait for it', async (t) => {
    const { token, sendHead, base, ask } = await nursery(t);
    const body = '{"contact": "trees@example.org"}';
    const head = ['Content-Type: application/json', `Content-Length: ${body.length}`, `Authorization: Token ${token}`];
    assert.deepEqual(statusesIn(await sendHead(`PATCH ${trees}`, head, /\r\n\r\n/)), [100]);
    // A client needn't wait for 100.
    const request = [`PATCH ${trees} HTTP/1.1`, 'Host: a', 'Expect: 100-continue', ...head].join('\r\n');
    const text = await raw(base, `${request}\r\n\r\n${body}`, (all) => finalStatus.test(all));
    assert.equal(statusesIn(text).at(-1), 200);
    assert.equal((await ask(trees)).body.contact, 'trees@example.org');
  });

  it('that is refused while its body comes all the same gets the response, as the body is read and dropped', async (t) => {
    const { base } = await nursery(t);
    const body = Buffer.alloc(30_000_000, 'a');
    const head = ['Host: a', 'Expect: 100-continue', 'Content-Type: text/csv', `Content-Length: ${body.length}`];
    for (let i = 0; i < 3; i++) {
      // It reads nothing until all is written.
      const text = await new Promise<string>((resolve, reject) => {
        const { hostname, port } = new URL(base);
        const socket = connect(Number(port), hostname).pause().on('error', reject);
        socket.write(`POST ${trees}version/ HTTP/1.1\r\n${head.join('\r\n')}\r\n\r\n`);
        socket.write(body, () => {
          let text = '';
          socket.on('data', (chunk) => {
            text += chunk.toString('latin1');
            if (!finalStatus.test(text)) return;
            socket.destroy();
            resolve(text);
          });
          socket.resume();
        });
      });
      assert.deepEqual(statusesIn(text), [401]);
    }
  });

  it('and no body gets its response as others do, and its connection stays open', async (t) => {
    const { sendHead } = await nursery(t);
    const text = await sendHead('GET /api/v1/', [], finalStatus);
    assert.deepEqual(statusesIn(text), [200]);
    assert.doesNotMatch(text, /^Connection: close\r$/im);
  });
});
