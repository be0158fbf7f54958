/** Payloads and media: stored bytes, with conditions and ranges. */
import type { Readable } from 'node:stream';
import contentDisposition from 'content-disposition';
import type { ParameterizedContext } from 'koa';
import type { Media } from '../catalogue/catalogue.ts';
import { NotFoundError, StaleError } from '../catalogue/errors.ts';
import type { VersionRef } from '../catalogue/ref.ts';
import { namesTag } from './headers.ts';
import type { Ask } from './route.ts';

/** Stored bytes with what HTTP says of them. */
export interface Stored extends Omit<Media, 'modified' | 'stream'> {
  readonly modified?: Date;
  stream(range?: Parameters<Media['stream']>[0]): Readable | Promise<Readable>;
  readonly headers: Readonly<Record<string, string>>;
}

/** The version that an address of data means: one by its slug, or the newest ready one of a dataset. */
export function versionRef({ namespace = '', dataset = '', version = 'latest' }: Ask['params']): VersionRef {
  return { kind: 'version', namespace, dataset, slug: version };
}

/** A version's payload, byte for byte, at its download address. */
export async function download(ask: Ask): Promise<undefined> {
  const { catalogue, ctx, params } = ask;
  const ref = versionRef(params);
  const version = await catalogue.get<'version'>(ref);
  if (version.ready && version.href) {
    if (!URL.canParse(version.href)) throw new NotFoundError('The payload lies elsewhere, and its address is no URL.');
    ctx.redirect(version.href);
    return;
  }
  await sendPayload(ask, ref);
}

/** Sends the payload of a version, with conditions and ranges. */
export async function sendPayload({ catalogue, viewer, ctx }: Ask, ref: VersionRef): Promise<void> {
  const payload = await catalogue.payload(ref);
  const { checksum } = payload.version;
  const concrete = ref.slug !== 'latest';
  // What one may see who is signed in isn't for a cache that others share.
  const scope = viewer.username === null ? 'public' : 'private';
  await sendStored(ctx, {
    ...payload,
    tag: checksum || `${payload.size}-${payload.modified.getTime()}`,
    headers: {
      'Content-Disposition': contentDisposition(payload.fileName),
      'Cache-Control': concrete ? `${scope}, max-age=31536000, immutable` : 'no-cache',
      ...(checksum && { 'Repr-Digest': `sha-256=:${Buffer.from(checksum, 'hex').toString('base64')}:` }),
    },
  });
}

/** A file of site_media/, such as a dataset's thumbnail. */
export async function media({ catalogue, viewer, ctx, params }: Ask): Promise<undefined> {
  const found = await catalogue.media(params.path ?? '');
  await sendStored(ctx, {
    ...found,
    headers: {
      // That of a private dataset isn't for a cache that others share.
      'Cache-Control': `${viewer.username === null ? 'public' : 'private'}, max-age=300`,
      // An SVG may hold scripts; shown as an image they never run, and opened alone they must not either.
      'Content-Security-Policy': "default-src 'none'; style-src 'unsafe-inline'; sandbox",
    },
  });
}

/** A record may call its payload anything, and a header can't hold all of that (RFC 9110, section 5.5). */
const fitsHeader = /^[\t\x20-\x7e]*$/;

/** Sends stored bytes: whole, in part (RFC 9110, section 14), or not at all where the client has them. */
export async function sendStored(ctx: ParameterizedContext, stored: Stored): Promise<void> {
  const { size, modified } = stored;
  const etag = `"${stored.tag}"`;
  ctx.set({ ...stored.headers, ETag: etag, 'Accept-Ranges': 'bytes' });
  if (modified) ctx.set('Last-Modified', modified.toUTCString());
  const wanted = ctx.get('If-Match');
  if (wanted && wanted.trim() !== '*' && !namesTag(wanted, etag)) {
    await stored.close();
    throw new StaleError('These are not the bytes any more that were asked for.');
  }
  if (notModified(ctx, etag, modified)) {
    await stored.close();
    ctx.status = 304;
    return;
  }
  ctx.type = fitsHeader.test(stored.mediaType) ? stored.mediaType : 'application/octet-stream';
  const range = rangeOf(ctx, etag, modified, size);
  if (range === 'unsatisfiable') {
    await stored.close();
    ctx.remove('Content-Disposition');
    ctx.set('Content-Range', `bytes */${size}`);
    ctx.status = 416;
    ctx.type = 'application/json';
    ctx.body = JSON.stringify({ detail: `The range lies outside of the ${size} bytes there are.` });
    return;
  }
  if (range) {
    ctx.status = 206;
    ctx.set('Content-Range', `bytes ${range.start}-${range.end}/${size}`);
  } else ctx.status = 200;
  const length = range ? range.end - range.start + 1 : size;
  if (ctx.method === 'HEAD') {
    await stored.close();
    ctx.length = length;
    return;
  }
  ctx.body = await stored.stream(range ?? undefined);
  ctx.length = length;
}

function notModified(ctx: ParameterizedContext, etag: string, modified: Date | undefined): boolean {
  const tags = ctx.get('If-None-Match');
  if (tags) return namesTag(tags, etag);
  const since = Date.parse(ctx.get('If-Modified-Since'));
  return modified !== undefined && Math.floor(modified.getTime() / 1000) * 1000 <= since;
}

/**
 * The range to send (RFC 9110, section 14.2): one, or null where the whole is right. Several at once are answered with
 * the whole, as may be; and only GET has ranges.
 */
function rangeOf(ctx: ParameterizedContext, etag: string, modified: Date | undefined, size: number) {
  const [, first, last] = /^bytes=(\d*)-(\d*)$/i.exec(ctx.get('Range').replace(/\s/g, '')) ?? [];
  if (ctx.method !== 'GET' || first === undefined || last === undefined || (!first && !last)) return null;
  const condition = ctx.get('If-Range');
  if (condition && condition !== etag && condition !== modified?.toUTCString()) return null;
  const start = first ? Number(first) : Math.max(0, size - Number(last));
  const end = first && last ? Math.min(Number(last), size - 1) : size - 1;
  if (first && last && Number(first) > Number(last)) return null;
  return start <= end ? { start, end } : 'unsatisfiable';
}
