/** Columns of a dataset, compared and merged with those of its data and those of an input. */
import type { ColumnChanges } from './catalogue.ts';
import { ValidationError } from './errors.ts';
import { fillFields, labelFor } from './field.ts';
import { fields, fieldsOf } from './fields.ts';
import type { Column, ColumnType } from './types.ts';

/** A column of data: name and type, without the texts that people write. */
export interface FoundColumn {
  readonly name: string;
  readonly type: ColumnType;
}

/** Fields of a column that people write; its name and type come from the data. */
export type ColumnText = Exclude<keyof typeof fields.column, 'type' | 'name'>;
export const columnTexts = Object.keys(fields.column).filter(
  (name) => name !== 'type' && name !== 'name',
) as readonly ColumnText[];

/** The difference between the columns of a dataset and those of new data. */
export function compareColumns(before: readonly Column[], found: readonly FoundColumn[]): ColumnChanges {
  const foundByName = new Map(found.map((column) => [column.name, column]));
  const namesBefore = new Set(before.map(({ name }) => name));
  return {
    added: found.filter(({ name }) => !namesBefore.has(name)).map(withoutTexts),
    dropped: before.filter(({ name }) => !foundByName.has(name)),
    retyped: before.flatMap(({ name, type }) => {
      const to = foundByName.get(name)?.type;
      return to && to !== type ? [{ name, from: type, to }] : [];
    }),
  };
}

const withoutTexts = ({ name, type }: FoundColumn) =>
  fillFields({}, fieldsOf('column'), { name, type }) as unknown as Column;

/** True if no column is added, dropped or retyped; their order may differ. */
export const isUnchanged = ({ added, dropped, retyped }: ColumnChanges): boolean =>
  added.length + dropped.length + retyped.length === 0;

/**
 * The columns for a dataset's record after new data. Texts and unknown keys that people wrote are kept.
 * @param written value of `columns` in the record, valid or not
 */
export function fitColumns(written: unknown, found: readonly FoundColumn[]): Record<string, unknown>[] {
  const columns = (Array.isArray(written) ? written : []) as Record<string, unknown>[];
  return found.map(({ name, type }) => {
    const known = columns.find((column) => column?.name === name);
    return known ? { ...known, type } : { type, name, label: labelFor(name) };
  });
}

/**
 * The columns for a dataset's record after an input, with the texts that it gives. Columns are matched by name.
 * @param written value of `columns` in the record, valid or not
 * @param input parsed value of `columns` in the input
 * @throws ValidationError if a column does not exist
 */
export function mergeColumns(written: unknown, input: unknown): unknown[] {
  const columns = (Array.isArray(written) ? written : []) as Record<string, unknown>[];
  const inputs = new Map((input as Record<string, unknown>[]).map((column) => [column.name, column]));
  const unknown = [...inputs.keys()].filter((name) => !columns.some((column) => column.name === name));
  if (unknown.length)
    throw new ValidationError({ columns: [`There is no column ${unknown.map((name) => `"${name}"`).join(', ')}.`] });
  return columns.map((column) => {
    const given = inputs.get(column.name);
    const texts = columnTexts.filter((key) => given?.[key] !== undefined).map((key) => [key, given?.[key]]);
    return withTexts(column, Object.fromEntries(texts));
  });
}

/** New keys go before a label that ends the column: git can then merge it with a column that another branch adds below. */
function withTexts(column: Readonly<Record<string, unknown>>, texts: Readonly<Record<string, unknown>>) {
  const { label, ...others } = column;
  const isLabelLast = Object.keys(column).at(-1) === 'label';
  return isLabelLast ? { ...others, ...texts, label: texts.label ?? label } : { ...column, ...texts };
}
