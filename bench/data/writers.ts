/**
 * Speed of writing rows: `node --import tsx bench/data/writers.ts [rows]`. Each format writes the same table
 * of points from columns in memory; beside it a bare copy of as many bytes, and ogr2ogr converting the same GeoJSON,
 * where it is installed.
 */
import { execFileSync, spawnSync } from 'node:child_process';
import { createWriteStream, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { performance } from 'node:perf_hooks';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { isFileFormat, type OutputFormatName, outputFormats } from '../../src/catalogue/output-formats.ts';
import type { RowsInput } from '../../src/data/formats/types.ts';
import { writeRows } from '../../src/data/formats/write-rows.ts';
import type { Row, TableSchema } from '../../src/data/row.ts';
import { report } from '../support/figures.ts';

const rows = Number(process.argv[2] ?? 1_000_000);
const names = [
  'Río Grande',
  'Main Street',
  'Çayırhan',
  '中山路',
  'Rue de l’Église',
  'No "quotes" here',
  'Plaza, Mayor',
];

const schema: TableSchema = {
  hasGeometry: true,
  columns: [
    { name: 'name', type: 'string' },
    { name: 'population', type: 'integer' },
    { name: 'height', type: 'float' },
    { name: 'opened', type: 'date' },
    { name: 'public', type: 'boolean' },
    { name: 'code', type: 'string' },
  ],
};

const longitudes = new Float64Array(rows).map(() => Math.round((Math.random() * 360 - 180) * 1e6) / 1e6);
const latitudes = new Float64Array(rows).map(() => Math.round((Math.random() * 180 - 90) * 1e6) / 1e6);
const columns = [
  Array.from({ length: rows }, (_, i) => names[i % names.length] as string),
  Array.from({ length: rows }, () => Math.floor(Math.random() * 1e7)),
  Array.from({ length: rows }, () => Math.random() * 1000),
  Array.from({ length: rows }, (_, i) => `20${10 + (i % 14)}-0${1 + (i % 9)}-1${i % 10}`),
  Array.from({ length: rows }, (_, i) => i % 3 === 0),
  Array.from({ length: rows }, (_, i) => `A${String(i).padStart(7, '0')}`),
];

function* table(): Generator<Row> {
  let i = 0;
  const row: Row = {
    value: (column) => columns[column]?.[i] ?? null,
    geometry: () => ({ type: 'Point', coordinates: [longitudes[i] as number, latitudes[i] as number] }),
    bbox: () => null,
    id: () => i,
  };
  for (; i < rows; i++) yield row;
}

const input = (): RowsInput => ({ name: 'points', schema, rows: table(), geometryKinds: ['Point'] });

const line = (name: string, seconds: number, bytes: number, note = '') =>
  console.log(
    name.padEnd(22),
    `${seconds.toFixed(2)} s`.padStart(8),
    `${(bytes / 1e6).toFixed(0)} MB`.padStart(8),
    `${(bytes / 1e6 / seconds).toFixed(0)} MB/s`.padStart(10),
    `${(rows / seconds / 1e6).toFixed(2)} M rows/s`.padStart(16),
    note,
  );

console.log(`${rows} points with 6 columns, from columns in memory`);
for (const format of Object.keys(outputFormats) as OutputFormatName[]) {
  if (format === 'csvt' || format === 'prj' || isFileFormat(format)) continue;
  const start = performance.now();
  let bytes = 0;
  let longest = 0;
  let last = start;
  for await (const chunk of writeRows(format, input())) {
    bytes += chunk.length;
    const now = performance.now();
    longest = Math.max(longest, now - last);
    last = now;
  }
  const seconds = (performance.now() - start) / 1000;
  const from = Buffer.alloc(1 << 17, 1);
  const copied = performance.now();
  for (let done = 0; done < bytes; done += from.length) Buffer.from(from);
  const copy = (performance.now() - copied) / 1000;
  if (format === 'csv' || format === 'ndjson')
    report({
      name: `writing ${format.toUpperCase()}, from columns in memory`,
      values: [bytes / 1e6 / seconds],
      unit: 'MB/s',
      target: null,
    });
  line(format, seconds, bytes, `longest pause ${longest.toFixed(0)} ms; a bare copy ${copy.toFixed(2)} s`);
}

if (spawnSync('ogr2ogr', ['--version']).status === 0) {
  const folder = mkdtempSync(join(tmpdir(), 'writers-'));
  try {
    const source = join(folder, 'points.geojson');
    await pipeline(Readable.from(writeRows('geojson', input())), createWriteStream(source));
    console.log('ogr2ogr, from GeoJSON');
    for (const [driver, extension, options] of [
      ['GeoJSON', 'geojson', []],
      ['GeoJSONSeq', 'geojsonl', []],
      ['CSV', 'csv', ['-lco', 'GEOMETRY=AS_XY']],
    ] as const) {
      const target = join(folder, `out.${extension}`);
      const start = performance.now();
      execFileSync('ogr2ogr', ['-f', driver, target, source, ...options]);
      const seconds = (performance.now() - start) / 1000;
      line(`ogr2ogr ${extension}`, seconds, Number(execFileSync('stat', ['-c', '%s', target])));
    }
  } finally {
    rmSync(folder, { recursive: true });
  }
} else console.log('ogr2ogr is not installed.');
