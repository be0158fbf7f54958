/**
 * Figures: what a benchmark measured, each beside its target. `report` prints one and collects it for the table at the end;
 * a benchmark that runs in a process of its own hands it to `bench/run.ts` through a file.
 */
import { appendFileSync, readFileSync } from 'node:fs';

type Target = { readonly atLeast: number } | { readonly atMost: number };

export interface Figure {
  /** Sentence of a few words: `cold start, 10,000 datasets, beside reading and parsing alone`. */
  readonly name: string;
  /** Values of the rounds, in the order in which they were measured. */
  readonly values: readonly number[];
  /** `×` for a ratio, otherwise `ms`, `s`, `MB`, `MB/s`, `kB` … */
  readonly unit: string;
  /** The median of the values has to reach it; null for a figure that is only of interest. */
  readonly target: Target | null;
  /** Absolute values behind a ratio: `2.1 s beside 15 s`. */
  readonly details?: string;
}

/** Environment variable with the path of the file to which `report` adds figures. */
export const figuresFileVariable = 'CATALOGUE_BENCH_FIGURES';

/** Prints a figure, and adds it to the file of figures if there is one. */
export function report(figure: Figure): void {
  const [name, value, spread, target, verdict] = rowOfFigure(figure);
  const range = spread ? ` (${spread})` : '';
  const wanted = target ? `, target ${target} ${verdict}` : '';
  console.log(`  ${name}: ${value}${range}${wanted}${figure.details ? `; ${figure.details}` : ''}`);
  const file = process.env[figuresFileVariable];
  if (file) appendFileSync(file, `${JSON.stringify(figure)}\n`);
}

/** Figures that were added to a file. */
export function readFigures(file: string): readonly Figure[] {
  const lines = readFileSync(file, 'utf8').split('\n').filter(Boolean);
  return lines.map((line) => JSON.parse(line) as Figure);
}

/** True if the median reaches the target, or there is none. */
export function reachesTarget({ values, target }: Figure): boolean {
  const value = medianOf(values);
  if (target === null) return true;
  return 'atLeast' in target ? value >= target.atLeast : value <= target.atMost;
}

/** Cells of a row of the table: name, median, spread (where 8 of 10 values lie), target, ✓ or ✗. */
export function rowOfFigure(figure: Figure): readonly [string, string, string, string, string] {
  const { name, values, unit, target } = figure;
  const sorted = [...values].sort((a, b) => a - b);
  const at = (place: number) => formatNumber(sorted[place] ?? Number.NaN);
  const last = sorted.length - 1;
  const spread = last > 0 ? `${at(Math.floor(last * 0.1))} to ${at(Math.ceil(last * 0.9))}` : '';
  const wanted =
    target === null
      ? ''
      : 'atLeast' in target
        ? `≥ ${withUnit(target.atLeast, unit)}`
        : `≤ ${withUnit(target.atMost, unit)}`;
  const verdict = target === null ? '' : reachesTarget(figure) ? '✓' : '✗';
  return [name, withUnit(medianOf(values), unit), spread, wanted, verdict];
}

const withUnit = (value: number, unit: string) => `${formatNumber(value)} ${unit}`;

/** Three significant digits; whole numbers from 100 up. */
const formatNumber = (value: number) =>
  value >= 100 ? Math.round(value).toLocaleString('en') : String(Number(value.toPrecision(3)));

function medianOf(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted.length >> 1;
  return sorted.length % 2 ? (sorted[middle] ?? Number.NaN) : ((sorted[middle - 1] ?? 0) + (sorted[middle] ?? 0)) / 2;
}
