/** Columns as fields of a table in Apache Iceberg: their types, and their names in a Parquet file. */
import type { ColumnType, DataColumn } from './types.ts';

/** A primitive type of Apache Iceberg (table spec, "Primitive Types"), as far as columns have it. */
export type TableFieldType =
  | 'long'
  | 'double'
  | 'string'
  | 'boolean'
  | 'date'
  | 'time'
  | 'timestamp'
  | 'timestamptz'
  | 'binary';

/** A column of a table, with an id that outlasts its renames. */
export interface TableField {
  readonly id: number;
  /** As in the Parquet files of the schema. */
  readonly name: string;
  readonly type: TableFieldType;
}

/** The type of a column in a table; that of a datetime if its values have offsets. */
export const tableFieldTypes: Readonly<Record<ColumnType, TableFieldType>> = {
  integer: 'long',
  float: 'double',
  string: 'string',
  boolean: 'boolean',
  date: 'date',
  time: 'time',
  datetime: 'timestamptz',
  // As WKB. Geometry types come with version 3 of the table format.
  geometry: 'binary',
  // As JSON: the rows of a column may have different members.
  object: 'string',
  array: 'string',
};

/** True if a column can be written as a field of this type. */
export const fitsTableField = (type: ColumnType, field: TableFieldType): boolean =>
  tableFieldTypes[type] === field || (type === 'datetime' && field === 'timestamp');

/** Columns with names as in a Parquet file: all are different, and the geometry gives way to a column of its name. */
export function namesInParquet(columns: readonly DataColumn[]): readonly string[] {
  const used = new Set(columns.flatMap(({ name, type }) => (type === 'geometry' ? [] : [name])));
  return columns.map(({ name, type }) => {
    if (type !== 'geometry') return name;
    let unused = name;
    for (let n = 1; used.has(unused); n++) unused = `${name}_${n}`;
    used.add(unused);
    return unused;
  });
}
