/** Spatial relations: that of an index and prepared geometries is the plain one of GEOS, for random geometries. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { doBboxesIntersect } from '../../../src/data/geometry/bounding-box.ts';
import type { Geometry } from '../../../src/data/geometry/geometry.ts';
import { geometryInvalidReason, loadGeos } from '../../../src/data/geometry/geos.ts';
import { toWkt } from '../../../src/data/geometry/wkt.ts';
import { compilePredicate } from '../../../src/data/query/compile.ts';
import { parseCql2 } from '../../../src/data/query/cql2/parse.ts';
import type { SpatialOperator } from '../../../src/data/query/predicate.ts';
import { boxesToSearch } from '../../../src/data/query/search-boxes.ts';
import type { Row } from '../../../src/data/row.ts';
import { rowOf, schemaOf } from '../support/rows.ts';

const schema = schemaOf({});
const operators: readonly SpatialOperator[] = [
  'intersects',
  'within',
  'contains',
  'disjoint',
  'equals',
  'touches',
  'crosses',
  'overlaps',
];

/** Few coordinates, so that geometries often touch and are equal. */
const coordinate = fc.integer({ min: 0, max: 4 });
const position = fc.tuple(coordinate, coordinate).map(([x, y]) => [x, y]);
const line = fc.uniqueArray(position, { minLength: 2, maxLength: 4, selector: String });
const square = (x: number, y: number, w: number, h: number) => [
  [x, y],
  [x + w, y],
  [x + w, y + h],
  [x, y + h],
  [x, y],
];
const size = fc.integer({ min: 1, max: 3 });
const ring = fc.oneof(
  fc.tuple(coordinate, coordinate, size, size).map(([x, y, w, h]) => square(x, y, w, h)),
  fc.tuple(position, position, position).map(([a, b, c]) => [a, b, c, a]),
);
const simple = fc.oneof(
  position.map((coordinates): Geometry => ({ type: 'Point', coordinates })),
  fc
    .array(position, { minLength: 1, maxLength: 3 })
    .map((coordinates): Geometry => ({ type: 'MultiPoint', coordinates })),
  line.map((coordinates): Geometry => ({ type: 'LineString', coordinates })),
  fc
    .array(line, { minLength: 1, maxLength: 2 })
    .map((coordinates): Geometry => ({ type: 'MultiLineString', coordinates })),
  ring.map((one): Geometry => ({ type: 'Polygon', coordinates: [one] })),
  fc.tuple(ring, ring).map((rings): Geometry => ({ type: 'MultiPolygon', coordinates: rings.map((one) => [one]) })),
);
const geometry = fc.oneof(
  { arbitrary: simple, weight: 5 },
  fc
    .array(simple, { minLength: 1, maxLength: 3 })
    .map((geometries): Geometry => ({ type: 'GeometryCollection', geometries })),
);

test('the quick tests of rows and the plain relations of GEOS agree', async () => {
  const geos = await loadGeos();
  const found = new Map<string, number>();
  const property = fc.asyncProperty(geometry, geometry, fc.nat(9), async (ofRow, other, chance) => {
    const given = chance === 0 ? ofRow : other;
    fc.pre(geometryInvalidReason(geos, ofRow) === null && geometryInvalidReason(geos, given) === null);
    const row = rowOf([], ofRow);
    for (const operator of operators) {
      const name = `S_${operator.toUpperCase()}`;
      const [a, b] = [toWkt(ofRow), toWkt(given)];
      const plain = (await compilePredicate(parseCql2(`${name}(${a}, ${b})`, schema), schema))(row);
      const predicate = parseCql2(`${name}(geometry, ${b})`, schema);
      assert.equal((await compilePredicate(predicate, schema))(row), plain, `${name}(${a}, ${b})`);
      assert.equal(
        (await compilePredicate({ op: 'not', of: predicate }, schema))(row),
        !plain,
        `NOT ${name}(${a}, ${b})`,
      );
      const converse = parseCql2(`${name}(${b}, geometry)`, schema);
      const swapped = (await compilePredicate(parseCql2(`${name}(${b}, ${a})`, schema), schema))(row);
      assert.equal((await compilePredicate(converse, schema))(row), swapped, `${name}(${b}, ${a})`);
      const boxes = boxesToSearch(predicate);
      const bbox = row.bbox();
      if (plain && boxes && bbox)
        assert.ok(
          boxes.some((box) => doBboxesIntersect(bbox, box)),
          `${name}(${a}, ${b})`,
        );
      if (plain) found.set(operator, (found.get(operator) ?? 0) + 1);
    }
  });
  await fc.assert(property, { numRuns: 200 });
  // Each relation was really met.
  assert.deepEqual([...found.keys()].sort(), [...operators].sort());
});

test('the index is asked for all relations but S_DISJOINT, and for NOT S_DISJOINT', () => {
  for (const operator of operators) {
    const boxes = boxesToSearch(parseCql2(`S_${operator}(geometry, BBOX(1,2,3,4))`, schema));
    assert.deepEqual(boxes, operator === 'disjoint' ? null : [[1, 2, 3, 4]], operator);
    const negated = boxesToSearch(parseCql2(`NOT S_${operator}(geometry, BBOX(1,2,3,4))`, schema));
    assert.deepEqual(negated, operator === 'disjoint' ? [[1, 2, 3, 4]] : null, operator);
  }
});

test('the geometry of a row, beside itself; null is unknown', async () => {
  const point: Geometry = { type: 'Point', coordinates: [1, 2] };
  const finds = async (text: string, of: Geometry | null) =>
    (await compilePredicate(parseCql2(text, schema), schema))(rowOf([], of));
  for (const operator of ['intersects', 'within', 'contains', 'equals'])
    assert.equal(await finds(`S_${operator}(geometry, geometry)`, point), true, operator);
  for (const operator of ['disjoint', 'touches', 'crosses', 'overlaps'])
    assert.equal(await finds(`S_${operator}(geometry, geometry)`, point), false, operator);
  for (const operator of operators)
    for (const text of [`S_${operator}(geometry, POINT(1 2))`, `S_${operator}(geometry, geometry)`]) {
      assert.equal(await finds(text, null), false, text);
      assert.equal(await finds(`NOT ${text}`, null), false, `NOT ${text}`);
      assert.equal(await finds(`(${text}) IS NULL`, null), true, `${text} IS NULL`);
      assert.equal(await finds(`(${text}) IS NULL`, point), false, `${text} IS NULL`);
    }
});

test('the geometry of a row, beside itself, is not read; an empty one is disjoint from itself alone', async () => {
  const large: Row = {
    ...rowOf([], { type: 'Point', coordinates: [1, 2] }),
    geometry: () => assert.fail('The geometry was read.'),
  };
  const empty = rowOf([], { type: 'MultiPolygon', coordinates: [] });
  for (const operator of operators) {
    const test = await compilePredicate(parseCql2(`S_${operator}(geometry, geometry)`, schema), schema);
    assert.equal(test(large), ['intersects', 'within', 'contains', 'equals'].includes(operator), operator);
    assert.equal(test(empty), operator === 'disjoint', operator);
  }
});

test('two given geometries are compared if they have few positions', async () => {
  const line = (count: number, swapped: boolean) => {
    const positions = Array.from({ length: count }, (_, i) => [(i * 37) % 90, (i % 2) * 90]);
    return `LINESTRING(${positions.map(([x, y]) => (swapped ? `${y} ${x}` : `${x} ${y}`)).join(',')})`;
  };
  const compile = (a: number, b: number) =>
    compilePredicate(parseCql2(`S_CROSSES(${line(a, false)}, ${line(b, true)})`, schema), schema);
  const point = rowOf([], { type: 'Point', coordinates: [0, 0] });
  for (const [a, b] of [
    [100, 100],
    [500, 2],
  ] as const)
    assert.equal((await compile(a, b))(point), true);
  await assert.rejects(compile(500, 500), /The two geometries have too many positions to be compared: /);
});

test('across the antimeridian, each relation is that to the geometry or to its copy beyond 180 degrees', async () => {
  const cut = 'POLYGON((178 -1,182 -1,182 1,178 1,178 -1))';
  const finds = async (text: string, of: Geometry) =>
    (await compilePredicate(parseCql2(text, schema), schema))(rowOf([], of));
  const west: Geometry = {
    type: 'LineString',
    coordinates: [
      [-179, 0],
      [-170, 0],
    ],
  };
  const corner: Geometry = { type: 'Point', coordinates: [-178, 1] };
  assert.equal(await finds(`S_CROSSES(geometry, ${cut})`, west), true);
  assert.equal(await finds(`S_TOUCHES(geometry, ${cut})`, corner), true);
  const shifted: Geometry = {
    type: 'Polygon',
    coordinates: [
      [
        [-182, -1],
        [-178, -1],
        [-178, 1],
        [-182, 1],
        [-182, -1],
      ],
    ],
  };
  assert.equal(await finds(`S_EQUALS(geometry, ${cut})`, shifted), true);
});
