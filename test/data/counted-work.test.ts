/** Work of threads that counts as turns: it ends when its client leaves, whether it runs or waits. */
import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import { countWorkOfThread } from '../../src/data/counted-work.ts';
import { Turns } from '../../src/data/event-loop.ts';
import { WorkerPool } from '../../src/data/worker-pool.ts';
import { until } from '../support/folder.ts';

type Tasks = typeof import('./support/tasks.ts');
const tasks = new URL('./support/tasks.ts', import.meta.url).href;

describe('work of a thread', () => {
  const workers = new WorkerPool({ size: 1, memory: 64 });
  after(() => workers.close());
  /** The turns of a client that may leave. */
  const makeClient = () => {
    const client = { hasLeft: false, spent: 0 };
    const turns = new Turns((milliseconds) => {
      client.spent += milliseconds;
      if (client.hasLeft) throw new Error('The connection was cut off.');
    });
    return { client, turns };
  };

  it('ends when its client leaves while it runs, and before it begins', async () => {
    const [first, second] = [makeClient(), makeClient()];
    const running = countWorkOfThread<Tasks, 'hang'>(workers, tasks, 'hang', [], first.turns);
    const waiting = countWorkOfThread<Tasks, 'hang'>(workers, tasks, 'hang', [], second.turns);
    assert.deepEqual(workers.load, { running: 1, waiting: 1 });
    second.client.hasLeft = true;
    await assert.rejects(waiting, /cut off/);
    assert.deepEqual(workers.load, { running: 1, waiting: 0 });
    assert.equal(second.client.spent, 0);
    await until(() => first.client.spent > 0);
    first.client.hasLeft = true;
    await assert.rejects(running, /cut off/);
    assert.deepEqual(workers.load, { running: 0, waiting: 0 });
    const third = makeClient();
    assert.equal(await countWorkOfThread<Tasks, 'add'>(workers, tasks, 'add', [2, 3], third.turns), 5);
  });

  it('ends with the reason of a signal', async () => {
    const { turns } = makeClient();
    const leaving = new AbortController();
    const running = countWorkOfThread<Tasks, 'hang'>(workers, tasks, 'hang', [], turns, leaving.signal);
    leaving.abort(new Error('left'));
    await assert.rejects(running, /left/);
    assert.deepEqual(workers.load, { running: 0, waiting: 0 });
  });

  it('is undefined if the thread fails', async () => {
    const { turns } = makeClient();
    assert.equal(await countWorkOfThread<Tasks, 'die'>(workers, tasks, 'die', [], turns), undefined);
    assert.equal(await countWorkOfThread<Tasks, 'fail'>(workers, tasks, 'fail', [], turns), undefined);
  });
});
