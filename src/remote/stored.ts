/** Stored bytes elsewhere: a version's payload, an image. */

import { Readable } from 'node:stream';
import { parse } from 'content-disposition';
import type { Media, Payload } from '../catalogue/catalogue.ts';
import { NotFoundError } from '../catalogue/errors.ts';
import type { Version } from '../catalogue/types.ts';
import { pathOf } from '../catalogue/urls.ts';
import type { Http } from './http.ts';
import { refOfEntity } from './read.ts';

/** The payload of a version that is known. @throws NotFoundError that says why there is none */
export async function payloadOf(http: Http, version: Version): Promise<Payload> {
  const { media, headers } = await stored(http, `${pathOf(refOfEntity<'version'>(version))}download/`);
  const { tag: _, ...rest } = media;
  return { version, fileName: fileNameIn(headers['content-disposition']), ...rest };
}

/** @param path below site_media/ */
export async function mediaAt(http: Http, path: string): Promise<Media> {
  if (path.split('/').some((name) => name === '' || name.startsWith('.'))) throw new NotFoundError();
  return (await stored(http, `/site_media/${path.split('/').map(encodeURIComponent).join('/')}`)).media;
}

async function stored(http: Http, path: string) {
  const { headers, body } = await http.ask({ method: 'HEAD', path });
  body.destroy();
  const etag = headers.etag ?? '';
  const media: Media = {
    mediaType: headers['content-type'] ?? 'application/octet-stream',
    size: Number(headers['content-length'] ?? 0),
    modified: new Date(headers['last-modified'] ?? 0),
    tag: etag.replaceAll('"', ''),
    stream: (range) => Readable.from(fetched(http, path, etag, range), { objectMode: false }),
    close: async () => {},
  };
  return { media, headers };
}

/** If they are other bytes by now, none come (RFC 9110, section 13.1.1): a part of these and a part of those is neither. */
async function* fetched(
  http: Http,
  path: string,
  etag: string,
  range: { readonly start: number; readonly end: number } | undefined,
): AsyncGenerator<Uint8Array, void, undefined> {
  const headers = {
    ...(etag && { 'if-match': etag }),
    ...(range && { range: `bytes=${range.start}-${range.end}` }),
  };
  const { status, body } = await http.ask({ path, headers });
  // A server that knows no ranges sends all, and another may send more: what wasn't asked for is left out.
  const isPart = status === 206;
  yield* range ? within(body, isPart ? { start: 0, end: range.end - range.start } : range) : body;
}

async function* within(
  body: AsyncIterable<Uint8Array>,
  { start, end }: { readonly start: number; readonly end: number },
): AsyncGenerator<Uint8Array, void, undefined> {
  let at = 0;
  for await (const chunk of body) {
    const wanted = chunk.subarray(Math.max(0, start - at), Math.max(0, end + 1 - at));
    if (wanted.length) yield wanted;
    at += chunk.length;
    if (at > end) return;
  }
}

/** Controls, marks that change the direction of what follows, and what systems give a meaning in names. */
const unfit = /[\p{C}<>:"|?*]/gu;

/** The name to save it under; never one that leads to another folder, or that is hidden: programs obey such files. */
function fileNameIn(disposition = ''): string {
  try {
    const { filename = '' } = parse(disposition).parameters as Readonly<Record<string, string>>;
    const name = filename.split(/[/\\]/).at(-1) ?? '';
    return name.replace(unfit, '_').replace(/^[.\s]+/, '') || 'download';
  } catch {
    return 'download';
  }
}
