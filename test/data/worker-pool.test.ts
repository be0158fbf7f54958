/** Worker threads: bounded, cancelled when nobody waits, replaced when they die. */
import assert from 'node:assert/strict';
import { getPriority, setPriority } from 'node:os';
import { after, describe, it } from 'node:test';
import { setTimeout } from 'node:timers/promises';
import threads from 'node:worker_threads';
import { UnavailableError } from '../../src/catalogue/errors.ts';
import { WorkerPool } from '../../src/data/worker-pool.ts';
import { replaceBuiltin } from '../support/builtin.ts';
import { until } from '../support/folder.ts';

type Tasks = typeof import('./support/tasks.ts');
const tasks = new URL('./support/tasks.ts', import.meta.url).href;

const call = <Name extends keyof Tasks & string>(
  pool: WorkerPool,
  name: Name,
  args: Parameters<Tasks[Name]>,
  signal?: AbortSignal,
) => pool.run<Tasks, Name>(tasks, name, args, { signal });

describe('a pool of worker threads', () => {
  const pool = new WorkerPool({ size: 2, memory: 64 });
  after(() => pool.close());

  it('calls a function in a thread, and passes on what it throws', async () => {
    assert.equal(await call(pool, 'add', [2, 3]), 5);
    assert.notEqual(await call(pool, 'thread', []), 0);
    await assert.rejects(call(pool, 'fail', []), { name: 'TypeError', message: 'It has no name.' });
  });

  it('copies bytes to the thread, and moves those that it returns', async () => {
    const bytes = new Uint8Array([1, 2, 3]);
    assert.deepEqual(await call(pool, 'twice', [bytes]), {
      own: new Uint8Array([1, 2, 3, 1, 2, 3]),
      shared: new Uint8Array([1, 2, 3]),
    });
    assert.equal(bytes.length, 3);
  });

  it('runs as many tasks at once as it has threads, and the others after them', async () => {
    const memory = new SharedArrayBuffer(8);
    const cell = new Int32Array(memory);
    const all = Array.from({ length: 5 }, () => call(pool, 'waitFor', [memory]));
    await until(() => Atomics.load(cell, 1) === 2);
    assert.deepEqual(pool.load, { running: 2, waiting: 3 });
    Atomics.store(cell, 0, 1);
    Atomics.notify(cell, 0);
    assert.equal(new Set(await Promise.all(all)).size, 2);
    assert.deepEqual(pool.load, { running: 0, waiting: 0 });
  });

  it('cancels a task that runs and one that waits when their callers leave', async () => {
    const [runs, waits] = [new AbortController(), new AbortController()];
    const hanging = [call(pool, 'hang', [], runs.signal), call(pool, 'hang', [], runs.signal)];
    const waiting = call(pool, 'hang', [], waits.signal);
    const begun: string[] = [];
    const next = pool.run<Tasks, 'add'>(tasks, 'add', [1, 1], { onStart: () => begun.push('next') });
    waits.abort();
    await assert.rejects(waiting, { name: 'AbortError' });
    assert.deepEqual(pool.load, { running: 2, waiting: 1 });
    assert.deepEqual(begun, []);
    runs.abort();
    for (const one of hanging) await assert.rejects(one, { name: 'AbortError' });
    assert.equal(await next, 2);
    assert.deepEqual(begun, ['next']);
    await assert.rejects(call(pool, 'add', [1, 1], runs.signal), { name: 'AbortError' });
  });

  it('fails the task of a thread that dies, and gives the next one a new thread', async () => {
    await assert.rejects(call(pool, 'die', []), UnavailableError);
    await assert.rejects(call(pool, 'grow', []), UnavailableError);
    assert.equal(await call(pool, 'add', [2, 2]), 4);
  });

  it('gives no task to a thread that ends because it was idle', async () => {
    const short = new WorkerPool({ size: 1, idle: 0.001 });
    for (let n = 0; n < 20; n++) {
      assert.equal(await call(short, 'add', [n, 1]), n + 1);
      await setTimeout(2);
    }
    await short.close();
  });

  it('comes after the main thread, whatever its priority is', {
    skip: process.platform !== 'linux' && 'a thread has no priority of its own',
  }, async () => {
    setPriority(getPriority() + 1);
    const later = new WorkerPool({ size: 1 });
    assert.equal(await call(later, 'priority', []), Math.min(19, getPriority() + 5));
    await later.close();
  });

  it('fails what runs and what waits when it is closed', async () => {
    const closed = new WorkerPool({ size: 1 });
    const all = [call(closed, 'hang', []), call(closed, 'hang', [])];
    const failed = Promise.all(all.map((one) => assert.rejects(one, UnavailableError)));
    await closed.close();
    await failed;
    await assert.rejects(call(closed, 'add', [1, 1]), UnavailableError);
  });
});

it('a pool without threads, in which none can be started, fails all that wait', async (t) => {
  const pool = new WorkerPool({ size: 1 });
  const results = [call(pool, 'die', []), call(pool, 'add', [1, 2]), call(pool, 'add', [3, 4])];
  const settled = Promise.allSettled(results);
  replaceBuiltin(t, threads, 'Worker', function refuse() {
    throw new Error('Worker initialization failure: EAGAIN');
  });
  for (const outcome of await settled)
    assert.ok(outcome.status === 'rejected' && outcome.reason instanceof UnavailableError);
  assert.deepEqual(pool.load, { running: 0, waiting: 0 });
  await pool.close();
});
