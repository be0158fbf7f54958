/** Which address an answer's links begin with, and how the links of a page are written. */
import type { IncomingMessage } from 'node:http';
import type { TLSSocket } from 'node:tls';
import type { Page } from '../catalogue/catalogue.ts';
import type { Settings } from '../catalogue/types.ts';
import { BadRequestError } from './errors.ts';

/**
 * The base URL: as configured, or else as the request itself was addressed. Forwarded headers count only where a
 * trusted proxy is said to write them.
 * @throws BadRequestError where the Host header is none
 */
export function baseUrlOf(request: IncomingMessage, settings: Settings, configured?: string): string {
  const fixed = configured ?? settings.base_url;
  if (fixed) return fixed.replace(/\/+$/, '');
  const { headers, socket } = request;
  const forwarded = (name: string) =>
    settings.trust_proxy
      ? String(headers[name] ?? '')
          .split(',')[0]
          ?.trim()
      : undefined;
  const secure = (socket as TLSSocket).encrypted === true;
  const scheme = forwarded('x-forwarded-proto') || (secure ? 'https' : 'http');
  const host = forwarded('x-forwarded-host') || headers.host || hostOf(socket);
  if (!/^[\w.-]+(:\d{1,5})?$|^\[[0-9a-fA-F:.]+\](:\d{1,5})?$/.test(host) || !/^https?$/.test(scheme))
    throw new BadRequestError('Invalid Host header.');
  return `${scheme}://${host}`;
}

/** HTTP/1.0 clients may send no Host: then it is the address they reached. */
function hostOf({ localAddress = 'localhost', localPort }: IncomingMessage['socket']): string {
  const address = localAddress.includes(':') ? `[${localAddress}]` : localAddress;
  return localPort ? `${address}:${localPort}` : address;
}

/** As Python's `quote_plus`: only letters, digits and `_.-~` stay as they are. */
function quotePlus(text: string): string {
  return encodeURIComponent(text.toWellFormed())
    .replace(/[!'()*]/g, (c) => `%${c.charCodeAt(0).toString(16).toUpperCase()}`)
    .replaceAll('%20', '+');
}

/**
 * The query string with some parameters replaced, as Django REST Framework writes it: sorted by name, encoded anew.
 * @param change null takes a parameter out
 */
export function withParameters(query: URLSearchParams, change: Readonly<Record<string, number | null>>): string {
  const pairs = [...query].filter(([name]) => !Object.hasOwn(change, name));
  for (const [name, value] of Object.entries(change)) if (value !== null) pairs.push([name, String(value)]);
  pairs.sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0));
  return pairs.map(([name, value]) => `${quotePlus(name)}=${quotePlus(value)}`).join('&');
}

/** The addresses of the pages before and after; null where there is none. */
export function pageLinks(
  address: string,
  query: URLSearchParams,
  { page, pages }: Page<unknown>,
): { next: string | null; previous: string | null } {
  const link = (number: number | null) => {
    const search = withParameters(query, { page: number });
    return search ? `${address}?${search}` : address;
  };
  return {
    next: page < pages ? link(page + 1) : null,
    previous: page > 1 ? link(page === 2 ? null : page - 1) : null,
  };
}
