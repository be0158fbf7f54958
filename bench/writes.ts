/**
 * Writing: acknowledged writes a second over HTTP, beside what fsync and rename alone cost on the same disk; and what
 * readers notice while others write, and while git checks out thousands of files.
 */
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { open, rename } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { generate } from './support/generate.ts';
import { percentile, startProgram } from './support/load.ts';
import { staffToken } from './support/staff.ts';

const seconds = 4;
const changed = 5000;
const bin = fileURLToPath(new URL('../bin/catalogue.js', import.meta.url));

async function run(): Promise<void> {
  const root = mkdtempSync(join(tmpdir(), 'catalogue-bench-'));
  let stop = async () => {};
  try {
    const addresses = generate(root, 10_000);
    const token = await staffToken(root);
    const server = await startProgram([bin, 'serve', '--data', root, '--port', '0']);
    stop = server.stop;
    const at = (address = '') => `${server.url}/api/v1/namespaces/${address.replace('/', '/datasets/')}/`;
    const headers = { Authorization: `Token ${token}`, 'Content-Type': 'application/json' };
    let number = 0;
    const write = async (writer: number) => {
      const body = JSON.stringify({ description: `Written ${number++}` });
      const answer = await fetch(at(addresses[writer]), { method: 'PATCH', headers, body });
      if (answer.status !== 200) throw new Error(await answer.text());
      await answer.arrayBuffer();
    };
    const read = async () => void (await (await fetch(at(addresses[500 + (number++ % 1000)]))).arrayBuffer());
    await settled();
    for (let i = 0; i < 50; i++) await write(i % 8);

    console.log(`Writes a second, ${seconds} s each, over a catalogue of 10,000 datasets`);
    for (const writers of [1, 8]) {
      const bare = await rate(writers, (writer) => bareWrite(root, writer));
      const ours = await rate(writers, write);
      console.log(
        `  ${writers} at once: acknowledged ${ours.toFixed(0)}, bare write + fsync + rename + fsync of the folder ${bare.toFixed(0)}, ` +
          `ratio ${(ours / bare).toFixed(2)}`,
      );
    }

    console.log('Reads meanwhile, 4 at once: median, p99 and longest, in ms');
    const quiet = await timesWhile(read, new Promise((resolve) => setTimeout(resolve, seconds * 1000)));
    show('nothing else', quiet);
    const writing = await timesWhile(read, rate(4, write));
    show('4 writers', writing);
    const git = (...args: string[]) => execFileSync('git', ['-C', root, ...author, ...args], { stdio: 'pipe' });
    git('init', '-q');
    git('add', 'namespaces', 'catalogue.yaml');
    git('commit', '-qm', 'before');
    git('checkout', '-qb', 'changed');
    for (const address of addresses.slice(-changed)) {
      const file = join(root, 'namespaces', address.replace('/', '/datasets/'), 'dataset.yaml');
      writeFileSync(file, readFileSync(file, 'utf8').replace(/^licence: .*/m, 'licence: CC0-1.0'));
    }
    git('commit', '-qam', 'after');
    await settled();
    const checkout = await timesWhile(read, checkedOut(root, at(addresses.at(-1))));
    show(`git checkout of ${changed} files`, checkout);
  } finally {
    await stop();
    rmSync(root, { recursive: true, force: true });
  }
}

/** Until all files are watched, and what changed was read. */
const settled = () => new Promise((resolve) => setTimeout(resolve, 15_000));

const author = ['-c', 'user.name=bench', '-c', 'user.email=bench@example.org', '-c', 'gc.auto=0'];

/** How often a second the work is done, by several at once. */
async function rate(workers: number, work: (worker: number) => Promise<void>): Promise<number> {
  const started = performance.now();
  let done = 0;
  const one = async (worker: number) => {
    for (; performance.now() - started < seconds * 1000; done++) await work(worker);
  };
  await Promise.all(Array.from({ length: workers }, (_, worker) => one(worker)));
  return done / ((performance.now() - started) / 1000);
}

/** What no durable write can do without. */
async function bareWrite(root: string, worker: number): Promise<void> {
  const folder = join(root, '.catalogue', 'bare', String(worker));
  mkdirSync(folder, { recursive: true });
  const file = await open(join(folder, 'aside'), 'w');
  await file.writeFile('x'.repeat(900));
  await file.sync();
  await file.close();
  await rename(join(folder, 'aside'), join(folder, 'record'));
  const home = await open(folder, 'r');
  await home.sync();
  await home.close();
}

/** How long the work takes each time, in ms, done by four at once for as long as something else goes on. */
async function timesWhile(work: () => Promise<void>, other: Promise<unknown>): Promise<readonly number[]> {
  let over = false;
  const times: number[] = [];
  const one = async () => {
    while (!over) {
      const started = performance.now();
      await work();
      times.push(performance.now() - started);
    }
  };
  await Promise.all([other.finally(() => (over = true)), ...Array.from({ length: 4 }, one)]);
  return times;
}

/** Checks the other branch out, and waits until the last of its files is served. */
async function checkedOut(root: string, url: string): Promise<void> {
  await once(spawn('git', ['-C', root, 'checkout', '-q', '-'], { stdio: 'ignore' }), 'exit');
  while (((await (await fetch(url)).json()) as { licence: string }).licence !== 'CC-BY-4.0')
    await new Promise((resolve) => setTimeout(resolve, 50));
}

function show(what: string, times: readonly number[]): void {
  const figures = [percentile(times, 0.5), percentile(times, 0.99), Math.max(...times)].map((time) => time.toFixed(1));
  console.log(
    `  ${what.padEnd(32)} ${figures.map((figure) => figure.padStart(8)).join(' ')}   (${times.length} reads)`,
  );
}

await run();
