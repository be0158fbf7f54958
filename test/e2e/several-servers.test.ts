/** Three servers, each with its own clone, behind nginx as deploy/ has it: one is killed, one can't fetch any more. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { get } from 'node:http';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { it, type TestContext } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { until } from '../support/folder.ts';
import { freePort } from '../support/free-port.ts';
import { startNginx, withoutNginx } from '../support/nginx.ts';
import { type Server, serve, temporaryFolder } from '../support/program.ts';
import { seed } from '../support/prompt.ts';
import { gitEnv, makeRepository } from '../support/repository.ts';

const snippet = readFileSync(
  fileURLToPath(new URL('../../deploy/nginx-several-servers.conf', import.meta.url)),
  'utf8',
);
const benches = 'namespaces/parks/datasets/benches/dataset.yaml';

/** nginx with the snippet, on ports of these servers. @returns the address where it listens */
async function startProxy(t: TestContext, folder: string, servers: readonly Server[]): Promise<URL> {
  const port = await freePort();
  const ports = [...servers.map(({ url }) => new URL(url).port), String(port)];
  const included = ['8001', '8002', '8003', '8080'].reduce(
    (conf, documented, i) => conf.replace(`127.0.0.1:${documented}`, `127.0.0.1:${ports[i]}`),
    snippet,
  );
  const address = new URL(`http://127.0.0.1:${port}`);
  t.after(await startNginx(folder, included, address));
  return address;
}

/** A reader at an address of its own, who keeps cookies. */
class Reader {
  readonly seen: number[] = [];
  readonly #localAddress: string;
  #cookie = '';

  constructor(localAddress: string) {
    this.#localAddress = localAddress;
  }

  /** Reads the label of the benches, which is a number. */
  async read(base: URL): Promise<void> {
    const headers = { ...(this.#cookie && { Cookie: this.#cookie }) };
    const request = get(new URL('/api/v1/namespaces/parks/datasets/benches/', base), {
      localAddress: this.#localAddress,
      headers,
      agent: false,
    });
    const [response] = await once(request, 'response');
    const body = await text(response);
    assert.equal(response.statusCode, 200, body);
    const [cookie] = response.headers['set-cookie'] ?? [];
    if (cookie) this.#cookie = cookie.split(';')[0];
    this.seen.push(Number(JSON.parse(body).label));
  }
}

it('several servers behind nginx serve all requests, and no reader goes back in time', {
  skip: withoutNginx,
}, async (t) => {
  const home = temporaryFolder();
  const writer = await makeRepository(
    {
      ...seed,
      files: { ...seed.files, [benches]: "id: 12\nlabel: '0'\n" },
      settings: { title: 'Test', trust_proxy: true },
    },
    t,
  );
  const clones = ['a', 'b', 'c'].map((name) => join(home.path, name));
  for (const clone of clones) execFileSync('git', ['clone', '--quiet', writer.top, clone], { env: gitEnv });
  const servers = await Promise.all(
    clones.map((clone) =>
      serve(['--data', join(clone, 'data'), '--follow-git', '--follow-interval', '1'], { cwd: home.path, env: gitEnv }),
    ),
  );
  const ended = new Set<Server>();
  t.after(async () => {
    await Promise.all(servers.map((server) => !ended.has(server) && server.end('SIGTERM')));
    home.remove();
  });
  const base = await startProxy(t, join(home.path, 'nginx'), servers);

  const stateOf = async ({ url }: Server) => (await (await fetch(`${url}/readyz`)).json()).git;
  let last = 0;
  const push = async () => {
    writer.write(benches, `id: 12\nlabel: '${++last}'\n`);
    writer.commit();
    await sleep(400);
  };
  const readers = Array.from({ length: 30 }, (_, i) => new Reader(`127.0.1.${i + 1}`));
  let isOver = false;
  const reading = Promise.all(
    readers.map(async (reader) => {
      while (!isOver) {
        await reader.read(base);
        await sleep(20);
      }
    }),
  );
  const story = async () => {
    await push();
    await until(() => readers.every(({ seen }) => seen.at(-1) === 1), 20_000);
    execFileSync('git', ['-C', clones[1] as string, 'remote', 'set-url', 'origin', join(home.path, 'gone')]);
    await push();
    await push();
    const [killed] = servers as [Server];
    const newest = writer.git('rev-parse', 'HEAD').trim();
    await until(async () => (await stateOf(killed)).commit === newest, 20_000);
    // Its readers see what the second server lacks, and come to that one and the third.
    await sleep(200);
    ended.add(killed);
    await killed.end('SIGKILL');
    await push();
    await until(() => readers.some(({ seen }) => seen.at(-1) === last), 20_000);
    await sleep(300);
  };
  await Promise.race([story(), reading]).finally(() => {
    isOver = true;
  });
  await reading;
  for (const { seen } of readers)
    assert.deepEqual(
      seen,
      [...seen].sort((a, b) => a - b),
    );
  const [, behind] = servers as [Server, Server];
  assert.equal((await stateOf(behind)).state, 'unreachable');
  assert.ok(readers.filter(({ seen }) => seen.at(-1) === last).length >= 3, 'those of the third server, at least');
});

it('nginx passes on no headers by which a client could choose the host of links or the id in the log', {
  skip: withoutNginx,
}, async (t) => {
  const home = temporaryFolder();
  t.after(home.remove);
  const { root } = await makeRepository({ ...seed, settings: { title: 'Test', trust_proxy: true } }, t);
  const server = await serve(['--data', root, '--metrics'], { cwd: home.path });
  t.after(() => server.end('SIGTERM'));
  const base = await startProxy(t, join(home.path, 'nginx'), [server, server, server]);
  const headers = {
    'X-Forwarded-Host': 'evil.example',
    'X-Forwarded-Proto': 'https',
    'X-Request-Id': 'chosen',
  };
  const response = await fetch(new URL('/api/v1/datasets/', base), { headers });
  const [dataset] = ((await response.json()) as { results: readonly { url: string }[] }).results;
  assert.equal(new URL(dataset?.url ?? '').origin, base.origin);
  assert.notEqual(response.headers.get('x-request-id'), 'chosen');
  assert.equal((await fetch(`${server.url}/metrics`)).status, 200);
  assert.equal((await fetch(new URL('/metrics', base))).status, 404);
});

it('a response of 503 takes no server away from other readers, and a position far ahead is not waited for', {
  skip: withoutNginx,
}, async (t) => {
  const home = temporaryFolder();
  const writer = await makeRepository({ ...seed, settings: { title: 'Test', trust_proxy: true } }, t);
  const clones = ['a', 'b', 'c'].map((name) => join(home.path, name));
  for (const clone of clones) execFileSync('git', ['clone', '--quiet', writer.top, clone], { env: gitEnv });
  const servers = await Promise.all(
    clones.map((clone) => serve(['--data', join(clone, 'data'), '--follow-git'], { cwd: home.path, env: gitEnv })),
  );
  t.after(async () => {
    await Promise.all(servers.map((server) => server.end('SIGTERM')));
    home.remove();
  });
  const base = await startProxy(t, join(home.path, 'nginx'), servers);
  for (const clone of clones)
    execFileSync('git', ['-C', clone, 'remote', 'set-url', 'origin', join(home.path, 'gone')]);
  const ask = async (position: string) => {
    const response = await fetch(new URL('/api/v1/datasets/', base), {
      headers: { Cookie: `catalogue_position=${position}` },
    });
    await response.arrayBuffer();
    return response.status;
  };
  // The remote may have this commit, for all that the servers know.
  assert.equal(await ask('2'), 503);
  assert.equal(await ask('1'), 200, 'another reader, less than a second later');
  for (const position of ['999999999', '9'.repeat(400), '2, 3', '-1']) assert.equal(await ask(position), 200, position);
});
