/**
 * The file of an imported dataset at its source, compared with the one that the last import took: what people have published
 * since stays the newest version until the file has changed. The record keeps `file`, the beginning of the checksum of the
 * last file, and `version`, the version that it became, beside the checksums of the imported fields.
 */
import { datetimeFromSlug } from '../catalogue/entities.ts';
import { isSameReadingOptions, mergeReadingOptions, readingOptionsWithoutStrict } from '../catalogue/reading.ts';
import type { Dataset, ReadingOptionChanges, Version } from '../catalogue/types.ts';
import { originOf } from './merge.ts';

/** Hexadecimal digits of a checksum in a record. */
const digits = 12;

/** A file that a dataset has taken from its source, as the record keeps it. */
export interface ImportedFile {
  /** The first digits of the SHA-256 of its bytes. */
  readonly file: string;
  /** Slug of the version that it became; it may be removed since. */
  readonly version: string;
}

export interface FileComparison {
  /** What the record keeps of the file; null if it becomes a new version. */
  readonly known: ImportedFile | null;
  /** True if the newest version has the same bytes, read with other options. */
  readonly isReadAnew: boolean;
  /** Slugs of versions that people have added since the last import, the newest first; none if that is not known. */
  readonly addedByHand: readonly string[];
}

/**
 * Compares the file at the source with the one that was last imported. It is known, too, if a version that was added since
 * has its bytes; of records from before the checksum was kept, any version.
 * @param checksum SHA-256 of the file, in hexadecimal
 * @param reading options with which it is read, beside those that the dataset remembers
 */
export function compareFile(
  dataset: Dataset,
  checksum: string,
  reading: ReadingOptionChanges | undefined,
): FileComparison {
  const { file, version = '' } = originOf(dataset)?.imported ?? {};
  const published = dataset.versions.filter(({ draft }) => !draft);
  const since = version ? versionsAfter(published, version) : published;
  const isLast = file !== undefined && checksum.startsWith(file);
  const same = since.find((one) => one.checksum === checksum);
  const newest = published[0]?.checksum === checksum ? published[0] : undefined;
  const isReadAnew = newest !== undefined && !isReadWith(newest, dataset, reading);
  return {
    known: (isLast || same) && !isReadAnew ? importedFile(checksum, isLast ? version : (same?.slug ?? '')) : null,
    isReadAnew,
    addedByHand: version ? since.map(({ slug }) => slug) : [],
  };
}

export const importedFile = (checksum: string, version: string): ImportedFile => ({
  file: checksum.slice(0, digits),
  version,
});

/** The `source` of a dataset that has taken a file; null if it says so already. */
export function sourceWithFile({ source }: Pick<Dataset, 'source'>, taken: ImportedFile): Dataset['source'] | null {
  const imported = originOf({ source })?.imported ?? {};
  const isSame = imported.file === taken.file && (imported.version ?? '') === taken.version;
  return isSame ? null : { ...source, imported: { ...imported, ...taken } };
}

/** True if a version was read with the options that its dataset has for the next one. */
const isReadWith = (version: Version, dataset: Dataset, reading: ReadingOptionChanges | undefined): boolean =>
  isSameReadingOptions(version.reading, readingOptionsWithoutStrict(mergeReadingOptions(dataset.reading, reading)));

/** @param versions the newest first @param slug of a version that may be removed */
function versionsAfter(versions: readonly Version[], slug: string): readonly Version[] {
  const at = versions.findIndex((one) => one.slug === slug);
  return at >= 0 ? versions.slice(0, at) : versions.filter(({ datetime }) => datetime > datetimeFromSlug(slug));
}
