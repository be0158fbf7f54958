/** Relations of simple geometries in the plane, from first principles: another opinion for tests. No tolerance, no libraries. */

type Position = readonly number[];
/** A point, a line or a polygon of one ring: lines are open, rings closed. */
export type Simple =
  | { readonly kind: 'point'; readonly points: readonly Position[] }
  | { readonly kind: 'line'; readonly points: readonly Position[] }
  | { readonly kind: 'ring'; readonly points: readonly Position[] };

interface GeoJson {
  readonly type: string;
  readonly coordinates: unknown;
}

/** Parts of a geometry; holes are rings of their own, in which nothing of the tests lies. */
export function partsOf({ type, coordinates }: GeoJson): readonly Simple[] {
  if (type === 'Point') return [{ kind: 'point', points: [coordinates as Position] }];
  if (type === 'LineString') return [{ kind: 'line', points: coordinates as Position[] }];
  if (type === 'MultiLineString') return (coordinates as Position[][]).map((points) => ({ kind: 'line', points }));
  const polygons = (type === 'Polygon' ? [coordinates] : coordinates) as Position[][][];
  return polygons.map(([points = []]) => ({ kind: 'ring', points }));
}

const cross = ([ax = 0, ay = 0]: Position, [bx = 0, by = 0]: Position, [cx = 0, cy = 0]: Position) =>
  Math.sign((bx - ax) * (cy - ay) - (by - ay) * (cx - ax));

const isOn = (p: Position, a: Position, b: Position): boolean =>
  cross(a, b, p) === 0 &&
  [0, 1].every(
    (i) =>
      Math.min(a[i] as number, b[i] as number) <= (p[i] as number) &&
      (p[i] as number) <= Math.max(a[i] as number, b[i] as number),
  );

const segmentsOf = ({ points }: Simple): readonly (readonly [Position, Position])[] =>
  points.length === 1
    ? [[points[0] as Position, points[0] as Position]]
    : points.slice(1).map((point, i) => [points[i] as Position, point]);

const meet = (a: Position, b: Position, c: Position, d: Position): boolean =>
  (cross(a, b, c) * cross(a, b, d) < 0 && cross(c, d, a) * cross(c, d, b) < 0) ||
  isOn(a, c, d) ||
  isOn(b, c, d) ||
  isOn(c, a, b) ||
  isOn(d, a, b);

const isOnLine = (p: Position, line: Simple): boolean => segmentsOf(line).some(([a, b]) => isOn(p, a, b));

/** True if a point lies in a ring, not on it: rays to the east cross it an odd number of times. */
function isInside([x = 0, y = 0]: Position, ring: Simple): boolean {
  if (ring.kind !== 'ring' || isOnLine([x, y], ring)) return false;
  let inside = false;
  for (const [[ax = 0, ay = 0], [bx = 0, by = 0]] of segmentsOf(ring))
    if (ay > y !== by > y && x < ((bx - ax) * (y - ay)) / (by - ay) + ax) inside = !inside;
  return inside;
}

const intersectParts = (a: Simple, b: Simple): boolean =>
  segmentsOf(a).some(([p, q]) => segmentsOf(b).some(([r, s]) => meet(p, q, r, s))) ||
  isInside(a.points[0] as Position, b) ||
  isInside(b.points[0] as Position, a);

export const intersects = (a: readonly Simple[], b: Simple): boolean => a.some((part) => intersectParts(part, b));

/** True if all parts lie in a ring, and not on it only. */
export const within = (a: readonly Simple[], ring: Simple): boolean =>
  a.every(({ points }) => points.every((p) => isInside(p, ring) || isOnLine(p, ring))) &&
  a.some(({ points }) => points.some((p) => isInside(p, ring)));

/** True if one of the rings holds all of a geometry, whose inside has no part of the ring. */
export const contains = (a: readonly Simple[], b: Simple): boolean =>
  a.some(
    (ring) =>
      b.points.every((p) => isInside(p, ring)) &&
      !segmentsOf(ring).some(([p, q]) => segmentsOf(b).some(([r, s]) => meet(p, q, r, s))),
  );

/** Of polygons and a box: they share a part, and each has more. */
export const overlaps = (a: readonly Simple[], box: Simple): boolean =>
  !within(a, box) && !contains(a, box) && a.some(({ points }) => points.some((p) => isInside(p, box)));

/** Of lines with a ring: a part is in it, and a part outside. Of lines with a line: they cross. */
export const crosses = (a: readonly Simple[], b: Simple): boolean =>
  b.kind === 'ring'
    ? a.some(({ points }) => points.some((p) => isInside(p, b))) && !within(a, b)
    : a.some((part) => segmentsOf(part).some(([p, q]) => segmentsOf(b).some(([r, s]) => meet(p, q, r, s))));

/** Of neighbours that have their common borders point by point: a point of the border is one of the other's, and neither is the other. */
export const touches = (a: readonly Simple[], b: Simple): boolean =>
  a.some((part) => b.points.some((p) => part.points.some((q) => String(p) === String(q)))) &&
  !a.some((part) => part.points.length === b.points.length && b.points.every((p) => isOnLine(p, part)));

export const equals = (a: readonly Simple[], b: Simple): boolean =>
  a.length === 1 && String(a[0]?.points) === String(b.points);
