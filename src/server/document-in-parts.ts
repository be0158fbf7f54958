/** Documents about the whole catalogue, which are written part by part. */
import { createHash } from 'node:crypto';
import { Readable } from 'node:stream';
import { etagOfHash } from './etags.ts';
import { cacheControl } from './headers.ts';
import { listInTurns } from './in-turns.ts';
import type { Representation, RequestContext } from './route.ts';
import { streamDocument } from './stream.ts';

/** Kinds of the records that a document about the whole catalogue is made of. */
const kinds = ['namespace', 'query', 'dataset'] as const;

/** Numbers of records, which never change: each object has another. */
const numbers = new WeakMap<object, number>();
let lastNumber = 0;

function numberOf(object: object): number {
  const number = numbers.get(object) ?? ++lastNumber;
  numbers.set(object, number);
  return number;
}

/** In each tag, since other processes have the same numbers. */
const processId = crypto.randomUUID();
const tags = new WeakMap<object, string>();

/** A strong validator of a document about all that a viewer may see: edits of other records leave it. */
async function tagOfVisible(request: PartsRequest): Promise<string> {
  const { revision, settings } = request.catalogue;
  const known = tags.get(revision);
  if (known !== undefined) return known;
  const hash = createHash('sha256').update(`${processId} ${numberOf(settings)}`);
  for (const kind of kinds) for await (const record of listInTurns(request, kind)) hash.update(` ${numberOf(record)}`);
  const tag = etagOfHash(hash);
  tags.set(revision, tag);
  return tag;
}

type PartsRequest = Pick<RequestContext, 'ctx' | 'catalogue' | 'viewer'>;

/** Characters that are sent at once, at least. */
const chunkLength = 1 << 16;

/** Streams a document about all datasets. @param parts texts in their order, made in turns with other requests */
export async function streamParts(
  request: PartsRequest,
  fileName: string,
  contentType: string,
  parts: () => AsyncGenerator<string, void, undefined>,
): Promise<undefined> {
  const { ctx, viewer } = request;
  async function* chunks() {
    let text = '';
    for await (const part of parts()) {
      text += part;
      if (text.length < chunkLength) continue;
      yield Buffer.from(text);
      text = '';
    }
    yield Buffer.from(text);
  }
  await streamDocument(ctx, {
    // Documents about the same records may have the same address.
    tag: `${await tagOfVisible(request)}-${fileName}`,
    compressible: true,
    contentType,
    fileName,
    headers: { 'Cache-Control': cacheControl(viewer) },
    stream: () => Readable.from(chunks(), { objectMode: false }),
  });
  return undefined;
}

/** Datasets up to which a document about all of them is made as a whole, and kept until the catalogue changes. */
const mostKept = 500;

/**
 * The representation of a document about all datasets; of many, it is streamed.
 * @param parts as for `streamParts`
 */
export async function representParts(
  request: RequestContext,
  fileName: string,
  representation: Omit<Representation, 'json'>,
  parts: () => AsyncGenerator<string, void, undefined>,
): Promise<Representation | undefined> {
  const { count } = await request.catalogue.list('dataset', { pageSize: 1 });
  if (count > mostKept) return streamParts(request, fileName, representation.type ?? request.type, parts);
  let text = '';
  for await (const part of parts()) text += part;
  return { ...representation, json: () => text };
}
