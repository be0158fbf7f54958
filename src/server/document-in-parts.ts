/** Documents about the whole catalogue, which are written part by part. */
import { Readable } from 'node:stream';
import type { Catalogue } from '../catalogue/catalogue.ts';
import { cacheControl } from './headers.ts';
import type { Representation, RequestContext } from './route.ts';
import { streamDocument } from './stream.ts';

const tags = new WeakMap<object, string>();
/** A strong validator of a document about a revision of the catalogue as one viewer sees it. */
function tagOfRevision({ revision }: Catalogue): string {
  const tag = tags.get(revision) ?? crypto.randomUUID();
  tags.set(revision, tag);
  return tag;
}

/** Characters that are sent at once, at least. */
const chunkLength = 1 << 16;

/** Streams a document about all datasets. @param parts texts in their order, made in turns with other requests */
export async function streamParts(
  { ctx, catalogue, viewer }: Pick<RequestContext, 'ctx' | 'catalogue' | 'viewer'>,
  fileName: string,
  contentType: string,
  parts: () => AsyncGenerator<string, void, undefined>,
): Promise<undefined> {
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
    // Documents of one revision may have the same address.
    tag: `${tagOfRevision(catalogue)}-${fileName}`,
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
