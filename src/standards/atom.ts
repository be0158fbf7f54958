/**
 * Feeds in Atom (RFC 4287): an entry for each version, and one for the description of each dataset. Their ids are made from
 * the ids of the records, and so survive a rename.
 */
import type { Dataset, Version } from '../catalogue/types.ts';
import { escapeXml } from './xml.ts';

/** What an entry is about: new data, or a change of the words about them. */
export type FeedEntryKind = 'data' | 'description';

export interface FeedEntry {
  readonly kind: FeedEntryKind;
  /** A URN that stays the same when the record is renamed. */
  readonly id: string;
  readonly title: string;
  /** ISO 8601. */
  readonly updated: string;
  /** Address of the page. */
  readonly url: string;
  /** Plain text; '' for none. */
  readonly summary: string;
  readonly author: string;
}

export interface Feed {
  /** Address of the feed itself, which is its id. */
  readonly url: string;
  readonly title: string;
  /** Address of the page that the feed is about. */
  readonly page: string;
  readonly author: string;
  readonly language: string | undefined;
  readonly entries: readonly FeedEntry[];
}

/** Media type of a feed. */
export const atomType = 'application/atom+xml';

/** Most entries of a feed. */
export const maxFeedEntries = 100;

/** Identifier of an entry: a UUID of version 8 (RFC 9562, section 5.8), made of the ids of the dataset and the version. */
const entryId = (dataset: number, version: number): string =>
  `urn:uuid:${dataset.toString(16).padStart(8, '0').slice(-8)}-0000-8000-8000-${version.toString(16).padStart(12, '0')}`;

export const descriptionEntryId = ({ id }: Dataset): string => entryId(id, 0);
export const dataEntryId = ({ id }: Dataset, version: Version): string => entryId(id, version.id);

/** The newest entries, the last one first. */
export function newestEntries(entries: readonly FeedEntry[]): readonly FeedEntry[] {
  return entries
    .toSorted((a, b) => (a.updated < b.updated ? 1 : a.updated > b.updated ? -1 : 0))
    .slice(0, maxFeedEntries);
}

const categoryLabels: Readonly<Record<FeedEntryKind, string>> = {
  data: 'New data',
  description: 'Changed description',
};

export function atomDocument({ url, title, page, author, language, entries }: Feed): string {
  const updated = entries[0]?.updated ?? '1970-01-01T00:00:00Z';
  const xmlLanguage = language ? ` xml:lang="${escapeXml(language)}"` : '';
  return [
    '<?xml version="1.0" encoding="utf-8"?>',
    `<feed xmlns="http://www.w3.org/2005/Atom"${xmlLanguage}>`,
    `<id>${escapeXml(url)}</id>`,
    `<title>${escapeXml(title)}</title>`,
    `<updated>${updated}</updated>`,
    `<author><name>${escapeXml(author)}</name></author>`,
    `<link rel="self" type="${atomType}" href="${escapeXml(url)}"/>`,
    `<link rel="alternate" type="text/html" href="${escapeXml(page)}"/>`,
    ...entries.map(entryElement),
    '</feed>',
    '',
  ].join('\n');
}

function entryElement({ kind, id, title, updated, url, summary, author }: FeedEntry): string {
  return [
    '<entry>',
    `<id>${escapeXml(id)}</id>`,
    `<title>${escapeXml(title)}</title>`,
    `<updated>${updated}</updated>`,
    `<author><name>${escapeXml(author)}</name></author>`,
    `<category term="${kind}" label="${categoryLabels[kind]}"/>`,
    `<link rel="alternate" type="text/html" href="${escapeXml(url)}"/>`,
    ...(summary ? [`<summary>${escapeXml(summary)}</summary>`] : []),
    '</entry>',
  ].join('\n');
}
