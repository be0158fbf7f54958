/**
 * All rows of 1,000,000 out over HTTP, beside a bare copy of the file and beside ogr2ogr doing the same conversion; and
 * the server's memory while 20 clients take everything at once.
 *
 *     node --import tsx bench/data/stream.ts [rows=1000000]
 */
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { get } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { openFileCatalogue } from '../../src/files/file-catalogue.ts';
import { report } from '../support/figures.ts';
import { makePoints } from './make-points.ts';

const program = fileURLToPath(new URL('../../bin/catalogue.js', import.meta.url));
const clients = 20;
/** In MB/s. */
const targets = { geojson: null, csv: { atLeast: 150 }, ndjson: { atLeast: 250 } } as const;

/** Takes a whole answer, and forgets it. */
function take(url: string): Promise<{ bytes: number; seconds: number; first: number }> {
  const start = performance.now();
  return new Promise((resolve, reject) => {
    get(url, { agent: false }, (response) => {
      if (response.statusCode !== 200) return void reject(new Error(`${url}: ${response.statusCode}`));
      let bytes = 0;
      let first = 0;
      response.on('data', (chunk: Buffer) => {
        first ||= performance.now() - start;
        bytes += chunk.length;
      });
      response.on('end', () => resolve({ bytes, first, seconds: (performance.now() - start) / 1000 }));
      response.on('error', reject);
    }).on('error', reject);
  });
}

const residentMb = (pid: number) =>
  Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) / 1000;

function seconds(command: string, args: readonly string[]): number | null {
  const start = performance.now();
  return spawnSync(command, args).status === 0 ? (performance.now() - start) / 1000 : null;
}

async function main(rows: number): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'catalogue-stream-'));
  const root = join(folder, 'data');
  try {
    mkdirSync(join(root, 'namespaces'), { recursive: true });
    const { geojson } = await makePoints(rows);
    const files = await openFileCatalogue(root);
    const catalogue = files.for();
    await catalogue.create('namespace', { label: 'Bench', slug: 'bench' });
    await catalogue.create('dataset', { label: 'Points', slug: 'points', namespace: 'bench' });
    await catalogue.publish(
      { kind: 'dataset', namespace: 'bench', slug: 'points' },
      { source: geojson, fileName: geojson },
    );
    await files.close();

    const server = spawn(process.execPath, [program, 'serve', '--data', root, '--port', '0'], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const [line] = (await once(createInterface({ input: server.stdout }), 'line')) as [string];
    const base = `${/http:\/\/[^\s/]+/.exec(line)?.[0]}/api/v1/namespaces/bench/datasets/points`;
    try {
      const copy = join(folder, 'copy');
      const size = statSync(geojson).size;
      const started = performance.now();
      copyFileSync(geojson, copy);
      const copied = (performance.now() - started) / 1000;
      const stored = await take(`${base}/download/`);
      console.log(`All rows of ${rows} over HTTP, without filters`);
      console.log(`  file copy             ${mbps(size, copied)}`);
      console.log(`  download of the file  ${mbps(stored.bytes, stored.seconds)}`);
      const outputs = { geojson: 'GeoJSON', csv: 'CSV', ndjson: 'GeoJSONSeq' };
      for (const [format, driver] of Object.entries(outputs)) {
        const runs = [];
        for (let i = 0; i < 5; i++) runs.push(await take(`${base}/data.${format}`));
        const best = runs.reduce((a, b) => (b.seconds < a.seconds ? b : a));
        const target = join(folder, `out.${format}`);
        const options = format === 'csv' ? ['-lco', 'GEOMETRY=AS_XY'] : [];
        const ogr = seconds('ogr2ogr', ['-f', driver, target, geojson, ...options]);
        rmSync(target, { force: true });
        const beside =
          ogr === null
            ? 'ogr2ogr is missing'
            : `ogr2ogr ${ogr.toFixed(1)} s: ${(ogr / best.seconds).toFixed(1)} times as long`;
        const own =
          format === 'geojson'
            ? `, ${(best.bytes / best.seconds / (stored.bytes / stored.seconds)).toFixed(2)} of the download`
            : '';
        report({
          name: `all of ${rows.toLocaleString('en')} rows out as ${format.toUpperCase()}`,
          values: runs.map(({ bytes, seconds }) => bytes / seconds / 1e6),
          unit: 'MB/s',
          target: targets[format as keyof typeof outputs],
          details: `first byte after ${best.first.toFixed(0)} ms${own}; ${beside}`,
        });
      }
      let peak = 0;
      const watch = setInterval(() => {
        peak = Math.max(peak, residentMb(server.pid ?? 0));
      }, 50);
      const start = performance.now();
      await Promise.all(Array.from({ length: clients }, () => take(`${base}/data.csv`)));
      clearInterval(watch);
      console.log(
        `  ${clients} clients taking all rows as CSV at once: ${((performance.now() - start) / 1000).toFixed(1)} s, ${peak.toFixed(0)} MB at most`,
      );
    } finally {
      server.kill('SIGTERM');
      await once(server, 'exit');
    }
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

const mbps = (bytes: number, time: number) => `${(bytes / time / 1e6).toFixed(0).padStart(5)} MB/s`;

await main(Number(process.argv[2] ?? 1_000_000));
