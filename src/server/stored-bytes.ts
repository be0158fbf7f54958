/** Stored bytes, sent with conditional and range requests (RFC 9110, sections 13 and 14). */

import { randomBytes } from 'node:crypto';
import { Readable } from 'node:stream';
import type { ParameterizedContext } from 'koa';
import type { ByteRange, Media } from '../catalogue/open-file.ts';
import { encodedEtag, etagMatches } from './etags.ts';
import { cacheControlOf } from './headers.ts';
import { assertPreconditions, secondsSince } from './preconditions.ts';

/** Stored bytes with their headers. */
export interface Stored extends Omit<Media, 'modified' | 'stream'> {
  readonly modified?: Date;
  /** True if the address may lead to older bytes later, as that of the latest version does when one is withdrawn. */
  readonly mayBecomeOlder?: boolean;
  stream(range?: ByteRange): Readable | Promise<Readable>;
  readonly headers: Readonly<Record<string, string>>;
}

/** A media type that fits a header (RFC 9110, section 5.5): records may hold any text. */
const fitsHeader = /^[\t\x20-\x7e]*$/;

/** Sends stored bytes: all of them, a range, or 304 if the client has them. */
export async function sendStoredBytes(ctx: ParameterizedContext, given: Stored): Promise<void> {
  const stored = withPastModification(given);
  const { size, modified } = stored;
  const etag = encodedEtag(stored.tag, 'identity');
  ctx.set({ ...stored.headers, ETag: etag, 'Accept-Ranges': 'bytes' });
  if (modified) ctx.set('Last-Modified', modified.toUTCString());
  try {
    assertPreconditions(ctx, etag, modified);
  } catch (error) {
    await stored.close();
    throw error;
  }
  if (notModified(ctx, etag, stored)) {
    await stored.close();
    ctx.status = 304;
    return;
  }
  if (!stored.headers['Content-Type'])
    ctx.type = fitsHeader.test(stored.mediaType) ? stored.mediaType : 'application/octet-stream';
  const ranges = rangesOf(ctx, etag, modified, size);
  if (ranges === 'unsatisfiable') {
    await stored.close();
    sendUnsatisfiable(ctx, size);
    return;
  }
  if (ranges && ranges.length > 1) {
    await sendSeveralRanges(ctx, stored, ranges);
    return;
  }
  const [range] = ranges ?? [];
  if (range) ctx.set('Content-Range', contentRange(range, size));
  ctx.status = range ? 206 : 200;
  const length = range ? lengthOf(range) : size;
  if (ctx.method === 'HEAD') {
    await stored.close();
    ctx.length = length;
    return;
  }
  ctx.body = await stored.stream(range);
  ctx.length = length;
}

/** The same bytes; if their file has a time to come, modified now: Last-Modified must not be later than Date (RFC 9110, 8.8.2.1). */
function withPastModification(stored: Stored): Stored {
  const now = new Date();
  return stored.modified && stored.modified > now ? { ...stored, modified: now } : stored;
}

const lengthOf = ({ start, end }: ByteRange): number => end - start + 1;
const contentRange = ({ start, end }: ByteRange, size: number): string => `bytes ${start}-${end}/${size}`;

function sendUnsatisfiable(ctx: ParameterizedContext, size: number): void {
  // They say something of the bytes; and an error must not be kept for as long.
  for (const name of ['Content-Disposition', 'ETag', 'Last-Modified', 'Repr-Digest']) ctx.remove(name);
  ctx.set('Cache-Control', cacheControlOf(ctx.req));
  ctx.set('Content-Range', `bytes */${size}`);
  ctx.status = 416;
  ctx.set('Content-Type', 'application/json');
  ctx.body = JSON.stringify({ detail: `The range is outside of the file, which has ${size} bytes.` });
}

/** Sends several ranges as parts of a body, in the order of the request (RFC 9110, section 14.6). */
async function sendSeveralRanges(
  ctx: ParameterizedContext,
  stored: Stored,
  ranges: readonly ByteRange[],
): Promise<void> {
  const boundary = randomBytes(12).toString('hex');
  const type = ctx.response.get('Content-Type');
  const heads = ranges.map(
    (range) =>
      `\r\n--${boundary}\r\nContent-Type: ${type}\r\nContent-Range: ${contentRange(range, stored.size)}\r\n\r\n`,
  );
  const end = `\r\n--${boundary}--\r\n`;
  async function* parts(): AsyncGenerator<Buffer, void, undefined> {
    for (const [i, range] of ranges.entries()) {
      yield Buffer.from(heads[i] as string);
      yield* (await stored.stream({ ...range, staysOpen: true })) as AsyncIterable<Buffer>;
    }
    yield Buffer.from(end);
  }
  ctx.status = 206;
  ctx.set('Content-Type', `multipart/byteranges; boundary=${boundary}`);
  const body = Readable.from(parts(), { objectMode: false });
  // Also of a body that nobody reads: a generator that never began doesn't end either.
  body.once('close', () => stored.close().catch(() => {}));
  ctx.body = body;
  ctx.length = Buffer.byteLength(heads.join('') + end) + ranges.reduce((sum, range) => sum + lengthOf(range), 0);
}

function notModified(ctx: ParameterizedContext, etag: string, { modified, mayBecomeOlder = false }: Stored): boolean {
  const tags = ctx.get('If-None-Match');
  if (tags) return etagMatches(tags, etag);
  const seconds = secondsSince(ctx.get('If-Modified-Since'), modified);
  return seconds !== undefined && (mayBecomeOlder ? seconds === 0 : seconds <= 0);
}

/** Ranges of one request, at most; a request for more is answered with all bytes. */
const maxRanges = 64;

/**
 * The ranges to send (RFC 9110, section 14.2); null for all bytes, which also answer a request for too many ranges, or for
 * overlapping ones that are longer than the file. Only GET has ranges.
 */
function rangesOf(
  ctx: ParameterizedContext,
  etag: string,
  modified: Date | undefined,
  size: number,
): readonly ByteRange[] | 'unsatisfiable' | null {
  const [, list] = /^bytes=(.*)$/i.exec(ctx.get('Range').replace(/\s/g, '')) ?? [];
  if (ctx.method !== 'GET' || list === undefined) return null;
  const condition = ctx.get('If-Range');
  if (condition && condition !== etag && condition !== modified?.toUTCString()) return null;
  const specs = list.split(',').filter((spec) => spec !== '');
  if (specs.length === 0 || specs.length > maxRanges) return null;
  const ranges: ByteRange[] = [];
  for (const spec of specs) {
    const [, first, last] = /^(\d*)-(\d*)$/.exec(spec) ?? [];
    if (first === undefined || last === undefined || (!first && !last)) return null;
    if (first && last && Number(first) > Number(last)) return null;
    const start = first ? Number(first) : Math.max(0, size - Number(last));
    const end = first && last ? Math.min(Number(last), size - 1) : size - 1;
    if (start <= end) ranges.push({ start, end });
  }
  if (ranges.length === 0) return 'unsatisfiable';
  const total = ranges.reduce((sum, range) => sum + lengthOf(range), 0);
  return ranges.length > 1 && total > size ? null : ranges;
}
