/** Bodies of requests: JSON, forms and multipart forms, with the errors of Django REST Framework. */
import type { ParameterizedContext } from 'koa';
import type { Input, WritableKind } from '../catalogue/catalogue.ts';
import { ValidationError } from '../catalogue/errors.ts';
import { pythonTypeName } from '../catalogue/input.ts';
import { BadRequestError, TooLargeError, UnsupportedMediaTypeError } from './errors.ts';
import { type FormEntries, fieldsFromEntries, inputFromForm } from './forms.ts';
import { assertContentLength, clearBodyTimeout } from './limits.ts';
import { mostParts, readMultipartFormWithImages } from './multipart.ts';

/** The largest body of fields, in bytes; and of a user name and a password, which anybody may send. */
const largestInput = 2 * 1024 * 1024;
export const largestCredentials = 128 * 1024;

/** The media type of a body, without parameters; null if there is no body. */
export function bodyType(ctx: ParameterizedContext): string | null {
  const { 'content-length': length, 'transfer-encoding': coding } = ctx.req.headers;
  if (coding === undefined && (length === undefined || Number(length) === 0)) return null;
  return ctx.get('Content-Type').split(';')[0]?.trim().toLowerCase() ?? '';
}

/**
 * Refuses a compressed body: its bytes would be taken for a payload, or for text (RFC 9110, section 8.4). Of transfer codings, Node
 * undoes the last one only, which is `chunked` (RFC 9112, section 6.1).
 * @throws UnsupportedMediaTypeError
 */
export function assertNotCompressed(ctx: ParameterizedContext): void {
  for (const [header, plain] of [
    ['Content-Encoding', 'identity'],
    ['Transfer-Encoding', 'chunked'],
  ] as const) {
    const coding = ctx.get(header).trim();
    if (coding !== '' && coding.toLowerCase() !== plain)
      throw new UnsupportedMediaTypeError(`${header}: ${coding}`, 'Send the body uncompressed.');
  }
}

/** Refuses a part of a body, which would replace the whole (RFC 9110, section 14.5). @throws BadRequestError */
export function assertNoContentRange(ctx: ParameterizedContext): void {
  if (ctx.get('Content-Range') !== '')
    throw new BadRequestError('Parts are not written: send the whole body, without Content-Range.');
}

/**
 * The fields in a body; no body means no fields.
 * @param kind of the entity: a form alone doesn't tell which fields are lists, and which files are images
 * @param largest limit in bytes
 * @throws UnsupportedMediaTypeError, BadRequestError, TooLargeError; ValidationError if the body isn't an object
 */
export async function readInputBody(
  ctx: ParameterizedContext,
  kind?: WritableKind,
  largest = largestInput,
): Promise<Input> {
  const input = await readFields(ctx, kind, largest);
  return kind ? assertInputWithoutDryRun(input) : input;
}

async function readFields(ctx: ParameterizedContext, kind: WritableKind | undefined, largest: number): Promise<Input> {
  const fields = (entries: FormEntries) => (kind ? inputFromForm(kind, entries) : fieldsFromEntries(entries));
  switch (bodyType(ctx)) {
    case null:
      return {};
    case 'application/json':
      return fieldsOf(await parseJsonBody(ctx, largest));
    case 'application/x-www-form-urlencoded':
      return fields(entriesOfForm(await readTextBody(ctx, largest)));
    case 'multipart/form-data':
      return fields(await readMultipartFormWithImages(ctx, kind, largest));
    default:
      throw new UnsupportedMediaTypeError(ctx.get('Content-Type'));
  }
}

/** Names and values of a form. It has as many as a multipart form has parts. @throws BadRequestError */
function entriesOfForm(text: string): FormEntries {
  if (text.split('&', mostParts + 1).length > mostParts)
    throw new BadRequestError(`The form has more than ${mostParts} fields.`);
  return [...new URLSearchParams(text)];
}

/** Refuses a dry run that is asked for in the body, where it would be a real write. @throws ValidationError */
export function assertInputWithoutDryRun(input: Input): Input {
  if (Object.hasOwn(input, 'dry_run'))
    throw new ValidationError({ dry_run: ['It belongs to the address, and not to the body: send ?dry_run=true.'] });
  return input;
}

/** Refuses a dry run in the body of a removal, which is ignored otherwise. @throws ValidationError */
export async function assertNoDryRunInBody(ctx: ParameterizedContext): Promise<void> {
  if (!['application/json', 'application/x-www-form-urlencoded', 'multipart/form-data'].includes(bodyType(ctx) ?? ''))
    return;
  // A body that can't be read asks for nothing.
  assertInputWithoutDryRun(await readInputBody(ctx).catch(() => ({})));
}

/**
 * A body of JSON, of any type.
 * @param largest limit in bytes
 * @throws UnsupportedMediaTypeError, BadRequestError, TooLargeError
 */
export async function readJsonBody(ctx: ParameterizedContext, largest: number): Promise<unknown> {
  if (bodyType(ctx) !== 'application/json') throw new UnsupportedMediaTypeError(ctx.get('Content-Type'));
  return parseJsonBody(ctx, largest);
}

/**
 * A body of text.
 * @param largest limit in bytes
 * @param problem message for a body in another encoding
 * @throws BadRequestError if it isn't UTF-8; TooLargeError
 */
export async function readTextBody(
  ctx: ParameterizedContext,
  largest = largestInput,
  problem = 'The body is not UTF-8.',
): Promise<string> {
  assertContentLength(ctx.req, largest);
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of ctx.req.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > largest) throw new TooLargeError(largest);
    chunks.push(chunk);
  }
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(Buffer.concat(chunks));
  } catch {
    throw new BadRequestError(problem);
  }
}

async function parseJsonBody(ctx: ParameterizedContext, largest: number): Promise<unknown> {
  const problem = "JSON parse error - 'utf-8' codec can't decode the body: it is not UTF-8";
  const text = await readTextBody(ctx, largest, problem);
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new BadRequestError(`JSON parse error - ${(error as Error).message}`);
  }
}

function fieldsOf(value: unknown): Input {
  if (value === null) throw new ValidationError({ non_field_errors: ['No data provided'] });
  if (typeof value === 'object' && !Array.isArray(value)) return value as Input;
  const type = pythonTypeName(value);
  throw new ValidationError({ non_field_errors: [`Invalid data. Expected a dictionary, but got ${type}.`] });
}

/** Work that may take its time, such as reading an upload; aborted if the client closes the connection before it gets the response. */
export async function whileConnected<T>(
  { req, res }: ParameterizedContext,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  clearBodyTimeout(req);
  const gone = new AbortController();
  const abort = () => gone.abort(new BadRequestError('The connection was cut off.'));
  req.once('close', () => {
    if (!req.complete) abort();
  });
  res.once('close', () => {
    if (!res.writableEnded) abort();
  });
  try {
    return await work(gone.signal);
  } catch (error) {
    // Errors that follow from a closed connection aren't ours to log.
    throw gone.signal.aborted ? gone.signal.reason : error;
  }
}
