/** Input that would break what it is written to, or lead somewhere else than it says. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdtemp, readdir, rm, symlink, unlink } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import { setTimeout } from 'node:timers/promises';
import { serveAccounts } from '../support/accounts.ts';
import { until } from '../support/folder.ts';

const trees = '/api/v1/namespaces/parks/datasets/trees/';
const parks = '/api/v1/namespaces/parks/';

async function withTrees(test: TestContext) {
  const server = await serveAccounts(test);
  const { token } = await server.accounts.addToken('alice');
  const made = await server.send('POST', '/api/v1/datasets/', { label: 'Trees', namespace: parks }, token);
  assert.equal(made.status, 201);
  return { ...server, token };
}

describe('what is written', () => {
  it('is never larger than what is read', async (test) => {
    const { send, token } = await withTrees(test);
    const description = 'x'.repeat(1024 * 1024);
    const message = /^The record would have \d+ bytes; the maximum is 1048576\.$/;
    const edited = await send('PATCH', trees, { description }, token);
    assert.equal(edited.status, 400);
    assert.match(edited.body.non_field_errors[0], message);
    const made = await send('POST', '/api/v1/datasets/', { label: 'Big', namespace: parks, description }, token);
    assert.equal(made.status, 400);
    assert.match(made.body.non_field_errors[0], message);
    assert.equal((await send('PATCH', trees, { description: 'small' }, token)).status, 200);
  });

  it('has marks behind letters, as many as it likes, which take no longer than other characters', async (test) => {
    const { send, ask, token } = await withTrees(test);
    const before = process.cpuUsage();
    const marks = (count: number) => `e${'\u0301\u0323'.repeat(count)}`;
    const signIn = await send('POST', '/api/v1/auth/token/obtain/', { username: 'alice', password: marks(31_000) });
    assert.equal(signIn.status, 400);
    assert.equal((await send('PATCH', trees, { description: marks(100_000) }, token)).status, 200);
    assert.equal((await ask('/api/v1/datasets/?search=trees')).body.count, 1);
    // In the square of their number, the marks of the description alone would take a minute.
    const { user } = process.cpuUsage(before);
    assert.ok(user < 10_000_000, `${user / 1000} ms`);
  });

  it('is nested no deeper than what is read', async (test) => {
    const { ask, token } = await withTrees(test);
    const headers = { 'Content-Type': 'application/json' };
    const post = (depth: number) => {
      const parameters = `{"a": ${'['.repeat(depth)}${']'.repeat(depth)}}`;
      const body = `{"label": "Q${depth}", "dataset": "${trees}", "parameters": ${parameters}}`;
      return ask('/api/v1/queries/', { method: 'POST', headers, body }, token);
    };
    assert.equal((await post(19)).status, 201);
    for (const depth of [20, 60, 5000, 500_000]) {
      const { status, body } = await post(depth);
      assert.deepEqual([status, body], [400, { parameters: ['The nesting is deeper than 20.'] }]);
    }
    assert.equal((await ask('/api/v1/queries/')).body.count, 1);
  });

  it('is readable for thousands of columns as well', async (test) => {
    const { ask, token } = await withTrees(test);
    const names = Array.from({ length: 9000 }, (_, i) => `a-column-with-a-long-name-number-${i}`);
    const body = `${names.join()}\n${names.map((_, i) => i).join()}\n`;
    const headers = { 'Content-Type': 'text/csv' };
    const upload = await ask(`${trees}version/`, { method: 'POST', headers, body }, token);
    assert.equal(upload.status, 201, upload.text.slice(0, 300));
    assert.deepEqual((await ask('/api/v1/intrinsecus/?status=invalid')).body.results, []);
  });
});

describe('an upload', () => {
  type Served = Awaited<ReturnType<typeof withTrees>>;
  const remove = async ({ ask, token }: Served) =>
    assert.equal((await ask(trees, { method: 'DELETE' }, token)).status, 204);
  const add = async ({ send, token }: Served) =>
    assert.equal((await send('POST', '/api/v1/datasets/', { label: 'Trees', namespace: parks }, token)).status, 201);
  const rename = async ({ send, token }: Served) =>
    assert.equal((await send('PATCH', trees, { slug: 'oaks' }, token)).status, 200);
  const cases: Readonly<Record<string, readonly ((served: Served) => Promise<void>)[]>> = {
    removed: [remove],
    'removed and added again': [remove, add],
    renamed: [rename],
    'renamed, and its name given to another one': [rename, add],
  };
  for (const [what, steps] of Object.entries(cases))
    it(`to a dataset that is ${what} meanwhile ends there, and leaves nothing`, async (test) => {
      const served = await withTrees(test);
      const { base, folder, log, token } = served;
      const removed = new AbortController();
      const body = new ReadableStream({
        async start(controller) {
          controller.enqueue(Buffer.from('a\n1\n'));
          await once(removed.signal, 'abort');
          controller.close();
        },
      });
      const headers = { 'Content-Type': 'text/csv', Authorization: `Token ${token}` };
      const init = { method: 'POST', headers, body, duplex: 'half' } as RequestInit;
      const upload = fetch(`${base}${trees}version/`, init);
      const data = folder.path('namespaces/parks/datasets/trees/data');
      await until(async () => (await readdir(data).catch(() => [])).length > 0);
      for (const step of steps) await step(served);
      removed.abort();
      const answer = await upload;
      assert.deepEqual(
        [answer.status, await answer.json()],
        [404, { detail: 'The dataset was removed or renamed meanwhile.' }],
      );
      const files = await readdir(folder.path('namespaces/parks/datasets'), { recursive: true });
      assert.deepEqual(
        files.filter((name) => /payload|catalogue-tmp|versions\/./.test(name)),
        [],
      );
      assert.doesNotMatch(log.join('\n'), /Error/);
    });

  it('writes nothing outside of the folder', async (test) => {
    const { folder, ask, token } = await withTrees(test);
    const outside = await mkdtemp(join(tmpdir(), 'catalogue-test-'));
    test.after(() => rm(outside, { recursive: true }));
    const headers = { 'Content-Type': 'text/csv' };
    for (const part of ['data', 'versions']) {
      const place = folder.path(`namespaces/parks/datasets/trees/${part}`);
      await symlink(outside, place);
      const answer = await ask(`${trees}version/`, { method: 'POST', headers, body: 'a\n1\n' }, token);
      assert.equal(answer.status, 409);
      assert.match(answer.body.detail, /^namespaces\/parks\/datasets\/trees\/\w+ is a link that leads out/);
      await unlink(place);
    }
    assert.deepEqual(await readdir(outside), []);
  });

  it('that is cut off is nothing to be logged, and leaves nothing', async (test) => {
    const { base, folder, log, token } = await withTrees(test);
    const { hostname, port } = new URL(base);
    const socket = connect(Number(port), hostname);
    const head = `POST ${trees}version/ HTTP/1.1\r\nHost: x\r\nAuthorization: Token ${token}\r\nContent-Length: 99\r\n`;
    socket.write(`${head}Content-Type: text/csv\r\n\r\na,b\n`);
    const names = () => readdir(folder.path('namespaces/parks/datasets/trees/data')).catch(() => []);
    await until(async () => (await names()).length > 0);
    socket.destroy();
    await until(async () => (await names()).length === 0);
    await setTimeout(100);
    assert.doesNotMatch(log.join('\n'), /Error/);
  });
});

describe('a hyperlink to a former address', () => {
  it('means what is there now, and sends nobody elsewhere', async (test) => {
    const { send, token } = await withTrees(test);
    const old = '/api/v1/namespaces/water/';
    assert.equal((await send('PATCH', old, { slug: 'sea' }, token)).status, 200);
    const made = await send('POST', '/api/v1/datasets/', { label: 'Reefs', namespace: old }, token);
    assert.equal(made.status, 201);
    assert.match(made.body.namespace, /\/namespaces\/sea\/$/);
    const moved = await send('PATCH', trees, { namespace: old }, token);
    assert.equal(moved.status, 200);
    assert.match(moved.body.url, /\/namespaces\/sea\/datasets\/trees\/$/);
    const query = await send('POST', '/api/v1/queries/', { label: 'Tall', dataset: trees }, token);
    assert.equal(query.status, 201);
    assert.match(query.body.dataset, /\/namespaces\/sea\/datasets\/trees\/$/);
  });
});
