/** JSON (RFC 8259) written to a TextBuffer: the result of JSON.stringify, without intermediate strings. */
import type { Coordinates, Geometry } from '../../geometry/geometry.ts';
import type { Value } from '../../row.ts';
import type { TextBuffer } from '../text-buffer.ts';

/** Characters to escape: control characters, quote and backslash (RFC 8259, section 7). */
const escaped = new Uint8Array(128).fill(1, 0, 0x20);
escaped[34] = 1;
escaped[92] = 1;

/** `"name":` in UTF-8. */
export function encodeKey(name: string): Uint8Array {
  return Buffer.from(`${JSON.stringify(name)}:`);
}

/** Writes any value; a number that isn't finite is null. */
export function writeJson(out: TextBuffer, value: Value): void {
  if (typeof value === 'number') writeJsonNumber(out, value);
  else if (typeof value === 'string') writeJsonString(out, value);
  else if (typeof value === 'object' && value !== null) out.text(JSON.stringify(value));
  else out.text(String(value));
}

export function writeJsonNumber(out: TextBuffer, value: number): void {
  if (Number.isFinite(value)) out.number(value);
  else out.text('null');
}

export function writeJsonString(out: TextBuffer, text: string): void {
  const start = out.end;
  out.byte(34);
  if (out.plainText(text, escaped)) {
    out.byte(34);
  } else {
    // Surrogates, too: pairs take four bytes, and lone ones are escaped.
    out.end = start;
    out.text(JSON.stringify(text));
  }
}

/** Writes a GeoJSON geometry (RFC 7946, section 3.1) or null; positions keep all their numbers. */
export function writeGeoJson(out: TextBuffer, geometry: Geometry | null): void {
  if (geometry === null) {
    out.text('null');
    return;
  }
  out.append(opening[geometry.type]);
  if (geometry.type === 'GeometryCollection') {
    out.byte(91);
    geometry.geometries.forEach((member, i) => {
      if (i > 0) out.byte(44);
      writeGeoJson(out, member);
    });
    out.byte(93);
  } else writeCoordinates(out, geometry.coordinates);
  out.byte(125);
}

function writeCoordinates(out: TextBuffer, coordinates: Coordinates): void {
  out.byte(91);
  for (let i = 0; i < coordinates.length; i++) {
    if (i > 0) out.byte(44);
    const part = coordinates[i] as number | Coordinates;
    if (typeof part === 'number') writeJsonNumber(out, part);
    else writeCoordinates(out, part);
  }
  out.byte(93);
}

const openingBytes = (type: Geometry['type'], content: string) => Buffer.from(`{"type":"${type}","${content}":`);

const opening: Record<Geometry['type'], Uint8Array> = {
  Point: openingBytes('Point', 'coordinates'),
  MultiPoint: openingBytes('MultiPoint', 'coordinates'),
  LineString: openingBytes('LineString', 'coordinates'),
  MultiLineString: openingBytes('MultiLineString', 'coordinates'),
  Polygon: openingBytes('Polygon', 'coordinates'),
  MultiPolygon: openingBytes('MultiPolygon', 'coordinates'),
  GeometryCollection: openingBytes('GeometryCollection', 'geometries'),
};
