/** Clients that take too much time, send too much, or come in too great a number: over real sockets. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import type { RequestListener } from 'node:http';
import { connect, type Socket } from 'node:net';
import { describe, it, type TestContext } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { openFileCatalogue } from '../../src/files/file-catalogue.ts';
import { createApp } from '../../src/server/app.ts';
import { clearBodyTimeout, defaultLimits, type Limits } from '../../src/server/limits.ts';
import { listenForRequests } from '../../src/server/listen.ts';
import { makeFolder } from '../support/folder.ts';
import { statusesIn } from '../support/raw.ts';

const limits: Limits = { headers: 300, body: 300, idle: 600, keepAlive: 60_000, connections: 5 };

async function start(t: TestContext, handler: RequestListener, changed: Partial<Limits> = {}): Promise<string> {
  const listening = await listenForRequests(handler, '127.0.0.1', 0, { ...limits, ...changed });
  t.after(() => listening.close(0));
  return listening.url;
}

/**
 * A clock that stands still while this process does, on a machine that is busy with others: the server's timers do, too.
 * @returns a function that stops it, and tells the milliseconds
 */
function startClock(): () => number {
  let ticks = 0;
  const tick = 20;
  const timer = setInterval(() => ticks++, tick);
  return () => {
    clearInterval(timer);
    return ticks * tick;
  };
}

interface Dialogue {
  readonly socket: Socket;
  /** What came back until the server closed. */
  readonly answer: Promise<string>;
  /** How long that took, in milliseconds. */
  readonly lasted: Promise<number>;
}

function talk(url: string, bytes: string): Dialogue {
  const stopClock = startClock();
  let text = '';
  const socket = connect(Number(new URL(url).port), '127.0.0.1');
  if (bytes) socket.write(bytes);
  socket.on('data', (chunk) => {
    text += chunk.toString('latin1');
  });
  socket.on('error', () => {});
  const closed = new Promise<void>((resolve) => socket.once('close', () => resolve()));
  return { socket, answer: closed.then(() => text), lasted: closed.then(stopClock) };
}

/** Writes a byte now and then, for as long as the other side takes it. */
async function drip({ socket }: Dialogue, every = 50): Promise<void> {
  while (!socket.destroyed && socket.writable) {
    socket.write('x');
    await sleep(every);
  }
}

const read: RequestListener = (request, response) => {
  request
    .resume()
    .on('end', () => response.end('read'))
    .on('error', () => {});
};
const post = 'POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 100000\r\n\r\n';

describe('time', () => {
  it('headers that drip: 408', async (t) => {
    const dialogue = talk(await start(t, read), 'GET / HTTP/1.1\r\nHost: a\r\nA: ');
    void drip(dialogue);
    assert.deepEqual(statusesIn(await dialogue.answer), [408]);
    assert.ok((await dialogue.lasted) < 5000);
  });

  it('a connection that says nothing is closed', async (t) => {
    const dialogue = talk(await start(t, read), '');
    await dialogue.answer;
    assert.ok((await dialogue.lasted) < 5000);
  });

  it('a body that drips, or stands still: 408', async (t) => {
    const url = await start(t, read);
    for (const dripping of [true, false]) {
      const dialogue = talk(url, post);
      if (dripping) void drip(dialogue);
      const answer = await dialogue.answer;
      assert.deepEqual(statusesIn(answer), [408]);
      assert.match(answer, /\r\nConnection: close\r\n/i);
      assert.match(answer, /\{"detail":"Request Timeout\."\}/);
      assert.ok((await dialogue.lasted) < 5000);
    }
  });

  it('a body that drips on when its answer is out already is cut off', async (t) => {
    const dialogue = talk(await start(t, (_request, response) => void response.end('no')), post);
    void drip(dialogue);
    assert.deepEqual(statusesIn(await dialogue.answer), [200]);
    assert.ok((await dialogue.lasted) < 5000);
  });

  it('an upload may be slow, but not stand still', async (t) => {
    const upload: RequestListener = (request, response) => {
      clearBodyTimeout(request);
      read(request, response);
    };
    const url = await start(t, upload);
    const slow = talk(url, post);
    const dripping = drip(slow);
    await sleep(1500);
    assert.ok(!slow.socket.destroyed, 'it is still taken');
    slow.socket.destroy();
    await dripping;
    const still = talk(url, post);
    assert.equal(await still.answer, '');
    assert.ok((await still.lasted) < 5000);
  });

  it('who waits for our work is not cut off', async (t) => {
    const url = await start(t, (_request, response) => void setTimeout(() => response.end('at last'), 1500));
    assert.equal(await (await fetch(url)).text(), 'at last');
    assert.equal(await (await fetch(url, { method: 'POST', body: 'x' })).text(), 'at last');
  });

  it('who takes no more of an answer is cut off', async (t) => {
    let gone = () => {};
    const cut = new Promise<void>((resolve) => {
      gone = resolve;
    });
    const url = await start(t, (_request, response) => {
      response.on('close', gone);
      response.end(Buffer.alloc(64 * 1024 * 1024));
    });
    const dialogue = talk(url, 'GET / HTTP/1.1\r\nHost: a\r\n\r\n');
    dialogue.socket.pause();
    const stopClock = startClock();
    await cut;
    assert.ok(stopClock() < 5000);
    dialogue.socket.destroy();
  });

  it('a later request of a connection may not stand still either', async (t) => {
    const dialogue = talk(await start(t, read, { body: 60_000 }), 'GET / HTTP/1.1\r\nHost: a\r\n\r\n');
    await once(dialogue.socket, 'data');
    dialogue.socket.write(post);
    assert.deepEqual(statusesIn(await dialogue.answer), [200]);
    assert.ok((await dialogue.lasted) < 5000);
  });
});

describe('numbers', () => {
  it('connections beyond the limit are closed, and others are taken again when some have gone', async (t) => {
    const url = await start(t, read, { idle: 60_000, headers: 60_000 });
    const sockets = Array.from({ length: limits.connections }, () => talk(url, ''));
    await sleep(200);
    const beyond = talk(url, 'GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n');
    assert.equal(await beyond.answer, '');
    for (const { socket } of sockets) socket.destroy();
    await sleep(200);
    const again = talk(url, 'GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n');
    assert.deepEqual(statusesIn(await again.answer), [200]);
  });

  it('connections beyond the limit are logged: a line at once, then one a minute with their number', async (t) => {
    const lines: string[] = [];
    const few = { ...limits, idle: 60_000, headers: 60_000, connections: 1 };
    const listening = await listenForRequests(read, '127.0.0.1', 0, few, (line) => lines.push(line));
    t.after(() => listening.close(0));
    const first = talk(listening.url, '');
    t.after(() => first.socket.destroy());
    await once(first.socket, 'connect');
    t.mock.timers.enable({ apis: ['setTimeout'] });
    const drop = async (count: number) => {
      for (let i = 0; i < count; i++) await talk(listening.url, '').answer;
    };
    const rest =
      'closed without a response: 1 were open, as many as this server takes. Raise ulimit -n, or limit the connections of each client in the proxy.';
    await drop(3);
    assert.deepEqual(lines, [`1 connection was ${rest}`]);
    t.mock.timers.tick(59_999);
    assert.equal(lines.length, 1);
    t.mock.timers.tick(1);
    assert.deepEqual(lines.slice(1), [`2 connections were ${rest}`]);
    // A minute without any ends it.
    t.mock.timers.tick(200_000);
    assert.equal(lines.length, 2);
    await drop(1);
    assert.equal(lines.length, 3);
    // What wasn't logged yet is logged at the end.
    await drop(2);
    t.mock.timers.reset();
    await listening.close(0);
    assert.deepEqual(lines.slice(3), [`2 connections were ${rest}`]);
  });
});

describe('a server of ours', () => {
  const app = async () => {
    const files = await openFileCatalogue(makeFolder({ settings: {} }).root);
    await files.load();
    return createApp((viewer) => files.for(viewer), { accounts: files.accounts, log: (line) => assert.fail(line) });
  };

  it('neither answers nor complains where a client leaves in the middle of its request', async (t) => {
    const url = await start(t, await app(), defaultLimits);
    const path = '/api/v1/auth/token/obtain/';
    for (const head of ['Content-Type: application/json', 'Content-Type: multipart/form-data; boundary=x']) {
      const dialogue = talk(url, `POST ${path} HTTP/1.1\r\nHost: a\r\n${head}\r\nContent-Length: 1000\r\n\r\n--x\r\n`);
      await sleep(100);
      dialogue.socket.destroy();
    }
    await sleep(100);
    assert.equal((await fetch(`${url}/healthz`)).status, 200);
  });

  it('answers 408 in its own words, with a request id', async (t) => {
    const url = await start(t, await app());
    const head = 'Content-Type: application/json\r\nContent-Length: 1000';
    const dialogue = talk(url, `POST /api/v1/auth/token/obtain/ HTTP/1.1\r\nHost: a\r\n${head}\r\n\r\n{`);
    const answer = await dialogue.answer;
    assert.deepEqual(statusesIn(answer), [408]);
    assert.match(answer, /^X-Request-Id: [0-9a-f-]{36}\r$/im);
    assert.match(answer, /^X-Content-Type-Options: nosniff\r$/im);
  });

  it('does not wait for connections that browsers have opened in advance', async (t) => {
    const hour = 3_600_000;
    const listening = await listenForRequests(read, '127.0.0.1', 0, { ...limits, idle: hour, headers: hour });
    t.after(() => listening.close(0));
    const { socket, answer } = talk(listening.url, '');
    await once(socket, 'connect');
    await listening.close(hour);
    assert.equal(await answer, '');
  });

  it('refuses what comes over an open connection while it ends', async () => {
    const listening = await listenForRequests(
      (_request, response) => void setTimeout(() => response.end('done'), 300),
      '127.0.0.1',
      0,
    );
    const dialogue = talk(listening.url, 'GET / HTTP/1.1\r\nHost: a\r\n\r\n');
    await sleep(100);
    const closing = listening.close();
    dialogue.socket.write('GET / HTTP/1.1\r\nHost: a\r\n\r\n');
    const answer = await dialogue.answer;
    assert.deepEqual(statusesIn(answer), [200, 503]);
    assert.match(answer, /Retry-After: 5/);
    await closing;
  });
});
