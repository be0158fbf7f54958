/** Words and figures of datasets and versions that several pages show. */
import { type GeometryClass, geometryClassOf, statisticsInMetadata } from '../catalogue/column-statistics.ts';
import { findSpdxIdentifier } from '../catalogue/licence.ts';
import { latestReadyVersion } from '../catalogue/ready-versions.ts';
import type { ListedVersion } from '../catalogue/search-summary.ts';
import type { Dataset, Version } from '../catalogue/types.ts';
import { formatName } from './format-names.ts';
import { keepLast } from './keep-last.ts';
import type { Locale } from './locale.ts';
import type { StripColumn } from './strip.tsx';
import type { TextKey } from './texts/english.ts';

/** The version that a dataset's page shows: the newest ready one, else the newest. */
export const shownVersion = (dataset: Dataset): Version | undefined =>
  latestReadyVersion(dataset) ?? dataset.versions[0];

/** Number of rows, in words that say what they are: `177 polygons`. */
export const rowCountText = { point: 'pointCount', line: 'lineCount', polygon: 'polygonCount' } as const;

export function rowCountKey(version: ListedVersion | undefined, columns: Dataset['columns']): TextKey {
  const geometry = columns.find(({ type }) => type === 'geometry');
  // A row without geometry is no point.
  if (version && geometry && statisticsInMetadata(version).get(geometry.name)?.nulls) return 'rowCount';
  const kind = geometryClassOf(version, geometry);
  return kind in rowCountText ? rowCountText[kind as keyof typeof rowCountText] : 'rowCount';
}

export const geometryTexts = {
  point: 'geometryPoint',
  line: 'geometryLine',
  polygon: 'geometryPolygon',
  mixed: 'geometryMixed',
  geometry: 'geometryGeometry',
  none: 'geometryNone',
} as const satisfies Record<GeometryClass, TextKey>;

/** The columns of a dataset with the share of rows that have a value, as far as it is known. */
export function stripColumnsOf(dataset: Dataset, version: ListedVersion | undefined): readonly StripColumn[] {
  const statistics = version && statisticsInMetadata(version);
  const rows = version?.rows ?? 0;
  return dataset.columns.map(({ name, type }) => {
    const nulls = statistics?.get(name)?.nulls ?? 0;
    return { type, filled: rows > 0 ? Math.max(0, 1 - nulls / rows) : 1 };
  });
}

/** A licence as people write it: `CC BY 4.0` of `CC-BY-4.0`; the host of an address. */
export function licenceName(licence: string): string {
  if (/^https?:/.test(licence) && URL.canParse(licence)) return new URL(licence).host;
  const id = findSpdxIdentifier(licence);
  if (id === undefined) return licence.replace(/^LicenseRef-/, '').replaceAll('-', ' ');
  return id
    .replace(/^CC0-1\.0$/, 'CC0 1.0')
    .replaceAll('-', ' ')
    .replace(/\bCC BY (NC|SA|ND)/, 'CC BY-$1')
    .replace(/NC (SA|ND)/, 'NC-$1');
}

/** Text of a dataset's number of rows, with the number in bold. */
export const sizeAndFormat = (version: ListedVersion, locale: Locale): string =>
  [formatName(version.format), version.size === null ? '' : locale.size(version.size)].filter(Boolean).join(', ');

/** Lengths of a time in ISO 8601 up to its day, minute, second and millisecond. */
const [dayLength, ...timeLengths] = [10, 16, 19, 23] as const;

/** Numbers of versions by day, minute and second. */
const versionsByTime = keepLast((versions: readonly Version[]): ReadonlyMap<string, number> => {
  const counts = new Map<string, number>();
  for (const { datetime } of versions)
    for (const length of [dayLength, ...timeLengths]) {
      const start = datetime.slice(0, length);
      counts.set(start, (counts.get(start) ?? 0) + 1);
    }
  return counts;
});

/**
 * The date of a version; if another of the versions has the same date, with its time (UTC), as far as that tells them apart: with
 * seconds if they are of one minute.
 * @param versions with this one
 */
export function dateOfVersion(
  locale: Locale,
  { datetime }: Version,
  versions: readonly Version[],
  form: 'long' | 'short' = 'short',
): string {
  const counts = versionsByTime(versions);
  const isOnlyOne = (length: number) => (counts.get(datetime.slice(0, length)) ?? 0) < 2;
  if (isOnlyOne(dayLength)) return locale.date(datetime, form);
  const end = timeLengths.find(isOnlyOne) ?? timeLengths.at(-1);
  return `${locale.date(datetime, form)}, ${datetime.slice(dayLength + 1, end)} UTC`;
}
