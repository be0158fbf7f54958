/**
 * Boxes in the plane of longitude and latitude. A `Box` never crosses the antimeridian: west <= east. What lies on the
 * other side of it, or beyond 180 degrees as maps that were turned once around send it, is two boxes or more.
 */
import type { Bbox, Geometry } from './geometry.ts';

export type Box = Bbox;

/** The smallest box around a geometry's positions; null where it has none. */
export function boxOf(geometry: Geometry): Box | null {
  const box: [number, number, number, number] = [Infinity, Infinity, -Infinity, -Infinity];
  extend(box, geometry);
  return box[0] <= box[2] ? box : null;
}

function extend(box: [number, number, number, number], geometry: Geometry): void {
  if (geometry.type === 'GeometryCollection') for (const part of geometry.geometries) extend(box, part);
  else visit(box, geometry.coordinates);
}

function visit(box: [number, number, number, number], coordinates: readonly unknown[]): void {
  const [x, y] = coordinates;
  if (typeof x === 'number' && typeof y === 'number') {
    if (x < box[0]) box[0] = x;
    if (y < box[1]) box[1] = y;
    if (x > box[2]) box[2] = x;
    if (y > box[3]) box[3] = y;
  } else for (const part of coordinates) if (Array.isArray(part)) visit(box, part);
}

/** The parts of a bounding box: two where it crosses the antimeridian (west > east; RFC 7946, section 5.2). */
export function splitBbox([west, south, east, north]: Bbox): Box[] {
  if (west <= east) return turned([west, south, east, north]);
  return [
    [west, south, 180, north],
    [-180, south, east, north],
  ];
}

/** A box, and the same a turn around the earth away where it reaches beyond 180 degrees. */
export function turned(box: Box): Box[] {
  return turns(box).map((turn) => [box[0] + turn, box[1], box[2] + turn, box[3]]);
}

/** By how many degrees to shift what lies in this box to cover the longitudes from -180 to 180 as well; 0 first. */
export function turns([west, , east]: Box): number[] {
  const shifts = [0];
  if (east > 180) shifts.push(-360);
  if (west < -180) shifts.push(360);
  return shifts;
}

/** Whether two boxes have a point in common; the first may cross the antimeridian. */
export function touches(bbox: Bbox, box: Box): boolean {
  if (bbox[1] > box[3] || bbox[3] < box[1]) return false;
  if (bbox[0] <= bbox[2]) return bbox[0] <= box[2] && bbox[2] >= box[0];
  return bbox[0] <= box[2] || bbox[2] >= box[0];
}

/** Whether a bounding box lies in a box, borders included; false where it crosses the antimeridian. */
export function lies(bbox: Bbox, box: Box): boolean {
  return bbox[0] <= bbox[2] && bbox[0] >= box[0] && bbox[2] <= box[2] && bbox[1] >= box[1] && bbox[3] <= box[3];
}

/** A geometry that covers exactly a bounding box: of no width or height it is a line or a point. */
export function bboxGeometry(bbox: Bbox): Geometry {
  const [west, south, east, north] = bbox;
  if (west > east) {
    const halves = splitBbox(bbox);
    // From 180 to -180 is the antimeridian alone.
    const parts = halves.filter((part) => part[0] < part[2]);
    if (parts.length === 0)
      return { type: 'MultiLineString', coordinates: halves.map((part) => ring(part).slice(1, 3)) };
    if (south < north) return { type: 'MultiPolygon', coordinates: parts.map((part) => [ring(part)]) };
    return { type: 'MultiLineString', coordinates: parts.map((part) => ring(part).slice(0, 2)) };
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
  return { type: 'Polygon', coordinates: [ring([west, south, east, north])] };
}

const ring = ([west, south, east, north]: Box) => [
  [west, south],
  [east, south],
  [east, north],
  [west, north],
  [west, south],
];

/** A box with room around it: at least this many degrees, or metres on the earth. */
export function widened([west, south, east, north]: Box, distance: number, unit: 'metre' | 'degree'): Box {
  // A billionth of a degree (0.1 mm) more: what rounding could take away.
  const spare = 1e-9;
  if (unit === 'degree') {
    const d = distance + spare;
    return [west - d, south - d, east + d, north + d];
  }
  // The angle at the earth's centre, with the ellipsoid's smallest radius of curvature (6,335,439 m at the equator
  // along the meridian), so rather too large.
  const angle = distance / 6_335_000;
  const dy = (angle * 180) / Math.PI + spare;
  const latitude = (Math.max(Math.abs(south), Math.abs(north)) * Math.PI) / 180;
  // A circle around a pole, or that reaches one, meets every meridian.
  if (latitude + angle >= Math.PI / 2) return [-180 - spare, south - dy, 180 + spare, north + dy];
  const dx = (Math.asin(Math.sin(angle) / Math.cos(latitude)) * 180) / Math.PI + spare;
  return [west - dx, south - dy, east + dx, north + dy];
}
