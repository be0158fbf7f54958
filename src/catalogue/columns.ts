/** The columns of a dataset and those that its data have. */
import type { ColumnChanges } from './catalogue.ts';
import { ValidationError } from './errors.ts';
import type { Column, ColumnType } from './types.ts';

/** A column of data: name and type, without the texts that people write. */
export interface FoundColumn {
  readonly name: string;
  readonly type: ColumnType;
}

/** The difference between the columns of a dataset and those of new data. */
export function changesBetween(before: readonly Column[], found: readonly FoundColumn[]): ColumnChanges {
  const now = new Map(found.map((column) => [column.name, column]));
  const then = new Set(before.map(({ name }) => name));
  return {
    added: found
      .filter(({ name }) => !then.has(name))
      .map(({ name, type }) => ({ type, name, label: '', description: '', unit: '' })),
    dropped: before.filter(({ name }) => !now.has(name)),
    retyped: before.flatMap(({ name, type }) => {
      const to = now.get(name)?.type;
      return to && to !== type ? [{ name, from: type, to }] : [];
    }),
  };
}

/** True if no column is added, dropped or retyped; their order may differ. */
export const isUnchanged = ({ added, dropped, retyped }: ColumnChanges): boolean =>
  added.length + dropped.length + retyped.length === 0;

/**
 * The columns for a dataset's record after new data: texts that people wrote stay, and keys of their own, too.
 * @param written value of `columns` in the record, valid or not
 */
export function fitColumns(written: unknown, found: readonly FoundColumn[]): Record<string, unknown>[] {
  const before = (Array.isArray(written) ? written : []) as Record<string, unknown>[];
  return found.map(({ name, type }) => {
    const words = before.find((column) => column?.name === name);
    return words ? { ...words, type } : { type, name, label: labelFor(name) };
  });
}

/** A label from a machine name: "Height m" for `height_m`. */
export function labelFor(name: string): string {
  const words = name.replace(/[_-]+/g, ' ').trim();
  return words ? words.charAt(0).toUpperCase() + words.slice(1) : name;
}

/**
 * Columns with the descriptions that an input gives. Columns are matched by name; their types follow from the data.
 * @param now as written in the record
 * @throws ValidationError if a column does not exist
 */
export function mergeColumns(now: unknown, wanted: unknown): unknown[] {
  const columns = (Array.isArray(now) ? now : []) as Record<string, unknown>[];
  const words = new Map((wanted as Record<string, unknown>[]).map((column) => [column.name, column]));
  const unknown = [...words.keys()].filter((name) => !columns.some((column) => column.name === name));
  if (unknown.length)
    throw new ValidationError({ columns: [`There is no column ${unknown.map((name) => `"${name}"`).join(', ')}.`] });
  return columns.map((column) => {
    const { label, description, unit } = words.get(column.name) ?? {};
    const given = Object.entries({ label, description, unit }).filter(([, value]) => value !== undefined);
    return withWords(column, Object.fromEntries(given));
  });
}

/** New keys go before a label that ends the column: git can then merge it with a column that another branch adds below. */
function withWords(column: Readonly<Record<string, unknown>>, words: Readonly<Record<string, unknown>>) {
  const { label, ...others } = column;
  const isLast = Object.keys(column).at(-1) === 'label';
  return isLast ? { ...others, ...words, label: words.label ?? label } : { ...column, ...words };
}
