/** Uploads: a version's payload by multipart form or as raw bytes, streamed into place. */
import { once } from 'node:events';
import { PassThrough, Readable } from 'node:stream';
import type { ParameterizedContext } from 'koa';
import type { Input, Upload } from '../catalogue/catalogue.ts';
import { ValidationError } from '../catalogue/errors.ts';
import { parseInput } from '../catalogue/input.ts';
import { refOf } from '../catalogue/ref.ts';
import { representVersion, toJson, urlOf } from '../catalogue/represent.ts';
import { bodyType } from './body.ts';
import { BadRequestError, TooLargeError } from './errors.ts';
import { fromEntries } from './forms.ts';
import { unhurried } from './limits.ts';
import { readForm } from './multipart.ts';
import type { Ask, Shown } from './route.ts';

/** The largest payload that is taken, in bytes. */
export const largestUpload = 64 * 1024 ** 3;

/** Takes an upload in as a new version of the dataset: 201, or 200 with the newest where the bytes are its own. */
export async function publish(ask: Ask): Promise<Shown> {
  const { catalogue, ctx, params, links } = ask;
  const ref = { kind: 'dataset', namespace: params.namespace ?? '', slug: params.dataset ?? '' } as const;
  await catalogue.get<'dataset'>(ref);
  unhurried(ctx.req);
  const gone = new AbortController();
  ctx.req.once('close', () => {
    if (!ctx.req.complete) gone.abort(new BadRequestError('The connection was cut off.'));
  });
  const multipart = bodyType(ctx) === 'multipart/form-data';
  const upload = multipart ? await formUpload(ctx, gone.signal) : rawUpload(ask, gone.signal);
  const { version, created } = await catalogue.publish(ref, upload).catch((error) => {
    // That a client left is nothing that went wrong on our side.
    throw gone.signal.aborted ? gone.signal.reason : error;
  });
  return {
    title: version.label,
    parts: [],
    json: () => toJson(representVersion(version, links)),
    status: created ? 201 : 200,
    headers: created ? [['Location', urlOf(links, refOf(version))]] : [],
  };
}

/** The body is the payload; what else is to be said of it stands in the query string. */
function rawUpload({ ctx, query }: Ask, signal: AbortSignal): Upload {
  if (bodyType(ctx) === null) throw new ValidationError({ file: ['No file was submitted.'] });
  if (Number(ctx.get('Content-Length')) > largestUpload) throw new TooLargeError(largestUpload);
  const name = /filename="([^"]*)"/i.exec(ctx.get('Content-Disposition'))?.[1] ?? query.get('name') ?? undefined;
  const fields = parseInput('version', Object.fromEntries(query), { partial: true });
  return {
    source: Readable.from(limited(ctx.req.iterator({ destroyOnReturn: false }))),
    mediaType: ctx.get('Content-Type') || undefined,
    fileName: name,
    checksum: query.get('checksum') ?? undefined,
    ...words(fields),
    signal,
  };
}

const words = ({ label, notes, metadata }: Input) => ({
  label: label as string | undefined,
  notes: notes as string | undefined,
  metadata: metadata as string | undefined,
});

async function* limited(chunks: AsyncIterable<Buffer>): AsyncGenerator<Buffer, void, undefined> {
  let size = 0;
  for await (const chunk of chunks) {
    size += chunk.length;
    if (size > largestUpload) throw new TooLargeError(largestUpload);
    yield chunk;
  }
}

/**
 * The part named `file` is the payload, and is passed on as it comes; fields may stand before or behind it. The stream
 * ends only when the whole form has been read: by then the upload knows its fields.
 */
async function formUpload(ctx: ParameterizedContext, signal: AbortSignal): Promise<Upload> {
  const bytes = new PassThrough({ highWaterMark: 1024 * 1024 });
  const file: { name?: string | undefined; type?: string | undefined } = {};
  const fields: { value: Input } = { value: {} };
  const begun = new AbortController();
  let files = 0;
  const form = readForm(ctx, {
    largest: largestUpload,
    onFile: ({ name }, take) => {
      if (name === 'file' && ++files === 1) take();
    },
    formidable: {
      maxFileSize: largestUpload,
      fileWriteStreamHandler: (volatile: { originalFilename?: string; mimetype?: string } | undefined) => {
        file.name = volatile?.originalFilename;
        file.type = volatile?.mimetype;
        begun.abort();
        return bytes;
      },
    },
  });
  form.catch((error) => bytes.destroy(error));
  await Promise.race([form, begun.signal.aborted ? undefined : once(begun.signal, 'abort')]);
  if (!begun.signal.aborted) throw new ValidationError({ file: ['No file was submitted.'] });
  async function* payload(): AsyncGenerator<Buffer, void, undefined> {
    yield* bytes as AsyncIterable<Buffer>;
    fields.value = fromEntries(await form);
    if (files > 1) throw new ValidationError({ file: ['More than one file was submitted.'] });
    // What is wrong with a field refuses the upload before anything of it is kept.
    parseInput('version', fields.value, { partial: true });
  }
  return {
    source: Readable.from(payload()),
    fileName: file.name,
    mediaType: file.type,
    get checksum() {
      return fields.value.checksum as string | undefined;
    },
    get label() {
      return words(fields.value).label;
    },
    get notes() {
      return words(fields.value).notes;
    },
    get metadata() {
      return words(fields.value).metadata;
    },
    signal,
  };
}
