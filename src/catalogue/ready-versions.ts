/** Versions of a dataset whose data can be served. */
import type { Dataset, Version } from './types.ts';

/** The newest version whose data can be served. */
export function latestReadyVersion(dataset: Dataset): Version | undefined {
  return dataset.versions.find(({ ready }) => ready);
}

/** The newest of the versions before another whose data can be served. */
export function readyVersionBefore(dataset: Dataset, slug: string): Version | undefined {
  const place = dataset.versions.findIndex((version) => version.slug === slug);
  return place < 0 ? undefined : dataset.versions.slice(place + 1).find(({ ready }) => ready);
}
