import assert from 'node:assert/strict';
import { createServer, type IncomingMessage, type RequestListener, type ServerResponse } from 'node:http';
import { type AddressInfo, connect as connectTo, createServer as createTcpServer } from 'node:net';
import { Readable } from 'node:stream';
import { buffer, text } from 'node:stream/consumers';
import { pipeline } from 'node:stream/promises';
import { describe, it, type TestContext } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { gzipSync } from 'node:zlib';
import {
  CatalogueError,
  ConflictError,
  MovedError,
  NotAuthenticatedError,
  NotFoundError,
  NotPermittedError,
  StaleError,
  UnavailableError,
  UnreachableError,
  ValidationError,
} from '../../src/catalogue/errors.ts';
import type { Version } from '../../src/catalogue/types.ts';
import { answers } from '../../src/remote/answers.ts';
import { type Http, type HttpOptions, openHttp } from '../../src/remote/http.ts';
import { fetchMediaFile, fetchPayload } from '../../src/remote/payloads.ts';
import { freePort } from '../support/free-port.ts';

/** A server that answers as it is told to. */
async function serving(test: TestContext, answer: RequestListener, options?: HttpOptions): Promise<Http> {
  const server = createServer(answer);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const http = await openHttp(`http://127.0.0.1:${(server.address() as AddressInfo).port}`, options);
  test.after(async () => {
    await http.close();
    server.closeAllConnections();
    server.close();
  });
  return http;
}

const says =
  (status: number, body: unknown, headers: Record<string, string> = {}): RequestListener =>
  (_request, response) => {
    response.writeHead(status, { 'content-type': 'application/json', ...headers });
    response.end(typeof body === 'string' ? body : JSON.stringify(body));
  };

const isUnreachable = (pattern: RegExp) => (error: unknown) =>
  error instanceof UnreachableError && pattern.test(error.message);

it('takes the links of the longest query string', async (t) => {
  const link = `<https://example.org/?_filter=${'%3C'.repeat(8192)}>; rel="next"`;
  const http = await serving(t, says(200, {}, { link }), { retries: 0 });
  assert.equal((await http.request({ path: '/' })).headers.link, link);
});

it('takes the size of a payload from its version, if a proxy has left out the length', async (t) => {
  const http = await serving(t, (_request, response) => void response.writeHead(200).end());
  const version = { kind: 'version', namespace: 'parks', dataset: 'trees', slug: 'v1', size: 42 };
  assert.equal((await fetchPayload(http, version as Version)).size, 42);
});

describe('what a server says is wrong becomes the error that it was', () => {
  const errors: readonly (readonly [number, unknown, new (...args: never[]) => Error, RegExp])[] = [
    [400, { label: ['This field is required.'] }, ValidationError, /^label: This field is required\.$/],
    [400, { detail: 'JSON parse error' }, ValidationError, /^JSON parse error$/],
    [401, { detail: 'Invalid token.' }, NotAuthenticatedError, /^Invalid token\.$/],
    [403, { detail: 'No.' }, NotPermittedError, /^No\.$/],
    [404, { detail: 'Not found.' }, NotFoundError, /^Not found\.$/],
    [409, { detail: 'a.yaml:1:2: Broken.' }, ConflictError, /^a\.yaml:1:2: Broken\.$/],
    [412, { detail: 'Changed.' }, StaleError, /^Changed\.$/],
    [413, { detail: 'Too large.' }, ValidationError, /^Too large\.$/],
    [429, { detail: 'Wait 3 seconds.' }, UnavailableError, /^Wait 3 seconds\.$/],
    [503, { detail: 'The disk is full.' }, UnavailableError, /^The disk is full\.$/],
    [500, { detail: 'A server error occurred.' }, CatalogueError, /^Internal error at 127/],
    [418, { detail: 'Short and stout.' }, CatalogueError, /^Short and stout\.$/],
  ];
  for (const [status, body, kind, message] of errors)
    it(`${status}: ${JSON.stringify(body)}`, async (test) => {
      const http = await serving(test, says(status, body), { retries: 0 });
      await assert.rejects(
        http.requestJson({ path: '/api/v1/' }, answers.any),
        (error: Error) => error instanceof kind && message.test(error.message),
      );
    });

  it('308 leads to what has moved', async (test) => {
    const location = 'https://elsewhere.example/below/api/v1/namespaces/a/datasets/b/?format=json';
    const http = await serving(test, says(308, '', { location }));
    await assert.rejects(http.requestJson({ path: '/api/v1/namespaces/a/datasets/c/' }, answers.any), (error) => {
      assert.ok(error instanceof MovedError);
      assert.deepEqual(error.to, { kind: 'dataset', namespace: 'a', slug: 'b' });
      return true;
    });
  });

  it('308 to the same resource, as from http to https, is a redirect of the server', async (test) => {
    const path = '/api/v1/namespaces/a/datasets/c/';
    for (const target of ['https://x.example', 'https://x.example/open-data'])
      for (const status of [301, 308]) {
        const http = await serving(test, says(status, '', { location: `${target}${path}` }));
        const message = new RegExp(` redirects to .*\\. Use that address: ${target}$`);
        await assert.rejects(http.requestJson({ path }, answers.any), isUnreachable(message));
      }
  });

  it('an answer that is too long is no other program', async (test) => {
    const http = await serving(test, says(200, { text: 'x'.repeat(33 * 1024 * 1024) }));
    const message = /^The answer of the remote is longer than 32 MiB/;
    await assert.rejects(http.requestJson({ path: '/api/v1/' }, answers.any), isUnreachable(message));
  });

  it('an error without a body, as of HEAD, is asked for again', async (test) => {
    const http = await serving(test, says(400, { _limit: ['A valid integer is required.'] }));
    await assert.rejects(http.request({ method: 'HEAD', path: '/x' }), ValidationError);
  });
});

describe('what is no catalogue is told apart', () => {
  const html = { 'content-type': 'text/html' };
  const others: readonly (readonly [string, RequestListener, RegExp])[] = [
    ['a web page', says(200, '<html>', html), /no catalogue at http:.*something else/],
    ['a page that says 404', says(404, '<html>', html), /no catalogue at .*a web page \(status 404\)/],
    ['a log-in wall', says(401, '<html>', html), /may require a sign-in/],
    ['JSON of something else', says(404, { error: 'nope' }), /no catalogue at/],
    ['a proxy that found nobody', says(502, 'Bad gateway', html), /is unavailable/],
    [
      'a redirection',
      says(301, '', { location: 'https://www.example.org/x' }),
      /Use that address: https:\/\/www\.example\.org/,
    ],
    ['a number', says(200, '7'), /no catalogue at/],
  ];
  for (const [what, answer, message] of others)
    it(what, async (test) => {
      const http = await serving(test, answer, { retries: 0 });
      await assert.rejects(http.requestJson({ path: '/api/v1/datasets/' }, answers.any), isUnreachable(message));
    });

  it('what speaks another protocol', async (test) => {
    const server = createTcpServer((socket) => socket.end('220 mail.example.org ESMTP\r\n'));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    test.after(() => server.close());
    const http = await openHttp(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
    test.after(() => http.close());
    await assert.rejects(http.requestJson({ path: '/' }, answers.any), isUnreachable(/doesn't speak HTTP/));
  });

  it('nobody', async (test) => {
    const http = await openHttp(`http://127.0.0.1:${await freePort()}`);
    test.after(() => http.close());
    await assert.rejects(
      http.requestJson({ path: '/' }, answers.any),
      isUnreachable(/^Nobody answers at 127\.0\.0\.1:\d+/),
    );
  });

  it('a name that there is not', async (test) => {
    const http = await openHttp('http://no-such-host.invalid', { timeout: 5_000 });
    test.after(() => http.close());
    await assert.rejects(http.requestJson({ path: '/' }, answers.any), isUnreachable(/no-such-host\.invalid/));
  });

  it('one who is silent', async (test) => {
    const http = await serving(test, () => {}, { timeout: 200, retries: 0 });
    await assert.rejects(http.requestJson({ path: '/' }, answers.any), isUnreachable(/takes too long/));
  });
});

describe('what is repeated, and what is not', () => {
  /** Fails as often as it is told, and counts. */
  function failing(times: number, fail: (response: ServerResponse) => void) {
    const counted = { requests: 0 };
    const answer = (_request: IncomingMessage, response: ServerResponse) =>
      ++counted.requests <= times ? fail(response) : says(200, { ok: true })(_request, response as never);
    return { counted, answer: answer as RequestListener };
  }
  const cut = (response: ServerResponse) => void response.destroy();
  const busy = (response: ServerResponse) => {
    response.writeHead(503, { 'content-type': 'application/json', 'retry-after': '0' });
    response.end('{"detail":"Busy."}');
  };

  for (const [what, fail] of [
    ['a cut connection', cut],
    ['a busy server', busy],
  ] as const) {
    it(`a question, after ${what}`, async (test) => {
      const { counted, answer } = failing(2, fail);
      const http = await serving(test, answer);
      assert.deepEqual((await http.requestJson({ path: '/' }, answers.any)).value, { ok: true });
      assert.equal(counted.requests, 3);
    });

    it(`no write, after ${what}`, async (test) => {
      const { counted, answer } = failing(1, fail);
      const http = await serving(test, answer);
      await assert.rejects(http.requestJson({ method: 'POST', path: '/', body: '{}' }, answers.any));
      assert.equal(counted.requests, 1);
    });
  }

  it('not for ever', async (test) => {
    const { counted, answer } = failing(99, busy);
    const http = await serving(test, answer, { retries: 1 });
    await assert.rejects(http.requestJson({ path: '/' }, answers.any), UnavailableError);
    assert.equal(counted.requests, 2);
  });

  it('a download goes on where it broke off', async (test) => {
    const bytes = Buffer.from(Array.from({ length: 300_000 }, (_, i) => i % 251));
    const ranges: (string | undefined)[] = [];
    const http = await serving(test, (request, response) => {
      ranges.push(request.headers.range);
      const start = Number(/^bytes=(\d+)-/.exec(request.headers.range ?? '')?.[1] ?? 0);
      const headers = { etag: '"x"', 'accept-ranges': 'bytes', 'content-length': bytes.length - start };
      const range = start ? { 'content-range': `bytes ${start}-${bytes.length - 1}/${bytes.length}` } : {};
      response.writeHead(start ? 206 : 200, { ...headers, ...range });
      if (ranges.length < 3) response.write(bytes.subarray(start, start + 100_000), () => response.destroy());
      else response.end(bytes.subarray(start));
    });
    const chunks: Uint8Array[] = [];
    for await (const chunk of (await http.request({ path: '/' })).body) chunks.push(chunk);
    assert.ok(Buffer.concat(chunks).equals(bytes));
    assert.equal(ranges[0], undefined);
    assert.equal(ranges.length, 3);
  });

  it('a reader who stops need not wait for a server that sends nothing more', async (test) => {
    const http = await serving(test, (request, response) => {
      response.writeHead(200, { 'content-length': 1000 });
      if (request.method === 'HEAD') response.end();
      else response.write('the first bytes');
    });
    const signal = AbortSignal.timeout(200);
    const started = performance.now();
    const { stream } = await fetchMediaFile(http, 'oak.png');
    await assert.rejects(pipeline(stream(), (bytes) => buffer(bytes), { signal }));
    assert.ok(performance.now() - started < 10_000);
  });

  it('a body can be read after the server has closed the connection', async (test) => {
    const bytes = Buffer.alloc(65_536);
    const http = await serving(test, (_request, response) => {
      response.writeHead(200, { connection: 'close', 'content-length': bytes.length }).end(bytes);
    });
    const { body } = await http.request({ path: '/' });
    await sleep(100);
    assert.equal((await buffer(body)).length, bytes.length);
  });

  it('a document that is made anew each time is never glued together of two', async (test) => {
    let requests = 0;
    const http = await serving(test, (_request, response) => {
      response.writeHead(200, { 'content-type': 'text/csv' });
      if (++requests === 1) response.write('a,b\n1,2\n', () => response.destroy());
      else response.end('a,b\n3,4\n');
    });
    const { body } = await http.request({ path: '/' });
    await assert.rejects(text(body), isUnreachable(/cut off/));
  });
});

describe('what is sent', () => {
  it('is who asks, and nothing of that is in an error', async (test) => {
    let seen: string | undefined;
    const http = await serving(
      test,
      (request, response) => {
        seen = request.headers.authorization;
        says(500, {})(request, response as never);
      },
      { token: 'very-secret' },
    );
    const error: Error = await http.requestJson({ path: '/' }, answers.any).then(
      () => assert.fail('It was answered.'),
      (reason) => reason,
    );
    assert.equal(seen, 'Token very-secret');
    assert.doesNotMatch(`${error.stack} ${JSON.stringify(error)} ${(error.cause as Error)?.stack}`, /very-secret/);
  });

  it('is refused before it has come whole', async (test) => {
    const http = await serving(test, (request, response) => {
      request.once('data', () => says(403, { detail: 'Not you.' })(request, response as never));
    });
    async function* endless() {
      for (let i = 0; i < 10_000; i++) yield Buffer.alloc(64 * 1024);
    }
    const sent = http.requestJson(
      {
        method: 'POST',
        path: '/',
        body: Readable.from(endless(), { objectMode: false }),
      },
      answers.any,
    );
    await assert.rejects(sent, NotPermittedError);
  });

  it('stops when it is told, with the reason', async (test) => {
    const http = await serving(test, () => {});
    const controller = new AbortController();
    const why = new Error('Enough.');
    const sent = http.requestJson({ path: '/', signal: controller.signal }, answers.any);
    setTimeout(() => controller.abort(why), 20);
    await assert.rejects(sent, (error) => error === why);
  });

  it('is answered packed, and unpacked here', async (test) => {
    const http = await serving(test, (_request, response) => {
      response.writeHead(200, { 'content-type': 'application/json', 'content-encoding': 'gzip' });
      response.end(gzipSync('{"packed":true}'));
    });
    assert.deepEqual((await http.requestJson({ path: '/' }, answers.any)).value, { packed: true });
  });

  it('goes through the proxy that the environment names, but for hosts that it excepts', async (test) => {
    const through: string[] = [];
    const proxy = createServer();
    proxy.on('connect', (request, socket) => {
      through.push(request.url ?? '');
      const [host = '', port] = (request.url ?? '').split(':');
      const onward = connectTo(Number(port), host, () => {
        socket.write('HTTP/1.1 200 Connection established\r\n\r\n');
        onward.pipe(socket).pipe(onward);
      });
      onward.on('error', () => socket.destroy());
      socket.on('error', () => onward.destroy());
    });
    await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve));
    const before = { ...process.env };
    test.after(() => {
      for (const name of ['http_proxy', 'no_proxy']) delete process.env[name];
      Object.assign(process.env, before);
      proxy.close();
    });
    process.env.http_proxy = `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`;
    const proxied = await serving(test, says(200, { ok: true }));
    assert.deepEqual((await proxied.requestJson({ path: '/' }, answers.any)).value, { ok: true });
    assert.deepEqual(through, [new URL(proxied.base).host]);
    process.env.no_proxy = '127.0.0.1';
    const direct = await serving(test, says(200, { ok: true }));
    await direct.requestJson({ path: '/' }, answers.any);
    assert.equal(through.length, 1);
  });
});
