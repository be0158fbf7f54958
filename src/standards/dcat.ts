/** The catalogue and its datasets in DCAT 3, as DCAT-AP 3.0.1 wants it, in JSON-LD 1.1. */
import type { CatalogueFacts, DatasetFacts, Distribution, Licence, RemoteLink } from './facts.ts';
import { datasetMapping, distributionMapping, mapFacts } from './mapping.ts';
import {
  agentNode,
  iri,
  languageNode,
  licenceNode,
  literal,
  mediaTypeNode,
  type RdfValue,
  rdfPrefixes,
  vcardNode,
} from './rdf-values.ts';

/** A node of JSON-LD. */
export type RdfNode = { readonly [key: string]: RdfValue | readonly RdfValue[] };

/** A document of JSON-LD with these nodes. */
export const jsonLdDocument = (nodes: readonly RdfNode[]) => ({ '@context': rdfPrefixes, '@graph': nodes });

/** The property of a catalogue that names its datasets. */
export const datasetProperty = 'dcat:dataset';

/** The catalogue, without its datasets: there may be many. */
export function dcatCatalogue(facts: CatalogueFacts): RdfNode {
  const { url, title, description, publisher, homepage, licence, language, contact } = facts;
  return withoutUndefined({
    '@id': url,
    '@type': 'dcat:Catalog',
    'dct:title': literal(title, facts),
    'dct:description': description && literal(description, facts),
    'dct:publisher': publisher && agentNode(publisher),
    'dcat:contactPoint': contact && vcardNode(contact),
    'foaf:homepage': homepage
      ? { '@id': homepage, '@type': 'foaf:Document' }
      : { '@id': url, '@type': 'foaf:Document' },
    'dct:license': licence && licenceNode(licence),
    'dct:language': language && languageNode(language),
  });
}

export function dcatDataset(facts: DatasetFacts): RdfNode {
  const { url, language, licence } = facts;
  const distributions = [
    ...facts.distributions.map((one) => dcatDistribution(one, url, licence)),
    ...facts.links.map((one, i) => dcatLink(one, `${url}#link-${i + 1}`, licence)),
  ];
  return withoutUndefined({
    '@id': url,
    '@type': 'dcat:Dataset',
    ...mapFacts(datasetMapping, 'dcat', facts),
    'dct:language': language && languageNode(language),
    'dcat:landingPage': { '@id': `${url}?format=html`, '@type': 'foaf:Document' },
    'dcat:distribution': distributions.length ? distributions : undefined,
  });
}

/** A file by an address of its own: a file of others may be in several datasets. */
function dcatDistribution(distribution: Distribution, dataset: string, licence: Licence | undefined): RdfNode {
  const { url, format, isOriginal } = distribution;
  const eu = Object.hasOwn(euFileTypes, format) ? euFileTypes[format] : undefined;
  const authority = 'http://publications.europa.eu/resource/authority/file-type/';
  return withoutUndefined({
    '@id': `${dataset}#${isOriginal ? 'data' : format}`,
    '@type': 'dcat:Distribution',
    'dcat:accessURL': iri(url),
    ...mapFacts(distributionMapping, 'dcat', distribution),
    'dct:format': eu && { '@id': authority + eu, '@type': 'dct:MediaTypeOrExtent' },
    'dct:license': licence && licenceNode(licence),
  });
}

/** A file or page on another server, which this catalogue knows by its address only. */
function dcatLink({ title, url, mediaType }: RemoteLink, id: string, licence: Licence | undefined): RdfNode {
  return withoutUndefined({
    '@id': id,
    '@type': 'dcat:Distribution',
    'dct:title': title,
    'dcat:accessURL': iri(url),
    'dcat:downloadURL': mediaType === undefined ? undefined : iri(url),
    'dcat:mediaType': mediaType === undefined ? undefined : mediaTypeNode(mediaType),
    'dct:license': licence && licenceNode(licence),
  });
}

/** File types of the EU's authority table, by short name of the format. */
const euFileTypes: Readonly<Record<string, string>> = {
  csv: 'CSV',
  geojson: 'GEOJSON',
  gml: 'GML',
  gpkg: 'GPKG',
  json: 'JSON',
  kml: 'KML',
  parquet: 'PARQUET',
  pdf: 'PDF',
  shp: 'SHP',
  tsv: 'TSV',
  txt: 'TXT',
  xlsx: 'XLSX',
  xml: 'XML',
  zip: 'ZIP',
};

function withoutUndefined(node: Readonly<Record<string, unknown>>): RdfNode {
  const kept: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(node)) if (value !== undefined && value !== '') kept[name] = value;
  return kept as RdfNode;
}
