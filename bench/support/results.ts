/**
 * Results of benchmarks: `bench/results.json` keeps the last figures of each, with the machine, and docs/performance.md
 * shows them as a table.
 */
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { availableParallelism, cpus, platform, release, totalmem } from 'node:os';
import { fileURLToPath } from 'node:url';
import { type Figure, rowOfFigure } from './figures.ts';

/** What one benchmark has measured. */
export interface Measured {
  readonly figures: readonly Figure[];
  /** Milliseconds of the fixed calculation before and after it: how fast the machine was. */
  readonly calculation?: readonly [before: number, after: number];
}

/** The last run of one benchmark. */
interface BenchmarkResult extends Measured {
  /** Day of the run, ISO 8601. */
  readonly day: string;
  /** Abbreviated id of the commit that was measured; with `+` if files were changed since. */
  readonly commit: string;
}

interface Results {
  readonly machine: string;
  readonly benchmarks: Readonly<Record<string, BenchmarkResult>>;
}

const pathOf = (name: string) => fileURLToPath(new URL(`../../${name}`, import.meta.url));
const resultsFile = pathOf('bench/results.json');
const page = pathOf('docs/performance.md');
const [begin, end] = ['<!-- figures -->\n', '<!-- /figures -->\n'];

/** Figures as a table in Markdown. */
export function tableOfFigures(figures: readonly Figure[]): string {
  const rows = figures.map((figure) => `| ${rowOfFigure(figure).join(' | ')} |`);
  return ['| What | Median | Spread | Target | |', '|---|---:|---:|---:|---|', ...rows, ''].join('\n');
}

/**
 * Writes the figures of benchmarks that have run, in place of their former ones. Those of another machine are dropped: they
 * don't compare.
 */
export function saveResults(measured: Readonly<Record<string, Measured>>): void {
  const machine = describeMachine();
  const former = readResults();
  const { day, commit } = { day: new Date().toISOString().slice(0, 10), commit: currentCommit() };
  const added = Object.entries(measured).map(([name, one]) => [name, { day, commit, ...one }] as const);
  const benchmarks = {
    ...(former?.machine === machine ? former.benchmarks : {}),
    ...Object.fromEntries(added),
  };
  const results: Results = { machine, benchmarks };
  writeFileSync(resultsFile, `${JSON.stringify(results, null, 2)}\n`);
  writeFileSync(page, pageWithResults(readFileSync(page, 'utf8'), results));
}

/** The saved results; null before the first run. */
export function readResults(): Results | null {
  return existsSync(resultsFile) ? (JSON.parse(readFileSync(resultsFile, 'utf8')) as Results) : null;
}

/** The text of docs/performance.md with these results between its two marks. */
export function pageWithResults(text: string, { machine, benchmarks }: Results): string {
  const parts = Object.entries(benchmarks).map(
    ([name, { day, commit, figures, calculation }]) =>
      `### ${name}\n\n${tableOfFigures(figures)}\nMeasured on ${day}, commit ${commit}${speedOf(calculation)}.\n`,
  );
  const shown = [`Machine: ${machine}.\n`, ...parts].join('\n');
  return text.slice(0, text.indexOf(begin) + begin.length) + shown + text.slice(text.indexOf(end));
}

const speedOf = (calculation: Measured['calculation']): string =>
  calculation ? `; fixed calculation ${calculation.map((time) => time.toFixed(0)).join(' and ')} ms` : '';

function describeMachine(): string {
  const processor = cpus()[0]?.model.trim() || process.arch;
  const memory = `${Math.round(totalmem() / 2 ** 30)} GiB of memory`;
  const system = `${platform()} ${release()}`;
  return `${availableParallelism()} cores (${processor}), ${memory}, ${system}, Node ${process.versions.node}`;
}

function currentCommit(): string {
  const git = (...args: string[]) => execFileSync('git', ['-C', pathOf('.'), ...args], { encoding: 'utf8' }).trim();
  try {
    return git('rev-parse', '--short', 'HEAD') + (git('status', '--porcelain', 'src') ? '+' : '');
  } catch {
    return 'unknown';
  }
}
