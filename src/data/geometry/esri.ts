/** Esri JSON (ArcGIS REST API, "Geometry objects"): its geometries and reference systems as GeoJSON has them. */
import type { Geometry } from './geometry.ts';
import { type Extent, emptyExtent, InvalidGeometryError } from './validate.ts';

type JsonObject = Readonly<Record<string, unknown>>;
type Position = number[];

const isObject = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** True for a feature of Esri JSON, which has `attributes` where GeoJSON has `properties`. */
export const isEsriFeature = (value: JsonObject): boolean =>
  isObject(value.attributes) &&
  Object.keys(value).every((key) => ['attributes', 'geometry', 'centroid', 'aggregateGeometries'].includes(key)) &&
  (value.geometry === undefined || value.geometry === null || isEsriGeometry(value.geometry));

function isEsriGeometry(value: unknown): boolean {
  const keys = ['x', 'points', 'paths', 'rings', 'xmin', 'curvePaths', 'curveRings'];
  return isObject(value) && value.type === undefined && keys.some((key) => key in value);
}

/**
 * The reference system that an object names.
 * @returns `EPSG:…`, the text of an unknown system, or undefined if there is none
 */
export function crsOfEsri({ spatialReference }: JsonObject): string | undefined {
  if (!isObject(spatialReference)) return undefined;
  const { latestWkid, wkid, wkt } = spatialReference;
  const code = latestWkid ?? wkid;
  // Esri's own number of Web Mercator.
  if (typeof code === 'number') return `EPSG:${code === 102100 || code === 102113 ? 3857 : code}`;
  return typeof wkt === 'string' ? wkt : undefined;
}

/** The geometry of a feature; null if it is empty. @throws InvalidGeometryError */
export function geometryOfEsri(geometry: unknown): Geometry | null {
  if (!isObject(geometry)) return null;
  const { x, y, z, points, paths, rings, xmin, ymin, xmax, ymax } = geometry;
  const hasOnlyM = geometry.hasM === true && geometry.hasZ !== true;
  const positions = (value: unknown) => positionsOf(value, hasOnlyM);
  if ('curvePaths' in geometry || 'curveRings' in geometry)
    throw new InvalidGeometryError('curves of Esri JSON are not read; densify them first');
  if ('x' in geometry) {
    if (x === null || x === 'NaN') return null;
    return { type: 'Point', coordinates: [x, y, ...(typeof z === 'number' ? [z] : [])] as Position };
  }
  if ('points' in geometry) return { type: 'MultiPoint', coordinates: positions(points) };
  if ('paths' in geometry) {
    const lines = listOf(paths).map(positions);
    if (lines.length === 0) return null;
    const [first] = lines;
    return lines.length === 1 && first
      ? { type: 'LineString', coordinates: first }
      : { type: 'MultiLineString', coordinates: lines };
  }
  if ('rings' in geometry) return polygonOfRings(listOf(rings).map(positions));
  const [west, south, east, north] = [xmin, ymin, xmax, ymax] as number[] as [number, number, number, number];
  if (west === null || typeof west === 'string') return null;
  const box = [
    [west, south],
    [east, south],
    [east, north],
    [west, north],
    [west, south],
  ];
  return { type: 'Polygon', coordinates: [box] };
}

function listOf(value: unknown): readonly unknown[] {
  if (!Array.isArray(value)) throw new InvalidGeometryError('the geometry of Esri JSON is not as it should be');
  return value;
}

/**
 * Positions without their measure (M), which GeoJSON doesn't have: the fourth number, or the third of `hasM` without `hasZ`;
 * and without heights that are missing.
 */
function positionsOf(value: unknown, hasOnlyM: boolean): Position[] {
  return listOf(value).map((position) => {
    const numbers = listOf(position);
    const isFlat = hasOnlyM || numbers[2] === null || numbers[2] === 'NaN';
    return numbers.slice(0, isFlat ? 2 : 3) as Position;
  });
}

/** Polygons by the direction of rings: clockwise is the outside, counterclockwise a hole. GeoJSON has it the other way. */
export function polygonOfRings(rings: readonly Position[][]): Geometry | null {
  const polygons: Position[][][] = [];
  const outsides: Outside[] = [];
  const holes: Position[][] = [];
  for (const ring of rings) {
    const area = signedArea(ring);
    if (area > 0) {
      holes.push(ring);
      continue;
    }
    const polygon = [ring.toReversed()];
    polygons.push(polygon);
    const box = boxOf(ring);
    outsides.push({ polygon, area: -area, box, contains: insideTest(ring, box) });
  }
  // An island in a hole has holes of its own: each hole belongs to the smallest ring around it.
  outsides.sort((a, b) => a.area - b.area);
  for (const hole of holes) {
    const area = signedArea(hole);
    const point = pointWithin(hole);
    const home = outsides.find((one) => one.area > area && isInBox(point, one.box) && one.contains(point));
    // A hole without a ring around it is an outer ring of the wrong direction.
    if (home) home.polygon.push(hole.toReversed());
    else polygons.push([hole]);
  }
  const [first] = polygons;
  if (!first) return null;
  return polygons.length === 1
    ? { type: 'Polygon', coordinates: first }
    : { type: 'MultiPolygon', coordinates: polygons };
}

/** An outer ring, and the polygon that begins with it. */
interface Outside {
  readonly polygon: Position[][];
  readonly area: number;
  readonly box: Extent;
  readonly contains: (position: Position) => boolean;
}

function boxOf(ring: readonly Position[]): Extent {
  const box = emptyExtent();
  for (const [x = 0, y = 0] of ring) {
    box[0] = Math.min(box[0], x);
    box[1] = Math.min(box[1], y);
    box[2] = Math.max(box[2], x);
    box[3] = Math.max(box[3], y);
  }
  return box;
}

const isInBox = ([x = 0, y = 0]: Position, [west, south, east, north]: Extent): boolean =>
  x >= west && x <= east && y >= south && y <= north;

/** A position inside of a ring: the middle of the longest part of a line across it. */
function pointWithin(ring: readonly Position[]): Position {
  const [, south, , north] = boxOf(ring);
  const y = (south + north) / 2;
  const crossings = crossingsOf(ring, y).sort((a, b) => a - b);
  let [from = 0, to = 0] = crossings;
  for (let i = 2; i + 1 < crossings.length; i += 2) {
    const [start, end] = [crossings[i] as number, crossings[i + 1] as number];
    if (end - start > to - from) [from, to] = [start, end];
  }
  return [(from + to) / 2, y];
}

/** Where the edges of a ring cross a parallel. */
function crossingsOf(ring: readonly Position[], y: number): number[] {
  return ring
    .map((position, index) => crossingOf(position, ring[(index + 1) % ring.length] as Position, y))
    .filter((crossing) => !Number.isNaN(crossing));
}

/** Where an edge crosses a parallel; NaN if it doesn't. */
const crossingOf = ([x1 = 0, y1 = 0]: Position, [x2 = 0, y2 = 0]: Position, y: number): number =>
  y1 > y !== y2 > y ? ((x2 - x1) * (y - y1)) / (y2 - y1) + x1 : Number.NaN;

/** Area of a ring, positive if it is counterclockwise. */
function signedArea(ring: readonly Position[]): number {
  let area = 0;
  ring.forEach(([x = 0, y = 0], index) => {
    const [nextX = 0, nextY = 0] = ring[(index + 1) % ring.length] ?? [];
    area += x * nextY - nextX * y;
  });
  return area / 2;
}

/**
 * A test whether a position in the box of a ring is inside of it, by the number of edges to the right. Its edges are sorted into bands
 * from south to north, and each test looks at those of one band: a ring of a million vertices may have thousands of holes.
 */
function insideTest(ring: readonly Position[], [, south, , north]: Extent): (position: Position) => boolean {
  let bands: readonly (readonly number[])[] | undefined;
  let bandOf: (y: number) => number;
  const nextOf = (edge: number) => ring[(edge + 1) % ring.length] as Position;
  const sort = (): readonly (readonly number[])[] => {
    let climb = 0;
    ring.forEach(([, y = 0], edge) => {
      climb += Math.abs((nextOf(edge)[1] as number) - y);
    });
    // So many bands that each edge lies in at most two of them on average.
    const count = Math.max(
      1,
      Math.floor(Math.min(Math.sqrt(ring.length), (ring.length * (north - south)) / climb)) || 1,
    );
    bandOf = (y) => Math.min(count - 1, Math.floor(((y - south) / (north - south)) * count) || 0);
    const sorted = Array.from({ length: count }, (): number[] => []);
    ring.forEach(([, y = 0], edge) => {
      const [from, to] = [bandOf(y), bandOf(nextOf(edge)[1] as number)];
      for (let band = Math.min(from, to); band <= Math.max(from, to); band++) sorted[band]?.push(edge);
    });
    return sorted;
  };
  return ([x = 0, y = 0]) => {
    bands ??= sort();
    let isInside = false;
    for (const edge of bands[bandOf(y)] ?? []) {
      const crossing = crossingOf(ring[edge] as Position, nextOf(edge), y);
      if (x < crossing) isInside = !isInside;
    }
    return isInside;
  };
}
