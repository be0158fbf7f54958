/**
 * The datasets of a catalogue as far as a search shows them, in parts: files of a static export, from which a browser makes a
 * snapshot and searches it as the server does. The first part is enough for labels, keywords and most filters.
 */
import { geometryTypesInMetadata, statisticsInMetadata } from './column-statistics.ts';
import { encodeMetadata } from './metadata.ts';
import { latestReadyVersion } from './ready-versions.ts';
import { emptySnapshot, type Folder, type Snapshot } from './snapshot.ts';
import type { Column, Dataset, Namespace, Settings, Version } from './types.ts';

/** A version as far as lists of datasets show, filter and count it. */
export type ListedVersion = Pick<
  Version,
  | 'kind'
  | 'namespace'
  | 'dataset'
  | 'slug'
  | 'datetime'
  | 'metadata'
  | 'ready'
  | 'format'
  | 'size'
  | 'rows'
  | 'bbox'
  | 'file'
  | 'href'
>;

/** Names of the parts, in the order in which they are read. */
export const summaryParts = ['labels', 'details', 'columns'] as const;
export type SummaryPart = (typeof summaryParts)[number];

/** A dataset in the first part. Texts that many have stand in `words`, and here as their places. */
type LabelRow = readonly [
  namespace: number,
  label: string,
  /** 0 if it is the label in small letters with hyphens. */
  slug: string | 0,
  keywords: readonly number[],
  licence: number,
  format: number,
  /** Of the newest version, in milliseconds since 1970 in base 36; '' if there is none. */
  updated: string,
  versions: number,
  rows: number | null,
  size: number | null,
  /** Of the version that is shown: 0 without data, 1 if its data can't be served, 2 if it is ready. */
  data: 0 | 1 | 2,
];

/** A dataset in the second part. */
type DetailRow = readonly [
  description: string,
  bbox: readonly number[] | null,
  /** Types of geometry, separated by commas. */
  geometry: string,
  image: string,
  /** Slug of the version that is shown; '' if it has no rows here. */
  version: string,
  links: number,
];

export interface LabelPart {
  readonly settings: Partial<Settings>;
  readonly base: string;
  readonly words: readonly string[];
  /** Slugs and labels. */
  readonly namespaces: readonly (readonly [slug: string, label: string])[];
  readonly datasets: readonly LabelRow[];
}

/** Columns of each dataset: name, label if it is another, type, number of nulls if it is known. */
type ColumnRow = readonly (readonly [name: string, label: string, type: Column['type'], nulls: number | null])[];

export interface Summary {
  readonly labels: LabelPart;
  /** In the order of the datasets in `labels`. */
  readonly details: readonly DetailRow[];
  readonly columns: readonly ColumnRow[];
}

/** Settings that a page of a search needs. */
const shownSettings = [
  ...['title', 'language', 'page_size', 'max_page_size', 'accent', 'logo', 'footer', 'licence'],
] as const;

/** The newest ready version, else the newest. */
const shownVersionOf = (dataset: Dataset): Version | undefined => latestReadyVersion(dataset) ?? dataset.versions[0];

const plainSlug = (label: string): string => label.toLowerCase().replaceAll(' ', '-');

/**
 * @param base base URL of the site
 * @param datasets in the catalogue's order
 */
export function summarize(
  settings: Settings,
  base: string,
  namespaces: readonly Namespace[],
  datasets: readonly Dataset[],
): Summary {
  const words = new Map<string, number>();
  const placeOf = (word: string) => {
    const place = words.get(word) ?? words.size;
    words.set(word, place);
    return place;
  };
  const places = new Map(namespaces.map(({ slug }, place) => [slug, place]));
  const own = Object.entries(settings).filter(([name]) => (shownSettings as readonly string[]).includes(name));
  const rows = datasets.map((dataset): LabelRow => {
    const { keywords, licence, versions } = dataset;
    const newest = shownVersionOf(dataset);
    return [
      places.get(dataset.namespace) ?? -1,
      dataset.label,
      dataset.slug === plainSlug(dataset.label) ? 0 : dataset.slug,
      keywords.map(placeOf),
      placeOf(licence),
      placeOf(newest?.format ?? ''),
      versions[0] ? Date.parse(versions[0].datetime).toString(36) : '',
      versions.length,
      newest?.rows ?? null,
      newest?.size ?? null,
      newest?.ready ? 2 : newest?.file || newest?.href ? 1 : 0,
    ];
  });
  return {
    labels: {
      settings: Object.fromEntries(own),
      base,
      words: [...words.keys()],
      namespaces: namespaces.map(({ slug, label }) => [slug, label]),
      datasets: rows,
    },
    details: datasets.map((dataset): DetailRow => {
      const newest = shownVersionOf(dataset);
      return [
        dataset.description,
        newest?.bbox ?? null,
        newest ? geometryTypesInMetadata(newest).join(',') : '',
        dataset.thumbnail_image || dataset.image,
        newest?.ready && newest.rows !== null && !newest.href ? newest.slug : '',
        Object.keys(dataset.links).length,
      ];
    }),
    columns: datasets.map((dataset) => {
      const version = shownVersionOf(dataset);
      const statistics = version && statisticsInMetadata(version);
      return dataset.columns.map(({ name, label, type }) => [
        name,
        label === name ? '' : label,
        type,
        statistics?.get(name)?.nulls ?? null,
      ]);
    }),
  };
}

/** The snapshot of a summary, as far as its parts are known. */
export function snapshotFromSummary({ labels, details, columns }: Partial<Summary> & Pick<Summary, 'labels'>) {
  const { words, namespaces } = labels;
  const folders = new Map<string, { namespace: Namespace; datasets: Map<string, Dataset> }>();
  for (const [slug, label] of namespaces) {
    const namespace = { kind: 'namespace', slug, label, description: '', visibility: 'public', aliases: [] };
    folders.set(slug, { namespace: namespace as unknown as Namespace, datasets: new Map() });
  }
  labels.datasets.forEach((row, place) => {
    const namespace = namespaces[row[0]]?.[0] ?? '';
    const rest = { words, detail: details?.[place], columns: columns?.[place] ?? [] };
    const dataset = datasetOf(row, namespace, place + 1, rest);
    folders.get(namespace)?.datasets.set(dataset.slug, dataset);
  });
  // Ids are places in the catalogue's order.
  const settings: Settings = { ...emptySnapshot.settings, ...labels.settings, ordering: 'id' };
  return { ...emptySnapshot, settings, folders: folders as ReadonlyMap<string, Folder> } satisfies Snapshot;
}

interface Rest {
  readonly words: readonly string[];
  readonly detail: DetailRow | undefined;
  readonly columns: ColumnRow;
}

function datasetOf(
  [, label, slugOrPlain, keywords, licence, format, updated, count, rows, size, data]: LabelRow,
  namespace: string,
  id: number,
  { words, detail = ['', null, '', '', '', 0], columns }: Rest,
): Dataset {
  const word = (place: number) => words[place] ?? '';
  const slug = slugOrPlain === 0 ? plainSlug(label) : slugOrPlain;
  const [description, bbox, geometry, image, shown, links] = detail;
  const nulls = columns.flatMap(([name, , , nulls]) => (nulls === null ? [] : [{ name, nulls }]));
  const version: ListedVersion = {
    ...({ kind: 'version', namespace, dataset: slug, slug: shown || 'latest' } as const),
    ...{ rows, size, bbox, format: word(format), ready: data === 2 },
    // Of a file or a link, only that there is one is shown. Other files than those with rows have no plate, as links.
    ...{ file: data > 0 && shown ? 'data' : '', href: data > 0 && !shown ? 'data' : '' },
    datetime: updated && new Date(Number.parseInt(updated, 36)).toISOString(),
    metadata: encodeMetadata({ columns: nulls, geometry: geometry.split(',').filter(Boolean) }),
  };
  const dataset = {
    ...{
      kind: 'dataset',
      id,
      namespace,
      slug,
      label,
      description,
      keywords: keywords.map(word),
      licence: word(licence),
    },
    ...{ image, showcase_image: '', thumbnail_image: image, visibility: 'public', missing_columns: [], aliases: [] },
    columns: columns.map(([name, own, type]) => ({ name, label: own || name, type, description: '', unit: '' })),
    // Of links and older versions only their number is shown.
    links: Object.fromEntries(Array.from({ length: links }, (_, place) => [place, ''])),
    versions: Array.from({ length: count }, () => version),
  };
  return dataset as unknown as Dataset;
}
