/** Headers that responses have in common. */
import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import type { Viewer } from '../catalogue/permissions.ts';
import type { Settings } from '../catalogue/types.ts';

export type Headers = readonly (readonly [name: string, value: string])[];

/** Headers of every response. */
export const securityHeaders: Headers = [
  ['X-Content-Type-Options', 'nosniff'],
  ['Referrer-Policy', 'same-origin'],
];

/** Headers that pages of other origins may read (Fetch standard, "CORS-exposed response-header name"). */
const exposed = [
  'Link',
  'Location',
  'Content-Location',
  'Allow',
  'WWW-Authenticate',
  'ETag',
  'Content-Length',
  'Accept-Ranges',
  'Content-Range',
  'Content-Disposition',
  'Repr-Digest',
  'Retry-After',
  'X-Request-Id',
  'X-Total-Count',
  'X-Feature-Count',
].join(', ');

/** Headers that pages of other origins may send (Fetch standard, "CORS-preflight fetch"). */
const allowed = [
  'Accept',
  'Authorization',
  'Content-Type',
  'If-Match',
  'If-None-Match',
  'If-Modified-Since',
  'If-Unmodified-Since',
  'If-Range',
  'Range',
  'Repr-Digest',
].join(', ');

/** True if a request may be that of a user. Cookies other than that of a session, such as those of analytics, decide about nothing. */
export const mayIdentify = ({ authorization, cookie }: IncomingHttpHeaders): boolean =>
  authorization !== undefined || cookie?.includes(`${sessionCookie}=`) === true;

/** Name of the cookie of a session, as Django has it. */
export const sessionCookie = 'sessionid';

/** Value of Cache-Control of a response that is asked for anew each time. A shared cache keeps only what is for everybody. */
const revalidated = (isForEverybody: boolean): string => (isForEverybody ? 'no-cache' : 'private, no-cache');

/** Value of Cache-Control of a response to a request of which the viewer isn't known yet. */
export const cacheControlOf = ({ headers }: Pick<IncomingMessage, 'headers'>): string =>
  revalidated(!mayIdentify(headers));

/** Value of Cache-Control of a response to a viewer. */
export const cacheControl = ({ username }: Viewer): string => revalidated(username === null);

/**
 * Value of Cache-Control of the bytes of a version, which don't change. Who may see them does: caches that serve others ask
 * again after a minute. @param isNamed true if the address names the version
 */
export function cacheControlOfVersion(viewer: Viewer, isNamed: boolean): string {
  if (!isNamed) return cacheControl(viewer);
  const audience = viewer.username === null ? 'public, s-maxage=60' : 'private';
  return `${audience}, max-age=31536000, immutable`;
}

/** Headers of responses that pages of every origin may read. */
export const corsHeaders: Headers = [
  ['Access-Control-Allow-Origin', '*'],
  ['Access-Control-Expose-Headers', exposed],
];

/** Headers of every response of an app. */
export function commonHeaders({ cors }: Settings): Headers {
  return cors ? [...securityHeaders, ...corsHeaders] : securityHeaders;
}

const pagePolicy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "font-src 'self'",
  "connect-src 'self'",
  "form-action 'self'",
  "base-uri 'none'",
];

/** Headers of every page: nothing from other hosts, no script or style within the page, no frame of others. */
export const pageHeaders: Headers = [['Content-Security-Policy', [...pagePolicy, "frame-ancestors 'none'"].join('; ')]];

/** Headers of pages that others may show in a frame. */
export const framablePageHeaders: Headers = [
  ['Content-Security-Policy', [...pagePolicy, 'frame-ancestors *'].join('; ')],
];

/** Headers of the response to a preflight (Fetch standard, section 3.3.5). */
export function preflightHeaders(allow: string): Headers {
  return [
    ['Access-Control-Allow-Methods', allow],
    ['Access-Control-Allow-Headers', allowed],
    ['Access-Control-Max-Age', '86400'],
  ];
}

/** The value of Repr-Digest (RFC 9530). @param checksum SHA-256 in hexadecimal */
export function reprDigest(checksum: string): string {
  return `sha-256=:${Buffer.from(checksum, 'hex').toString('base64')}:`;
}
