/**
 * The next page of features: a link of OGC API - Features, or of the item search of a STAC API, which may be one to be asked by
 * POST (STAC API 1.0, Item Search, "Pagination"); and that of a catalogue of DCAT. A link of somebody else's server is followed on
 * the same host only.
 */
import { excerpt, ValidationError } from '../catalogue/errors.ts';
import { membersOf, textOf } from './imported.ts';
import { linksWith } from './links.ts';

/** A request for a page. */
export interface PageRequest {
  readonly address: string;
  /** JSON body: the page is asked for by POST. */
  readonly body?: Readonly<Record<string, unknown>>;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Most characters of a body that a server asks to send. */
const maxBody = 64 * 1024;

/** Keys in a body, and headers, that would carry credentials, or change what the request is. */
const credential = /^(?:.*[-_])?(?:authorization|password|passwd|secret|api[-_]?key|access[-_]?token|cookie)$/i;
const ownHeader =
  /^(?:host|connection|te|trailer|upgrade|expect|accept.*|content-.*|transfer-.*|proxy-.*|x-forwarded-.*|forwarded|range|if-.*|user-agent)$/i;

/**
 * The request for the page behind a page; null if it is the last.
 * @param page the answer
 * @param current its request
 * @param first the request for the first page, whose body a link may tell to merge its own with
 * @throws ValidationError for a link that is not followed
 */
export function nextPageRequest(page: unknown, current: PageRequest, first: PageRequest): PageRequest | null {
  const [link] = linksWith(page, 'next');
  if (!link) return null;
  const href = textOf(link.href);
  const refuse = (reason: string) =>
    new ValidationError({ source: [`${current.address}: the link to the next page ${reason}. It was not followed.`] });
  if (!href || !URL.canParse(href, current.address)) throw refuse('has no address');
  const url = new URL(href, current.address);
  const own = new URL(current.address);
  if (url.host !== own.host) throw refuse(`leads to another server, ${excerpt(url.host)}`);
  if (url.username || url.password) throw refuse('has a user name or a password in it');
  // Behind a proxy, servers often write http of themselves.
  if (url.protocol === 'http:') url.protocol = own.protocol;
  if (url.protocol !== own.protocol) throw refuse(`has the scheme ${excerpt(url.protocol)}`);
  const headers = headersOf(link.headers, refuse);
  const method = textOf(link.method).toUpperCase() || 'GET';
  if (method === 'GET') return { address: url.href, headers };
  if (method !== 'POST') throw refuse(`has the method ${excerpt(method)}`);
  const body = { ...(link.merge === true && first.body), ...membersOf(link.body) };
  const named = Object.keys(body).find((key) => credential.test(key));
  if (named !== undefined) throw refuse(`asks to send "${excerpt(named)}"`);
  if (JSON.stringify(body).length > maxBody) throw refuse(`has a body of more than ${maxBody} characters`);
  return { address: url.href, body, headers };
}

function headersOf(given: unknown, refuse: (reason: string) => Error): Readonly<Record<string, string>> {
  return Object.fromEntries(
    Object.entries(membersOf(given)).map(([name, value]) => {
      const text = textOf(value);
      if (
        !/^[\w-]{1,100}$/.test(name) ||
        !/^[\x20-\x7e]{0,1000}$/.test(text) ||
        credential.test(name) ||
        ownHeader.test(name)
      )
        throw refuse(`asks to send the header "${excerpt(name)}"`);
      return [name.toLowerCase(), text];
    }),
  );
}

/** The same text for the same request. */
export const pageKey = ({ address, body, headers }: PageRequest): string =>
  JSON.stringify([address, body ?? null, headers ?? {}]);
