/**
 * Figures for docs/scale.md: what a request costs each kind of host, and what git and the browser's search take as a catalogue
 * grows. Cost is CPU time of all processes that serve, by request: it says how many requests a second one core answers, also
 * on a machine whose cores are shared with the program that asks.
 */
import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { fileURLToPath } from 'node:url';
import { brotliCompressSync, constants } from 'node:zlib';
import type { Catalogue } from '../src/catalogue/catalogue.ts';
import { summarize, summaryParts } from '../src/catalogue/search-summary.ts';
import type { Entities } from '../src/catalogue/types.ts';
import { openFileCatalogue } from '../src/files/file-catalogue.ts';
import { startNginx } from '../test/support/nginx.ts';
import { report } from './support/figures.ts';
import { generate, generatedFiles } from './support/generate.ts';
import { freePort, needWrk, requestsPerSecond, startProgram } from './support/load.ts';

const path = (name: string) => fileURLToPath(new URL(name, import.meta.url));
const rounds = 3;
const seconds = 3;
const html = { Accept: 'text/html', 'Accept-Encoding': 'br, gzip' };
const json = { Accept: 'application/json', 'Accept-Encoding': 'br, gzip' };
const dataset = '/api/v1/namespaces/usgs/datasets/earthquakes/';
const requests = [
  ['dataset as JSON', dataset, json],
  ['dataset as a page', dataset, html],
  ['list of datasets as JSON', '/api/v1/datasets/', json],
  ['rows as a CSV file of 400 kB', `${dataset}data.csv`, {}],
] as const;

interface Host {
  readonly name: string;
  readonly url: string;
  /** Its processes; those of their children are counted, too. */
  readonly pids: readonly number[];
}

/** CPU seconds that processes and their living children have used, on all threads (Linux: /proc/<pid>/task/<tid>/schedstat). */
function cpuSeconds(pids: readonly number[]): number {
  let nanoseconds = 0;
  for (const pid of readdirSync('/proc')) {
    if (!/^\d+$/.test(pid)) continue;
    try {
      const parent = Number(/^PPid:\s*(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]);
      if (!pids.includes(Number(pid)) && !pids.includes(parent)) continue;
      for (const thread of readdirSync(`/proc/${pid}/task`))
        nanoseconds += Number(readFileSync(`/proc/${pid}/task/${thread}/schedstat`, 'utf8').split(' ')[0]);
    } catch {
      // It has ended meanwhile.
    }
  }
  return nanoseconds / 1e9;
}

/** Requests a second for each core that serves. */
async function requestsPerCore({ url, pids }: Host, address: string, headers: Readonly<Record<string, string>>) {
  await requestsPerSecond(url + address, headers, 1);
  const before = cpuSeconds(pids);
  const rate = await requestsPerSecond(url + address, headers, seconds);
  return (rate * seconds) / (cpuSeconds(pids) - before);
}

async function measureHosts(home: string): Promise<void> {
  const data = join(home, 'data');
  cpSync(path('../catalogue-data'), data, { recursive: true });
  const stops: (() => Promise<void>)[] = [];
  try {
    const servers = await Promise.all(
      [1, 2, 3].map(() => startProgram([path('../bin/catalogue.js'), 'serve', '--data', data, '--port', '0'])),
    );
    stops.push(...servers.map(({ stop }) => stop));
    const site = join(home, 'site');
    const sitePort = await freePort();
    const siteUrl = `http://127.0.0.1:${sitePort}`;
    execFileSync(process.execPath, [
      path('../bin/catalogue.js'),
      'export',
      site,
      '--url',
      siteUrl,
      '--data',
      data,
      '--quiet',
    ]);
    const snippet = readFileSync(join(site, '_nginx.conf'), 'utf8')
      .replace(/listen [^;]*;/, `listen 127.0.0.1:${sitePort};`)
      .replace(/root [^;]*;/, `root ${site};`);
    const hosts: Host[] = [];
    const addNginx = async (name: string, conf: string, port: number, pids: readonly number[] = []) => {
      const folder = join(home, `nginx-${hosts.length}`);
      const url = `http://127.0.0.1:${port}`;
      const stop = await startNginx(folder, conf, url);
      stops.unshift(stop);
      hosts.push({ name, url, pids: [Number(readFileSync(`${folder}/pid`, 'utf8')), ...pids] });
    };
    await addNginx('the export behind nginx', snippet, sitePort);
    const [first] = servers;
    if (!first) throw new Error('No server started.');
    hosts.push({ name: 'one server', url: first.url, pids: [first.pid] });
    const several = readFileSync(path('../deploy/nginx-several-servers.conf'), 'utf8');
    for (const count of [1, 3]) {
      const port = await freePort();
      const chosen = servers.slice(0, count);
      // The program that asks has one address, by which all of its requests would go to one server.
      const conf = several
        .replace('hash $remote_addr consistent;', 'hash $request_id consistent;')
        .replace(/ *server 127\.0\.0\.1:800[123][^;]*;\n/g, '')
        .replace('keepalive 32;', `${chosen.map(({ url }) => `server ${new URL(url).host};`).join(' ')} keepalive 32;`)
        .replace('listen 127.0.0.1:8080;', `listen 127.0.0.1:${port};`);
      const name = count === 1 ? 'one server behind nginx' : 'three servers behind nginx';
      await addNginx(
        name,
        conf,
        port,
        chosen.map(({ pid }) => pid),
      );
    }
    for (const [what, address, headers] of requests) {
      const measured = hosts.map((): number[] => []);
      for (let round = 0; round < rounds; round++)
        for (const [i, host] of hosts.entries()) measured[i]?.push(await requestsPerCore(host, address, headers));
      for (const [i, { name }] of hosts.entries())
        report({ name: `${what}, ${name}`, values: measured[i] ?? [], unit: 'requests/s a core', target: null });
    }
  } finally {
    for (const stop of stops) await stop();
  }
}

/** Runs git. @returns seconds that it took */
function git(folder: string, ...args: readonly string[]): number {
  const start = performance.now();
  const identity = ['-c', 'user.name=bench', '-c', 'user.email=bench@example.org', '-c', 'gc.auto=0'];
  const { status, stderr } = spawnSync('git', ['-C', folder, ...identity, ...args], {
    encoding: 'utf8',
    maxBuffer: 1e9,
  });
  if (status !== 0) throw new Error(`git ${args.join(' ')}: ${stderr}`);
  return (performance.now() - start) / 1000;
}

function sizeOfFolder(folder: string): number {
  let total = 0;
  for (const entry of readdirSync(folder, { withFileTypes: true, recursive: true }))
    if (entry.isFile()) total += statSync(join(entry.parentPath, entry.name)).size;
  return total;
}

async function measureGrowth(home: string, count: number): Promise<void> {
  const words = `${count.toLocaleString('en')} datasets`;
  const folder = join(home, `tree-${count}`);
  mkdirSync(folder);
  const [address = ''] = generate(folder, count);
  const figure = (name: string, value: number, unit: string) =>
    report({ name: `${words}: ${name}`, values: [value], unit, target: null });
  git(folder, 'init', '--quiet');
  figure('git add', git(folder, 'add', '--all'), 's');
  figure('git commit', git(folder, 'commit', '--quiet', '--message', 'All'), 's');
  figure('git status', git(folder, 'status', '--short'), 's');
  const [namespace, slug] = address.split('/');
  const file = join('namespaces', `${namespace}`, 'datasets', `${slug}`, 'dataset.yaml');
  execFileSync('sh', ['-c', `echo 'homepage: https://data.example' >> ${file}`], { cwd: folder });
  figure('git add and commit of one file', git(folder, 'commit', '--quiet', '--message', 'One', '--', file), 's');
  git(folder, 'gc', '--quiet');
  figure('.git after gc', sizeOfFolder(join(folder, '.git')) / 1e6, 'MB');
  figure('git clone', git(home, 'clone', '--quiet', `file://${folder}`, join(home, `clone-${count}`)), 's');
  rmSync(join(home, `clone-${count}`), { recursive: true });
  const files = await openFileCatalogue(folder);
  try {
    const catalogue = files.for();
    const [namespaces, datasets] = [await listAll(catalogue, 'namespace'), await listAll(catalogue, 'dataset')];
    const summary = summarize(catalogue.settings, 'https://data.example', namespaces, datasets);
    for (const part of summaryParts)
      figure(
        `summary for the browser, ${part}, compressed`,
        compressedSize(JSON.stringify(summary[part])) / 1000,
        'kB',
      );
  } finally {
    await files.close();
  }
  rmSync(folder, { recursive: true });
}

/** All entities of a kind. */
async function listAll<K extends 'namespace' | 'dataset'>(catalogue: Catalogue, kind: K) {
  const all: Entities[K][] = [];
  for (let page = 1, pages = 1; page <= pages; page++) {
    const found = await catalogue.list(kind, { page, pageSize: 1000 });
    pages = found.pages;
    all.push(...found.items);
  }
  return all;
}

/** More records than a folder of files is made for: git alone, without a working tree. */
async function measureImport(home: string, count: number): Promise<void> {
  const words = `${count.toLocaleString('en')} datasets, git alone`;
  const folder = join(home, 'large');
  mkdirSync(folder);
  git(folder, 'init', '--quiet', '--bare', '--initial-branch', 'main');
  const start = performance.now();
  const child = spawn('git', ['-C', folder, 'fast-import', '--quiet'], { stdio: ['pipe', 'ignore', 'inherit'] });
  const exited = once(child, 'exit');
  await pipeline(Readable.from(fastImportOf(count)), child.stdin);
  const [code] = await exited;
  if (code !== 0) throw new Error(`git fast-import ended with ${code}.`);
  const figure = (name: string, value: number, unit: string) =>
    report({ name: `${words}: ${name}`, values: [value], unit, target: null });
  figure('fast-import', (performance.now() - start) / 1000, 's');
  figure('gc', git(folder, 'gc', '--quiet'), 's');
  figure('repository', sizeOfFolder(folder) / 1e6, 'MB');
  figure('listing all files', git(folder, 'ls-tree', '-r', '--name-only', 'main'), 's');
  figure(
    'clone without a working tree',
    git(home, 'clone', '--quiet', '--bare', `file://${folder}`, join(home, 'copy')),
    's',
  );
  const partial = ['--filter=blob:none', '--sparse'];
  const clone = join(home, 'sparse');
  git(folder, 'config', 'uploadpack.allowFilter', 'true');
  let taken = git(home, 'clone', '--quiet', ...partial, `file://${folder}`, clone);
  taken += git(clone, 'sparse-checkout', 'set', 'namespaces/publisher-0000', 'namespaces/publisher-0001');
  figure('sparse clone of 2 of 10,000 namespaces', taken, 's');
}

/** The stream of `git fast-import`: one commit with the files of a generated catalogue. */
function* fastImportOf(count: number): Generator<string> {
  yield 'commit refs/heads/main\ncommitter bench <bench@example.org> 1700000000 +0000\ndata 3\nAll\n';
  let chunk = '';
  for (const [path, text] of generatedFiles(count)) {
    chunk += `M 100644 inline ${path}\ndata ${Buffer.byteLength(text)}\n${text}\n`;
    if (chunk.length < 1 << 20) continue;
    yield chunk;
    chunk = '';
  }
  yield chunk;
}

const compressedSize = (text: string): number =>
  brotliCompressSync(text, { params: { [constants.BROTLI_PARAM_QUALITY]: 5 } }).length;

async function run(): Promise<void> {
  needWrk();
  const home = mkdtempSync(join(tmpdir(), 'catalogue-bench-'));
  // The processes of nginx may belong to another user.
  chmodSync(home, 0o755);
  try {
    console.log('What a request costs');
    await measureHosts(home);
    console.log('What git and the search in the browser take');
    for (const count of [10_000, 100_000]) await measureGrowth(home, count);
    await measureImport(home, 1_000_000);
  } finally {
    rmSync(home, { recursive: true, force: true });
  }
}

await run();
