/**
 * Lines and polygons that cross the antimeridian in one piece, from 179 to -179 degrees, cut there for maps (RFC 7946, section
 * 3.1.9, asks for it). A straight edge between those two would go around the whole world.
 */
import { bboxOfGeometry } from '../geometry/bounding-box.ts';
import type { Bbox, Geometry } from '../geometry/geometry.ts';
import { clipLine, clipRing } from './clip.ts';

type Positions = readonly (readonly number[])[];

/** Distance from 180 degrees that counts as zero, in degrees. */
const edge = 1e-6;
/** The world, in degrees. */
const world = [-180, -90, 180, 90] as const;

/** True if a shape with this box may have an edge that is longer than half a parallel. */
export const mayCrossAntimeridian = ([west, , east]: Bbox): boolean => east - west > 180;

/** A geometry in parts on both sides of the antimeridian; null if no line or ring of it crosses the antimeridian. */
export function cutGeometry(geometry: Geometry): Geometry | null {
  switch (geometry.type) {
    case 'LineString':
      return cutLines([geometry.coordinates]);
    case 'MultiLineString':
      return cutLines(geometry.coordinates);
    case 'Polygon':
      return cutPolygons([geometry.coordinates]);
    case 'MultiPolygon':
      return cutPolygons(geometry.coordinates);
    case 'GeometryCollection': {
      const parts = geometry.geometries.map((part) => cutGeometry(part) ?? part);
      const isCut = parts.some((part, at) => part !== geometry.geometries[at]);
      return isCut ? { type: 'GeometryCollection', geometries: parts } : null;
    }
    default:
      return null;
  }
}

/**
 * A cut geometry, and its box. The box begins at the western end of the part with positive longitudes, and goes on beyond 180 degrees to
 * the eastern end of the other part.
 */
export function cutWithBox(geometry: Geometry): { readonly geometry: Geometry; readonly box: Bbox } | null {
  const cut = cutGeometry(geometry);
  const box = cut && bboxOfGeometry(cut);
  if (!box) return null;
  const [west, east] = endsOf(cut);
  return { geometry: cut, box: [east, box[1], west + 360, box[3]] };
}

/** The eastern end of the part with negative longitudes, and the western end of the other part. */
function endsOf(geometry: Geometry): [west: number, east: number] {
  let [west, east] = [-180, 180];
  const visit = (coordinates: readonly unknown[]): void => {
    const [x] = coordinates;
    if (typeof x !== 'number') for (const part of coordinates) visit(part as readonly unknown[]);
    else if (x < 0) west = Math.max(west, x);
    else east = Math.min(east, x);
  };
  const parts = geometry.type === 'GeometryCollection' ? geometry.geometries : [geometry];
  for (const part of parts) {
    if (part.type !== 'GeometryCollection') visit(part.coordinates);
    else {
      const [ownWest, ownEast] = endsOf(part);
      [west, east] = [Math.max(west, ownWest), Math.min(east, ownEast)];
    }
  }
  return [west, east];
}

function cutLines(lines: readonly number[][][]): Geometry | null {
  const cut = lines.map((line) => cutAtAntimeridian(line, 'lines'));
  if (cut.every((parts) => parts === null)) return null;
  const coordinates = cut.flatMap((parts, at) => parts?.map(inPairs) ?? [lines[at] as number[][]]);
  return { type: 'MultiLineString', coordinates };
}

function cutPolygons(polygons: readonly number[][][][]): Geometry | null {
  const cut = polygons.map(cutPolygon);
  if (cut.every((parts) => parts === null)) return null;
  return { type: 'MultiPolygon', coordinates: cut.flatMap((parts, at) => parts ?? [polygons[at] as number[][][]]) };
}

/** The parts of a polygon, each with the parts of its holes; null if its outer ring isn't cut. */
function cutPolygon([outer = [], ...holes]: readonly number[][][]): number[][][][] | null {
  const rings = cutAtAntimeridian(outer, 'areas');
  if (!rings) return null;
  const cutHoles = holes.flatMap((hole) => cutAtAntimeridian(hole, 'areas')?.map(closed) ?? [hole]);
  return rings.map((ring) => {
    let [west, east] = [Infinity, -Infinity];
    for (let at = 0; at < ring.length; at += 2) {
      west = Math.min(west, ring[at] as number);
      east = Math.max(east, ring[at] as number);
    }
    return [closed(ring), ...cutHoles.filter(([[x = 0] = []]) => west <= x && x <= east)];
  });
}

const inPairs = (line: readonly number[]): number[][] =>
  Array.from({ length: line.length / 2 }, (_, at) => [line[2 * at] as number, line[2 * at + 1] as number]);

const closed = (ring: readonly number[]): number[][] => [...inPairs(ring), [ring[0] as number, ring[1] as number]];

/**
 * Cuts a line or ring at the antimeridian. Where it jumps from 180 to -180 degrees, its longitudes go on beyond 180 first; then it is
 * cut at 180.
 * @returns the parts, each as x, y, x, y …, rings without their last position; null if it isn't cut. Rings with an edge along a
 *   parallel are boxes, and rings around a pole have no other side: they aren't cut.
 */
export function cutAtAntimeridian(
  positions: Positions,
  kind: 'lines' | 'areas',
): readonly (readonly number[])[] | null {
  const whole: number[] = [];
  let turn = 0;
  let crosses = false;
  for (const [longitude = 0, y = 0] of positions) {
    // A part that was cut at 180 degrees before stays at this edge; a ring from one edge to the other goes around a pole.
    const x = Math.abs(Math.abs(longitude) - 180) < edge ? Math.sign(longitude) * (180 - edge) : longitude;
    const before = whole.at(-2);
    const next =
      before !== undefined && Math.abs(before - x) < 360 - 4 * edge ? 360 * Math.round((before - x) / 360) : turn;
    if (next !== turn && kind === 'areas' && y === whole.at(-1)) return null;
    turn = next;
    if (turn !== 0) crosses = true;
    whole.push(x + turn, y);
  }
  if (!crosses) return null;
  if (kind === 'areas' && turn !== 0) return null;
  return [-360, 0, 360].flatMap((by) => {
    const shifted = whole.map((value, at) => (at % 2 === 0 ? value + by : value));
    if (kind === 'lines') return clipLine(shifted, world);
    // The last position of a ring is the first again.
    const ring = clipRing(shifted.slice(0, -2), world);
    return ring.length >= 6 ? [ring] : [];
  });
}
