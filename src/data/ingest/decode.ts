/** Decoding a payload: gzip (RFC 1952) is inflated, and text in other encodings converted to UTF-8. */

import { isAscii, isUtf8 } from 'node:buffer';
import { pipeline, Readable } from 'node:stream';
import { createGunzip } from 'node:zlib';
import { excerpt } from '../../catalogue/errors.ts';
import { PayloadError } from '../errors.ts';
import { decodeWindows1252 } from '../formats/code-pages.ts';
import { freeInflation, maxInflation } from '../limits.ts';
import { peekStream } from './payload-stream.ts';

export const isGzip = (head: Uint8Array): boolean => head[0] === 0x1f && head[1] === 0x8b;

/**
 * Inflates a gzip stream.
 * @throws PayloadError if the stream is broken or truncated, or inflates beyond `maxInflation` (a gzip bomb)
 */
export async function* gunzip(chunks: AsyncIterable<Buffer>): AsyncGenerator<Buffer, void, undefined> {
  let bytesIn = 0;
  let bytesOut = 0;
  let sourceError: unknown;
  async function* counted() {
    try {
      for await (const chunk of chunks) {
        bytesIn += chunk.length;
        yield chunk;
      }
    } catch (error) {
      sourceError = error;
      throw error;
    }
  }
  const inflate = createGunzip({ chunkSize: 256 * 1024 });
  const finished = new Promise<void>((resolve) => {
    pipeline(Readable.from(counted(), { objectMode: true, highWaterMark: 1 }), inflate, () => resolve());
  });
  try {
    for await (const chunk of inflate) {
      bytesOut += chunk.length;
      if (bytesOut > freeInflation && bytesOut > bytesIn * maxInflation) {
        throw new PayloadError(`inflates to more than ${maxInflation} times its size`, { byte: bytesOut });
      }
      yield chunk;
    }
  } catch (error) {
    if (sourceError !== undefined) throw sourceError;
    if ((error as NodeJS.ErrnoException).code?.startsWith('Z_')) {
      throw new PayloadError(`the gzip stream is broken: ${(error as Error).message}`, { byte: bytesIn });
    }
    throw error;
  } finally {
    inflate.destroy();
    await finished;
  }
}

/** Name of an encoding (WHATWG Encoding Standard). */
export type Encoding = string;

/** Encodings that people may have to name: no test distinguishes one from another for certain. */
export const encodingsToName =
  '--encoding iso-8859-2 (Central Europe), windows-1251 (Cyrillic), macintosh (Excel for Mac), shift_jis or euc-jp (Japanese), gb18030 or big5 (Chinese)';

/** Facts that `decodeToUtf8` fills in; complete after the last chunk. */
export interface DetectedEncoding {
  encoding: Encoding;
  /** Length of the byte order mark, which is removed, in bytes. */
  bomLength: number;
}

/**
 * Converts text to UTF-8 without a byte order mark. UTF-16 is recognized by its mark, or by zero bytes in every other
 * place. Otherwise the first non-ASCII bytes decide: UTF-8 if they are valid, else Windows-1252 (which has all letters
 * of Latin-1). Chunks that are UTF-8 already are passed on as they are.
 * @throws PayloadError if text that begins as UTF-8 or UTF-16 contains something else
 */
export async function* decodeToUtf8(
  bytes: AsyncGenerator<Buffer, void, undefined>,
  detected: DetectedEncoding,
): AsyncGenerator<Buffer, void, undefined> {
  const { head, chunks } = await peekStream(bytes, 4);
  detected.encoding = sniffEncoding(head);
  if (detected.encoding !== 'utf-8') return yield* decodeFromEncoding(detected.encoding, chunks, detected);
  detected.bomLength = byteOrderMarkLength(head);
  let isWindows1252 = false;
  let isUtf8Text = false;
  let position = 0;
  let rest: Buffer = Buffer.alloc(0);
  for await (const read of chunks) {
    let chunk = rest.length === 0 ? read : Buffer.concat([rest, read]);
    rest = chunk.subarray(chunk.length);
    if (position === 0) {
      if (chunk.length < detected.bomLength) {
        rest = chunk;
        continue;
      }
      chunk = chunk.subarray(detected.bomLength);
      position = detected.bomLength;
    }
    if (!isWindows1252 && !isAscii(chunk)) {
      const complete = chunk.length - incompleteSuffixLength(chunk);
      if (isUtf8(chunk.subarray(0, complete))) {
        isUtf8Text ||= !isAscii(chunk.subarray(0, complete));
        rest = chunk.subarray(complete);
        chunk = chunk.subarray(0, complete);
      } else {
        const valid = firstInvalidByte(chunk);
        if (isUtf8Text || !isAscii(chunk.subarray(0, valid))) {
          const advice = `If it is in another encoding, name it: ${encodingsToName}, or windows-1252`;
          throw new PayloadError(`the text is not valid UTF-8. ${advice}`, { byte: position + valid });
        }
        isWindows1252 = true;
      }
    }
    position += chunk.length;
    yield isWindows1252 ? fromWindows1252(chunk) : chunk;
  }
  if (rest.length > 0) {
    if (isUtf8Text) throw new PayloadError('the text ends in the middle of a character', { byte: position });
    isWindows1252 = true;
    yield fromWindows1252(rest);
  }
  if (isWindows1252) detected.encoding = 'windows-1252';
}

/**
 * Converts text of a known encoding to UTF-8 without a byte order mark.
 * @param label label of the encoding (WHATWG Encoding Standard)
 * @throws PayloadError if the bytes are not text in that encoding, or no encoding has the label
 */
export async function* decodeFromEncoding(
  label: string,
  bytes: AsyncGenerator<Buffer, void, undefined>,
  detected: DetectedEncoding,
): AsyncGenerator<Buffer, void, undefined> {
  let decoder = decoderOf(label);
  const { head, chunks } = await peekStream(bytes, 3);
  const markLength = byteOrderMarkLength(head);
  const isUtf16 = decoder.encoding.startsWith('utf-16');
  // A mark says the order of bytes (RFC 2781, 3.2); without one, `utf-16` is little-endian (WHATWG).
  if (isUtf16 && markLength === 2) decoder = decoderOf(sniffEncoding(head));
  detected.encoding = decoder.encoding;
  if (isUtf16 ? markLength === 2 : decoder.encoding === 'utf-8' && markLength === 3) detected.bomLength = markLength;
  const isWindows1252 = decoder.encoding === 'windows-1252';
  let position = 0;
  try {
    for await (const chunk of chunks) {
      yield isWindows1252 ? fromWindows1252(chunk) : Buffer.from(decoder.decode(chunk, { stream: true }));
      position += chunk.length;
    }
    if (!isWindows1252) yield Buffer.from(decoder.decode());
  } catch (error) {
    if (error instanceof TypeError) throw new PayloadError(`the text is not valid ${label}`, { byte: position });
    throw error;
  }
}

function decoderOf(label: string): TextDecoder {
  try {
    return new TextDecoder(label, { fatal: true });
  } catch {
    throw new PayloadError(`there is no encoding "${excerpt(label)}"`);
  }
}

function sniffEncoding(head: Buffer): Encoding {
  if (head[0] === 0xff && head[1] === 0xfe) return 'utf-16le';
  if (head[0] === 0xfe && head[1] === 0xff) return 'utf-16be';
  if (head[0] !== 0 && head[1] === 0 && head[2] !== 0 && head[3] === 0) return 'utf-16le';
  if (head[0] === 0 && head[1] !== 0 && head[2] === 0 && head[3] !== 0) return 'utf-16be';
  return 'utf-8';
}

function byteOrderMarkLength(head: Buffer): number {
  if (head[0] === 0xef && head[1] === 0xbb && head[2] === 0xbf) return 3;
  return (head[0] === 0xff && head[1] === 0xfe) || (head[0] === 0xfe && head[1] === 0xff) ? 2 : 0;
}

/** Number of bytes at the end that are an incomplete UTF-8 character. */
function incompleteSuffixLength(chunk: Buffer): number {
  for (let back = 1; back <= 3 && back <= chunk.length; back++) {
    const byte = chunk[chunk.length - back] as number;
    if (byte < 0x80) return 0;
    if (byte >= 0xc0) return back < (byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : 2) ? back : 0;
  }
  return 0;
}

/** Offset of the first byte that is not UTF-8, by binary search. */
function firstInvalidByte(chunk: Buffer): number {
  let low = 0;
  let high = chunk.length;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    const part = chunk.subarray(0, middle);
    if (isUtf8(part.subarray(0, part.length - incompleteSuffixLength(part)))) low = middle;
    else high = middle - 1;
  }
  return low - incompleteSuffixLength(chunk.subarray(0, low));
}

const fromWindows1252 = (chunk: Buffer): Buffer => Buffer.from(decodeWindows1252(chunk));
