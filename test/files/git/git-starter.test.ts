/** Git that another process starts: it does what git as a child would do, and ends with the process that asked. */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { GitStarter } from '../../../src/files/git/git-starter.ts';
import { GitError, type GitStart, startGit } from '../../../src/files/git/start-git.ts';

const run = promisify(execFile);
const src = new URL('../../../src/files/git/', import.meta.url).href;

const isLinux = process.platform === 'linux';
/** Prints the process that started git, in an alias of git. */
const parentOfGit = "cut -d ' ' -f 4 /proc/$PPID/stat";

function makeStart(test: TestContext) {
  const folder = mkdtempSync(join(tmpdir(), 'catalogue-git-'));
  test.after(() => rmSync(folder, { recursive: true, force: true }));
  return (...args: readonly string[]): GitStart => ({ folder, args, env: process.env, input: 'text', timeout: 30_000 });
}

test('output, errors and kills are those of git as a child', async (test) => {
  const start = makeStart(test);
  const starter = new GitStarter();
  await starter.run(start('init', '-q'));
  const hash = start('hash-object', '-w', '--stdin');
  const id = await starter.run(hash);
  assert.ok(Buffer.isBuffer(id));
  assert.deepEqual(id, await startGit(hash));
  // More than a pipe holds, with bytes that are no text.
  const bytes = start('-c', 'alias.x=!head -c 3000000 /dev/zero | tr "\\0" "\\377"', 'x');
  assert.deepEqual(await starter.run(bytes), Buffer.alloc(3_000_000, 0xff));

  const failing = start('rev-parse', '--verify', '--quiet', 'nothing');
  const errors = await Promise.all(
    [starter, { run: startGit }].map(({ run }) => run.call(starter, failing).catch((error) => error)),
  );
  for (const error of errors) assert.ok(error instanceof GitError && error.exitCode === 1);
  assert.equal(errors[0].message, errors[1].message);

  const killed = new AbortController();
  const [long, other] = [starter.run(start('-c', 'alias.x=!sleep 60', 'x'), killed.signal), starter.run(hash)];
  await sleep(100);
  killed.abort();
  await assert.rejects(long, GitError);
  assert.deepEqual(await other, id);
});

test('after its process has been killed, git runs in a new one', { skip: !isLinux }, async (test) => {
  const start = makeStart(test);
  const starter = new GitStarter();
  const parent = start('-c', `alias.x=!${parentOfGit}`, 'x');
  const pid = Number(await starter.run(parent));
  assert.notEqual(pid, process.pid);
  const waiting = starter.run(start('-c', 'alias.x=!sleep 3', 'x'));
  process.kill(pid, 'SIGKILL');
  await assert.rejects(waiting, /has ended; try again/);
  assert.notEqual(Number(await starter.run(parent)), pid);
});

test('a large process lets another one start git; both end by themselves, and git goes on', {
  skip: !isLinux,
}, async (test) => {
  const { folder } = makeStart(test)();
  // It writes a file after the large process has ended.
  const alias = `alias.x=!${parentOfGit} && sleep 1 && echo ended > ended`;
  const text = `
    import { runGit } from '${src}git.ts';
    const parent = () => runGit(${JSON.stringify(folder)}, ['-c', ${JSON.stringify(`alias.x=!${parentOfGit}`)}, 'x']);
    const small = await parent();
    const memory = Buffer.alloc(150 * 1024 ** 2, 1);
    const large = await parent();
    process.kill(Number(large), 'SIGTERM');
    const again = await parent();
    void runGit(${JSON.stringify(folder)}, ['-c', ${JSON.stringify(alias)}, 'x']);
    setTimeout(() => {
      console.log([process.pid, small, large, again, memory.length].map(Number).join());
      process.exit();
    }, 300);`;
  const { stdout } = await run(process.execPath, ['--import', 'tsx', '--input-type=module', '-e', text]);
  const [pid = 0, small, large = 0, again] = stdout.split(',').map(Number);
  assert.equal(small, pid);
  assert.notEqual(large, pid);
  assert.equal(again, large, 'it waits for the larger process, also after a signal');
  while (!existsSync(join(folder, 'ended'))) await sleep(50);
  assert.equal(readFileSync(join(folder, 'ended'), 'utf8'), 'ended\n');
  while (isRunning(large)) await sleep(50);
});

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}
