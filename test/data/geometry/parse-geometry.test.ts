import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { ParameterError } from '../../../src/data/errors.ts';
import type { Geometry } from '../../../src/data/geometry/geometry.ts';
import { parseGeometry } from '../../../src/data/geometry/parse-geometry.ts';
import { parseWkt, toWkt } from '../../../src/data/geometry/wkt.ts';
import { layer } from '../support/rows.ts';
import { cpuTime } from '../support/turns.ts';

const refused = (text: string, message: RegExp, budget?: { vertices: number; depth: number }) =>
  assert.throws(
    () => parseGeometry(text, budget),
    (error) => error instanceof ParameterError && message.test(error.message),
    text.slice(0, 60),
  );
const square = [
  [0, 0],
  [1, 0],
  [1, 1],
  [0, 0],
];

test('WKT of every type', () => {
  const all: [string, Geometry][] = [
    ['POINT(1 2)', { type: 'Point', coordinates: [1, 2] }],
    [' point ( -1.5e1   +.5 ) ', { type: 'Point', coordinates: [-15, 0.5] }],
    ['POINT Z (1 2 3)', { type: 'Point', coordinates: [1, 2, 3] }],
    ['POINTZ(1 2 3)', { type: 'Point', coordinates: [1, 2, 3] }],
    ['POINT(1 2 3)', { type: 'Point', coordinates: [1, 2, 3] }],
    ['POINT M (1 2 9)', { type: 'Point', coordinates: [1, 2] }],
    ['POINT ZM (1 2 3 9)', { type: 'Point', coordinates: [1, 2, 3] }],
    ['POINT EMPTY', { type: 'Point', coordinates: [] }],
    ['SRID=4326;POINT(1 2)', { type: 'Point', coordinates: [1, 2] }],
    [
      'LINESTRING(0 0,1 1)',
      {
        type: 'LineString',
        coordinates: [
          [0, 0],
          [1, 1],
        ],
      },
    ],
    ['POLYGON((0 0,1 0,1 1,0 0))', { type: 'Polygon', coordinates: [square] }],
    [
      'MULTIPOINT(0 0,1 1)',
      {
        type: 'MultiPoint',
        coordinates: [
          [0, 0],
          [1, 1],
        ],
      },
    ],
    [
      'MULTIPOINT((0 0),(1 1))',
      {
        type: 'MultiPoint',
        coordinates: [
          [0, 0],
          [1, 1],
        ],
      },
    ],
    [
      'MULTILINESTRING((0 0,1 1),(2 2,3 3))',
      {
        type: 'MultiLineString',
        coordinates: [
          [
            [0, 0],
            [1, 1],
          ],
          [
            [2, 2],
            [3, 3],
          ],
        ],
      },
    ],
    ['MULTIPOLYGON(((0 0,1 0,1 1,0 0)))', { type: 'MultiPolygon', coordinates: [[square]] }],
    [
      'GEOMETRYCOLLECTION(POINT(1 2),POLYGON EMPTY)',
      {
        type: 'GeometryCollection',
        geometries: [
          { type: 'Point', coordinates: [1, 2] },
          { type: 'Polygon', coordinates: [] },
        ],
      },
    ],
    ['GEOMETRYCOLLECTION EMPTY', { type: 'GeometryCollection', geometries: [] }],
  ];
  for (const [text, geometry] of all) assert.deepEqual(parseGeometry(text), { geometry, buffer: 0 }, text);
});

test('GeoJSON, a feature, a box', () => {
  assert.deepEqual(parseGeometry('{"type":"Point","coordinates":[1,2,3]}').geometry, {
    type: 'Point',
    coordinates: [1, 2, 3],
  });
  assert.deepEqual(
    parseGeometry('{"type":"Feature","properties":{},"geometry":{"type":"Point","coordinates":[1,2]}}').geometry,
    { type: 'Point', coordinates: [1, 2] },
  );
  assert.deepEqual(parseGeometry('0,0, 2 ,1').geometry, {
    type: 'Polygon',
    coordinates: [
      [
        [0, 0],
        [2, 0],
        [2, 1],
        [0, 1],
        [0, 0],
      ],
    ],
  });
  assert.deepEqual(parseGeometry('0,0,5,2,1,9').geometry, parseGeometry('0,0,2,1').geometry, 'heights are left aside');
  assert.deepEqual(parseGeometry('1,2,1,2').geometry, { type: 'Point', coordinates: [1, 2] });
  assert.equal(parseGeometry('170,0,-170,1').geometry.type, 'MultiPolygon', 'cut at the antimeridian');
});

test('the expression of the older clients', () => {
  assert.deepEqual(parseGeometry('Point([-66.1,18.4]).buffer(0.05)'), {
    geometry: { type: 'Point', coordinates: [-66.1, 18.4] },
    buffer: 0.05,
  });
  assert.deepEqual(parseGeometry(' point( [ -66.1 , 18.4 ] ) . buffer( 1e-2 ) ').buffer, 0.01);
  assert.deepEqual(parseGeometry('LineString([[0,0],[1,1]])').geometry, {
    type: 'LineString',
    coordinates: [
      [0, 0],
      [1, 1],
    ],
  });
  assert.deepEqual(parseGeometry('LineString([(0,0),(1,1)])').geometry, {
    type: 'LineString',
    coordinates: [
      [0, 0],
      [1, 1],
    ],
  });
  const polygon = { type: 'Polygon', coordinates: [square] };
  assert.deepEqual(parseGeometry('Polygon([[[0,0],[1,0],[1,1],[0,0]]])').geometry, polygon);
  assert.deepEqual(parseGeometry('Polygon([[0,0],[1,0],[1,1]])').geometry, polygon, 'a ring alone, closed for them');
  assert.deepEqual(parseGeometry('MultiPoint([[0,0],[1,1]])').geometry, {
    type: 'MultiPoint',
    coordinates: [
      [0, 0],
      [1, 1],
    ],
  });
  assert.deepEqual(parseGeometry('MultiPolygon([[[[0,0],[1,0],[1,1],[0,0]]]]).buffer(0)').geometry, {
    type: 'MultiPolygon',
    coordinates: [[square]],
  });
});

test('nothing else is a geometry, and the message says where', () => {
  refused('', /nothing/);
  refused('POIT(1 2)', /Unknown geometry "POIT" at character 1\. Did you mean POINT\?/);
  refused('POINT(1, 2)', /Expected a number but found "," at character 8/);
  refused('POINT(1 2', /Expected "\)" but found the end at character 10/);
  refused('POINT(1 2) OR 1=1', /Unexpected "OR" at character 12/);
  refused('POINT(1 2abc)', /Expected a number/);
  refused('POINT(1 NaN)', /Expected a number but found "NaN"/);
  refused('POINT(1 1e999)', /too large/);
  refused('POINT Z (1 2)', /Expected 3 numbers but found 2/);
  refused('SRID=3857;POINT(1 2)', /WGS 84/);
  refused('POLYGON((0 0,1 0,1 1,0 1))', /ends where it begins/);
  refused('POLYGON((0 0,1 0,0 0))', /four positions/);
  refused('LINESTRING(0 0)', /two positions/);
  refused('1,2,3', /4 numbers/);
  refused('0,5,1,4', /miny 5 is greater than its maxy 4/);
  refused('{"type":"Point"', /not JSON/);
  refused('{"type":"Pont","coordinates":[1,2]}', /Did you mean "Point"\?/);
  refused('{"type":"Point","coordinates":["1",2]}', /two numbers/);
  refused('{"type":"Polygon","coordinates":[[1,2]]}', /not those of a Polygon/);
  refused('Point([1,2]).bufer(1)', /Only \.buffer/);
  refused('Point([1,2]).buffer(-1)', /negative/);
  refused('Point([1,2]).buffer(1).buffer(2)', /Unexpected "\."/);
  refused('Point([1,2]).buffer(1+1)', /Expected "\)"/);
  refused('Point([__import__("os"),2])', /Expected a number/);
  refused('process.exit(1)', /Unknown geometry/);
});

test('bombs: too many positions, too deeply nested', () => {
  const budget = () => ({ vertices: 10_000, depth: 8 });
  const million = `LINESTRING(${Array.from({ length: 1_000_000 }, (_, i) => `${i % 180} 1`).join(',')})`;
  const milliseconds = cpuTime(() => refused(million, /too many positions/, budget()));
  assert.ok(milliseconds < 500, `given up late: ${milliseconds} ms`);
  refused(`${'GEOMETRYCOLLECTION('.repeat(5000)}`, /nested too deeply/, budget());
  refused(`Polygon(${'['.repeat(5000)}`, /Expected a number/, budget());
  const nested = (depth: number) =>
    `${'{"type":"GeometryCollection","geometries":['.repeat(depth)}${']}'.repeat(depth)}`;
  refused(nested(9), /nested too deeply/, budget());
  parseGeometry(nested(8), budget());
  refused(`{"type":"Point","coordinates":${'['.repeat(5000)}${']'.repeat(5000)}}`, /two numbers/, budget());
});

const coordinate = fc.double({ min: -180, max: 180, noNaN: true }).map((x) => x + 0);
const position = (size: number) => fc.array(coordinate, { minLength: size, maxLength: size });
const simple = fc.constantFrom(2, 3).chain((size): fc.Arbitrary<Geometry> => {
  const line = fc.array(position(size), { minLength: 2, maxLength: 5 });
  const ring = fc.array(position(size), { minLength: 3, maxLength: 5 }).map((ring) => [...ring, ring[0] as number[]]);
  const polygon = fc.array(ring, { minLength: 1, maxLength: 3 });
  return fc.oneof(
    fc.record({ type: fc.constant('Point' as const), coordinates: fc.oneof(position(size), fc.constant<never[]>([])) }),
    fc.record({ type: fc.constant('MultiPoint' as const), coordinates: fc.array(position(size), { maxLength: 4 }) }),
    fc.record({ type: fc.constant('LineString' as const), coordinates: fc.oneof(line, fc.constant<never[]>([])) }),
    fc.record({ type: fc.constant('MultiLineString' as const), coordinates: fc.array(line, { maxLength: 3 }) }),
    fc.record({ type: fc.constant('Polygon' as const), coordinates: fc.oneof(polygon, fc.constant<never[]>([])) }),
    fc.record({ type: fc.constant('MultiPolygon' as const), coordinates: fc.array(polygon, { maxLength: 3 }) }),
  );
});
const anyGeometry = fc.letrec<{ geometry: Geometry }>((tie) => ({
  geometry: fc.oneof(
    { maxDepth: 3, withCrossShrink: true },
    simple,
    fc.record({
      type: fc.constant('GeometryCollection' as const),
      geometries: fc.array(tie('geometry'), { maxLength: 3 }),
    }),
  ),
})).geometry;

test('WKT and GeoJSON are read back as they were written', () => {
  fc.assert(
    fc.property(anyGeometry, (geometry) => {
      // fast-check's objects have no prototype.
      const plain = structuredClone(geometry);
      assert.deepEqual(parseWkt(toWkt(geometry)), plain);
      assert.deepEqual(parseGeometry(JSON.stringify(geometry)).geometry, plain);
    }),
  );
});

test('real layers survive WKT', () => {
  for (const name of ['countries', 'lakes', 'places', 'rivers'] as const) {
    for (const { geometry } of layer(name)) assert.deepEqual(parseWkt(toWkt(geometry)), geometry);
  }
});

test('no text makes the parser throw anything but ParameterError, or hang', () => {
  const fragments = fc.constantFrom(
    'POINT',
    'Polygon',
    'Z',
    'EMPTY',
    '(',
    ')',
    '[',
    ']',
    ',',
    ' ',
    '1',
    '-2.5',
    '.buffer',
    '{',
    '"type"',
    ':',
    'e',
  );
  fc.assert(
    fc.property(
      fc.oneof(
        fc.string(),
        fc.array(fragments, { maxLength: 30 }).map((parts) => parts.join('')),
      ),
      (text) => {
        try {
          parseGeometry(text);
        } catch (error) {
          assert.ok(error instanceof ParameterError, String(error));
        }
      },
    ),
    { numRuns: 2000 },
  );
});
