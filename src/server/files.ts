/** The files that the catalogue is made of, for clients that pull and push. */
import { Readable } from 'node:stream';
import contentDisposition from 'content-disposition';
import { NotFoundError } from '../catalogue/errors.ts';
import { mediaTypeOf } from '../catalogue/media-types.ts';
import type { FileEntry } from '../catalogue/replica.ts';
import { etagMatches, reprDigest } from './headers.ts';
import { sendStoredBytes } from './payloads.ts';
import { lastParameterValue } from './query-string.ts';
import type { RequestContext } from './route.ts';
import { sendDocument } from './stream.ts';

export const fileListTypes = ['application/json', 'application/x-ndjson'] as const;

/** All files that the viewer may see, a line of JSON each; the records' texts with `?texts=true`. */
export async function listFilesHandler({ catalogue, ctx, query, viewer }: RequestContext): Promise<undefined> {
  const manifest = await catalogue.replica.manifest({ texts: lastParameterValue(query, 'texts') === 'true' });
  if (!manifest) throw new NotFoundError();
  // A client that has the manifest in any content coding has it: it keeps the manifest uncompressed.
  const condition = ctx.get('If-None-Match');
  const tags = ['', '-gzip', '-br'].map((coding) => `"${manifest.tag}${coding}"`);
  const known = condition && tags.find((tag) => etagMatches(condition, tag));
  if (known) {
    ctx.set({ ETag: known, 'Cache-Control': cacheControl(viewer) });
    ctx.status = 304;
    return;
  }
  await sendDocument(ctx, {
    tag: manifest.tag,
    compressible: true,
    contentType: 'application/x-ndjson',
    fileName: 'files.ndjson',
    headers: { 'Cache-Control': cacheControl(viewer) },
    stream: () => Readable.from(linesOf(manifest.entries), { objectMode: false }),
  });
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

/** A shared cache may keep what everybody may see, and nothing else. */
const cacheControl = ({ username }: RequestContext['viewer']) => (username === null ? 'no-cache' : 'private, no-cache');
