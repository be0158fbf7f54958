/** The rows of a table that a query asks for, or groups of them. */
import { NotFoundError } from '../../catalogue/errors.ts';
import { findColumnIndex, type TableSchema } from '../row.ts';
import type { RowTable } from '../table/table.ts';
import { aggregateRows } from './aggregate-rows.ts';
import type { DataQuery } from './parameters.ts';
import { type NeededColumns, type RowSelection, type SelectionLimits, selectRows } from './select-rows.ts';

/** @throws NotFoundError if there is no such page; as `selectRows` and `aggregateRows` */
export async function rowsOfQuery(table: RowTable, query: DataQuery, limits: SelectionLimits): Promise<RowSelection> {
  const { aggregation } = query;
  const selection = aggregation
    ? await aggregateRows(table, query, aggregation, limits)
    : await selectRows(table, query, neededColumns(query.fields, table.schema), limits);
  if (!selection) throw new NotFoundError('Invalid page.');
  return selection;
}

/** Columns to read for the fields of a query; all of them by default. */
function neededColumns(fields: readonly string[] | undefined, schema: TableSchema): NeededColumns {
  const { columns, hasGeometry } = schema;
  if (!fields) return { columns: columns.map((_, index) => index), needsGeometry: hasGeometry };
  const indexes = fields.map((field) => findColumnIndex(field, schema));
  return { columns: indexes.filter((index) => index !== undefined), needsGeometry: fields.includes('geometry') };
}
