/** Worker threads of a server: a client that leaves frees its place, and a thread that dies fails nothing. */
import assert from 'node:assert/strict';
import { connect } from 'node:net';
import { describe, it, type TestContext } from 'node:test';
import { WorkerPool, type WorkerPoolOptions } from '../../src/data/worker-pool.ts';
import { openFileCatalogue } from '../../src/files/file-catalogue.ts';
import { until } from '../support/folder.ts';
import { served } from '../support/served.ts';

const tasks = new URL('../data/support/tasks.ts', import.meta.url).href;
const versions = '/api/v1/namespaces/parks/datasets/wide/version/';
/** A table whose record is large. */
const table = (value: number) =>
  `${Array.from({ length: 3000 }, (_, i) => `column_number_${i}`)}\n${Array(3000).fill(value)}\n`;

async function serve(test: TestContext, options: WorkerPoolOptions) {
  const workers = new WorkerPool(options);
  const content = {
    namespaces: { parks: { id: 1, label: 'Parks' } },
    datasets: { 'parks/wide': { id: 2, label: 'Wide' } },
    users: { alice: { id: 1, staff: true } },
  };
  const server = await served(content, test, { workers });
  const files = await openFileCatalogue(server.folder.root);
  const { token } = await files.accounts.addToken('alice');
  await files.close();
  const headers = { Authorization: `Token ${token}`, 'Content-Type': 'text/csv' };
  const post = async (body: string) => {
    const response = await fetch(server.base + versions, { method: 'POST', body, headers });
    return { status: response.status, body: (await response.json()) as { columns?: unknown[] } };
  };
  const count = async () => {
    const response = await fetch(`${server.base}/api/v1/namespaces/parks/datasets/wide/`);
    const { versions, columns } = (await response.json()) as { versions: unknown[]; columns: unknown[] };
    return [versions.length, columns.length];
  };
  return { ...server, workers, headers, post, count };
}

describe('a server with worker threads', () => {
  it('frees the place of a client that leaves, writes nothing for it, and serves the next one', async (t) => {
    const { base, workers, headers, post, count } = await serve(t, { size: 1 });
    const busy = new AbortController();
    const hanging = assert.rejects(
      workers.run<typeof import('../data/support/tasks.ts'), 'hang'>(tasks, 'hang', [], { signal: busy.signal }),
    );
    const { hostname, port } = new URL(base);
    const socket = connect(Number(port), hostname);
    const body = table(1);
    const lines = Object.entries({ Host: hostname, ...headers, 'Content-Length': body.length });
    socket.write(`POST ${versions} HTTP/1.1\r\n${lines.map((line) => line.join(': ')).join('\r\n')}\r\n\r\n${body}`);
    await until(() => workers.load.waiting === 1);
    socket.destroy();
    await until(() => workers.load.waiting === 0);
    assert.deepEqual(await count(), [0, 0]);
    busy.abort();
    await hanging;
    assert.equal((await post(table(2))).status, 201);
    assert.deepEqual(await count(), [1, 3000]);
  });

  it('composes a large record that is posted in a thread, and parses it there', async (t) => {
    const { base, workers, headers } = await serve(t, { size: 1 });
    const { mock: run } = t.mock.method(workers, 'run');
    const columns = Array.from({ length: 3000 }, (_, i) => ({ name: `column_number_${i}`, type: 'string' }));
    const response = await fetch(`${base}/api/v1/datasets/`, {
      method: 'POST',
      headers: { ...headers, 'Content-Type': 'application/json' },
      body: JSON.stringify({ label: 'Tall', namespace: `${base}/api/v1/namespaces/parks/`, columns }),
    });
    const body = (await response.json()) as { columns: unknown[] };
    assert.deepEqual([response.status, body.columns.length], [201, 3000]);
    assert.deepEqual(
      run.calls.map(({ arguments: [, name] }) => name),
      ['composeRecord'],
    );
  });

  it('neither sorts nor compares for a client that leaves while it waits', async (t) => {
    const { base, workers, post } = await serve(t, { size: 1 });
    const rows = (last: string) =>
      `id,name\n${Array.from({ length: 20_000 }, (_, i) => `${i},n${(i * 7919) % 20_000}\n`).join('')}${last}`;
    for (const last of ['20001,a\n', '20002,b\n']) assert.equal((await post(rows(last))).status, 201);
    const busy = new AbortController();
    const hanging = assert.rejects(
      workers.run<typeof import('../data/support/tasks.ts'), 'hang'>(tasks, 'hang', [], { signal: busy.signal }),
    );
    const read = (path: string, signal?: AbortSignal) =>
      fetch(`${base}/api/v1/namespaces/parks/datasets/wide/${path}`, { signal: signal ?? null });
    const paths = ['data/?_ordering=name&_limit=3&_format=objects', 'version/latest/diff/?_key=id&_format=ndjson'];
    for (const path of paths) {
      const leaving = new AbortController();
      const left = assert.rejects(read(path, leaving.signal), { name: 'AbortError' });
      await until(() => workers.load.waiting === 1);
      leaving.abort();
      await left;
      await until(() => workers.load.waiting === 0);
    }
    busy.abort();
    await hanging;
    const [ordered, difference] = await Promise.all(paths.map(async (path) => (await read(path)).text()));
    assert.deepEqual(
      (JSON.parse(ordered as string) as { name: string }[]).map(({ name }) => name),
      ['b', 'n0', 'n1'],
    );
    assert.match(difference as string, /"removed".*20001[\s\S]*"added".*20002/);
  });

  it('answers although its threads die, and reads what was written', async (t) => {
    const { post, count } = await serve(t, { size: 1, memory: 4 });
    assert.equal((await post(table(1))).status, 201);
    assert.equal((await post(table(2))).status, 201);
    assert.deepEqual(await count(), [2, 3000]);
  });
});
