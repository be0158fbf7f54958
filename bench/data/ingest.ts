/**
 * Speed of ingesting payloads, beside ogr2ogr (GDAL), which converts the same files to FlatGeobuf, and beside
 * hashing alone. Each runs in a process of its own, in turns.
 *
 *     node --import tsx bench/data/ingest.ts [rows=1000000] [turns=5]
 */
import { execFileSync, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { createReadStream, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { ingest } from '../../src/data/ingest/ingest.ts';
import { report } from '../support/figures.ts';
import { makePoints } from './make-points.ts';

const folder = join(tmpdir(), 'catalogue-bench');
const target = join(folder, 'out.fgb');

interface Run {
  seconds: number;
  /** Greatest resident set, in MB; 0 if unknown. */
  memory: number;
}

async function hashAlone(path: string): Promise<void> {
  const hash = createHash('sha256');
  for await (const chunk of createReadStream(path, { highWaterMark: 512 * 1024 })) hash.update(chunk);
  hash.digest('hex');
}

/** In a process of its own, for its memory. */
function runInProcess(what: 'ingest' | 'hash', path: string): Run {
  const args = ['--import', 'tsx', fileURLToPath(import.meta.url), what, path];
  return JSON.parse(execFileSync(process.execPath, args, { encoding: 'utf8' })) as Run;
}

function ogr2ogr(path: string): Run {
  rmSync(target, { force: true });
  const start = performance.now();
  const options = path.endsWith('.csv')
    ? ['-oo', 'X_POSSIBLE_NAMES=longitude', '-oo', 'Y_POSSIBLE_NAMES=latitude']
    : [];
  const { status, stderr } = spawnSync('ogr2ogr', ['-f', 'FlatGeobuf', target, path, ...options], { encoding: 'utf8' });
  if (status !== 0) throw new Error(`ogr2ogr failed: ${stderr}`);
  return { seconds: (performance.now() - start) / 1000, memory: 0 };
}

const fastest = (runs: Run[]) => runs.reduce((best, run) => (run.seconds < best.seconds ? run : best));

async function main(rows: number, turns: number): Promise<void> {
  const hasOgr = spawnSync('ogr2ogr', ['--version']).status === 0;
  if (!hasOgr) console.log('ogr2ogr is missing (apt-get install gdal-bin): nothing to compare with.');
  const files = await makePoints(rows, folder);
  for (const [path, atLeast] of [
    [files.geojson, 7],
    [files.csv, 4],
  ] as const) {
    const runs: { ours: Run[]; hash: Run[]; ogr: Run[] } = { ours: [], hash: [], ogr: [] };
    for (let turn = 0; turn < turns; turn++) {
      runs.ours.push(runInProcess('ingest', path));
      runs.hash.push(runInProcess('hash', path));
      if (hasOgr) runs.ogr.push(ogr2ogr(path));
    }
    const ours = fastest(runs.ours);
    const megabytes = statSync(path).size / 1e6;
    const kind = path.endsWith('.csv') ? 'CSV' : 'GeoJSON';
    console.log(`${kind}: ${megabytes.toFixed(0)} MB, ${rows} rows`);
    console.log(
      `  ingested   ${ours.seconds.toFixed(2)} s, ${(megabytes / ours.seconds).toFixed(0)} MB/s; SHA-256 alone ${fastest(runs.hash).seconds.toFixed(2)} s`,
    );
    const name = `taking in ${rows.toLocaleString('en')} points as ${kind}`;
    report({
      name: `${name}, memory`,
      values: runs.ours.map(({ memory }) => memory),
      unit: 'MB',
      target: { atMost: 300 },
    });
    if (!hasOgr) continue;
    report({
      name: `${name}, ogr2ogr takes as many times as long`,
      values: runs.ogr.map(({ seconds }, turn) => seconds / (runs.ours[turn] as Run).seconds),
      unit: '×',
      target: { atLeast },
      details: `${ours.seconds.toFixed(2)} s beside ${fastest(runs.ogr).seconds.toFixed(2)} s`,
    });
  }
  rmSync(target, { force: true });
}

const [, , what, path = ''] = process.argv;
if (what === 'ingest' || what === 'hash') {
  const start = performance.now();
  if (what === 'hash') await hashAlone(path);
  else await ingest(path, { fileName: path, cacheFolder: join(folder, 'tables') });
  const seconds = (performance.now() - start) / 1000;
  console.log(JSON.stringify({ seconds, memory: Math.round(process.resourceUsage().maxRSS / 1000) }));
} else {
  await main(Number(process.argv[2] ?? 1_000_000), Number(process.argv[3] ?? 5));
}
