/** JSON (RFC 8259) written into a TextBuffer: what JSON.stringify would say, without a string for each piece. */
import type { Geometry } from '../../geometry/geometry.ts';
import type { Value } from '../../row.ts';
import type { TextBuffer } from '../text-buffer.ts';

/** Control characters, quote and backslash (RFC 8259, section 7). */
const escaped = new Uint8Array(128).fill(1, 0, 0x20);
escaped[34] = 1;
escaped[92] = 1;

type Coordinates = readonly (number | Coordinates)[];

/** `"name":`, ready to be copied. */
export function preparedKey(name: string): Uint8Array {
  return Buffer.from(`${JSON.stringify(name)}:`);
}

/** Any value; a number that isn't finite is null. */
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
  if (out.plain(text, escaped)) {
    out.byte(34);
  } else {
    // Also where there are surrogates: pairs take four bytes, and lone ones are escaped.
    out.end = start;
    out.text(JSON.stringify(text));
  }
}

/** A GeoJSON geometry (RFC 7946, section 3.1), with as many numbers in each position as it has; or null. */
export function writeGeometry(out: TextBuffer, geometry: Geometry | null): void {
  if (geometry === null) {
    out.text('null');
    return;
  }
  out.prepared(opening[geometry.type]);
  if (geometry.type === 'GeometryCollection') {
    out.byte(91);
    geometry.geometries.forEach((member, i) => {
      if (i > 0) out.byte(44);
      writeGeometry(out, member);
    });
    out.byte(93);
  } else writeCoordinates(out, geometry.coordinates);
  out.byte(125);
}

function writeCoordinates(out: TextBuffer, coordinates: Coordinates): void {
  out.byte(91);
  for (let i = 0; i < coordinates.length; i++) {
    if (i > 0) out.byte(44);
    const each = coordinates[i] as number | Coordinates;
    if (typeof each === 'number') writeJsonNumber(out, each);
    else writeCoordinates(out, each);
  }
  out.byte(93);
}

const head = (type: Geometry['type'], content: string) => Buffer.from(`{"type":"${type}","${content}":`);

const opening: Record<Geometry['type'], Uint8Array> = {
  Point: head('Point', 'coordinates'),
  MultiPoint: head('MultiPoint', 'coordinates'),
  LineString: head('LineString', 'coordinates'),
  MultiLineString: head('MultiLineString', 'coordinates'),
  Polygon: head('Polygon', 'coordinates'),
  MultiPolygon: head('MultiPolygon', 'coordinates'),
  GeometryCollection: head('GeometryCollection', 'geometries'),
};
