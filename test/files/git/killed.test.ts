/** Commits to git of a server that was killed: the next one makes them. */
import assert from 'node:assert/strict';
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { it, type TestContext } from 'node:test';
import { fileURLToPath } from 'node:url';
import { writerMark } from '../../../src/disk/writer.ts';
import { openFileCatalogue } from '../../../src/files/file-catalogue.ts';
import { makeFolder, until } from '../../support/folder.ts';
import { compilerFor } from '../../support/program.ts';
import { gitEnv } from '../../support/repository.ts';

const script = fileURLToPath(new URL('killed-child.ts', import.meta.url));

function makeRepository(t: TestContext) {
  const { root } = makeFolder(
    {
      settings: { git: { commit: true } },
      users: { ann: { id: 1, name: 'Ann Olsen', email: 'ann@example.org', staff: true } },
      files: { '.gitignore': '.catalogue/\n' },
    },
    t,
  );
  const as = ['-c', 'user.name=Test', '-c', 'user.email=test@example.org'];
  const git = (...args: string[]) =>
    execFileSync('git', ['-C', root, ...as, ...args], { encoding: 'utf8', env: { ...process.env, ...gitEnv } });
  git('init', '--quiet');
  git('add', '-A');
  git('commit', '--quiet', '-m', 'Start');
  return { root, git };
}

/** Runs the child, and kills it as soon as it has said a word. @returns the mark of its process */
async function runAndKill(root: string, word: string): Promise<string> {
  const child = spawn(process.execPath, [...compilerFor(script), script, root], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const closed = once(child, 'close');
  let said = '';
  child.stdout.setEncoding('utf8').on('data', (words: string) => {
    said += words;
    if (said.includes(word)) child.kill('SIGKILL');
  });
  const [, signal] = await closed;
  assert.equal(signal, 'SIGKILL', said);
  return writerMark.replace(/-[0-9a-z]+-/, `-${child.pid?.toString(36)}-`);
}

/** Follows the folder, as a server does, until it has committed everything. */
async function serveUntilCommitted(t: TestContext, root: string, git: (...args: string[]) => string) {
  const log: string[] = [];
  const files = await openFileCatalogue(root, { log: (line) => log.push(line) });
  t.after(() => files.close());
  await files.load();
  await files.follow();
  await until(() => readdirSync(join(root, '.catalogue/commits')).length === 0, 120_000);
  await files.commits.idle();
  assert.equal(git('status', '--porcelain', '--untracked-files=all'), '');
  return { log, files };
}

it('commits of acknowledged writes are made by the next server, each by the user who wrote', async (t) => {
  const { root, git } = makeRepository(t);
  await runAndKill(root, 'edited');
  const before = git('log', '--format=%s').trim().split('\n').length;
  assert.ok(before < 8, `All commits were made at once: ${before}`);
  const { log, files } = await serveUntilCommitted(t, root, git);
  const commits = git('log', '--reverse', '--format=%an %s').trim().split('\n').slice(1);
  // The first text of made-0 was replaced: its commit may lack it, and isn't made then.
  const made = Array.from({ length: 6 }, (_, n) => `Ann Olsen Add namespace made-${n}`);
  assert.deepEqual(
    commits.filter((line) => line !== made[0]),
    [...made.slice(1), 'Ann Olsen Edit namespace made-0: label'],
  );
  assert.match(git('show', 'HEAD:namespaces/made-0/namespace.yaml'), /label: Edited/);
  assert.match(log.join('\n'), /Committed to git what the last run left: Edit namespace made-0/);
  assert.equal(files.commits.failed, 0);
});

it('a lock of the index that a killed server left is removed, and no other', async (t) => {
  const { root, git } = makeRepository(t);
  const mark = await runAndKill(root, 'made-1');
  const lock = join(root, '.git/index.lock');
  writeFileSync(lock, `process 1 on a-host\n${mark}\n`);
  await serveUntilCommitted(t, root, git);
  assert.match(git('log', '--format=%s'), /Add namespace made-1/);

  const { root: other, git: otherGit } = makeRepository(t);
  await runAndKill(other, 'made-1');
  writeFileSync(join(other, '.git/index.lock'), '');
  const files = await openFileCatalogue(other, { log: () => {} });
  t.after(() => files.close());
  await files.load();
  files.commits.patience = 0;
  await files.follow();
  await until(() => files.commits.failed > 0, 120_000);
  assert.doesNotMatch(otherGit('log', '--format=%s'), /made-1/);
  assert.ok(readdirSync(join(other, '.git')).includes('index.lock'));
  await files.commits.idle();
  const { failed } = files.commits;
  await files.commits.makeLeftCommits();
  await files.commits.idle();
  assert.equal(files.commits.failed, failed, 'A later look queues none of them again.');
});
