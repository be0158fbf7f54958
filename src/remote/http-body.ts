/** Bodies of requests and responses: decoding, JSON, lines, progress. */
import { pipeline, Readable } from 'node:stream';
import { createGunzip } from 'node:zlib';
import { LongAnswerError, UnreachableError } from '../catalogue/errors.ts';
import { connectionError } from './connection-errors.ts';
import { parseUntrustedJson } from './shapes.ts';

/**
 * The decoded bytes of a response. An error in them is explained by `connectionError`.
 * @param coding value of Content-Encoding; gzip is the only one that is requested
 * @param base address of the server, for messages
 */
export function decodeResponseBody(body: Readable, coding: string | undefined, base: string): Readable {
  const decoded = coding === 'gzip' ? pipeline(body, createGunzip(), () => {}) : body;
  const bytes = Readable.from(withExplainedErrors(decoded, base), { objectMode: false });
  // The reader gets the error from the iteration. Without a reader, it must not end the process.
  for (const stream of [decoded, bytes]) stream.on('error', () => {});
  // A body that is destroyed before it was read would keep its connection.
  bytes.once('close', () => body.destroy());
  return bytes;
}

async function* withExplainedErrors(
  body: AsyncIterable<Uint8Array>,
  base: string,
): AsyncGenerator<Uint8Array, void, undefined> {
  try {
    yield* body;
  } catch (error) {
    throw connectionError(base, error);
  }
}

/**
 * A stream of bytes that are requested when they are first read. Its end ends the request: destroying an iteration would first wait for
 * the bytes under way, which a server may never send.
 */
export function streamOnDemand(request: (signal: AbortSignal) => AsyncIterable<Uint8Array>): Readable {
  const ended = new AbortController();
  const stream = Readable.from(request(ended.signal), { objectMode: false });
  const { _destroy: destroy } = stream;
  stream._destroy = (...args) => {
    ended.abort();
    destroy.apply(stream, args);
  };
  return stream;
}

/**
 * The beginning of a text.
 * @param limit in characters; the rest of a longer body is not read
 */
export async function readResponseBeginning(body: AsyncIterable<Uint8Array>, limit: number): Promise<string> {
  const decoder = new TextDecoder();
  let text = '';
  for await (const chunk of body) {
    text += decoder.decode(chunk, { stream: true });
    if (text.length > limit) break;
  }
  return text + decoder.decode();
}

/** In characters and in bytes: of compressed data, the answer may be endless when it is decoded. */
const maxAnswer = 32 * 1024 * 1024;

/**
 * The text of a body.
 * @param limit in characters
 * @throws LongAnswerError
 */
export async function readResponseText(body: AsyncIterable<Uint8Array>, limit = maxAnswer): Promise<string> {
  const text = await readResponseBeginning(body, limit);
  if (text.length > limit) throw longAnswer(limit);
  return text;
}

/** The bytes of a body. @throws LongAnswerError */
export async function readResponseBytes(body: AsyncIterable<Uint8Array>): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of body) {
    size += chunk.length;
    if (size > maxAnswer) throw longAnswer(maxAnswer);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

const longAnswer = (limit: number) =>
  new LongAnswerError(`The answer of the remote is longer than ${limit / 1024 / 1024} MiB, which is the limit.`);

/**
 * The JSON object or array in a response.
 * @param url for the message
 * @throws UnreachableError if the text is something else
 */
export function parseJsonResponse(text: string, url: string): object {
  try {
    const value = parseUntrustedJson(text);
    if (typeof value === 'object' && value !== null) return value;
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
  }
  throw new UnreachableError(`There is no catalogue at ${url}: it answers with something else. Check the address.`);
}

/** In characters; a row may have a large geometry. */
const maxLine = 128 * 1024 * 1024;

/**
 * Lines of newline-delimited text; empty ones are left out.
 * @throws UnreachableError if a line is too long
 */
export async function* readLines(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<string, void, undefined> {
  const decoder = new TextDecoder();
  let rest = '';
  for await (const chunk of bytes) {
    const [first = '', ...lines] = decoder.decode(chunk, { stream: true }).split('\n');
    rest += first;
    if (rest.length > maxLine) throw new UnreachableError('A line of the response is too long.');
    for (const line of lines) {
      if (rest !== '') yield rest;
      rest = line;
    }
  }
  rest += decoder.decode();
  if (rest !== '') yield rest;
}

/** Passes bytes on, and reports their number so far. */
export async function* passWithProgress(
  bytes: AsyncIterable<Uint8Array>,
  onProgress: ((bytes: number) => void) | undefined,
): AsyncGenerator<Uint8Array, void, undefined> {
  let count = 0;
  for await (const chunk of bytes) {
    yield chunk;
    count += chunk.length;
    onProgress?.(count);
  }
}
