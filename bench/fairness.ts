/**
 * Fairness: what small reads notice while the server does long work for others. Each kind of long work is requested again
 * and again for some seconds, by two clients at once, while another client reads single records one after the other. This is repeated in several rounds.
 */
import { type ChildProcess, execFileSync, fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { get } from 'node:http';
import { setPriority, tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { openFileCatalogue } from '../src/files/file-catalogue.ts';
import { makePoints } from './data/make-points.ts';
import { report } from './support/figures.ts';
import { generate } from './support/generate.ts';
import { percentile, settled, startProgram } from './support/load.ts';

const seconds = Number(process.env.BENCH_SECONDS ?? 4);
const rounds = 3;
const atOnce = 2;
const bin = fileURLToPath(new URL('../bin/catalogue.js', import.meta.url));
/** Each round of each kind of work has users of its own, so that none uses up the time that one may use for queries. */
const users = 128;
const password = 'correct horse battery staple';

/** A kind of long work: one request, or one change of a file. */
type Work = (client: Client) => Promise<void>;

interface Client {
  readonly url: string;
  readonly token: string;
  readonly number: number;
}

/** The files from which long work is made. */
interface Files {
  readonly root: string;
  readonly csv: string;
  readonly wide: string;
}

const author = ['-c', 'user.name=bench', '-c', 'user.email=bench@example.org'];
const points = '/api/v1/namespaces/bench/datasets/points';

/** Kinds of long work by name. */
function kindsOfWork({ root, csv, wide }: Files, addresses: readonly string[]): Readonly<Record<string, Work>> {
  const upload = readFileSync(csv);
  const bytes = Buffer.alloc(50_000_000, 'x');
  const faulty = join(root, 'namespaces', 'bench', 'datasets', 'points', 'dataset.yaml');
  const record = readFileSync(faulty, 'utf8');
  const tooLong = `${record}keywords:\n${'  - [a, {b: "c"}]\n'.repeat(55_000)}`;
  const rows = (query: string) => (client: Client) => take(client, `${points}/data/?${query}`);
  return {
    'filter without an index': rows('name__icontains=99999'),
    'pattern over a text column': rows('_filter=name%20LIKE%20%27%25trict%2049%25%27&_page_size=10'),
    'order by a text': rows('_ordering=name&_page_size=10'),
    'CSV of 1,000,000 rows': (client) => take(client, `${points}/data.csv`),
    'ordered Parquet': (client) => take(client, `${points}/data.parquet?_ordering=height`),
    'difference of versions': (client) => take(client, `${points}/version/latest/diff/?_key=id`),
    'page of a table of 10,000 columns': (client) => take(client, '/api/v1/namespaces/bench/datasets/wide/data/'),
    'record of a table of 10,000 columns': (client) =>
      take(client, `/api/v1/namespaces/bench/datasets/wide/?x=${Math.random()}`),
    'pages for people of a table of 10,000 columns': async (client) => {
      for (const path of ['', 'data/?_page_size=10', 'profile/'])
        await take(client, `/api/v1/namespaces/bench/datasets/wide/${path}`, 'text/html');
    },
    'upload of 100,000 rows': (client) => post(client, `${points}/`, 'points.csv', upload),
    'upload of a table of 10,000 columns': (client) =>
      post(client, '/api/v1/namespaces/bench/datasets/wide/', 'wide.csv', readFileSync(wide)),
    'upload of 50 MB that are no table': (client) => post(client, `${points}/`, 'points.bin', bytes),
    'list of 1,000 datasets, compressed': (client) =>
      take(client, `/api/v1/datasets/?page_size=1000&page=${1 + Math.floor(Math.random() * 10)}&x=${Math.random()}`),
    search: (client) => take(client, `/api/v1/datasets/?search=tree+${Math.random().toString(36).slice(2, 5)}`),
    'history of a dataset in git': (client) => {
      const address = addresses[Math.floor(Math.random() * addresses.length)] ?? '';
      return take(client, `/api/v1/namespaces/${address.replace('/', '/datasets/')}/history/`);
    },
    'sign-in': async ({ url, number }) => {
      const body = JSON.stringify({ username: `user-${number}`, password });
      const headers = { 'Content-Type': 'application/json' };
      await (await fetch(`${url}/api/v1/auth/token/obtain/`, { method: 'POST', headers, body })).arrayBuffer();
    },
    'record of 1 MB with faults': async () => {
      writeFileSync(faulty, `${tooLong}# ${Math.random()}\n`);
      await new Promise((resolve) => setTimeout(resolve, 300));
    },
  };
}

async function run(): Promise<void> {
  const root = mkdtempSync(join(tmpdir(), 'catalogue-bench-'));
  let stop = async () => {};
  let reader: ChildProcess | undefined;
  try {
    const addresses = generate(root, 10_000);
    const { files, tokens } = await prepare(root);
    const program = await startProgram([bin, 'serve', '--data', root, '--port', '0']);
    stop = program.stop;
    reader = fork(fileURLToPath(new URL('./support/small-reads.js', import.meta.url)), { execArgv: [] });
    const paths = addresses.map((address) => `/api/v1/namespaces/${address.replace('/', '/datasets/')}/`);
    const read = async (): Promise<number[]> => {
      reader?.send({ url: program.url, paths, seconds });
      return (await once(reader as ChildProcess, 'message'))[0];
    };
    await settled();
    // Clients are on other machines usually: these leave the processors to the server and to the small reads.
    setPriority(10);
    console.log(
      `Small reads while others are served, ${rounds} rounds of ${seconds} s each: p99 and longest of all in ms`,
    );
    const names = Object.entries({ 'nothing else': async () => pause(100), ...kindsOfWork(files, addresses) });
    for (const [kind, [name, work]] of names.entries()) {
      if (!name.includes(process.env.BENCH_KIND ?? '')) continue;
      const measured: Measured[] = [];
      for (let round = 0; round < rounds; round++) {
        const clients = Array.from({ length: atOnce }, (_, number): Client => {
          const user = ((kind * rounds + round) * atOnce + number) % tokens.length;
          return { url: program.url, token: tokens[user] ?? '', number: user };
        });
        measured.push(await timesWhile(read, work, clients));
      }
      const done = measured.reduce((sum, one) => sum + one.done, 0);
      const times = measured.flatMap((one) => one.times);
      const details = `${done} done, ${times.length} reads${measured.map(({ failed }) => failed).join('')}`;
      const p99s = measured.map((one) => percentile(one.times, 0.99));
      report({ name: `p99 beside: ${name}`, values: p99s, target: { atMost: 15 }, unit: 'ms', details });
      report({
        name: `longest beside: ${name}`,
        values: [Math.max(...times)],
        target: { atMost: 50 },
        unit: 'ms',
        details,
      });
    }
  } finally {
    reader?.kill();
    await stop();
    rmSync(root, { recursive: true, force: true });
  }
}

/** A dataset of 1,000,000 points in two versions, one of 10,000 columns, and users, each with a token. */
async function prepare(root: string): Promise<{ files: Files; tokens: readonly string[] }> {
  const { csv } = await makePoints(1_000_000);
  const small = (await makePoints(100_000)).csv;
  const wide = join(root, '.catalogue', 'wide.csv');
  mkdirSync(join(root, '.catalogue'), { recursive: true });
  const line = (cell: (column: number) => string) =>
    Array.from({ length: 10_000 }, (_, column) => cell(column)).join(',');
  const lines = [
    line((column) => `column_${column}`),
    ...Array.from({ length: 50 }, (_, row) => line((column) => `${row * column}`)),
  ];
  writeFileSync(wide, `${lines.join('\n')}\n`);
  const files = await openFileCatalogue(root);
  const catalogue = files.for();
  await catalogue.create('namespace', { label: 'Bench', slug: 'bench' });
  const tokens: string[] = [];
  for (let number = 0; number < users; number++) {
    await catalogue.create('user', { username: `user-${number}`, staff: true });
    await files.accounts.setPassword(`user-${number}`, password);
    tokens.push((await files.accounts.addToken(`user-${number}`)).token);
  }
  for (const [slug, uploads] of Object.entries({ points: [small, csv], wide: [wide] })) {
    await catalogue.create('dataset', { label: slug, slug, namespace: 'bench' });
    for (const source of uploads)
      await catalogue.publish({ kind: 'dataset', namespace: 'bench', slug }, { source, fileName: `${slug}.csv` });
  }
  await files.close();
  // Without the tables, as most keep them: git would compress them for a minute.
  for (const args of [
    ['init', '-q'],
    ['add', '*.yaml'],
    [...author, 'commit', '-qm', 'All records'],
  ])
    execFileSync('git', ['-C', root, ...args]);
  return { files: { root, csv: small, wide }, tokens };
}

/** A round of one kind of work. */
interface Measured {
  /** Milliseconds of each small read. */
  readonly times: readonly number[];
  /** Number of pieces of work that were done. */
  readonly done: number;
  /** What the last failure was, for the details; empty without one. */
  readonly failed: string;
}

/** Times of small reads, in ms, while each client repeats the work. */
async function timesWhile(read: () => Promise<number[]>, work: Work, clients: readonly Client[]): Promise<Measured> {
  let isOver = false;
  let done = 0;
  let failure = '';
  const working = clients.map(async (client) => {
    while (!isOver) {
      try {
        await work(client);
        done++;
      } catch (error) {
        failure = `; ${(error as Error).message}`;
        await pause(50);
      }
    }
  });
  const times = await read();
  isOver = true;
  await Promise.all(working);
  return { times, done, failed: failure };
}

const pause = (milliseconds: number) => new Promise<void>((resolve) => setTimeout(resolve, milliseconds));

/** Reads a whole response. @throws Error for another status */
function take({ url, token }: Client, path: string, accept = '*/*'): Promise<void> {
  const headers = { Accept: accept, 'Accept-Encoding': 'gzip', ...(token && { Authorization: `Token ${token}` }) };
  return new Promise((resolve, reject) => {
    get(url + path, { headers, agent: false }, (response) => {
      response.resume().on('end', () => {
        if (response.statusCode === 200) resolve();
        else reject(new Error(`${path}: ${response.statusCode}`));
      });
    }).on('error', reject);
  });
}

async function post({ url, token }: Client, path: string, name: string, bytes: Buffer): Promise<void> {
  const form = new FormData();
  form.set('file', new Blob([Buffer.from(bytes), Buffer.from(`${Math.random()}`)]), name);
  const headers = { Authorization: `Token ${token}` };
  const response = await fetch(`${url}${path}version/`, { method: 'POST', headers, body: form });
  await response.arrayBuffer();
  if (response.status >= 500) throw new Error(`${path}: ${response.status}`);
}

await run();
