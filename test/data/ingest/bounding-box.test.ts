/** The bounding box of a payload: west > east where its geometries lie on both sides of the antimeridian (RFC 7946, section 5.2). */
import assert from 'node:assert/strict';
import test from 'node:test';
import { collection, ingestPayload } from '../support/payloads.ts';

const feature = (type: string, coordinates: unknown) => ({
  type: 'Feature',
  properties: {},
  geometry: type === 'GeometryCollection' ? { type, geometries: coordinates } : { type, coordinates },
});
const points = (...longitudes: number[]) => longitudes.map((longitude) => feature('Point', [longitude, -17]));
const square = (west: number, east: number) => [
  [
    [west, -17],
    [east, -17],
    [east, -16],
    [west, -16],
    [west, -17],
  ],
];
const fiji = [square(177, 180), square(-180, -179.5)];

for (const [name, features, bbox] of [
  ['points on both sides', points(179.5, -179.9, 179.9), [179.5, -17, -179.9, -17]],
  ['points beside the antimeridian and on it', points(180, -179.25), [180, -17, -179.25, -17]],
  ['points that are written with both signs', points(-180, 180), [180, -17, -180, -17]],
  ['points on one side', points(170, 180), [170, -17, 180, -17]],
  ['points on the other side', points(-180, -170), [-180, -17, -170, -17]],
  ['points of one place', points(8.5), [8.5, -17, 8.5, -17]],
  ['points of Europe and America', points(10, -70), [-70, -17, 10, -17]],
  ['points around the world', points(-179, -60, 60, 179), [-179, -17, 179, -17]],
  ['points whose other box is more than half as wide', points(-130, 50, 170, -170), [-170, -17, 170, -17]],
  ['points around the Pacific', points(120, 175, -100, -170), [120, -17, -100, -17]],
  ['a polygon that was cut at the antimeridian', [feature('MultiPolygon', fiji)], [177, -17, -179.5, -16]],
  ['polygons on both sides', fiji.map((part) => feature('Polygon', part)), [177, -17, -179.5, -16]],
  [
    'a line that was cut',
    [feature('MultiLineString', [square(179, 180)[0], square(-180, -179)[0]])],
    [179, -17, -179, -16],
  ],
  [
    'positions on both sides',
    [
      feature('MultiPoint', [
        [179, 1],
        [-179, 2],
      ]),
    ],
    [179, 1, -179, 2],
  ],
  [
    'parts of a collection',
    [feature('GeometryCollection', [feature('MultiPolygon', fiji).geometry])],
    [177, -17, -179.5, -16],
  ],
  ['a polygon in one piece', [feature('Polygon', square(-179, 179))], [-179, -17, 179, -16]],
] as const)
  test(`the box around ${name}`, async () => {
    const { result, table } = await ingestPayload(collection(...features), 'a.geojson');
    assert.deepEqual(result.bbox, bbox);
    assert.ok(table.extent && (table.extent[0] as number) <= (table.extent[2] as number));
  });

test('the box around points of a CSV', async () => {
  const { result } = await ingestPayload('lon,lat\n179.5,-17\n,\n-179.9,-16\n', 'a.csv');
  assert.deepEqual(result.bbox, [179.5, -17, -179.9, -16]);
});

test('the box around points that are converted', async () => {
  const metres = collection(
    { type: 'Feature', properties: {}, geometry: { type: 'Point', coordinates: [19_981_848.597, 0] } },
    { type: 'Feature', properties: {}, geometry: { type: 'Point', coordinates: [-19_981_848.597, 0] } },
  );
  const { result } = await ingestPayload(metres, 'a.geojson', { reading: { crs: 'EPSG:3857' } });
  assert.deepEqual(
    result.bbox?.map((degrees) => Number(degrees.toFixed(3))),
    [179.5, 0, -179.5, 0],
  );
});
