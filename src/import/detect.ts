/** The format of a source's document, from its address, its media type and its beginning. */

import { beginsLikeHtml } from '../catalogue/media-types.ts';
import { isCkanAnswer, isCkanPackage } from './ckan.ts';
import { isDataPackage } from './data-package.ts';
import { isDcatUs } from './dcat-us.ts';
import type { OpenDocument } from './documents.ts';
import {
  findFirstJsonLine,
  maxWholeDocument,
  parseJson,
  readDocumentHead,
  readDocumentText,
  readStructuredDocument,
} from './documents.ts';
import { membersOf } from './imported.ts';
import { isRegistryDataset } from './open-data-registry.ts';
import { isCatalogueRoot } from './other-catalogue.ts';
import { isStac } from './stac.ts';
import { isStacItems } from './stac-items.ts';

/** Formats of sources, as `--format` names them. */
export const sourceFormats = {
  ckan: 'CKAN: the API, saved answers or a dump',
  'dcat-us': 'DCAT-US (data.json), as Socrata, ArcGIS Hub and data.gov have it',
  dcat: 'DCAT and DCAT-AP in Turtle, JSON-LD or RDF/XML',
  stac: 'STAC: a folder, a static catalogue or an API',
  datapackage: 'Data Package',
  ogc: 'OGC API - Features',
  wfs: 'WFS',
  registry: 'the YAML files of the Registry of Open Data on AWS',
  catalogue: 'another catalogue of this program',
} as const;

export type SourceFormat = keyof typeof sourceFormats;

export interface Detected {
  readonly format: SourceFormat | 'ckan-dump' | 'stac-items' | 'html' | null;
  /** The document, if it was read as a whole. */
  readonly value?: unknown;
  /** Path of the list of records in a document that is read item by item. */
  readonly keys?: readonly string[];
}

/** Formats of documents that belong to a format of sources, beside the one of its name. */
const otherForms: Partial<Record<SourceFormat, Detected['format']>> = { ckan: 'ckan-dump', stac: 'stac-items' };

/** True for a document in a format of sources, in one of its forms. */
export const isInFormat = ({ format }: Detected, given: SourceFormat): boolean =>
  format !== null && (format === given || format === otherForms[given]);

/** Formats that can't be detected in every document: any text may be RDF, and the list of a data.json may be empty. */
export const hiddenFormats: readonly SourceFormat[] = ['dcat', 'dcat-us'];

/**
 * The format of a document for which `--format` names one.
 * @param believed formats for which `--format` counts more than the content of the document
 */
export async function detectSourceFormatAs(
  document: OpenDocument,
  format: SourceFormat | undefined,
  believed: readonly SourceFormat[],
): Promise<Detected> {
  const detected = await detectSourceFormat(document);
  return format && !isInFormat(detected, format) && believed.includes(format) ? { ...detected, format } : detected;
}

/** Why a document is not read, if it has another format than `--format` names. */
export const reasonForOtherFormat = ({ format }: Detected, given: SourceFormat): string =>
  format === null ? `it is no document in the format ${given}` : `its format is ${format}, not ${given}`;

/** Size from which a document is read item by item. */
const largeDocument = 4 * 1024 * 1024;

/** Keys of documents that are read as a whole up to `maxWholeDocument`, such as an answer of a STAC API with hundreds of items. */
const keysOfWhole = /"(?:stac_version|resources|collections|endpoints)"\s*:/;

/** Detects the format of a document. A small document is read as a whole, a large one only at its beginning. */
export async function detectSourceFormat(document: OpenDocument): Promise<Detected> {
  const head = (await readDocumentHead(document)).trimStart();
  const name = (document.address.split(/[?#]/)[0] ?? '').toLowerCase().replace(/\.gz$/, '');
  if (/^<\?xml|^<!DOCTYPE rdf|^<[\w:]*(?:WFS_Capabilities|RDF)/i.test(head)) {
    if (/WFS_Capabilities/.test(head)) return { format: 'wfs' };
    if (/<(?:\w+:)?RDF\b/.test(head)) return { format: 'dcat' };
  }
  if (beginsLikeHtml(head)) return { format: 'html' };
  if (/\.(?:ttl|n3|nt|nq|trig|rdf)$/.test(name) || /turtle|n-triples|n-quads|trig|rdf\+xml/.test(document.mediaType))
    return { format: 'dcat' };
  if (/\.ya?ml$/.test(name))
    return formatOfValue(await readStructuredDocument({ open: async () => document }, document.address));
  const line = await findFirstJsonLine(document, head);
  if (line !== null) return formatOfItem(parseJson(line, document.address), []);
  if (!/^[[{]/.test(head)) return /^@?prefix\b|^@base\b/i.test(head) ? { format: 'dcat' } : { format: null };
  if (document.size > largeDocument || /\.gz$/i.test(document.path)) {
    const detected = formatOfHead(head);
    if (detected.format !== null || document.size > maxWholeDocument || !keysOfWhole.test(head)) return detected;
  }
  return formatOfValue(parseJson(await readDocumentText(document), document.address));
}

/** The format of a large document, from the keys at its beginning. */
function formatOfHead(head: string): Detected {
  if (head.startsWith('[') && /"@(?:type|id)"\s*:/.test(head)) return { format: 'dcat' };
  if (head.startsWith('['))
    return /"resources"|"owner_org"|"license_id"|"metadata_created"/.test(head)
      ? { format: 'ckan-dump', keys: [] }
      : { format: null };
  if (/"dataset"\s*:\s*\[/.test(head)) return { format: 'dcat-us', keys: ['dataset'] };
  if (/"@(?:context|graph|id)"\s*:/.test(head)) return { format: 'dcat' };
  if (/"success"\s*:|"result"\s*:/.test(head))
    return { format: 'ckan-dump', keys: /"result"\s*:\s*\[/.test(head) ? ['result'] : ['result', 'results'] };
  if (/"results"\s*:\s*\[/.test(head)) return { format: 'ckan-dump', keys: ['results'] };
  return { format: null };
}

function formatOfItem(item: unknown, keys: readonly string[]): Detected {
  return isCkanPackage(item) || isCkanAnswer(item) ? { format: 'ckan-dump', keys } : { format: null };
}

/** The format of a document that was read as a whole. */
function formatOfValue(value: unknown): Detected {
  if (Array.isArray(value)) {
    if (value.some((item) => isCkanPackage(item) || isCkanAnswer(item))) return { format: 'ckan-dump', keys: [] };
    return { format: value.some(isJsonLd) ? 'dcat' : null };
  }
  const one = membersOf(value);
  if (isStacItems(one)) return { format: 'stac-items', value };
  if (isCatalogueRoot(one)) return { format: 'catalogue', value };
  if (isStac(one)) return { format: 'stac', value };
  if (isDcatUs(one)) return { format: 'dcat-us', value };
  if (isCkanAnswer(one)) return { format: 'ckan', value };
  if (isDataPackage(one)) return { format: 'datapackage', value };
  if (isCkanPackage(one)) return { format: 'ckan', value: { success: true, result: one } };
  if (isRegistryDataset(one)) return { format: 'registry', value };
  if (
    Array.isArray(one.links) &&
    (Array.isArray(one.collections) ||
      one.links.some((link) => ['data', 'conformance', 'items'].includes(String(membersOf(link).rel))))
  )
    return { format: 'ogc', value };
  if (Array.isArray(one.results) && one.results.some(isCkanPackage)) return { format: 'ckan-dump', keys: ['results'] };
  return { format: isJsonLd(one) ? 'dcat' : null };
}

/** True for an object of JSON-LD, in any of its forms. */
const isJsonLd = (value: unknown): boolean =>
  ['@context', '@graph', '@id', '@type'].some((key) => Object.hasOwn(membersOf(value), key));
