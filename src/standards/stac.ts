/** STAC 1.1.0: the catalogue as a Catalog of Catalogs, one for each namespace; each dataset as a Collection with the extensions for tables and files. */
import type { Namespace } from '../catalogue/types.ts';
import type { CatalogueFacts, DatasetFacts } from './facts.ts';
import { columnMapping, datasetMapping, distributionMapping, mapFacts } from './mapping.ts';
import { missingFor } from './requirements.ts';

const extensions = [
  'https://stac-extensions.github.io/table/v1.2.0/schema.json',
  'https://stac-extensions.github.io/file/v2.1.0/schema.json',
];

/** A link between documents. */
export interface StacLink {
  readonly rel: string;
  readonly href: string;
  readonly type: string;
  readonly title?: string;
}

const json = 'application/json';

/** Address of the root. */
const stacCatalogUrl = ({ url }: CatalogueFacts): string => `${url}stac/`;
/** Address of the Catalog of a namespace. */
const stacNamespaceUrl = (facts: CatalogueFacts, slug: string): string => `${stacCatalogUrl(facts)}${slug}/`;
/** Address of the Collection of a dataset. */
const stacCollectionUrl = ({ url }: DatasetFacts): string => `${url}stac.json`;

export function stacCatalog(facts: CatalogueFacts, children: readonly StacLink[]): Readonly<Record<string, unknown>> {
  const self = stacCatalogUrl(facts);
  return {
    type: 'Catalog',
    stac_version: '1.1.0',
    id: 'catalogue',
    title: facts.title,
    description: facts.description ?? facts.title,
    links: [
      { rel: 'self', href: self, type: json },
      { rel: 'root', href: self, type: json, title: facts.title },
      ...children,
    ],
  };
}

/** The link of the root to a namespace with data. */
export const stacNamespaceLink = ({ catalogue, namespaceSlug, namespace }: DatasetFacts): StacLink => ({
  rel: 'child',
  href: stacNamespaceUrl(catalogue, namespaceSlug),
  type: json,
  title: namespace,
});

/** The Catalog of a namespace. @param children links to its datasets */
export function stacNamespaceCatalog(
  facts: CatalogueFacts,
  { slug, label, description }: Pick<Namespace, 'slug' | 'label' | 'description'>,
  children: readonly StacLink[],
): Readonly<Record<string, unknown>> {
  const title = label || slug;
  const root = { href: stacCatalogUrl(facts), type: json, title: facts.title };
  return {
    type: 'Catalog',
    stac_version: '1.1.0',
    id: slug,
    title,
    description: description.trim() || title,
    links: [
      { rel: 'self', href: stacNamespaceUrl(facts, slug), type: json },
      { rel: 'root', ...root },
      { rel: 'parent', ...root },
      ...children,
    ],
  };
}

/** The link of a namespace to a dataset. */
export const stacChildLink = (facts: DatasetFacts): StacLink => ({
  rel: 'child',
  href: stacCollectionUrl(facts),
  type: json,
  title: facts.title,
});

/** @returns undefined for a dataset without data: a Collection has an extent in time */
export function stacCollection(facts: DatasetFacts): Readonly<Record<string, unknown>> | undefined {
  const { catalogue, licence, issued, modified, bbox, temporal, columns, distributions, url } = facts;
  if (missingFor('stac', facts).length) return undefined;
  const root = stacCatalogUrl(catalogue);
  return {
    type: 'Collection',
    stac_version: '1.1.0',
    stac_extensions: extensions,
    license: 'other',
    ...mapFacts(datasetMapping, 'stac', facts),
    // The times are those of the rows, or else of the versions. Without a known box, STAC has the whole world.
    extent: {
      spatial: { bbox: [bbox ?? [-180, -90, 180, 90]] },
      temporal: { interval: [temporal ?? [issued, modified]] },
    },
    ...(columns.length && { 'table:columns': columns.map((one) => mapFacts(columnMapping, 'stac', one)) }),
    assets: Object.fromEntries(
      distributions.map((one) => [
        one.isOriginal ? 'data' : one.format,
        { ...mapFacts(distributionMapping, 'stac', one), roles: ['data'] },
      ]),
    ),
    links: [
      { rel: 'self', href: stacCollectionUrl(facts), type: json },
      { rel: 'root', href: root, type: json, title: catalogue.title },
      { ...stacNamespaceLink(facts), rel: 'parent' },
      { rel: 'about', href: url, type: 'text/html' },
      ...(licence ? [{ rel: 'license', href: licence.url }] : []),
    ],
  };
}
