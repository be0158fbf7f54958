/** Facts of a request that its first line, its headers and its connection tell: address, id, client, base URL. */
import { randomUUID } from 'node:crypto';
import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import type { TLSSocket } from 'node:tls';
import ipaddr from 'ipaddr.js';
import type { Settings } from '../catalogue/types.ts';
import { BadRequestError } from './errors.ts';

/** Rewrites an absolute-form target (RFC 9112, section 3.2.2) to origin-form; its host replaces the Host header. */
export function rewriteToOriginForm(request: IncomingMessage): void {
  if (request.url?.startsWith('/')) return;
  const match = /^https?:\/\/([^/?#]*)([^#]*)/i.exec(request.url ?? '');
  if (!match) return;
  request.headers.host = match[1];
  request.url = match[2]?.startsWith('/') ? match[2] : `/${match[2] ?? ''}`;
}

/**
 * Refuses an address that holds more characters than a URL may (RFC 3986, section 2), which newer Nodes do themselves,
 * and several Host headers.
 * @throws BadRequestError
 */
export function assertValidTarget(request: IncomingMessage): void {
  if (/[^\x21-\x7e]/.test(request.url ?? ''))
    throw new BadRequestError('The address holds characters that have to be percent-encoded.');
  if (hasSeveralHosts(request)) throw new BadRequestError('There is more than one Host header.');
}

/** True if a request has several Host headers: a proxy in front may have looked at another one (RFC 9112, section 3.2). */
export function hasSeveralHosts({ rawHeaders }: IncomingMessage): boolean {
  let hosts = 0;
  for (let i = 0; i < rawHeaders.length; i += 2) {
    const name = rawHeaders[i] as string;
    if (name.length === 4 && name.toLowerCase() === 'host') hosts++;
  }
  return hosts > 1;
}

/** Response header with the id of the request, by which the log and a proxy's log are compared. */
export const requestIdHeader = 'X-Request-Id';

/**
 * The id that a trusted proxy gave the request, else a new one.
 * @param trusted true if a proxy writes the headers: else any client could give all its requests the same id
 */
export function chooseRequestId(headers: IncomingHttpHeaders, trusted: boolean): string {
  const given = trusted ? headers['x-request-id'] : undefined;
  return typeof given === 'string' && /^[\w.:+/=@-]{1,200}$/.test(given) ? given : randomUUID();
}

/**
 * The IP address of the client. Behind a trusted proxy, the last entry of X-Forwarded-For: the client itself may have
 * written those before it.
 */
export function clientIpAddress({ headers, socket }: IncomingMessage, { trust_proxy }: Settings): string {
  const forwarded = trust_proxy
    ? String(headers['x-forwarded-for'] ?? '')
        .split(',')
        .at(-1)
        ?.trim()
    : '';
  return plainAddress(forwarded || socket.remoteAddress || '');
}

/** An IP address without a port, which some proxies write with it; an IPv4 address within IPv6 as IPv4. Another text stays. */
function plainAddress(written: string): string {
  const text = written.replace(/^::ffff:(?=\d+\.)/i, '');
  if (/^[\d.]+$/.test(text)) return text;
  const [, bracketed, dotted] = /^(?:\[([^\]]*)\]|([\d.]+))(?::\d+)?$/.exec(text) ?? [];
  const address = bracketed ?? dotted ?? text;
  return ipaddr.isValid(address) ? mappedAddress(address) : text;
}

function mappedAddress(address: string): string {
  const parsed = ipaddr.parse(address);
  return parsed instanceof ipaddr.IPv6 && parsed.isIPv4MappedAddress() ? parsed.toIPv4Address().toString() : address;
}

/**
 * The base URL of links: as configured, else as the request was addressed. Forwarded headers count only if a trusted
 * proxy writes them.
 * @throws BadRequestError if the Host header is invalid
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
  const host = forwarded('x-forwarded-host') || addressedHost(request);
  if (!/^[\w.-]+(:\d{1,5})?$|^\[[0-9a-fA-F:.]+\](:\d{1,5})?$/.test(host) || !/^https?$/.test(scheme))
    throw new BadRequestError('Invalid Host header.');
  return `${scheme}://${host}`;
}

/** The host that a request is addressed to: without a Host header, as in HTTP/1.0, the address that the client connected to. */
export function addressedHost({ headers, socket }: IncomingMessage): string {
  if (headers.host) return headers.host;
  const { localAddress = 'localhost', localPort } = socket;
  const address = localAddress.includes(':') ? `[${localAddress}]` : localAddress;
  return localPort ? `${address}:${localPort}` : address;
}
