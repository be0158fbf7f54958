/** Versions of a dataset whose data can be served. */
import type { Dataset, Version } from './types.ts';

/** The newest version whose data can be served. */
export function latestReadyVersion(dataset: Dataset): Version | undefined {
  return dataset.versions.find(({ ready }) => ready);
}

/** The newest of the versions before another whose data can be served. */
export function readyVersionBefore(dataset: Dataset, slug: string): Version | undefined {
  let isBefore = false;
  for (const version of dataset.versions) {
    if (isBefore && version.ready) return version;
    if (version.slug === slug) isBefore = true;
  }
  return undefined;
}

/** The oldest version whose data can be served: of the others that are ready, each has one before it. */
export function oldestReadyVersion(dataset: Dataset): Version | undefined {
  return dataset.versions.findLast(({ ready }) => ready);
}

/** True if a version has a file whose rows were counted. Those of a file on another server aren't served. */
export const hasCountedRows = ({ file, rows }: Pick<Version, 'file' | 'rows'>): boolean => file !== '' && rows !== null;

/** Formats of files that have rows, by the name in records. */
const formatsWithRows = [
  ...['geojson', 'geojsonl', 'geojsonseq', 'ndjson', 'json', 'csv', 'tsv', 'parquet'],
  ...['xlsx', 'shp', 'gpkg', 'fgb', 'kml', 'gpx'],
];

/** True if a version has a file with rows, as far as its record tells. */
export const mayHaveRows = ({ rows, columns, format, file }: Version): boolean =>
  file !== '' &&
  (rows !== null || (columns ?? []).length > 0 || formatsWithRows.includes(format || (file.split('.')[1] ?? '')));
