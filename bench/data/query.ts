/**
 * Duration of a query: a bounding box and an attribute, about 100 hits among 1,000,000 points. Warm; and as the
 * first query of a new process, against reading the payload from end to end and parsing it. And of groups of all rows.
 *
 *     node --import tsx bench/data/query.ts [rows=1000000]
 */
import { execFileSync } from 'node:child_process';
import { createReadStream } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { readGeojson } from '../../src/data/formats/json/geojson.ts';
import type { Bbox } from '../../src/data/geometry/geometry.ts';
import { ingest } from '../../src/data/ingest/ingest.ts';
import { parseDataQuery } from '../../src/data/query/parameters.ts';
import { runQuery } from '../../src/data/query/run-query.ts';
import { createChunkCache } from '../../src/data/table/chunk-reader.ts';
import { originalJsonOfRows } from '../../src/data/table/passthrough.ts';
import { Table } from '../../src/data/table/table.ts';
import { report } from '../support/figures.ts';
import { makePoints } from './make-points.ts';

const box: Bbox = [10, 40, 17, 47];
const folder = join(tmpdir(), 'catalogue-bench', 'tables');

/** Rows in the box of one kind, with enough visitors: all their values are read, as for a response. */
async function ask(table: Table): Promise<number> {
  const place = (name: string) => table.schema.columns.findIndex((column) => column.name === name);
  const [kind, visitors] = [place('kind'), place('visitors')];
  let hits = 0;
  for await (const rows of table.scanRowGroups({ boxes: [box], columns: [kind, visitors] })) {
    for (const row of rows) {
      if (row.value(kind) !== 'museum' || (row.value(visitors) as number) < 10_000) continue;
      hits++;
      row.geometry();
      for (let column = 0; column < table.schema.columns.length; column++) row.value(column);
    }
  }
  return hits;
}

async function openTable(checksum: string): Promise<Table> {
  const table = await Table.open(join(folder, checksum), checksum, createChunkCache(256 * 1024 ** 2));
  if (!table) throw new Error('The columnar copy is missing.');
  return table;
}

async function timed<T>(work: () => Promise<T>): Promise<[number, T]> {
  const start = performance.now();
  const result = await work();
  return [performance.now() - start, result];
}

/** Queries of groups, with the most milliseconds that they may take. */
const groupings = [
  ['grouped by a text, count', '_group_by=kind', 60],
  [
    'grouped by a text, count, sum, min, max and mean',
    '_group_by=kind&_aggregate=count,sum(height),min(height),max(height),mean(height)',
    60,
  ],
  [
    'grouped by a text, count, sum, min, max, mean and median',
    '_group_by=kind&_aggregate=count,sum(height),min(height),max(height),mean(height),median(height)',
    60,
  ],
  ['grouped by two columns, sum', '_group_by=kind,free&_aggregate=sum(visitors)', null],
  ['filtered, and grouped by a text, sum', 'visitors__gte=50000&_group_by=kind&_aggregate=sum(height)', null],
  ['grouped by 10,800 dates, count', '_group_by=opened', null],
] as const;

/** Reports the durations of queries of groups, warm and in turn, each from the query string to the document in JSON. */
async function measureGroupings(table: Table, payload: string): Promise<void> {
  const limits = { pageSize: 100, maxPageSize: 1000, timeout: Number.POSITIVE_INFINITY };
  const times = groupings.map((): number[] => []);
  for (let n = 0; n < 13; n++)
    for (const [i, [, text]] of groupings.entries()) {
      const [ms] = await timed(async () => {
        const query = parseDataQuery([...new URLSearchParams(text)], table.schema);
        const { chunks } = await runQuery(table, query, { name: 'points', payload, format: 'objects', limits });
        for await (const _chunk of chunks());
      });
      // The first three compile and fill the cache.
      if (n >= 3) times[i]?.push(ms);
    }
  for (const [i, [name, , atMost]] of groupings.entries())
    report({
      name: `${table.rowCount.toLocaleString('en')} rows ${name}`,
      values: times[i] ?? [],
      unit: 'ms',
      target: atMost === null ? null : { atMost },
    });
}

if (process.argv[2] === 'first') {
  const [ms, hits] = await timed(async () => ask(await openTable(process.argv[3] as string)));
  console.log(JSON.stringify({ ms, hits }));
} else {
  const { geojson } = await makePoints(Number(process.argv[2] ?? 1_000_000));
  const { checksum } = await ingest(geojson, { fileName: geojson, cacheFolder: folder });
  const table = await openTable(checksum);
  const hits = await ask(table);
  const times: number[] = [];
  for (let n = 0; n < 50; n++) times.push((await timed(() => ask(table)))[0]);
  const median = times.sort((a, b) => a - b)[25] as number;
  console.log(`warm: median ${median.toFixed(1)} ms of 50, ${hits} hits of ${table.rowCount} rows`);

  await measureGroupings(table, geojson);

  const firsts = [1, 2, 3, 4, 5].map(() => {
    const output = execFileSync(process.execPath, [
      '--import',
      'tsx',
      fileURLToPath(import.meta.url),
      'first',
      checksum,
    ]);
    return (JSON.parse(String(output)) as { ms: number }).ms;
  });
  const first = firsts.sort((a, b) => a - b)[2] as number;
  const [whole] = await timed(async () => {
    let rows = 0;
    for await (const batch of readGeojson(createReadStream(geojson), 0, {
      textual: false,
      passthrough: null,
      reading: {},
    }))
      rows += batch.rows;
    return rows;
  });
  console.log(
    `first of a new process: median ${first.toFixed(0)} ms of 5; the payload from end to end ${whole.toFixed(0)} ms, ${(whole / first).toFixed(0)} times as long`,
  );

  const [scan] = await timed(async () => {
    let sum = 0;
    for await (const rows of table.scanRowGroups({ columns: [4], needsGeometry: false }))
      for (const row of rows) sum += row.value(4) as number;
    return sum;
  });
  console.log(`one column of every row: ${scan.toFixed(0)} ms`);
  for (const [name, rows] of [
    ['all', null],
    ['every tenth', [...Array(Math.floor(table.rowCount / 10)).keys()].map((n) => n * 10)],
  ] as const) {
    const [ms, bytes] = await timed(async () => {
      let total = 0;
      for await (const chunk of originalJsonOfRows(table, geojson, rows)) total += chunk.length;
      return total;
    });
    console.log(
      `passthrough of ${name}: ${(bytes / 1e6).toFixed(0)} MB in ${ms.toFixed(0)} ms, ${(bytes / 1e6 / ms).toFixed(2)} GB/s`,
    );
  }
}
