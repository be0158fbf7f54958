/** Documents that are generated while they are sent. */

import { once } from 'node:events';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { ParameterizedContext } from 'koa';
import { createDocumentCompressor } from './compress.ts';
import { BadRequestError } from './errors.ts';
import { encodedEtag, etagMatches } from './etags.ts';
import { cacheControlOf } from './headers.ts';
import { type Coding, preferredCoding } from './negotiate.ts';
import { assertPreconditions } from './preconditions.ts';

/** Facts about a document that are known before it is generated. */
export interface DocumentInfo {
  /** Validator, without quotes. */
  readonly tag: string;
  /** True if two documents with this validator may differ in their bytes (RFC 9110, section 8.8.1). */
  readonly isWeak?: boolean;
  /** Time of its bytes, if they are stored. */
  readonly modified?: Date;
  /** True if compression makes it smaller. */
  readonly compressible: boolean;
  readonly headers?: Readonly<Record<string, string>>;
}

export interface Document extends DocumentInfo {
  readonly contentType: string;
  readonly fileName: string;
  stream(): Readable;
}

/**
 * Sends 304 to a client that has the document already (RFC 9110, section 13.1.2).
 * @returns true if it was sent
 * @throws StaleError if the client asks for another document by If-Match
 */
export function trySendNotModified(ctx: ParameterizedContext, info: DocumentInfo): boolean {
  const { etag, headers } = headersFor(ctx, info);
  assertPreconditions(ctx, etag, info.modified);
  const condition = ctx.get('If-None-Match');
  if (!condition || !etagMatches(condition, etag)) return false;
  ctx.set(headers);
  ctx.status = 304;
  return true;
}

/**
 * Sends a document while it is generated, as fast as the client reads it. An error before its first bytes has a status of its own; if
 * generating it fails half-way, the connection is closed: a document never ends as if it were complete.
 */
export async function streamDocument(ctx: ParameterizedContext, document: Document): Promise<void> {
  if (trySendNotModified(ctx, document)) return;
  const source = ctx.method === 'HEAD' ? null : document.stream();
  if (source) await firstBytes(source, ctx);
  const { coding, headers } = headersFor(ctx, document);
  ctx.status = 200;
  ctx.set({
    ...headers,
    'Content-Type': document.contentType,
    'Content-Disposition': `inline; filename="${document.fileName}"`,
  });
  if (coding !== 'identity') ctx.set('Content-Encoding', coding);
  ctx.respond = false;
  ctx.res.statusCode = 200;
  if (source) await pipeTo(ctx, source, coding);
  else ctx.res.end();
}

/** Waits for the first bytes of a source. @throws its error; BadRequestError if the client leaves */
async function firstBytes(source: Readable, { res }: ParameterizedContext): Promise<void> {
  const leave = () => source.destroy(new BadRequestError('The connection was cut off.'));
  res.once('close', leave);
  try {
    await once(source, 'readable');
  } finally {
    res.off('close', leave);
  }
}

/** The content coding for the client, and the headers of both 200 and 304. */
function headersFor(ctx: ParameterizedContext, { tag, isWeak, compressible, headers }: DocumentInfo) {
  const coding = compressible ? preferredCoding(ctx.get('Accept-Encoding')) : 'identity';
  if (compressible) ctx.vary('Accept-Encoding');
  const etag = encodedEtag(tag, coding, isWeak);
  return { coding, etag, headers: { ETag: etag, 'Cache-Control': cacheControlOf(ctx.req), ...headers } };
}

async function pipeTo(ctx: ParameterizedContext, source: Readable, coding: Coding): Promise<void> {
  const compressor = coding === 'identity' ? [] : [createDocumentCompressor(coding)];
  // On failure the response is destroyed with the error: the client sees that it was cut off, and Koa reports the error.
  await pipeline([source, ...compressor, ctx.res]).catch(() => {});
}
