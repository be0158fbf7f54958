/**
 * Exact tests of spatial predicates, in the plane of longitude and latitude. The row's bounding box decides where it
 * can; its geometry is read only where it can't.
 *
 * On a null geometry every test is unknown; an empty geometry is only disjoint, from everything. A query that reaches
 * beyond 180 degrees is also tested shifted by full turns. One limitation: `contains` of a query that crosses the
 * antimeridian in one piece doesn't find a feature that was cut there; cut the query too (a bounding box with
 * west > east is).
 */
import {
  bboxOfGeometry,
  bboxToGeometry,
  doBboxesIntersect,
  expandBboxByDistance,
  isBboxWithin,
  longitudeShifts,
  type PlanarBbox,
  splitAtAntimeridian,
} from '../geometry/bounding-box.ts';
import { makeGeodesicDistanceTest } from '../geometry/geodesic.ts';
import { type Bbox, combineGeometries, type Geometry, mapPositions } from '../geometry/geometry.ts';
import {
  type Geos,
  geometryInvalidReason,
  isSurelyWithin,
  loadGeos,
  PreparedGeometry,
  ternaryFromGeos,
  testWithGeosGeometry,
} from '../geometry/geos.ts';
import type { Row } from '../row.ts';
import type {
  DistanceWithin,
  GeometryPredicate,
  GeometryRelation,
  SpatialOperator,
  SpatialPredicate,
} from './predicate.ts';
import { boxesAroundPredicate } from './search-boxes.ts';
import {
  assertFewPairs,
  assertFewTurns,
  invalidGeometry,
  limitOfCrossings,
  narrowToNear,
  tooManyPoints,
} from './spatial-limits.ts';

/** True, false, or null for unknown. */
export type Ternary = boolean | null;
export type TernaryRowTest = (row: Row) => Ternary;
export type SpatialTestCompiler = (predicate: GeometryPredicate) => TernaryRowTest;

/** A spatial test in stages, the cheapest first. */
interface GeometryTest {
  /** Boxes outside of which every geometry has the result `outside`. */
  readonly boxes: readonly PlanarBbox[];
  readonly outside: boolean;
  /** Tests the bounding box alone; undefined if that doesn't decide. */
  testBbox?(bbox: Bbox): Ternary | undefined;
  testGeometry(geometry: Geometry): Ternary;
}

/**
 * Loads GEOS and returns the compiler of spatial predicates, which throws ValidationError under the parameter's name if
 * a geometry isn't valid.
 */
export async function loadSpatialTests(): Promise<SpatialTestCompiler> {
  const geos = await loadGeos();
  return (predicate) => {
    if (predicate.op === 'bbox') return compileRowTest(bboxTest(geos, predicate.bbox));
    if (predicate.op === 'relation') return relationTest(geos, predicate);
    const box = bboxOfGeometry(predicate.geometry);
    if (box === null) return compileRowTest(emptyGeometryTest(predicate));
    assertValidGeometry(geos, predicate.geometry, predicate.parameter);
    assertFewTurns(predicate);
    if (predicate.op === 'spatial') {
      return compileRowTest(
        predicate.buffer ? circleTest(predicate, box, predicate.buffer) : operatorTest(geos, predicate, box),
      );
    }
    if (predicate.unit === 'degree') return compileRowTest(planarDistanceTest(geos, predicate, box));
    return compileRowTest({
      boxes: boxesAroundPredicate(predicate),
      outside: false,
      ...makeGeodesicDistanceTest(geos, predicate.geometry, predicate.distance, () => tooManyPoints(predicate)),
    });
  };
}

function compileRowTest(test: GeometryTest): TernaryRowTest {
  const { boxes, outside } = test;
  return (row) => {
    const bbox = row.bbox();
    if (bbox === null) return row.geometry() === null ? null : outside;
    if (!boxes.some((box) => doBboxesIntersect(bbox, box))) return outside;
    const known = test.testBbox?.(bbox);
    if (known !== undefined) return known;
    const geometry = row.geometry();
    return geometry === null ? null : test.testGeometry(geometry);
  };
}

/** @throws ValidationError if the area of the geometry is ambiguous, such as that of a ring that crosses itself */
function assertValidGeometry(geos: Geos, geometry: Geometry, parameter?: string): void {
  const reason = geometryInvalidReason(geos, geometry);
  if (reason !== null) throw invalidGeometry(parameter, `The geometry is not valid: ${reason}.`);
}

const isPoint = (bbox: Bbox) => bbox[0] === bbox[2] && bbox[1] === bbox[3];

function emptyGeometryTest(predicate: SpatialPredicate | DistanceWithin): GeometryTest {
  const disjoint = predicate.op === 'spatial' && predicate.test === 'disjoint';
  return { boxes: [], outside: disjoint, testGeometry: () => disjoint };
}

function bboxTest(geos: Geos, bbox: Bbox): GeometryTest {
  const boxes = splitAtAntimeridian(bbox);
  const areas = bbox[0] > bbox[2] ? [bboxToGeometry(bbox)] : boxes.map(bboxToGeometry);
  const area = new PreparedGeometry(geos, ...areas);
  return {
    boxes,
    outside: false,
    testBbox: (found) => (boxes.some((box) => isBboxWithin(found, box)) ? true : undefined),
    testGeometry: (geometry) =>
      testWithGeosGeometry(geos, geometry, (pointer) => geos.GEOSPreparedIntersects(area.pointer, pointer)),
  };
}

/** The geometry and, where a box around it reaches beyond 180 degrees, copies shifted by full turns. */
function wrappedCopies(geometry: Geometry, box: PlanarBbox): Geometry[] {
  return longitudeShifts(box).map((shift) =>
    shift === 0 ? geometry : mapPositions(geometry, (x, y) => [x + shift, y]),
  );
}

/** Tests of a prepared geometry and another, for the relation of the other to it. */
const preparedTests = {
  contains: 'GEOSPreparedWithin',
  touches: 'GEOSPreparedTouches',
  crosses: 'GEOSPreparedCrosses',
  overlaps: 'GEOSPreparedOverlaps',
} as const;

function operatorTest(geos: Geos, predicate: SpatialPredicate, around: PlanarBbox): GeometryTest {
  const { test, parameter } = predicate;
  const boxes = boxesAroundPredicate(predicate);
  const copies = wrappedCopies(predicate.geometry, around);
  if (test !== 'within' && test !== 'intersects' && test !== 'disjoint') {
    // A row has the relation to one of the copies.
    const each = copies.map((copy) => new PreparedGeometry(geos, copy));
    const assertFewCrossings = limitOfCrossings(combineGeometries(copies), boxes, { parameter });
    const needsWhole = test === 'contains' || test === 'equals';
    const testCopy = (copy: PreparedGeometry, pointer: number) =>
      test === 'equals'
        ? geos.GEOSEquals(copy.plainPointer, pointer)
        : geos[preparedTests[test]](copy.pointer, pointer);
    return {
      boxes,
      outside: false,
      testBbox: (bbox) =>
        !needsWhole || bbox[0] > bbox[2] || boxes.some((box) => isBboxWithin(box, bbox)) ? undefined : false,
      testGeometry: (geometry) => {
        assertFewCrossings(geometry);
        return each.some((copy) => testWithGeosGeometry(geos, geometry, (pointer) => testCopy(copy, pointer)));
      },
    };
  }
  const query = new PreparedGeometry(geos, ...copies);
  if (test === 'within') {
    const decide = (row: Geometry) => isSurelyWithin(geos, query, row);
    const decideIfSlow = limitOfCrossings(combineGeometries(copies), boxes, { parameter, decide });
    return {
      boxes,
      outside: false,
      testBbox: (bbox) => {
        if (isPoint(bbox)) return ternaryFromGeos(geos.GEOSPreparedContainsXY(query.pointer, bbox[0], bbox[1]));
        return boxes.length > 1 || bbox[0] > bbox[2] || isBboxWithin(bbox, around) ? undefined : false;
      },
      testGeometry: (geometry) => {
        const known = decideIfSlow(geometry);
        if (known !== undefined) return known;
        return testWithGeosGeometry(geos, geometry, (pointer) => geos.GEOSPreparedContains(query.pointer, pointer));
      },
    };
  }
  const narrow = narrowToNear(combineGeometries(copies), boxes, 0, parameter);
  const disjoint = test === 'disjoint';
  const negateIfDisjoint = (intersects: Ternary) => (intersects === null ? null : intersects !== disjoint);
  return {
    boxes,
    outside: disjoint,
    testBbox: (bbox) =>
      isPoint(bbox)
        ? negateIfDisjoint(ternaryFromGeos(geos.GEOSPreparedIntersectsXY(query.pointer, bbox[0], bbox[1])))
        : undefined,
    testGeometry: (geometry) => {
      const near = narrow(geometry);
      if (typeof near === 'boolean') return negateIfDisjoint(near);
      return negateIfDisjoint(
        testWithGeosGeometry(geos, near, (pointer) => geos.GEOSPreparedIntersects(query.pointer, pointer)),
      );
    },
  };
}

const relationTests: Readonly<Record<SpatialOperator, (geos: Geos, a: number, b: number) => number>> = {
  intersects: (geos, a, b) => geos.GEOSIntersects(a, b),
  disjoint: (geos, a, b) => geos.GEOSDisjoint(a, b),
  within: (geos, a, b) => geos.GEOSWithin(a, b),
  contains: (geos, a, b) => geos.GEOSContains(a, b),
  equals: (geos, a, b) => geos.GEOSEquals(a, b),
  touches: (geos, a, b) => geos.GEOSTouches(a, b),
  crosses: (geos, a, b) => geos.GEOSCrosses(a, b),
  overlaps: (geos, a, b) => geos.GEOSOverlaps(a, b),
};

const everywhere: PlanarBbox = [-Infinity, -Infinity, Infinity, Infinity];

/** The relations of a geometry to itself. */
const relationsToItself: readonly SpatialOperator[] = ['intersects', 'within', 'contains', 'equals'];

/** A relation of two given geometries, found once, or of the row's geometry to itself, for which none has to be read. */
function relationTest(geos: Geos, { test, geometries, parameter }: GeometryRelation): TernaryRowTest {
  const [first, second] = geometries;
  if (!first || !second) {
    const isRelated = relationsToItself.includes(test);
    return compileRowTest({
      boxes: [everywhere],
      outside: test === 'disjoint',
      testGeometry: () => isRelated,
      testBbox: () => isRelated,
    });
  }
  assertFewPairs(first, second, parameter);
  for (const geometry of [first, second]) if (bboxOfGeometry(geometry)) assertValidGeometry(geos, geometry, parameter);
  const known = testWithGeosGeometry(geos, first, (a) => {
    const related = testWithGeosGeometry(geos, second, (b) => relationTests[test](geos, a, b));
    return related === null ? 2 : Number(related);
  });
  return () => known;
}

function planarDistanceTest(geos: Geos, predicate: DistanceWithin, box: PlanarBbox): GeometryTest {
  const { geometry, distance, parameter } = predicate;
  const boxes = boxesAroundPredicate(predicate);
  const copies = wrappedCopies(geometry, expandBboxByDistance(box, distance, 'degree'));
  const query = new PreparedGeometry(geos, ...copies);
  const narrow = narrowToNear(combineGeometries(copies), boxes, distance, parameter);
  const test = (pointer: number) => geos.GEOSPreparedDistanceWithin(query.pointer, pointer, distance);
  return {
    boxes,
    outside: false,
    testBbox: (bbox) => {
      if (!isPoint(bbox)) return undefined;
      const point = geos.GEOSGeom_createPointFromXY(bbox[0], bbox[1]);
      try {
        return ternaryFromGeos(test(point));
      } finally {
        geos.GEOSGeom_destroy(point);
      }
    },
    testGeometry: (geometry) => {
      const near = narrow(geometry);
      return typeof near === 'boolean' ? near : testWithGeosGeometry(geos, near, test);
    },
  };
}

/**
 * Tests whether a geometry lies in a circle of degrees around a point: all positions do (a disc is convex, so the edges
 * do, too). Points on the circle itself don't count as within.
 */
function circleTest(predicate: SpatialPredicate, point: PlanarBbox, radius: number): GeometryTest {
  const centres = longitudeShifts(expandBboxByDistance(point, radius, 'degree')).map((shift) => point[0] + shift);
  const distances = (geometry: Geometry, x: number): number[] => {
    const all: number[] = [];
    mapPositions(geometry, (px, py) => {
      all.push(Math.sqrt((px - x) ** 2 + (py - point[1]) ** 2));
      return [];
    });
    return all;
  };
  return {
    boxes: boxesAroundPredicate(predicate),
    outside: false,
    testGeometry: (geometry) =>
      centres.some((x) => {
        const all = distances(geometry, x);
        const onlyPoints = geometry.type === 'Point' || geometry.type === 'MultiPoint';
        return all.every((d) => d <= radius) && (!onlyPoints || all.some((d) => d < radius));
      }),
  };
}
