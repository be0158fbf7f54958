/**
 * Multipart forms (RFC 7578), with koa-body. Its parser trusts the head of a part: an unknown encoding ends the process,
 * and a long head takes it minutes. So heads are checked on their way to it.
 */
import { Readable } from 'node:stream';
import type { ParameterizedContext } from 'koa';
import type { WritableKind } from '../catalogue/catalogue.ts';
import { CatalogueError, excerpt, UnavailableError } from '../catalogue/errors.ts';
import { formFieldShape, imageFields } from '../catalogue/field-forms.ts';
import { maxImageBytes } from '../catalogue/image.ts';
import { Turns } from '../data/event-loop.ts';
import { BadRequestError, TooLargeError } from './errors.ts';
import type { FormEntries } from './forms.ts';
import { clearBodyTimeout } from './limits.ts';

/** Bytes of all fields together, files aside; parts of a form; bytes of a part's head. */
const largestFields = 2 * 1024 * 1024;
export const mostParts = 1000;
const largestHead = 2048;

/** Part of a form, as formidable has it. */
export interface FormPart {
  readonly name: string | null;
  /** Null for a field. */
  readonly originalFilename: string | null;
  /** A part with a media type is a file to formidable. */
  mimetype: string | null;
  /** Its bytes come as `data`, whether it is taken or not. */
  on(event: 'data', listener: (chunk: Buffer) => void): unknown;
}

export interface FormOptions {
  /** The largest form, in bytes. */
  readonly largest: number;
  /** Called for each file; the file is dropped unless `take` is called. */
  readonly onFile: (part: FormPart, take: () => void) => void;
  /** Called for each field, before its value is read. */
  readonly onField?: ((part: FormPart) => void) | undefined;
  /** Further options of formidable. */
  readonly formidable?: object;
}

/** Loads koa-body: with the packages that it brings, that takes a third of the start of a server. */
export const loadFormParser = (): Promise<typeof import('koa-body')> => import('koa-body');

/** Options of koa-body: JSON and forms are read to the letter of Django REST Framework in `body.ts`. */
const onlyMultipart = { json: false, text: false, urlencoded: false, multipart: true } as const;
const methods = ['POST', 'PUT', 'PATCH', 'DELETE'] as const;

/**
 * Reads a multipart form.
 * @returns its fields in their order; those of one name stand together
 * @throws BadRequestError, TooLargeError
 */
export async function readMultipartForm(ctx: ParameterizedContext, options: FormOptions): Promise<FormEntries> {
  const limits = { maxFieldsSize: largestFields, maxFields: mostParts, allowEmptyFiles: true, minFileSize: 0 };
  const onPart = (part: FormPart, take: (part: FormPart) => void) => {
    // A part is a file if it has a file name, whether it has a media type or not.
    part.mimetype = part.originalFilename === null ? null : (part.mimetype ?? 'application/octet-stream');
    if (part.originalFilename === null) {
      options.onField?.(part);
      take(part);
    }
    // Browsers send a file with a blank name if nobody has chosen one.
    else if (part.originalFilename !== '') options.onFile(part, () => take(part));
  };
  const { koaBody } = await loadFormParser();
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
  const context = { method, is: (type: string) => ctx.is(type), request, req: checkedRequest(ctx, options.largest) };
  await read(context as never, async () => {});
  return Object.entries(request.body ?? {}).flatMap(([name, value]) =>
    [value].flat().map((one) => [name, one] as const),
  );
}

/** The part of a request that formidable reads. */
function checkedRequest({ req }: ParameterizedContext, largest: number): Readable {
  const [, quoted, plain] = /boundary=(?:"([^"]+)"|([^;]+))/i.exec(req.headers['content-type'] ?? '') ?? [];
  const chunks = checkedChunks(req.iterator({ destroyOnReturn: false }), quoted ?? plain ?? '', largest);
  return Object.assign(Readable.from(chunks, { objectMode: false }), { headers: req.headers });
}

/**
 * The bytes of a form, the heads of its parts checked. A head is taken to begin wherever formidable may see one begin.
 * @throws BadRequestError, TooLargeError
 */
async function* checkedChunks(
  chunks: AsyncIterable<Buffer>,
  boundary: string,
  largest: number,
): AsyncGenerator<Buffer, void, undefined> {
  const mark = Buffer.from(`--${boundary}\r\n`);
  let rest: Buffer = Buffer.alloc(0);
  let inHead = false;
  let size = 0;
  let parts = 0;
  const turns = new Turns();
  for await (const chunk of chunks) {
    // Of a fast client, many chunks are there already.
    if (turns.isOver) await turns.next();
    size += chunk.length;
    if (size > largest) throw new TooLargeError(largest);
    rest = rest.length ? Buffer.concat([rest, chunk]) : chunk;
    for (;;) {
      // The line break behind the boundary counts: a head may be empty.
      const end = inHead ? rest.indexOf('\r\n\r\n') : rest.indexOf(mark);
      if (inHead && (end < 0 ? rest.length : end) > largestHead) throw formError('The head of a part is too long');
      if (end < 0) break;
      if (inHead) yield checkedHead(rest.subarray(0, end + 4));
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
  if (rest.length) yield inHead ? checkedHead(rest) : rest;
}

const encoding = /^content-transfer-encoding:([^\r\n]*)\r\n/gim;

/** A head without the encodings that change nothing, which some clients name; and with the file name as formidable reads it. */
function checkedHead(head: Buffer): Buffer {
  const text = head.toString('latin1');
  const plain = text.replace(encoding, (_, value: string) => {
    const name = value.trim();
    if (/^(?:7bit|8bit|binary)?$/i.test(name)) return '';
    throw formError(`The encoding "${excerpt(name)}" of a part is not supported: use 7bit, 8bit or binary`);
  });
  const named = plain.replace(/^content-disposition:[^\r\n]*/gim, withPlainFileName);
  return named === text ? head : Buffer.from(named, 'latin1');
}

/**
 * A Content-Disposition with `filename` in the place of `filename*` (RFC 8187), which takes precedence (RFC 6266, section 4.3): .NET
 * sends both, with no readable name in the first, and older packages of Python only the second.
 */
function withPlainFileName(line: string): string {
  const [extended, value = ''] = /;\s*filename\*\s*=\s*utf-8'[^';]*'([^;\s]*)/i.exec(line) ?? [];
  if (extended === undefined) return line;
  let name: string;
  try {
    name = decodeURIComponent(value)
      .replace(/[\r\n]/g, ' ')
      .replaceAll('"', '%22');
  } catch {
    return line;
  }
  const others = line.replace(/;\s*filename\s*=\s*(?:"[^"]*"|[^;\s]*)/i, '');
  return others.replace(extended, () => `; filename="${Buffer.from(name).toString('latin1')}"`);
}

const formError = (reason: string) => new BadRequestError(`Multipart form parse error - ${reason}`);

function multipartError(error: Error & { httpCode?: number }): Error {
  if (error instanceof CatalogueError) return error;
  if (error.httpCode === 413) return new TooLargeError(largestFields);
  if (/boundary/i.test(error.message)) return formError('Invalid boundary in multipart: None');
  return formError(/ended unexpectedly/.test(error.message) ? 'It ends before its closing boundary' : error.message);
}

/** Limit for the images of all requests together, in bytes. */
const mostHeld = 64 * 1024 * 1024;
let held = 0;
/** Bytes of images that are in memory now. */
export const imageBytesHeld = (): number => held;

/**
 * Reads a form of fields, among which there may be images: these are small enough to be held in memory. Other files are
 * dropped, and represented by an object, which no field accepts.
 * @param largest limit for all but images, in bytes
 * @returns the fields in their order, then the files, so that a file wins over a text of the same name
 * @throws BadRequestError, TooLargeError; UnavailableError if too many images are sent at the same time
 */
export async function readMultipartFormWithImages(
  ctx: ParameterizedContext,
  kind: WritableKind | undefined,
  largest: number,
): Promise<FormEntries> {
  const files = new Map<string, () => unknown>();
  const onFile = (part: FormPart) => {
    if (part.name === null) return;
    const isImage = kind !== undefined && formFieldShape(kind, part.name) === 'image';
    // An image may take as long as any upload.
    if (isImage) clearBodyTimeout(ctx.req);
    files.set(part.name, isImage ? collectImage(part, ctx) : () => ({ file: true }));
  };
  const all = largest + (kind ? imageFields(kind).length * maxImageBytes : 0);
  const fields = await readMultipartForm(ctx, { largest: all, onFile });
  return [...fields, ...[...files].map(([name, value]) => [name, value()] as const)];
}

/** Collects the bytes of a part; they count as held until the response is sent. */
function collectImage(part: FormPart, { res }: ParameterizedContext): () => Uint8Array {
  let chunks: Buffer[] = [];
  let size = 0;
  let kept = 0;
  let refusal: Error | null = null;
  const keep = (bytes: number) => {
    kept += bytes;
    held += bytes;
  };
  part.on('data', (chunk) => {
    size += chunk.length;
    if (size > maxImageBytes) refusal ??= new TooLargeError(maxImageBytes);
    if (held + chunk.length > mostHeld)
      refusal ??= new UnavailableError('Too many images are being sent at the moment. Try again soon.');
    if (refusal) {
      chunks = [];
      return keep(-kept);
    }
    // The parser reuses its buffers.
    chunks.push(Buffer.from(chunk));
    keep(chunk.length);
  });
  res.once('close', () => keep(-kept));
  return () => {
    if (refusal) throw refusal;
    return Buffer.concat(chunks);
  };
}
