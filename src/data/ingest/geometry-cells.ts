/**
 * Geometries in cells of a table: WKT, WKB in hexadecimal (PostGIS writes columns of geometries so) or base64 (the bytes of
 * plain Parquet), and GeoJSON, as text or as an object. EWKT and EWKB of PostGIS, and GeoJSON of 2008, may name a reference system.
 */
import { PayloadError } from '../errors.ts';
import { crsOfGeojson, isObject } from '../formats/json/features.ts';
import { bboxOfGeometry } from '../geometry/bounding-box.ts';
import type { Geometry } from '../geometry/geometry.ts';
import { validateGeoJson } from '../geometry/parse-geometry.ts';
import { readExactWkb, sridOfEwkb } from '../geometry/wkb.ts';
import { parseWkt, wktTypes } from '../geometry/wkt.ts';

const wktStart =
  /^\s*(?:SRID=\d+;\s*)?(?:(?:MULTI)?(?:POINT|LINESTRING|POLYGON)|GEOMETRYCOLLECTION)\s*(?:(?:ZM?|M)\s*)?(?:\(|EMPTY)/i;

/** Byte order and type. `\x` stands before bytes (`bytea`) of PostgreSQL. */
const hexWkbStart = /^\s*(?:\\x)?0[01][\da-f]{8}/i;
const hexDigits = /^\s*(?:\\x)?((?:[\da-f]{2})+)\s*$/i;

/** Byte order and the first byte of the type, or its last. */
const base64WkbStart = /^A[AQ][A-Za-z0-9+/]{6}/;
const base64Digits = /^((?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?)$/;

const geojsonStart = /^\s*\{\s*"(?:type|coordinates|geometries|geometry|bbox|crs)"\s*:/;

const simplePoint = /^\s*POINT\s*\(\s*(-?\d+(?:\.\d+)?)\s+(-?\d+(?:\.\d+)?)\s*\)\s*$/i;
const sridPrefix = /^\s*(SRID=\d+)\s*;/i;

/** True for a cell that begins like a geometry. */
export function beginsLikeGeometry(cell: unknown): boolean {
  if (typeof cell === 'string') return wktStart.test(cell) || beginsLikeWkb(cell) || geojsonStart.test(cell);
  return isObject(cell) && (cell.type === 'Feature' || wktTypes.includes(String(cell.type).toUpperCase()));
}

/** True for WKB in hexadecimal, and for base64 whose first bytes are a byte order and the number of a type, with flags. */
function beginsLikeWkb(text: string): boolean {
  if (hexWkbStart.test(text)) return true;
  if (!base64WkbStart.test(text)) return false;
  const bytes = Buffer.from(text.slice(0, 8), 'base64');
  const type = (bytes[0] === 1 ? bytes.readUInt32LE(1) : bytes.readUInt32BE(1)) & 0x1fffffff;
  return type < 4000 && type % 1000 >= 1 && type % 1000 <= 7;
}

/** @returns null for an empty cell or an empty point, undefined for a cell that isn't a geometry */
export function parseGeometryCell(cell: unknown): Geometry | null | undefined {
  if (isEmptyCell(cell)) return null;
  const point = typeof cell === 'string' && simplePoint.exec(cell);
  if (point) return { type: 'Point', coordinates: [Number(point[1]), Number(point[2])] };
  try {
    const geometry = typeof cell === 'string' ? parseGeometryText(cell) : geometryOfGeojson(cell);
    return geometry.type === 'Point' && bboxOfGeometry(geometry) === null ? null : geometry;
  } catch {
    return undefined;
  }
}

/** True for a missing value and blank text. */
export const isEmptyCell = (cell: unknown): cell is null | undefined | string =>
  cell === undefined || cell === null || (typeof cell === 'string' && cell.trim() === '');

/** @throws Error if the text is no geometry */
function parseGeometryText(text: string): Geometry {
  if (beginsLikeWkb(text)) return readExactWkb(bytesOfWkb(text));
  if (geojsonStart.test(text)) return geometryOfGeojson(JSON.parse(text));
  return parseWkt(text.replace(sridPrefix, ''));
}

const geometryOfGeojson = (value: unknown): Geometry => validateGeoJson(value, { vertices: Infinity, depth: 8 });

function bytesOfWkb(text: string): Buffer {
  const isHex = hexWkbStart.test(text);
  const [, digits] = (isHex ? hexDigits : base64Digits).exec(text) ?? [];
  if (digits === undefined) throw new PayloadError('the bytes are neither pairs of hexadecimal digits nor base64');
  return Buffer.from(digits, isHex ? 'hex' : 'base64');
}

/** The reference system that a cell names, as in `SRID=25833;POINT(1 2)`; undefined if it names none. */
export function crsOfGeometryCell(cell: unknown): string | undefined {
  if (typeof cell !== 'string') return isObject(cell) ? crsOfGeojson(cell) : undefined;
  if (beginsLikeWkb(cell)) {
    const hex = cell.trim().replace(/^\\x/, '').slice(0, 18);
    const srid = sridOfEwkb(
      hexWkbStart.test(cell) ? Buffer.from(hex, 'hex') : Buffer.from(cell.slice(0, 12), 'base64'),
    );
    return srid ? `SRID=${srid}` : undefined;
  }
  return geojsonStart.test(cell) ? crsOfGeojsonText(cell) : sridPrefix.exec(cell)?.[1];
}

function crsOfGeojsonText(text: string): string | undefined {
  if (!text.includes('"crs"')) return undefined;
  try {
    return crsOfGeojson(JSON.parse(text));
  } catch {
    return undefined;
  }
}

const geometryMembers = ['type', 'coordinates', 'geometries', 'bbox', 'crs'];

/** True for GeoJSON that says more than the geometry, such as the properties of a Feature. */
export function hasFurtherMembers(cell: unknown): boolean {
  if (typeof cell === 'string') return geojsonStart.test(cell) && hasFurtherMembers(JSON.parse(cell));
  if (!isObject(cell)) return false;
  if (cell.type !== 'Feature') return Object.keys(cell).some((name) => !geometryMembers.includes(name));
  const { type: _type, bbox: _bbox, crs: _crs, geometry, properties, ...others } = cell;
  const isPlain = Object.keys(others).length === 0 && Object.keys(properties ?? {}).length === 0;
  return !isPlain || hasFurtherMembers(geometry);
}

/** A cell as it is shown. */
export function textOfCell(cell: unknown): string {
  if (typeof cell === 'string') return cell;
  return cell === undefined || cell === null ? '' : JSON.stringify(cell);
}
