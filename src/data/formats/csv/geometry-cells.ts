/**
 * Geometries in cells of CSV: WKT, WKB in hexadecimal (PostGIS writes columns of geometries so), and GeoJSON. Text of PostGIS
 * (EWKT, EWKB) and GeoJSON of 2008 may name a reference system.
 */
import { PayloadError } from '../../errors.ts';
import { bboxOfGeometry } from '../../geometry/bounding-box.ts';
import type { Geometry } from '../../geometry/geometry.ts';
import { validateGeoJson } from '../../geometry/parse-geometry.ts';
import { readExactWkb, sridOfEwkb } from '../../geometry/wkb.ts';
import { parseWkt } from '../../geometry/wkt.ts';
import { crsOfGeojson } from '../json/features.ts';

const wktStart =
  /^\s*(?:SRID=\d+;\s*)?(?:(?:MULTI)?(?:POINT|LINESTRING|POLYGON)|GEOMETRYCOLLECTION)\s*(?:ZM?|M)?\s*(?:\(|EMPTY)/i;

/** Byte order and type. `\x` stands before bytes (`bytea`) of PostgreSQL. */
const hexWkbStart = /^\s*(?:\\x)?0[01][\da-f]{8}/i;
const hexWkb = /^\s*(?:\\x)?((?:[\da-f]{2})+)\s*$/i;

const geojsonStart = /^\s*\{\s*"(?:type|coordinates|geometries|geometry|bbox|crs)"\s*:/;

const simplePoint = /^\s*POINT\s*\(\s*(-?\d+(?:\.\d+)?)\s+(-?\d+(?:\.\d+)?)\s*\)\s*$/i;
const sridPrefix = /^\s*(SRID=\d+)\s*;/i;

/** True for text that begins like a geometry. */
export const beginsLikeGeometry = (text: string): boolean =>
  wktStart.test(text) || hexWkbStart.test(text) || geojsonStart.test(text);

/** @returns null for no geometry or an empty point, undefined for text that isn't a geometry */
export function parseGeometryCell(text: string | undefined): Geometry | null | undefined {
  if (text === undefined || text.trim() === '') return null;
  const point = simplePoint.exec(text);
  if (point) return { type: 'Point', coordinates: [Number(point[1]), Number(point[2])] };
  try {
    const geometry = parseGeometryText(text);
    return geometry.type === 'Point' && bboxOfGeometry(geometry) === null ? null : geometry;
  } catch {
    return undefined;
  }
}

/** @throws Error if the text is no geometry */
function parseGeometryText(text: string): Geometry {
  if (hexWkbStart.test(text)) return readExactWkb(bytesOfHex(text));
  if (geojsonStart.test(text)) return validateGeoJson(JSON.parse(text), { vertices: Infinity, depth: 8 });
  return parseWkt(text.replace(sridPrefix, ''));
}

function bytesOfHex(text: string): Uint8Array {
  const [, digits] = hexWkb.exec(text) ?? [];
  if (digits === undefined) throw new PayloadError('the bytes are not pairs of hexadecimal digits');
  return Buffer.from(digits, 'hex');
}

/** The reference system that a cell names, as in `SRID=25833;POINT(1 2)`; undefined if it names none. */
export function crsOfGeometryCell(text: string | undefined): string | undefined {
  if (text === undefined) return undefined;
  if (hexWkbStart.test(text)) {
    const srid = sridOfEwkb(Buffer.from(text.trim().replace(/^\\x/, '').slice(0, 18), 'hex'));
    return srid ? `SRID=${srid}` : undefined;
  }
  return geojsonStart.test(text) ? crsOfGeojsonText(text) : sridPrefix.exec(text)?.[1];
}

function crsOfGeojsonText(text: string): string | undefined {
  if (!text.includes('"crs"')) return undefined;
  try {
    return crsOfGeojson(JSON.parse(text));
  } catch {
    return undefined;
  }
}
