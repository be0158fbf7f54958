/** The tables of a catalogue: datasets with versions whose rows can be read. */
import type { Catalogue } from '../catalogue/catalogue.ts';
import { statisticsInMetadata } from '../catalogue/column-statistics.ts';
import { DamagedObjectError, NotFoundError } from '../catalogue/errors.ts';
import { mayHaveRows } from '../catalogue/ready-versions.ts';
import { formatRef, refOf, type VersionRef } from '../catalogue/ref.ts';
import { eachInSteps, runAtOnce, type Steps } from '../catalogue/steps.ts';
import type { Dataset, Version } from '../catalogue/types.ts';
import type { ColumnFacts } from './schema.ts';
import { type Table, type TableVersion, tableOfDataset } from './table.ts';

const isTableVersion = (version: Version): boolean => version.ready && mayHaveRows(version);

/** True if a dataset is a table, as far as its records tell. */
export const mayBeTable = (dataset: Dataset): boolean => dataset.versions.some(isTableVersion);

/** A version that is left out of a table, and why. */
export interface UnreadableVersion {
  readonly version: Version;
  readonly reason: string;
}

export interface ReadTable {
  /** Undefined if no version has rows. */
  readonly table: Table | undefined;
  readonly unreadable: readonly UnreadableVersion[];
}

/** Runs steps to their end, at once or in turns with other work. */
type RunSteps = <T>(steps: Steps<T>) => Promise<T>;

const tables = new WeakMap<Dataset, Promise<ReadTable>>();

/**
 * Reads the table of a dataset. Columns that the record of a version doesn't list are read from its rows.
 * @param run for all who ask for the table meanwhile; by default, the steps are run at once
 * @throws UnavailableError if rows aren't ready in time; DamagedObjectError if a payload is missing in the object store
 */
export function readTable(
  catalogue: Pick<Catalogue, 'profile'>,
  dataset: Dataset,
  run: RunSteps = async (steps) => runAtOnce(steps),
): Promise<ReadTable> {
  const known = tables.get(dataset);
  if (known) return known;
  const read = readVersions(catalogue, dataset, run);
  tables.set(dataset, read);
  read.catch(() => tables.delete(dataset));
  return read;
}

async function readVersions(
  catalogue: Pick<Catalogue, 'profile'>,
  dataset: Dataset,
  run: RunSteps,
): Promise<ReadTable> {
  const versions: TableVersion[] = [];
  const unreadable: UnreadableVersion[] = [];
  const inRecords = await run(columnsInRecords(dataset));
  for (const [version, columns] of inRecords) {
    try {
      versions.push({ version, columns: columns ?? (await columnsInRows(catalogue, version)) });
    } catch (error) {
      // The object may be restored: a table doesn't lose a version by it.
      if (error instanceof DamagedObjectError)
        throw new DamagedObjectError(`${formatRef(refOf(version))}: ${error.message}`, { cause: error });
      if (!(error instanceof NotFoundError)) throw error;
      unreadable.push({ version, reason: error.message });
    }
  }
  return { table: await run(tableOfDataset(dataset, versions)), unreadable };
}

/** Versions with rows, each with the columns that its record lists, if it does. */
function* columnsInRecords({ versions }: Dataset): Steps<ReadonlyMap<Version, readonly ColumnFacts[] | undefined>> {
  const found = new Map<Version, readonly ColumnFacts[] | undefined>();
  yield* eachInSteps(versions, (version) => {
    if (isTableVersion(version)) found.set(version, columnsInRecord(version));
  });
  return found;
}

function columnsInRecord(version: Version): readonly ColumnFacts[] | undefined {
  const statistics = statisticsInMetadata(version);
  return version.columns?.map(({ name, type }) => {
    const { min, max } = statistics.get(name) ?? {};
    return { name, type, ...(min !== undefined && max !== undefined && { min, max }) };
  });
}

/** @throws NotFoundError if the version has no rows; UnavailableError */
const columnsInRows = async (
  catalogue: Pick<Catalogue, 'profile'>,
  version: Version,
): Promise<readonly ColumnFacts[]> => (await catalogue.profile(refOf(version) as VersionRef)).columns;
