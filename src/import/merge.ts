/**
 * Merging of an imported dataset with its record: the value at the last import, the value now and the new one are compared
 * field by field, so that what people wrote by hand survives. The record keeps a checksum of each imported value.
 */
import { createHash } from 'node:crypto';
import { maxKeywords, maxLinks } from '../catalogue/fields.ts';
import { numberText } from '../catalogue/number-text.ts';
import type { Dataset, ReadingOptions } from '../catalogue/types.ts';
import { isAbsoluteUrl, remoteUrl } from '../catalogue/urls.ts';
import { isPrivateAddress } from './addresses.ts';
import type { ImportedDataset, ImportedLink } from './imported.ts';
import { featurePages } from './ogc.ts';
import { stacItems } from './stac-items.ts';

/** Fields of a dataset that an import writes. */
const importedFields = [
  'label',
  'description',
  'keywords',
  'licence',
  'homepage',
  'publisher',
  'contact',
  'issued',
  'modified',
  'links',
  'reading',
] as const;
export type ImportedField = (typeof importedFields)[number];
export type ImportedValues = Readonly<
  Record<Exclude<ImportedField, 'reading'>, string | readonly string[] | Readonly<Record<string, string>>>
> & { readonly reading: ReadingOptions | undefined };

/** The origin of a dataset, as its record has it. */
export interface Origin {
  /** Address of the source: a URL, or the name of a file or folder. */
  readonly from: string;
  /** Identifier in the source. */
  readonly id: string;
  /** Checksums of the imported values by field; `slug`, the name that the import gave; and the last file: `ImportedFile`. */
  readonly imported: Readonly<Record<string, string>>;
}

/** The origin of a dataset; null if it was not imported. */
export function originOf({ source }: Pick<Dataset, 'source'>): Origin | null {
  const { from, id, imported } = source;
  if (typeof from !== 'string' || typeof id !== 'string') return null;
  return { from, id, imported: typeof imported === 'object' ? imported : {} };
}

/** True for an identifier that no other source uses: a UUID, a DOI, or a URI of a scheme with registered names. */
export const isGloballyUnique = (id: string): boolean =>
  /^(?:urn:uuid:)?[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}$/i.test(id) ||
  /^(?:doi:)?10\.\d{4,}\/./i.test(id) ||
  // Any other prefix may be that of an XML namespace, which servers of one make have in common: `ms:roads`.
  /^(?:urn:[a-z0-9][a-z0-9-]+:|hdl:[\d.]+\/|info:[a-z]+\/|ark:\/?\d+\/|tag:[^,\s]+,\d{4})\S+$/i.test(id) ||
  isPublicUrl(id);

/** True for a URL of a host that has one meaning everywhere: a public name or address. */
function isPublicUrl(id: string): boolean {
  if (!/^(?:https?|ftp):\/\/\S+$/i.test(id) || !isAbsoluteUrl(id)) return false;
  const { hostname } = new URL(id);
  if (isPrivateAddress(hostname)) return false;
  return /^\[/.test(hostname) || (hostname.includes('.') && !/\.(?:localhost|local|internal|lan)$/.test(hostname));
}

/** Checksum of a value in a record; '' for an empty one. */
export function checksumOfValue(value: unknown): string {
  if (
    value === '' ||
    value === undefined ||
    (typeof value === 'object' && value !== null && Object.keys(value).length === 0)
  )
    return '';
  const sorted =
    typeof value === 'object' && !Array.isArray(value)
      ? Object.entries(value as object).sort(([a], [b]) => (a < b ? -1 : 1))
      : value;
  return createHash('sha256').update(JSON.stringify(sorted)).digest('hex').slice(0, 12);
}

/** The values that an imported dataset gives to the fields. */
function valuesOfImported(dataset: ImportedDataset): ImportedValues {
  const { label, description, keywords, licence, homepage, publisher, contact, issued, modified, links, reading } =
    dataset;
  const texts = { label, description, licence, homepage, publisher, contact, issued, modified };
  return { ...texts, keywords: keywords.slice(0, maxKeywords), links: linksByTitle(links), reading };
}

/** Sentences about keywords and links beyond those that a record may have. */
export function sentencesAboutRest({ keywords, links }: ImportedDataset): readonly string[] {
  const urls = links.length > maxLinks ? new Set(links.flatMap((link) => linkUrl(link) ?? [])).size : 0;
  return (
    [
      [keywords.length, maxKeywords, 'keywords'],
      [urls, maxLinks, 'links'],
    ] as const
  ).flatMap(([count, most, what]) =>
    count > most
      ? [`${numberText(count - most)} of its ${numberText(count)} ${what}: a record has at most ${numberText(most)}`]
      : [],
  );
}

/** Addresses that a record may link to. */
const linkable = new RegExp(remoteUrl.pattern);

/** The URL of a link as a record has it; undefined for a local file, and for what is no address. */
export function linkUrl({ address }: Pick<ImportedLink, 'address'>): string | undefined {
  if (linkable.test(address)) return address;
  if (!/^(?:https?|ftp|s3|gs):/i.test(address) || !isAbsoluteUrl(address)) return undefined;
  const { href } = new URL(address);
  return linkable.test(href) ? href : undefined;
}

/** Links by their titles, which are made different by numbers; each URL once. */
function linksByTitle(links: readonly ImportedLink[]): Readonly<Record<string, string>> {
  const byTitle = new Map<string, string>();
  const urls = new Set<string>();
  /** The number from which on one is free, by title. */
  const numbers = new Map<string, number>();
  for (const link of links) {
    const url = linkUrl(link);
    if (url === undefined || urls.has(url)) continue;
    urls.add(url);
    const format =
      link.format &&
      link.format !== featurePages &&
      link.format !== stacItems &&
      !link.label.toLowerCase().includes(link.format)
        ? ` (${link.format.toUpperCase()})`
        : '';
    const title = `${link.label || lastSegment(url)}${link.isFile ? format : ''}`.replace('__proto__', 'proto');
    let key = title;
    let n = numbers.get(title) ?? 2;
    for (; byTitle.has(key); n++) key = `${title} ${n}`;
    numbers.set(title, n);
    byTitle.set(key, url);
    if (byTitle.size === maxLinks) break;
  }
  return Object.fromEntries(byTitle);
}

const lastSegment = (url: string): string => {
  const path = url.split(/[?#]/)[0] ?? '';
  return path.replace(/\/+$/, '').split('/').at(-1)?.slice(0, 100) || url.slice(0, 100);
};

export interface Merged {
  /** Fields to set, with `source`; null if the record is as it should be. */
  readonly changes: Readonly<Record<string, unknown>> | null;
  /** Fields whose values differ from those of the source because a person wrote them. */
  readonly keptFields: readonly ImportedField[];
}

/** Compares a record with what its source says now. @param from address of the source */
export function mergeWithRecord(present: Dataset, dataset: ImportedDataset, from: string): Merged {
  const origin = originOf(present);
  const values = valuesOfImported(dataset);
  const imported: Record<string, string> = {};
  const changes: Record<string, unknown> = {};
  const keptFields: ImportedField[] = [];
  for (const field of importedFields) {
    const base = origin?.imported[field] ?? '';
    // If the source doesn't say how its file is read, people may say it.
    if (values[field] === undefined && !base) continue;
    const now = checksumOfValue(present[field]);
    const next = checksumOfValue(values[field]);
    let kept = next;
    if (now !== next && now === base) changes[field] = field === 'reading' && !next ? undefined : values[field];
    else if (now !== next) {
      keptFields.push(field);
      kept = base;
    }
    if (kept) imported[field] = kept;
  }
  for (const name of ['slug', 'file', 'version']) {
    const kept = origin?.imported[name];
    if (kept) imported[name] = kept;
  }
  const source = { from, id: dataset.id, imported };
  const isSame =
    origin !== null &&
    checksumOfValue({ ...origin, imported: checksumOfValue(origin.imported) }) ===
      checksumOfValue({ ...source, imported: checksumOfValue(imported) });
  return { changes: isSame && Object.keys(changes).length === 0 ? null : { ...changes, source }, keptFields };
}

/** The values of the record of a new dataset. */
export function valuesOfNewRecord(
  dataset: ImportedDataset,
  from: string,
  slug: string,
): Readonly<Record<string, unknown>> {
  const values = valuesOfImported(dataset);
  const filled = importedFields.filter((field) => checksumOfValue(values[field]) !== '');
  const imported = Object.fromEntries(filled.map((field) => [field, checksumOfValue(values[field])]));
  return {
    ...Object.fromEntries(filled.map((field) => [field, values[field]])),
    source: { from, id: dataset.id, imported: { ...imported, slug } },
  };
}
