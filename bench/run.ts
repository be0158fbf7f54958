/**
 * `npm run bench`, or `npm run bench -- reads start`: each benchmark prints its figures beside what it is compared with and
 * beside the target; all figures are printed as one table at the end, and written to `bench/results.json` and
 * docs/performance.md. Each runs in a process of its own, so that none finds the memory that another has left.
 */
import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { didYouMean } from '../src/catalogue/closest.ts';
import { type Figure, figuresFileVariable, reachesTarget, readFigures } from './support/figures.ts';
import { saveResults, tableOfFigures } from './support/results.ts';

const benchmarks = [
  'reads',
  'fairness',
  'writes',
  'start',
  'follow',
  'search',
  'pages',
  'lists',
  'ogc',
  'check',
  'cli',
  'sync',
  'object-store',
  'import',
  'export',
  'data/ingest',
  'data/files',
  'data/query',
  'data/stream',
  'data/writers',
  'scale/hosts',
  'scale/growth',
];
const here = fileURLToPath(new URL('.', import.meta.url));

const wanted = process.argv.slice(2);
for (const name of wanted)
  if (!benchmarks.includes(name)) {
    console.error(`There is no benchmark ${name}.${didYouMean(name, benchmarks)} All: ${benchmarks.join(', ')}.`);
    process.exit(2);
  }
if (!existsSync(`${here}node_modules`))
  spawnSync('npm', ['install', '--prefix', here, '--no-audit', '--no-fund'], { stdio: 'inherit' });

const folder = mkdtempSync(join(tmpdir(), 'catalogue-bench-'));
const measured: Record<string, readonly Figure[]> = {};
try {
  for (const name of benchmarks) {
    if (wanted.length && !wanted.includes(name)) continue;
    const file = join(folder, `${name.replace('/', '-')}.ndjson`);
    writeFileSync(file, '');
    const env = { ...process.env, [figuresFileVariable]: file };
    const { status } = spawnSync(process.execPath, ['--import', 'tsx', `${here}${name}.ts`], { stdio: 'inherit', env });
    console.log();
    if (status === 0) measured[name] = readFigures(file);
    else process.exitCode = 1;
  }
} finally {
  rmSync(folder, { recursive: true, force: true });
}
const figures = Object.values(measured).flat();
if (figures.length > 0) {
  console.log(tableOfFigures(figures));
  console.log(`${figures.filter(reachesTarget).length} of ${figures.length} figures reach their target.`);
  saveResults(measured);
}
