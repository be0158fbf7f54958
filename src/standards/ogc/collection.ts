/** Collections of OGC API - Features (17-069r4): a dataset with rows is a collection, by its newest ready version. */
import { geometryTypesInMetadata } from '../../catalogue/column-statistics.ts';
import { crs84, type OgcLink } from '../../catalogue/feature-parameters.ts';
import { latestReadyVersion, mayHaveRows } from '../../catalogue/ready-versions.ts';
import type { Column, Dataset } from '../../catalogue/types.ts';
import type { CatalogueFacts, DatasetFacts } from '../facts.ts';
import { type TimeInterval, timeIntervalOf } from '../time-interval.ts';

/** Facts about a dataset as a collection of features. */
export interface OgcCollection {
  /** `<namespace>.<dataset>`, in which slugs have no dot. */
  readonly id: string;
  /** Address of the collection. */
  readonly url: string;
  readonly facts: DatasetFacts;
  readonly columns: readonly Column[];
  /** Keyword `format` of the geometry in schemas: `geometry-point` …; undefined without geometry. */
  readonly geometryFormat: string | undefined;
  /** Times of the first and the last row: RFC 3339, UTC; undefined if they aren't known. */
  readonly interval: TimeInterval | undefined;
}

export const json = 'application/json';
export const html = 'text/html';
export const geoJson = 'application/geo+json';
export const schemaJson = 'application/schema+json';

/** Relation types that OGC has defined. */
const ogcRelation = (name: string): string => `http://www.opengis.net/def/rel/ogc/1.0/${name}`;

/** Address of the landing page, without a slash at its end. */
export const ogcRoot = ({ url }: CatalogueFacts): string => `${url}ogc`;

/** True if a dataset has rows, and so is a collection. */
export function isOgcCollection(dataset: Dataset): boolean {
  const version = latestReadyVersion(dataset);
  return version !== undefined && mayHaveRows(version);
}

/**
 * The collection of a dataset.
 * @param columns of its rows, if the record of the version doesn't tell them
 * @returns undefined for a dataset without rows
 */
export function ogcCollection(
  facts: DatasetFacts,
  dataset: Dataset,
  columns: readonly Column[] = dataset.columns,
): OgcCollection | undefined {
  const version = latestReadyVersion(dataset);
  if (!version || !isOgcCollection(dataset)) return undefined;
  const hasGeometry = columns.some(({ type }) => type === 'geometry');
  return {
    id: facts.name,
    url: `${ogcRoot(facts.catalogue)}/collections/${facts.name}`,
    facts,
    columns,
    geometryFormat: hasGeometry ? geometryFormatOf(geometryTypesInMetadata(version)) : undefined,
    interval: timeIntervalOf(version, columns),
  };
}

/** The format by the types that occur (19-079r2, get-queryables-response, E). */
function geometryFormatOf(types: readonly string[]): string {
  const plain = [...new Set(types.map((type) => type.replace(/ Z$/, '').toLowerCase()))].sort();
  const [first = 'any', second] = plain;
  if (plain.length <= 1) return `geometry-${first}`;
  return plain.length === 2 && first === `multi${second}` ? `geometry-${second}-or-${first}` : 'geometry-any';
}

/** The description of a collection, the same in the list and by itself. */
export function collectionDocument({ id, url, facts, geometryFormat, interval }: OgcCollection) {
  const { title, description, bbox, licence, keywords } = facts;
  const spatial = geometryFormat && bbox ? { bbox: [bbox], crs: crs84 } : undefined;
  const temporal = interval && {
    interval: [interval],
    trs: 'http://www.opengis.net/def/uom/ISO-8601/0/Gregorian',
  };
  const links: OgcLink[] = [
    { href: `${url}?f=json`, rel: 'self', type: json, title: 'This document' },
    { href: `${url}?f=html`, rel: 'alternate', type: html, title: 'This document as a page' },
    { href: `${url}/items`, rel: 'items', type: geoJson, title: `Features: ${title}` },
    { href: `${url}/items?f=html`, rel: 'items', type: html, title: 'Features as a page' },
    { href: `${url}/schema`, rel: 'describedby', type: schemaJson, title: 'Schema of the features' },
    { href: `${url}/schema`, rel: ogcRelation('schema'), type: schemaJson, title: 'Schema of the features' },
    { href: `${url}/queryables`, rel: ogcRelation('queryables'), type: schemaJson, title: 'Columns for filters' },
    { href: `${url}/sortables`, rel: ogcRelation('sortables'), type: schemaJson, title: 'Columns for the order' },
    { href: facts.url, rel: 'describes', type: html, title: 'Page of the dataset' },
    { href: `${facts.url}schema.jsonld`, rel: 'describedby', type: 'application/ld+json', title: 'Dataset' },
    ...facts.distributions.map(({ url: href, mediaType: type, name }) => ({
      ...{ href, rel: 'enclosure', type, title: name },
    })),
    ...(licence ? [{ href: licence.url, rel: 'license', type: html }] : []),
  ];
  return {
    ...{ id, title, description },
    ...(keywords.length && { keywords }),
    ...((spatial || temporal) && { extent: { ...(spatial && { spatial }), ...(temporal && { temporal }) } }),
    itemType: 'feature',
    crs: [crs84],
    links,
  };
}

/** Links of the list of collections. */
export const collectionsLinks = (facts: CatalogueFacts): readonly OgcLink[] => {
  const url = `${ogcRoot(facts)}/collections`;
  return [
    { href: `${url}?f=json`, rel: 'self', type: json, title: 'This document' },
    { href: `${url}?f=html`, rel: 'alternate', type: html, title: 'This document as a page' },
    { href: `${ogcRoot(facts)}/`, rel: 'root', type: json, title: facts.title },
  ];
};

/** The landing page. */
export function landingDocument(facts: CatalogueFacts) {
  const root = ogcRoot(facts);
  const links: OgcLink[] = [
    { href: `${root}/?f=json`, rel: 'self', type: json, title: 'This document' },
    { href: `${root}/?f=html`, rel: 'alternate', type: html, title: 'This document as a page' },
    { href: `${root}/api`, rel: 'service-desc', type: openApiType, title: 'Definition of the API' },
    { href: `${root}/api?f=html`, rel: 'service-doc', type: html, title: 'Definition of the API as a page' },
    { href: `${root}/conformance`, rel: 'conformance', type: json, title: 'Conformance classes' },
    { href: `${root}/collections`, rel: 'data', type: json, title: 'Collections of features' },
    // Common has relations of its own (19-072, landing-page/root-success; 20-024, collections-list-op), Features has the others.
    { href: `${root}/conformance`, rel: ogcRelation('conformance'), type: json, title: 'Conformance classes' },
    { href: `${root}/collections`, rel: ogcRelation('data'), type: json, title: 'Collections of features' },
    { href: `${root}/functions`, rel: ogcRelation('functions'), type: json, title: 'Functions of filters' },
    ...(facts.licence ? [{ href: facts.licence.url, rel: 'license', type: html }] : []),
  ];
  return { title: facts.title, description: facts.description ?? facts.title, links };
}

/** Exactly as the standard writes it (17-069r4, section 7.2). */
export const openApiType = 'application/vnd.oai.openapi+json;version=3.0';

const classesOf = (part: string, names: readonly string[]): readonly string[] =>
  names.map((name) => `http://www.opengis.net/spec/${part}/1.0/conf/${name}`);

/** @param filterClasses addresses of the classes of CQL2 */
export const conformanceDocument = (filterClasses: readonly string[]) => ({
  conformsTo: [
    ...classesOf('ogcapi-common-1', ['core', 'landing-page', 'json', 'html', 'oas30']),
    ...classesOf('ogcapi-common-2', ['collections']),
    ...classesOf('ogcapi-features-1', ['core', 'geojson', 'html', 'oas30']),
    ...classesOf('ogcapi-features-3', ['queryables', 'queryables-query-parameters', 'filter', 'features-filter']),
    ...classesOf('ogcapi-features-5', [
      ...['schemas', 'advanced-property-roles', 'returnables-and-receivables', 'queryables', 'sortables'],
    ]),
    ...classesOf('ogcapi-features-8', ['sortables', 'sorting', 'features-sorting']),
    ...filterClasses,
  ],
});
