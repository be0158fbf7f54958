/** The program itself, killed while it writes: as a server, and at the prompt. CATALOGUE_KILLS sets how many times. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, watch } from 'node:fs';
import { basename, join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { isTemporaryFile } from '../../src/disk/durable.ts';
import { checkCatalogueFiles } from '../../src/files/checking/check.ts';
import { openFileCatalogue } from '../../src/files/file-catalogue.ts';
import { makeFolder, until } from '../support/folder.ts';
import { serve } from '../support/program.ts';

const kills = Number(process.env.CATALOGUE_KILLS ?? 200);
const bin = fileURLToPath(new URL('../../bin/catalogue.js', import.meta.url));
const slugs = ['d0', 'd1', 'd2', 'd3'];
/** Commands write in the first of them, servers in all: eight writers wait for the disk together. */
const served = [...slugs, 'd4', 'd5', 'd6', 'd7'];

const content = {
  settings: { title: 'x' },
  namespaces: { parks: { id: 1, label: 'Parks' } },
  datasets: Object.fromEntries(served.map((slug, i) => [`parks/${slug}`, { id: i + 1, label: slug }])),
  users: { ann: { id: 1, staff: true } },
};

/** The number that a description begins with; the rest shows that it is whole. */
const described = (n: number) => `${n} ${'x'.repeat(n % 3000)}`;

/** What was said to be done, by dataset: the last number that was written into one of its fields. */
type Done = Map<string, number>;

/** Servers write descriptions and versions through the API until they are killed, one after the other. */
async function serverLives(root: string, token: string, done: Done, versions: Set<string>): Promise<void> {
  const headers = { Authorization: `Token ${token}`, 'Content-Type': 'application/json' };
  let number = 0;
  for (let life = 0; life < Math.ceil(kills / 20); life++) {
    const server = await serve(['--data', root], { cwd: root });
    const at = (slug: string) => `${server.url}/api/v1/namespaces/parks/datasets/${slug}/`;
    let answers = 0;
    const patches = served.map(async (slug) => {
      for (;;) {
        const n = ++number;
        const body = JSON.stringify({ description: described(n) });
        const answer = await fetch(at(slug), { method: 'PATCH', headers, body });
        assert.equal(answer.status, 200, await answer.text());
        done.set(slug, n);
        answers++;
      }
    });
    const uploads = async () => {
      for (;;) {
        const csv = { ...headers, 'Content-Type': 'text/csv' };
        const answer = await fetch(`${at('d0')}version/`, { method: 'POST', headers: csv, body: `a\n${++number}\n` });
        assert.equal(answer.status, 201);
        versions.add(((await answer.json()) as { slug: string }).slug);
      }
    };
    const writing = Promise.allSettled([...patches, uploads()]);
    // On a busy machine the first answers take long: at the end of the first life, there is something to lose.
    if (life === 0) await until(() => done.size === served.length && versions.size > 0, 60_000);
    // It is at work when it is killed.
    await until(() => answers > 0, 60_000);
    await new Promise((resolve) => setTimeout(resolve, Math.random() * 250));
    await server.end('SIGKILL');
    // Nothing but the connection failed.
    for (const outcome of await writing)
      if (outcome.status === 'rejected') assert.ok(outcome.reason instanceof TypeError, String(outcome.reason));
  }
}

/**
 * Commands write numbers into the same records, and are killed around the time at which they write: every other one as soon as its
 * temporary file is there, when it writes for certain.
 */
async function commandLives(root: string, done: Done): Promise<number> {
  const typed = (slug: string, n: number) =>
    spawn(process.execPath, [bin, 'dataset', 'edit', `parks/${slug}`, '--publisher', String(n), '--data', root], {
      stdio: 'ignore',
    });
  const began = performance.now();
  const [code] = await once(typed('d0', 1), 'exit');
  assert.equal(code, 0);
  /** Milliseconds that a command takes, as measured last: the machine may be busy now and idle in a second. */
  let usual = performance.now() - began;
  let killed = 0;
  await Promise.all(
    slugs.map(async (slug) => {
      const folder = join(root, 'namespaces/parks/datasets', slug);
      for (let n = 2; n < 2 + kills / 20; n++) {
        const start = performance.now();
        const child = typed(slug, n);
        const kill = () => void child.kill('SIGKILL');
        const timer = n % 2 === 0 ? setTimeout(kill, usual * (0.6 + Math.random())) : undefined;
        const mark = `-${child.pid?.toString(36)}-`;
        const watcher = watch(folder, (_, name) => {
          if (timer === undefined && name?.includes(mark)) setTimeout(kill, Math.random() * 5);
        });
        const [exitCode, signal] = await once(child, 'exit');
        clearTimeout(timer);
        watcher.close();
        if (exitCode === 0) {
          done.set(slug, n);
          usual = performance.now() - start;
        } else if (signal === 'SIGKILL') killed++;
        else assert.fail(`${slug}: ${exitCode}`);
      }
    }),
  );
  return killed;
}

test('servers and commands that write in the same records and are killed', { timeout: 600_000 }, async () => {
  const { root } = makeFolder(content);
  const files = await openFileCatalogue(root);
  const { token } = await files.accounts.addToken('ann');
  await files.close();
  const [asked, typed]: [Done, Done] = [new Map(), new Map()];
  const versions = new Set<string>();
  const [, killed] = await Promise.all([serverLives(root, token, asked, versions), commandLives(root, typed)]);
  assert.ok(killed > 0, 'no command was killed');

  const started = await openFileCatalogue(root, { watch: true });
  try {
    const names = () => readdirSync(root, { recursive: true }).map((path) => basename(String(path)));
    await until(() => !names().some(isTemporaryFile), 40_000).catch(() =>
      assert.deepEqual(names().filter(isTemporaryFile), []),
    );
    assert.deepEqual((await checkCatalogueFiles(root)).problems, []);
    for (const slug of served) {
      const found = await started.for().get<'dataset'>({ kind: 'dataset', namespace: 'parks', slug });
      const n = Number.parseInt(found.description, 10);
      assert.ok(n >= (asked.get(slug) ?? 0), `${slug}: ${n} and not ${asked.get(slug)}`);
      assert.equal(found.description, described(n));
      assert.ok(
        Number(found.publisher || 0) >= (typed.get(slug) ?? 0),
        `${slug}: ${found.publisher} and not ${typed.get(slug)}`,
      );
      if (slug !== 'd0') continue;
      for (const version of versions) assert.ok(found.versions.find((one) => one.slug === version)?.ready, version);
    }
  } finally {
    await started.close();
  }
});
