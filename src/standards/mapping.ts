/**
 * The mapping from our facts to the properties of the standards: a row for each fact. Documents are made from it, and so is
 * the table in docs/standards.md. What a standard has in a form of its own is made in its module.
 */
import { beginningOf } from '../catalogue/beginning.ts';
import type { Column, ColumnType } from '../catalogue/types.ts';
import { encodingFormatOf } from './croissant-extract.ts';
import type { DatasetFacts, Distribution } from './facts.ts';
import {
  agentNode,
  checksumNode,
  dateTime,
  documentNode,
  iri,
  literal,
  locationNode,
  mailtoUri,
  mediaTypeNode,
  nonNegativeInteger,
  periodNode,
  rightsNode,
  vcardNode,
} from './rdf-values.ts';
import { describeAtLength, licenceInWords, organization, placeWithBox } from './schema-org-values.ts';

/** The standards that describe a single dataset. */
export const standardNames = {
  schemaOrg: 'schema.org',
  croissant: 'Croissant 1.1',
  dcat: 'DCAT-AP 3.0.1',
  dcatUs: 'DCAT-US 1.1',
  dataPackage: 'Data Package 2',
  stac: 'STAC 1.1.0',
} as const;

export type Standard = keyof typeof standardNames;

/** Name of a property; with a function, if the value is written in another form. Undefined values are left out. */
type Term<Value, Facts> = string | readonly [name: string, convert: (value: Value, facts: Facts) => unknown];
type Terms<Value, Facts> = { readonly [S in Standard]?: Term<Value, Facts> };

/** A fact, and its property in each standard that has one. */
export interface MappingRow<Facts> {
  readonly fact: string;
  readonly terms: { readonly [S in Standard]?: string };
  /** The property and its value in a document; undefined if the fact is missing or the standard has no such property. */
  readonly property: (standard: Standard, facts: Facts) => readonly [name: string, value: unknown] | undefined;
}

/** A function that makes the rows of a mapping of such facts. */
function rowsOf<Facts>() {
  return <Name extends keyof Facts & string>(
    fact: Name,
    terms: Terms<NonNullable<Facts[Name]>, Facts>,
  ): MappingRow<Facts> => ({
    fact,
    terms: Object.fromEntries(
      Object.entries(terms).map(([standard, term]) => [standard, typeof term === 'string' ? term : term[0]]),
    ),
    property(standard, facts) {
      const term = terms[standard];
      const value = facts[fact];
      if (term === undefined || isMissing(value)) return undefined;
      const [name, written] =
        typeof term === 'string' ? [term, value] : [term[0], term[1](value as NonNullable<Facts[Name]>, facts)];
      return isMissing(written) ? undefined : [name, written];
    },
  });
}

const isMissing = (value: unknown): boolean =>
  value === undefined || value === null || value === '' || (Array.isArray(value) && value.length === 0);

/** The properties of a document by the rows of a mapping. */
export function mapFacts<Facts>(
  rows: readonly MappingRow<Facts>[],
  standard: Standard,
  facts: Facts,
): Record<string, unknown> {
  const properties: Record<string, unknown> = {};
  for (const row of rows) {
    const property = row.property(standard, facts);
    if (property) properties[property[0]] = property[1];
  }
  return properties;
}

/** Most characters of `rights` in DCAT-US. */
const longestRights = 255;

const dataset = rowsOf<DatasetFacts>();
const distribution = rowsOf<Distribution>();
const column = rowsOf<Column>();

// biome-ignore format: a line a fact
export const datasetMapping: readonly MappingRow<DatasetFacts>[] = [
  dataset('name', { dataPackage: ['name', (name) => name.toLowerCase()], stac: 'id' }),
  dataset('title', { schemaOrg: 'name', croissant: 'name', dcat: ['dct:title', literal], dcatUs: 'title', dataPackage: 'title', stac: 'title' }),
  dataset('description', { schemaOrg: ['description', describeAtLength], croissant: 'description', dcat: ['dct:description', literal], dcatUs: 'description', dataPackage: 'description', stac: 'description' }),
  dataset('url', { schemaOrg: 'url', croissant: 'url', dcat: ['dct:identifier', String], dcatUs: 'identifier', dataPackage: 'id' }),
  dataset('keywords', { schemaOrg: 'keywords', croissant: 'keywords', dcat: ['dcat:keyword', (words, facts) => words.map((word) => literal(word, facts))], dataPackage: 'keywords', stac: 'keywords' }),
  dataset('homepage', { dcat: ['foaf:page', documentNode], dcatUs: 'landingPage', dataPackage: 'homepage' }),
  dataset('licence', { schemaOrg: ['license', ({ url }) => url], croissant: ['license', ({ url }) => url], dcatUs: ['license', ({ url }) => url], dataPackage: ['licenses', ({ id, url }) => [{ ...(id && { name: id }), path: url }]], stac: ['license', ({ id }) => id ?? 'other'] }),
  dataset('rights', { schemaOrg: ['license', licenceInWords], dcat: ['dct:rights', rightsNode], dcatUs: ['rights', (text) => beginningOf(text, longestRights)] }),
  dataset('publisher', { schemaOrg: ['publisher', organization], croissant: ['creator', organization], dcat: ['dct:publisher', agentNode], dcatUs: ['publisher', ({ name }) => ({ '@type': 'org:Organization', name })], dataPackage: ['contributors', ({ name }) => [{ title: name, roles: ['publisher'] }]], stac: ['providers', ({ name }, { homepage }) => [{ name, roles: ['producer'], ...(homepage && { url: homepage }) }]] }),
  dataset('contact', { dcat: ['dcat:contactPoint', vcardNode], dcatUs: ['contactPoint', ({ name, email }) => email && { '@type': 'vcard:Contact', fn: name, hasEmail: mailtoUri(email) }] }),
  dataset('language', { schemaOrg: 'inLanguage', croissant: 'inLanguage', dcatUs: ['language', (tag) => [tag]] }),
  dataset('issued', { schemaOrg: 'datePublished', croissant: 'datePublished', dcat: ['dct:issued', dateTime], dcatUs: 'issued' }),
  dataset('modified', { schemaOrg: 'dateModified', croissant: 'dateModified', dcat: ['dct:modified', dateTime], dcatUs: 'modified', dataPackage: 'created' }),
  dataset('version', { schemaOrg: 'version', croissant: 'version', dcat: 'dcat:version', dataPackage: 'version' }),
  dataset('rows', { stac: 'table:row_count' }),
  dataset('bbox', { schemaOrg: ['spatialCoverage', placeWithBox], croissant: ['spatialCoverage', placeWithBox], dcat: ['dct:spatial', locationNode], dcatUs: ['spatial', (bbox) => bbox.join(',')] }),
  dataset('temporal', { schemaOrg: ['temporalCoverage', (times) => times.join('/')], croissant: ['temporalCoverage', (times) => times.join('/')], dcat: ['dct:temporal', periodNode], dcatUs: ['temporal', (times) => times.join('/')] }),
];

// biome-ignore format: a line a fact
export const distributionMapping: readonly MappingRow<Distribution>[] = [
  distribution('url', { schemaOrg: 'contentUrl', croissant: 'contentUrl', dcat: ['dcat:downloadURL', iri], dcatUs: 'downloadURL', dataPackage: 'path', stac: 'href' }),
  distribution('name', { schemaOrg: 'name', croissant: 'name', dcat: 'dct:title', dcatUs: 'title', dataPackage: 'title', stac: 'title' }),
  distribution('format', { dcatUs: ['format', (format) => format.toUpperCase()], dataPackage: 'format' }),
  distribution('mediaType', { schemaOrg: 'encodingFormat', croissant: ['encodingFormat', encodingFormatOf], dcat: ['dcat:mediaType', (type, { contentType }) => mediaTypeNode(contentType ?? type)], dcatUs: 'mediaType', dataPackage: 'mediatype', stac: 'type' }),
  distribution('contentType', { dcat: ['dcat:compressFormat', (_, { mediaType }) => mediaTypeNode(mediaType)] }),
  distribution('size', { schemaOrg: ['contentSize', (size) => `${size} B`], croissant: ['contentSize', (size) => `${size} B`], dcat: ['dcat:byteSize', nonNegativeInteger], dataPackage: 'bytes', stac: 'file:size' }),
  distribution('checksum', { schemaOrg: 'sha256', croissant: 'sha256', dcat: ['spdx:checksum', checksumNode], dataPackage: ['hash', (sum) => `sha256:${sum}`], stac: ['file:checksum', (sum) => `1220${sum}`] }),
];

// biome-ignore format: a line a fact
export const columnMapping: readonly MappingRow<Column>[] = [
  column('name', { schemaOrg: 'name', croissant: 'name', dataPackage: 'name', stac: 'name' }),
  column('label', { schemaOrg: 'alternateName', dataPackage: 'title' }),
  column('description', { schemaOrg: 'description', croissant: 'description', dataPackage: 'description', stac: 'description' }),
  column('type', { croissant: ['dataType', (type) => croissantTypes[type]], dataPackage: ['type', (type) => tableSchemaTypes[type]], stac: 'type' }),
  column('unit', { schemaOrg: 'unitText', dataPackage: 'unit' }),
];

/** Types of Table Schema (Data Package 2). A geometry is written as text (WKT) in CSV. */
const tableSchemaTypes: Readonly<Record<ColumnType, string>> = {
  geometry: 'string',
  integer: 'integer',
  float: 'number',
  string: 'string',
  boolean: 'boolean',
  date: 'date',
  datetime: 'datetime',
  time: 'time',
  object: 'object',
  array: 'array',
};

/** Types of fields in Croissant 1.1. */
export const croissantTypes: Readonly<Record<ColumnType, string>> = {
  geometry: 'sc:GeoShape',
  integer: 'sc:Integer',
  float: 'sc:Float',
  string: 'sc:Text',
  boolean: 'sc:Boolean',
  date: 'sc:Date',
  datetime: 'sc:DateTime',
  time: 'sc:Time',
  object: 'sc:Text',
  array: 'sc:Text',
};
