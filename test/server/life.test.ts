/** From the first request to the last: waiting for the catalogue, leaving in the middle, closing gently. */
import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import { appendFile } from 'node:fs/promises';
import { Agent, createServer, get, type IncomingMessage } from 'node:http';
import { connect } from 'node:net';
import { describe, it, type TestContext } from 'node:test';
import { respondWhileStarting } from '../../src/server/health.ts';
import { AddressError, listenForRequests } from '../../src/server/listen.ts';
import { homeOf, until } from '../support/folder.ts';
import { raw, statusesIn } from '../support/raw.ts';
import { served } from '../support/served.ts';

const large = Buffer.alloc(64 * 1024 * 1024, 'x');
const content = {
  namespaces: { parks: { label: 'x' } },
  datasets: { 'parks/trees': { label: 'x' } },
  versions: { 'parks/trees@20200101000000000000': { file: { name: 'a.bin', size: large.length } } },
  files: { [`${homeOf('parks/trees')}/data/a.bin`]: large },
};
const download = '/api/v1/namespaces/parks/datasets/trees/download/';

/** A download that has begun and waits to be read on. */
function begin(base: string, agent: Agent, path = download): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    get(`${base}${path}`, { agent }, (answer) => {
      answer.once('readable', () => resolve(answer));
    }).on('error', reject);
  });
}

async function lengthOf(answer: IncomingMessage): Promise<number> {
  let length = 0;
  for await (const chunk of answer) length += (chunk as Buffer).length;
  return length;
}

const agentFor = (t: TestContext) => {
  const agent = new Agent({ keepAlive: true });
  t.after(() => agent.destroy());
  return agent;
};

describe('before the catalogue is read', () => {
  it('whoever asks is told to wait, in the shape of every error; the process says that it lives', async (t) => {
    const listening = await listenForRequests(respondWhileStarting, '127.0.0.1', 0);
    t.after(() => listening.close(0));
    const answer = await fetch(`${listening.url}/api/v1/`);
    assert.equal(answer.status, 503);
    assert.equal(answer.headers.get('retry-after'), '1');
    assert.equal(answer.headers.get('x-content-type-options'), 'nosniff');
    assert.equal(answer.headers.get('access-control-allow-origin'), '*');
    assert.deepEqual(await answer.json(), { detail: 'The catalogue is being read.' });
    assert.equal((await fetch(`${listening.url}/healthz`)).status, 200);
    assert.equal((await fetch(`${listening.url}/readyz`)).status, 503);
    listening.setListener((_request, response) => void response.end('ready'));
    assert.equal(await (await fetch(listening.url)).text(), 'ready');
  });

  it('an address that can’t be had is an error that says what to do', async (t) => {
    const taken = createServer().listen(0, '127.0.0.1');
    t.after(() => taken.close());
    await until(() => taken.listening);
    const { port } = taken.address() as { port: number };
    await assert.rejects(listenForRequests(respondWhileStarting, '127.0.0.1', port), (error: unknown) => {
      assert.ok(error instanceof AddressError);
      assert.match(error.message, new RegExp(`Port ${port} on 127\\.0\\.0\\.1 is in use\\. Choose another`));
      return true;
    });
    await assert.rejects(listenForRequests(respondWhileStarting, '192.0.2.1', 0), /is not an address of this machine/);
  });
});

describe('closing', () => {
  it('finishes the download under way, then takes nobody in, and doesn’t wait for idle connections', async (t) => {
    const { base, close } = await served(content, t);
    const agent = agentFor(t);
    await lengthOf(await begin(base, agent, '/healthz')); // stays open, idle
    const answer = await begin(base, agent);
    const closed = close();
    await until(() =>
      fetch(`${base}/healthz`).then(
        () => false,
        () => true,
      ),
    );
    assert.equal(await lengthOf(answer), large.length);
    // From here, since the download takes its time on a busy machine. At the deadline of 10 s, all connections would be closed.
    const start = Date.now();
    await closed;
    assert.ok(Date.now() - start < 4000, `${Date.now() - start} ms`);
  });

  it('waits for nobody for longer than the deadline', async () => {
    const listening = await listenForRequests(
      (_request, response) => void response.write('never ends'),
      '127.0.0.1',
      0,
    );
    const { port } = new URL(listening.url);
    const socket = connect(Number(port), '127.0.0.1', () => socket.write('GET / HTTP/1.1\r\nHost: a\r\n\r\n'));
    await new Promise((resolve) => socket.once('data', resolve));
    const gone = new Promise((resolve) => socket.once('close', resolve));
    socket.on('error', () => {});
    await listening.close(100);
    await gone;
  });
});

describe('a client that leaves in the middle', () => {
  const open = () => readdirSync('/proc/self/fd').length;

  it('lets go of the file', { skip: process.platform !== 'linux' }, async (t) => {
    const { base } = await served(content, t);
    await fetch(`${base}${download}`, { method: 'HEAD' });
    const before = open();
    for (let i = 0; i < 20; i++) {
      const agent = new Agent();
      const answer = await begin(base, agent);
      answer.on('error', () => {});
      answer.destroy();
      agent.destroy();
    }
    await until(() => open() <= before + 2);
  });

  it('so do HEAD, conditions, ranges that aren’t there, and what is refused', {
    skip: process.platform !== 'linux',
  }, async (t) => {
    const { base } = await served(content, t);
    const first = await fetch(`${base}${download}`, { method: 'HEAD' });
    const etag = first.headers.get('etag') ?? '';
    const before = open();
    for (let i = 0; i < 20; i++) {
      for (const headers of [
        { 'If-None-Match': etag },
        { Range: 'bytes=99999999999-' },
        { Range: 'bytes=0-0' },
      ] as Record<string, string>[])
        await (await fetch(`${base}${download}`, { headers })).arrayBuffer();
      await fetch(`${base}${download}`, { method: 'HEAD' });
    }
    await until(() => open() <= before + 2);
  });

  it('nothing is mixed into an answer under way', async (t) => {
    const { base } = await served(content, t);
    const text = await raw(base, `GET ${download} HTTP/1.1\r\nHost: a\r\n\r\nno request\r\n\r\n`);
    assert.ok(statusesIn(text).length <= 1, String(statusesIn(text)));
    const body = text.slice(text.indexOf('\r\n\r\n') + 4);
    assert.match(body.slice(-1000), statusesIn(text)[0] === 200 ? /^x*$/ : /"detail"/);
  });
});

describe('a payload that grows while it is sent', () => {
  it('is sent as long as it was: the next answer on the connection is its own', async (t) => {
    const { base, folder } = await served(content, t);
    const agent = agentFor(t);
    const answer = await begin(base, agent);
    await appendFile(folder.path(`${homeOf('parks/trees')}/data/a.bin`), 'HTTP/1.1 200 Smuggled\r\n\r\n');
    assert.equal(await lengthOf(answer), large.length);
    assert.equal(answer.headers['content-length'], String(large.length));
    const next = await begin(base, agent, '/healthz');
    assert.equal(next.statusCode, 200);
    assert.equal(await lengthOf(next), 15);
  });
});
