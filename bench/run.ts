/**
 * `npm run bench`, or `npm run bench -- reads start`: each benchmark prints its figures beside what it is compared with and
 * beside the target; all figures are printed as one table at the end, and written to `bench/results.json` and
 * docs/performance.md. Each runs in a process of its own, so that none finds the memory that another has left. Ctrl-C ends
 * the one that runs, with all that it has started; the figures of those before are kept.
 */
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { constants, tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { didYouMean } from '../src/catalogue/closest.ts';
import { figuresFileVariable, reachesTarget, readFigures } from './support/figures.ts';
import { type Measured, saveResults, tableOfFigures } from './support/results.ts';
import { runBenchmark } from './support/run-benchmark.ts';
import { timeFixedCalculation } from './support/speed.ts';

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
if (wanted.some((word) => word === '--help' || word === '-h')) {
  console.log(help());
  process.exit(0);
}
for (const name of wanted)
  if (!benchmarks.includes(name)) {
    console.error(`There is no benchmark ${name}.${didYouMean(name, benchmarks)} All: ${benchmarks.join(', ')}.`);
    process.exit(2);
  }
if (!existsSync(`${here}node_modules`))
  spawnSync('npm', ['install', '--prefix', here, '--no-audit', '--no-fund'], { stdio: 'inherit' });

const stop = new AbortController();
for (const signal of ['SIGINT', 'SIGTERM'] as const)
  process.once(signal, () => {
    process.exitCode = 128 + constants.signals[signal];
    stop.abort();
  });

const folder = mkdtempSync(join(tmpdir(), 'catalogue-bench-'));
const temporary = join(folder, 'temporary');
mkdirSync(temporary);
const measured: Record<string, Measured> = {};
try {
  for (const name of benchmarks) {
    if (stop.signal.aborted) break;
    if (wanted.length && !wanted.includes(name)) continue;
    const file = join(folder, `${name.replace('/', '-')}.ndjson`);
    writeFileSync(file, '');
    const args = ['--import', 'tsx', `${here}${name}.ts`];
    const before = timeFixedCalculation();
    const isDone = await runBenchmark(args, temporary, stop.signal, { [figuresFileVariable]: file });
    console.log();
    if (isDone) measured[name] = { figures: readFigures(file), calculation: [before, timeFixedCalculation()] };
    else process.exitCode ??= 1;
  }
} finally {
  rmSync(folder, { recursive: true, force: true });
}
const figures = Object.values(measured).flatMap((one) => one.figures);
if (figures.length > 0) {
  console.log(tableOfFigures(figures));
  console.log(`${figures.filter(reachesTarget).length} of ${figures.length} figures reach their target.`);
  saveResults(measured);
}

/** How to call this, with the first sentence of each benchmark's own description. */
function help(): string {
  const width = Math.max(...benchmarks.map(({ length }) => length));
  const lines = benchmarks.map((name) => `  ${name.padEnd(width)}  ${descriptionOf(name)}`);
  return ['Usage: npm run bench -- [name...]', '', 'Without a name, all run, one after the other:', ...lines].join(
    '\n',
  );
}

function descriptionOf(name: string): string {
  const [, comment = ''] = /^\/\*\*(.*?)\*\//s.exec(readFileSync(`${here}${name}.ts`, 'utf8')) ?? [];
  const text = comment.replaceAll(/\s*\n \*\s*/g, ' ').trim();
  return text.split(/[.;](?=\s|$)/)[0] ?? '';
}
