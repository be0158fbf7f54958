/** Geometries of Parquet that other programs write: EWKB. Its bytes here are those of shapely 2.1. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parquetWriteBuffer } from 'hyparquet-writer';
import { ingestPayload, rowsOf } from '../support/payloads.ts';

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
