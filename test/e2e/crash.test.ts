/** The program itself, killed while it writes: as a server, and at the prompt. CATALOGUE_KILLS sets how many times. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync } from 'node:fs';
import { basename } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { checkFolder } from '../../src/files/check.ts';
import { isTemporary } from '../../src/files/durable.ts';
import { openFolder } from '../../src/files/file-catalogue.ts';
import { makeFolder, until } from '../support/folder.ts';
import { serve } from '../support/program.ts';

const kills = Number(process.env.CATALOGUE_KILLS ?? 200);
const bin = fileURLToPath(new URL('../../bin/catalogue.js', import.meta.url));
const slugs = ['d0', 'd1', 'd2', 'd3'];

const content = {
  settings: { title: 'x' },
  namespaces: { parks: { id: 1, label: 'Parks' } },
  datasets: Object.fromEntries(slugs.map((slug, i) => [`parks/${slug}`, { id: i + 1, label: slug }])),
  users: { ann: { id: 1, staff: true } },
};

/** The number that a description begins with; the rest shows that it is whole. */
const described = (n: number) => `${n} ${'x'.repeat(n % 3000)}`;

async function mustHold(root: string, done: ReadonlyMap<string, number>): Promise<void> {
  const started = await openFolder(root, { watch: true });
  try {
    const left = () =>
      readdirSync(root, { recursive: true })
        .map((path) => basename(String(path)))
        .filter(isTemporary);
    await until(() => left().length === 0, 40_000).catch(() => assert.deepEqual(left(), []));
    assert.deepEqual((await checkFolder(root)).problems, []);
    for (const [slug, last] of done) {
      const found = await started.for().get<'dataset'>({ kind: 'dataset', namespace: 'parks', slug });
      const n = Number.parseInt(found.description, 10);
      assert.ok(n >= last, `${slug}: ${n} and not ${last}`);
      assert.equal(found.description, described(n));
    }
  } finally {
    await started.close();
  }
}

test('a server that is killed while it is written to', { timeout: 600_000 }, async () => {
  const { root } = await makeFolder(content);
  const files = await openFolder(root);
  const { token } = await files.accounts.addToken('ann');
  await files.close();
  const done = new Map<string, number>();
  const versions = new Set<string>();
  const headers = { Authorization: `Token ${token}`, 'Content-Type': 'application/json' };
  let number = 0;
  for (let life = 0; life < Math.ceil(kills / 20); life++) {
    const server = await serve(['--data', root], { cwd: root });
    const at = (slug: string) => `${server.url}/api/v1/namespaces/parks/datasets/${slug}/`;
    const patches = slugs.slice(1).map(async (slug) => {
      for (;;) {
        const n = ++number;
        const answer = await fetch(at(slug), {
          method: 'PATCH',
          headers,
          body: JSON.stringify({ description: described(n) }),
        });
        assert.equal(answer.status, 200, await answer.text());
        done.set(slug, n);
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
    await new Promise((resolve) => setTimeout(resolve, 200 + Math.random() * 400));
    await server.end('SIGKILL');
    // Nothing but the connection failed.
    for (const outcome of await writing)
      if (outcome.status === 'rejected') assert.ok(outcome.reason instanceof TypeError, String(outcome.reason));
  }
  assert.ok(done.size === 3 && versions.size > 0);
  await mustHold(root, done);
  const catalogue = (await openFolder(root)).for();
  const { versions: found } = await catalogue.get<'dataset'>({ kind: 'dataset', namespace: 'parks', slug: 'd0' });
  for (const slug of versions) assert.ok(found.find((version) => version.slug === slug)?.ready, slug);
});

test('commands that are killed', { timeout: 600_000 }, async () => {
  const { root } = await makeFolder(content);
  const done = new Map<string, number>();
  const typed = (slug: string, n: number) =>
    spawn(process.execPath, [bin, 'dataset', 'edit', `parks/${slug}`, '--description', described(n), '--data', root], {
      stdio: 'ignore',
    });
  const began = performance.now();
  const [code] = await once(typed('d0', 1), 'exit');
  assert.equal(code, 0);
  const usual = performance.now() - began;
  let killed = 0;
  await Promise.all(
    slugs.map(async (slug) => {
      for (let n = 2; n < 2 + kills / 10; n++) {
        const child = typed(slug, n);
        // Around the time at which it writes.
        const timer = setTimeout(() => child.kill('SIGKILL'), usual * (0.6 + Math.random()));
        const [exitCode, signal] = await once(child, 'exit');
        clearTimeout(timer);
        if (exitCode === 0) done.set(slug, n);
        else if (signal === 'SIGKILL') killed++;
        else assert.fail(`${slug}: ${exitCode}`);
      }
    }),
  );
  assert.ok(killed > 0, 'some were killed');
  await mustHold(root, done);
});
