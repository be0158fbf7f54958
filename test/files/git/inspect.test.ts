/** Checksums and newest commits of the files of a catalogue: what is read for them, and how often. */
import assert from 'node:assert/strict';
import child from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { it, type TestContext } from 'node:test';
import { checkCatalogueFiles } from '../../../src/files/checking/check.ts';
import { openFileCatalogue } from '../../../src/files/file-catalogue.ts';
import { homeOf, makeFolder } from '../../support/folder.ts';
import { gitEnv } from '../../support/repository.ts';
import { serveFolder } from '../../support/server.ts';

const csv = 'a\n1\n';
const checksum = createHash('sha256').update(csv).digest('hex');
const payload = `${homeOf('parks/trees')}/data/a.csv`;

async function open(t: TestContext) {
  const folder = makeFolder(
    {
      namespaces: { parks: { id: 1, label: 'Parks' } },
      datasets: { 'parks/trees': { id: 1, label: 'Trees' } },
      versions: {
        'parks/trees@20200101000000000000': { id: 1, checksum, file: { name: 'a.csv', format: 'csv', size: 4 } },
      },
      groups: Object.fromEntries(Array.from({ length: 20 }, (_, i) => [`g${i}`, { id: i + 1, label: `G${i}` }])),
      files: { [payload]: csv, '.gitignore': '.catalogue/\n' },
    },
    t,
  );
  const git = (...words: string[]) =>
    child.execFileSync('git', ['-c', 'user.name=T', '-c', 'user.email=t@example.org', ...words], {
      cwd: folder.root,
      env: gitEnv,
    });
  git('init', '-q');
  git('add', '.');
  git('commit', '-q', '-m', 'All');
  const files = await openFileCatalogue(folder.root);
  t.after(() => files.close());
  const view = files.for();
  const { items } = await view.list('file', { pageSize: 1000 });
  return { folder, view, items };
}

it('a payload has the recorded checksum; check finds other bytes', async (t) => {
  const { folder, view, items } = await open(t);
  folder.write(payload, 'a\n2\n');
  const file = items.find(({ path }) => path === payload);
  assert.ok(file);
  const checksumOf = async () => (await view.inspect([file]))[0]?.checksum;
  assert.equal(await checksumOf(), checksum);
  const { problems } = await checkCatalogueFiles(folder.root, { deep: true });
  assert.match(problems.map(({ message }) => message).join('\n'), /checksum/);
  folder.write(payload, 'a\n22\n');
  assert.equal(await checksumOf(), createHash('sha256').update('a\n22\n').digest('hex'));
});

it('a link that is not followed says nothing about its target', async (t) => {
  const { folder, view, items } = await open(t);
  const file = items.find(({ path }) => path === payload);
  assert.ok(file);
  for (const target of ['.catalogue/accounts.json', `${homeOf('parks/plans')}/data/secret.csv`, '../outside.csv']) {
    folder.write(target, 'secret');
    rmSync(folder.path(payload));
    symlinkSync(folder.path(target), folder.path(payload));
    const [{ checksum, modified } = {}] = await view.inspect([file]);
    assert.deepEqual([checksum, modified], ['', ''], target);
  }
  rmSync(folder.path(payload));
  folder.write(`${homeOf('parks/trees')}/data/b.csv`, csv);
  symlinkSync('b.csv', folder.path(payload));
  assert.equal((await view.inspect([file]))[0]?.checksum, checksum);
});

it('git reads the history once for many files, and not for a client that has left', async (t) => {
  const { folder, view, items } = await open(t);
  const calls = countLogs(t, folder.beside('bin'));
  await assert.rejects(view.inspect(items, AbortSignal.abort(new Error('gone'))), /gone/);
  assert.deepEqual(calls(), { count: 0, most: 0 });
  const all = await Promise.all([1, 2, 3].map(() => view.inspect(items)));
  for (const details of all) assert.ok(details.every(({ commit }) => commit?.message === 'All'));
  // One for the ids, and one for the commits.
  assert.deepEqual(calls(), { count: 2, most: 1 });
});

it('the list of files over HTTP reads the history once, however many files it has', async (t) => {
  const { folder } = await open(t);
  const { base, close } = await serveFolder(folder.root);
  t.after(close);
  const calls = countLogs(t, folder.beside('bin'));
  const answer = await fetch(`${base}/api/v1/intrinsecus/?page_size=1000`);
  const { results } = (await answer.json()) as { results: { commit: { message: string } | null }[] };
  assert.ok(results.length > 20);
  assert.ok(results.every(({ commit }) => commit?.message === 'All'));
  assert.deepEqual(calls(), { count: 2, most: 1 });
});

/** Counts calls of `git log` from now on, whichever process makes them. */
function countLogs(t: TestContext, bin: string) {
  const { PATH } = process.env;
  const real = child.execFileSync('sh', ['-c', 'command -v git'], { encoding: 'utf8' }).trim();
  const calls = `${bin}/calls`;
  mkdirSync(bin);
  writeFileSync(calls, '');
  const script = `#!/bin/sh
case "$*" in
*' log '*) printf + >>'${calls}'; '${real}' "$@"; status=$?; printf - >>'${calls}'; exit $status ;;
esac
exec '${real}' "$@"
`;
  writeFileSync(`${bin}/git`, script, { mode: 0o755 });
  process.env.PATH = `${bin}:${PATH}`;
  t.after(() => {
    process.env.PATH = PATH;
  });
  return () => {
    let [running, most, count] = [0, 0, 0];
    for (const sign of readFileSync(calls, 'utf8')) {
      running += sign === '+' ? 1 : -1;
      if (sign === '+') count++;
      most = Math.max(most, running);
    }
    return { count, most };
  };
}
