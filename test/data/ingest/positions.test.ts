/** Which columns of longitude and latitude become the geometry where several may, and that our own CSV of points is read back. */
import assert from 'node:assert/strict';
import test from 'node:test';
import type { ReadingOptions } from '../../../src/catalogue/types.ts';
import { parseDataQuery } from '../../../src/data/query/parameters.ts';
import { runQuery } from '../../../src/data/query/run-query.ts';
import { collection, ingestPayload, point, rowsOf } from '../support/payloads.ts';
import { bytesOf } from '../support/written.ts';

/** A table whose row has the places of the columns: 1, 2, 3 … */
const rowOf = (head: string) => `${head}\n${head.split(',').map((_, place) => place + 1)}\n`;

const read = async (content: string, name = 'a.csv', reading: ReadingOptions = {}) => {
  const { result, table } = await ingestPayload(content, name, { reading });
  const [row] = await rowsOf(table);
  return { position: row?.geometry?.type === 'Point' ? row.geometry.coordinates : null, remarks: result.remarks };
};

for (const [head, position] of [
  ['longitude,latitude,lon,lat', [1, 2]],
  ['lon,lat,longitude,latitude', [3, 4]],
  ['latitude,longitude,lat,lon', [2, 1]],
  ['lat,longitude,latitude,lon', [2, 3]],
  ['lng,lat,Longitude,Latitude', [3, 4]],
  ['long,latitude,longitude,lat', [3, 2]],
  // One spelling lacks its partner: that of the other isn't taken for it.
  ['longitude,lon,lat', [2, 3]],
  ['lon,longitude,latitude', [2, 3]],
  // Unless there is no other.
  ['lng,latitude', [1, 2]],
  ['lat,longitude', [2, 1]],
  ['stop_lat,stop_longitude,stop_lon', [3, 1]],
  // A row's own position goes before others, plain names before longer ones, and at last the first in the file.
  ['home_lon,home_lat,lon_deg,lat_deg', [3, 4]],
  ['longitude_wgs84,latitude_wgs84,lat,lon', [4, 3]],
  ['start_lat,start_lng,end_lat,end_lng', [2, 1]],
  ['pickup_longitude,pickup_latitude,to_lon,to_lat', [1, 2]],
  ['x,y,from_lon,from_lat', [3, 4]],
] as const)
  test(`the position of ${head} is of columns of one kind`, async () => {
    assert.deepEqual((await read(rowOf(head))).position, position);
  });

test('columns that are no positions leave it to the next pair', async () => {
  assert.deepEqual((await read('longitude,latitude,lon,lat\n500000,5800000,5,6\n')).position, [5, 6]);
  assert.deepEqual((await read('longitude,latitude,lon,lat\n,,5,6\n')).position, [5, 6]);
});

/** `data.csv` of a file. */
async function ownCsv(content: string, fileName = 'a.geojson'): Promise<string> {
  const { table, path: payload } = await ingestPayload(content, fileName);
  const limits = { pageSize: 20, maxPageSize: 1000, timeout: 60_000 };
  const query = parseDataQuery([], table.schema);
  return String(await bytesOf((await runQuery(table, query, { name: 'a', payload, format: 'csv', limits })).chunks()));
}

for (const properties of [
  { lon: 5, lat: 6 },
  { lng: 5, latitude_deg: 6 },
  { x: 5, y: 6 },
  { longitude: 5 },
  { longitude: 'east' },
  { latitude: 6, longitude: 5 },
  { Longitude: 5, LATITUDE: 6 },
  { longitude: 5, geometry: 'cubic' },
])
  test(`our CSV of points with ${Object.keys(properties)} is read as the same points`, async () => {
    const csv = await ownCsv(collection(point(properties)));
    assert.deepEqual((await read(csv)).position, [1, 2], csv);
  });

test('several pairs that fit are said, with the options that read the others', async () => {
  assert.deepEqual((await read(rowOf('start_lat,start_lng,end_lat,end_lng'))).remarks, [
    'Columns "start_lng" and "start_lat": read as the positions of the rows. To read others: --lon end_lng --lat end_lat',
  ]);
  assert.deepEqual((await read(rowOf('lon,lat,x,y,Old longitude,old latitude'))).remarks, [
    'Columns "lon" and "lat": read as the positions of the rows. To read others: --lon "Old longitude" --lat "old latitude", or --lon x --lat y',
  ]);
  const reading = { lon: 'end_lng', lat: 'end_lat' };
  const { result } = await ingestPayload(rowOf('start_lat,start_lng,end_lat,end_lng'), 'a.csv', { reading });
  assert.deepEqual([result.remarks, result.bbox], [[], [4, 3, 4, 3]]);
  // Only what could be read is named.
  assert.deepEqual((await read('lon,lat,x,y\n5,6,500000,5800000\n')).remarks, []);
});

for (const [head, row, crs, remark] of [
  ['lon,lat,x,y', '13.4,52.5,391390.731,5817855.241', 'EPSG:25833', '"x" and "y"'],
  ['latitude,longitude,Easting,Northing', '52.5,13.4,391390.731,5817855.241', '25833', '"Easting" and "Northing"'],
  // Some cells without a position have any number.
  ['lon,lat,x,y', '13.4,999999,391390.731,5817855.241', 'EPSG:25833', '"x" and "y"'],
  // In feet.
  ['lng,lat,x,y', '13.4,52.5,987000,212000', 'EPSG:2263', '"x" and "y"'],
  // Places in a grid, which are taken for degrees.
  ['lon,lat,x,y', '391390.731,5817855.241,1,2', 'EPSG:25833', '"lon" and "lat"'],
  ['x,y,lon,lat', '391390.731,5817855.241,13.4,52.5', 'EPSG:4258', '"lon" and "lat"'],
] as const)
  test(`of ${head}, positions in ${crs} are read from ${remark}`, async () => {
    const { position, remarks } = await read(`${head}\n${row}\n`, 'a.csv', { crs });
    const said = `Columns ${remark}: read as the positions of the rows. To read others: `;
    assert.ok(
      remarks.some((one) => one.startsWith(said)),
      remarks.join(),
    );
    if (crs !== 'EPSG:2263')
      assert.deepEqual(
        position?.map((degrees) => degrees.toFixed(5)),
        ['13.40000', '52.50000'],
      );
  });

test('columns of degrees are read with another option than those of the reference system that is named', async () => {
  const text = 'lon,lat,x,y,e,n\n13.4,52.5,391390.731,5817855.241,391390.731,5817855.241\n';
  assert.deepEqual((await read(text, 'a.csv', { crs: 'EPSG:25833' })).remarks, [
    'Coordinates: converted from EPSG:25833 to WGS 84.',
    'Columns "x" and "y": read as the positions of the rows. To read others: --lon e --lat n, or --crs EPSG:4326 --lon lon --lat lat',
  ]);
  assert.deepEqual((await read(text, 'a.csv', { crs: 'EPSG:4326', lon: 'lon', lat: 'lat' })).position, [13.4, 52.5]);
  await assert.rejects(read('lon,lat\n13.4,52.5\n', 'a.csv', { crs: 'EPSG:25833' }), /degrees and not EPSG:25833/);
});

const rowOfDegrees = (lat: string, lon: string) => JSON.stringify([{ lat, lon }]);

for (const [lat, lon, x, y] of [
  ['52°31\'12"N', '13°24\'36"E', 13.41, 52.52],
  ["52° 31.2' N", "13° 24,6' e", 13.41, 52.52],
  ['22°54′36″S', 'W 43° 12′ 36″', -43.21, -22.91],
  ["0º30'0''s", '0.5W', -0.5, -0.5],
  ['N 52.52°', '13.41', 13.41, 52.52],
  ['N 52.52', 'E 13.41', 13.41, 52.52],
] as const)
  test(`degrees such as ${lat}, ${lon} are positions, and that is said`, async () => {
    const { position, remarks } = await read(rowOfDegrees(lat, lon), 'a.json');
    assert.deepEqual(position, [x, y]);
    assert.deepEqual(remarks, [`Columns "lon" and "lat": read as degrees such as ${lat}; the columns are text.`]);
  });

for (const [lat, lon] of [
  ['52°31\'12"', '13°24\'36"'],
  ['52°31\'12"N', '13°24\'36"O'],
  ['13°24\'36"E', '52°31\'12"N'],
  ['52°61\'12"N', '13°24\'36"E'],
  ['52.5°31\'12"N', '13°24\'36"E'],
  ['N52°31\'12"N', '13°24\'36"E'],
  ['92°31\'12"N', '13°24\'36"E'],
  ['52 31 12 N', '13 24 36 E'],
] as const)
  test(`degrees such as ${lat}, ${lon} are not read, and the remark says what to write`, async () => {
    const { position, remarks } = await read(rowOfDegrees(lat, lon), 'a.json');
    assert.equal(position, null);
    assert.deepEqual(remarks, [
      `Columns "lat" and "lon": ${JSON.stringify(`${lat} ${lon}`)} (line 1) is not read as a position, so no row has a geometry. ` +
        'Write degrees like 52.52 and -13.41, or with N, S, E or W like 52°31\'12"N',
    ]);
  });

for (const [text, remark] of [
  [
    'name,lon\na,13.4\nb,\n',
    'Column "lon": longitudes by its name, and no column has the name of latitudes, so it makes no points. If one has them: --lon lon --lat COLUMN',
  ],
  [
    'Breite;Geo-Latitude\n1;52,5\n2;-3\n',
    'Column "Geo-Latitude": latitudes by its name, and no column has the name of longitudes, so it makes no points. If one has them: --lon COLUMN --lat Geo-Latitude',
  ],
  [
    'start_lon,end lat\n13.4,52.5\n',
    'Columns "start_lon" and "end lat": not read as positions, since their names differ in more than lon and lat. To read them: --lon start_lon --lat "end lat"',
  ],
] as const)
  test(`coordinates without a partner are said: ${text.split(/\s/, 1)}`, async () => {
    const { position, remarks } = await read(text);
    assert.equal(position, null);
    assert.ok((remarks as readonly string[]).includes(remark), remarks.join());
  });

test('columns that only look like coordinates by name or by value need no partner', async () => {
  for (const text of ['salon\n13.4\n', 'long\n13.4\n', 'lon\n500000\n', 'lat\n95.2\n', 'lon\nKöln\n', 'lon\n""\n'])
    assert.deepEqual((await read(text)).remarks, [], text);
  assert.deepEqual((await read('lon\n13.4\n', 'a.csv', { types: { lon: 'string' } })).remarks, []);
});

test('columns of other texts are no degrees, and those of metres neither', async () => {
  for (const [lat, lon] of [
    ['12 Elm Street', '4 E Main St'],
    ['n/a', 'n/a'],
    ['', ''],
    ['2024-01-02', '10:00'],
  ] as const)
    assert.deepEqual((await read(rowOfDegrees(lat, lon), 'a.json')).remarks, []);
  const metres = await read('x,y\n52°31\'12"N,13°24\'36"E\n', 'a.csv', { crs: 'EPSG:25833' });
  assert.equal(metres.position, null);
  const degrees = { crs: 'EPSG:4258', lat: 'a', lon: 'b' };
  assert.deepEqual((await read("a,b\n52°30'N,13°30'E\n", 'a.csv', degrees)).position, [13.5, 52.5]);
});

test('our CSV of columns with degrees is read as the same points and texts, also by programs that know numbers only', async () => {
  const csv = await ownCsv('longitude,latitude\n"13°24\'36""E","52°31\'12""N"\n', 'a.csv');
  assert.match(csv, /^geometry,longitude,latitude\r\n"?POINT/);
  const { table } = await ingestPayload(csv, 'b.csv');
  const [row] = await rowsOf(table);
  assert.deepEqual(row?.values, ['13°24\'36"E', '52°31\'12"N']);
  assert.deepEqual(row?.geometry?.type === 'Point' && row.geometry.coordinates, [13.41, 52.52]);
});

test('a column of points goes before columns of other positions, and that is said', async () => {
  const rows = (point: string) => `longitude,latitude,g\n8,47,"${point}"\n9,48,\n`;
  const other = await read(rows('{""type"":""Point"",""coordinates"":[1,2]}'));
  assert.deepEqual(other.position, [1, 2]);
  assert.deepEqual(other.remarks, [
    'Column "g": read as the geometry of the rows. Columns "longitude" and "latitude" have other positions. To read those: --lon longitude --lat latitude',
  ]);
  const meant = await read(rows('POINT (1 2)'), 'a.csv', { lon: 'longitude', lat: 'latitude' });
  assert.deepEqual(meant, { position: [8, 47], remarks: [] });
  // The same place, rounded; no point; not in degrees.
  for (const point of ['POINT (8.001 46.999)', 'LINESTRING (1 2, 3 4)', 'SRID=25833;POINT (391390 5817855)'])
    assert.doesNotMatch(String((await read(rows(point))).remarks), /other positions/, point);
});
