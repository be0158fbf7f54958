/** Coordinate reference systems: names, and positions compared with those of GDAL. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import test from 'node:test';
import { isWgs84, loadCrsConversion, normalizeCrsName } from '../../../src/data/geometry/crs.ts';

const fixture = readFileSync(new URL('../../fixtures/crs/positions.csv', import.meta.url), 'utf8');

for (const line of fixture.trim().split('\n').slice(1)) {
  const [crs = '', ...numbers] = line.split(',');
  const [x = 0, y = 0, longitude = 0, latitude = 0] = numbers.map(Number);
  test(`${crs}: ${x} ${y} is where GDAL finds it`, async () => {
    const conversion = await loadCrsConversion(crs);
    assert.ok(conversion);
    const [lon = 0, lat = 0] = conversion.toWgs84(x, y);
    const metres = Math.hypot((lon - longitude) * Math.cos((latitude * Math.PI) / 180), lat - latitude) * 111_320;
    // Of several shifts of a datum without a grid, GDAL may choose another one than the list has.
    assert.ok(metres < 5, `${lon} ${lat} is ${metres} m away from ${longitude} ${latitude}`);
  });
}

for (const [name, expected] of [
  ['EPSG:25833', 'EPSG:25833'],
  ['25833', 'EPSG:25833'],
  ['epsg::25833', 'EPSG:25833'],
  ['urn:ogc:def:crs:EPSG::25833', 'EPSG:25833'],
  ['urn:ogc:def:crs:EPSG:9.8.11:25833', 'EPSG:25833'],
  ['http://www.opengis.net/def/crs/EPSG/0/25833', 'EPSG:25833'],
  ['srid:25833', 'EPSG:25833'],
  ['SRID=25833', 'EPSG:25833'],
  ['urn:ogc:def:crs:OGC:1.3:CRS84', 'OGC:CRS84'],
  ['OGC:CRS84', 'OGC:CRS84'],
  ['https://www.opengis.net/def/crs/OGC/1.3/CRS84', 'OGC:CRS84'],
  ['ETRS89 / UTM zone 33N', 'ETRS89 / UTM zone 33N'],
] as const) {
  test(`the reference system ${name}`, () => assert.equal(normalizeCrsName(name), expected));
}

test('WGS 84 is longitude and latitude under each of its names', () => {
  for (const name of ['urn:ogc:def:crs:EPSG::4326', 'EPSG:4326', '4326', 'urn:ogc:def:crs:OGC:1.3:CRS84', 'EPSG:4979'])
    assert.ok(isWgs84(name), name);
  assert.ok(!isWgs84('EPSG:4258'));
});

test('a reference system that is in no list has no conversion', async () => {
  for (const name of ['EPSG:9999999', 'EPSG:4979x', 'local', 'ESRI:54009', 'EPSG:5703'])
    assert.equal(await loadCrsConversion(name), null);
});
