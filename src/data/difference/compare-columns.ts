/** How the columns of two tables differ, and how the values of those that both have are compared. */
import type { ColumnDifference, NamedType, PlainRow } from '../../catalogue/difference.ts';
import type { ColumnType } from '../../catalogue/types.ts';
import type { Geometry } from '../geometry/geometry.ts';
import type { Row, TableShape } from '../row.ts';

/** A column of one table, with its place in the table's shape; the geometry has no place. */
interface Placed extends NamedType {
  readonly place: number;
}

const noPlace = -1;

/** A column that both tables have. */
export interface SharedColumn {
  readonly name: string;
  /** Its places. */
  readonly from: number;
  readonly to: number;
  readonly types: { readonly from: ColumnType; readonly to: ColumnType };
  /**
   * The value in the form in which it is the same as another just if they are equal: a number, a text, a boolean, or
   * null. Values of one type are equal as what they are, whole and other numbers as numbers. Where the type has become
   * another, as they read: `7` is still `"7"`, for that the column has another type is told once and not of every row.
   */
  readonly form: (value: unknown) => Form;
}

export type Form = null | boolean | number | string;

/** The columns that only one of two tables has, or that have another type, and those that both have. */
export function compareColumns(from: TableShape, to: TableShape): ColumnDifference & { shared: SharedColumn[] } {
  const before = new Map(placed(from).map((column) => [column.name, column]));
  const after = placed(to);
  const shared = after.flatMap((now): SharedColumn[] => {
    const old = before.get(now.name);
    if (!old) return [];
    const types = { from: old.type, to: now.type };
    return [{ name: now.name, from: old.place, to: now.place, types, form: formFor(types) }];
  });
  const names = new Set(shared.map(({ name }) => name));
  const alone = (columns: Iterable<Placed>) =>
    [...columns].filter(({ name }) => !names.has(name)).map(({ name, type }) => ({ name, type }));
  return {
    added: alone(after),
    dropped: alone(before.values()),
    retyped: shared
      .filter(({ types }) => types.from !== types.to)
      .map(({ name, types }) => ({ name, from: types.from, to: types.to })),
    shared,
  };
}

function placed({ columns, hasGeometry }: TableShape): Placed[] {
  const others = columns.map(({ name, type }, place) => ({ name, type, place }));
  return hasGeometry ? [{ name: 'geometry', type: 'geometry', place: noPlace }, ...others] : others;
}

const isNumber = (type: ColumnType) => type === 'integer' || type === 'float';

function formFor({ from, to }: SharedColumn['types']): SharedColumn['form'] {
  if (from !== to && !(isNumber(from) && isNumber(to))) return asText;
  if (from === 'geometry') return (value) => (value === null ? null : geometryText(value as Geometry));
  if (from === 'object' || from === 'array') return (value) => (value === null ? null : canonicalJson(value));
  // The only two numbers that are equal and not the same are the zeros.
  return isNumber(from) ? (value) => (value === 0 ? 0 : (value as Form)) : (value) => value as Form;
}

/** Type and coordinates, exactly, and nothing else that an object may hold. */
function geometryText(geometry: Geometry): string {
  if (geometry.type === 'GeometryCollection') return `${geometry.type}[${geometry.geometries.map(geometryText)}]`;
  return geometry.type + JSON.stringify(geometry.coordinates);
}

function asText(value: unknown): Form {
  if (value === null) return null;
  return typeof value === 'object' ? canonicalJson(value) : String(value);
}

/** The value of a column in a row of its table. */
export function valueAt(row: Row, place: number): unknown {
  return place === noPlace ? row.geometry() : row.value(place);
}

/** What a scan has to read ahead for some columns, given by their places. */
export function scanOf(places: readonly number[]): { columns: readonly number[]; needsGeometry: boolean } {
  return { columns: places.filter((place) => place !== noPlace), needsGeometry: places.includes(noPlace) };
}

/** Copies rows of a table: all their values by the names of their columns, the geometry first. */
export function plainRows(shape: TableShape): (row: Row) => PlainRow {
  const columns = placed(shape);
  // Not by assignment: a column may be called __proto__.
  return (row) => Object.fromEntries(columns.map(({ name, place }) => [name, valueAt(row, place)]));
}

/** One text for each JSON value, whatever the order in which the members of its objects were written. */

/** @param value of JSON; numbers are finite */
export function canonicalJson(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(',')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const members = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return `{${members.map(([name, member]) => `${JSON.stringify(name)}:${canonicalJson(member)}`).join(',')}}`;
}
