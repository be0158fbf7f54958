/** Syncs of a whole file system: by one shell as long as they follow closely, and by nobody if the program is missing or warns. */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { promisify } from 'node:util';

const run = promisify(execFile);
const program = new URL('../../src/disk/sync-file-system.ts', import.meta.url).href;
const isLinux = process.platform === 'linux';

/** A program `sync` that writes the process id of the shell, and its arguments, to a file; then it does what the lines say. */
function makeSync(test: TestContext, lines = '') {
  const home = mkdtempSync(join(tmpdir(), 'catalogue-sync-'));
  test.after(() => rmSync(home, { recursive: true, force: true }));
  const [bin, log, folder] = ['bin', 'log', "it's a\nfolder"].map((name) => join(home, name)) as [
    string,
    string,
    string,
  ];
  mkdirSync(bin);
  mkdirSync(folder);
  // The shell runs the program in a process of its own, to read what it prints.
  const start = `shell=$(cut -d ' ' -f 4 /proc/$PPID/stat)\nprintf '%s|' "$shell" "$@" >> '${log}'`;
  writeFileSync(join(bin, 'sync'), `#!/bin/sh\n${start}\n${lines}\n`);
  chmodSync(join(bin, 'sync'), 0o755);
  return {
    folder,
    /** Runs statements in a process of their own, which may use `sync` and `pause`. @returns what they print, and the runs of the program */
    async run(statements: string) {
      const text = `
        import { setTimeout as pause } from 'node:timers/promises';
        import { syncFileSystem } from '${program}';
        const sync = () => syncFileSystem(${JSON.stringify(folder)});
        ${statements}`;
      const { stdout } = await run(process.execPath, ['--import', 'tsx', '--input-type=module', '-e', text], {
        env: { ...process.env, PATH: `${bin}:${process.env.PATH}` },
      });
      const words = readFileSync(log, 'utf8').split('|').slice(0, -1);
      const runs = Array.from({ length: words.length / 3 }, (_, i) => words.slice(i * 3, i * 3 + 3));
      return { printed: JSON.parse(stdout), runs };
    },
  };
}

test('one shell syncs as long as it is asked, and ends after a while', { skip: !isLinux }, async (test) => {
  const sync = makeSync(test);
  const { printed, runs } = await sync.run(`
    const results = [await sync(), await sync()];
    const first = sync();
    results.push(...(await Promise.all([first, Promise.resolve().then(sync), Promise.resolve().then(sync)])));
    await pause(2500);
    results.push(await sync());
    console.log(JSON.stringify({ results, pid: process.pid }));`);
  assert.deepEqual(printed.results, Array(6).fill(true));
  assert.ok(runs.every(([, option, folder]) => option === '-f' && folder === sync.folder));
  const starters = runs.map(([starter]) => starter);
  assert.equal(starters.length, 5, 'those who waited share one');
  const shells = [...new Set(starters)];
  assert.deepEqual(starters, [...Array(4).fill(shells[0]), shells[1]]);
  assert.ok(!shells.includes(String(printed.pid)));
});

test('a process waits for its sync, but not for the shell', { skip: !isLinux }, async (test) => {
  const started = performance.now();
  const { printed, runs } = await makeSync(test, 'sleep 0.5').run('sync().then((isSynced) => console.log(isSynced));');
  assert.equal(printed, true);
  assert.equal(runs.length, 1);
  assert.ok(performance.now() - started > 500);
});

for (const [what, lines] of [
  ['warns', 'echo "sync: ignoring all arguments" >&2'],
  ['fails', 'exit 1'],
  ['is killed', 'kill -9 $$'],
  ['ends with its shell', 'kill -9 $shell'],
] as const)
  test(`a program that ${what} is not asked again`, { skip: !isLinux }, async (test) => {
    const { printed, runs } = await makeSync(test, lines).run(
      'console.log(JSON.stringify([await sync(), await sync()]));',
    );
    assert.deepEqual(printed, [false, false]);
    assert.equal(runs.length, 1);
  });
