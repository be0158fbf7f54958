/**
 * Rows and their schema: the interface between formats, tables and predicates. The geometry is kept apart from the other
 * columns; a row may have the `id` of the GeoJSON feature it came from.
 */
import { didYouMean } from '../catalogue/closest.ts';
import { excerpt } from '../catalogue/errors.ts';
import { composeLetters, isAscii, normalizeText } from '../catalogue/normalize.ts';
import type { Column, ColumnType } from '../catalogue/types.ts';
import { ParameterError } from './errors.ts';
import type { Bbox, Geometry } from './geometry/geometry.ts';

/** A column other than the geometry; its type says which values it has (see `Value`). */
export interface TableColumn {
  readonly name: string;
  readonly type: Exclude<ColumnType, 'geometry'>;
}

/** The columns of a table. */
export interface TableSchema {
  /** True if there is a geometry column (named `geometry`). */
  readonly hasGeometry: boolean;
  /** The other columns, in order. */
  readonly columns: readonly TableColumn[];
  /** Columns by other names that they have had, with composed letters: several if the name is ambiguous. */
  readonly otherNames?: ReadonlyMap<string, readonly string[]>;
  /** Number of names that errors may still suggest; absent if any: to find the nearest of ten thousand takes milliseconds. */
  readonly suggestions?: { left: number };
}

/**
 * A value; null if it is missing. Number for integer and float; boolean; string for string, date (YYYY-MM-DD), datetime
 * (RFC 3339, as it was written) and time (HH:MM[:SS[.s]]); plain JSON for object and array.
 */
export type Value = null | boolean | number | string | readonly unknown[] | { readonly [key: string]: unknown };

/**
 * One row, read on demand. It may be a cursor: the same object for every row, moved from one to the next. To keep a row,
 * copy its values.
 */
export interface Row {
  /** @param column index in the schema's `columns` */
  value(column: number): Value;
  geometry(): Geometry | null;
  /** Bounding box of the geometry; null if there is no geometry or it is empty. Cheaper than `geometry()`. */
  bbox(): Bbox | null;
  /** The GeoJSON feature's id, as it was written; undefined if it has none. */
  id(): string | number | undefined;
  /** The value of a column as ASCII, if it is a text and stored so, else null: faster than `value`. */
  asciiText?(column: number): AsciiSlice | null;
  /** Puts the coordinates of a point of two dimensions into `position`. @returns false for any other geometry, or none */
  readPoint?(position: Float64Array): boolean;
  /** The geometry as `toWkb` writes it, where it is stored so, else null: faster than `geometry`. */
  wkb?(): Uint8Array | null;
}

/** Bytes of an ASCII text. A reader may return the same object for each text. */
export interface AsciiSlice {
  readonly bytes: Uint8Array;
  readonly start: number;
  readonly end: number;
}

/** Rows for a writer: one by one, or in groups, which is faster. May be cursors: a row is used until the next is read. */
export type RowSource = Iterable<Row> | AsyncIterable<Row> | { readonly groups: AsyncIterable<Iterable<Row>> };

/** A copy of a text: a slice would keep the longer text that it was cut from in memory. */
export const detachedCopy = (text: string): string => Buffer.from(text, 'utf16le').toString('utf16le');

/** Name of the geometry column, in every table that has one. */
export const geometryColumnName = 'geometry';

/** Indexes of columns by name, and the length of the longest name, however its letters are composed. */
interface NameIndex {
  readonly indexes: ReadonlyMap<string, number>;
  /** Names with letters that can be composed, by the name with these composed. */
  readonly composedNames: ReadonlyMap<string, string>;
  readonly longest: number;
}

/** Those of the columns of each schema: queries may name hundreds of ten thousand columns. */
const nameIndexes = new WeakMap<TableSchema['columns'], NameIndex>();

function nameIndexOf({ columns }: TableSchema): NameIndex {
  const known = nameIndexes.get(columns);
  if (known) return known;
  const indexes = new Map<string, number>();
  const composedNames = new Map<string, string>();
  let longest = geometryColumnName.length;
  for (const [index, { name }] of columns.entries()) {
    // Of columns with the same name, the first one counts.
    if (!indexes.has(name)) indexes.set(name, index);
    longest = Math.max(longest, name.length);
    if (isAscii(name)) continue;
    const composed = normalizeText(name, 'NFC');
    if (!composedNames.has(composed)) composedNames.set(composed, name);
    longest = Math.max(longest, normalizeText(name, 'NFD').length);
  }
  const made = { indexes, composedNames, longest };
  nameIndexes.set(columns, made);
  return made;
}

/** Length of the longest name that a column has or has had, in UTF-16 code units. */
export function longestName(schema: TableSchema): number {
  let { longest } = nameIndexOf(schema);
  for (const name of schema.otherNames?.keys() ?? [])
    longest = Math.max(longest, isAscii(name) ? name.length : normalizeText(name, 'NFD').length);
  return longest;
}

/** Index of a column in the schema's `columns`; undefined if there is none of that name. */
export const findColumnIndex = (name: string, schema: TableSchema): number | undefined =>
  nameIndexOf(schema).indexes.get(name);

/** The type of a column; undefined if there is none of that name. */
export function columnType(name: string, schema: TableSchema): ColumnType | undefined {
  if (schema.hasGeometry && name === geometryColumnName) return 'geometry';
  const index = findColumnIndex(name, schema);
  return index === undefined ? undefined : schema.columns[index]?.type;
}

/**
 * The column that a query means by a name: its own, one that looks the same (canonical equivalence, UAX 15: `é` may be one character, or
 * an e and a mark), or another one that it has had.
 * @throws ParameterError if several columns have had the name
 */
export function findColumn(name: string, schema: TableSchema): Pick<Column, 'name' | 'type'> | undefined {
  const own = columnType(name, schema);
  if (own) return { name, type: own };
  const same = isAscii(name) ? undefined : nameIndexOf(schema).composedNames.get(normalizeText(name, 'NFC'));
  if (same !== undefined) return { name: same, type: columnType(same, schema) as ColumnType };
  const meant = schema.otherNames?.get(composeLetters(name)) ?? [];
  if (meant.length > 1) {
    const columns = meant.map((one) => `"${excerpt(one)}"`).join(' and ');
    throw new ParameterError(`The name "${excerpt(name)}" is ambiguous: ${columns} were called so. Write one of them.`);
  }
  const [present = ''] = meant;
  const type = columnType(present, schema);
  return type && { name: present, type };
}

/** Names of all columns, the geometry first. */
export function columnNames(schema: TableSchema): string[] {
  return [...(schema.hasGeometry ? [geometryColumnName] : []), ...schema.columns.map((column) => column.name)];
}

/** True if an error may suggest a name, which is counted. */
export function maySuggest({ suggestions }: TableSchema): boolean {
  return !suggestions || suggestions.left-- > 0;
}

/** ` Did you mean "…"?` with the nearest name of a column, or ''. @param others further names to suggest */
export function columnHint(name: string, schema: TableSchema, others: readonly string[] = []): string {
  return maySuggest(schema) ? didYouMean(name, [...columnNames(schema), ...others]) : '';
}

/**
 * Index of a column in the schema's `columns`.
 * @throws Error if there is none of that name
 */
export function columnIndex(name: string, schema: TableSchema): number {
  const index = findColumnIndex(name, schema);
  if (index === undefined) throw new Error(`There is no column "${excerpt(name)}".`);
  return index;
}
