/** Bytes from and to a remote server: payloads, media files and uploads. */
import { randomUUID } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { basename } from 'node:path';
import { Readable } from 'node:stream';
import { parse } from 'content-disposition';
import type { ColumnChanges, Published, Upload, UploadDetails } from '../catalogue/catalogue.ts';
import { compareColumns } from '../catalogue/columns.ts';
import { NotFoundError, ValidationError } from '../catalogue/errors.ts';
import { mediaPath } from '../catalogue/layout.ts';
import type { Media, Payload } from '../catalogue/open-file.ts';
import { readingOptionTexts } from '../catalogue/reading.ts';
import type { Dataset, Version } from '../catalogue/types.ts';
import { apiPath } from '../catalogue/urls.ts';
import { answers } from './answers.ts';
import type { Http } from './http.ts';
import { passWithProgress, streamOnDemand } from './http-body.ts';
import { read, refOfEntity } from './read.ts';
import { RedirectError } from './response-errors.ts';
import { valueOfShape } from './shapes.ts';

/** The payload of a version. @throws NotFoundError with the reason if it has none */
export async function fetchPayload(http: Http, version: Version): Promise<Payload> {
  const path = `${apiPath(refOfEntity<'version'>(version))}download/`;
  const { media, headers } = await fetchHead(http, path).catch((error) => {
    // The server sends readers to a payload that isn't its own; to another address of its own, it sends all requests.
    if (!(error instanceof RedirectError) || !error.target || error.target.pathname.endsWith(path)) throw error;
    throw new NotFoundError(`The payload is at another address: ${error.target.href}`);
  });
  const { tag: _, ...rest } = media;
  // A proxy may leave out the length of an answer without a body.
  const size = headers['content-length'] === undefined ? (version.size ?? 0) : media.size;
  return { version, fileName: safeFileName(headers['content-disposition']), ...rest, size };
}

/** @param name path below site_media/ */
export async function fetchMediaFile(http: Http, name: string): Promise<Media> {
  const names = name.split('/');
  if (names.some((one) => one === '' || one.startsWith('.'))) throw new NotFoundError();
  return (await fetchHead(http, `/${mediaPath(names.map(encodeURIComponent).join('/'))}`)).media;
}

/** A file as a HEAD request describes it. Its bytes are requested when they are read. */
async function fetchHead(http: Http, path: string) {
  const { headers, body } = await http.request({ method: 'HEAD', path });
  body.destroy();
  const etag = headers.etag ?? '';
  const media: Media = {
    mediaType: headers['content-type'] ?? 'application/octet-stream',
    size: Number(headers['content-length'] ?? 0),
    modified: new Date(headers['last-modified'] ?? 0),
    tag: etag.replaceAll('"', ''),
    stream: (range) => streamOnDemand((signal) => readBytes(http, path, etag, range, signal)),
    close: async () => {},
  };
  return { media, headers };
}

/** Both ends are included, as in the Range header. */
interface ByteRange {
  readonly start: number;
  readonly end: number;
}

/** Bytes of a file, or none if it has changed since (If-Match: RFC 9110, section 13.1.1). */
async function* readBytes(
  http: Http,
  path: string,
  etag: string,
  range: ByteRange | undefined,
  signal: AbortSignal,
): AsyncGenerator<Uint8Array, void, undefined> {
  const headers = {
    ...(etag && { 'if-match': etag }),
    ...(range && { range: `bytes=${range.start}-${range.end}` }),
  };
  const { status, body } = await http.request({ path, headers, signal });
  // A server may ignore the range, or send more than was requested.
  const isPartial = status === 206;
  yield* range ? sliceOf(body, isPartial ? { start: 0, end: range.end - range.start } : range) : body;
}

async function* sliceOf(
  body: AsyncIterable<Uint8Array>,
  { start, end }: ByteRange,
): AsyncGenerator<Uint8Array, void, undefined> {
  let at = 0;
  for await (const chunk of body) {
    const slice = chunk.subarray(Math.max(0, start - at), Math.max(0, end + 1 - at));
    if (slice.length) yield slice;
    at += chunk.length;
    if (at > end) return;
  }
}

/** Control characters, marks of text direction, and characters with a meaning in the file names of some systems. */
const unsafe = /[\p{C}<>:"|?*]/gu;

/** File name from a Content-Disposition header: without folders, and not hidden, since programs obey hidden files. */
function safeFileName(disposition = ''): string {
  try {
    const { filename = '' } = parse(disposition).parameters as Readonly<Record<string, string>>;
    const name = filename.split(/[/\\]/).at(-1) ?? '';
    return name.replace(unsafe, '_').replace(/^[.\s]+/, '') || 'download';
  } catch {
    return 'download';
  }
}

const noChanges = { added: [], dropped: [], retyped: [] };

/**
 * Uploads a new version as a raw body, with its details in the query string; or as a form, if there are details that are
 * known only when the bytes have been read. It is not retried, since a second request could make a second version.
 * @param before the dataset before the upload, to report changes of its columns
 * @param query parameters of the write
 * @param reload gets the dataset after the upload
 */
export async function sendUpload(
  http: Http,
  before: Dataset,
  upload: Upload,
  query: readonly (readonly [string, string])[],
  reload: () => Promise<Dataset>,
): Promise<Published> {
  const { source, mediaType, details, onProgress, signal, reading = {} } = upload;
  const name = upload.fileName ?? (typeof source === 'string' ? basename(source) : undefined);
  const bytes = passWithProgress(typeof source === 'string' ? readFile(source) : source, onProgress);
  const refused = new AbortController();
  const known = fieldsOf(upload);
  const form =
    details && formOf(bytes, { name, mediaType }, async () => [...known, ...fieldsOf(await details())], refused);
  const request = {
    method: 'POST' as const,
    path: `${apiPath(refOfEntity<'dataset'>(before))}version/`,
    // Options for reading come before the bytes, also of a form.
    query: [
      ...query,
      ...readingOptionTexts(reading),
      ...(form ? [] : [...(name === undefined ? [] : [['name', name] as const]), ...known]),
    ],
    headers: { 'content-type': form?.type ?? mediaType ?? 'application/octet-stream' },
    body: Readable.from(form?.body ?? bytes, { objectMode: false }),
    signal: form ? AbortSignal.any([refused.signal, ...(signal ? [signal] : [])]) : signal,
  };
  const { status, value } = await http.requestJson(request, answers.version).catch(throwIfEmpty);
  const version = read.version(value);
  const created = status === 201;
  // An older server doesn't tell the changes.
  const { changes, remarks } = valueOfShape(answers.published, value);
  const compare = async () => compareColumns(before.columns, (await reload()).columns);
  return {
    ...{ version, created, remarks: remarks ?? [] },
    changes: created ? ((changes as ColumnChanges | null | undefined) ?? (await compare())) : noChanges,
  };
}

/** Throws the error of an upload. A server takes an empty file for none; locally, it is said to be empty. */
function throwIfEmpty(error: unknown): never {
  const isEmpty = error instanceof ValidationError && error.fields.file?.includes('No file was submitted.');
  throw isEmpty ? new ValidationError({ file: ['the file is empty: it has 0 bytes'] }) : error;
}

/**
 * The bytes of a file, which is opened when they are first asked for: of a stream that is opened before the connection is
 * made, an error would be uncaught, and end the process.
 */
async function* readFile(path: string): AsyncGenerator<Buffer, void, undefined> {
  yield* createReadStream(path) as AsyncIterable<Buffer>;
}

type Fields = readonly (readonly [name: string, value: string])[];

/** The fields of an upload, as the server reads them from a query string or a form. */
function fieldsOf({ checksum, label, notes, metadata, ready, force, replace, renames = [] }: UploadDetails): Fields {
  const given = Object.entries({ checksum, label, notes, metadata, ready, force, replace })
    .filter(([, value]) => value !== undefined)
    .map(([name, value]) => [name, String(value)] as const);
  return [...given, ...renames.map(({ from, to }) => ['rename', `${from}=${to}`] as const)];
}

/**
 * A multipart form (RFC 7578) whose fields stand behind its file.
 * @param refused aborted with the reason if the details reject
 */
function formOf(
  bytes: AsyncIterable<Uint8Array>,
  {
    name = 'file',
    mediaType = 'application/octet-stream',
  }: { readonly name: string | undefined; readonly mediaType: string | undefined },
  details: () => Promise<Fields>,
  refused: AbortController,
) {
  const boundary = randomUUID();
  const quoted = (text: string) => text.replace(/["\r\n]/g, (character) => encodeURIComponent(character));
  const head = (more: string) => Buffer.from(`--${boundary}\r\nContent-Disposition: form-data; ${more}\r\n\r\n`);
  async function* body(): AsyncGenerator<Uint8Array, void, undefined> {
    yield head(`name="file"; filename="${quoted(name)}"\r\nContent-Type: ${quoted(mediaType)}`);
    yield* bytes;
    const found = await details().catch((error) => {
      refused.abort(error);
      throw error;
    });
    for (const [field, value] of found) {
      yield Buffer.from('\r\n');
      yield head(`name="${field}"`);
      yield Buffer.from(value);
    }
    yield Buffer.from(`\r\n--${boundary}--\r\n`);
  }
  return { type: `multipart/form-data; boundary=${boundary}`, body: body() };
}
