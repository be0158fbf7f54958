/** Distances in metres on the WGS 84 ellipsoid. */
import Flatbush from 'flatbush';
import geographiclib from 'geographiclib-geodesic';
import {
  bboxOfGeometry,
  bboxWithWrappedCopies,
  expandBboxByDistance,
  longitudeShifts,
  type PlanarBbox,
} from './bounding-box.ts';
import { type Bbox, combineGeometries, countVertices, type Geometry, mapPositions } from './geometry.ts';
import { createGeosGeometry, type Geos, PreparedGeometry, testWithGeosGeometry } from './geos.ts';

const { Geodesic } = geographiclib;

/**
 * Distance in metres between two positions in degrees, exact to some nanometres.
 * Source: Karney, Algorithms for geodesics, J. Geodesy 87 (2013); his own library.
 */
export function geodesicDistance(x1: number, y1: number, x2: number, y2: number): number {
  return Geodesic.WGS84.Inverse(y1, x1, y2, x2, Geodesic.DISTANCE).s12 ?? Number.NaN;
}

/** Pairs of positions that are compared one by one. */
const fewPairs = 10_000;

/** Half a degree in radians, and the earth's mean radius (IUGG) in metres. */
const halfDegree = Math.PI / 360;
const meanRadius = 6_371_008.8;

/** Distance in metres on the sphere: fast, and at most 0.6 % off, which decides most pairs. */
function sphericalDistance(x1: number, y1: number, x2: number, y2: number): number {
  const dy = Math.sin((y2 - y1) * halfDegree);
  const dx = Math.sin((x2 - x1) * halfDegree);
  const a = dy * dy + Math.cos(y1 * 2 * halfDegree) * Math.cos(y2 * 2 * halfDegree) * dx * dx;
  return 2 * meanRadius * Math.asin(Math.sqrt(Math.min(1, a)));
}

function isWithinDistance(x1: number, y1: number, x2: number, y2: number, metres: number): boolean {
  const rough = sphericalDistance(x1, y1, x2, y2);
  if (rough < metres * 0.99) return true;
  if (rough > metres * 1.01) return false;
  return geodesicDistance(x1, y1, x2, y2) <= metres;
}

/**
 * A test whether geometries come within a distance in metres of the query's geometry.
 *
 * Exact between points. Edges are straight in longitude and latitude (RFC 7946, section 3.1.1): the nearest pair of
 * points is searched in a plane in which longitudes are scaled for the query's latitude, then again for the pair's own
 * latitude; the distance of that pair is measured exactly. So every match lies within the distance, and a match can be
 * missed only by less than 0.1 % of it (up to 100 km and latitudes of 70 degrees).
 * @param tooMany makes the error that the test throws where points are too many to be compared
 */
export function makeGeodesicDistanceTest(geos: Geos, target: Geometry, distance: number, tooMany: () => Error) {
  const box = bboxOfGeometry(target) as PlanarBbox;
  const around = expandBboxByDistance(box, distance, 'metre');
  const copies = longitudeShifts(around).map((shift) => mapPositions(target, (x, y) => [x + shift, y]));
  const query = combineGeometries(copies);
  const prepared = new PreparedGeometry(geos, ...copies);
  const firstScale = longitudeScale((box[1] + box[3]) / 2);
  const scaled = new PreparedGeometry(geos, scaleLongitudes(query, firstScale));
  const points = pointsOf(target);
  const arePointsNear = points && makePointsTest(points, distance, tooMany);
  const positions = countVertices(target);

  const isNear = (geometry: Geometry, pointer: number): number => {
    if (geos.GEOSPreparedIntersects(prepared.pointer, pointer) === 1) return 1;
    const first = nearestPoints(geos, scaleLongitudes(geometry, firstScale), firstScale, (scaledPointer) =>
      geos.GEOSPreparedNearestPoints(scaled.pointer, scaledPointer),
    );
    if (!first) return 2;
    if (isWithinDistance(...first, distance)) return 1;
    const secondScale = longitudeScale((first[1] + first[3]) / 2);
    const rescaled = createGeosGeometry(geos, scaleLongitudes(query, secondScale));
    // Without an index, GEOS looks at each pair of edges; to make one for few is slower.
    const index = positions * countVertices(geometry) > fewPairs ? geos.GEOSPrepare(rescaled) : 0;
    try {
      const second = nearestPoints(geos, scaleLongitudes(geometry, secondScale), secondScale, (scaledPointer) =>
        index ? geos.GEOSPreparedNearestPoints(index, scaledPointer) : geos.GEOSNearestPoints(rescaled, scaledPointer),
      );
      return second && isWithinDistance(...second, distance) ? 1 : 0;
    } finally {
      if (index) geos.GEOSPreparedGeom_destroy(index);
      geos.GEOSGeom_destroy(rescaled);
    }
  };
  return {
    testBbox: (bbox: Bbox) => {
      const isPoint = bbox[0] === bbox[2] && bbox[1] === bbox[3];
      return isPoint && arePointsNear ? arePointsNear([[bbox[0], bbox[1]]]) : undefined;
    },
    testGeometry: (geometry: Geometry) => {
      const others = pointsOf(geometry);
      if (others && arePointsNear) return arePointsNear(others);
      return testWithGeosGeometry(geos, geometry, (pointer) => isNear(geometry, pointer));
    },
  };
}

/** The positions of points; undefined for other geometries. */
function pointsOf(geometry: Geometry): readonly (readonly number[])[] | undefined {
  if (geometry.type === 'Point') return [geometry.coordinates];
  return geometry.type === 'MultiPoint' ? geometry.coordinates : undefined;
}

/** Pairs of points that are compared, at most: those of which one is in the box around the other's circle. */
const mostPairs = 500_000;

/**
 * A test whether one of some points comes within a distance of one of others.
 * @param tooMany makes the error for too many pairs of points that are near each other, but not within the distance
 */
function makePointsTest(points: readonly (readonly number[])[], metres: number, tooMany: () => Error) {
  let index: Flatbush | undefined;
  const areNear = (at: number, [x = 0, y = 0]: readonly number[]) => {
    const [x0 = 0, y0 = 0] = points[at] as readonly number[];
    return isWithinDistance(x0, y0, x, y, metres);
  };
  return (others: readonly (readonly number[])[]): boolean => {
    if (points.length * others.length <= fewPairs)
      return others.some((other) => points.some((_, at) => areNear(at, other)));
    index ??= indexOfPoints(points);
    let pairs = 0;
    for (const other of others) {
      const [x = 0, y = 0] = other;
      let isFound = false;
      for (const box of bboxWithWrappedCopies(expandBboxByDistance([x, y, x, y], metres, 'metre')))
        index.search(...box, (at) => {
          if (!isFound && ++pairs <= mostPairs) isFound = areNear(at, other);
          return false;
        });
      if (isFound) return true;
      if (pairs > mostPairs) throw tooMany();
    }
    return false;
  };
}

/** An index of points, with longitudes from -180 to 180. */
function indexOfPoints(points: readonly (readonly number[])[]): Flatbush {
  const index = new Flatbush(points.length);
  for (const [longitude = 0, y = 0] of points) {
    const x = longitude - 360 * Math.round(longitude / 360);
    index.add(x, y, x, y);
  }
  index.finish();
  return index;
}

/** Length of a degree of longitude at a latitude, relative to a degree of latitude; never 0. */
const longitudeScale = (latitude: number) => Math.max(1e-6, Math.cos(latitude * 2 * halfDegree));

const scaleLongitudes = (geometry: Geometry, scale: number) => mapPositions(geometry, (x, y) => [x * scale, y]);

/** The nearest two points, one on each geometry; undefined where GEOS finds none. */
function nearestPoints(
  geos: Geos,
  geometry: Geometry,
  scale: number,
  nearest: (pointer: number) => number,
): [x1: number, y1: number, x2: number, y2: number] | undefined {
  const pointer = createGeosGeometry(geos, geometry);
  if (pointer === 0) return undefined;
  const sequence = nearest(pointer);
  geos.GEOSGeom_destroy(pointer);
  if (sequence === 0) return undefined;
  const buffer = geos.Module._malloc(32);
  try {
    geos.GEOSCoordSeq_copyToBuffer(sequence, buffer, 0, 0);
    const [x1 = 0, y1 = 0, x2 = 0, y2 = 0] = geos.Module.HEAPF64.subarray(buffer / 8, buffer / 8 + 4);
    return [x1 / scale, y1, x2 / scale, y2];
  } finally {
    geos.Module._free(buffer);
    geos.GEOSCoordSeq_destroy(sequence);
  }
}
