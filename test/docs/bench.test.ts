/** `npm run bench`: its help, and that an interrupted benchmark leaves nothing behind. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { runBenchmark } from '../../bench/support/run-benchmark.ts';

const checkout = fileURLToPath(new URL('../..', import.meta.url));
const bench = (...words: readonly string[]) =>
  spawnSync(process.execPath, ['--import', 'tsx', 'bench/run.ts', ...words], { cwd: checkout, encoding: 'utf8' });

describe('npm run bench', () => {
  it('lists the benchmarks, each with what it measures', () => {
    const { stdout, status } = bench('--help');
    assert.match(stdout, /^Usage: npm run bench -- \[name\.\.\.\]\n/);
    assert.match(stdout, /^ {2}cli +Commands, process included, beside a bare commander program/m);
    assert.equal(status, 0);
  });

  it('says which benchmark was probably meant, and which there are', () => {
    const { stderr, status } = bench('redas');
    assert.match(
      stderr,
      /^There is no benchmark redas\. Did you mean "reads"\? All: reads, fairness, .*, data\/ingest/,
    );
    assert.equal(status, 2);
  });
});

describe('a benchmark', () => {
  let folder: string;
  before(() => {
    folder = mkdtempSync(join(tmpdir(), 'catalogue-test-'));
  });
  after(() => rmSync(folder, { recursive: true, force: true }));

  /** Starts a program that never ends, writes its process id into the folder for temporary files, and then does what is asked. */
  const script = (then: string) => [
    '--input-type=module',
    '-e',
    `import { spawn } from 'node:child_process';
     import { renameSync, writeFileSync } from 'node:fs';
     import { tmpdir } from 'node:os';
     const server = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)'], { stdio: 'ignore' });
     writeFileSync(tmpdir() + '/new', String(server.pid));
     renameSync(tmpdir() + '/new', tmpdir() + '/pid');
     ${then}`,
  ];

  const startedProgram = async () => {
    while (!readdirSync(folder).includes('pid')) await sleep(20);
    return Number(readFileSync(join(folder, 'pid'), 'utf8'));
  };

  /** Resolves when a process has ended; an ended one whose parent is gone may take a moment. */
  const ended = async (pid: number) => {
    for (;;)
      try {
        process.kill(pid, 0);
        if (/^\d+ \(.*\) Z/.test(readFileSync(`/proc/${pid}/stat`, 'utf8'))) return;
        await sleep(20);
      } catch {
        return;
      }
  };

  it('that is interrupted ends with all that it has started', async () => {
    const stop = new AbortController();
    const running = runBenchmark(script('setInterval(() => {}, 1000);'), folder, stop.signal);
    const pid = await startedProgram();
    stop.abort();
    assert.equal(await running, false);
    await ended(pid);
    rmSync(join(folder, 'pid'));
  });

  it('that fails leaves no server running', async () => {
    const running = runBenchmark(script('process.exit(1);'), folder, new AbortController().signal);
    const pid = await startedProgram();
    assert.equal(await running, false);
    await ended(pid);
    rmSync(join(folder, 'pid'));
  });

  it('is not started after an interrupt', async () => {
    assert.equal(await runBenchmark(script(''), folder, AbortSignal.abort()), false);
    assert.deepEqual(readdirSync(folder), []);
  });
});
