/** What is found by boxes of parts and by an index of edges: the same as by GEOS, which compares everything. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import type { Geometry } from '../../../src/data/geometry/geometry.ts';
import { isSurelyWithin, loadGeos, PreparedGeometry, testWithGeosGeometry } from '../../../src/data/geometry/geos.ts';
import { countParts, PartsByPlace } from '../../../src/data/geometry/single-parts.ts';
import { parseWkt } from '../../../src/data/geometry/wkt.ts';

/** Few places, so that geometries touch each other and share edges. */
const number = fc.integer({ min: 0, max: 32 }).map((n) => n / 4);
const place = fc.tuple(number, number);
const line = fc.array(place, { minLength: 2, maxLength: 5 });
const area = fc.tuple(number, number, number, number).map(([x, y, width, height]) => {
  const [east, north] = [x + width + 0.25, y + height + 0.25];
  const start = [x, y];
  const ring = [start, [east, y], [east, north], [x, north], start];
  return [ring];
});
const several = <T>(part: fc.Arbitrary<T>) => fc.array(part, { minLength: 1, maxLength: 4 });
const simple = fc.oneof(
  ...(
    [
      ['Point', place],
      ['MultiPoint', several(place)],
      ['LineString', line],
      ['MultiLineString', several(line)],
      ['Polygon', area],
    ] as const
  ).map(([type, coordinates]) =>
    (coordinates as fc.Arbitrary<unknown>).map((made) => ({ type, coordinates: made }) as Geometry),
  ),
);
const geometry = fc.oneof(
  simple,
  several(simple).map((geometries): Geometry => ({ type: 'GeometryCollection', geometries })),
);

test('parts that are near decide what all parts do', async () => {
  const geos = await loadGeos();
  const distances = fc.constantFrom(0, 0.1, 0.5, 1, 2.5);
  fc.assert(
    fc.property(geometry, geometry, distances, (query, row, distance) => {
      const { pointer } = new PreparedGeometry(geos, query);
      const isMet = (other: number) =>
        distance > 0
          ? geos.GEOSPreparedDistanceWithin(pointer, other, distance)
          : geos.GEOSPreparedIntersects(pointer, other);
      const near = new PartsByPlace(query).near(row, distance);
      const found = typeof near === 'boolean' ? near : testWithGeosGeometry(geos, near, isMet);
      assert.equal(found, testWithGeosGeometry(geos, row, isMet));
    }),
    { numRuns: 2000 },
  );
});

test('what the index of an area’s edges says of a geometry within is so', async () => {
  const geos = await loadGeos();
  let decided = 0;
  fc.assert(
    fc.property(geometry, geometry, (query, row) => {
      const area = new PreparedGeometry(geos, query);
      const known = isSurelyWithin(geos, area, row);
      if (known === undefined) return;
      decided++;
      assert.equal(
        known,
        testWithGeosGeometry(geos, row, (other) => geos.GEOSPreparedContains(area.pointer, other)),
      );
    }),
    { numRuns: 2000 },
  );
  assert.ok(decided > 100, `${decided} were decided`);
});

test('parts are counted', () => {
  const parts = 'MULTIPOINT(0 0,1 1),LINESTRING(0 0,1 1),MULTILINESTRING((0 0,1 1),(2 2,3 3)),POINT(0 0)';
  const counted = parseWkt(`GEOMETRYCOLLECTION(${parts},MULTIPOLYGON(((0 0,1 0,1 1,0 0))))`) as Geometry;
  assert.deepEqual(countParts(counted), { points: 3, lines: 3, areas: 1 });
});
