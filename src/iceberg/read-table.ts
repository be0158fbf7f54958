/** The tables of a catalogue: datasets with versions whose rows can be read. */
import type { Catalogue } from '../catalogue/catalogue.ts';
import { statisticsInMetadata } from '../catalogue/column-statistics.ts';
import { NotFoundError } from '../catalogue/errors.ts';
import { mayHaveRows } from '../catalogue/ready-versions.ts';
import { refOf, type VersionRef } from '../catalogue/ref.ts';
import type { Dataset, Version } from '../catalogue/types.ts';
import type { ColumnFacts } from './schema.ts';
import { type Table, type TableVersion, tableOfDataset } from './table.ts';

const isTableVersion = (version: Version): boolean => version.ready && mayHaveRows(version);

/** True if a dataset is a table, as far as its records tell. */
export const mayBeTable = (dataset: Dataset): boolean => dataset.versions.some(isTableVersion);

const tables = new WeakMap<Dataset, Promise<Table | undefined>>();

/**
 * The table of a dataset. Columns that the record of a version doesn't list are read from its rows.
 * @returns undefined if none of its versions has rows
 * @throws UnavailableError if rows aren't ready in time
 */
export function readTable(catalogue: Pick<Catalogue, 'profile'>, dataset: Dataset): Promise<Table | undefined> {
  const known = tables.get(dataset);
  if (known) return known;
  const table = readVersions(catalogue, dataset).then((versions) => tableOfDataset(dataset, versions));
  tables.set(dataset, table);
  table.catch(() => tables.delete(dataset));
  return table;
}

async function readVersions(catalogue: Pick<Catalogue, 'profile'>, dataset: Dataset): Promise<readonly TableVersion[]> {
  const versions: TableVersion[] = [];
  for (const version of dataset.versions) {
    if (!isTableVersion(version)) continue;
    const columns = columnsInRecord(version) ?? (await columnsInRows(catalogue, version));
    if (columns) versions.push({ version, columns });
  }
  return versions;
}

function columnsInRecord(version: Version): readonly ColumnFacts[] | undefined {
  const statistics = statisticsInMetadata(version);
  return version.columns?.map(({ name, type }) => {
    const { min, max } = statistics.get(name) ?? {};
    return { name, type, ...(min !== undefined && max !== undefined && { min, max }) };
  });
}

/** @returns undefined if the version has no rows */
async function columnsInRows(
  catalogue: Pick<Catalogue, 'profile'>,
  version: Version,
): Promise<readonly ColumnFacts[] | undefined> {
  try {
    return (await catalogue.profile(refOf(version) as VersionRef)).columns;
  } catch (error) {
    if (error instanceof NotFoundError) return undefined;
    throw error;
  }
}
