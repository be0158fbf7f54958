/** The header Link (RFC 8288): other parts and forms of what a response shows, and its licence. */
import type { Page } from '../catalogue/catalogue.ts';
import { licenceUrl } from '../catalogue/licence.ts';
import type { Dataset, Settings } from '../catalogue/types.ts';
import type { Headers } from './headers.ts';
import { replaceQueryStringParameters } from './query-string.ts';

/** Addresses of the next and the previous page; null if there is none. */
export interface PageLinks {
  readonly next: string | null;
  readonly previous: string | null;
}

/** URLs by relation type (RFC 8288, section 2.1.2); null if there is none. */
export type Relations = Readonly<Record<string, string | null>>;

/** An address with changed parameters. @param change new values by name; null removes a parameter */
export function urlWithParameters(
  address: string,
  query: URLSearchParams,
  change: Readonly<Record<string, string | number | null>> = {},
): string {
  const search = replaceQueryStringParameters(query, change);
  return search ? `${address}?${search}` : address;
}

/**
 * @param address of the list, without its query string
 * @param isExport true for pages that are files
 */
export function pageLinks(
  address: string,
  query: URLSearchParams,
  { page, pages, nextCursor }: Page<unknown>,
  isExport = false,
): PageLinks {
  if (nextCursor !== undefined)
    return { next: nextCursor && urlWithParameters(address, query, { cursor: nextCursor }), previous: null };
  const link = (number: number | null) =>
    isExport
      ? `${address}${number === null ? '' : `page/${number}/`}index.json`
      : urlWithParameters(address, query, { page: number });
  return {
    next: page < pages ? link(page + 1) : null,
    previous: page > 1 ? link(page === 2 ? null : page - 1) : null,
  };
}

/** Links of a page of a list: the pages beside it, the first, the last and itself. */
export function pageLinkRelations(address: string, query: URLSearchParams, page: Page<unknown>): Relations {
  const { next, previous } = pageLinks(address, query, page);
  const self = urlWithParameters(address, query);
  if (page.nextCursor !== undefined) return { next, first: urlWithParameters(address, query, { cursor: '' }), self };
  const first = urlWithParameters(address, query, { page: null });
  const last = urlWithParameters(address, query, { page: page.pages > 1 ? page.pages : null });
  return { next, prev: previous, first, last, self };
}

/** The same resource as a page for people, or as JSON. @param type media type of the response */
export function alternateLink(address: string, query: URLSearchParams, type: string): Alternate {
  const [format, other] = type === 'text/html' ? ['json', 'application/json'] : ['html', 'text/html'];
  return { url: urlWithParameters(address, query, { format, _format: null }), type: other };
}

/** Another resource: by default the same one in another format. */
export interface Alternate {
  readonly url: string;
  readonly type?: string;
  /** Relation type (RFC 8288, section 2.1); by default `alternate`. */
  readonly rel?: string;
  /** URI of the standard that the document follows (RFC 6906). */
  readonly profile?: string;
}

/** URL of the licence of a dataset, or else of the catalogue. Null if there is none. */
export const datasetLicenceUrl = (dataset: Dataset, settings: Settings): string | null =>
  licenceUrl(dataset.licence || settings.licence) ?? null;

/**
 * A short reference to a URL: relative to an address, or to its host (RFC 3986, section 4.2), which RFC 8288, section 3.1, resolves
 * against the address of the response. A URL of another host stays as it is.
 * @param address of the response, without its query string
 */
function relativeReference(url: string, address: string): string {
  const within = address.endsWith('/') && url.startsWith(address) ? url.slice(address.length) : '';
  // A first segment with a colon would be read as a scheme.
  if (/^[\w.-]+(?:[/?]|$)/.test(within)) return within;
  const root = /^https?:\/\/[^/]+(?=\/)/.exec(address)?.[0];
  return root !== undefined && url.startsWith(`${root}/`) && !url.startsWith(`${root}//`)
    ? url.slice(root.length)
    : url;
}

/**
 * Length of a query string up to which it is repeated in all links, and up to which in that to the previous part. Proxies take 4 KB
 * of headers by default, clients 16 KB; a client can make the other addresses itself.
 */
const longQuery = 300;
const longestQueryBefore = 1200;

/** True if a link is worth its length: the next part always is. */
function isShortEnough(rel: string, url: string): boolean {
  const query = url.indexOf('?');
  if (query === -1 || rel === 'next') return true;
  return url.length - query <= (rel === 'prev' ? longestQueryBefore : longQuery);
}

/** The value of the header; '' if nothing is linked. Links with long query strings are left out, but that to the next part. */
export function formatLinkHeader(relations: Relations, alternates: readonly Alternate[] = []): string {
  const links = Object.entries(relations).flatMap(([rel, url]) =>
    url !== null && isShortEnough(rel, url) ? [`<${url}>; rel="${rel}"`] : [],
  );
  const short = alternates.filter(({ url, rel = 'alternate' }) => isShortEnough(rel, url));
  const typed = short.map(
    ({ url, type, rel = 'alternate', profile }) =>
      `<${url}>; rel="${rel}"${type === undefined ? '' : `; type="${type}"`}${profile === undefined ? '' : `; profile="${profile}"`}`,
  );
  return [...links, ...typed].join(', ');
}

/**
 * Headers with more links, which follow those of the header Link.
 * @param address of the response, from which the links are shortened
 */
export function withLinks(headers: Headers, related: readonly Alternate[], address: string): Headers {
  if (related.length === 0) return headers;
  const links = related.map((link) => ({ ...link, url: relativeReference(link.url, address) }));
  const own = headers.flatMap(([name, value]) => (name === 'Link' && value ? [value] : []));
  return [...headers.filter(([name]) => name !== 'Link'), ['Link', [...own, formatLinkHeader({}, links)].join(', ')]];
}
