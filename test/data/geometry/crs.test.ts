/** Coordinate reference systems: names, and positions compared with those of PROJ. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import test from 'node:test';
import { isWgs84, loadCrsConversion, normalizeCrsName, ogr2ogrLine } from '../../../src/data/geometry/crs.ts';

const linesOf = (name: string, separator: string) =>
  readFileSync(new URL(`../../fixtures/crs/${name}`, import.meta.url), 'utf8')
    .trim()
    .split('\n')
    .map((line) => line.split(separator));

/** Positions in each code that is converted, and where PROJ finds them; see the README beside them. */
const [, ...fixture] = linesOf('positions.csv', ',');

/** Metres between the position that a conversion finds and the one of PROJ. Infinite if there is no conversion. */
async function metresFromProj(crs: string, [x = 0, y = 0, longitude = 0, latitude = 0]: readonly number[]) {
  const [lon = 0, lat = 0] = (await loadCrsConversion(crs))?.toWgs84(x, y) ?? [Number.POSITIVE_INFINITY];
  return Math.hypot((lon - longitude) * Math.cos((latitude * Math.PI) / 180), lat - latitude) * 111_320;
}

test('positions of each code are where PROJ finds them', async () => {
  const wrong: string[] = [];
  for (const [crs = '', ...numbers] of fixture) {
    const metres = await metresFromProj(crs, numbers.map(Number));
    // PROJ tells NAD83(HARN) and NAD83(CSRS) from WGS 84: they differ by up to 1.4 m.
    if (!(metres < 1.5)) wrong.push(`${crs} ${numbers.join(' ')}: ${metres} m`);
  }
  assert.deepEqual(wrong, []);
});

test('each code that is converted is compared with PROJ', async () => {
  const compared = new Set(fixture.map(([crs]) => crs));
  const missing: string[] = [];
  for (const code of [...Array(32_768).keys(), 102_067, 900_913])
    if (!compared.has(`EPSG:${code}`) && (await loadCrsConversion(`EPSG:${code}`))) missing.push(`EPSG:${code}`);
  assert.deepEqual(missing, []);
  assert.ok(compared.size > 1500);
});

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

test('positions of geographic systems are degrees, of projected ones they are not', async () => {
  for (const [code = '', wkt = ''] of linesOf('definitions.tsv', '\t')) {
    const isGeographic = (await loadCrsConversion(code))?.isGeographic;
    assert.equal((await loadCrsConversion(wkt))?.isGeographic, isGeographic, wkt);
  }
});

test('definitions (WKT) without a code have the positions of their code', async () => {
  const wrong: string[] = [];
  for (const [code, wkt = ''] of linesOf('definitions.tsv', '\t')) {
    const positions = fixture.filter(([crs]) => crs === code);
    assert.ok(positions.length > 0, code);
    for (const [, ...numbers] of positions) {
      const metres = await metresFromProj(wkt, numbers.map(Number));
      if (!(metres < 1.5)) wrong.push(`${code} ${numbers.join(' ')}: ${metres} m; ${wkt}`);
    }
  }
  assert.deepEqual(wrong, []);
});

for (const [what, wkt = ''] of linesOf('refused-definitions.tsv', '\t')) {
  test(`a definition that would be read wrongly has no conversion: ${what}`, async () => {
    assert.ok(!isWgs84(wkt));
    assert.equal(await loadCrsConversion(wkt), null);
  });
}

test('a geocentric system has no conversion', async () => {
  for (const name of ['EPSG:4936', 'EPSG:4978']) assert.equal(await loadCrsConversion(name), null);
});

test('a bound system has the name and code of its source, in a compound system, too', async () => {
  const source = 'PROJCRS["MGI / Austria Lambert",CS[Cartesian,2],ID["EPSG",31287]]';
  const bound = (system: string) =>
    `BOUNDCRS[SOURCECRS[${system}],TARGETCRS[GEOGCRS["WGS 84"]],ABRIDGEDTRANSFORMATION["x"]]`;
  assert.equal(normalizeCrsName(bound(source)), 'EPSG:31287');
  assert.equal(normalizeCrsName(`COMPOUNDCRS["with heights",${bound(source)},VERTCRS["EGM96 height"]]`), 'EPSG:31287');
  assert.equal(normalizeCrsName(bound('PROJCRS["Grid of the town",CS[Cartesian,2]]')), 'Grid of the town');
});

test('a bound system whose transformation is not read is converted by its code', async () => {
  const [, wkt = ''] =
    linesOf('refused-definitions.tsv', '\t').find(([what]) => what === 'EPSG:3021, rotation of a coordinate frame') ??
    [];
  const withCode = wkt.replace(']],TARGETCRS', ',ID["EPSG",3021]]],TARGETCRS');
  assert.notEqual(withCode, wkt);
  const [, ...numbers] = fixture.find(([crs]) => crs === 'EPSG:3021') ?? [];
  assert.ok((await metresFromProj(withCode, numbers.map(Number))) < 1.5);
});

test('the line of ogr2ogr has codes, and no names: GDAL does not know them, and takes a definition from the file', () => {
  const source = (crs?: string) => /^ogr2ogr (.*)-t_srs EPSG:4326 converted\.geojson FILE$/.exec(ogr2ogrLine(crs))?.[1];
  assert.equal(source('unknown'), '');
  assert.equal(source('PROJCS["Europe_Albers_Equal_Area_Conic",PROJECTION["Albers"]]'), '');
  assert.equal(source('PROJCRS["Hu Tzu Shan",ID["EPSG",3829]]'), '-s_srs EPSG:3829 ');
  for (const code of ['ESRI:102013', 'IGNF:LAMB93', 'urn:ogc:def:crs:ESRI::102013'])
    assert.equal(source(code), `-s_srs ${code} `);
  for (const name of [undefined, 'Grid of the town', 'local_grid']) assert.equal(source(name), '-s_srs EPSG:CODE ');
});
