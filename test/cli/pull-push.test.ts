/** `catalogue pull` and `catalogue push`: the origin of a folder, and runs that lose their lock. */
import assert from 'node:assert/strict';
import { existsSync, readdirSync, utimesSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { filesIn, makeRoot, seed, type } from '../support/prompt.ts';
import { startProxy } from '../support/proxy.ts';
import { served } from '../support/served.ts';

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

describe('diff without arguments', () => {
  it('compares the folder of --data with the remote of --remote or CATALOGUE_REMOTE, as the user of CATALOGUE_TOKEN', async (t) => {
    const { base, folder } = await served(seed, t);
    const there = { root: folder.root };
    const password = { '-': 'down the rabbit hole\n' };
    await type(['user', 'add', 'ann', '--staff', 'true', '--password-stdin'], { ...there, files: password });
    const CATALOGUE_TOKEN = (await type(['token', 'add', 'ann'], there)).out.trim();
    const root = await makeRoot({ settings: { title: 'Town' } });
    const pulled = async (...argv: string[]) => {
      const { exitCode, out, err } = await type([...argv, '--data', root, '--json'], {
        root,
        env: { CATALOGUE_TOKEN, ...(argv.includes('--remote') ? {} : { CATALOGUE_REMOTE: base }) },
      });
      assert.equal(exitCode, 0, err);
      assert.doesNotMatch(err, /isn't sent/);
      return JSON.stringify(JSON.parse(out).incoming);
    };
    assert.match(await pulled('diff'), /water\/wells/);
    assert.match(await pulled('diff', '--remote', base), /water\/wells/);
  });
});

describe('a pull', () => {
  it('changes nothing after it has lost its lock', async (t) => {
    const { base } = await served(seed, t);
    const root = await makeRoot({ settings: { title: 'Town' } });
    const locks = join(root, '.catalogue/locks');
    let isLost = false;
    const url = await startProxy(t, async (incoming) => {
      if (isLost || !incoming.url?.startsWith('/api/v1/files/')) return base;
      isLost = true;
      // As if another had taken over: the next sign of life, after 2.5 seconds, finds a time that isn't its own.
      for (const name of readdirSync(locks)) utimesSync(join(locks, name), new Date(5000), new Date(5000));
      await sleep(3500);
      return base;
    });
    const before = filesIn(root);
    const { exitCode, err } = await type(['pull', '--remote', url], { root });
    assert.equal(isLost, true);
    assert.notEqual(exitCode, 0);
    assert.match(err, /The lock of \S+ was lost because this process was paused\. Try again\./);
    assert.deepEqual(filesIn(root), before);
  });
});
