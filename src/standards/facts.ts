/**
 * Facts about a catalogue and its datasets, as the standards need them: URLs instead of references, parsed contacts, and
 * licences as addresses. A fact that nobody has written is undefined: it is left out, never invented.
 */
import { isDate } from '../catalogue/iso-time.ts';
import { findIdentifierOfLicenceUrl, findSpdxIdentifier, licenceUrl } from '../catalogue/licence.ts';
import { isLanguageTag } from '../catalogue/meaning.ts';
import { mediaTypeOf } from '../catalogue/media-types.ts';
import { decodeMetadata } from '../catalogue/metadata.ts';
import { rowCountText } from '../catalogue/number-text.ts';
import { offeredFormats, outputFormats } from '../catalogue/output-formats.ts';
import { latestReadyVersion, mayHaveRows } from '../catalogue/ready-versions.ts';
import { refOf } from '../catalogue/ref.ts';
import type { Column, Dataset, Namespace, Settings, Version } from '../catalogue/types.ts';
import { apiPath, downloadFileName, httpUri } from '../catalogue/urls.ts';
import { type CsvForm, csvFormOf, ownCsv } from './csv-form.ts';
import { columnsOfOwnCsv, columnsOfPayload, type FileColumn } from './file-columns.ts';
import { contentTypeOf, mediaTypeOfUrl, wellFormedMediaType, withoutParameters } from './media-types.ts';
import { type TimeInterval, timeIntervalOf } from './time-interval.ts';

/** What the documents of all datasets need of their catalogue. */
export interface CatalogueFacts {
  /** URL of its home page. */
  readonly url: string;
  readonly title: string;
  readonly description: string | undefined;
  /** BCP 47 tag. */
  readonly language: string | undefined;
  readonly homepage: string | undefined;
  readonly publisher: Agent | undefined;
  readonly contact: Contact | undefined;
  readonly licence: Licence | undefined;
  /** A licence in other words than an SPDX identifier or a URL. */
  readonly rights: string | undefined;
}

/** An organisation or a person. */
export interface Agent {
  readonly name: string;
}

/** A place for questions. It has an e-mail address or a URL. */
export interface Contact {
  readonly name: string;
  readonly email: string | undefined;
  readonly url: string | undefined;
}

export interface Licence {
  /** SPDX identifier. */
  readonly id: string | undefined;
  readonly url: string;
}

/** A file that can be downloaded. */
export interface Distribution {
  readonly url: string;
  /** Name of the file. */
  readonly name: string;
  /** Short name of the format, such as csv. */
  readonly format: string;
  /** Media type without parameters. */
  readonly mediaType: string;
  /** Media type of what is in a compressed file; undefined for others, and where it isn't known. */
  readonly contentType: string | undefined;
  /** In bytes; undefined for a file that is made on request. */
  readonly size: number | undefined;
  /** SHA-256 in hexadecimal; undefined for a file that is made on request. */
  readonly checksum: string | undefined;
  /** True for the file as it was published. */
  readonly isOriginal: boolean;
  /** How the text of CSV is written. */
  readonly csv: CsvForm;
  /** Returns the columns that can be found in it by their names there, or in a CSV without a header by their order. */
  readonly columns: () => readonly FileColumn[];
}

export interface DatasetFacts {
  readonly catalogue: CatalogueFacts;
  /** Address of the dataset, which identifies it. */
  readonly url: string;
  /** Name that is unique in the catalogue, with letters that every standard allows. */
  readonly name: string;
  readonly title: string;
  /** As written, or else a sentence about the table. */
  readonly description: string;
  /** True if a person has written the description. */
  readonly hasDescription: boolean;
  readonly keywords: readonly string[];
  /** Label of the namespace, and its slug. */
  readonly namespace: string;
  readonly namespaceSlug: string;
  /** True if everybody may see it. */
  readonly isPublic: boolean;
  readonly homepage: string | undefined;
  readonly licence: Licence | undefined;
  /** A licence in other words than an SPDX identifier or a URL. */
  readonly rights: string | undefined;
  /** The one that is named, or else that of the catalogue, or else the namespace. */
  readonly publisher: Agent;
  readonly contact: Contact | undefined;
  /** True if the record has a contact, which may be none that can be parsed. */
  readonly hasContact: boolean;
  /** BCP 47 tag. */
  readonly language: string | undefined;
  /** Times of the first and of the newest version, or those of the record if they are earlier and later: ISO 8601, UTC. */
  readonly issued: string | undefined;
  readonly modified: string | undefined;
  /** Label, or else the slug, of the newest version. */
  readonly version: string | undefined;
  readonly rows: number | undefined;
  /** West, south, east, north in degrees (RFC 7946, section 5). */
  readonly bbox: readonly number[] | undefined;
  /** Times of the first and the last row. */
  readonly temporal: TimeInterval | undefined;
  readonly columns: readonly Column[];
  /** Returns the number of rings of the newest file that have another direction than RFC 7946 demands of GeoJSON. */
  readonly countMisdirectedRings: () => number;
  /** Files of the newest version, the original first. */
  readonly distributions: readonly Distribution[];
  /** Files and pages on other servers. */
  readonly links: readonly RemoteLink[];
}

/** A file or a page on another server. */
export interface RemoteLink {
  readonly title: string;
  /** IRI (RFC 3987): characters that it can't have are encoded. */
  readonly url: string;
  /** By the ending of its address; undefined for a page, and where it isn't known. */
  readonly mediaType: string | undefined;
}

/** @param base URL of the catalogue, without a slash at its end */
export function catalogueFacts(settings: Settings, base: string): CatalogueFacts {
  return {
    url: `${base}/`,
    title: settings.title,
    description: textOrUndefined(settings.description),
    language: isLanguageTag(settings.language) ? settings.language : undefined,
    homepage: httpUri(settings.homepage),
    publisher: settings.publisher ? { name: settings.publisher } : undefined,
    contact: parseContact(settings.contact, settings.publisher || settings.title),
    ...licenceFacts(settings.licence),
  };
}

/** The address of a dataset, which identifies it. */
export const datasetUrl = ({ url }: CatalogueFacts, dataset: Dataset): string =>
  url.slice(0, -1) + apiPath(refOf(dataset));

/** Time of the newest version, or that of the record if it is later: ISO 8601, UTC. */
export const timeOfModification = (dataset: Dataset): string | undefined =>
  lastTime(dateOrNone(dataset.modified), latestReadyVersion(dataset)?.datetime ?? '');

/** @param namespace of the dataset; undefined if the viewer may not see it */
export function datasetFacts(
  catalogue: CatalogueFacts,
  dataset: Dataset,
  namespace: Pick<Namespace, 'label' | 'visibility'> | undefined,
): DatasetFacts {
  const newest = latestReadyVersion(dataset);
  const base = catalogue.url.slice(0, -1);
  const namespaceLabel = namespace?.label || dataset.namespace;
  const publisher = dataset.publisher ? { name: dataset.publisher } : (catalogue.publisher ?? { name: namespaceLabel });
  const ready = dataset.versions.filter((version) => version.ready);
  const bbox = newest?.bbox ?? undefined;
  return {
    catalogue,
    url: datasetUrl(catalogue, dataset),
    name: `${dataset.namespace}.${dataset.slug}`,
    title: dataset.label || dataset.slug,
    description: textOrUndefined(dataset.description) ?? describeTable(dataset, newest),
    hasDescription: dataset.description.trim() !== '',
    keywords: dataset.keywords,
    namespace: namespaceLabel,
    namespaceSlug: dataset.namespace,
    isPublic: dataset.visibility === 'public' && namespace?.visibility === 'public',
    homepage: httpUri(dataset.homepage),
    ...(dataset.licence.trim()
      ? licenceFacts(dataset.licence)
      : { licence: catalogue.licence, rights: catalogue.rights }),
    publisher,
    contact: parseContact(dataset.contact, publisher.name) ?? catalogue.contact,
    hasContact: dataset.contact.trim() !== '',
    language: catalogue.language,
    issued: firstTime(dateOrNone(dataset.issued), ...ready.map(({ datetime }) => datetime)),
    modified: timeOfModification(dataset),
    version: newest && (newest.label || newest.slug),
    rows: newest?.rows ?? undefined,
    bbox: bbox && (bbox.length === 6 ? [0, 1, 3, 4].map((i) => bbox[i] as number) : bbox),
    temporal: newest && timeIntervalOf(newest, dataset.columns),
    columns: dataset.columns,
    countMisdirectedRings: () => Number(decodeMetadata(newest?.metadata ?? '')?.misdirected_rings ?? 0),
    distributions: newest ? distributionsOf(newest, base, dataset.columns) : [],
    links: Object.entries(dataset.links).flatMap(([title, text]) => {
      const url = httpUri(text);
      return url ? [{ title, url, mediaType: mediaTypeOfUrl(url) }] : [];
    }),
  };
}

/** Fewest characters of a description that Google Dataset Search takes. */
export const shortestDescription = 50;

const textOrUndefined = (text: string): string | undefined => text.trim() || undefined;

/** The earlier or the later of two times. A date is the beginning of its day; '' stands for no time. */
const chooseTime = (isBefore: (a: string, b: string) => boolean) => (chosen: string, time: string) => {
  const whole = time.length === 10 ? `${time}T00:00:00.000Z` : time;
  return chosen === '' || (whole !== '' && isBefore(whole, chosen)) ? whole : chosen;
};
const earlier = chooseTime((a, b) => a < b);
const later = chooseTime((a, b) => a > b);
const firstTime = (...times: readonly string[]) => times.reduce(earlier, '') || undefined;
const lastTime = (...times: readonly string[]) => times.reduce(later, '') || undefined;

/** A date as people wrote it; '' for one that doesn't exist, with which a document would be invalid. */
const dateOrNone = (text: string): string => (isDate(text) ? text : '');

/** A sentence about the table, in place of a description that nobody has written. */
function describeTable({ label, slug, columns }: Dataset, version: Version | undefined): string {
  const name = label || slug;
  if (!version) return `${name}: a dataset without data.`;
  const rows = version.rows === null ? '' : ` with ${rowCountText(version.rows)}`;
  if (columns.length === 0) return `${name}: a file${version.format && ` in the format ${version.format}`}.`;
  const names = columns.slice(0, 20).map((column) => column.name);
  const more = columns.length > names.length ? ` and ${columns.length - names.length} more` : '';
  return `${name}: a table${rows} and the columns ${names.join(', ')}${more}.`;
}

function distributionsOf(version: Version, base: string, columns: readonly Column[]): readonly Distribution[] {
  const { file, href, format, size, checksum, media_type } = version;
  const home = base + apiPath(refOf(version));
  const url = file ? `${home}download/${downloadFileName(version)}` : httpUri(href);
  const formatOfFile = format || file.split('.').at(-1) || '';
  const original: readonly Distribution[] =
    url !== undefined
      ? [
          {
            url,
            name: file ? downloadFileName(version) : (href.split(/[?#]/)[0]?.split('/').at(-1) ?? ''),
            format: formatOfFile,
            mediaType: wellFormedMediaType(media_type) ?? withoutParameters(mediaTypeOf(format || file || href)),
            contentType: contentTypeOf(media_type, formatOfFile),
            size: size ?? undefined,
            checksum: checksum || undefined,
            isOriginal: true,
            csv: csvFormOf(version),
            columns: () => columnsOfPayload(version, formatOfFile, columns),
          },
        ]
      : [];
  if (!file || !version.columns || !mayHaveRows(version)) return original;
  // A variant of another format, as `excel` is of CSV, would only look like a second CSV to others.
  const others = offeredFormats(version.columns, version.rows).filter(
    (one) => one !== format && one === outputFormats[one].extension,
  );
  return [
    ...original,
    ...others.map((extension) => ({
      url: `${home}data.${extension}`,
      name: `${version.dataset}-${version.slug}.${extension}`,
      format: extension,
      mediaType: withoutParameters(outputFormats[extension].contentType),
      contentType: undefined,
      size: undefined,
      checksum: undefined,
      isOriginal: false,
      csv: ownCsv,
      columns: () => columnsOfOwnCsv(version, columns),
    })),
  ];
}

/** A contact as people write it: an e-mail address, `Name <address>`, `mailto:…` or a URL. Undefined for others. */
function parseContact(written: string, name: string): Contact | undefined {
  const contact = written.trim();
  const url = httpUri(contact);
  if (url !== undefined) return { name, email: undefined, url };
  const text = contact.replace(/>$/, '');
  const address = text.split(/[\s<>"]/).at(-1) as string;
  const [, email] = /^(?:mailto:)?([^@]+@[^@]+)$/.exec(address) ?? [];
  const before = text.slice(0, text.length - address.length).replace(/<$/, '');
  return email ? { name: before.trim() || name, email, url: undefined } : undefined;
}

/** A licence as people write it: one that programs understand, or its words. */
function licenceFacts(text: string): Pick<DatasetFacts, 'licence' | 'rights'> {
  const url = licenceUrl(text);
  if (url === undefined) return { licence: undefined, rights: textOrUndefined(text) };
  return {
    licence: { id: findSpdxIdentifier(text.trim()) ?? findIdentifierOfLicenceUrl(url), url },
    rights: undefined,
  };
}
