/** Documents of a source: local files, or what a server answers, kept as local files. Readers of formats ask for them here. */
import { createReadStream } from 'node:fs';
import { readFile, realpath, stat } from 'node:fs/promises';
import { dirname, isAbsolute, relative, resolve, sep } from 'node:path';
import { pipeline } from 'node:stream';
import { createGunzip } from 'node:zlib';
import { NotFoundError, ValidationError } from '../catalogue/errors.ts';
import { errorCode } from '../disk/durable.ts';
import { parseRecordText } from '../text/parse.ts';
import { readArrayItems, readLineItems } from './json-items.ts';
import { decodeBeginning, decodeDocument } from './text-encoding.ts';

/** A document, whose bytes are in a local file. */
export interface OpenDocument {
  /** URL, after redirects, or absolute path. */
  readonly address: string;
  /** Path of the file with the bytes. */
  readonly path: string;
  /** Without parameters, in lower case; '' if it isn't known. */
  readonly mediaType: string;
  /** Encoding that the Content-Type names. */
  readonly charset?: string;
  /** Name that the server gives the file. */
  readonly fileName?: string;
  readonly size: number;
}

/** Fetches documents. Addresses are URLs, or absolute paths of local files. */
export interface Documents {
  /** @throws NotFoundError, UnreachableError, ValidationError (not allowed, too large) */
  open(address: string, options?: OpenOptions): Promise<OpenDocument>;
}

export interface OpenOptions {
  readonly accept?: string | undefined;
  /** JSON body: the document is asked for by POST. */
  readonly body?: string | undefined;
  /** Further headers. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
}

/** Most bytes of a document that is read as a whole. */
export const maxWholeDocument = 64 * 1024 * 1024;
/** Most bytes of a document, also once it is inflated. */
export const maxDocument = 4 * 1024 * 1024 * 1024;

/** Opens a local file. @throws NotFoundError */
export async function openLocalDocument(path: string): Promise<OpenDocument> {
  const stats = await stat(path).catch(() => null);
  if (!stats?.isFile()) throw new NotFoundError(`There is no file ${path}.`);
  return { address: path, path, mediaType: '', size: stats.size };
}

/**
 * The documents of a local source: files in its folder, and the source itself. Others are refused, and hidden ones, since a
 * source could publish any file of this machine by naming it.
 * @param source absolute path of a file or folder, which may be a link
 */
export function localDocuments(source: string): Documents {
  return {
    async open(address) {
      const isFolder = await stat(source).then(
        (stats) => stats.isDirectory(),
        () => false,
      );
      const folder = isFolder ? source : dirname(source);
      const path = resolve(folder, address);
      const target = await realpath(path).catch(() => null);
      if (target === null) throw new NotFoundError(`There is no file ${address}.`);
      if (path !== source && !(isVisibleWithin(folder, path) && isVisibleWithin(await realpath(folder), target)))
        throw new ValidationError({
          source: [
            `${address} is hidden, or outside of the folder of the source, ${folder}. It was not read: if it belongs to the source, copy it into the folder.`,
          ],
        });
      return await openLocalDocument(path);
    },
  };
}

/** True if a path is below a folder, and no name on the way to it begins with a dot. */
function isVisibleWithin(folder: string, path: string): boolean {
  const below = relative(folder, path);
  return below !== '' && !isAbsolute(below) && !below.split(sep).some((name) => name.startsWith('.'));
}

/** The text of a document. @throws ValidationError if it is too large */
export async function readDocumentText(document: OpenDocument): Promise<string> {
  if (document.size > maxWholeDocument)
    throw new ValidationError({
      source: [`${document.address} has ${document.size} bytes; at most ${maxWholeDocument} are read as one document.`],
    });
  const { charset = '', address } = document;
  if (!(await isGzip(document))) return decodeDocument(await readFile(document.path), charset, address);
  const parts: Buffer[] = [];
  let size = 0;
  for await (const part of await documentBytes(document)) {
    size += part.length;
    if (size > maxWholeDocument)
      throw new ValidationError({ source: [`${document.address} inflates to more than ${maxWholeDocument} bytes.`] });
    parts.push(part);
  }
  return decodeDocument(Buffer.concat(parts), charset, address);
}

/** A document in JSON. @throws ValidationError */
export async function readJsonDocument(documents: Documents, address: string): Promise<unknown> {
  const document = await documents.open(address, { accept: 'application/json' });
  return parseJson(await readDocumentText(document), document.address);
}

/** A document in JSON or YAML. @throws ValidationError */
export async function readStructuredDocument(documents: Documents, address: string): Promise<unknown> {
  const document = await documents.open(address);
  const text = await readDocumentText(document);
  if (!/\.ya?ml$/i.test(address.split(/[?#]/)[0] ?? '')) return parseJson(text, document.address);
  const parsed = parseRecordText(text, 'yaml');
  if ('value' in parsed) return parsed.value;
  const { line, column, message } = parsed.error;
  throw new ValidationError({ source: [`${document.address}:${line}:${column}: ${message}`] });
}

export function parseJson(text: string, address: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new ValidationError({ source: [`${address} is not valid JSON: ${(error as Error).message}`] });
  }
}

async function isGzip(document: OpenDocument): Promise<boolean> {
  return (await headOf(document, 2)).toString('hex') === '1f8b';
}

async function headOf({ path }: OpenDocument, length: number): Promise<Buffer> {
  const parts: Buffer[] = [];
  for await (const part of createReadStream(path, { end: length - 1 })) parts.push(part as Buffer);
  return Buffer.concat(parts);
}

/** The bytes of a document, inflated if they are compressed. @throws ValidationError for more than 4 GB */
export async function documentBytes(document: OpenDocument): Promise<AsyncIterable<Buffer>> {
  const isCompressed = await isGzip(document);
  const file = createReadStream(document.path, { highWaterMark: 256 * 1024 });
  if (!isCompressed) return file as AsyncIterable<Buffer>;
  // Closes the file also if only its beginning is read. An error is that of the inflated bytes.
  const inflated = pipeline(file, createGunzip(), () => {});
  return limited(inflated as AsyncIterable<Buffer>, document.address);
}

async function* limited(chunks: AsyncIterable<Buffer>, address: string): AsyncGenerator<Buffer, void, undefined> {
  let size = 0;
  try {
    for await (const chunk of chunks) {
      size += chunk.length;
      if (size > maxDocument)
        throw new ValidationError({ source: [`${address} inflates to more than ${maxDocument} bytes.`] });
      yield chunk;
    }
  } catch (error) {
    if (!errorCode(error).startsWith('Z_')) throw error;
    throw new ValidationError({
      source: [`${address} is broken: as gzip, ${(error as Error).message}. Fetch it again.`],
    });
  }
}

/** The beginning of a document, inflated if it is compressed, as text. */
export async function readDocumentHead(document: OpenDocument, length = 64 * 1024): Promise<string> {
  const parts: Buffer[] = [];
  let size = 0;
  for await (const part of await documentBytes(document)) {
    parts.push(part);
    size += part.length;
    if (size >= length) break;
  }
  return decodeBeginning(Buffer.concat(parts).subarray(0, length), document.charset ?? '');
}

/**
 * The items of a list in JSON, one after the other, so that memory holds one of them: of an array, of the array at a path
 * of keys in an object, or one a line.
 * @throws ValidationError where the text is broken
 */
export async function* readDocumentItems(
  document: OpenDocument,
  keys: readonly string[],
): AsyncGenerator<unknown, void, undefined> {
  const head = (await readDocumentHead(document)).trimStart();
  const isLines = (await findFirstJsonLine(document, head)) !== null;
  const bytes = await documentBytes(document);
  if (isLines) yield* readLineItems(bytes, document.address);
  else yield* readArrayItems(bytes, head.startsWith('[') ? [] : keys, document.address);
}

/** Most bytes of the first line of JSON lines. */
const longestLine = 4 * 1024 * 1024;

/** The first line of a document that has an object on each line; null for other documents. @param head its beginning */
export async function findFirstJsonLine(document: OpenDocument, head: string): Promise<string | null> {
  if (!head.startsWith('{')) return null;
  const isEnough = /\n./.test(head);
  const lines = isEnough ? head : (await readDocumentHead(document, longestLine)).trimStart();
  const [first = '', second = ''] = lines.split(/\r?\n/, 2);
  if (!second.startsWith('{')) return null;
  try {
    JSON.parse(first);
    return first;
  } catch {
    return null;
  }
}
