/** A first look at a version: its profile, and its first rows. */
import type { Catalogue, ProfileRequest, RowsPart } from '../catalogue/catalogue.ts';
import type { ColumnProfile, VersionProfile } from '../catalogue/column-statistics.ts';
import { NotFoundError, UnavailableError, ValidationError } from '../catalogue/errors.ts';
import { refOf } from '../catalogue/ref.ts';
import { quotedName } from '../catalogue/row-parameters.ts';
import type { Column, Dataset, Version, WorkBudget } from '../catalogue/types.ts';
import type { DatasetPageParts } from '../pages/dataset-page-parts.ts';
import { keepLast } from '../pages/keep-last.ts';
import { choosePreviewColumns, profilesByColumn } from '../pages/preview-columns.ts';
import { soon } from './soon.ts';

/** Rows and columns of the first look. */
export const previewRows = 8;
export const previewColumns = 8;

interface Look extends Pick<DatasetPageParts, 'profile' | 'preview' | 'reason'> {
  /** False if rows and profile weren't ready in time. */
  readonly isComplete: boolean;
}

/** The profile of a version; null if it isn't ready soon. @throws NotFoundError */
export const profileSoon = async (
  catalogue: Catalogue,
  version: Version,
  wait: number,
  request?: ProfileRequest,
): Promise<VersionProfile | null> => soon(catalogue.profile(refOf(version), request), wait);

/** The profile and the first rows of a version, as far as they are ready soon. */
export async function firstLook(catalogue: Catalogue, dataset: Dataset, version: Version, wait: number): Promise<Look> {
  const notReady = { profile: null, preview: null, reason: '', isComplete: false };
  try {
    const profile = await profileSoon(catalogue, version, wait);
    if (profile) return (await soon(lookAt(catalogue, dataset, version, profile), wait)) ?? notReady;
    // Statistics of a large table take longer than its first rows.
    const preview = await soon(rowsWithoutProfile(catalogue, dataset, version), patienceForFirstRows);
    return { ...notReady, preview };
  } catch (error) {
    if (error instanceof NotFoundError) return { ...notReady, reason: error.message, isComplete: true };
    // Columns in the record that the rows lack are found out by the profile.
    if (error instanceof UnavailableError || error instanceof ValidationError) return notReady;
    throw error;
  }
}

/** Milliseconds that a page waits for its first rows when it has waited for their statistics in vain. */
const patienceForFirstRows = 300;

async function lookAt(
  catalogue: Catalogue,
  dataset: Dataset,
  version: Version,
  profile: VersionProfile,
): Promise<Look> {
  const columns = columnsOfPreview(profile, dataset.columns);
  const empty = () => Array.from({ length: Math.min(profile.rows, previewRows) }, () => ({}));
  const rows = columns.length ? await firstRows(catalogue, version, profile, columns) : empty();
  return { profile, preview: { columns, rows }, reason: '', isComplete: true };
}

/** The first rows, of the columns that say most by what the record says of them; null if it names none. */
async function rowsWithoutProfile(catalogue: Catalogue, dataset: Dataset, version: Version) {
  const known = profilesByColumn(version, null);
  const columns = choosePreviewColumns(dataset.columns, known, version.rows ?? 0, previewColumns);
  return columns.length ? { columns, rows: await readRows(catalogue, version, columns) } : null;
}

/** The columns of the first rows: those that say most; geometries only if there are no others. */
const columnsOfPreview = keepLast((profile: VersionProfile, described: readonly Column[]): readonly Column[] => {
  const names = new Map(described.map((column) => [column.name, column]));
  const known = profile.columns.map(
    ({ name, type }): Column => names.get(name) ?? { name, type, label: '', description: '', unit: '' },
  );
  const profiles: ReadonlyMap<string, Partial<ColumnProfile>> = profilesByColumn(undefined, profile);
  const chosen = choosePreviewColumns(known, profiles, profile.rows, previewColumns);
  return chosen.length ? chosen : known.slice(0, previewColumns);
});

type FirstRows = Awaited<ReturnType<typeof readRows>>;
/** First rows by the profile of their table, which is another object when the payload is another. */
const readFirstRows = new WeakMap<VersionProfile, { readonly names: string; readonly rows: FirstRows }>();

/** The first rows, read once for as long as the table is the same. */
async function firstRows(
  catalogue: Catalogue,
  version: Version,
  profile: VersionProfile,
  columns: readonly Column[],
): Promise<FirstRows> {
  const names = JSON.stringify(columns.map(({ name }) => name));
  const known = readFirstRows.get(profile);
  if (known?.names === names) return known.rows;
  const rows = await readRows(catalogue, version, columns);
  readFirstRows.set(profile, { names, rows });
  return rows;
}

async function readRows(catalogue: Catalogue, version: Version, columns: readonly Column[]) {
  const fields = columns.map(({ name }) => quotedName(name)).join(',');
  const parameters: [string, string][] = [
    ['_limit', String(previewRows)],
    ['_fields', fields],
  ];
  return (await readObjects(catalogue, version, parameters)).items;
}

/** Rows as objects, with the part of the matching rows that they are. @throws NotFoundError, ValidationError, UnavailableError */
export async function readObjects(
  catalogue: Catalogue,
  version: Version,
  parameters: readonly (readonly [string, string])[],
  budget?: WorkBudget,
): Promise<{ readonly items: Record<string, unknown>[]; readonly part: RowsPart | null }> {
  const rows = await catalogue.rows(refOf(version), { parameters, format: 'objects', budget });
  const chunks: Buffer[] = [];
  for await (const chunk of rows.stream()) chunks.push(chunk as Buffer);
  return { items: JSON.parse(Buffer.concat(chunks).toString()), part: rows.part };
}
