/** Tables of rows: cells as they are in the file, nothing grouped or rounded. */
import type { VNode } from 'preact';
import { shorten } from '../catalogue/beginning.ts';
import type { Column, ColumnType } from '../catalogue/types.ts';
import type { Locale } from './locale.ts';

export type RowValues = Readonly<Record<string, unknown>>;

/** Longest text in a cell; the page of the row has all of it. */
const maxLength = 300;

export const isNumeric = (type: ColumnType): boolean => type === 'integer' || type === 'float';

/** Most columns of rows that stand side by side on paper. */
const mostOnPaper = 8;

/** Class of a table of rows with so many columns, beside the one of their numbers. */
export const gridClass = (columns: number): string => (columns > mostOnPaper ? 'grid many-columns' : 'grid');

/** A cell. An empty text is an empty cell, and null says so. */
export function Cell({ locale, value, type, isKey }: CellProps): VNode {
  const align = isNumeric(type) ? 'num' : '';
  const key = isKey ? 'key ' : '';
  if (value === null || value === undefined) return <td class={`${key}null ${align}`.trim()}>{locale.text('null')}</td>;
  const shown = shorten(cellText(value), maxLength);
  if (isNumeric(type)) return <td class={`${key}num`}>{shown}</td>;
  return (
    <td class={`${key}t`} dir="auto" title={shown.length > 60 ? shown : undefined}>
      {shown}
    </td>
  );
}

interface CellProps {
  readonly locale: Locale;
  readonly value: unknown;
  readonly type: ColumnType;
  readonly isKey?: boolean;
}

/** A value as text: of a geometry, its type and first position. */
export function cellText(value: unknown): string {
  if (typeof value !== 'object' || value === null) return String(value);
  const { type, coordinates } = value as { type?: unknown; coordinates?: unknown };
  if (typeof type !== 'string' || !Array.isArray(coordinates)) return JSON.stringify(value);
  let position: unknown = coordinates;
  while (Array.isArray(position) && Array.isArray(position[0])) position = position[0];
  const dots = type === 'Point' ? '' : ', …';
  return `${type} (${(position as unknown[]).join(' ')}${dots})`;
}

/** Type and unit of a column, below its name. */
export const TypeOfColumn = ({ column }: { readonly column: Pick<Column, 'type' | 'unit'> }): VNode => (
  <span class={`type ${column.type}`}>
    {column.type}
    {column.unit && `, ${column.unit}`}
  </span>
);
