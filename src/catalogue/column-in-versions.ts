/** A column through the versions of its dataset. */
import { statisticsInMetadata } from './column-statistics.ts';
import { latestReadyVersion } from './ready-versions.ts';
import type { ColumnType, Dataset, Version } from './types.ts';

/** A column in a version; null where the version doesn't have it. */
export interface ColumnInVersion {
  readonly version: Version;
  readonly name: string | null;
  readonly type: ColumnType | null;
}

/**
 * Name and type of a column in each version whose columns are known, the newest first; null where it is missing or isn't known.
 * @param types its types by the slug of the version, where versions come without their columns
 */
export function columnInVersions(
  dataset: Dataset,
  name: string,
  types?: ReadonlyMap<string, ColumnType | null>,
): readonly ColumnInVersion[] {
  const former = Object.entries(dataset.former_names).flatMap(([old, presents]) =>
    presents.includes(name) ? [old] : [],
  );
  const newest = latestReadyVersion(dataset);
  const present = new Map(dataset.columns.map((column) => [column.name, column.type]));
  return dataset.versions.flatMap((version): ColumnInVersion[] => {
    // The columns of the dataset are those of its newest version.
    const typeOf = (column: string) => (version === newest ? present.get(column) : types?.get(version.slug)) ?? null;
    const known: ReadonlyMap<string, ColumnType | null> = version.columns
      ? new Map(version.columns.map((column) => [column.name, column.type]))
      : new Map([...statisticsInMetadata(version).keys()].map((one) => [one, typeOf(one)]));
    if (known.size === 0) return [];
    const own = [name, ...former].find((one) => known.has(one));
    return [{ version, name: own ?? null, type: own === undefined ? null : (known.get(own) ?? null) }];
  });
}
