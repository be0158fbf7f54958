import assert from 'node:assert/strict';
import { EventEmitter } from 'node:events';
import type { ServerResponse } from 'node:http';
import { type TestContext, test } from 'node:test';
import v8 from 'node:v8';
import { settleHeap } from '../../src/server/heap-settling.ts';
import { replaceBuiltin } from '../support/builtin.ts';
import { makeFollowedFolder } from '../support/followed.ts';
import { serveFolder } from '../support/server.ts';
import { recordV8Flags } from '../support/v8-flags.ts';

/** Milliseconds between two looks. */
const look = 250;
const ended = ['--no-optimize-for-size', '--heap-growing-percent=0'];

/** A heap of some size that starts to settle, with a clock that stands still. */
function startSettling(t: TestContext, heapSize = 150e6) {
  let now = 0;
  let lookAtLoad: (() => void) | undefined;
  const timer = { unref: () => timer };
  // Not the timers of node:test: those of Node 20 go on when they are cleared by their own callback.
  t.mock.method(globalThis, 'setInterval', (callback: () => void, milliseconds: number) => {
    assert.equal(milliseconds, look);
    lookAtLoad = callback;
    return timer;
  });
  t.mock.method(globalThis, 'clearInterval', (cleared: unknown) => {
    if (cleared === timer) lookAtLoad = undefined;
  });
  t.mock.method(performance, 'now', () => now);
  replaceBuiltin(t, v8, 'getHeapStatistics', () => ({ used_heap_size: heapSize }));
  const flags = recordV8Flags(t);
  const store = { changeCount: 7 };
  const settling = settleHeap(store);
  return {
    flags,
    store,
    settling,
    request(): ServerResponse {
      const response = new EventEmitter() as ServerResponse;
      settling.count(response);
      return response;
    },
    pass(milliseconds: number) {
      for (let passed = 0; passed < milliseconds; passed += look) {
        now += look;
        lookAtLoad?.();
      }
    },
  };
}

test('a large heap may grow by less, and is not made smaller', (t) => {
  const { flags, settling, pass } = startSettling(t, 150e6 + 1);
  pass(120_000);
  settling.end();
  assert.deepEqual(flags(), ['--heap-growing-percent=25']);
});

test('a small heap is made smaller for a minute', (t) => {
  const { flags, pass } = startSettling(t);
  assert.deepEqual(flags(), ['--optimize-for-size']);
  pass(60_000);
  assert.deepEqual(flags(), []);
  pass(look);
  assert.deepEqual(flags(), ended);
  pass(60_000);
  assert.deepEqual(flags(), [], 'It ends once.');
});

test('many requests between two looks end the settling, and as many over a longer time do not', (t) => {
  const { flags, request, pass } = startSettling(t);
  flags();
  for (let times = 0; times < 4; times++) {
    for (let i = 0; i < 250; i++) request().emit('close');
    pass(look);
  }
  assert.deepEqual(flags(), []);
  for (let i = 0; i < 251; i++) request().emit('close');
  pass(look);
  assert.deepEqual(flags(), ended);
});

test('a server that is at work at four looks ends the settling, also with another request at each', (t) => {
  const { flags, request, pass } = startSettling(t);
  flags();
  let response = request();
  for (let looks = 1; looks < 4; looks++) {
    pass(look);
    const following = request();
    response.emit('close');
    response = following;
  }
  assert.deepEqual(flags(), []);
  pass(look);
  assert.deepEqual(flags(), ended);
});

test('a look at which the server is idle begins the count of busy looks again', (t) => {
  const { flags, request, pass } = startSettling(t);
  flags();
  for (let times = 0; times < 3; times++) {
    const response = request();
    pass(3 * look);
    response.emit('close');
    pass(look);
  }
  assert.deepEqual(flags(), []);
});

test('many changes end the settling', (t) => {
  const { flags, store, pass } = startSettling(t);
  flags();
  store.changeCount += 500;
  pass(look);
  assert.deepEqual(flags(), []);
  store.changeCount++;
  pass(look);
  assert.deepEqual(flags(), ended);
});

test('a server that closes ends the settling', (t) => {
  const { flags, settling, pass } = startSettling(t);
  flags();
  settling.end();
  assert.deepEqual(flags(), ended);
  pass(120_000);
  assert.deepEqual(flags(), []);
});

/** Records flags in a process that other tests share: its own heap may be large. */
function recordFlagsOfSmallHeap(t: TestContext): () => readonly string[] {
  replaceBuiltin(t, v8, 'getHeapStatistics', () => ({ used_heap_size: 50e6 }));
  return recordV8Flags(t);
}

test('the heap of a server grows by its own size while threads read many datasets, and is settled after that', async (t) => {
  const folder = makeFollowedFolder(t);
  for (let i = 0; i < 1000; i++) folder.dataset(`namespaces/a/datasets/d${i}`, `Label ${i}`);
  const flags = recordFlagsOfSmallHeap(t);
  const served = await serveFolder(folder.root, { readOnly: true });
  t.after(() => served.close());
  const growth = flags().filter((flag) => /heap-growing|optimize-for-size/.test(flag));
  assert.deepEqual(growth, ['--heap-growing-percent=100', '--optimize-for-size']);
});

test('the heap of a server with few datasets, which no thread reads, is only settled', async (t) => {
  const folder = makeFollowedFolder(t);
  folder.dataset('namespaces/a/datasets/d', 'Label');
  const flags = recordFlagsOfSmallHeap(t);
  const served = await serveFolder(folder.root, { readOnly: true });
  t.after(() => served.close());
  assert.deepEqual(flags(), ['--optimize-for-size']);
});
