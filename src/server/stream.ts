/** Documents that are sent as they are made. */
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { constants, createBrotliCompress, createGzip } from 'node:zlib';
import type { ParameterizedContext } from 'koa';
import { namesTag } from './headers.ts';
import { type Coding, preferredCoding } from './negotiate.ts';

/** What is known of a document before it is made. */
export interface Form {
  /** Strong validator, without quotes. */
  readonly tag: string;
  /** Whether compressing it makes it smaller. */
  readonly packable: boolean;
  readonly headers?: Readonly<Record<string, string>>;
}

export interface Document extends Form {
  readonly contentType: string;
  readonly fileName: string;
  stream(): Readable;
}

/** Answers a client that has the document already (RFC 9110, section 13.1.2). @returns whether it was one */
export function answeredUnmodified(ctx: ParameterizedContext, form: Form): boolean {
  const { etag, headers } = formFor(ctx, form);
  const condition = ctx.get('If-None-Match');
  if (!condition || !namesTag(condition, etag)) return false;
  ctx.set(headers);
  ctx.status = 304;
  return true;
}

/**
 * Sends a document as it is made: no faster than it is taken, no further than the client stays. What fails half-way
 * breaks the connection off; it never ends as if it were complete.
 */
export async function sendDocument(ctx: ParameterizedContext, document: Document): Promise<void> {
  if (answeredUnmodified(ctx, document)) return;
  const { coding, headers } = formFor(ctx, document);
  ctx.status = 200;
  ctx.set({
    ...headers,
    'Content-Type': document.contentType,
    'Content-Disposition': `inline; filename="${document.fileName}"`,
  });
  if (coding !== 'identity') ctx.set('Content-Encoding', coding);
  ctx.respond = false;
  ctx.res.statusCode = 200;
  if (ctx.method === 'HEAD') ctx.res.end();
  else await send(ctx, document, coding);
}

/** The coding in which the client takes it, and the headers that it has in any case. */
function formFor(ctx: ParameterizedContext, { tag, packable, headers }: Form) {
  const coding = packable ? preferredCoding(ctx.get('Accept-Encoding')) : 'identity';
  if (packable) ctx.vary('Accept-Encoding');
  const etag = coding === 'identity' ? `"${tag}"` : `"${tag}-${coding}"`;
  return { coding, etag, headers: { ETag: etag, 'Cache-Control': 'no-cache', ...headers } };
}

async function send(ctx: ParameterizedContext, document: Document, coding: Coding): Promise<void> {
  const pack =
    coding === 'gzip'
      ? [createGzip({ level: 4 })]
      : coding === 'br'
        ? [createBrotliCompress({ params: { [constants.BROTLI_PARAM_QUALITY]: 3 } })]
        : [];
  const source = document.stream();
  // Where it fails, the response is destroyed with the error: the client sees that it is cut off, and Koa is told.
  await pipeline([source, ...pack, ctx.res]).catch(() => {});
}
