/**
 * What a request costs each kind of host: CPU time of all processes that serve, by request. It says how many requests a second
 * one core answers, also on a machine whose cores are shared with the program that asks. For docs/scale.md; Linux only.
 */
import { execFileSync } from 'node:child_process';
import {
  appendFileSync,
  chmodSync,
  cpSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { computeChecksum } from '../../src/disk/checksum.ts';
import { pointerText } from '../../src/files/tree/payload-pointer.ts';
import { startNginx } from '../../test/support/nginx.ts';
import { report } from '../support/figures.ts';
import { freePort, needWrk, requestsPerSecond, startProgram } from '../support/load.ts';

const path = (name: string) => fileURLToPath(new URL(name, import.meta.url));
const rounds = 3;
const seconds = 2;
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
  cpSync(path('../../catalogue-data'), data, { recursive: true });
  const stops: (() => Promise<void>)[] = [];
  try {
    const servers = await Promise.all(
      [1, 2, 3].map(() => startProgram([path('../../bin/catalogue.js'), 'serve', '--data', data, '--port', '0'])),
    );
    stops.push(...servers.map(({ stop }) => stop));
    const bucket = await startRedirecting(home);
    stops.push(bucket.stop);
    const hosts: Host[] = [];
    const addNginx = async (name: string, conf: string, port: number, pids: readonly number[] = []) => {
      const folder = join(home, `nginx-${hosts.length}`);
      const url = `http://127.0.0.1:${port}`;
      const stop = await startNginx(folder, conf, url);
      stops.unshift(stop);
      hosts.push({ name, url, pids: [Number(readFileSync(`${folder}/pid`, 'utf8')), ...pids] });
    };
    for (const [name, ...options] of [
      ['the export behind nginx'],
      ['the export with --gzip behind nginx', '--gzip'],
    ] as const) {
      const port = await freePort();
      await addNginx(name, exportSite(data, join(home, `site-${port}`), port, options), port);
    }
    const [first] = servers;
    if (!first) throw new Error('No server started.');
    hosts.push({ name: 'one server', url: first.url, pids: [first.pid] });
    const several = readFileSync(path('../../deploy/nginx-several-servers.conf'), 'utf8');
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
      for (const [i, { name }] of hosts.entries()) reportRates(`${what}, ${name}`, measured[i] ?? []);
    }
    const rates: number[] = [];
    for (let round = 0; round < rounds; round++) rates.push(await requestsPerCore(bucket, `${dataset}download/`, {}));
    reportRates('a file in an object store, one server that redirects to it', rates);
  } finally {
    for (const stop of stops) await stop();
  }
}

/** Exports a catalogue. @returns the configuration of nginx that serves it at a port */
function exportSite(data: string, site: string, port: number, options: readonly string[]): string {
  const exporting = ['export', site, '--url', `http://127.0.0.1:${port}`, '--data', data, '--quiet', ...options];
  execFileSync(process.execPath, [path('../../bin/catalogue.js'), ...exporting]);
  return readFileSync(join(site, '_nginx.conf'), 'utf8')
    .replace(/listen [^;]*;/, `listen 127.0.0.1:${port};`)
    .replace(/root [^;]*;/, `root ${site};`);
}

const reportRates = (name: string, values: readonly number[]): void =>
  report({ name, values, unit: 'requests/s a core', target: null });

/** A server that redirects readers of a file to a bucket, which needn't be there: addresses are signed without asking it. */
async function startRedirecting(home: string) {
  const data = join(home, 'bucket');
  cpSync(path('../../catalogue-data'), data, { recursive: true });
  const file = join(data, 'namespaces/usgs/datasets/earthquakes/data/20180207014914000000.geojson');
  const bytes = readFileSync(file);
  writeFileSync(file, pointerText({ checksum: computeChecksum(bytes), size: bytes.length }));
  const payloads = 'payloads: {store: s3://bucket/a, endpoint: http://127.0.0.1:1, above: 1 kB, redirect: true}\n';
  appendFileSync(join(data, 'catalogue.yaml'), payloads);
  Object.assign(process.env, { AWS_ACCESS_KEY_ID: 'bench', AWS_SECRET_ACCESS_KEY: 'bench' });
  const server = await startProgram([path('../../bin/catalogue.js'), 'serve', '--data', data, '--port', '0']);
  return { ...server, name: 'redirects', pids: [server.pid] };
}

needWrk();
const home = mkdtempSync(join(tmpdir(), 'catalogue-bench-'));
// The processes of nginx may belong to another user.
chmodSync(home, 0o755);
try {
  console.log('What a request costs');
  await measureHosts(home);
} finally {
  rmSync(home, { recursive: true, force: true });
}
