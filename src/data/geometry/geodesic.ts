/** Distances in metres on the WGS 84 ellipsoid. */
import geographiclib from 'geographiclib-geodesic';
import type { DistanceWithin } from '../query/predicate.ts';
import { type Box, boxOf, turns, widened } from './bounding-box.ts';
import { type Bbox, type Geometry, moved, together } from './geometry.ts';
import { ask, create, type Geos, Prepared } from './geos.ts';

const { Geodesic } = geographiclib;

/**
 * The length in metres of the shortest way between two positions in degrees, exact to some nanometres.
 * Source: Karney, Algorithms for geodesics, J. Geodesy 87 (2013), by his own library.
 */
export function metresBetween(x1: number, y1: number, x2: number, y2: number): number {
  return Geodesic.WGS84.Inverse(y1, x1, y2, x2, Geodesic.DISTANCE).s12 ?? Number.NaN;
}

/** Radians of half a degree's angle, and the earth's mean radius (IUGG) in metres. */
const half = Math.PI / 360;
const meanRadius = 6_371_008.8;

/** On the sphere, which is at most 0.6 % off: for most pairs that is enough to know. */
function roughMetresBetween(x1: number, y1: number, x2: number, y2: number): number {
  const dy = Math.sin((y2 - y1) * half);
  const dx = Math.sin((x2 - x1) * half);
  const a = dy * dy + Math.cos(y1 * 2 * half) * Math.cos(y2 * 2 * half) * dx * dx;
  return 2 * meanRadius * Math.asin(Math.sqrt(Math.min(1, a)));
}

function isWithin(x1: number, y1: number, x2: number, y2: number, metres: number): boolean {
  const rough = roughMetresBetween(x1, y1, x2, y2);
  if (rough < metres * 0.99) return true;
  if (rough > metres * 1.01) return false;
  return metresBetween(x1, y1, x2, y2) <= metres;
}

/**
 * Judges whether geometries come within a distance in metres.
 *
 * Between points it is exact. Lines and the borders of polygons are straight between their positions in longitude and
 * latitude (RFC 7946, section 3.1.1): the nearest pair of places is looked for in a plane in which a degree of longitude
 * is as long as it is at the query's latitude, and once more at the pair's own latitude; the way between the pair is
 * then measured exactly. So what is found lies within the distance, and what is missed would be so by less than 0.1 %
 * of the distance up to 100 km and latitudes of 70 degrees.
 */
export function geodesicJudge(geos: Geos, predicate: DistanceWithin) {
  const { geometry: wanted, distance } = predicate;
  const box = boxOf(wanted) as Box;
  const around = widened(box, distance, 'metre');
  const query = together(turns(around).map((turn) => moved(wanted, (x, y) => [x + turn, y])));
  const prepared = new Prepared(geos, query);
  const firstScale = scaleAt((box[1] + box[3]) / 2);
  const scaled = new Prepared(geos, narrowed(query, firstScale));
  const single = wanted.type === 'Point' ? wanted.coordinates : undefined;

  const near = (geometry: Geometry, pointer: number): number => {
    if (geos.GEOSPreparedIntersects(prepared.prepared, pointer) === 1) return 1;
    const first = nearestPair(geos, narrowed(geometry, firstScale), firstScale, (narrow) =>
      geos.GEOSPreparedNearestPoints(scaled.prepared, narrow),
    );
    if (!first) return 2;
    if (isWithin(...first, distance)) return 1;
    const secondScale = scaleAt((first[1] + first[3]) / 2);
    const other = create(geos, narrowed(query, secondScale));
    try {
      const second = nearestPair(geos, narrowed(geometry, secondScale), secondScale, (narrow) =>
        geos.GEOSNearestPoints(other, narrow),
      );
      return second && isWithin(...second, distance) ? 1 : 0;
    } finally {
      geos.GEOSGeom_destroy(other);
    }
  };
  return {
    byBox: (bbox: Bbox) => {
      if (!single || bbox[0] !== bbox[2] || bbox[1] !== bbox[3]) return undefined;
      return isWithin(single[0] as number, single[1] as number, bbox[0], bbox[1], distance);
    },
    exactly: (geometry: Geometry) => ask(geos, geometry, (pointer) => near(geometry, pointer)),
  };
}

/** How long a degree of longitude is at a latitude, next to one of latitude; never quite nothing. */
const scaleAt = (latitude: number) => Math.max(1e-6, Math.cos(latitude * 2 * half));

const narrowed = (geometry: Geometry, scale: number) => moved(geometry, (x, y) => [x * scale, y]);

/** The two places, one on each geometry, that are nearest; undefined where GEOS finds none. */
function nearestPair(
  geos: Geos,
  geometry: Geometry,
  scale: number,
  nearest: (pointer: number) => number,
): [x1: number, y1: number, x2: number, y2: number] | undefined {
  const pointer = create(geos, geometry);
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
