/** Datasets as a source describes them, in the fields of this catalogue. Readers of formats make them; they do no I/O of their own. */
import { beginningOf } from '../catalogue/beginning.ts';
import { excerpt, ValidationError } from '../catalogue/errors.ts';
import { maxKeywordLength, maxReference } from '../catalogue/fields.ts';
import { isDate } from '../catalogue/iso-time.ts';
import { parseReadingOptionsInput, readingOptionsWithoutStrict } from '../catalogue/reading.ts';
import type { ReadingOptions } from '../catalogue/types.ts';
import { isAbsoluteUrl } from '../catalogue/urls.ts';
import { findImportedLicence } from './licence.ts';
import { markdownFromHtml, plainText } from './prose.ts';

/** Texts of a column that the source describes. */
export interface ImportedColumn {
  readonly name: string;
  readonly label: string;
  readonly description: string;
  readonly unit: string;
}

/** A file or a page at the source. */
export interface ImportedLink {
  readonly label: string;
  /** Absolute URL, or the path of a local file. */
  readonly address: string;
  /** Short name of the format in lower case, such as csv; '' if the source doesn't say it. */
  readonly format: string;
  readonly mediaType: string;
  /** True if the source says that it is the file itself, not a page about it. */
  readonly isFile: boolean;
  readonly columns: readonly ImportedColumn[];
  /** Sheet or layer of the file, if it has several. */
  readonly layer?: string;
  /** True if the address is that of a page with a link to the file. */
  readonly isOnPage?: boolean;
  /** JSON body, if the address is asked by POST. */
  readonly body?: Readonly<Record<string, unknown>>;
}

/** A dataset of a source. */
export interface ImportedDataset {
  /** Identifier that the source gives it. */
  readonly id: string;
  /** Name in its address at the source; '' if it has none. */
  readonly name: string;
  readonly label: string;
  readonly description: string;
  /** All keywords of the source; a record stores only the first ones. */
  readonly keywords: readonly string[];
  readonly licence: string;
  readonly homepage: string;
  readonly publisher: string;
  readonly contact: string;
  /** YYYY-MM-DD or a time in UTC; '' if the source doesn't say. */
  readonly issued: string;
  readonly modified: string;
  readonly links: readonly ImportedLink[];
  /** Options for reading the file; absent if the source doesn't say how it is read. */
  readonly reading?: ReadingOptions;
  /** What the source says about reading the file, as sentences, if there is no option for it. */
  readonly remarks?: readonly string[];
  /** True if the dataset is a local file with rows, which is always brought. */
  readonly isDataFile?: boolean;
}

/** A record of a source that was not taken, or a part of one. */
export interface Skipped {
  readonly id: string;
  readonly reason: string;
}

/**
 * A dataset of a source, or the reason why a record is not one; `total` is the number of records to come. After `isIncomplete`, datasets
 * that were not seen may still be at the source; `id` is the identifier of a record that is there, but can't be taken.
 */
export type SourceItem =
  | { readonly dataset: ImportedDataset }
  | { readonly skipped: Skipped; readonly isIncomplete?: boolean; readonly id?: string }
  | { readonly total: number };

/** Values of a dataset as they stand in a source: of any type, and possibly missing. */
export interface RawDataset {
  readonly id: unknown;
  readonly name?: unknown;
  readonly label?: unknown;
  readonly description?: unknown;
  readonly keywords?: readonly unknown[];
  /** Identifiers, URLs and titles of the licence, the most exact first. */
  readonly licence?: readonly unknown[];
  readonly homepage?: unknown;
  readonly publisher?: unknown;
  readonly contact?: readonly unknown[];
  readonly issued?: unknown;
  readonly modified?: unknown;
  readonly links?: readonly RawLink[];
  readonly reading?: unknown;
  readonly remarks?: readonly string[];
}

export interface RawLink {
  readonly address: unknown;
  readonly label?: unknown;
  readonly format?: unknown;
  readonly mediaType?: unknown;
  readonly isFile?: boolean;
  readonly columns?: readonly ImportedColumn[];
  readonly layer?: string;
  readonly isOnPage?: boolean;
  readonly body?: Readonly<Record<string, unknown>>;
}

/** The length of labels, keywords and publishers in records. */
const maxLabel = 200;
const maxDescription = 100_000;

/** The dataset with these values, or the reason why there is none. Values of other types are left out; nothing is invented. */
export function importedDataset(raw: RawDataset): SourceItem {
  const label = shorten(plainText(textOf(raw.label)), maxLabel);
  const name = textOf(raw.name).trim();
  const id = textOf(raw.id).trim() || name;
  if (!id) return skip(label || '(without a name)', 'it has no identifier');
  if (!label && !name) return { ...skip(id, 'it has no title and no name'), id };
  const dataset: ImportedDataset = {
    id,
    name,
    label: label || shorten(name, maxLabel),
    description: shorten(markdownFromHtml(textOf(raw.description)), maxDescription),
    keywords: uniqueTexts((raw.keywords ?? []).map((one) => plainText(textOf(one)))).filter(
      ({ length }) => length <= maxKeywordLength,
    ),
    licence: findImportedLicence(referencesOf(raw.licence)),
    homepage: httpUrl(raw.homepage),
    publisher: shorten(plainText(textOf(raw.publisher)), maxLabel),
    contact: findContact(referencesOf(raw.contact)),
    issued: importedDate(raw.issued),
    modified: importedDate(raw.modified),
    links: (raw.links ?? []).flatMap(importedLink),
    ...importedReading(raw),
  };
  return { dataset };
}

/** The options for reading a file, and remarks. Invalid options become a remark. */
function importedReading({ reading, remarks = [] }: RawDataset): Pick<ImportedDataset, 'reading' | 'remarks'> {
  if (reading === undefined) return { remarks };
  const parsed = parseReadingOptionsInput(reading);
  if ('value' in parsed) return { reading: readingOptionsWithoutStrict(parsed.value), remarks };
  return { remarks: [...remarks, `The options for reading at the source were not taken: ${parsed.errors.join(' ')}`] };
}

export const skip = (id: unknown, reason: string): { readonly skipped: Skipped } => ({
  skipped: { id: excerpt(textOf(id) || '(without a name)'), reason },
});

/** The item for what can't be read: datasets in it may still be at the source. */
export const skipUnread = (id: unknown, reason: string): SourceItem => ({ ...skip(id, reason), isIncomplete: true });

/** The item for a list of which a part was not read. @param list its address or name */
export const incompleteList = (list: string, reason: string): SourceItem =>
  skipUnread(list, `${reason}: the others may still be at the source`);

/** The reason that an error gives, without the names of fields. */
export const reasonOf = (error: unknown): string =>
  error instanceof ValidationError ? Object.values(error.fields).flat().join(' ') : (error as Error).message;

function importedLink({
  address,
  label,
  format,
  mediaType,
  isFile = false,
  columns = [],
  layer,
  isOnPage,
  body,
}: RawLink): ImportedLink[] {
  const url = textOf(address).trim();
  if (!url) return [];
  const type = textOf(mediaType).split(';')[0]?.trim().toLowerCase() ?? '';
  return [
    {
      label: shorten(plainText(textOf(label)), maxKeywordLength),
      address: url,
      format: textOf(format).trim().toLowerCase().replace(/^\./, '').slice(0, 40),
      mediaType: /^[\w.+-]+\/[\w.+-]+$/.test(type) ? type : '',
      isFile,
      columns,
      ...(layer !== undefined && { layer }),
      ...(isOnPage && { isOnPage }),
      ...(body && { body }),
    },
  ];
}

/** A date or a time in UTC of a source's text; '' for others, such as a year, an interval or 30 February. A time without a zone is read as UTC, as CKAN means it. */
function importedDate(value: unknown): string {
  const text = textOf(value).trim();
  const [, date = '', time = '', zone = 'Z'] =
    /^(\d{4}-\d{2}-\d{2})(?:[T ](\d{2}:\d{2}(?::\d{2})?)(?:\.\d+)?\s*(Z|[+-]\d{2}:?\d{2})?)?$/.exec(text) ?? [];
  const given = time ? `${date}T${time}${zone}` : date;
  if (!isDate(given)) return '';
  const utc = time ? `${new Date(given).toISOString().slice(0, 19)}Z` : date;
  // An offset may lead out of the years 0 to 9999.
  return /^\d{4}-/.test(utc) ? utc : '';
}

/** A text, a number or a boolean as text; '' for other values. */
export function textOf(value: unknown): string {
  if (typeof value === 'string') return value;
  if (typeof value === 'number' || typeof value === 'boolean') return String(value);
  return '';
}

/** The members of an object; none of another value. */
export const membersOf = (value: unknown): Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Record<string, unknown>) : {};

/** The value if it is a list; a list of a single value; an empty list for undefined and null. */
export const listOf = (value: unknown): readonly unknown[] =>
  Array.isArray(value) ? value : value === undefined || value === null ? [] : [value];

/** The value if it is an absolute http(s) URL; else ''. */
export function httpUrl(value: unknown): string {
  const text = textOf(value).trim();
  return text.length <= maxReference && /^https?:\/\//i.test(text) && !/\s/.test(text) && isAbsoluteUrl(text)
    ? text
    : '';
}

/** The texts of a licence or contact, without those that are too long for a record. */
const referencesOf = (values: readonly unknown[] = []): readonly string[] =>
  values.map(textOf).filter(({ length }) => length <= maxReference);

function uniqueTexts(texts: readonly string[]): readonly string[] {
  const byFolded = new Map<string, string>();
  for (const text of texts) if (text && !byFolded.has(text.toLowerCase())) byFolded.set(text.toLowerCase(), text);
  return [...byFolded.values()];
}

/** The first of these texts that is an e-mail address or a URL. */
function findContact(texts: readonly string[]): string {
  for (const text of texts) {
    const contact = text.trim().replace(/^mailto:/i, '');
    if (/^[^\s<>@"]+@[^\s<>@"]+\.[^\s<>@"]+$/.test(contact) || httpUrl(contact)) return contact;
  }
  return '';
}

function shorten(text: string, most: number): string {
  if (text.length <= most) return text;
  return `${beginningOf(text, most - 1).trimEnd()}…`;
}
