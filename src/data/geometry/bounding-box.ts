/**
 * Bounding boxes in the plane of longitude and latitude. One that crosses the antimeridian, or lies beyond 180 degrees
 * (as web maps send it after some turns around the globe), is split into several planar ones.
 */
import type { Bbox, Geometry } from './geometry.ts';
import { type Extent, emptyExtent } from './validate.ts';

/** A bounding box that never crosses the antimeridian: west <= east. */
export type PlanarBbox = Bbox;

/** The bounding box of a geometry's positions; null where it has none. */
export function bboxOfGeometry(geometry: Geometry): PlanarBbox | null {
  const extent = emptyExtent();
  extendByGeometry(extent, geometry);
  return extent[0] <= extent[2] ? extent : null;
}

function extendByGeometry(extent: Extent, geometry: Geometry): void {
  if (geometry.type === 'GeometryCollection') for (const part of geometry.geometries) extendByGeometry(extent, part);
  else extendByCoordinates(extent, geometry.coordinates);
}

function extendByCoordinates(extent: Extent, coordinates: readonly unknown[]): void {
  const [x, y] = coordinates;
  if (typeof x === 'number' && typeof y === 'number') {
    if (x < extent[0]) extent[0] = x;
    if (y < extent[1]) extent[1] = y;
    if (x > extent[2]) extent[2] = x;
    if (y > extent[3]) extent[3] = y;
  } else for (const part of coordinates) if (Array.isArray(part)) extendByCoordinates(extent, part);
}

/** The diagonal of the box around two boxes: no two of their points are further from each other. */
export const widthOfBoth = (a: PlanarBbox, b: PlanarBbox): number =>
  Math.hypot(Math.max(a[2], b[2]) - Math.min(a[0], b[0]), Math.max(a[3], b[3]) - Math.min(a[1], b[1]));

/** The planar parts of a bounding box: two where it crosses the antimeridian (west > east; RFC 7946, section 5.2). */
export function splitAtAntimeridian([west, south, east, north]: Bbox): PlanarBbox[] {
  if (west <= east) return bboxWithWrappedCopies([west, south, east, north]);
  return [
    [west, south, 180, north],
    [-180, south, east, north],
  ];
}

/** A box and, where it reaches beyond 180 degrees, its copies shifted by full turns. */
export function bboxWithWrappedCopies(box: PlanarBbox): PlanarBbox[] {
  return longitudeShifts(box).map((shift) => [box[0] + shift, box[1], box[2] + shift, box[3]]);
}

/**
 * Shifts in degrees, of full turns, by which copies of a box also cover the longitudes from -180 to 180; the first is 0, and the only
 * one where the turns are too many for exact numbers.
 */
export function longitudeShifts([west, , east]: PlanarBbox): number[] {
  const last = Math.ceil((180 - west) / 360) - 1;
  if (!Number.isSafeInteger(last - 3)) return [0];
  // Four cover all longitudes, however wide the box is.
  const turns = [last, last - 1, last - 2, last - 3].filter((turn) => turn !== 0 && east + 360 * turn > -180);
  return [0, ...turns.map((turn) => 360 * turn)];
}

/** True if two boxes have a point in common; the first may cross the antimeridian. */
export function doBboxesIntersect(bbox: Bbox, box: PlanarBbox): boolean {
  if (bbox[1] > box[3] || bbox[3] < box[1]) return false;
  if (bbox[0] <= bbox[2]) return bbox[0] <= box[2] && bbox[2] >= box[0];
  return bbox[0] <= box[2] || bbox[2] >= box[0];
}

/** True if a bounding box lies in a box, borders included; false where it crosses the antimeridian. */
export function isBboxWithin(bbox: Bbox, box: PlanarBbox): boolean {
  return bbox[0] <= bbox[2] && bbox[0] >= box[0] && bbox[2] <= box[2] && bbox[1] >= box[1] && bbox[3] <= box[3];
}

/** The geometry that covers exactly a bounding box: a line or a point where it has no width or height. */
export function bboxToGeometry(bbox: Bbox): Geometry {
  const [west, south, east, north] = bbox;
  if (west > east) {
    const halves = splitAtAntimeridian(bbox);
    // From 180 to -180 is the antimeridian alone.
    const parts = halves.filter((part) => part[0] < part[2]);
    if (parts.length === 0)
      return { type: 'MultiLineString', coordinates: halves.map((part) => ringOf(part).slice(1, 3)) };
    if (south < north) return { type: 'MultiPolygon', coordinates: parts.map((part) => [ringOf(part)]) };
    return { type: 'MultiLineString', coordinates: parts.map((part) => ringOf(part).slice(0, 2)) };
  }
  if (west === east && south === north) return { type: 'Point', coordinates: [west, south] };
  if (west === east || south === north) {
    return {
      type: 'LineString',
      coordinates: [
        [west, south],
        [east, north],
      ],
    };
  }
  return { type: 'Polygon', coordinates: [ringOf([west, south, east, north])] };
}

const ringOf = ([west, south, east, north]: PlanarBbox) => [
  [west, south],
  [east, south],
  [east, north],
  [west, north],
  [west, south],
];

/** A box extended on all sides by at least this many degrees, or metres on the earth. */
export function expandBboxByDistance(
  [west, south, east, north]: PlanarBbox,
  distance: number,
  unit: 'metre' | 'degree',
): PlanarBbox {
  // A billionth of a degree (0.1 mm) against rounding errors.
  const margin = 1e-9;
  if (unit === 'degree') {
    const d = distance + margin;
    return [west - d, south - d, east + d, north + d];
  }
  // The angle at the earth's centre, with the ellipsoid's smallest radius of curvature (6,335,439 m at the equator
  // along the meridian), so an upper bound.
  const angle = distance / 6_335_000;
  const dy = (angle * 180) / Math.PI + margin;
  const latitude = (Math.max(Math.abs(south), Math.abs(north)) * Math.PI) / 180;
  // A circle that contains or reaches a pole meets every meridian.
  if (latitude + angle >= Math.PI / 2) return [-180 - margin, south - dy, 180 + margin, north + dy];
  const dx = (Math.asin(Math.sin(angle) / Math.cos(latitude)) * 180) / Math.PI + margin;
  return [west - dx, south - dy, east + dx, north + dy];
}
