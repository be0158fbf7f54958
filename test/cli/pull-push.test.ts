/** `catalogue pull` and `catalogue push`: the origin of a folder, and runs that lose their lock. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { existsSync, readdirSync, utimesSync } from 'node:fs';
import { createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { filesIn, makeRoot, seed, type } from '../support/prompt.ts';
import { served } from '../support/served.ts';

/** A proxy. @param before is awaited before each request is passed on */
async function proxyTo(t: TestContext, base: string, before: (path: string) => Promise<void>): Promise<string> {
  const server = createServer(async (incoming, outgoing) => {
    const { method, headers, url = '/' } = incoming;
    await before(url);
    const onward = request(new URL(url, base), { method, headers }, (response) => {
      outgoing.writeHead(response.statusCode ?? 500, response.headers);
      response.pipe(outgoing);
    });
    incoming.pipe(onward);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

describe('the origin of a folder', () => {
  it('is the first remote that it is pulled from, but not in a dry run', async (t) => {
    const { base } = await served(seed, t);
    const root = await makeRoot({ settings: { title: 'Town' } });
    const hasOrigin = () => existsSync(join(root, '.catalogue/remotes/origin.json'));
    for (const line of ['pull --dry-run', 'push --dry-run', 'diff']) {
      const { exitCode, err } = await type([...line.split(' '), '--remote', base], { root });
      assert.deepEqual([exitCode, hasOrigin()], [0, false], `${line}: ${err}`);
    }
    assert.match((await type(['pull'], { root })).err, /This catalogue has no remote yet/);
    assert.equal((await type(['pull', '--remote', base], { root })).exitCode, 0);
    assert.equal(hasOrigin(), true);
  });
});

describe('a pull', () => {
  it('changes nothing after it has lost its lock', async (t) => {
    const { base } = await served(seed, t);
    const root = await makeRoot({ settings: { title: 'Town' } });
    const locks = join(root, '.catalogue/locks');
    let isLost = false;
    const url = await proxyTo(t, base, async (path) => {
      if (isLost || !path.startsWith('/api/v1/files/')) return;
      isLost = true;
      // As if another had taken over: the next sign of life, after 2.5 seconds, finds a time that isn't its own.
      for (const name of readdirSync(locks)) utimesSync(join(locks, name), new Date(5000), new Date(5000));
      await sleep(3500);
    });
    const before = filesIn(root);
    const { exitCode, err } = await type(['pull', '--remote', url], { root });
    assert.equal(isLost, true);
    assert.notEqual(exitCode, 0);
    assert.match(err, /The lock of \S+ was lost because this process was paused\. Try again\./);
    assert.deepEqual(filesIn(root), before);
  });
});
