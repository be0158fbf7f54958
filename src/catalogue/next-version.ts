/** Rules for the data of a new version, compared with the version before: what is refused, and what is reported. */
import type { ColumnChanges, UploadDetails } from './catalogue.ts';
import { isColumnDescribed } from './columns.ts';
import type { Rename } from './difference.ts';
import { DataLossError, excerpt } from './errors.ts';
import { normalizeText } from './normalize.ts';
import type { DataColumn, Version } from './types.ts';

/** Data of a version, as far as the rules look at them. */
export interface VersionData {
  /** Null if rows can't be read. */
  readonly rows: number | null;
  readonly format: string;
  readonly columns: readonly DataColumn[];
  /** A sentence that says how rows are read that seem to be read wrongly, or not at all. */
  readonly advice?: string | null;
}

/**
 * Checks that data which follow others don't lose them by mistake.
 * @param before the newest ready version; undefined for the first version
 * @param renames columns with new names
 * @throws DataLossError
 */
export function assertNoAccidentalLossInNextVersion(
  before: (Pick<Version, 'rows' | 'format'> & Pick<VersionData, 'columns'>) | undefined,
  { rows, format, columns, advice }: VersionData,
  renames: readonly Rename[],
  { force = false, replace = false }: Pick<UploadDetails, 'force' | 'replace'>,
): void {
  if (!before?.rows) return;
  if (rows === null && !replace) {
    const found = format ? `The file (${format})` : 'The file';
    const message = `${found} has no rows that can be read, and the version before has ${before.rows}. If it is another dataset, give it another name.`;
    throw new DataLossError(message, 'replace', advice);
  }
  if (rows === null || force) return;
  if (rows === 0) throw new DataLossError(`The file has no rows, and the version before has ${before.rows}.`, 'force');
  const names = new Set(columns.map(({ name }) => name.toLowerCase()));
  for (const { from, to } of renames) if (names.has(to.toLowerCase())) names.add(from.toLowerCase());
  const compared = comparable(before.columns);
  if (compared.length === 0 || compared.some(({ name }) => names.has(name.toLowerCase()))) return;
  const list = (some: readonly DataColumn[]) =>
    some
      .map(({ name }) => excerpt(name))
      .slice(0, 8)
      .join(', ');
  const message = `The file has no column of the version before: that one has ${list(compared)}; the file has ${list(columns)}.`;
  throw new DataLossError(message, 'force', advice);
}

/** Columns that tell datasets apart: nearly all with positions have one named geometry. */
function comparable(columns: readonly DataColumn[]): readonly DataColumn[] {
  const others = columns.filter(({ type }) => type !== 'geometry');
  return others.length ? others : columns;
}

/** Columns that are dropped and added in another case, which are probably the same. */
export function columnsRenamedByCase({ added, dropped }: Pick<ColumnChanges, 'added' | 'dropped'>): readonly Rename[] {
  const fold = (name: string) => normalizeText(name, 'NFC').toLowerCase();
  const byName = new Map(added.map(({ name }) => [fold(name), name]));
  return dropped.flatMap(({ name }) => {
    const to = byName.get(fold(name));
    return to === undefined ? [] : [{ from: name, to }];
  });
}

/**
 * Warnings about described columns that new data lack.
 * @param isDraft true if the data are those of a draft, which takes effect later
 */
export function lostColumnWarnings(
  changes: Pick<ColumnChanges, 'added' | 'dropped'>,
  isDraft = false,
): readonly string[] {
  const when = isDraft ? 'once the version is ready' : 'now';
  const renamed = new Set(columnsRenamedByCase(changes).map(({ from }) => from));
  const lost = changes.dropped.filter((column) => isColumnDescribed(column) && !renamed.has(column.name));
  return lost.map(
    ({ name }) =>
      `The column "${excerpt(name)}" is without data ${when}. Its description is kept, and comes back with the column.`,
  );
}

/** The warning about a column in another case. */
export const caseWarning = ({ from, to }: Rename): string =>
  `The column "${excerpt(to)}" is probably "${excerpt(from)}" of the version before. If it is, rename it, so that it keeps its description.`;
