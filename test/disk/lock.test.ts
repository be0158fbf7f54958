import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import fs, { mkdir, mkdtemp, readdir, readFile, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { syncBuiltinESMExports } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { UnavailableError } from '../../src/catalogue/errors.ts';
import { removeStaleLocks, withLock, withLocks } from '../../src/disk/lock.ts';
import { compilerFor } from '../support/program.ts';

let root = '';
let children: ChildProcess[] = [];
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'catalogue-lock-'));
});
afterEach(async () => {
  for (const child of children) child.kill('SIGKILL');
  children = [];
  await rm(root, { recursive: true, force: true });
});

function start(...args: string[]): ChildProcess {
  const script = fileURLToPath(new URL('lock-child.ts', import.meta.url));
  const child = spawn(process.execPath, [...compilerFor(script), script, ...args], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  children.push(child);
  return child;
}

/** Takes a lock in this process. @returns its end, and a function that ends it */
async function hold(key: string): Promise<{ held: Promise<void>; finish: () => void }> {
  let finish = () => {};
  let held = Promise.resolve();
  await new Promise<void>((begin) => {
    const work = () => {
      begin();
      return new Promise<void>((done) => {
        finish = done;
      });
    };
    held = withLock(root, key, work);
  });
  return { held, finish };
}

const locks = async () => await readdir(join(root, '.catalogue', 'locks'));

test('processes that count together lose nothing', async () => {
  const counter = join(root, 'counter.txt');
  await writeFile(counter, '0');
  const running = Array.from({ length: 4 }, () => start('count', root, counter, '40'));
  const codes = await Promise.all(running.map(async (child) => (await once(child, 'exit'))[0]));
  assert.deepEqual(codes, [0, 0, 0, 0]);
  assert.equal(await readFile(counter, 'utf8'), '160');
  assert.deepEqual(await locks(), []);
});

test('callers in one process take turns in the order they came, keys apart', async () => {
  const order: string[] = [];
  const work = (key: string, name: string) =>
    withLock(root, key, async () => {
      order.push(`+${name}`);
      await new Promise((done) => setImmediate(done));
      order.push(`-${name}`);
    });
  await Promise.all([work('a', '1'), work('a', '2'), work('a', '3')]);
  assert.deepEqual(order, ['+1', '-1', '+2', '-2', '+3', '-3']);
  // Another key isn't waited for.
  await withLock(root, 'a', () => withLock(root, 'b', () => order.push('within')));
  assert.equal(order.at(-1), 'within');
  assert.equal((await stat(join(root, '.catalogue', 'locks'))).mode & 0o777, 0o700);
});

test('the result comes out, and so does the error, and the lock is free again', async () => {
  assert.equal(await withLock(root, 'a', () => 5), 5);
  await assert.rejects(
    withLock(root, 'a', () => {
      throw new TypeError('mine');
    }),
    { name: 'TypeError', message: 'mine' },
  );
  assert.equal(await withLock(root, 'a', () => 6), 6);
  assert.deepEqual(await locks(), []);
});

test('who waits too long is told for whom, and those behind still get their turn', async () => {
  const { held, finish } = await hold('a');
  const late = withLock(root, 'a', () => assert.fail('not my turn'), { wait: 30 });
  const patient = withLock(root, 'a', () => 'done');
  await assert.rejects(
    late,
    (error) => error instanceof UnavailableError && /^a is being written by another request/.test(error.message),
  );
  finish();
  await held;
  assert.equal(await patient, 'done');

  const child = start('hold', root);
  await once(child.stdout ?? child, 'data');
  await assert.rejects(
    withLock(root, 'held', () => assert.fail('not my turn'), { wait: 50 }),
    (error) =>
      error instanceof UnavailableError &&
      error.message.startsWith(`held is being written by process ${child.pid} on `),
  );
});

test('the lock of a process that was killed is taken over by one of those that wait, then by the next', async () => {
  const child = start('hold', root);
  await once(child.stdout ?? child, 'data');
  child.kill('SIGKILL');
  await once(child, 'exit');
  const lock = (await locks()).find((name) => name.endsWith('.lock'));
  assert.ok(lock, 'the dead process left its lock');
  let inside = 0;
  const work = async () => {
    assert.equal(++inside, 1);
    await new Promise((done) => setTimeout(done, 5));
    inside--;
  };
  await Promise.all([1, 2, 3].map(() => withLock(root, 'held', work, { stale: 3_600_000, wait: 10_000 })));
  assert.deepEqual(await locks(), []);
});

test('so is that of a holder of which nothing is known, once it gives no sign of life', async () => {
  const child = start('hold', root);
  await once(child.stdout ?? child, 'data');
  child.kill('SIGKILL');
  await once(child, 'exit');
  for (const name of await locks())
    if (name.endsWith('.lock')) await writeFile(join(root, '.catalogue', 'locks', name), 'process 1 on elsewhere');
  const started = Date.now();
  await withLock(root, 'held', () => {}, { stale: 2000, wait: 30_000 });
  assert.ok(Date.now() - started > 500, 'the lock may well have been alive');
  assert.deepEqual(await locks(), []);
});

test('locks that nobody holds any more are swept, and those of the living stay', async () => {
  const { held, finish } = await hold('mine');
  const dead = start('hold', root);
  await once(dead.stdout ?? dead, 'data');
  dead.kill('SIGKILL');
  await once(dead, 'exit');
  const folders = async () => (await locks()).filter((name) => name.endsWith('.lock'));
  assert.equal((await folders()).length, 2);
  await removeStaleLocks(root);
  assert.equal((await folders()).length, 1);
  finish();
  await held;
  assert.deepEqual(await locks(), []);
});

test('the folder of a process that was killed while it took over a lock is swept once it is old', async () => {
  await withLock(root, 'any', () => {});
  const folders = ['a', 'b'].map((digit) => join(root, '.catalogue', 'locks', `${digit.repeat(32)}.takeover.lock`));
  for (const folder of folders) await mkdir(folder);
  const hourAgo = Date.now() / 1000 - 3600;
  await utimes(folders[0] as string, hourAgo, hourAgo);
  await removeStaleLocks(root);
  assert.deepEqual(await locks(), [`${'b'.repeat(32)}.takeover.lock`]);
});

test('work whose lock was lost is told', async () => {
  // Heartbeats alone keep no process alive.
  const alive = setInterval(() => {}, 1000);
  const reason = await withLock(
    root,
    'a',
    async (signal) => {
      const lock = (await locks()).find((name) => name.endsWith('.lock'));
      // As if another had taken over: the heartbeat finds a time that isn't its own.
      await utimes(join(root, '.catalogue', 'locks', String(lock)), new Date(5000), new Date(5000));
      await once(signal, 'abort');
      return signal.reason;
    },
    { stale: 4000 },
  );
  clearInterval(alive);
  assert.ok(reason instanceof UnavailableError);
});

test('work under several locks is told if any of them was lost', async () => {
  const alive = setInterval(() => {}, 1000);
  const reason = await withLocks(root, ['a', 'b', 'c'], async (signal) => {
    const held = (await locks()).filter((name) => name.endsWith('.lock'));
    assert.equal(held.length, 3);
    await utimes(join(root, '.catalogue', 'locks', String(held[1])), new Date(5000), new Date(5000));
    await once(signal, 'abort');
    return signal.reason;
  });
  clearInterval(alive);
  assert.ok(reason instanceof UnavailableError);
  assert.match(reason.message, /^The lock of [abc] was lost/);
});

test('a live lock is not taken over because old attributes of it are cached, as on NFS', async (context) => {
  await withLock(root, 'a', () => {});
  const held = withLock(root, 'a', async () => {
    const [name = ''] = await locks();
    return { name, text: await readFile(join(root, '.catalogue', 'locks', name), 'utf8') };
  });
  const { name, text } = await held;
  await writeFile(join(root, '.catalogue', 'locks', name), text.replace(/\n.*\n/, '\n'));
  // stat(2) answers from the cache; a file that is opened has its present times.
  const { stat: statNow } = fs;
  context.after(() => {
    fs.stat = statNow;
    syncBuiltinESMExports();
  });
  fs.stat = (async (path: string) =>
    Object.assign(await statNow(path), { mtimeMs: 0, mtime: new Date(0) })) as typeof fs.stat;
  syncBuiltinESMExports();
  await assert.rejects(
    withLock(root, 'a', () => {}, { wait: 100 }),
    /is being written by process/,
  );
});
