/**
 * From a payload's bytes to its text: inflated where it is gzipped (RFC 1952), and in UTF-8 whatever it was written in.
 */
import { isAscii, isUtf8 } from 'node:buffer';
import { pipeline, Readable } from 'node:stream';
import { createGunzip } from 'node:zlib';
import { PayloadError } from '../errors.ts';
import { freeInflation, maxInflation } from '../limits.ts';

export const isGzip = (head: Uint8Array): boolean => head[0] === 0x1f && head[1] === 0x8b;

/**
 * Inflates, a chunk at a time.
 * @throws PayloadError where the stream is broken or cut off, or inflates beyond `maxInflation` (a gzip bomb).
 */
export async function* gunzip(chunks: AsyncIterable<Buffer>): AsyncGenerator<Buffer, void, undefined> {
  let taken = 0;
  let given = 0;
  let failure: unknown;
  async function* counted() {
    try {
      for await (const chunk of chunks) {
        taken += chunk.length;
        yield chunk;
      }
    } catch (error) {
      failure = error;
      throw error;
    }
  }
  const inflate = createGunzip({ chunkSize: 256 * 1024 });
  const settled = new Promise<void>((resolve) => {
    pipeline(Readable.from(counted(), { objectMode: true, highWaterMark: 1 }), inflate, () => resolve());
  });
  try {
    for await (const chunk of inflate) {
      given += chunk.length;
      if (given > freeInflation && given > taken * maxInflation) {
        throw new PayloadError(`inflates to more than ${maxInflation} times its size`, { byte: given });
      }
      yield chunk;
    }
  } catch (error) {
    if (failure !== undefined) throw failure;
    if ((error as NodeJS.ErrnoException).code?.startsWith('Z_')) {
      throw new PayloadError(`the gzip stream is broken: ${(error as Error).message}`, { byte: taken });
    }
    throw error;
  } finally {
    inflate.destroy();
    await settled;
  }
}

export type Encoding = 'utf-8' | 'utf-16le' | 'utf-16be' | 'windows-1252';

/** What `toUtf8` found out; complete after the last chunk. */
export interface Decoded {
  encoding: Encoding;
  /** Length of the byte order mark that was left out, in bytes. */
  mark: number;
}

/**
 * The same text in UTF-8 without a byte order mark. A mark, or zero bytes in every other place, tell UTF-16. Otherwise
 * the first bytes beyond ASCII decide: valid UTF-8, or else Windows-1252 (which has every byte of Latin-1's letters).
 * The chunks are handed on untouched where they are UTF-8 already.
 * @throws PayloadError where text that began as UTF-8 goes on as something else.
 */
export async function* toUtf8(chunks: AsyncIterable<Buffer>, found: Decoded): AsyncGenerator<Buffer, void, undefined> {
  let decode: ((chunk: Buffer) => Buffer) | undefined;
  let certain = false;
  let position = 0;
  let rest: Buffer = Buffer.alloc(0);
  for await (const read of chunks) {
    let chunk = rest.length === 0 ? read : Buffer.concat([rest, read]);
    rest = chunk.subarray(chunk.length);
    if (position === 0) {
      if (chunk.length < 4 && chunk === read) {
        rest = chunk;
        continue;
      }
      found.encoding = sniffEncoding(chunk);
      found.mark = markLength(chunk);
      chunk = chunk.subarray(found.mark);
      position = found.mark;
      if (found.encoding.startsWith('utf-16')) {
        const decoder = new TextDecoder(found.encoding);
        decode = (bytes) => Buffer.from(decoder.decode(bytes, { stream: true }));
      }
    }
    if (decode === undefined && !isAscii(chunk)) {
      const whole = chunk.length - unfinished(chunk);
      if (isUtf8(chunk.subarray(0, whole))) {
        certain ||= !isAscii(chunk.subarray(0, whole));
        rest = chunk.subarray(whole);
        chunk = chunk.subarray(0, whole);
      } else {
        const valid = firstInvalid(chunk);
        if (certain || !isAscii(chunk.subarray(0, valid))) {
          throw new PayloadError('the text is not valid UTF-8', { byte: position + valid });
        }
        found.encoding = 'windows-1252';
        decode = fromWindows1252;
      }
    }
    position += chunk.length;
    yield decode ? decode(chunk) : chunk;
  }
  if (rest.length > 0) {
    if (certain && !isUtf8(rest))
      throw new PayloadError('the text ends in the middle of a character', { byte: position });
    if (!isUtf8(rest)) found.encoding = 'windows-1252';
    if (position === 0) found.mark = markLength(rest);
    yield isUtf8(rest) ? rest.subarray(position === 0 ? found.mark : 0) : fromWindows1252(rest);
  }
}

function sniffEncoding(head: Buffer): Encoding {
  if (head[0] === 0xff && head[1] === 0xfe) return 'utf-16le';
  if (head[0] === 0xfe && head[1] === 0xff) return 'utf-16be';
  if (head[0] !== 0 && head[1] === 0 && head[2] !== 0 && head[3] === 0) return 'utf-16le';
  if (head[0] === 0 && head[1] !== 0 && head[2] === 0 && head[3] !== 0) return 'utf-16be';
  return 'utf-8';
}

function markLength(head: Buffer): number {
  if (head[0] === 0xef && head[1] === 0xbb && head[2] === 0xbf) return 3;
  return (head[0] === 0xff && head[1] === 0xfe) || (head[0] === 0xfe && head[1] === 0xff) ? 2 : 0;
}

/** Bytes at the end that begin a character of UTF-8 and don't finish it. */
function unfinished(chunk: Buffer): number {
  for (let back = 1; back <= 3 && back <= chunk.length; back++) {
    const byte = chunk[chunk.length - back] as number;
    if (byte < 0x80) return 0;
    if (byte >= 0xc0) return back < (byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : 2) ? back : 0;
  }
  return 0;
}

/** Where the first byte lies that is not UTF-8: by halving. */
function firstInvalid(chunk: Buffer): number {
  let low = 0;
  let high = chunk.length;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    const part = chunk.subarray(0, middle);
    if (isUtf8(part.subarray(0, part.length - unfinished(part)))) low = middle;
    else high = middle - 1;
  }
  return low - unfinished(chunk.subarray(0, low));
}

/** 0x80 to 0x9F of Windows-1252, as the WHATWG Encoding Standard maps them. Done here: Node versions differ. */
const upper = '€\u0081‚ƒ„…†‡ˆ‰Š‹Œ\u008dŽ\u008f\u0090‘’“”•–—˜™š›œ\u009džŸ';

function fromWindows1252(chunk: Buffer): Buffer {
  const text = chunk.toString('latin1').replace(/[\u0080-\u009f]/g, (c) => upper[c.charCodeAt(0) - 0x80] as string);
  return Buffer.from(text);
}
