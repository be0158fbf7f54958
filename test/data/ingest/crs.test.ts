/** Payloads in projected coordinates: what is served is WGS 84, or nothing. */
import assert from 'node:assert/strict';
import { createReadStream, readFileSync } from 'node:fs';
import { buffer } from 'node:stream/consumers';
import test from 'node:test';
import { gzipSync } from 'node:zlib';
import { parquetWriteBuffer } from 'hyparquet-writer';
import { writeParquet } from '../../../src/data/formats/parquet/writer.ts';
import { toWkb } from '../../../src/data/geometry/wkb.ts';
import { ingest } from '../../../src/data/ingest/ingest.ts';
import { parseDataQuery } from '../../../src/data/query/parameters.ts';
import { runQuery } from '../../../src/data/query/run-query.ts';
import { collection, ingestPayload, point, rowsOf } from '../support/payloads.ts';
import { bytesOf } from '../support/written.ts';

/** Berlin in EPSG:25833 and in degrees. */
const easting = 391_390.731;
const northing = 5_817_855.241;
const berlin = [13.4, 52.5];

const projected = (features: readonly unknown[], crs: unknown, where: 'before' | 'behind' = 'before') => {
  const list = `"features":${JSON.stringify(features)}`;
  const member = `"crs":${JSON.stringify(crs)}`;
  return `{"type":"FeatureCollection",${where === 'before' ? `${member},${list}` : `${list},${member}`}}`;
};
const named = (name: string) => ({ type: 'name', properties: { name } });

const shape = (type: string, coordinates: unknown) => ({
  type: 'Feature',
  properties: {},
  geometry: { type, coordinates },
});
const square = (west: number, south: number, east: number, north: number) => [
  [west, south],
  [east, south],
  [east, north],
  [west, north],
  [west, south],
];
/** A line over the antimeridian in EPSG:32760. */
const fiji = [
  [815_000, 8_000_000],
  [830_000, 8_000_000],
];

function assertBerlin(coordinates: readonly number[] | undefined) {
  const [lon = 0, lat = 0] = coordinates ?? [];
  assert.ok(Math.abs(lon - 13.4) < 1e-6 && Math.abs(lat - 52.5) < 1e-6, `${coordinates}`);
}

for (const [what, text, fileName] of [
  ['the member crs of GeoJSON', projected([point({}, [easting, northing])], named('EPSG:25833')), 'a.geojson'],
  ['a URN', projected([point({}, [easting, northing])], named('urn:ogc:def:crs:EPSG::25833')), 'a.geojson'],
  [
    'a member behind the features',
    projected([point({}, [easting, northing])], named('EPSG:25833'), 'behind'),
    'a.geojson',
  ],
  [
    'an older form of the member',
    projected([point({}, [easting, northing])], { type: 'EPSG', properties: { code: 25833 } }),
    'a.geojson',
  ],
  [
    'a geometry that names it',
    collection({
      type: 'Feature',
      properties: {},
      geometry: { type: 'Point', crs: named('EPSG:25833'), coordinates: [easting, northing] },
    }),
    'a.geojson',
  ],
  ['a Feature alone', JSON.stringify({ ...point({}, [easting, northing]), crs: named('EPSG:25833') }), 'a.geojson'],
  ['collections on lines', `${projected([point({}, [easting, northing])], named('EPSG:25833'))}\n`, 'a.geojsonl'],
] as const) {
  test(`${what}: rows are in WGS 84`, async () => {
    const { result, table } = await ingestPayload(text, fileName);
    assert.equal(result.crs, 'EPSG:25833');
    assert.equal(table.crs, 'EPSG:25833');
    assert.equal(table.passthrough, null, 'the bytes of the payload have other coordinates');
    const [row] = await rowsOf(table);
    const coordinates = row?.geometry?.type === 'Point' ? row.geometry.coordinates : undefined;
    assertBerlin(coordinates);
    assertBerlin(result.bbox?.slice(0, 2));
    assert.equal((await rowsOf(table, { boxes: [[13, 52, 14, 53]] })).length, 1);
  });
}

test('a stream and a gzipped file are converted as well, and heights stay', async () => {
  const text = projected([point({}, [easting, northing, 34.5])], named('EPSG:25833'));
  const { path } = await ingestPayload(text, 'a.geojson');
  const streamed = await ingest(createReadStream(path), { fileName: 'a.geojson' });
  assertBerlin(streamed.bbox?.slice(0, 2));
  const { table } = await ingestPayload(gzipSync(text), 'a.geojson.gz');
  const [row] = await rowsOf(table);
  assert.equal(row?.geometry?.type === 'Point' && row.geometry.coordinates[2], 34.5);
});

test('lines and polygons are converted position by position', async () => {
  const ring = [0, 1, 2, 0].map((n) => [easting + n * 100, northing + (n % 2) * 100]);
  const polygon = { type: 'Feature', properties: {}, geometry: { type: 'Polygon', coordinates: [ring] } };
  const { table, result } = await ingestPayload(projected([polygon], named('EPSG:25833')), 'a.geojson');
  const [row] = await rowsOf(table);
  assert.equal(row?.geometry?.type === 'Polygon' && row.geometry.coordinates[0]?.length, 4);
  assert.ok(result.bbox && result.bbox[0] > 13.39 && result.bbox[2] < 13.41);
});

test('--crs names the system of a payload that does not', async () => {
  const { result } = await ingestPayload(collection(point({}, [easting, northing])), 'a.geojson', {
    reading: { crs: 'EPSG:25833' },
  });
  assertBerlin(result.bbox?.slice(0, 2));
});

test('RT90 of Sweden is shifted the same way by each name: the member crs, --crs, and PROJJSON', async () => {
  // Stockholm; the sign of three rotations puts it 260 m away.
  const position = [1_627_871.2, 6_580_740.4];
  const projJson = { type: 'ProjectedCRS', name: 'RT90 2.5 gon V', id: { authority: 'EPSG', code: 3021 } };
  const boxes = [
    await ingestPayload(projected([point({}, position)], named('urn:ogc:def:crs:EPSG::3021')), 'a.geojson'),
    await ingestPayload(collection(point({}, position)), 'a.geojson', { reading: { crs: 'EPSG:3021' } }),
    await ingestPayload(geoParquet(projJson, position), 'a.parquet'),
  ].map(({ result }) => result.bbox);
  for (const [lon = 0, lat = 0] of boxes.map((box) => [...(box ?? [])])) {
    assert.ok(Math.hypot((lon - 18.0516253) * 0.5, lat - 59.3280832) * 111_320 < 1, `${lon} ${lat}`);
  }
});

test('WGS 84 under another name is nothing to convert', async () => {
  const { result, table } = await ingestPayload(
    projected([point({}, berlin)], named('urn:ogc:def:crs:EPSG::4326')),
    'a.geojson',
  );
  assert.equal(result.crs, null);
  assert.equal(table.passthrough, 'features');
});

for (const [what, text, message] of [
  [
    'a geocentric system',
    projected([point({}, [3_780_000, 900_000, 5_040_000])], named('EPSG:4936')),
    /EPSG:4936 is not one.*ogr2ogr -s_srs EPSG:4936/,
  ],
  [
    'an unknown system',
    projected([point({}, [easting, northing])], named('EPSG:20823')),
    /EPSG:20823 is not one.*ogr2ogr -s_srs EPSG:20823 -t_srs EPSG:4326/,
  ],
  ['a local system', projected([point({}, [1, 2])], named('Baustelle 7')), /Baustelle 7 is.*-s_srs EPSG:CODE/],
  [
    'metres without a name',
    collection(point({}, [easting, northing])),
    /line 1.*outside of ±180, ±90.*--crs EPSG:25833/,
  ],
  ['a latitude of 95', collection(point({}, [13, 95])), /outside of ±180, ±90/],
  ['a longitude of 190', collection(point({}, [190, 10])), /ogr2ogr -wrapdateline/],
  [
    'a polygon over the antimeridian',
    projected([shape('Polygon', [square(815_000, 8_000_000, 830_000, 8_010_000)])], named('EPSG:32760')),
    /crosses the antimeridian.*EPSG:32760.*ogr2ogr -s_srs EPSG:32760 -t_srs EPSG:4326/,
  ],
  [
    'a line over the antimeridian, of many',
    projected([shape('MultiLineString', [square(5e5, 8e6, 6e5, 8.1e6), fiji])], named('EPSG:32760')),
    /crosses the antimeridian/,
  ],
  [
    'a polygon around the pole',
    projected([shape('Polygon', [square(-1e6, -1e6, 1e6, 1e6)])], named('EPSG:3413')),
    /surrounds a pole, after conversion from EPSG:3413/,
  ],
  [
    'a position that does not exist',
    projected([point({}, [1e12, 1e12])], named('EPSG:25833')),
    /does not exist in EPSG:25833|outside of/,
  ],
] as const) {
  test(`${what}: refused, with the line to type`, async () => {
    await assert.rejects(ingestPayload(text, 'a.geojson'), message);
  });
}

test('shapes that touch the antimeridian, or are as wide as the world in their system, are converted', async () => {
  const edge = 20_037_508.342789244;
  for (const [geometry, crs, west, east] of [
    [shape('Polygon', [square(-edge, -1e6, edge, 1e6)]), 'EPSG:3857', -180, 180],
    [shape('Polygon', [square(18e6, -1e6, edge, 1e6)]), 'EPSG:3857', 161.697, 180],
    // As programs write them that round to a millimetre: slightly beyond the edge.
    [shape('Polygon', [square(18e6, -1e6, 20_037_508.343, 1e6)]), 'EPSG:3857', 161.697, 180],
    [shape('Polygon', [square(-20_037_508.343, -1e6, -18e6, 1e6)]), 'EPSG:3857', -180, -161.697],
    [shape('Polygon', [square(-20_037_508.343, -1e6, 20_037_508.343, 1e6)]), 'EPSG:3857', -180, 180],
    [shape('LineString', square(18e6, -1e6, 20_037_508.343, 1e6).slice(1, 4)), 'EPSG:3857', 161.697, 180],
    [shape('Polygon', [square(-170, -10, 170, 10)]), 'EPSG:4258', -170, 170],
    // Its box goes over the antimeridian.
    [shape('MultiPoint', fiji), 'EPSG:32760', 179.976, -179.883],
    [shape('Polygon', [square(5e5, 8e6, 6e5, 8.1e6)]), 'EPSG:32760', 177, 177.945],
  ] as const) {
    const { result } = await ingestPayload(projected([geometry], named(crs)), 'a.geojson');
    assert.deepEqual(
      [result.bbox?.[0], result.bbox?.[2]].map((degrees) => Number(degrees?.toFixed(3))),
      [west, east],
    );
  }
});

test('degrees with --crs EPSG:25833 are refused', async () => {
  await assert.rejects(
    ingestPayload(collection(point({}, berlin)), 'a.geojson', { reading: { crs: 'EPSG:25833' } }),
    /the coordinates are degrees and not EPSG:25833/,
  );
});

test('Natural Earth touches ±180 and is accepted', async () => {
  const file = new URL('../../fixtures/natural-earth/countries.geojson', import.meta.url);
  assert.ok((await ingestPayload(readFileSync(file), 'a.geojson')).result.bbox);
});

/** EPSG:25833 in PROJJSON, as GDAL and geopandas write it (shortened). */
const projJson = {
  $schema: 'https://proj.org/schemas/v0.7/projjson.schema.json',
  type: 'ProjectedCRS',
  name: 'ETRS89 / UTM zone 33N',
  base_crs: { name: 'ETRS89', id: { authority: 'EPSG', code: 4258 } },
  conversion: { name: 'UTM zone 33N', id: { authority: 'EPSG', code: 16033 } },
  id: { authority: 'EPSG', code: 25833 },
};
const { id: _, ...unnamedProjJson } = projJson;

/** GeoParquet with a point in projected coordinates. @param crs value in the metadata; undefined to leave it out */
function geoParquet(crs: unknown, coordinates = [easting, northing]): Buffer {
  const geometry = { encoding: 'WKB', geometry_types: ['Point'], ...(crs !== undefined && { crs }) };
  const geo = { version: '1.1.0', primary_column: 'position', columns: { position: geometry } };
  return Buffer.from(
    parquetWriteBuffer({
      columnData: [
        { name: 'name', data: ['oak'], type: 'STRING' },
        { name: 'position', data: [toWkb({ type: 'Point', coordinates })], type: 'BYTE_ARRAY' },
      ],
      kvMetadata: [{ key: 'geo', value: JSON.stringify(geo) }],
    }),
  );
}

for (const [what, crs] of [
  ['PROJJSON', projJson],
  [
    'PROJJSON with heights',
    { type: 'CompoundCRS', name: 'with heights', components: [projJson, { name: 'DHHN2016' }] },
  ],
  ['PROJJSON with a shift of the datum', { type: 'BoundCRS', source_crs: projJson, target_crs: { name: 'WGS 84' } }],
] as const) {
  test(`GeoParquet in the system of ${what}: rows are in WGS 84, also as Parquet`, async () => {
    const { result, table } = await ingestPayload(geoParquet(crs), 'a.parquet');
    assert.deepEqual([result.crs, table.crs, table.passthrough], ['EPSG:25833', 'EPSG:25833', null]);
    assertBerlin(result.bbox?.slice(0, 2));
    const [row] = await rowsOf(table);
    assertBerlin(row?.geometry?.type === 'Point' ? row.geometry.coordinates : undefined);
    const { schema } = table;
    const again = await bytesOf(writeParquet({ name: 'a', schema, rows: table.scan() }));
    assertBerlin((await ingestPayload(again, 'b.parquet')).result.bbox?.slice(0, 2));
  });
}

for (const [what, crs, message] of [
  ['a system without a code', unnamedProjJson, /ETRS89 \/ UTM zone 33N is not one.*-s_srs EPSG:CODE/],
  ['no system and metres', undefined, /outside of ±180, ±90.*--crs EPSG:25833/],
  ['an undefined system and metres', null, /outside of ±180, ±90.*--crs EPSG:25833/],
] as const) {
  test(`GeoParquet with ${what} is refused; --crs names the system`, async () => {
    await assert.rejects(ingestPayload(geoParquet(crs), 'a.parquet'), message);
    if (crs) return;
    const { result } = await ingestPayload(geoParquet(crs), 'a.parquet', { reading: { crs: 'EPSG:25833' } });
    assertBerlin(result.bbox?.slice(0, 2));
  });
}

test('columns of longitude and latitude in another system are not those of the points in CSV', async () => {
  const { table, path } = await ingestPayload('name,longitude,latitude\nBerlin,13.4,52.5\n', 'a.csv', {
    reading: { crs: 'EPSG:4314' },
  });
  const written = async (format: 'csv' | 'csvt') => {
    const query = parseDataQuery([], table.schema);
    const limits = { pageSize: 20, maxPageSize: 1000, timeout: 60_000 };
    return String(await buffer((await runQuery(table, query, { name: 'a', payload: path, format, limits })).chunks()));
  };
  const [row] = await rowsOf(table);
  const [x, y] = row?.geometry?.type === 'Point' ? row.geometry.coordinates : [];
  assert.ok(x !== undefined && x !== 13.4 && Math.abs(x - 13.4) < 0.01, `${x}`);
  const lines = (await written('csv')).split('\r\n');
  assert.deepEqual(lines, ['geometry,name,longitude,latitude', `POINT (${x} ${y}),Berlin,13.4,52.5`, '']);
  assert.equal(await written('csvt'), '"WKT","String","Real","Real"\r\n');
});
