/**
 * Writing: acknowledged writes a second over HTTP, beside what fsync and rename alone cost on the same disk; and what
 * readers notice while others write, and while git checks out thousands of files.
 */
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Pool } from 'undici';
import { bareWrite } from './support/bare-write.ts';
import { report } from './support/figures.ts';
import { generate } from './support/generate.ts';
import { median, percentile, settled, startProgram } from './support/load.ts';
import { staffToken } from './support/staff.ts';

/** Of each measurement of a rate. */
const seconds = 2;
const rounds = 5;
/**
 * Writes before the first measurement: a server has usually run for a while. V8 compiles what runs often, and the processor
 * time of a write falls by half within the first thousands.
 */
const warmUp = 12_000;
const changed = 5000;
const checkouts = 3;
const path = (name: string) => fileURLToPath(new URL(name, import.meta.url));

async function run(): Promise<void> {
  const root = mkdtempSync(join(tmpdir(), 'catalogue-bench-'));
  const stops: (() => Promise<void>)[] = [];
  try {
    const addresses = generate(root, 10_000);
    const token = await staffToken(root);
    const server = await startProgram([path('../bin/catalogue.js'), 'serve', '--data', root, '--port', '0']);
    const bareServer = await startProgram(['--import', 'tsx', path('support/bare-writes.ts'), root]);
    stops.push(server.stop, bareServer.stop);
    // Not `fetch`: beside a server that does nothing, 1 of 100 requests by it takes 6 ms, and 0.3 by this client.
    const client = new Pool(server.url);
    const bareClient = new Pool(bareServer.url);
    const at = (address = '') => `/api/v1/namespaces/${address.replace('/', '/datasets/')}/`;
    const headers = { Authorization: `Token ${token}`, 'Content-Type': 'application/json' };
    let number = 0;
    const write = async (writer: number) => {
      const body = JSON.stringify({ description: `Written ${number++}` });
      const answer = await client.request({ path: at(addresses[writer]), method: 'PATCH', headers, body });
      const text = await answer.body.text();
      if (answer.statusCode !== 200) throw new Error(text);
    };
    const bareHttp = async (writer: number) => {
      const body = JSON.stringify({ description: `Written ${number++}` });
      await (await bareClient.request({ path: `/${writer}`, method: 'PATCH', headers, body })).body.text();
    };
    const readJson = async (path: string) => (await client.request({ path, method: 'GET' })).body.json();
    const read = async () => void (await readJson(at(addresses[500 + (number++ % 1000)])));
    await settled();
    for (let i = 0; i < warmUp / 8; i++) await Promise.all(Array.from({ length: 8 }, (_, writer) => write(writer)));

    for (const [writers, target] of [
      [1, 0.4],
      [8, 0.5],
    ] as const) {
      const rates: { readonly bare: number; readonly bareHttp: number; readonly ours: number }[] = [];
      for (let round = 0; round < rounds; round++)
        rates.push({
          bare: await rate(writers, (writer) => bareWrite(root, writer)),
          bareHttp: await rate(writers, bareHttp),
          ours: await rate(writers, write),
        });
      const what = `acknowledged writes over HTTP, ${writers} at once`;
      report({
        name: `${what}, beside bare write + fsync + rename + fsync of the folder`,
        values: rates.map(({ bare, ours }) => ours / bare),
        unit: '×',
        target: { atLeast: target },
        details: `${rateOf(rates.map(({ ours }) => ours))} beside ${rateOf(rates.map(({ bare }) => bare))}`,
      });
      report({
        name: `${what}, to a server that does only this, beside the same`,
        values: rates.map(({ bare, bareHttp }) => bareHttp / bare),
        unit: '×',
        target: null,
        details: rateOf(rates.map(({ bareHttp }) => bareHttp)),
      });
    }

    const quiet = await timesWhile(read, new Promise((resolve) => setTimeout(resolve, 2 * seconds * 1000)));
    reportTimes('reads, 4 at once, with nothing else', [quiet], null);
    reportTimes('reads, 4 at once, beside 4 writers', [await timesWhile(read, rate(4, write))], null);
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
    const times: (readonly number[])[] = [];
    for (let i = 0; i < checkouts; i++) {
      await settled();
      const licence = i % 2 ? 'CC0-1.0' : 'CC-BY-4.0';
      times.push(
        await timesWhile(
          read,
          checkedOut(root, () => readJson(at(addresses.at(-1))), licence),
        ),
      );
    }
    const name = `reads, 4 at once, while ${changed.toLocaleString('en')} files change by checkout`;
    reportTimes(name, times, { p99: 10, longest: 50 });
  } finally {
    for (const stop of stops) await stop();
    rmSync(root, { recursive: true, force: true });
  }
}

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
async function checkedOut(root: string, read: () => Promise<unknown>, licence: string): Promise<void> {
  await once(spawn('git', ['-C', root, 'checkout', '-q', '-'], { stdio: 'ignore' }), 'exit');
  while (((await read()) as { licence: string }).licence !== licence)
    await new Promise((resolve) => setTimeout(resolve, 50));
}

const rateOf = (rates: readonly number[]) => `${median(rates).toFixed(0)} a second`;

/** @param times of the reads of each round */
function reportTimes(
  name: string,
  times: readonly (readonly number[])[],
  targets: { readonly p99: number; readonly longest: number } | null,
): void {
  const values = times.map((round) => percentile(round, 0.99));
  const details = `median ${percentile(times.flat(), 0.5).toFixed(1)} ms of ${times.flat().length} reads`;
  report({ name: `${name}: p99`, values, unit: 'ms', target: targets && { atMost: targets.p99 }, details });
  const longest = times.map((round) => Math.max(...round));
  report({ name: `${name}: longest`, values: longest, unit: 'ms', target: targets && { atMost: targets.longest } });
}

await run();
