/**
 * Finds the geometry of tables that have none by themselves: in a column of WKT, or in a longitude and a latitude.
 *
 * The first rows decide. WKT: every value that is there looks like it and can be read. Longitude and latitude: columns
 * named so (`lon`, `lng`, `long`, `longitude`, with whatever stands before it in both names, or `x` and `y`) of which
 * nine in ten rows hold degrees, so that projected coordinates are never taken for degrees. Later rows whose value
 * can't be read have no geometry, and keep their values in the columns.
 */
import { boxOf } from '../../geometry/bounding-box.ts';
import type { Geometry } from '../../geometry/geometry.ts';
import { parseWkt } from '../../geometry/wkt.ts';

/** Makes the geometry of a row from its cells; `wkt` is the column that it takes the place of, `pair` those that it is made of. */
export interface Locator {
  readonly wkt?: number;
  readonly pair?: readonly [x: number, y: number];
  /** Null where there is none; undefined where something is there that can't be read. */
  locate(cells: readonly (string | undefined)[]): Geometry | null | undefined;
}

type Cells = readonly (string | undefined)[];

const wktStart =
  /^\s*(?:SRID=\d+;\s*)?(?:(?:MULTI)?(?:POINT|LINESTRING|POLYGON)|GEOMETRYCOLLECTION)\s*(?:ZM?|M)?\s*(?:\(|EMPTY)/i;
const simplePoint = /^\s*POINT\s*\(\s*(-?\d+(?:\.\d+)?)\s+(-?\d+(?:\.\d+)?)\s*\)\s*$/i;

/** @param rows the first ones; @returns null where the table has no geometry */
export function findLocator(names: readonly string[], rows: readonly Cells[]): Locator | null {
  for (let column = 0; column < names.length; column++) {
    const values = rows.map((row) => row[column]).filter((value) => value !== undefined && value !== '') as string[];
    if (values.length > 0 && values.every((value) => wktStart.test(value) && readWkt(value) !== undefined)) {
      return { wkt: column, locate: (cells) => readWkt(cells[column]) };
    }
  }
  for (const [x, y] of degreePairs(names)) {
    const locate = (cells: Cells) => pointOf(cells[x], cells[y]);
    const found = rows.map(locate).filter((geometry) => geometry !== null);
    const good = found.filter((geometry) => geometry !== undefined).length;
    if (good > 0 && good >= 0.9 * found.length) return { pair: [x, y], locate };
  }
  return null;
}

/** @returns null for no geometry or an empty point, undefined for text that isn't WKT in WGS 84 */
function readWkt(text: string | undefined): Geometry | null | undefined {
  if (text === undefined || text.trim() === '') return null;
  const point = simplePoint.exec(text);
  if (point) return { type: 'Point', coordinates: [Number(point[1]), Number(point[2])] };
  try {
    const geometry = parseWkt(text);
    return geometry.type === 'Point' && boxOf(geometry) === null ? null : geometry;
  } catch {
    return undefined;
  }
}

function pointOf(x: string | undefined, y: string | undefined): Geometry | null | undefined {
  if (x === undefined || y === undefined || x.trim() === '' || y.trim() === '') return null;
  const [lon, lat] = [Number(x), Number(y)];
  return Math.abs(lon) <= 180 && Math.abs(lat) <= 90 ? { type: 'Point', coordinates: [lon, lat] } : undefined;
}

/** Pairs of columns that may be longitude and latitude, the best names first. */
function degreePairs(names: readonly string[]): [number, number][] {
  const plain = names.map((name) => name.trim().toLowerCase());
  const pairs: [number, number][] = [];
  plain.forEach((name, x) => {
    const match = /^(.*?)(?:longitude|long|lng|lon)(_?(?:deg|dd|wgs84)?)$/.exec(name);
    if (!match) return;
    const [, before = '', after = ''] = match;
    const y = plain.findIndex((other) => other === `${before}latitude${after}` || other === `${before}lat${after}`);
    if (y !== -1) pairs.push([x, y]);
  });
  pairs.sort(([a], [b]) => (plain[a] as string).length - (plain[b] as string).length || a - b);
  const [x, y] = [plain.indexOf('x'), plain.indexOf('y')];
  if (x !== -1 && y !== -1) pairs.push([x, y]);
  return pairs;
}
