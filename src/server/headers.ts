/** The headers that answers have in common. */
import { createHash } from 'node:crypto';
import { style } from '../pages/plain.ts';

/** On every answer there is. */
export const always: readonly (readonly [string, string])[] = [
  ['X-Content-Type-Options', 'nosniff'],
  ['Referrer-Policy', 'same-origin'],
];

/** What pages of other origins may read besides the body (Fetch standard, "CORS-exposed response-header name"). */
const exposed = [
  'Link',
  'ETag',
  'Content-Length',
  'Content-Range',
  'Content-Disposition',
  'Repr-Digest',
  'Retry-After',
  'X-Request-Id',
  'X-Total-Count',
].join(', ');

/** On every page: it runs no script, is in nobody's frame, and shows images of any site, since datasets name them. */
export const pageSecurity: readonly (readonly [string, string])[] = [
  [
    'Content-Security-Policy',
    [
      "default-src 'none'",
      `style-src 'sha256-${createHash('sha256').update(style).digest('base64')}'`,
      "img-src 'self' https: data:",
      "form-action 'self'",
      "base-uri 'none'",
      "frame-ancestors 'none'",
    ].join('; '),
  ],
];

/** On every answer that pages of every origin may read. */
export const crossOrigin: readonly (readonly [string, string])[] = [
  ['Access-Control-Allow-Origin', '*'],
  ['Access-Control-Expose-Headers', exposed],
];

/** The answer to a preflight (Fetch standard, section 3.3.5). */
export function preflight(allow: string): readonly (readonly [string, string])[] {
  return [
    ['Access-Control-Allow-Methods', allow],
    [
      'Access-Control-Allow-Headers',
      'Accept, Authorization, Content-Type, If-Match, If-None-Match, Range, Repr-Digest',
    ],
    ['Access-Control-Max-Age', '86400'],
  ];
}

/**
 * Whether a condition names the current representation (RFC 9110, section 13.1.2): weak comparison.
 * @param header If-None-Match
 * @param etag with its quotes
 */
export function namesTag(header: string, etag: string): boolean {
  if (header === etag) return true;
  if (header.trim() === '*') return true;
  return header.split(',').some((tag) => tag.trim().replace(/^W\//, '') === etag);
}
