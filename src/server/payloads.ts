/** Payloads and media: stored bytes, sent with conditional and range requests (RFC 9110, sections 13 and 14). */
import type { Readable } from 'node:stream';
import contentDisposition from 'content-disposition';
import type { ParameterizedContext } from 'koa';
import { NotFoundError, StaleError } from '../catalogue/errors.ts';
import type { Media } from '../catalogue/open-file.ts';
import { datasetRefOf, type VersionRef } from '../catalogue/ref.ts';
import { baseUrlPath, downloadFileName } from '../catalogue/urls.ts';
import { renderDownloadPage } from '../pages/download.tsx';
import { datasetUrl } from './documents.ts';
import { etagMatches, reprDigest } from './headers.ts';
import { datasetLicenceUrl, formatLinkHeader } from './link-header.ts';
import { type Representation, type RequestContext, refFromRouteParams } from './route.ts';

/** Stored bytes with their headers. */
export interface Stored extends Omit<Media, 'modified' | 'stream'> {
  readonly modified?: Date;
  stream(range?: Parameters<Media['stream']>[0]): Readable | Promise<Readable>;
  readonly headers: Readonly<Record<string, string>>;
}

/**
 * A version's payload, byte for byte, at its download address. The name of the file may be at the end, for programs that
 * take it from there.
 */
export async function downloadHandler(request: RequestContext): Promise<Representation | undefined> {
  const { app, catalogue, ctx, isPage, links, params } = request;
  const ref = refFromRouteParams('version', params);
  // Opening the payload fails with the reason.
  const version = await catalogue.get<'version'>(ref).catch((error) => {
    if (error instanceof NotFoundError) return null;
    throw error;
  });
  if (version && params.name !== undefined) {
    const names = [
      ...(params.version === undefined ? [downloadFileName(version, true)] : []),
      downloadFileName(version),
    ];
    if (!names.includes(params.name)) throw new NotFoundError(`The file is called ${names[0]}.`);
  }
  // A file has the name of the payload: at the address without a name is a page that leads to it.
  if (app.staticExport && isPage && version?.ready && params.name === undefined) {
    const name = downloadFileName(version, params.version === undefined);
    const href = version.href || `${baseUrlPath(links.base)}${ctx.path}${encodeURIComponent(name)}`;
    const page: Representation['page'] = (context) => renderDownloadPage(context, { name, href });
    return { title: name, dependsOn: [], json: () => '{}', page };
  }
  if (version?.ready && version.href) {
    if (!URL.canParse(version.href))
      throw new NotFoundError('The payload is on another server, and its address is not a URL.');
    ctx.redirect(version.href);
    return undefined;
  }
  await sendPayload(request, ref);
  return undefined;
}

/** Sends the payload of a version. */
export async function sendPayload({ catalogue, viewer, ctx, links }: RequestContext, ref: VersionRef): Promise<void> {
  const payload = await catalogue.payload(ref);
  const { checksum } = payload.version;
  const dataset = await catalogue.get<'dataset'>(datasetRefOf(payload.version));
  const collection = datasetUrl(dataset, links);
  const license = datasetLicenceUrl(dataset, catalogue.settings);
  const concrete = ref.slug !== 'latest';
  // A shared cache may keep what everybody may see, and nothing else.
  const scope = viewer.username === null ? 'public' : 'private';
  await sendStoredBytes(ctx, {
    ...payload,
    tag: checksum || `${payload.size}-${payload.modified.getTime()}`,
    headers: {
      'Content-Disposition': contentDisposition(payload.fileName),
      'Cache-Control': concrete ? `${scope}, max-age=31536000, immutable` : 'no-cache',
      Link: formatLinkHeader({ license, collection, describedby: `${collection}dcat.jsonld` }),
      ...(checksum && { 'Repr-Digest': reprDigest(checksum) }),
    },
  });
}

/** A file of site_media/, such as a dataset's thumbnail. */
export async function siteMediaHandler({ catalogue, viewer, ctx, params }: RequestContext): Promise<undefined> {
  const found = await catalogue.media(params.path ?? '');
  await sendStoredBytes(ctx, {
    ...found,
    headers: {
      // The image of a private dataset is for private caches only.
      'Cache-Control': `${viewer.username === null ? 'public' : 'private'}, max-age=300`,
      // An SVG may hold scripts: in a page they never run, and in a tab of its own they must not, either.
      'Content-Security-Policy': "default-src 'none'; style-src 'unsafe-inline'; sandbox",
    },
  });
}

/** A media type that fits a header (RFC 9110, section 5.5): records may hold any text. */
const fitsHeader = /^[\t\x20-\x7e]*$/;

/** Sends stored bytes: all of them, a range, or 304 if the client has them. */
export async function sendStoredBytes(ctx: ParameterizedContext, stored: Stored): Promise<void> {
  const { size, modified } = stored;
  const etag = `"${stored.tag}"`;
  ctx.set({ ...stored.headers, ETag: etag, 'Accept-Ranges': 'bytes' });
  if (modified) ctx.set('Last-Modified', modified.toUTCString());
  const condition = ctx.get('If-Match');
  if (condition && condition.trim() !== '*' && !etagMatches(condition, etag)) {
    await stored.close();
    throw new StaleError('The file has changed: its ETag is not that of If-Match.');
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
    ctx.body = JSON.stringify({ detail: `The range is outside of the file, which has ${size} bytes.` });
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
  if (tags) return etagMatches(tags, etag);
  const since = Date.parse(ctx.get('If-Modified-Since'));
  return modified !== undefined && Math.floor(modified.getTime() / 1000) * 1000 <= since;
}

/**
 * The range to send (RFC 9110, section 14.2); null for all bytes, which also answer a request for several ranges. Only
 * GET has ranges.
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
