/** Esri JSON (ArcGIS REST API, "Geometry objects"): its geometries and reference systems as GeoJSON has them. */
import type { Geometry } from './geometry.ts';
import { InvalidGeometryError } from './validate.ts';

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

/** Positions without their measure (M), which GeoJSON doesn't have: the fourth number, or the third of `hasM` without `hasZ`. */
function positionsOf(value: unknown, hasOnlyM: boolean): Position[] {
  return listOf(value).map((position) => listOf(position).slice(0, hasOnlyM ? 2 : 3) as Position);
}

/** Polygons by the direction of rings: clockwise is the outside, counterclockwise a hole. GeoJSON has it the other way. */
export function polygonOfRings(rings: readonly Position[][]): Geometry | null {
  const polygons: Position[][][] = [];
  const holes: Position[][] = [];
  for (const ring of rings) {
    const turned = ring.toReversed();
    if (signedArea(ring) <= 0) polygons.push([turned]);
    else holes.push(turned);
  }
  for (const hole of holes) {
    const home = polygons.find(([outside = []]) => hole.some((position) => isInside(position, outside)));
    // A hole in nothing is an outside of the wrong direction.
    if (home) home.push(hole);
    else polygons.push([hole.toReversed()]);
  }
  const [first] = polygons;
  if (!first) return null;
  return polygons.length === 1
    ? { type: 'Polygon', coordinates: first }
    : { type: 'MultiPolygon', coordinates: polygons };
}

/** Area of a ring, positive if it is counterclockwise. */
function signedArea(ring: readonly Position[]): number {
  let area = 0;
  ring.forEach(([x = 0, y = 0], index) => {
    const [nextX = 0, nextY = 0] = ring[(index + 1) % ring.length] ?? [];
    area += x * nextY - nextX * y;
  });
  return area / 2;
}

/** True if a position is inside of a ring, by the number of edges to the right of it. */
function isInside([x = 0, y = 0]: Position, ring: readonly Position[]): boolean {
  let isOdd = false;
  ring.forEach(([x1 = 0, y1 = 0], index) => {
    const [x2 = 0, y2 = 0] = ring[(index + 1) % ring.length] ?? [];
    if (y1 > y !== y2 > y && x < ((x2 - x1) * (y - y1)) / (y2 - y1) + x1) isOdd = !isOdd;
  });
  return isOdd;
}
