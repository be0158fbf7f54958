/**
 * Geometries of Parquet that other programs write: EWKB (its bytes are those of shapely 2.1), the native encodings of
 * GeoParquet 1.1, and Parquet's own types.
 */
import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { DuckDBInstance } from '@duckdb/node-api';
import type { SchemaElement } from 'hyparquet';
import { parquetWriteBuffer } from 'hyparquet-writer';
import { readParquet } from '../../../src/data/formats/parquet/reader.ts';
import type { PayloadInfo } from '../../../src/data/formats/types.ts';
import { coordinateDepth, type Geometry, type SimpleGeometry } from '../../../src/data/geometry/geometry.ts';
import { toWkb } from '../../../src/data/geometry/wkb.ts';
import { ingestPayload, rowsOf, temporaryFolder, typesOf } from '../support/payloads.ts';

const geo = (column: object) =>
  JSON.stringify({ version: '1.1.0', primary_column: 'geometry', columns: { geometry: column } });

/** GeoParquet of WKB in hexadecimal; null for a row without a geometry. */
function parquetOfWkb(hex: readonly (string | null)[], more: object = {}): Buffer {
  const data = hex.map((text) => (text === null ? null : Buffer.from(text, 'hex')));
  const value = geo({ encoding: 'WKB', geometry_types: [], ...more });
  return Buffer.from(
    parquetWriteBuffer({
      columnData: [{ name: 'geometry', data, type: 'BYTE_ARRAY', nullable: true }],
      kvMetadata: [{ key: 'geo', value }],
    }),
  );
}

async function ingestGeometries(bytes: Buffer) {
  const { result, table } = await ingestPayload(bytes, 'a.parquet');
  return { result, table, geometries: (await rowsOf(table)).map(({ geometry }) => geometry) };
}

test('EWKB is read: Z is kept, M dropped, and the SRID 4326 or none is WGS 84', async () => {
  const { result, table, geometries } = await ingestGeometries(
    parquetOfWkb([
      '0101000080000000000000204000000000008047400000000000407F40',
      '01010000E0E6100000000000000000204000000000008047400000000000407F400000000000000840',
      null,
      '004000000200000002000000000000000000000000000000003FF00000000000003FF00000000000003FF00000000000004000000000000000',
      '0107000080010000000101000080000000000000F03F00000000000000400000000000000840',
    ]),
  );
  assert.deepEqual(geometries, [
    { type: 'Point', coordinates: [8, 47, 500] },
    { type: 'Point', coordinates: [8, 47, 500] },
    null,
    {
      type: 'LineString',
      coordinates: [
        [0, 0],
        [1, 1],
      ],
    },
    { type: 'GeometryCollection', geometries: [{ type: 'Point', coordinates: [1, 2, 3] }] },
  ]);
  assert.deepEqual([result.crs, table.geometryEncoding], [null, 'EWKB']);
});

test('M of WKB is dropped, too: it is no height', async () => {
  const { geometries, table } = await ingestGeometries(
    parquetOfWkb(['01D1070000000000000000F03F00000000000000400000000000000840']),
  );
  assert.deepEqual(geometries, [{ type: 'Point', coordinates: [1, 2] }]);
  assert.equal(table.geometryEncoding, undefined);
});

const hexOf = (geometry: Geometry) => Buffer.from(toWkb(geometry)).toString('hex');

test('positions of WKB without a height, and empty points, are read as such; others that are no numbers are refused', async () => {
  const { NaN: none } = Number;
  const { geometries } = await ingestGeometries(
    parquetOfWkb([
      hexOf({
        type: 'LineString',
        coordinates: [
          [1, 2, none],
          [3, 4, 5],
        ],
      }),
      hexOf({ type: 'Point', coordinates: [1, 2, none] }),
      hexOf({ type: 'Point', coordinates: [none, none, none] }),
      hexOf({ type: 'MultiPoint', coordinates: [[1, 2], []] }),
      hexOf({ type: 'GeometryCollection', geometries: [{ type: 'Point', coordinates: [] }] }),
    ]),
  );
  assert.deepEqual(geometries, [
    {
      type: 'LineString',
      coordinates: [
        [1, 2],
        [3, 4, 5],
      ],
    },
    { type: 'Point', coordinates: [1, 2] },
    null,
    { type: 'MultiPoint', coordinates: [[1, 2]] },
    { type: 'GeometryCollection', geometries: [{ type: 'Point', coordinates: [] }] },
  ]);
  for (const position of [
    [none, 2],
    [1, none],
    [1, Infinity],
  ]) {
    const line: Geometry = { type: 'LineString', coordinates: [[0, 0], position] };
    const refused = /row 1: the coordinates of a LineString are not as they should be$/;
    await assert.rejects(ingestGeometries(parquetOfWkb([hexOf(line)])), refused);
    const { table, result } = await ingestPayload(
      `geom\n${'0101000000000000000000f03f0000000000000040\n'.repeat(9)}${hexOf(line)}\n`,
      'a.csv',
    );
    assert.deepEqual(
      (await rowsOf(table)).slice(8).map(({ geometry }) => geometry),
      [{ type: 'Point', coordinates: [1, 2] }, null],
    );
    assert.match(result.remarks.join(), /no geometry in such rows/);
  }
});

/** A polygon of 3,000 vertices, which has 48 kB. */
const largePolygon = (n: number) => {
  const ring = Array.from({ length: 3_000 }, (_, i) => [n + Math.cos(i / 478), Math.sin(i / 478)]);
  return hexOf({ type: 'Polygon', coordinates: [[...ring, ring[0] as number[]]] });
};

/** Numbers of rows in the parts in which a file is read. */
async function partsOf(bytes: Buffer): Promise<readonly number[]> {
  assert.ok(bytes.length < 1_000_000);
  const path = join(temporaryFolder(), 'a.parquet');
  writeFileSync(path, bytes);
  const sizes: number[] = [];
  for await (const { rows } of readParquet(path, { reading: {} } as PayloadInfo)) sizes.push(rows);
  return sizes;
}

test('geometries that repeat in a dictionary are read in parts, by the bytes that all of them have', async () => {
  const polygons = Array.from({ length: 10 }, (_, n) => largePolygon(n));
  const points = Array.from({ length: 300 }, (_, n) => hexOf({ type: 'Point', coordinates: [n / 10, 1] }));
  for (const hex of [
    Array.from({ length: 1_000 }, (_, n) => polygons[n % 10] as string),
    // On average, a value of this dictionary is short.
    [...new Array(700).fill(polygons[0]), ...points],
  ]) {
    const sizes = await partsOf(parquetOfWkb(hex));
    // A part has 8 MB: 174 polygons, or up to 300 points behind some.
    assert.ok(Math.max(...sizes.slice(0, 4)) <= 175, `rows of the parts: ${sizes}`);
    assert.equal(
      sizes.reduce((sum, rows) => sum + rows),
      1_000,
    );
  }
});

test('nulls beside a large geometry in a dictionary are read in one part', async () => {
  const polygons = new Array(20).fill(largePolygon(0));
  // The writer makes two row groups.
  assert.deepEqual(await partsOf(parquetOfWkb([...new Array(99_980).fill(null), ...polygons])), [1_000, 99_000]);
});

/** EWKB of Berlin with a height of 34 m. @param srid little-endian, in hexadecimal */
const berlin = (srid: string) => `01010000A0${srid}96438BEC7AE31741448B6CCF7F3156410000000000004140`;

test('EWKB of another reference system is converted by its SRID, or refused by its row', async () => {
  const { result, geometries } = await ingestGeometries(parquetOfWkb([null, berlin('E9640000')]));
  assert.equal(result.crs, 'EPSG:25833');
  const [, point] = geometries;
  const [lon = 0, lat = 0, height] = point?.type === 'Point' ? point.coordinates : [];
  assert.ok(Math.abs(lon - 13.4) < 1e-6 && Math.abs(lat - 52.5) < 1e-6 && height === 34, `${lon} ${lat} ${height}`);
  await assert.rejects(
    ingestGeometries(parquetOfWkb([null, berlin('32BF0D00')])),
    /^PayloadError: row 2: the coordinate reference system EPSG:900914 is not one of those that can be converted/,
  );
});

test('EWKB without a SRID is in the system that the file names', async () => {
  const crs = { name: 'ETRS89 / UTM zone 33N', id: { authority: 'EPSG', code: 25833 } };
  const { result } = await ingestGeometries(parquetOfWkb([berlin('00000000')], { crs }));
  assert.equal(result.crs, 'EPSG:25833');
});

test('broken WKB is refused by its row and column', async () => {
  const refused = (hex: string, message: RegExp) =>
    assert.rejects(ingestGeometries(parquetOfWkb([null, hex])), { name: 'PayloadError', message });
  await refused('0101000080000000000000', /^row 2: column "geometry": the WKB breaks off$/);
  await refused('010200000000000040', /^row 2: column "geometry": the WKB breaks off$/);
  await refused('010800000000000000', /^row 2: column "geometry": geometries of type 8 in WKB .* are not read$/);
});

/** Coordinates as GeoArrow has them: structs in lists. */
const toStructs = (coordinates: unknown): unknown => {
  if (!Array.isArray(coordinates)) return coordinates;
  if (Array.isArray(coordinates[0]) || coordinates.length === 0) return coordinates.map(toStructs);
  const [x, y, z] = coordinates as number[];
  return { x, y, ...(z !== undefined && { z }) };
};

type Repetition = 'REQUIRED' | 'OPTIONAL';

/** The column of the specification's example. @param inner repetition of all below the column */
function nativeSchema(depth: number, numbers: readonly string[], inner: Repetition): SchemaElement[] {
  const group = (lists: number, name: string, repetition_type: Repetition): SchemaElement[] =>
    lists === 0
      ? [
          { name, repetition_type, num_children: numbers.length },
          ...numbers.map((number) => ({ name: number, type: 'DOUBLE' as const, repetition_type: inner })),
        ]
      : [
          { name, repetition_type, num_children: 1, converted_type: 'LIST' },
          { name: 'list', repetition_type: 'REPEATED', num_children: 1 },
          ...group(lists - 1, 'element', inner),
        ];
  return [{ name: 'schema', num_children: 1 }, ...group(depth, 'geometry', 'OPTIONAL')];
}

/** GeoParquet of a native encoding, in pages of a few numbers. @param coordinates of each row; null for a row without a geometry */
function parquetOfNative(
  type: SimpleGeometry['type'],
  coordinates: readonly unknown[],
  { numbers = ['x', 'y'], inner = 'REQUIRED', more = {}, encoding = type.toLowerCase() as string } = {} as {
    numbers?: readonly string[];
    inner?: Repetition;
    more?: object;
    encoding?: string;
  },
): Buffer {
  return Buffer.from(
    parquetWriteBuffer({
      schema: nativeSchema(coordinateDepth[type], numbers, inner),
      columnData: [{ name: 'geometry', data: coordinates.map(toStructs) }],
      pageSize: 40,
      kvMetadata: [{ key: 'geo', value: geo({ encoding, geometry_types: [], ...more }) }],
    }),
  );
}

const ring = (at: number, z: readonly number[]) => [0, 1, 2, 0].map((n) => [at + n, at + (n % 2), ...z]);

/** Coordinates of each type, with a height or none. */
const examples = (z: readonly number[]): Record<SimpleGeometry['type'], unknown> => ({
  Point: [8, 47, ...z],
  MultiPoint: [
    [1, 2, ...z],
    [3, 4, ...z],
  ],
  LineString: [
    [1, 2, ...z],
    [3, 4, ...z],
  ],
  MultiLineString: [ring(0, z), ring(5, z)],
  Polygon: [ring(0, z), ring(1, z)],
  MultiPolygon: [[ring(0, z), ring(1, z)], [ring(9, z)]],
});

for (const type of Object.keys(coordinateDepth) as SimpleGeometry['type'][])
  for (const inner of ['REQUIRED', 'OPTIONAL'] as const)
    test(`a ${type} in the native encoding is read, its parts ${inner}`, async () => {
      for (const z of [[], [500]]) {
        const full = examples(z)[type];
        const empty = type === 'Point' ? [Number.NaN, Number.NaN, ...z.map(() => Number.NaN)] : [];
        const rows = [null, ...Array.from({ length: 40 }, (_, i) => [full, empty, full, null][i % 4])];
        const numbers = z.length ? ['x', 'y', 'z'] : ['x', 'y'];
        const { result, table, geometries } = await ingestGeometries(parquetOfNative(type, rows, { numbers, inner }));
        assert.deepEqual(
          geometries,
          rows.map((coordinates) =>
            coordinates === null || (coordinates === empty && type === 'Point') ? null : { type, coordinates },
          ),
        );
        assert.deepEqual(typesOf(result), ['geometry:geometry']);
        assert.ok(result.geometryKinds.includes(z.length ? `${type} Z` : type));
        assert.equal(table.geometryEncoding, 'native');
        assert.ok(result.bbox);
      }
    });

test('native encodings: a height of NaN is left out, and an empty part stays', async () => {
  const mixed = parquetOfNative(
    'Point',
    [
      [8, 47, 500],
      [9, 48, Number.NaN],
    ],
    { numbers: ['x', 'y', 'z'] },
  );
  const { geometries, result } = await ingestGeometries(mixed);
  assert.deepEqual(
    geometries.map((geometry) => (geometry as SimpleGeometry).coordinates),
    [
      [8, 47, 500],
      [9, 48],
    ],
  );
  assert.deepEqual(result.geometryKinds, ['Point', 'Point Z']);
  const parts = parquetOfNative('MultiPolygon', [[[ring(0, [])], []], [[]]]);
  assert.deepEqual((await ingestGeometries(parts)).geometries, [
    { type: 'MultiPolygon', coordinates: [[ring(0, [])], []] },
    { type: 'MultiPolygon', coordinates: [[]] },
  ]);
});

test('native encodings are converted from the reference system of the column', async () => {
  const crs = { name: 'ETRS89 / UTM zone 33N', id: { authority: 'EPSG', code: 25833 } };
  const file = parquetOfNative('MultiPoint', [[[391_390.731, 5_817_855.241]]], { more: { crs } });
  const { result } = await ingestGeometries(file);
  const [west = 0, south = 0] = result.bbox ?? [];
  assert.ok(Math.abs(west - 13.4) < 1e-6 && Math.abs(south - 52.5) < 1e-6, `${result.bbox}`);
  assert.equal(result.crs, 'EPSG:25833');
});

test('a native geometry that lacks a number is refused by its row', async () => {
  const line = [
    null,
    [
      [1, 2],
      [3, null],
    ],
  ];
  await assert.rejects(
    ingestGeometries(parquetOfNative('LineString', line, { inner: 'OPTIONAL' })),
    /^PayloadError: row 2: the coordinates of a LineString are not as they should be$/,
  );
});

test('another encoding is not read, and a remark says so', async () => {
  for (const [type, encoding] of [
    ['Point', 'geoarrow.point'],
    ['LineString', 'point'],
    ['Point', 'polygon'],
  ] as const) {
    const { result } = await ingestPayload(parquetOfNative(type, [examples([])[type]], { encoding }), 'a.parquet');
    assert.match(typesOf(result).join(), /^geometry:(?:object|array)$/);
    assert.match(result.remarks.join(), new RegExp(`^Column "geometry": its geometries .*"${encoding}".*no geometry`));
    assert.equal(result.lostGeometries.length, 1, 'also catalogue check --deep says so');
  }
});

/** Writes a query as Parquet by DuckDB, and reads it. */
async function throughDuckDB(query: string, options: string) {
  const path = join(temporaryFolder(), 'rows.parquet');
  const duckdb = await (await DuckDBInstance.create(':memory:')).connect();
  await duckdb.run(`COPY (${query}) TO '${path}' (FORMAT parquet, ${options})`);
  duckdb.closeSync();
  return ingestGeometries(readFileSync(path));
}

test('native encodings of DuckDB are read, also beside other columns and in several row groups', async () => {
  const { result, geometries } = await throughDuckDB(
    `SELECT i AS a, CASE WHEN i % 3 > 0 THEN [{x: i / 100, y: 1.5::DOUBLE}, {x: 2::DOUBLE, y: 3::DOUBLE}] END AS geometry,
      [i] AS b FROM range(5000) t(i)`,
    `ROW_GROUP_SIZE 2048, KV_METADATA {geo: '${geo({ encoding: 'linestring', geometry_types: [] })}'}`,
  );
  assert.deepEqual(typesOf(result), ['geometry:geometry', 'a:integer', 'b:array']);
  const expected = (i: number): Geometry | null =>
    i % 3 > 0
      ? {
          type: 'LineString',
          coordinates: [
            [i / 100, 1.5],
            [2, 3],
          ],
        }
      : null;
  assert.deepEqual(
    geometries,
    Array.from({ length: 5000 }, (_, i) => expected(i)),
  );
});

test("Parquet's own types GEOMETRY and GEOGRAPHY are geometries", async () => {
  const { result, geometries } = await throughDuckDB(
    `SELECT 1 AS a, 'LINESTRING Z (0 0 1, 1 1 2)'::GEOMETRY AS shape UNION ALL SELECT 2, NULL`,
    `GEOPARQUET_VERSION 'NONE'`,
  );
  const line: Geometry = {
    type: 'LineString',
    coordinates: [
      [0, 0, 1],
      [1, 1, 2],
    ],
  };
  assert.deepEqual(
    [typesOf(result), geometries],
    [
      ['geometry:geometry', 'a:integer'],
      [line, null],
    ],
  );
  for (const type of ['GEOMETRY', 'GEOGRAPHY'] as const)
    for (const [crs, found] of [
      [undefined, null],
      ['OGC:CRS84', null],
      ['EPSG:4258', 'EPSG:4258'],
      ['srid:4258', 'EPSG:4258'],
    ] as const) {
      const written = parquetWriteBuffer({
        schema: [
          { name: 'schema', num_children: 1 },
          {
            name: 'shape',
            type: 'BYTE_ARRAY',
            repetition_type: 'OPTIONAL',
            logical_type: { type, ...(crs && { crs }) },
          },
        ],
        columnData: [{ name: 'shape', data: [{ type: 'Point', coordinates: [8, 47] }, null] }],
      });
      const read = await ingestGeometries(Buffer.from(written));
      assert.equal(read.result.crs, found);
      assert.deepEqual(
        read.geometries.map((geometry) => geometry?.type),
        ['Point', undefined],
      );
    }
});

test('further geometry columns are objects, whatever their encoding', async () => {
  const columns = {
    geometry: { encoding: 'WKB' },
    at: { encoding: 'point' },
  };
  const written = parquetWriteBuffer({
    schema: [
      { name: 'schema', num_children: 2 },
      { name: 'at', num_children: 2, repetition_type: 'OPTIONAL' },
      { name: 'x', type: 'DOUBLE', repetition_type: 'REQUIRED' },
      { name: 'y', type: 'DOUBLE', repetition_type: 'REQUIRED' },
      { name: 'geometry', type: 'BYTE_ARRAY', repetition_type: 'OPTIONAL' },
    ],
    columnData: [
      { name: 'at', data: [{ x: 1, y: 2 }, null] },
      { name: 'geometry', data: [toWkb({ type: 'Point', coordinates: [8, 47] }), null] },
    ],
    kvMetadata: [{ key: 'geo', value: JSON.stringify({ primary_column: 'geometry', columns }) }],
  });
  const { table, result, geometries } = await ingestGeometries(Buffer.from(written));
  assert.deepEqual(typesOf(result), ['geometry:geometry', 'at:object']);
  assert.deepEqual(geometries, [{ type: 'Point', coordinates: [8, 47] }, null]);
  assert.deepEqual((await rowsOf(table))[0]?.values, [{ type: 'Point', coordinates: [1, 2] }]);
  assert.equal(table.geometryEncoding, undefined);
});

test('columns of positions, and of geometries as text or WKB, become the geometry of plain Parquet', async () => {
  const read = async (columns: Record<string, unknown[]>, type: 'STRING' | 'DOUBLE' | 'BYTE_ARRAY') => {
    const columnData = Object.entries(columns).map(([name, data]) => ({ name, data, type, nullable: true }));
    const { result, geometries } = await ingestGeometries(Buffer.from(parquetWriteBuffer({ columnData })));
    return { types: typesOf(result), geometries };
  };
  const point = { type: 'Point', coordinates: [8.5, 47.25] };
  assert.deepEqual(await read({ latitude: [47.25, null], longitude: [8.5, 9] }, 'DOUBLE'), {
    types: ['geometry:geometry', 'latitude:float', 'longitude:float'],
    geometries: [point, null],
  });
  assert.deepEqual(await read({ a: ['x', 'y'], wkt: ['POINT (8.5 47.25)', null] }, 'STRING'), {
    types: ['geometry:geometry', 'a:string'],
    geometries: [point, null],
  });
  const wkb = toWkb({ type: 'Point', coordinates: [8.5, 47.25] });
  assert.deepEqual(await read({ shape: [wkb, null] }, 'BYTE_ARRAY'), {
    types: ['geometry:geometry'],
    geometries: [point, null],
  });
});
