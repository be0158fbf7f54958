/** A table in memory, of rows as NDJSON has them: what a browser queries, by the code that queries columnar copies. */
import { bboxOfGeometry, doBboxesIntersect } from '../geometry/bounding-box.ts';
import type { Geometry } from '../geometry/geometry.ts';
import { geometryColumnName, type TableColumn, type TableSchema, type Value } from '../row.ts';
import { type ColumnChunk, type ColumnValues, decodeColumn, encodeColumn } from './column-chunk.ts';
import type { GeometryChunk } from './geometry-chunk.ts';
import { RowCursor } from './row-cursor.ts';
import type { RowTable, ScannedRows, ScanOptions } from './table.ts';

/** A row as an object; the geometry is GeoJSON. */
export type RowObject = Readonly<Record<string, Value>>;

/**
 * @param schema the columns, of the types that the table has on disk
 * @param rows all rows, in file order
 * @throws TypeError if a column has values of several types
 */
export function tableOfRows(schema: TableSchema, rows: readonly RowObject[]): RowTable {
  const chunks = schema.columns.map((column) => chunkOf(column, rows));
  const geometries = schema.hasGeometry ? geometryChunk(rows) : undefined;
  const columns = schema.columns.map((column, key) => ({ ...column, key }));
  const reader = { readSync: (_: number, key: unknown) => (key === 'geometry' ? geometries : chunks[Number(key)]) };
  const newCursor = () => new RowCursor({ columns }, reader, 0, 0);
  return {
    schema,
    rowCount: rows.length,
    row: async (index) => newCursor().moveTo(index),
    async *scanRowGroups({ boxes = null, startRow = 0, rows: only }: ScanOptions = {}) {
      if (rows.length === 0 || boxes?.length === 0) return;
      const cursor = newCursor();
      const numbers = only?.between(startRow, rows.length) ?? range(startRow, rows.length);
      const group: ScannedRows = {
        groupRows: rows.length,
        start: 0,
        isWholeGroup: !boxes && !only && startRow === 0,
        chunk: (column) => cursor.chunk(column),
        points: () => undefined,
        [Symbol.iterator]: () => (boxes ? cursor.intersecting(numbers, boxes) : cursor.each(numbers)),
      };
      yield group;
    },
  };
}

const range = (start: number, end: number): number[] => Array.from({ length: end - start }, (_, n) => start + n);

/** @returns undefined if all values are null */
function chunkOf({ name, type }: TableColumn, rows: readonly RowObject[]): ColumnChunk | undefined {
  const isJson = type === 'object' || type === 'array';
  const values = rows.map((row) => {
    const value = Object.hasOwn(row, name) ? (row[name] ?? null) : null;
    return isJson && value !== null ? JSON.stringify(value) : value;
  });
  const present = values.find((value) => value !== null);
  if (present === undefined) return undefined;
  const stray = values.find((value) => value !== null && typeof value !== typeof present);
  if (stray !== undefined) throw new TypeError(`The column "${name}" has values of several types.`);
  const column = columnOf(values, typeof present);
  return decodeColumn(column.kind, bytesOf(encodeColumn(column)));
}

function columnOf(values: readonly Value[], type: string): ColumnValues {
  if (type === 'number')
    return { kind: 'numbers', numbers: Float64Array.from(values, (value) => (value as number | null) ?? Number.NaN) };
  if (type === 'boolean')
    return { kind: 'booleans', codes: Uint8Array.from(values, (value) => (value === null ? 0 : value ? 2 : 1)) };
  return { kind: 'texts', entries: values as readonly (string | null)[], codes: null };
}

/** The bytes, in memory of their own. */
function bytesOf(parts: readonly Uint8Array[]): ArrayBuffer {
  const bytes = new Uint8Array(parts.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const part of parts) {
    bytes.set(part, at);
    at += part.length;
  }
  return bytes.buffer;
}

function geometryChunk(rows: readonly RowObject[]): GeometryChunk {
  const geometries = rows.map((row) => (row[geometryColumnName] ?? null) as Geometry | null);
  const boxes = geometries.map((geometry) => geometry && bboxOfGeometry(geometry));
  return {
    bytes: 0,
    geometry: (row) => geometries[row] ?? null,
    bbox: (row) => boxes[row] ?? null,
    intersects: (row, box) => {
      const own = boxes[row];
      return own ? doBboxesIntersect(own, box) : false;
    },
  };
}
