/** Columns of a dataset: names and types of the newest ready version; texts of the record, which stay while a version lacks the column. */
import type { ColumnChanges } from './catalogue.ts';
import type { Rename } from './difference.ts';
import { excerpt, ValidationError } from './errors.ts';
import { fillFieldsFromRecord, labelFromName } from './field.ts';
import { fields, fieldsOf } from './fields.ts';
import {
  type Column,
  type ColumnType,
  columnTypes,
  type DataColumn,
  type Dataset,
  type MissingColumn,
  type Version,
} from './types.ts';

/** Fields of a column that people write; its name and type come from the data. */
export type ColumnText = Exclude<keyof typeof fields.column, 'type' | 'name'>;
export const columnTexts = Object.keys(fields.column).filter(
  (name) => name !== 'type' && name !== 'name',
) as readonly ColumnText[];

/** A column in a dataset's record, valid or not, with any keys. */
interface WrittenColumn {
  readonly name?: unknown;
  readonly type?: unknown;
  readonly label?: unknown;
  readonly former_names?: unknown;
  readonly missing_since?: unknown;
}

/** The value of `columns` in a record, valid or not. */
const listOf = (written: unknown): readonly WrittenColumn[] =>
  mergeSameNames(
    (Array.isArray(written) ? written : []).filter((column) => typeof column === 'object' && column !== null),
  );

/** Columns with different names: a merge of branches may leave two entries for a column, each with texts. */
function mergeSameNames<T extends WrittenColumn>(columns: readonly T[]): readonly T[] {
  const byName = new Map<unknown, T>();
  for (const column of columns) {
    const other = byName.get(column.name);
    const texts = other && Object.fromEntries(Object.entries(column).filter(([, value]) => value !== ''));
    byName.set(column.name, other ? { ...other, ...texts } : column);
  }
  return byName.size === columns.length ? columns : [...byName.values()];
}

const formerNames = ({ former_names }: WrittenColumn): readonly unknown[] =>
  Array.isArray(former_names) ? former_names : [];

/** The difference between the columns of a dataset and those of new data. */
export function compareColumns(before: readonly Column[], found: readonly DataColumn[]): ColumnChanges {
  const foundByName = new Map(found.map((column) => [column.name, column]));
  const namesBefore = new Set(before.map(({ name }) => name));
  return {
    added: found.filter(({ name }) => !namesBefore.has(name)).map((column) => columnFrom(column)),
    dropped: before.filter(({ name }) => !foundByName.has(name)),
    retyped: before.flatMap(({ name, type }) => {
      const to = foundByName.get(name)?.type;
      return to && to !== type ? [{ name, from: type, to }] : [];
    }),
  };
}

const columnFields = fieldsOf('column');

/** A column of data with the texts that are written; others are empty. */
const columnFrom = ({ name, type }: DataColumn, texts: WrittenColumn = {}): Column =>
  fillFieldsFromRecord({}, columnFields, { ...texts, name, type }) as unknown as Column;

/** True if no column is added, dropped or retyped; their order may differ. */
export const areColumnsUnchanged = (changes: Readonly<Record<'added' | 'dropped' | 'retyped', readonly unknown[]>>) =>
  changes.added.length + changes.dropped.length + changes.retyped.length === 0;

/** True if people wrote more about a column than its name says. */
export function isColumnDescribed({ type: _, name, label, missing_since, ...others }: WrittenColumn): boolean {
  const isOwnLabel = Boolean(label) && label !== labelFromName(String(name));
  return (
    isOwnLabel || Object.values(others).some((value) => !(value === '' || (Array.isArray(value) && !value.length)))
  );
}

/** The entries of a record for columns of data, in their order: found by name, or by the latest former name in the data. */
function findEntries<T extends WrittenColumn>(
  written: readonly T[],
  data: readonly DataColumn[],
): readonly (T | undefined)[] {
  const byName = new Map(written.map((column) => [column.name, column]));
  const found = data.map(({ name }) => byName.get(name));
  if (found.every(Boolean)) return found;
  const names = new Set<unknown>(data.map(({ name }) => name));
  const renamed = new Map(
    written
      .filter(({ name }) => !names.has(name))
      .map((column) => [formerNames(column).findLast((name) => names.has(name) && !byName.has(name)), column]),
  );
  return found.map((column, i) => column ?? renamed.get(data[i]?.name));
}

/** The entry of a column about which nothing is written yet. */
const newEntry = ({ name, type }: DataColumn) => ({ type, name, label: labelFromName(name) });

/** The version whose columns a dataset has: the newest ready one; if none is ready, the newest that is published. */
export const versionWithColumns = (versions: readonly Version[]): Version | undefined =>
  versions.find(({ ready }) => ready) ?? versions.find(({ draft }) => !draft);

type ColumnState = Pick<Dataset, 'columns' | 'missing_columns' | 'former_names'>;

/**
 * The columns of a dataset with these versions.
 * @param dataset as it was read from its record, or with the columns for other versions
 * @param versions newest first
 */
export function columnStateForVersions(dataset: Dataset, versions: readonly Version[]): ColumnState {
  const data = versionWithColumns(versions)?.columns ?? null;
  const isPlain = dataset.missing_columns.length === 0 && !dataset.columns.some(isRecorded);
  if (isPlain && (data === null || hasSameColumns(dataset, data))) return dataset;
  const all: readonly (Column & WrittenColumn)[] = [...dataset.columns, ...dataset.missing_columns];
  const written = mergeSameNames(all);
  const names = new Map(Object.entries(dataset.former_names));
  for (const column of written)
    for (const name of formerNames(column).map(String))
      names.set(name, [...new Set([...(names.get(name) ?? []), String(column.name)])]);
  if (data === null) {
    const columns = written.filter(({ missing_since }) => !missing_since).map((column) => columnFrom(column, column));
    const missing = written.filter(({ missing_since }) => missing_since).map(missingFrom);
    return { columns, missing_columns: missing, former_names: Object.fromEntries(names) };
  }
  const entries = findEntries(written, data);
  const used = new Set(entries);
  return {
    columns: data.map((column, i) => columnFrom(column, entries[i] ?? { label: labelFromName(column.name) })),
    missing_columns: written.filter((column) => !used.has(column) && isColumnDescribed(column)).map(missingFrom),
    former_names: Object.fromEntries(names),
  };
}

const isRecorded = (column: Column & WrittenColumn) =>
  column.former_names !== undefined || column.missing_since !== undefined;

/** True if these are the names and types of a dataset's columns, in this order. */
const hasSameColumns = ({ columns }: Dataset, data: readonly DataColumn[]): boolean =>
  columns.length === data.length &&
  columns.every(({ name, type }, i) => data[i]?.name === name && data[i]?.type === type);

const missingFrom = (column: Column & WrittenColumn): MissingColumn => ({
  ...columnFrom(column, column),
  missing_since: String(column.missing_since ?? ''),
});

/**
 * The columns for a dataset's record after new data. Texts and unknown keys that people wrote are kept, those of columns
 * that the data lack behind the others. Without a change, the same object is returned.
 * @param written value of `columns` in the record, valid or not
 * @param since slug of the version that has the data
 */
export function columnsInRecordAfterData(
  written: unknown,
  found: readonly DataColumn[],
  since: string,
): readonly object[] {
  const columns = listOf(written);
  const entries = findEntries(columns, found);
  const used = new Set(entries);
  const present = found.map(({ name, type }, i) => {
    const entry = entries[i];
    if (!entry) return newEntry({ name, type });
    if (entry.missing_since === undefined && entry.type === type) return entry;
    const { missing_since: _, ...known } = entry;
    return { ...known, type };
  });
  const missing = columns
    .filter((column) => !used.has(column) && isColumnDescribed(column))
    .map((column) => (column.missing_since ? column : withTexts(column, { missing_since: since })));
  const after = [...present, ...missing];
  const isSame =
    Array.isArray(written) && written.length === after.length && after.every((one, i) => one === written[i]);
  return isSame ? written : after;
}

/** The difference between the columns of a record that aren't said to be missing, and those of data. */
export function compareRecordColumnsWithData(written: unknown, found: readonly DataColumn[]): ColumnChanges {
  const columns = listOf(written);
  const entries = findEntries(columns, found);
  const places = new Map(entries.map((entry, i) => [entry, i]));
  const present = columns.filter((column) => !column.missing_since || places.has(column));
  const named = present.map((column) => {
    const name = found[places.get(column) ?? -1]?.name ?? String(column.name);
    return columnFrom({ name, type: column.type as ColumnType }, column);
  });
  return compareColumns(named, found);
}

/** The first twenty items. */
const joinFirst = (items: readonly string[]) => items.slice(0, 20).join(', ') + (items.length > 20 ? ' …' : '');

/** The message about columns that don't fit the data of a version. */
export function columnMismatchMessage({ added, dropped, retyped }: ColumnChanges, version: string): string {
  const differences = [
    ...added.map(({ name, type }) => `"${excerpt(name)}" (${type}) is missing`),
    ...dropped.map(({ name }) => `"${excerpt(name)}" is not in the data`),
    ...retyped.map(({ name, from, to }) => `"${excerpt(name)}" is ${to} and not ${from}`),
  ];
  return `The columns don't fit the data of ${version}, the newest ready version: ${joinFirst(differences)}.`;
}

/**
 * The columns for the record of a new dataset: those of another catalogue, for example, whose data come later.
 * @param input parsed value of `columns` in the input
 * @throws ValidationError if a column has no type, which only data or the input can tell
 */
export function parseColumnsOfNewDataset(input: unknown): readonly object[] {
  const columns = new Map((input as readonly WrittenColumn[]).map((column) => [column.name, column]));
  const isValid = ({ name, type }: WrittenColumn) =>
    String(name).length > 0 && String(name).length <= 255 && columnTypes.includes(type as ColumnType);
  const invalid = [...columns.values()].find((column) => !isValid(column));
  if (invalid)
    throw new ValidationError({ columns: [`There is no column "${excerpt(invalid.name)}" yet: add a version first.`] });
  return [...columns.values()];
}

/**
 * The columns for a dataset's record after an input, with the texts that it gives. Columns are matched by name.
 * @param written value of `columns` in the record, valid or not
 * @param input parsed value of `columns` in the input
 * @param shown the columns of the dataset: the record may lack some
 * @throws ValidationError if a column does not exist
 */
export function columnsInRecordAfterInput(
  written: unknown,
  input: unknown,
  shown: readonly DataColumn[],
): readonly object[] {
  const inputs = input as readonly WrittenColumn[];
  const entries = findEntries(listOf(written), shown);
  let columns: readonly WrittenColumn[] = [...listOf(written), ...shown.filter((_, i) => !entries[i]).map(newEntry)];
  for (const { name, former_names } of inputs)
    for (const former of (former_names ?? []) as readonly string[])
      if (former !== name) columns = columnsInRecordAfterRename(columns, { from: former, to: String(name) }, shown);
  const texts = new Map(inputs.map(({ former_names: _, ...column }) => [column.name, column]));
  const names = new Set<unknown>(columns.flatMap((column) => [column.name, ...formerNames(column)]));
  const unknown = [...texts.keys()].filter((name) => !names.has(name)).map((name) => `"${excerpt(name)}"`);
  if (unknown.length) throw new ValidationError({ columns: [`There is no column ${joinFirst(unknown)}.`] });
  const present = new Set(columns.map(({ name }) => name));
  return columns.map((column) => {
    const former = formerNames(column).filter((name) => !present.has(name));
    const given: WrittenColumn & Partial<Record<ColumnText, unknown>> =
      [column.name, ...former].map((name) => texts.get(name)).find(Boolean) ?? {};
    const pairs = columnTexts.filter((key) => given[key] !== undefined).map((key) => [key, given[key]]);
    return withTexts(column, Object.fromEntries(pairs));
  });
}

/**
 * The columns of a record after a rename: the texts go to the new name, and the old one to its former names. Texts that the
 * new column has already stay.
 * @param data the columns that the dataset has, or will have
 * @throws ValidationError if there is no column of the old name, or the data have both
 */
export function columnsInRecordAfterRename(
  written: unknown,
  { from, to }: Rename,
  data: readonly DataColumn[],
): readonly WrittenColumn[] {
  const columns = listOf(written);
  const isShown = data.some(({ name }) => name === from);
  const source =
    columns.find(({ name }) => name === from) ??
    columns.find((column) => isShown && column.name !== to && formerNames(column).includes(from));
  const target = columns.find(({ name }) => name === to);
  if (!source && target && formerNames(target).includes(from)) return columns;
  if (!source) throw new ValidationError({ columns: [`There is no column "${excerpt(from)}".`] });
  if ([from, to].every((name) => data.some((column) => column.name === name)))
    throw new ValidationError({
      columns: [`The newest version has both columns, "${excerpt(from)}" and "${excerpt(to)}".`],
    });
  const { missing_since, ...kept } = source;
  const own = target && isColumnDescribed(target) ? target : {};
  const texts = Object.fromEntries(
    Object.entries(own).filter(([key, value]) => value !== '' && key !== 'missing_since'),
  );
  const isMissing = !data.some(({ name }) => name === to || name === from);
  const label = kept.label === labelFromName(from) ? labelFromName(to) : kept.label;
  const renamed = withTexts(
    { ...kept, ...(label !== undefined && { label }), ...texts, name: to, ...(target && { type: target.type }) },
    {
      former_names: [...new Set([...formerNames(source), ...(target ? formerNames(target) : []), from])],
      ...(isMissing && missing_since !== undefined && { missing_since }),
    },
  );
  return columns.flatMap((column) => (column === (target ?? source) ? [renamed] : column === source ? [] : [column]));
}

/** New keys go before a label that ends the column: git can then merge it with a column that another branch adds below. */
function withTexts(column: WrittenColumn, texts: WrittenColumn): WrittenColumn {
  const { label, ...others } = column;
  const isLabelLast = Object.keys(column).at(-1) === 'label';
  return isLabelLast ? { ...others, ...texts, label: texts.label ?? label } : { ...column, ...texts };
}
