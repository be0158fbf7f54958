/**
 * Output as UTF-8 in one buffer that is reused for each chunk. Numbers and short strings are written byte by byte, which
 * is several times faster for a few characters than a call of Buffer's own methods.
 */
import { Turns } from '../event-loop.ts';
import type { AsciiSlice, Row, RowSource } from '../row.ts';

/** Bound of numbers whose seven decimals (`decimals`) stay within 15 significant digits. */
const decimalsLimit = 1e8;
const tenMillion = 1e7;
/** The 32-bit integer whose absolute value needs 32 bits. */
const leastInteger = -(2 ** 31);

/** Most characters for a loop; for longer texts, Buffer's encoder is faster. */
const maxLoopLength = 256;

const initialSize = (1 << 16) + (1 << 12);

export class TextBuffer {
  bytes: Buffer = Buffer.allocUnsafeSlow(initialSize);
  /** Index of the next byte. */
  end = 0;

  /** Makes room for `size` more bytes. */
  reserve(size: number): void {
    if (this.end + size <= this.bytes.length) return;
    const grown = Buffer.allocUnsafeSlow(Math.max(2 * this.bytes.length, this.end + size));
    this.bytes.copy(grown, 0, 0, this.end);
    this.bytes = grown;
  }

  /** Writes one ASCII character, by its code. */
  byte(code: number): void {
    if (this.end === this.bytes.length) this.reserve(1);
    this.bytes[this.end++] = code;
  }

  /** Appends a few bytes, such as an encoded key. */
  append(source: Uint8Array): void {
    const length = source.length;
    this.reserve(length);
    const bytes = this.bytes;
    let at = this.end;
    for (let i = 0; i < length; i++) bytes[at++] = source[i] as number;
    this.end = at;
  }

  /** Writes any text; lone surrogates become U+FFFD. */
  text(text: string): void {
    this.reserve(3 * text.length);
    this.end += this.bytes.write(text, this.end, 'utf8');
  }

  /**
   * Writes a short text byte by byte, unless it has surrogates or special characters.
   * @param special flags of the 128 ASCII characters
   * @returns false if nothing was written
   */
  plainText(text: string, special: Uint8Array): boolean {
    const length = text.length;
    if (length > maxLoopLength) return false;
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

  /** Writes an ASCII text, unless it has special characters. @returns false if nothing was written */
  plainAscii({ bytes: source, start, end }: AsciiSlice, special: Uint8Array): boolean {
    this.reserve(end - start);
    const bytes = this.bytes;
    let at = this.end;
    for (let i = start; i < end; i++) {
      const code = source[i] as number;
      if (special[code] === 1) return false;
      bytes[at++] = code;
    }
    this.end = at;
    return true;
  }

  /** Writes a finite number, exactly as JavaScript prints it. */
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

  /**
   * Writes a finite number of a row: one beyond ±(2^53 - 1) has an exponent. Its digits alone would be read again as those of
   * an id, which are kept as a text.
   */
  cellNumber(value: number): void {
    if (Math.abs(value) > Number.MAX_SAFE_INTEGER) this.text(value.toExponential());
    else this.number(value);
  }

  /** Returns the bytes, and goes on with a buffer of its own. */
  take(): Uint8Array {
    const taken = this.bytes.subarray(0, this.end);
    this.bytes = Buffer.allocUnsafeSlow(initialSize);
    this.end = 0;
    return taken;
  }

  /** Writes an integer from 0 to 2^31 - 1, with leading zeros up to `minDigits`. */
  private digits(value: number, minDigits: number): void {
    const bytes = this.bytes;
    const start = this.end;
    let length = minDigits;
    for (let power = 10 ** minDigits; power <= value; power *= 10) length++;
    let rest = value | 0;
    // `| 0` keeps the division in 32-bit integers, which is faster.
    for (let at = start + length - 1; at >= start; at--) {
      const tenth = (rest / 10) | 0;
      bytes[at] = 48 + rest - 10 * tenth;
      rest = tenth;
    }
    this.end = start + length;
  }

  /**
   * Writes a number with up to seven decimals, like most coordinates; returns false if it has more. A decimal of at most 15
   * digits that reads back as this number is the one that JavaScript prints (two such decimals are never the same double),
   * unless the number is so small that JavaScript prints an exponent.
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

/** Writes one document in a text format, to the buffer that it was created with. */
export interface TextWriter {
  /** Number of columns that it writes of each row. */
  readonly columns: number;
  start(): void;
  /** Writes columns of a row, which may be all: the first call for a row is from column 0, the last one to the number of columns. */
  row(row: Row, from: number, to: number): void;
  end(): void;
}

/** In bytes: large enough that the cost per chunk is small, small enough that little memory is used. */
const chunkSize = 1 << 16;

/** Columns that are written at once: a fraction of a millisecond, while a row of ten thousand takes several. */
const columnsAtOnce = 512;

/**
 * The rows as text, in chunks of 64 kB (more if one row is longer; a row of many columns is written in parts, with pauses
 * between them). Rows are read only for the chunk that is requested, so that a slow consumer slows them down. Leaving the
 * iteration ends the rows' iterator. An error of the rows is passed on, and the document then lacks its end.
 */
export async function* rowsAsTextChunks(
  rows: RowSource,
  createWriter: (out: TextBuffer) => TextWriter,
): AsyncGenerator<Uint8Array, void, undefined> {
  const out = new TextBuffer();
  const writer = createWriter(out);
  const { columns } = writer;
  writer.start();
  if (columns > columnsAtOnce) yield* longRowsAsTextChunks(rows, writer, out);
  // Awaiting a row of a synchronous iterator would cost more than writing it.
  else if ('groups' in rows) {
    for await (const group of rows.groups)
      for (const row of group) {
        writer.row(row, 0, columns);
        if (out.end >= chunkSize) yield out.take();
      }
  } else if (Symbol.iterator in rows) {
    for (const row of rows) {
      writer.row(row, 0, columns);
      if (out.end >= chunkSize) yield out.take();
    }
  } else {
    for await (const row of rows) {
      writer.row(row, 0, columns);
      if (out.end >= chunkSize) yield out.take();
    }
  }
  writer.end();
  if (out.end > 0) yield out.take();
}

async function* longRowsAsTextChunks(
  rows: RowSource,
  writer: TextWriter,
  out: TextBuffer,
): AsyncGenerator<Uint8Array, void, undefined> {
  const { columns } = writer;
  const turns = new Turns();
  for await (const group of 'groups' in rows ? rows.groups : [rows])
    for await (const row of group)
      for (let from = 0; from < columns; from += columnsAtOnce) {
        writer.row(row, from, Math.min(from + columnsAtOnce, columns));
        if (out.end >= chunkSize) yield out.take();
        if (turns.isOver) await turns.next();
      }
}
