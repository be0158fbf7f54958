/** Columns in the records of a dataset, kept in step with its newest version. */

import type { Rename } from '../../catalogue/catalogue.ts';
import { recordedColumnsAfterData, recordedColumnsAfterRename, versionWithColumns } from '../../catalogue/columns.ts';
import { excerpt, ValidationError } from '../../catalogue/errors.ts';
import { findEntity } from '../../catalogue/lookup.ts';
import { type DatasetRef, datasetRefOf, refOf, type VersionRef } from '../../catalogue/ref.ts';
import type { DataColumn, Dataset } from '../../catalogue/types.ts';
import { type CatalogueFiles, existingRecordPath } from '../catalogue-files.ts';
import type { Change } from '../writing/change.ts';

/**
 * Renames of columns: those that an upload asks for, and those that the record of the dataset remembers.
 * @param found columns of the upload
 * @throws ValidationError
 */
export function columnRenames(
  { columns, missing_columns, former_names }: Dataset,
  found: readonly DataColumn[],
  asked: readonly Rename[] = [],
): readonly Rename[] {
  const known = new Set([...columns, ...missing_columns].map(({ name }) => name));
  const names = new Set(found.map(({ name }) => name));
  const fail = (message: string) => new ValidationError({ rename: [message] });
  for (const { from, to } of asked) {
    if (!known.has(from) && former_names[from] !== to) throw fail(`There is no column "${excerpt(from)}".`);
    if (!names.has(to)) throw fail(`The file has no column "${excerpt(to)}".`);
    if (names.has(from)) throw fail(`The file has both columns, "${excerpt(from)}" and "${excerpt(to)}".`);
  }
  const remembered = Object.entries(former_names).map(([from, to]) => ({ from, to: String(to) }));
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
  const set = ({ columns }: Readonly<Record<string, unknown>>) => {
    const isWritten = (from: string) => Array.isArray(columns) && columns.some((column) => column?.name === from);
    const renamed = renames
      .filter(({ from }) => isWritten(from))
      .reduce((now: unknown, rename) => recordedColumnsAfterRename(now, rename, found), columns);
    return { columns: recordedColumnsAfterData(renamed, found, slug) };
  };
  const edit: Change = { do: 'edit', path: existingRecordPath(files, refOf(dataset) as DatasetRef), set };
  const before = versionWithColumns(dataset.versions);
  if (!before || before.columns || dataset.columns.length === 0) return [edit];
  const written = dataset.columns.map(({ name, type }) => ({ name, type }));
  const path = existingRecordPath(files, refOf(before) as VersionRef);
  return [edit, { do: 'edit', path, set: () => ({ columns: written }) }];
}

/**
 * The change of a dataset's record when a version is made ready, withdrawn or removed, and another one may become the newest.
 * @param ready null if the version is removed
 */
export function planColumnWritesAfterVersionEdit(
  files: CatalogueFiles,
  ref: VersionRef,
  ready: boolean | null,
): readonly Change[] {
  const dataset = findEntity<'dataset'>(files.snapshot, datasetRefOf(ref));
  if (!dataset) return [];
  const versions = dataset.versions.flatMap((version) => {
    if (version.slug !== ref.slug) return [version];
    return ready === null ? [] : [{ ...version, ready, draft: version.draft && !ready }];
  });
  const newest = versionWithColumns(versions);
  const found = newest?.columns;
  const path = existingRecordPath(files, refOf(dataset) as DatasetRef);
  // A broken record stays as it is: the columns that are shown don't depend on it.
  if (!found || files.snapshot.diagnostics.get(path)?.some(({ code }) => code === 'syntax' || code === 'schema'))
    return [];
  return [
    { do: 'edit', path, set: ({ columns }) => ({ columns: recordedColumnsAfterData(columns, found, newest.slug) }) },
  ];
}
