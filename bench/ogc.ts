/**
 * Features of 1,000,000 points over OGC API - Features: pages of 1,000, the first and the 500th, that also sorted, and a box with a condition.
 * Each beside the same rows from `/data/`, and beside a bare node:http server that sends the same bytes.
 *
 *     npm run bench -- ogc
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { request } from 'undici';
import { publishPoints } from './data/publish-points.ts';
import { report } from './support/figures.ts';
import { median, startProgram } from './support/load.ts';

const path = (name: string) => fileURLToPath(new URL(name, import.meta.url));
const rows = Number(process.env.BENCH_ROWS ?? 1_000_000);
const rounds = 9;
const items = '/ogc/collections/bench.points/items';
const data = '/api/v1/namespaces/bench/datasets/points/data/';

/** Questions: their name, as features, as rows, and the most that the first may take, in times of the second. */
const questions = [
  ['first page of 1,000', `${items}?limit=1000`, `${data}?_limit=1000`],
  [
    '500th page of 1,000',
    `${items}?limit=1000&offset=${(rows / 2) | 0}`,
    `${data}?_limit=1000&_offset=${(rows / 2) | 0}`,
  ],
  [
    '500th page of 1,000, sorted',
    `${items}?limit=1000&sortby=-visitors&offset=${(rows / 2) | 0}`,
    `${data}?_limit=1000&_ordering=-visitors&_offset=${(rows / 2) | 0}`,
  ],
  ['box and condition', `${items}?bbox=10,40,17,47&kind=museum`, `${data}?_bbox=10,40,17,47&kind=museum&_limit=1000`],
] as const;
/** The longest that features may take, in times of the same rows from `/data/`. */
const mostTimes = 1.25;

async function run(): Promise<void> {
  const root = mkdtempSync(join(tmpdir(), 'catalogue-bench-'));
  const stops: (() => Promise<void>)[] = [];
  const start = async (...args: string[]) => {
    const program = await startProgram(args);
    stops.push(program.stop);
    return program.url;
  };
  try {
    await publishPoints(root, rows);
    const ours = await start(path('../bin/catalogue.js'), 'serve', '--data', root, '--port', '0');
    const record = join(root, 'recorded.json');
    const answers = await Promise.all(questions.map(async ([, url]) => [url, await recordAnswer(ours + url)]));
    writeFileSync(record, JSON.stringify(Object.fromEntries(answers)));
    const bare = await start('--import', 'tsx', path('./support/bare.ts'), record);
    console.log(`Features of ${rows} points, milliseconds a response`);
    for (const [name, features, sameRows] of questions) {
      const measured: { ours: number; data: number; bare: number }[] = [];
      for (let i = 0; i < rounds; i++)
        measured.push({
          ours: await millisecondsOf(ours + features),
          data: await millisecondsOf(ours + sameRows),
          bare: await millisecondsOf(bare + features),
        });
      const of = (key: 'ours' | 'data' | 'bare') => median(measured.map((round) => round[key])).toFixed(1);
      report({
        name: `${name}, beside the same rows from /data/`,
        values: measured.map((round) => round.ours / round.data),
        unit: '×',
        target: { atMost: mostTimes },
        details: `${of('ours')} ms beside ${of('data')} ms`,
      });
      report({
        name: `${name}, beside bare node:http with the same bytes`,
        values: measured.map((round) => round.ours / round.bare),
        unit: '×',
        target: null,
        details: `${of('ours')} ms beside ${of('bare')} ms`,
      });
    }
  } finally {
    await Promise.all(stops.map((stop) => stop()));
    rmSync(root, { recursive: true, force: true });
  }
}

async function recordAnswer(url: string) {
  const response = await fetch(url, { headers: { 'Accept-Encoding': 'identity' } });
  if (response.status !== 200) throw new Error(`${url}: ${response.status} ${await response.text()}`);
  return { status: 200, headers: ['content-type', 'application/geo+json'], body: await response.text() };
}

/** Time until a response is read. */
async function millisecondsOf(url: string): Promise<number> {
  const start = performance.now();
  const { body } = await request(url);
  await body.arrayBuffer();
  return performance.now() - start;
}

await run();
