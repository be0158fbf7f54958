/** Features from JSON as it occurs: with reference systems, without `type`, or as Esri JSON. */
import { PayloadError } from '../../errors.ts';
import { crsOfEsri, geometryOfEsri, isEsriFeature } from '../../geometry/esri.ts';
import { isGeometry } from '../../geometry/geometry.ts';
import { InvalidGeometryError } from '../../geometry/validate.ts';
import { countRepair, type PayloadInfo } from '../types.ts';

export type JsonObject = Record<string, unknown>;

export const isObject = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/**
 * The reference system that an object names: the member `crs` of GeoJSON 2008 (section 3), also in older forms. RFC 7946 has
 * no other system than WGS 84.
 */
export function crsOfGeojson({ crs }: JsonObject): string | undefined {
  if (crs === null || crs === undefined) return undefined;
  if (typeof crs === 'string') return crs;
  const { type, properties } = crs as { type?: unknown; properties?: Record<string, unknown> };
  const { name, code, href } = properties ?? {};
  if (typeof name === 'string') return name;
  if (code !== undefined) return type === 'OGC' ? `OGC:${code}` : `EPSG:${code}`;
  return typeof href === 'string' ? href : JSON.stringify(crs).slice(0, 100);
}

/** A Feature of GeoJSON from one without `type`, with an invalid `bbox`, or of Esri JSON; other objects as they are. */
export function toFeature(item: JsonObject, info: PayloadInfo, line: number, offset: number): JsonObject {
  if (item.type === undefined && isEsriFeature(item)) {
    info.hint = 'The file is Esri JSON.';
    try {
      const crs = isObject(item.geometry) ? crsOfEsri(item.geometry) : undefined;
      const geometry = geometryOfEsri(item.geometry);
      return { type: 'Feature', geometry, properties: item.attributes, ...(crs && { crs }) };
    } catch (error) {
      if (error instanceof InvalidGeometryError) throw new PayloadError(error.message, { line, byte: offset });
      throw error;
    }
  }
  const { type, bbox, geometry, properties } = item;
  const isBbox = Array.isArray(bbox) && [4, 6].includes(bbox.length) && bbox.every((side) => typeof side === 'number');
  if (type === 'Feature' && bbox !== undefined && bbox !== null && !isBbox) countRepair(info, 'invalid_bboxes', line);
  const isUntyped = type === undefined && (geometry === null || isGeometry(geometry));
  if (!isUntyped || (properties !== null && !isObject(properties))) return item;
  countRepair(info, 'missing_types', line);
  return { ...item, type: 'Feature' };
}
