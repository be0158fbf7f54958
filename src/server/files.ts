/** The catalogue as the files that it is made of: what push and pull ask for. */
import { Readable } from 'node:stream';
import contentDisposition from 'content-disposition';
import type { ParameterizedContext } from 'koa';
import { NotFoundError, StaleError } from '../catalogue/errors.ts';
import { isBytesPath } from '../catalogue/layout.ts';
import { mediaTypeOf } from '../catalogue/media-types.ts';
import type { FileEntry } from '../catalogue/replica.ts';
import { namesTag } from './headers.ts';
import { sendStored } from './payloads.ts';
import { last } from './question.ts';
import type { Ask } from './route.ts';
import { sendDocument } from './stream.ts';

export const fileListTypes = ['application/json', 'application/x-ndjson'] as const;

/** All files that the one who asks may see, a line of JSON each; the records' texts with `?texts=true`. */
export async function fileList({ catalogue, ctx, query, viewer }: Ask): Promise<undefined> {
  const manifest = await catalogue.replica.manifest({ texts: last(query, 'texts') === 'true' });
  if (!manifest) throw new NotFoundError();
  // Whoever has it in one coding has it: nobody keeps it packed.
  const condition = ctx.get('If-None-Match');
  const tags = ['', '-gzip', '-br'].map((coding) => `"${manifest.tag}${coding}"`);
  const known = condition && tags.find((tag) => namesTag(condition, tag));
  if (known) {
    ctx.set({ ETag: known, 'Cache-Control': scoped(viewer) });
    ctx.status = 304;
    return;
  }
  await sendDocument(ctx, {
    tag: manifest.tag,
    packable: true,
    contentType: 'application/x-ndjson',
    fileName: 'files.ndjson',
    headers: { 'Cache-Control': scoped(viewer) },
    stream: () => Readable.from(linesOf(manifest.entries), { objectMode: false }),
  });
}

/** In pieces of some size: a line alone is a poor packet. */
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
export async function file({ catalogue, ctx, params, viewer }: Ask): Promise<undefined> {
  const { replica: depot } = catalogue;
  const {
    path,
    checksum,
    size,
    record,
    mediaType = mediaTypeOf(params.path ?? ''),
  } = await depot.entry(params.path ?? '');
  await sendStored(ctx, {
    mediaType,
    size,
    tag: checksum,
    stream: (range) => depot.read(path, { checksum, ...range }),
    close: async () => {},
    headers: {
      'Cache-Control': scoped(viewer),
      'Repr-Digest': `sha-256=:${Buffer.from(checksum, 'hex').toString('base64')}:`,
      'Content-Security-Policy': "default-src 'none'; sandbox",
      ...(!record && { 'Content-Disposition': contentDisposition(path.slice(path.lastIndexOf('/') + 1)) }),
    },
  });
}

/** What one may see who is signed in isn't for a cache that others share. */
const scoped = ({ username }: Ask['viewer']) => (username === null ? 'no-cache' : 'private, no-cache');

/**
 * What the client has seen of a record (RFC 9110, section 13.1): If-Match with its tag, or If-None-Match with `*` where
 * it has seen that there is none.
 * @returns the checksum, or null for none; undefined where nothing is said
 */
export async function seenBy({ catalogue, ctx, params }: Ask): Promise<string | null | undefined> {
  const [tag, none] = [ctx.get('If-Match').trim(), ctx.get('If-None-Match').trim()];
  if (tag === '*')
    return (
      await catalogue.replica.entry(params.path ?? '').catch(() => {
        throw new StaleError();
      })
    ).checksum;
  if (tag) return /^"([0-9a-f]{64})"$/.exec(tag)?.[1] ?? '';
  return none === '*' ? null : undefined;
}

/** Tells what is there now. */
export function tell(ctx: ParameterizedContext, status: number, entry: FileEntry): void {
  ctx.status = status;
  ctx.set('ETag', `"${entry.checksum}"`);
  ctx.body = JSON.stringify(entry);
  ctx.set('Content-Type', 'application/json');
}

/** A payload or an image, of which a record says the rest. */
export const isBytes = ({ params }: Ask): boolean => isBytesPath(params.path ?? '');
