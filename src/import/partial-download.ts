/**
 * Bodies of answers as files. What an interrupted download left is kept, and completed by a range request that the server
 * answers with the rest if the file is still the same (RFC 9110, sections 13.1.5 and 14).
 */
import { createReadStream, createWriteStream } from 'node:fs';
import { readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { pipeline } from 'node:stream/promises';
import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib';
import { ValidationError } from '../catalogue/errors.ts';
import { errorCode } from '../disk/durable.ts';
import { toUnavailableError } from '../disk/not-writable.ts';
import { fileNameOf } from './file-name.ts';

/** The part of an answer's head that is kept with its body. */
export interface AnswerHead {
  /** After redirects. */
  readonly address: string;
  /** Without parameters, in lower case. */
  readonly mediaType: string;
  /** Parameter of the media type; missing if there is none. */
  readonly charset?: string;
  /** From its Content-Disposition; missing if that has no good one. */
  readonly fileName?: string;
  readonly etag?: string;
  readonly lastModified?: string;
  /** Content-Encoding; '' if there is none. */
  readonly coding: string;
  /** Value for If-Range; '' if the answer can't be resumed. */
  readonly validator: string;
}

/** The beginning of a body that an interrupted download left. */
export interface Part {
  readonly head: AnswerHead;
  /** Bytes that are there, as they were sent. */
  readonly size: number;
}

interface StoreOptions {
  readonly maxSize: number;
  /** Bytes that are there already; the body is what follows them. */
  readonly offset?: number;
  /** Number of bytes of the whole body, as it is sent. */
  readonly wholeSize?: number;
  /** True if the answer says where it ends (RFC 9112, section 6.3): then a body that arrived is complete. */
  readonly isDelimited?: boolean;
  readonly onProgress?: ((address: string, bytes: number) => void) | undefined;
}

/** The head of an answer with a body. @param header value of a header by its name in lower case; '' if it is missing */
export function answerHead(address: string, header: (name: string) => string): AnswerHead {
  const etag = header('etag');
  const lastModified = header('last-modified');
  const charset = /;\s*charset="?([\w.:-]{1,40})/i.exec(header('content-type'))?.[1];
  const fileName = fileNameOf(header('content-disposition'));
  return {
    address,
    mediaType: header('content-type').split(';')[0]?.trim().toLowerCase() ?? '',
    coding: header('content-encoding'),
    validator: header('accept-ranges') === 'none' ? '' : strongValidator(etag, lastModified, header('date')),
    ...(charset && { charset }),
    ...(fileName && { fileName }),
    ...(etag && { etag }),
    ...(lastModified && { lastModified }),
  };
}

/** The validator for which bytes are the same (RFC 9110, section 8.8.2.2); '' if there is none. */
function strongValidator(etag: string, lastModified: string, date: string): string {
  if (etag) return etag.startsWith('W/') ? '' : etag;
  return Date.parse(date) - Date.parse(lastModified) >= 1000 ? lastModified : '';
}

/**
 * True if the validators of an answer are those of an address, and not of another to which a redirect leads now: many files may
 * have one date. An ETag stays that of its file at addresses that are signed anew each time, in their query.
 */
export const isValidFor = (head: Pick<AnswerHead, 'address' | 'etag'>, address: string): boolean =>
  head.etag ? withoutQuery(head.address) === withoutQuery(address) : head.address === address;

const withoutQuery = (address: string): string => address.split('?')[0] ?? '';

/** The part of a body that is there; null if there is none. @param stem path without extension */
export async function findPart(stem: string): Promise<Part | null> {
  try {
    const head = JSON.parse(await readFile(`${stem}.part.json`, 'utf8')) as AnswerHead;
    const { size } = await stat(`${stem}.part`);
    return size > 0 && head.validator ? { head, size } : null;
  } catch {
    return null;
  }
}

export const rangeHeaders = ({ head, size }: Part): Record<string, string> => ({
  range: `bytes=${size}-`,
  'if-range': head.validator,
});

/**
 * Number of bytes of the whole body, from the head of an answer (206) with the rest of a part; null if the answer begins
 * with another byte, is of another file than the part, or doesn't say the number: then nothing would show that bytes are missing.
 * @param header value of a header by its name in lower case; '' if it is missing
 */
export function wholeSize(header: (name: string) => string, part: Part): number | null {
  const [, start = '', whole = ''] = /^bytes (\d+)-\d+\/(\d+)$/i.exec(header('content-range')) ?? [];
  return start !== '' && Number(start) === part.size && isOfSameFile(header, part.head) ? Number(whole) : null;
}

/** False if an answer names another state of the file than a part (RFC 9110, section 15.3.7.3), as of servers that ignore If-Range. */
function isOfSameFile(header: (name: string) => string, { etag, lastModified, coding }: AnswerHead): boolean {
  const otherCoding = header('content-encoding') !== '' && header('content-encoding') !== coding;
  if (otherCoding) return false;
  if (etag && header('etag')) return header('etag') === etag;
  return !lastModified || !header('last-modified') || header('last-modified') === lastModified;
}

export async function removePart(stem: string): Promise<void> {
  for (const extension of ['.part.json', '.part']) await rm(stem + extension, { force: true });
}

/**
 * Stores a body, decoded, as the file `<stem>.body`. If it breaks off, its beginning stays, if it can be completed.
 * @throws ValidationError if it is too large, or arrived as a whole and can't be decoded; UnavailableError if the disk is
 *   full or not writable; the error of the body
 */
export async function storeBody(
  body: AsyncIterable<Buffer>,
  head: AnswerHead,
  stem: string,
  { maxSize, offset = 0, wholeSize, isDelimited = true, onProgress }: StoreOptions,
): Promise<void> {
  const { address, coding, validator } = head;
  const counted = (start: number, report: typeof onProgress) =>
    async function* (chunks: AsyncIterable<Buffer>) {
      let size = start;
      for await (const chunk of chunks) {
        size += chunk.length;
        if (size > maxSize) throw new ValidationError({ source: [`${address} has more than ${maxSize} bytes.`] });
        report?.(address, size);
        yield chunk;
      }
    };
  const part = `${stem}.part`;
  if (offset === 0) {
    // The old part must never be taken for one of the new file.
    await removePart(stem);
    await writeFile(`${part}.json`, JSON.stringify(head), { mode: 0o600 });
  }
  try {
    await pipeline(body, counted(offset, onProgress), createWriteStream(part, { mode: 0o600, flags: 'a' }));
    if (wholeSize !== undefined) await assertWhole(stem, wholeSize);
  } catch (error) {
    if (!validator || error instanceof ValidationError) await removePart(stem);
    throw toUnavailableError(error, part);
  }
  const decoder = decoderOf(coding);
  const decoded = `${stem}.decoded`;
  try {
    if (decoder)
      await pipeline(
        createReadStream(part),
        decoder,
        counted(0, undefined),
        createWriteStream(decoded, { mode: 0o600 }),
      );
    await rename(decoder ? decoded : part, `${stem}.body`);
  } catch (error) {
    // What was put together of parts, or ended with its connection, may be whole the next time.
    if (!isDecodingError(error) || offset > 0 || !isDelimited) throw toUnavailableError(error, decoded);
    const reason = `it is sent as ${coding}, but can't be decoded (${error.message})`;
    throw new ValidationError({ source: [`${address}: ${reason}. The file is broken at the source.`] });
  } finally {
    await rm(decoded, { force: true });
    await removePart(stem);
  }
}

/** @throws Error if bytes are missing, or if there are too many: then nothing of the part is kept */
async function assertWhole(stem: string, wholeSize: number): Promise<void> {
  const { size } = await stat(`${stem}.part`);
  if (size === wholeSize) return;
  if (size > wholeSize) await removePart(stem);
  throw new Error(`${size} of ${wholeSize} bytes arrived`);
}

/** True for an error of zlib or Brotli. */
const isDecodingError = (error: unknown): error is Error => /^Z_|^ERR_(?:BROTLI_)?_/.test(errorCode(error));

function decoderOf(coding: string) {
  if (/^(?:x-)?gzip$/i.test(coding)) return createGunzip();
  if (/^deflate$/i.test(coding)) return createInflate();
  return /^br$/i.test(coding) ? createBrotliDecompress() : null;
}
