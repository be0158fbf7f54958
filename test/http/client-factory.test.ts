/** Servers that close the connection while a body waits to be read, in each framing of HTTP/1 (RFC 9112, section 6.3). */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer as createHttpServer } from 'node:http';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';
import { describe, it, type TestContext } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { createServer as createTlsServer } from 'node:tls';
import * as undici from 'undici';
import { makeClientFactory } from '../../src/http/client-factory.ts';
import { selfSigned } from '../support/self-signed.ts';

const body = Buffer.alloc(64 * 1024, 'a');
const chunked = Buffer.concat([Buffer.from('10000\r\n'), body, Buffer.from('\r\n0\r\n\r\n')]);
const factory = makeClientFactory(undici);
const usualOptions = { factory, connect: { ca: selfSigned.cert } };

/** Starts a server that sends bytes at each request, and closes the connection. @returns its address */
async function startServer(t: TestContext, bytes: readonly (string | Buffer)[], isTls = false): Promise<string> {
  const answer = (socket: Socket) => {
    socket.on('error', () => {});
    socket.once('data', () => {
      for (const part of bytes) socket.write(part);
      socket.end();
    });
  };
  const server: Server = isTls ? createTlsServer(selfSigned, answer) : createServer(answer);
  await once(server.listen(0, '127.0.0.1'), 'listening');
  t.after(() => void server.close());
  return `http${isTls ? 's' : ''}://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** The length of a body that is read when the server has closed the connection. */
async function lengthOfLateBody(address: string, dispatcher: undici.Dispatcher): Promise<number> {
  const response = await undici.request(address, { dispatcher });
  await sleep(50);
  let length = 0;
  for await (const chunk of response.body) length += (chunk as Buffer).length;
  return length;
}

const framings = {
  'a length': ['HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 65536\r\n\r\n', body],
  'HTTP/1.0, with a length': ['HTTP/1.0 200 OK\r\nContent-Length: 65536\r\n\r\n', body],
  'HTTP/1.0, whose body ends with the connection': ['HTTP/1.0 200 OK\r\n\r\n', body],
  chunks: ['HTTP/1.1 200 OK\r\nConnection: close\r\nTransfer-Encoding: chunked\r\n\r\n', chunked],
} as const;

describe('a body that waits while the server closes the connection', () => {
  for (const [framing, bytes] of Object.entries(framings))
    for (const isTls of [false, true])
      it(`is read to its end: ${framing}${isTls ? ', over TLS' : ''}`, async (t) => {
        const address = await startServer(t, bytes, isTls);
        const agent = new undici.Agent(usualOptions);
        t.after(() => agent.destroy());
        for (let i = 0; i < 2; i++) assert.equal(await lengthOfLateBody(address, agent), body.length);
      });

  it('is read to its end behind a proxy, over TLS, too', async (t) => {
    const proxy = createHttpServer().on('connect', ({ url = '' }, socket) => {
      const [host = '', port] = url.split(':');
      const target = connect(Number(port), host, () => socket.write('HTTP/1.1 200 OK\r\n\r\n'));
      for (const end of [target, socket]) end.on('error', () => {});
      socket.pipe(target).pipe(socket);
    });
    await once(proxy.listen(0, '127.0.0.1'), 'listening');
    t.after(() => {
      proxy.closeAllConnections();
      proxy.close();
    });
    const address = `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`;
    const requestTls = { ca: selfSigned.cert };
    const agent = new undici.EnvHttpProxyAgent({
      ...{ httpProxy: address, httpsProxy: address, noProxy: '', proxyTunnel: true, requestTls, factory },
    } as undici.EnvHttpProxyAgent.Options);
    t.after(() => agent.destroy());
    for (const isTls of [false, true])
      for (const bytes of Object.values(framings))
        assert.equal(await lengthOfLateBody(await startServer(t, bytes, isTls), agent), body.length);
  });

  for (const [what, bytes] of [
    ['a length', ['HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 65537\r\n\r\n', body]],
    ['chunks', ['HTTP/1.1 200 OK\r\nConnection: close\r\nTransfer-Encoding: chunked\r\n\r\n', chunked.subarray(0, -7)]],
  ] as const)
    it(`fails if it was cut off: ${what}`, async (t) => {
      const agent = new undici.Agent(usualOptions);
      t.after(() => agent.destroy());
      await assert.rejects(lengthOfLateBody(await startServer(t, bytes), agent));
    });

  it('ends with its agent, if nobody reads it', async (t) => {
    const agent = new undici.Agent(usualOptions);
    const response = await undici.request(await startServer(t, framings['a length']), { dispatcher: agent });
    await sleep(50);
    const failed = assert.rejects(response.body.bytes());
    await agent.destroy();
    await failed;
  });
});

it('a connection that the server keeps is used again, and one that it has closed meanwhile is not', async (t) => {
  let connections = 0;
  const server = createHttpServer((request, response) => {
    if (request.url === '/last') response.once('finish', () => request.socket.end());
    response.end(body);
  }).on('connection', () => connections++);
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const address = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const agent = new undici.Agent({ ...usualOptions, connections: 1 });
  t.after(async () => {
    await agent.destroy();
    server.close();
  });
  for (const path of ['/', '/', '/last']) assert.equal(await lengthOfLateBody(address + path, agent), body.length);
  assert.equal(connections, 1);
  assert.equal(await lengthOfLateBody(`${address}/`, agent), body.length);
  assert.equal(connections, 2);
});
