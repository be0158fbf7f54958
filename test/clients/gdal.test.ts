/**
 * GDAL reads what the writers write, with the right types: `ogrinfo` on files, as an own program of its users. Skipped
 * where it isn't installed, unless this runs in continuous integration, where it has to be.
 */
import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { createWriteStream, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { after, describe, test } from 'node:test';
import { outputFormats, type StreamedFormatName } from '../../src/catalogue/output-formats.ts';
import type { RowsInput } from '../../src/data/formats/types.ts';
import { writeRows } from '../../src/data/formats/write-rows.ts';
import { geometries, point, table, type Written } from '../data/support/written.ts';

const installed = spawnSync('ogrinfo', ['--version']).status === 0;
const skip = !installed && !process.env.CI && 'ogrinfo is not installed (Debian: gdal-bin)';
const drivers = installed ? execFileSync('ogrinfo', ['--formats'], { encoding: 'utf8' }) : '';

const types = {
  count: 'integer',
  big: 'integer',
  size: 'float',
  label: 'string',
  open: 'boolean',
  day: 'date',
  moment: 'datetime',
  clock: 'time',
  more: 'object',
} as const;
const values: Written['values'] = {
  count: 1,
  big: '9007199254740993',
  size: 1.5,
  label: 'a "q", b; é 🎉',
  open: true,
  day: '2020-02-29',
  moment: '2020-01-01T10:00:00Z',
  clock: '10:00',
  more: { a: [1] },
};
const rows: Written[] = [
  { id: 7, geometry: point(1.5, -2.25), values },
  { id: 8, geometry: null, values: {} },
  { id: 9, geometry: point(-179.1234567, 80), values: { ...values, count: -5, label: '', open: false } },
];

const folder = mkdtempSync(join(tmpdir(), 'gdal-'));
after(() => rmSync(folder, { recursive: true }));

/** Writes each format to a file of one name, and lets ogrinfo say what the first of them holds. */
async function ogrinfo(name: string, input: () => RowsInput, ...names: StreamedFormatName[]): Promise<string> {
  const paths = names.map((format) => join(folder, `${name}.${outputFormats[format].extension}`));
  for (const [i, format] of names.entries()) {
    await pipeline(Readable.from(writeRows(format, input())), createWriteStream(paths[i] as string));
  }
  const { stdout, stderr, status } = spawnSync('ogrinfo', ['-ro', '-al', paths[0] as string], { encoding: 'utf8' });
  assert.equal(stderr, '');
  assert.equal(status, 0);
  return stdout;
}

function says(info: string, ...lines: (string | RegExp)[]): void {
  for (const line of lines) {
    if (typeof line === 'string') assert.ok(info.includes(`${line}\n`), `${line} is not in\n${info}`);
    else assert.match(info, line);
  }
}

const wgs84 = /GEOGCRS\["WGS 84"/;
const longitudeFirst = 'Data axis to CRS axis mapping: 2,1';

describe('GDAL', { skip }, () => {
  for (const format of ['geojson', 'geojsonl'] as const) {
    test(`reads ${format}`, async () => {
      const info = await ogrinfo('places', () => table(types, rows), format);
      says(
        info,
        'Layer name: places',
        'Geometry: Point',
        'Feature Count: 3',
        wgs84,
        longitudeFirst,
        'count: Integer (0.0)',
        'big: String (0.0)',
        'size: Real (0.0)',
        'open: Integer(Boolean) (1.0)',
        'day: Date (0.0)',
        'moment: DateTime (0.0)',
        'clock: Time (0.0)',
        'OGRFeature(places):7',
        'OGRFeature(places):8',
        '  big (String) = 9007199254740993',
        '  label (String) = a "q", b; é 🎉',
        '  label (String) = (null)',
        '  POINT (1.5 -2.25)',
        /POINT \(-179\.1234567 80(\.0)?\)/,
      );
    });
  }

  test('reads csv with csvt and prj as typed points', async () => {
    const input = () => table(types, rows, { geometryKinds: ['Point'] });
    const info = await ogrinfo('points', input, 'csv', 'csvt', 'prj');
    says(
      info,
      'Geometry: Point',
      'Feature Count: 3',
      wgs84,
      longitudeFirst,
      'longitude: Real (0.0)',
      'count: Integer64 (0.0)',
      'big: Integer64 (0.0)',
      'size: Real (0.0)',
      'label: String (0.0)',
      'open: Integer(Boolean) (1.0)',
      'day: Date (0.0)',
      'moment: DateTime (0.0)',
      'clock: Time (0.0)',
      '  big (Integer64) = 9007199254740993',
      '  label (String) = a "q", b; é 🎉',
      '  open (Integer(Boolean)) = 1',
      '  open (Integer(Boolean)) = 0',
      '  day (Date) = 2020/02/29',
      '  moment (DateTime) = 2020/01/01 10:00:00+00',
      '  POINT (1.5 -2.25)',
    );
  });

  test('reads points with an altitude', async () => {
    const some = [{ geometry: point(1, 2, 3), values: { count: 1 } }];
    const input = () => table({ count: 'integer' }, some, { geometryKinds: ['Point Z'] });
    says(await ogrinfo('high', input, 'csv', 'csvt', 'prj'), 'Geometry: 3D Point', '  POINT Z (1 2 3)');
    says(await ogrinfo('high', input, 'geojson'), 'Geometry: 3D Point', '  POINT Z (1 2 3)');
  });

  test('reads geometries of every kind', async () => {
    const input = () =>
      table(
        { n: 'integer' },
        geometries.map((geometry, n) => ({ geometry, values: { n } })),
      );
    for (const names of [['csv', 'csvt', 'prj'], ['geojson'], ['geojsonl']] as StreamedFormatName[][]) {
      const info = await ogrinfo('all', input, ...names);
      says(
        info,
        'Feature Count: 11',
        wgs84,
        longitudeFirst,
        /MULTIPOINT \(\(?1 2\)?,\(?3 4\)?\)/,
        '  LINESTRING EMPTY',
        '  GEOMETRYCOLLECTION EMPTY',
        '  GEOMETRYCOLLECTION (POINT (5 5),LINESTRING (0 0,1 1))',
        /POLYGON Z \(\(0 0 1,10 0 1/,
      );
    }
  });

  test('reads parquet', { skip: !/^ *Parquet /m.test(drivers) && 'this GDAL has no Parquet driver' }, async () => {
    const info = await ogrinfo('places', () => table(types, rows), 'parquet');
    says(
      info,
      'Geometry: Point',
      'Feature Count: 3',
      /CRS84/,
      'count: Integer64 (0.0)',
      'big: Integer64 (0.0)',
      'size: Real (0.0)',
      'open: Integer(Boolean) (0.0)',
      'day: Date (0.0)',
      'moment: DateTime (0.0)',
      '  POINT (1.5 -2.25)',
    );
  });
});
