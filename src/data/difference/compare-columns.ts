/** The difference between the columns of two tables, and the comparison of values in the columns that both have. */
import type { ColumnDifference, NamedType, PlainRow, Rename } from '../../catalogue/difference.ts';
import type { ColumnType } from '../../catalogue/types.ts';
import type { Geometry } from '../geometry/geometry.ts';
import type { Row, TableSchema } from '../row.ts';

/** The schemas of two tables, with the names by which their columns are compared. */
export interface ComparedSchemas {
  readonly from: TableSchema;
  readonly to: TableSchema;
}

/** A column and its index in the table's schema; `geometryIndex` for the geometry. */
interface IndexedColumn extends NamedType {
  readonly index: number;
}

export const geometryIndex = -1;

/** A column that both tables have. */
export interface SharedColumn {
  readonly name: string;
  /** Index in each table. */
  readonly from: number;
  readonly to: number;
  readonly types: { readonly from: ColumnType; readonly to: ColumnType };
  /**
   * Converts a value so that equal values are identical (===). Values of one type are compared as such, integers and floats
   * as numbers. If the column's type has changed, they are compared as text: `7` equals `"7"` and `"7.0"`, because a new type is
   * reported once, and not for every row.
   */
  readonly normalize: (value: unknown) => ComparableValue;
}

export type ComparableValue = null | boolean | number | string;

/** The schema with new names of columns. */
function withNewNames(schema: TableSchema, renames: readonly Rename[]): TableSchema {
  const names = new Map(renames.map(({ from, to }) => [from, to]));
  return { ...schema, columns: schema.columns.map((one) => ({ ...one, name: names.get(one.name) ?? one.name })) };
}

/**
 * Compares the columns of two tables; `shared` are those that both have, with the same type or another.
 * @param renamed columns of the first table that have another name in the second: they are shared, by that name
 */
export function compareTableColumns(
  old: TableSchema,
  to: TableSchema,
  renamed: readonly Rename[] = [],
): { columns: ColumnDifference; schemas: ComparedSchemas; shared: SharedColumn[] } {
  const from = withNewNames(old, renamed);
  const before = new Map(indexedColumns(from).map((column) => [column.name, column]));
  const after = indexedColumns(to);
  const shared = after.flatMap((now): SharedColumn[] => {
    const then = before.get(now.name);
    if (!then) return [];
    const types = { from: then.type, to: now.type };
    return [{ name: now.name, from: then.index, to: now.index, types, normalize: normalizerFor(types) }];
  });
  const names = new Set(shared.map(({ name }) => name));
  const unshared = (columns: Iterable<IndexedColumn>) =>
    [...columns].filter(({ name }) => !names.has(name)).map(({ name, type }) => ({ name, type }));
  const columns = {
    added: unshared(after),
    dropped: unshared(before.values()),
    retyped: shared
      .filter(({ types }) => types.from !== types.to)
      .map(({ name, types }) => ({ name, from: types.from, to: types.to })),
    ...(renamed.length > 0 && { renamed }),
  };
  return { columns, schemas: { from, to }, shared };
}

function indexedColumns({ columns, hasGeometry }: TableSchema): IndexedColumn[] {
  const others = columns.map(({ name, type }, index) => ({ name, type, index }));
  return hasGeometry ? [{ name: 'geometry', type: 'geometry', index: geometryIndex }, ...others] : others;
}

const isNumber = (type: ColumnType) => type === 'integer' || type === 'float';

function normalizerFor({ from, to }: SharedColumn['types']): SharedColumn['normalize'] {
  if (from !== to && !(isNumber(from) && isNumber(to))) {
    const other = from === 'string' ? to : from;
    return (value) => (typeof value === 'string' ? textOf(value, other) : asText(value));
  }
  if (from === 'geometry') return (value) => (value === null ? null : geometryText(value as Geometry));
  if (from === 'object' || from === 'array') return (value) => (value === null ? null : canonicalJson(value));
  // 0 and -0 are equal, but not identical bytes.
  return isNumber(from)
    ? (value) => (value === 0 ? 0 : (value as ComparableValue))
    : (value) => value as ComparableValue;
}

/** Type and exact coordinates, without foreign members. */
function geometryText(geometry: Geometry): string {
  if (geometry.type === 'GeometryCollection') return `${geometry.type}[${geometry.geometries.map(geometryText)}]`;
  return geometry.type + JSON.stringify(geometry.coordinates);
}

/** A number with a point, blanks or an exponent, but without zeros before it: those are no number's. */
const numberPattern = /^\s*[+-]?(?!0\d)(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?\s*$/i;

/** The text of a value as `asText` writes it, if it is one of a type that the column had or has beside texts. */
function textOf(text: string, type: ColumnType): string {
  if (isNumber(type)) return numberPattern.test(text) ? String(Number(text)) : text;
  if (type === 'boolean') return /^(?:true|false)$/i.test(text) ? text.toLowerCase() : text;
  if (type !== 'object' && type !== 'array') return text;
  try {
    return canonicalJson(JSON.parse(text));
  } catch {
    return text;
  }
}

function asText(value: unknown): ComparableValue {
  if (value === null) return null;
  return typeof value === 'object' ? canonicalJson(value) : String(value);
}

/** @param index as in `IndexedColumn` */
export function columnValue(row: Row, index: number): unknown {
  return index === geometryIndex ? row.geometry() : row.value(index);
}

/** Options of a scan that reads columns ahead. @param indexes as in `IndexedColumn` */
export function scanOptionsForColumns(indexes: readonly number[]): {
  columns: readonly number[];
  needsGeometry: boolean;
} {
  return {
    columns: indexes.filter((index) => index !== geometryIndex),
    needsGeometry: indexes.includes(geometryIndex),
  };
}

/** A function that copies a row: its values by column name, the geometry first. */
export function makeRowCopier(schema: TableSchema): (row: Row) => PlainRow {
  const columns = indexedColumns(schema);
  // Not by assignment: a column may be called __proto__.
  return (row) => Object.fromEntries(columns.map(({ name, index }) => [name, columnValue(row, index)]));
}

/** JSON text that doesn't depend on the order of an object's members. @param value plain JSON; numbers are finite */
export function canonicalJson(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(',')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const members = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return `{${members.map(([name, member]) => `${JSON.stringify(name)}:${canonicalJson(member)}`).join(',')}}`;
}
