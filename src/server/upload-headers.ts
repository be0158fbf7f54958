/** What the headers of an upload say of its payload: media type, file name, options for reading, checksum. */

import { parse } from 'content-disposition';
import type { ParameterizedContext } from 'koa';
import type { Version } from '../catalogue/types.ts';
import { BadRequestError, UnsupportedMediaTypeError } from './errors.ts';

const formType = 'application/x-www-form-urlencoded';

const remedy =
  'Send the media type of the file, such as Content-Type: text/csv, or its name: ?name=trees.csv, or a multipart form: curl -F file=@trees.csv.';

/**
 * The media type of raw bytes, with its parameters; undefined if the client says none. That of a form, which curl sends
 * by itself, says nothing about a file.
 * @throws UnsupportedMediaTypeError if a file name doesn't say more
 */
export function payloadMediaType(ctx: ParameterizedContext, fileName: string | undefined): string | undefined {
  const type = ctx.get('Content-Type');
  if (baseType(type) !== formType) return type || undefined;
  if (fileName === undefined) throw new UnsupportedMediaTypeError(type, remedy);
  return undefined;
}

/** A warning that a payload is kept without rows because nothing says what it is; none if something does. */
export function unknownFormatWarnings(
  { rows, format }: Pick<Version, 'rows' | 'format'>,
  mediaType: string | undefined,
): readonly string[] {
  const saysNothing = ['', 'application/octet-stream', 'text/plain'].includes(baseType(mediaType ?? ''));
  if (rows !== null || format !== '' || !saysNothing) return [];
  return [`Neither a media type nor a file name says what these bytes are: they are kept without rows. ${remedy}`];
}

/** The name of the file in Content-Disposition (RFC 6266); undefined without one. */
export function fileNameInHeader(ctx: ParameterizedContext): string | undefined {
  const header = ctx.get('Content-Disposition');
  try {
    return (parse(header).parameters as Readonly<Record<string, string>>).filename;
  } catch {
    return /filename="([^"]*)"/i.exec(header)?.[1];
  }
}

/**
 * The options for reading in the parameters of a media type of text: `charset`, and `header` of CSV (RFC 4180, section 3).
 * UTF-8 is recognized, and only replaces another encoding that the dataset remembers.
 * @returns names and texts, as `parseReadingOptions` takes them
 */
export function readingInMediaType(mediaType: string | undefined): readonly (readonly [string, string])[] {
  const type = baseType(mediaType ?? '');
  if (!type.startsWith('text/') && type !== 'application/csv') return [];
  const [charset, header] = [parameterOf(mediaType, 'charset'), parameterOf(mediaType, 'header')];
  const isKnown = charset && !['binary', 'unknown-8bit'].includes(charset);
  return [
    ...(isKnown ? [['encoding', /^(?:utf-?8|us-ascii)$/.test(charset) ? '' : charset] as const] : []),
    ...(header === 'present' || header === 'absent' ? [['header', String(header === 'present')] as const] : []),
  ];
}

export const checksumNeeded = 'Send the checksum of the bytes: Repr-Digest: sha-256=:<base64 of the SHA-256>:';

/**
 * The SHA-256 of the bytes in hexadecimal, from Repr-Digest (RFC 9530); undefined if the header has none.
 * @throws BadRequestError if it is malformed
 */
export function checksumInHeader(ctx: ParameterizedContext): string | undefined {
  const header = ctx.get('Repr-Digest');
  if (!/(?:^|,)\s*sha-256\s*=/i.test(header)) return undefined;
  const digest = /(?:^|,)\s*sha-256=:([A-Za-z0-9+/]{43}=):/.exec(header)?.[1];
  if (digest === undefined) throw new BadRequestError(checksumNeeded);
  return Buffer.from(digest, 'base64').toString('hex');
}

const baseType = (mediaType: string): string => mediaType.split(';')[0]?.trim().toLowerCase() ?? '';

/** A parameter of a media type, in lower case. */
function parameterOf(mediaType = '', name: string): string | undefined {
  const found = new RegExp(`;\\s*${name}\\s*=\\s*(?:"([^"]*)"|([^;\\s]*))`, 'i').exec(mediaType);
  return (found?.[1] ?? found?.[2])?.trim().toLowerCase();
}
