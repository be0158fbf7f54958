/** Reading an object over connections that are lost, from a server that knows ranges. */
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { after, beforeEach, describe, it } from 'node:test';
import { ObjectStoreError } from '../../../src/catalogue/errors.ts';
import { Bucket } from '../../../src/files/payloads/bucket.ts';

const bytes = randomBytes(2_000_000);
/** Bytes of a response after which the connection is cut. */
let cutAfter = Number.POSITIVE_INFINITY;
let requests = 0;

const server = createServer(({ headers }, response) => {
  requests++;
  const [, start] = /^bytes=(\d+)-/.exec(headers.range ?? '') ?? [];
  const part = bytes.subarray(Number(start ?? 0));
  const range = `bytes ${start}-${bytes.length - 1}/${bytes.length}`;
  response.writeHead(start ? 206 : 200, { 'Content-Length': part.length, ...(start && { 'Content-Range': range }) });
  if (cutAfter >= part.length) response.end(part);
  else response.write(part.subarray(0, cutAfter), () => response.destroy());
}).listen(0, '127.0.0.1');
await once(server, 'listening');
after(() => {
  server.closeAllConnections();
  server.close();
});
Object.assign(process.env, { AWS_ACCESS_KEY_ID: 'key', AWS_SECRET_ACCESS_KEY: 'secret' });

const wrong = () => new ObjectStoreError('wrong');
const words = { bucket: '', region: '', address: '', retry: '', missing: wrong, wrongBytes: wrong };
const endpoint = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
function open(timeout: number): Bucket {
  const bucket = new Bucket({ bucket: 'payloads', endpoint, region: 'us-east-1' }, words, { timeout });
  after(() => bucket.close());
  return bucket;
}

describe('an object that is read', () => {
  beforeEach(() => {
    requests = 0;
    cutAfter = Number.POSITIVE_INFINITY;
  });

  it('is read on as often as the connection is lost, if bytes arrive in between', async () => {
    cutAfter = 250_000;
    assert.ok((await buffer(await open(30_000).read('trees.csv', bytes.length))).equals(bytes));
    assert.ok(requests >= 8, `${requests} requests`);
  });

  it('fails if nearly nothing arrives', async () => {
    cutAfter = 1000;
    await assert.rejects(buffer(await open(30_000).read('trees.csv', bytes.length)), { name: 'UnavailableError' });
    assert.equal(requests, 4);
  });

  it('waits for a reader that pauses for longer than a connection may be silent', async () => {
    const read: Buffer[] = [];
    for await (const chunk of await open(50).read('trees.csv', bytes.length)) {
      read.push(chunk as Buffer);
      if (read.length <= 12) await new Promise((resolve) => setTimeout(resolve, 150));
    }
    assert.ok(Buffer.concat(read).equals(bytes));
    assert.ok(requests > 4, `${requests} requests`);
  });
});
