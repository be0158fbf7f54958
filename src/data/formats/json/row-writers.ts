/** Rows as JSON: GeoJSON Features or plain objects, in an array or one a line. */

import type { Coordinates, Geometry } from '../../geometry/geometry.ts';
import { directRings } from '../../geometry/ring-direction.ts';
import type { Row, Value } from '../../row.ts';
import { columnsToWrite, columnsWithoutGeometry, unusedColumnName } from '../selected-columns.ts';
import type { TextBuffer, TextWriter } from '../text-buffer.ts';
import type { RowsInput } from '../types.ts';

type ColumnsInput = Pick<RowsInput, 'schema' | 'fields' | 'mayHaveMisdirectedRings'>;

const featureStart = Buffer.from('{"type":"Feature",');
const idKey = encodeJsonKey('id');
const geometryKey = encodeJsonKey('geometry');
const propertiesKey = encodeJsonKey('properties');

/** Writes a row as an item, or some columns of it: as `row` of `TextWriter`. */
export type ItemWriter = Pick<TextWriter, 'columns' | 'row'>;

/**
 * A writer of a row as a Feature (RFC 7946, section 3.2), with its `id` if it has one. There is
 * always a member `geometry`, as the RFC requires; it is null if there is none or it isn't selected.
 */
export function makeFeatureWriter(input: ColumnsInput & Pick<RowsInput, 'idOf'>, out: TextBuffer): ItemWriter {
  const selected = columnsToWrite(input);
  const hasGeometry = selected.some(({ kind }) => kind === 'geometry');
  const columns = columnsWithoutGeometry(selected).map(({ index, name }) => memberOf(index, name));
  const idOf = input.idOf ?? ((row) => row.id());
  return {
    columns: columns.length,
    row(row, from, to) {
      if (from === 0) {
        out.append(featureStart);
        const id = idOf(row);
        if (id !== undefined) {
          out.append(idKey);
          writeJson(out, id);
          out.byte(44);
        }
        out.append(geometryKey);
        writeRowGeometry(out, hasGeometry ? row : null, input.mayHaveMisdirectedRings);
        out.byte(44);
        out.append(propertiesKey);
        out.byte(123);
      }
      for (let i = from; i < to; i++) {
        const column = columns[i] as Member;
        if (i > 0) out.byte(44);
        column.key ??= encodeJsonKey(column.name);
        out.append(column.key);
        writeRowValue(out, row, column.index);
      }
      if (to < columns.length) return;
      out.byte(125);
      out.byte(125);
    },
  };
}

/**
 * A writer of a row as a plain object, with the geometry as GeoJSON under `geometry` (or `geometry_1` … if a
 * column has that name).
 */
export function makeObjectWriter(input: ColumnsInput, out: TextBuffer): ItemWriter {
  const selected = columnsToWrite(input);
  const columns = selected.map((column) =>
    column.kind === 'geometry'
      ? memberOf(-1, unusedColumnName('geometry', selected))
      : memberOf(column.index, column.name),
  );
  return {
    columns: columns.length,
    row(row, from, to) {
      if (from === 0) out.byte(123);
      for (let i = from; i < to; i++) {
        const column = columns[i] as Member;
        if (i > 0) out.byte(44);
        column.key ??= encodeJsonKey(column.name);
        out.append(column.key);
        if (column.index < 0) writeRowGeometry(out, row, input.mayHaveMisdirectedRings);
        else writeRowValue(out, row, column.index);
      }
      if (to === columns.length) out.byte(125);
    },
  };
}

/** A column as a member of objects; the index of the geometry is -1. */
interface Member {
  readonly index: number;
  readonly name: string;
  /** Encoded with the first row: thousands of them would make a long turn before it. */
  key: Uint8Array | undefined;
}

const memberOf = (index: number, name: string): Member => ({ index, name, key: undefined });

/** A writer of `before[…]after` with an item per row, each on a line of its own. */
export function arrayWriter(
  out: TextBuffer,
  item: ItemWriter,
  { before = '', after = '' }: { before?: string; after?: string } = {},
): TextWriter {
  let isFirst = true;
  return {
    columns: item.columns,
    start: () => out.text(`${before}[`),
    row(row, from, to) {
      if (from === 0) {
        if (!isFirst) out.byte(44);
        isFirst = false;
        out.byte(10);
      }
      item.row(row, from, to);
    },
    end: () => out.text(`\n]${after}\n`),
  };
}

/** A writer of an item per row, each ended by a newline. */
export function lineWriter(out: TextBuffer, item: ItemWriter): TextWriter {
  return {
    columns: item.columns,
    start() {},
    row(row, from, to) {
      item.row(row, from, to);
      if (to === item.columns) out.byte(10);
    },
    end() {},
  };
}

/** Characters to escape: control characters, quote and backslash (RFC 8259, section 7). */
const escaped = new Uint8Array(128).fill(1, 0, 0x20);
escaped[34] = 1;
escaped[92] = 1;

/** `"name":` in UTF-8. */
function encodeJsonKey(name: string): Uint8Array {
  return Buffer.from(`${JSON.stringify(name)}:`);
}

const nullBytes = Buffer.from('null');
const trueBytes = Buffer.from('true');
const falseBytes = Buffer.from('false');
const quote = 34;

function writeRowValue(out: TextBuffer, row: Row, column: number): void {
  const text = row.asciiText?.(column);
  if (text) {
    const start = out.end;
    out.byte(quote);
    if (out.plainAscii(text, escaped)) {
      out.byte(quote);
      return;
    }
    out.end = start;
  }
  writeJson(out, row.value(column));
}

const point = new Float64Array(2);

function writeRowGeometry(out: TextBuffer, row: Row | null, mayHaveMisdirectedRings = false): void {
  if (!row?.readPoint?.(point)) {
    const geometry = row === null ? null : row.geometry();
    writeGeoJsonGeometry(out, geometry && mayHaveMisdirectedRings ? directRings(geometry) : geometry);
    return;
  }
  out.append(opening.Point);
  out.byte(91);
  writeJsonNumber(out, point[0] as number);
  out.byte(44);
  writeJsonNumber(out, point[1] as number);
  out.byte(93);
  out.byte(125);
}

/** Writes any value; a number that isn't finite is null. */
function writeJson(out: TextBuffer, value: Value): void {
  if (typeof value === 'number') writeJsonNumber(out, value);
  else if (typeof value === 'string') writeJsonString(out, value);
  else if (typeof value === 'object' && value !== null) out.text(JSON.stringify(value));
  else out.append(value === null ? nullBytes : value ? trueBytes : falseBytes);
}

function writeJsonNumber(out: TextBuffer, value: number): void {
  if (Number.isFinite(value)) out.cellNumber(value);
  else out.append(nullBytes);
}

function writeJsonString(out: TextBuffer, text: string): void {
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
function writeGeoJsonGeometry(out: TextBuffer, geometry: Geometry | null): void {
  if (geometry === null) {
    out.append(nullBytes);
    return;
  }
  out.append(opening[geometry.type]);
  if (geometry.type === 'GeometryCollection') {
    out.byte(91);
    geometry.geometries.forEach((member, i) => {
      if (i > 0) out.byte(44);
      writeGeoJsonGeometry(out, member);
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
