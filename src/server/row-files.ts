/** Versions in other formats than their own: sent as files, with ranges, as soon as they are made. */
import contentDisposition from 'content-disposition';
import type { RowsFile } from '../catalogue/open-file.ts';
import { cacheControlOfVersion } from './headers.ts';
import { preferredCoding } from './negotiate.ts';
import type { RequestContext } from './route.ts';
import { sendStoredBytes } from './stored-bytes.ts';
import { type Document, streamDocument, trySendNotModified } from './stream.ts';

/**
 * Sends a file with all rows. A request for a part, or for the length (HEAD), waits until the file is made; another one gets the
 * document while it is made, and so does a client that takes it compressed.
 * @param isNamedVersion false if the version is the latest, whichever that is
 * @throws StaleError if the file isn't that of If-Match, or newer than If-Unmodified-Since
 */
export async function sendRowsFile(
  { ctx, viewer }: RequestContext,
  document: Document,
  file: RowsFile,
  isNamedVersion: boolean,
): Promise<void> {
  const { contentType, compressible, fileName } = document;
  const headers = {
    ...document.headers,
    'Cache-Control': cacheControlOfVersion(viewer, isNamedVersion),
    'Accept-Ranges': 'bytes',
  };
  const hasRange = ctx.get('Range') !== '' && ctx.method === 'GET';
  const isCompressed = compressible && !hasRange && preferredCoding(ctx.get('Accept-Encoding')) !== 'identity';
  const streamed = { ...document, tag: file.tag, headers, stream: () => file.stream() };
  if (!hasRange && trySendNotModified(ctx, streamed)) return;
  const isNeeded = hasRange || (ctx.method === 'HEAD' && !isCompressed);
  const stored = await file.open(isNeeded);
  if (stored && !isCompressed) {
    if (compressible) ctx.vary('Accept-Encoding');
    const disposition = contentDisposition(fileName, { type: 'inline' });
    await sendStoredBytes(ctx, {
      ...stored,
      mayBecomeOlder: !isNamedVersion,
      tag: file.tag,
      headers: { ...headers, 'Content-Type': contentType, 'Content-Disposition': disposition },
    });
    return;
  }
  if (stored && ctx.method === 'HEAD') await stored.close();
  // Without a place to keep the file there are no ranges.
  const { 'Accept-Ranges': _, ...withoutRanges } = headers;
  await streamDocument(ctx, {
    ...streamed,
    ...(stored && { modified: stored.modified }),
    headers: stored || !isNeeded ? headers : withoutRanges,
    stream: () => (stored ? stored.stream() : file.stream()),
  }).catch(async (error) => {
    await stored?.close();
    throw error;
  });
}
