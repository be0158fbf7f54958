/** Columns in the records of a dataset, kept in step with its newest version. */

import {
  areColumnsUnchanged,
  columnsInRecordAfterData,
  columnsInRecordAfterRename,
  compareRecordColumnsWithData,
  versionWithColumns,
} from '../../catalogue/columns.ts';
import type { Rename } from '../../catalogue/difference.ts';
import { excerpt, ValidationError } from '../../catalogue/errors.ts';
import { findEntity } from '../../catalogue/lookup.ts';
import { type DatasetRef, refOf, type VersionRef } from '../../catalogue/ref.ts';
import type { Snapshot } from '../../catalogue/snapshot.ts';
import type { DataColumn, Dataset, Version } from '../../catalogue/types.ts';
import { type CatalogueFiles, requireRecordPath } from '../catalogue-files.ts';
import { findRecordFile, readOrNull } from '../tree/file-tree.ts';
import type { Change } from '../writing/change.ts';
import { isRecordBroken, recordValueOrEmpty } from '../writing/conditions.ts';

/**
 * Renames of columns: those that an upload asks for, and those that the record of the dataset remembers.
 * @param found columns of the upload
 * @throws ValidationError
 */
export function columnRenamesForUpload(
  { columns, missing_columns, former_names }: Dataset,
  found: readonly DataColumn[],
  asked: readonly Rename[] = [],
): readonly Rename[] {
  const known = new Set([...columns, ...missing_columns].map(({ name }) => name));
  const names = new Set(found.map(({ name }) => name));
  const fail = (message: string) => new ValidationError({ rename: [message] });
  for (const { from, to } of asked) {
    if (!known.has(from) && !(Object.hasOwn(former_names, from) && former_names[from]?.includes(to)))
      throw fail(`There is no column "${excerpt(from)}".`);
    if (!names.has(to)) throw fail(`The file has no column "${excerpt(to)}".`);
    if (names.has(from)) throw fail(`The file has both columns, "${excerpt(from)}" and "${excerpt(to)}".`);
  }
  const remembered = Object.entries(former_names).flatMap(([from, names]) => names.map((to) => ({ from, to })));
  return [...asked, ...remembered.filter(({ from, to }) => names.has(to) && !names.has(from))];
}

/** A new version that becomes the newest. */
interface NewData {
  readonly slug: string;
  readonly columns: readonly DataColumn[];
  readonly renames: readonly Rename[];
}

/**
 * Changes of records for a new version: the dataset gets its columns, with descriptions and unknown keys as they are; and the
 * version before gets its own if its record was made without them.
 */
export function planColumnWritesForNewVersion(
  files: CatalogueFiles,
  dataset: Dataset,
  data: NewData,
): readonly Change[] {
  const { columns: found, renames, slug } = data;
  const set = ({ columns }: Readonly<Record<string, unknown>>) => ({
    columns: columnsAfterData(columns, renames, found, slug),
  });
  const edit: Change = { do: 'edit', path: requireRecordPath(files, refOf(dataset) as DatasetRef), set };
  return [edit, ...columnsOfVersionBefore(files, dataset)];
}

/** The columns for a dataset's record, renamed, and after new data. @param written value of `columns` in the record */
const columnsAfterData = (written: unknown, renames: readonly Rename[], found: readonly DataColumn[], slug: string) =>
  renames.length === 0 && areColumnsOf(written, found)
    ? written
    : columnsInRecordAfterData(renameWritten(written, renames, found), found, slug);

/** True if the columns of a record are those of data, in their order, as they mostly are when new data come. */
const areColumnsOf = (written: unknown, found: readonly DataColumn[]): written is readonly object[] =>
  Array.isArray(written) &&
  written.length === found.length &&
  written.every((column: Readonly<Record<string, unknown>> | null, i) => {
    const { name, type } = found[i] as DataColumn;
    return column?.name === name && column.type === type && column.missing_since === undefined;
  });

/** The change of the newest version's record, before another one follows, if it was made without columns. */
function columnsOfVersionBefore(files: CatalogueFiles, dataset: Dataset): readonly Change[] {
  const before = versionWithColumns(dataset.versions);
  if (!before || before.columns || dataset.columns.length === 0) return [];
  const columns = dataset.columns.map(({ name, type }) => ({ name, type }));
  return [{ do: 'edit', path: requireRecordPath(files, refOf(before) as VersionRef), set: () => ({ columns }) }];
}

/**
 * The change of a dataset's record after changes of its versions: it gets the columns of the version that is then the newest.
 * No change if the record is broken: the columns that are shown don't depend on it.
 * @param published version that is made ready: the renames of a draft are applied
 */
export function planColumnWritesForNewestVersion(
  files: CatalogueFiles,
  ref: DatasetRef,
  published?: Version,
): readonly Change[] {
  const path = findRecordFile(files.store.tree, ref);
  if (path === undefined || isRecordBroken(files.snapshot, path)) return [];
  const set: EditedKeys = ({ columns }, next) => {
    const newest = newestIn(next(), ref);
    if (!newest?.columns) return {};
    const names = new Set(newest.columns.map(({ name }) => name));
    const renames = Object.entries(published?.renames ?? {}).map(([from, to]) => ({ from, to: String(to) }));
    const possible = renames.filter(({ from, to }) => !(names.has(from) && names.has(to)));
    return { columns: columnsAfterData(columns, possible, newest.columns, newest.slug) };
  };
  const dataset = published?.draft ? findEntity<'dataset'>(files.snapshot, ref) : undefined;
  return [...(dataset ? columnsOfVersionBefore(files, dataset) : []), { do: 'edit', path, set }];
}

type EditedKeys = Extract<Change, { do: 'edit' }>['set'];

/** The version of a dataset whose columns it has, in a snapshot. */
function newestIn(snapshot: Snapshot, ref: DatasetRef): Version | undefined {
  return versionWithColumns(findEntity<'dataset'>(snapshot, ref)?.versions ?? []);
}

/** The columns of a record after renames, without those of columns that the record doesn't name. */
function renameWritten(columns: unknown, renames: readonly Rename[], data: readonly DataColumn[]): unknown {
  const isWritten = (from: string) => Array.isArray(columns) && columns.some((column) => column?.name === from);
  return renames
    .filter(({ from }) => isWritten(from))
    .reduce((now: unknown, rename) => columnsInRecordAfterRename(now, rename, data), columns);
}

/**
 * True if the record of a dataset has the columns of its newest version; null if the record of that version doesn't tell them,
 * or that of the dataset is broken.
 */
export function recordHasColumnsOfNewestVersion(files: CatalogueFiles, ref: DatasetRef): boolean | null {
  const newest = newestIn(files.snapshot, ref);
  const path = newest?.columns ? findRecordFile(files.store.tree, ref) : undefined;
  if (!newest?.columns || path === undefined || isRecordBroken(files.snapshot, path)) return null;
  const { tree } = files.store;
  // It may have been changed since the snapshot was made.
  const text = readOrNull(tree, path)?.text;
  if (text === undefined) return null;
  const record = recordValueOrEmpty(tree.recordText(path, text).parsed);
  return areColumnsUnchanged(compareRecordColumnsWithData(record.columns, newest.columns));
}
