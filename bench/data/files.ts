/**
 * Files that are made when they are first asked for (docs/reading-files.md): 1,000,000 points as GeoParquet, GeoPackage, PMTiles and
 * CSV. The time until HEAD is answered, for which clients such as DuckDB wait at most 30 seconds, and the memory of the server.
 *
 *     npm run bench -- data/files
 */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { report } from '../support/figures.ts';
import { startProgram } from '../support/load.ts';
import { publishPoints } from './publish-points.ts';

/** Seconds that a request waits for a file (decision 0070). */
const mostSeconds = 25;
const program = fileURLToPath(new URL('../../bin/catalogue.js', import.meta.url));

const root = mkdtempSync(join(tmpdir(), 'catalogue-bench-'));
try {
  await publishPoints(root);
  console.log('1,000,000 points as files, first request');
  for (const format of ['parquet', 'csv', 'gpkg', 'pmtiles']) {
    // A server of its own each, so that none finds the memory that another format has left.
    const server = await startProgram([program, 'serve', '--data', root, '--port', '0']);
    try {
      const address = `${server.url}/api/v1/namespaces/bench/datasets/points/data.${format}`;
      const start = performance.now();
      const { status, headers } = await fetch(address, { method: 'HEAD', headers: { 'Accept-Encoding': 'identity' } });
      const seconds = (performance.now() - start) / 1000;
      if (status !== 200 || !headers.get('content-length')) throw new Error(`${address}: ${status}`);
      const megabytes = Number(headers.get('content-length')) / 1e6;
      report({
        name: `1,000,000 points as ${format}, until HEAD is answered`,
        values: [seconds],
        unit: 's',
        target: { atMost: mostSeconds },
        details: `${megabytes.toFixed(0)} MB`,
      });
      const peak = Number(/^VmHWM:\s*(\d+)/m.exec(readFileSync(`/proc/${server.pid}/status`, 'utf8'))?.[1]) / 1000;
      report({ name: `1,000,000 points as ${format}, most memory`, values: [peak], unit: 'MB', target: null });
    } finally {
      await server.stop();
    }
  }
} finally {
  rmSync(root, { recursive: true, force: true });
}
