/**
 * Multipart forms (RFC 7578), with koa-body. Its parser trusts the head of a part: one in an encoding that it doesn't
 * know ends the process, a long one takes it minutes. So heads are looked at on their way to it.
 */
import { Readable } from 'node:stream';
import type { ParameterizedContext } from 'koa';
import { koaBody } from 'koa-body';
import { CatalogueError } from '../catalogue/errors.ts';
import { BadRequestError, TooLargeError } from './errors.ts';
import type { FormEntries } from './forms.ts';

/** Bytes of all fields together, files aside; parts of a form; bytes of a part's head. */
const largestFields = 2 * 1024 * 1024;
const mostParts = 1000;
const largestHead = 2048;

/** Part of a form, as formidable has it. */
export interface FormPart {
  readonly name: string | null;
  /** Null where it is no file. */
  readonly originalFilename: string | null;
  /** formidable takes for a file what has one. */
  mimetype: string | null;
  /** Its bytes come as `data`, whether it is taken or not. */
  on(event: 'data', listener: (chunk: Buffer) => void): unknown;
}

export interface FormOptions {
  /** The largest form, in bytes; what is larger is refused. */
  readonly largest: number;
  /** What becomes of a file; it is left out unless `take` is called. */
  readonly onFile: (part: FormPart, take: () => void) => void;
  /** Further options of formidable. */
  readonly formidable?: object;
}

/** koa-body, for multipart alone: JSON and forms are read to the letter of DRF elsewhere. */
const onlyMultipart = { json: false, text: false, urlencoded: false, multipart: true } as const;
const methods = ['POST', 'PUT', 'PATCH'] as const;

/**
 * Reads a multipart form.
 * @returns its fields in their order; those of one name stand together
 * @throws BadRequestError, TooLargeError
 */
export async function readForm(ctx: ParameterizedContext, options: FormOptions): Promise<FormEntries> {
  const limits = { maxFieldsSize: largestFields, maxFields: mostParts, allowEmptyFiles: true, minFileSize: 0 };
  const onPart = (part: FormPart, take: (part: FormPart) => void) => {
    // What has a file name is a file, and nothing else is, whether it has a media type or not.
    part.mimetype = part.originalFilename === null ? null : (part.mimetype ?? 'application/octet-stream');
    if (part.originalFilename === null) take(part);
    // Browsers send a file without a name for each that nobody has chosen.
    else if (part.originalFilename !== '') options.onFile(part, () => take(part));
  };
  const read = koaBody({
    ...onlyMultipart,
    parsedMethods: methods as never,
    formidable: { ...limits, ...options.formidable, onPart: onPart as never },
    onError: (error) => {
      throw multipartError(error);
    },
  });
  const request: { body?: Record<string, unknown> } = {};
  const { method } = ctx;
  const context = { method, is: (type: string) => ctx.is(type), request, req: vettedRequest(ctx, options.largest) };
  await read(context as never, async () => {});
  return Object.entries(request.body ?? {}).flatMap(([name, value]) =>
    [value].flat().map((one) => [name, one] as const),
  );
}

/** The request, as far as formidable looks at it. */
function vettedRequest({ req }: ParameterizedContext, largest: number): Readable {
  const [, quoted, plain] = /boundary=(?:"([^"]+)"|([^;]+))/i.exec(req.headers['content-type'] ?? '') ?? [];
  const chunks = vetted(req.iterator({ destroyOnReturn: false }), quoted ?? plain ?? '', largest);
  return Object.assign(Readable.from(chunks, { objectMode: false }), { headers: req.headers });
}

/**
 * The bytes of a form, the heads of its parts without what formidable can't do. Wherever it may see a head begin, one
 * is taken to begin.
 * @throws BadRequestError, TooLargeError
 */
async function* vetted(
  chunks: AsyncIterable<Buffer>,
  boundary: string,
  largest: number,
): AsyncGenerator<Buffer, void, undefined> {
  const mark = Buffer.from(`--${boundary}\r\n`);
  let rest: Buffer = Buffer.alloc(0);
  let inHead = false;
  let size = 0;
  let parts = 0;
  for await (const chunk of chunks) {
    size += chunk.length;
    if (size > largest) throw new TooLargeError(largest);
    rest = rest.length ? Buffer.concat([rest, chunk]) : chunk;
    for (;;) {
      // The line break behind the boundary counts: a head may be empty.
      const end = inHead ? rest.indexOf('\r\n\r\n') : rest.indexOf(mark);
      if (inHead && (end < 0 ? rest.length : end) > largestHead) throw formError('The head of a part is too long');
      if (end < 0) break;
      if (inHead) yield vettedHead(rest.subarray(0, end + 4));
      else if (++parts > mostParts) throw formError(`There are more than ${mostParts} parts`);
      else yield rest.subarray(0, end + mark.length - 2);
      rest = rest.subarray(inHead ? end + 4 : end + mark.length - 2);
      inHead = !inHead;
    }
    if (inHead) continue;
    // The end may be the beginning of a boundary.
    const certain = Math.max(0, rest.length - mark.length + 1);
    if (certain) yield rest.subarray(0, certain);
    rest = rest.subarray(certain);
  }
  if (rest.length) yield inHead ? vettedHead(rest) : rest;
}

const encoding = /^content-transfer-encoding:[ \t]*([^\r\n]*?)[ \t]*\r\n/gim;

/** A head without the encodings that change nothing, which some clients name. */
function vettedHead(head: Buffer): Buffer {
  const text = head.toString('latin1');
  const plain = text.replace(encoding, (_, name: string) => {
    if (/^(?:7bit|8bit|binary)?$/i.test(name)) return '';
    throw formError(`The encoding "${name}" of a part is none of 7bit, 8bit and binary`);
  });
  return plain === text ? head : Buffer.from(plain, 'latin1');
}

const formError = (reason: string) => new BadRequestError(`Multipart form parse error - ${reason}`);

function multipartError(error: Error & { httpCode?: number }): Error {
  if (error instanceof CatalogueError) return error;
  if (error.httpCode === 413) return new TooLargeError(largestFields);
  return formError(/boundary/i.test(error.message) ? 'Invalid boundary in multipart: None' : error.message);
}
