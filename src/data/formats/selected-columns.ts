/** The columns that a query selects, for writers: their order and names. */
import { excerpt } from '../../catalogue/errors.ts';
import { geometryColumnName, type TableColumn } from '../row.ts';
import type { RowsInput } from './types.ts';

export interface SelectedValueColumn {
  readonly kind: 'column';
  /** Index in the schema's columns. */
  readonly index: number;
  readonly name: string;
  readonly type: TableColumn['type'];
}

/** Position of the geometry among the selected columns. */
export interface SelectedGeometry {
  readonly kind: 'geometry';
}

export type SelectedColumn = SelectedValueColumn | SelectedGeometry;

/**
 * The columns to write: `fields` in their order, or else the geometry and then all others.
 *
 * @throws RangeError if a field is no column; the fields of a client were checked before
 */
export function columnsToWrite({ schema, fields }: Pick<RowsInput, 'schema' | 'fields'>): SelectedColumn[] {
  const columnAt = ({ name, type }: TableColumn, index: number) => ({ kind: 'column', index, name, type }) as const;
  if (!fields) {
    const columns = schema.columns.map(columnAt);
    return schema.hasGeometry ? [{ kind: 'geometry' }, ...columns] : columns;
  }
  // A few of ten thousand columns are asked for often.
  const wanted = new Set(fields);
  const byName = new Map<string, SelectedColumn>();
  for (const [index, column] of schema.columns.entries())
    if (wanted.has(column.name)) byName.set(column.name, columnAt(column, index));
  // The geometry wins over a column of the same name.
  if (schema.hasGeometry) byName.set(geometryColumnName, { kind: 'geometry' });
  return fields.map((field) => {
    const column = byName.get(field);
    if (!column) throw new RangeError(`There is no column ${excerpt(JSON.stringify(field))}.`);
    return column;
  });
}

/** The selected columns without the geometry. */
export function columnsWithoutGeometry(selected: readonly SelectedColumn[]): SelectedValueColumn[] {
  return selected.filter((column): column is SelectedValueColumn => column.kind === 'column');
}

/** `name`, or `name_1`, `name_2` … if a selected column has that name. */
export function unusedColumnName(name: string, selected: readonly SelectedColumn[]): string {
  const used = new Set(columnsWithoutGeometry(selected).map((column) => column.name));
  let unused = name;
  for (let n = 1; used.has(unused); n++) unused = `${name}_${n}`;
  return unused;
}
