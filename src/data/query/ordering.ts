/** The order of rows, or of groups of rows: `_ordering=-height,name`, `_ordering=-sum(height)`. */
import { excerpt } from '../../catalogue/errors.ts';
import type { Column } from '../../catalogue/types.ts';
import { parseDateTime, parseTimeOfDay } from '../date-time.ts';
import { ParameterError } from '../errors.ts';
import { columnHint, columnNames, findColumn, type TableSchema, type Value } from '../row.ts';
import { type Aggregation, findResultColumn } from './aggregation.ts';
import { splitOrdering } from './parameter-values.ts';

export interface OrderingColumn {
  readonly column: string;
  readonly descending: boolean;
}

/** Maximum number of columns: for each, a sort keeps a number of every row. */
const mostColumns = 20;

/**
 * Parses a list of `name`, `-name` or, if it has commas, `-"name"`; a column's own name may begin with a minus, too.
 * @param aggregation the groups that are ordered; rows if it is absent
 * @throws ParameterError also if there are too many
 */
export function parseOrdering(
  text: string,
  schema: TableSchema,
  aggregation: Aggregation | undefined,
): readonly OrderingColumn[] {
  const find = (name: string): Pick<Column, 'name' | 'type'> | undefined =>
    aggregation ? findResultColumn(name, aggregation, schema) : findColumn(name, schema);
  const parts = splitOrdering(text);
  if (parts.length > mostColumns)
    throw new ParameterError(`Rows are ordered by ${mostColumns} columns at most, not by ${parts.length}.`);
  return parts.map((part) => {
    const descending = part.startsWith('-') && !find(part);
    const name = descending ? part.slice(1) : part;
    const column = find(name);
    if (!column) {
      const { suggestions } = schema;
      const ordered = aggregation ? { ...aggregation.schema, ...(suggestions && { suggestions }) } : schema;
      const groups = aggregation ? ` Groups have ${excerpt(columnNames(ordered).join(', '))}.` : '';
      const hint = columnHint(name, ordered) || groups;
      throw new ParameterError(`Unknown column "${excerpt(name)}".${hint}`);
    }
    if (column.type === 'geometry' || column.type === 'object' || column.type === 'array') {
      throw new ParameterError(`Column "${excerpt(column.name)}" of type ${column.type} has no order.`);
    }
    return { column: column.name, descending };
  });
}

export type SortKey = null | number | string;

/** Sort key of a value: dates and times sort as instants, strings by code unit. */
export function sortKey(value: Value, type: string | undefined): SortKey {
  if (value === null || typeof value === 'number') return value;
  if (typeof value === 'boolean') return Number(value);
  const text = String(value);
  if (type === 'time') return parseTimeOfDay(text);
  return type === 'datetime' || type === 'date' ? parseDateTime(text) : text;
}

/** Compares sort keys. Nulls come last in both directions. @param direction 1 for ascending, -1 for descending */
export function compareSortKeys(a: SortKey, b: SortKey, direction: number): number {
  if (a === b) return 0;
  if (a === null) return 1;
  if (b === null) return -1;
  if (typeof a !== typeof b) return typeof a === 'number' ? -1 : 1;
  return a < b ? -direction : direction;
}
