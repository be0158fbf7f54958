/** Figures in docs/scale.md and docs/reading-files.md are those of bench/results.json. `UPDATE_DOCS=1` writes the tables. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { readResults } from '../../bench/support/results.ts';
import { assertGenerated, readDocs, tableOf } from './generated.ts';

const results = readResults();
assert.ok(results);

/** The median of a figure. */
function figure(benchmark: string, name: string): number {
  const found = results?.benchmarks[benchmark]?.figures.find((one) => one.name === name);
  assert.ok(found, `${benchmark}: ${name}`);
  const sorted = [...found.values].sort((a, b) => a - b);
  return ((sorted[Math.floor((sorted.length - 1) / 2)] ?? 0) + (sorted[Math.ceil((sorted.length - 1) / 2)] ?? 0)) / 2;
}

/** When benchmarks were run, and how fast the machine was then. */
function measuredOn(...benchmarks: readonly string[]): string {
  const runs = benchmarks.map((name) => results?.benchmarks[name]);
  const days = [...new Set(runs.map((run) => run?.day))].sort().join(' and ');
  const times = runs.flatMap((run) => run?.calculation ?? []).map(Math.round);
  return `Measured on ${days}; fixed calculation ${Math.min(...times)} to ${Math.max(...times)} ms.`;
}

/** @param digits that are significant */
const rounded = (value: number, digits: number) => Number(value.toPrecision(digits)).toLocaleString('en');

const hosts = {
  '[Export](exporting.md) with `--gzip`, behind nginx': 'the export with --gzip behind nginx',
  'Export without compressed copies, behind nginx': 'the export behind nginx',
  'One server': 'one server',
  'One server behind nginx': 'one server behind nginx',
  '[Three servers](several-servers.md) behind nginx': 'three servers behind nginx',
};
const responses = {
  'Dataset, JSON': 'dataset as JSON',
  'Dataset, page': 'dataset as a page',
  'List, JSON': 'list of datasets as JSON',
  'Rows, CSV of 400 kB': 'rows as a CSV file of 400 kB',
};

type Measure = (datasets: string) => number;
const growth =
  (...names: readonly string[]): Measure =>
  (datasets) =>
    names.reduce((sum, name) => sum + figure('scale/growth', `${datasets} datasets: ${name}`), 0);
const start =
  (name: string): Measure =>
  (datasets) =>
    figure('start', `${name}, ${datasets} datasets`);

const seconds = (value: number) => (value < 300 ? `${rounded(value, 2)} s` : `${rounded(value / 60, 2)} min`);
const megabytes = (value: number) => (value < 1 ? `${rounded(value * 1000, 3)} kB` : `${rounded(value, 3)} MB`);
const growing: readonly (readonly [string, Measure, (value: number) => string])[] = [
  ['`git add` and `git commit` of all', growth('git add', 'git commit'), seconds],
  ['`git status`', growth('git status'), seconds],
  ['`git add` and `git commit` of one file', growth('git add and commit of one file'), seconds],
  ['`.git`, packed', growth('.git after gc'), megabytes],
  ['`git clone`', growth('git clone'), seconds],
  ['Server, later starts', start('warm start'), seconds],
  ['Server, memory after a later start', start('resident memory after a warm start'), megabytes],
  [
    'Search in the browser of an export: labels, compressed',
    (n) => growth('summary for the browser, labels, compressed')(n) / 1000,
    megabytes,
  ],
  ['the same, details', (n) => growth('summary for the browser, details, compressed')(n) / 1000, megabytes],
];

describe('figures in docs/', () => {
  it('scale.md: requests', () => {
    const rows = Object.entries(hosts).map(([title, host]) => [
      title,
      ...Object.values(responses).map((what) => rounded(figure('scale/hosts', `${what}, ${host}`), 3)),
    ]);
    const redirects = rounded(figure('scale/hosts', 'a file in an object store, one server that redirects to it'), 3);
    const table = tableOf([
      ['Requests a second and core', ...Object.keys(responses)],
      ['---', ...Object.keys(responses).map(() => '---:')],
      ...rows,
    ]);
    const download =
      `A download that one server redirects to [a bucket](object-store.md): ${redirects}. ` +
      'The server signs an address for each reader, and the bucket sends the bytes.';
    assertGenerated('scale.md', 'hosts', `${table}\n\n${download} ${measuredOn('scale/hosts')}`, 'docs/scale');
  });

  it('scale.md: more datasets', () => {
    const rows = growing.map(([title, measure, format]) => [
      title,
      format(measure('10,000')),
      format(measure('100,000')),
      title.includes('packed')
        ? `${megabytes(figure('scale/growth', '1,000,000 datasets, git alone: repository'))}, measured`
        : format(Number((10 * measure('100,000')).toPrecision(2))),
    ]);
    const table = tableOf([
      ['', '10,000 datasets', '100,000', '1,000,000, arithmetic (× 10)'],
      ['---', '---:', '---:', '---:'],
      ...rows,
    ]);
    assertGenerated('scale.md', 'growth', `${table}\n\n${measuredOn('scale/growth', 'start')}`, 'docs/scale');
  });

  it('reading-files.md: how long files of a million points take', () => {
    const secondsOf = (format: string) =>
      Math.round(figure('data/files', `1,000,000 points as ${format}, until HEAD is answered`));
    const sentence = `a million points take ${secondsOf('parquet')} seconds as GeoParquet, ${secondsOf('gpkg')} as GeoPackage and ${secondsOf('pmtiles')} as PMTiles`;
    assert.ok(readDocs('reading-files.md').replace(/\s+/g, ' ').includes(sentence), sentence);
  });
});
