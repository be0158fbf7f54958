/**
 * Detects the geometry of a CSV: a column of WKT, or two of longitude and latitude.
 *
 * The first rows decide. WKT: every value that is present can be parsed. Longitude and latitude: columns with such names
 * (`lon`, `lng`, `long`, `longitude` and `lat` or `latitude`, with the same prefix, or `x` and `y`) that are degrees in
 * nine of ten rows, so that projected coordinates are never taken for degrees. Later rows whose value can't be parsed
 * have no geometry, and keep their values in the columns.
 */
import { bboxOf } from '../../geometry/bounding-box.ts';
import type { Geometry } from '../../geometry/geometry.ts';
import { parseWkt } from '../../geometry/wkt.ts';

/** The columns from which a row's geometry is made. */
export interface GeometrySource {
  /** The geometry replaces this column. */
  readonly wktColumn?: number;
  /** These stay columns. */
  readonly pointColumns?: readonly [x: number, y: number];
  /** Null if the cells are empty; undefined if they can't be parsed. */
  geometryOf(cells: readonly (string | undefined)[]): Geometry | null | undefined;
}

type Cells = readonly (string | undefined)[];

const wktStart =
  /^\s*(?:SRID=\d+;\s*)?(?:(?:MULTI)?(?:POINT|LINESTRING|POLYGON)|GEOMETRYCOLLECTION)\s*(?:ZM?|M)?\s*(?:\(|EMPTY)/i;
const simplePoint = /^\s*POINT\s*\(\s*(-?\d+(?:\.\d+)?)\s+(-?\d+(?:\.\d+)?)\s*\)\s*$/i;

/** @param rows the first rows; @returns null if the table has no geometry */
export function findGeometryColumns(names: readonly string[], rows: readonly Cells[]): GeometrySource | null {
  for (let column = 0; column < names.length; column++) {
    const values = rows.map((row) => row[column]).filter((value) => value !== undefined && value !== '') as string[];
    if (values.length > 0 && values.every((value) => wktStart.test(value) && parseWktCell(value) !== undefined)) {
      return { wktColumn: column, geometryOf: (cells) => parseWktCell(cells[column]) };
    }
  }
  for (const [x, y] of lonLatPairs(names)) {
    const geometryOf = (cells: Cells) => pointFromCells(cells[x], cells[y]);
    const present = rows.map(geometryOf).filter((geometry) => geometry !== null);
    const validCount = present.filter((geometry) => geometry !== undefined).length;
    if (validCount > 0 && validCount >= 0.9 * present.length) return { pointColumns: [x, y], geometryOf };
  }
  return null;
}

/** @returns null for no geometry or an empty point, undefined for text that isn't WKT in WGS 84 */
function parseWktCell(text: string | undefined): Geometry | null | undefined {
  if (text === undefined || text.trim() === '') return null;
  const point = simplePoint.exec(text);
  if (point) return { type: 'Point', coordinates: [Number(point[1]), Number(point[2])] };
  try {
    const geometry = parseWkt(text);
    return geometry.type === 'Point' && bboxOf(geometry) === null ? null : geometry;
  } catch {
    return undefined;
  }
}

function pointFromCells(x: string | undefined, y: string | undefined): Geometry | null | undefined {
  if (x === undefined || y === undefined || x.trim() === '' || y.trim() === '') return null;
  const [lon, lat] = [Number(x), Number(y)];
  return Math.abs(lon) <= 180 && Math.abs(lat) <= 90 ? { type: 'Point', coordinates: [lon, lat] } : undefined;
}

/** Pairs of columns that may be longitude and latitude by their names, the likeliest first. */
function lonLatPairs(names: readonly string[]): [number, number][] {
  const folded = names.map((name) => name.trim().toLowerCase());
  const pairs: [number, number][] = [];
  folded.forEach((name, x) => {
    const match = /^(.*?)(?:longitude|long|lng|lon)(_?(?:deg|dd|wgs84)?)$/.exec(name);
    if (!match) return;
    const [, prefix = '', suffix = ''] = match;
    const y = folded.findIndex((other) => other === `${prefix}latitude${suffix}` || other === `${prefix}lat${suffix}`);
    if (y !== -1) pairs.push([x, y]);
  });
  pairs.sort(([a], [b]) => (folded[a] as string).length - (folded[b] as string).length || a - b);
  const [x, y] = [folded.indexOf('x'), folded.indexOf('y')];
  if (x !== -1 && y !== -1) pairs.push([x, y]);
  return pairs;
}
