/**
 * Text on its way out, as UTF-8 in one buffer that is used again and again. Numbers and short strings are written
 * byte by byte: for pieces of a few characters that is several times faster than a call of Buffer's own methods.
 */
import type { Row } from '../row.ts';
import type { RowsInput } from './types.ts';

/** Greatest integer part for which the seven decimals of `writeDecimals` stay below 15 significant digits. */
const decimalsLimit = 1e8;
const tenMillion = 1e7;
/** Its absolute value is beyond 31 bits. */
const leastInteger = -(2 ** 31);

/** Of characters: beyond it, a call of Buffer's encoder is faster than a loop. */
const longest = 256;

export class TextBuffer {
  /** Open to the tight loops of this folder: `end` is where the next byte goes. */
  bytes: Buffer = Buffer.allocUnsafeSlow(1 << 17);
  end = 0;

  /** Makes room for `size` more bytes. */
  reserve(size: number): void {
    if (this.end + size <= this.bytes.length) return;
    const grown = Buffer.allocUnsafeSlow(Math.max(2 * this.bytes.length, this.end + size));
    this.bytes.copy(grown, 0, 0, this.end);
    this.bytes = grown;
  }

  /** One ASCII character, by its code. */
  byte(code: number): void {
    if (this.end === this.bytes.length) this.reserve(1);
    this.bytes[this.end++] = code;
  }

  /** Bytes that were prepared once: keys, punctuation. */
  prepared(piece: Uint8Array): void {
    const length = piece.length;
    this.reserve(length);
    const bytes = this.bytes;
    let at = this.end;
    for (let i = 0; i < length; i++) bytes[at++] = piece[i] as number;
    this.end = at;
  }

  /** Any text; lone surrogates become U+FFFD. */
  text(text: string): void {
    this.reserve(3 * text.length);
    this.end += this.bytes.write(text, this.end, 'utf8');
  }

  /**
   * Short text, byte by byte, if it has none of the ASCII characters that are marked in `special` (128 flags) and no
   * surrogates; otherwise nothing is written, and the answer is false.
   */
  plain(text: string, special: Uint8Array): boolean {
    const length = text.length;
    if (length > longest) return false;
    this.reserve(3 * length);
    const bytes = this.bytes;
    let at = this.end;
    for (let i = 0; i < length; i++) {
      const code = text.charCodeAt(i);
      if (code < 0x80) {
        if (special[code] === 1) return false;
        bytes[at++] = code;
      } else if (code < 0x800) {
        bytes[at++] = 0xc0 | (code >> 6);
        bytes[at++] = 0x80 | (code & 0x3f);
      } else if (code >= 0xd800 && code < 0xe000) {
        return false;
      } else {
        bytes[at++] = 0xe0 | (code >> 12);
        bytes[at++] = 0x80 | ((code >> 6) & 0x3f);
        bytes[at++] = 0x80 | (code & 0x3f);
      }
    }
    this.end = at;
    return true;
  }

  /** A finite number, exactly as JavaScript prints it. */
  number(value: number): void {
    this.reserve(32);
    if ((value | 0) === value && value !== leastInteger) {
      if (value < 0) this.bytes[this.end++] = 45;
      this.digits(Math.abs(value), 1);
    } else if (!this.decimals(value)) {
      const text = String(value);
      for (let i = 0; i < text.length; i++) this.bytes[this.end++] = text.charCodeAt(i);
    }
  }

  /** What was written since the last time, as a copy of its own. */
  take(): Uint8Array {
    const taken = new Uint8Array(this.end);
    taken.set(this.bytes.subarray(0, this.end));
    this.end = 0;
    return taken;
  }

  /** An integer from 0 to 2^31 - 1, with zeros before it where it has less than `least` digits. */
  private digits(value: number, least: number): void {
    const bytes = this.bytes;
    const start = this.end;
    let length = least;
    for (let power = 10 ** least; power <= value; power *= 10) length++;
    let rest = value | 0;
    // `| 0` keeps it in integers of 32 bits, which the compiler divides without a division.
    for (let at = start + length - 1; at >= start; at--) {
      const tenth = (rest / 10) | 0;
      bytes[at] = 48 + rest - 10 * tenth;
      rest = tenth;
    }
    this.end = start + length;
  }

  /**
   * A number with up to seven decimals, as most coordinates are; false where it has more. That a decimal of at most
   * 15 digits reads back as this very number makes it the one that JavaScript prints (two such decimals are never
   * the same double), unless the number is so small that JavaScript writes an exponent.
   */
  private decimals(value: number): boolean {
    const size = Math.abs(value);
    if (!(size < decimalsLimit) || size < 1e-6) return false;
    const scaled = Math.round(size * tenMillion);
    if (scaled / tenMillion !== size) return false;
    if (value < 0) this.bytes[this.end++] = 45;
    const whole = Math.floor(size);
    this.digits(whole, 1);
    this.bytes[this.end++] = 46;
    this.digits(scaled - whole * tenMillion, 7);
    while (this.bytes[this.end - 1] === 48) this.end--;
    return true;
  }
}

/** What the text formats have in common: something before the rows, each row, something after them. */

/** A format at work on one answer; all of it writes into the buffer that it was made with. */
export interface TextWriter {
  start(): void;
  row(row: Row): void;
  end(): void;
}

/** Large enough that a chunk's own cost vanishes, small enough that little lies about unread. */
const chunkSize = 1 << 16;

/**
 * The text of the rows, in chunks of 64 kB (more where one row is longer). It reads no further than the chunk that
 * was asked for, so that a slow reader slows the rows down. Leaving early ends the rows' iterator; an error in them
 * is an error here, and what would have followed (the document's end) is never written.
 */
export async function* textChunks(
  rows: RowsInput['rows'],
  format: (out: TextBuffer) => TextWriter,
): AsyncGenerator<Uint8Array, void, undefined> {
  const out = new TextBuffer();
  const writer = format(out);
  writer.start();
  // Awaiting each row of a synchronous iterator would cost more than writing it.
  if (Symbol.iterator in rows) {
    for (const row of rows) {
      writer.row(row);
      if (out.end >= chunkSize) yield out.take();
    }
  } else {
    for await (const row of rows) {
      writer.row(row);
      if (out.end >= chunkSize) yield out.take();
    }
  }
  writer.end();
  if (out.end > 0) yield out.take();
}
