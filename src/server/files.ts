/** The files that the catalogue is made of, for clients that pull and push. */
import { Readable } from 'node:stream';
import contentDisposition from 'content-disposition';
import { NotFoundError, ValidationError } from '../catalogue/errors.ts';
import { maxGroups } from '../catalogue/manifest-groups.ts';
import { mediaTypeOf } from '../catalogue/media-types.ts';
import type { FileEntry, FileGroups, TimelineAnswer } from '../catalogue/replica.ts';
import { encodedEtags, etagMatches } from './etags.ts';
import { cacheControl, reprDigest } from './headers.ts';
import { lastParameterValue } from './query-string.ts';
import type { RequestContext } from './route.ts';
import { sendStoredBytes } from './stored-bytes.ts';
import { streamDocument } from './stream.ts';

/** Header of responses: the present point of the catalogue's timeline. */
const timelineHeader = 'X-Catalogue-Timeline';
/** Header of requests: the point that the client saw last. */
const sinceHeader = 'X-Catalogue-Since';
/** Header of responses: whether the timeline has that point. */
const continuesHeader = 'X-Catalogue-Continues';

export const fileListTypes = ['application/json', 'application/x-ndjson'] as const;

/**
 * All files that the viewer may see, a line of JSON each; the records' texts with `?texts=true`. With `?groups=`, the
 * digests of groups of files, or the files of some groups. Headers say whether the catalogue was set back to an earlier state.
 */
export async function listCatalogueFilesHandler({ catalogue, ctx, query, viewer }: RequestContext): Promise<undefined> {
  const { replica } = catalogue;
  const groups = groupsFrom(query);
  const since = ctx.get(sinceHeader) || null;
  const timeline = {
    since,
    onAnswer({ point, hasPoint }: TimelineAnswer) {
      ctx.set(timelineHeader, point);
      if (since !== null) ctx.set(continuesHeader, String(hasPoint));
    },
  };
  const texts = lastParameterValue(query, 'texts') === 'true';
  const listed =
    groups && !groups.only
      ? await replica.digests(groups.count, { timeline })
      : await replica.manifest({ texts, groups: groups as FileGroups, timeline });
  if (!listed || listed === 'unsupported') throw new NotFoundError();
  // A client that has the manifest in any content coding has it: it keeps the manifest uncompressed.
  const condition = ctx.get('If-None-Match');
  const known = condition && encodedEtags(listed.tag).find((tag) => etagMatches(condition, tag));
  if (known) {
    ctx.set({ ETag: known, 'Cache-Control': cacheControl(viewer) });
    ctx.vary('Accept-Encoding');
    ctx.status = 304;
    return;
  }
  const isList = 'entries' in listed;
  await streamDocument(ctx, {
    tag: listed.tag,
    compressible: true,
    contentType: isList ? 'application/x-ndjson' : 'application/json',
    fileName: isList ? 'files.ndjson' : 'digests.json',
    headers: { 'Cache-Control': cacheControl(viewer) },
    stream: () =>
      isList
        ? Readable.from(linesOf(listed.entries), { objectMode: false })
        : Readable.from([Buffer.from(JSON.stringify({ digests: listed.digests }))]),
  });
}

/**
 * The groups of files in a query: `?groups=64` asks for the digests of 64 groups, `?groups=64&only=3,17` for the files of
 * two of them.
 * @throws ValidationError
 */
function groupsFrom(query: URLSearchParams): (Pick<FileGroups, 'count'> & Partial<FileGroups>) | undefined {
  const [groups, only] = [lastParameterValue(query, 'groups'), lastParameterValue(query, 'only')];
  if (groups === undefined && only === undefined) return undefined;
  const count = Number(groups);
  if (!/^\d+$/.test(groups ?? '') || count < 1 || count > maxGroups)
    throw new ValidationError({ groups: [`Write a number of groups, from 1 to ${maxGroups}.`] });
  if (only === undefined) return { count };
  const indexes = only.split(',').map(Number);
  if (!/^\d+(,\d+)*$/.test(only) || indexes.some((index) => index >= count))
    throw new ValidationError({ only: [`Write numbers of groups, from 0 to ${count - 1}, with commas between them.`] });
  return { count, only: indexes };
}

/** Lines of JSON, in chunks of some 64 kB. */
async function* linesOf(entries: AsyncIterable<FileEntry>): AsyncGenerator<Buffer> {
  let lines = '';
  for await (const entry of entries) {
    lines += `${JSON.stringify(entry)}\n`;
    if (lines.length < 64 * 1024) continue;
    yield Buffer.from(lines);
    lines = '';
  }
  if (lines) yield Buffer.from(lines);
}

/** The bytes of one file. */
export async function showFileHandler({ catalogue, ctx, params, viewer }: RequestContext): Promise<undefined> {
  const { replica } = catalogue;
  const entry = await replica.entry(params.path ?? '');
  const { path, checksum, size, record, mediaType = mediaTypeOf(params.path ?? '') } = entry;
  await sendStoredBytes(ctx, {
    mediaType,
    size,
    tag: checksum,
    stream: (range) => replica.read(path, { checksum, ...range }),
    close: async () => {},
    headers: {
      'Cache-Control': cacheControl(viewer),
      'Repr-Digest': reprDigest(checksum),
      'Content-Security-Policy': "default-src 'none'; sandbox",
      ...(!record && { 'Content-Disposition': contentDisposition(path.slice(path.lastIndexOf('/') + 1)) }),
    },
  });
}
