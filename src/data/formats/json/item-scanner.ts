/**
 * Finds where the items of a JSON text lie without parsing it: one pass over the bytes that knows strings, escapes and
 * nesting. Each item is parsed alone afterwards, so memory never holds more than one of them and the chunk it came in.
 */
import { PayloadError } from '../../errors.ts';
import { maxDepth, maxItemBytes } from '../../limits.ts';

/**
 * Where the items are: in the array of the root object's member `features`; in the root array; one a line; or one
 * after each record separator (RFC 8142).
 */
export type Layout = 'features' | 'array' | 'lines' | 'records';

/** Called with each item: it lies in `bytes` from `start` to `end`, and in the text from `offset`, on `line`. */
export type OnItem = (bytes: Buffer, start: number, end: number, offset: number, line: number) => void;

const quote = 0x22;
const backslash = 0x5c;
const newline = 0x0a;
const separator = 0x1e;
const comma = 0x2c;

/** How much of what surrounds the features is kept, to read the collection's own members from it. */
const maxMembers = 1024 * 1024;

export class ItemScanner {
  readonly #layout: Layout;
  readonly #itemDepth: number;
  #depth = 0;
  #inString = false;
  #escaped = false;
  /** Offset of the next chunk's first byte in the text. */
  #position: number;
  #line = 1;
  /** The item that is open: where it began, and its bytes from earlier chunks. */
  #open = false;
  #itemOffset = 0;
  #itemLine = 1;
  #pieces: Buffer[] = [];
  #pieceBytes = 0;
  /** Between items: whether the next thing must be a comma, an item, or may be either the first item or the end. */
  #expects: 'comma' | 'item' | 'any' = 'any';
  /** Layout `features`: everything but the features. Its bytes before them are kept whole: they may be a Feature. */
  #outside: Buffer[] = [];
  #outsideBytes = 0;
  /** Whether the array of items has been found (in layouts without one: always). */
  found: boolean;
  #inItems: boolean;

  /** @param position of the first byte in the payload: the length of its byte order mark */
  constructor(layout: Layout, position = 0) {
    this.#layout = layout;
    this.#position = position;
    this.#itemDepth = { features: 2, array: 1, lines: 0, records: 0 }[layout];
    this.found = layout !== 'features' && layout !== 'array';
    this.#inItems = this.found;
  }

  /** @throws PayloadError at the first byte that can't be right */
  push(chunk: Buffer, onItem: OnItem): void {
    const length = chunk.length;
    let start = 0;
    let outside = 0;
    let i = 0;
    while (i < length) {
      if (this.#open) {
        i = this.#inside(chunk, i, this.#itemDepth);
        if (i < length) {
          this.#open = false;
          this.#expects = this.#layout === 'records' ? 'any' : 'comma';
          if (this.#pieces.length === 0) onItem(chunk, start, i + 1, this.#itemOffset, this.#itemLine);
          else this.#endPieces(chunk.subarray(0, i + 1), onItem);
          i++;
        }
      } else if (this.#inItems && this.#depth === this.#itemDepth) {
        i = this.#between(chunk, i);
        start = i - 1;
        outside = start;
      } else {
        // Around the items; only layouts `features` and `array` have that.
        i = this.#around(chunk, i, outside);
        if (this.#inItems) this.#keepOutside(chunk.subarray(outside, i));
      }
    }
    this.#position += length;
    if (this.#open) this.#keepPiece(chunk.subarray(start));
    else if (!this.#inItems) this.#keepOutside(chunk.subarray(outside));
  }

  /**
   * Goes on until the nesting is back at `floor`, and does nothing else: most bytes pass here.
   * @returns where the bracket is that closes, or the chunk's length
   */
  #inside(chunk: Buffer, from: number, floor: number): number {
    const length = chunk.length;
    const deepest = this.#itemDepth + maxDepth;
    // A line break that no value may go over: bytes of JSON text are never -1.
    const border = this.#layout === 'lines' ? newline : this.#layout === 'records' ? separator : -1;
    let depth = this.#depth;
    let inString = this.#inString;
    let line = this.#line;
    let i = this.#escaped ? from + 1 : from;
    for (; i < length; i++) {
      const c = chunk[i] as number;
      if (inString) {
        if (c === quote) inString = false;
        else if (c === backslash) i++;
        else if (c === newline) throw brokenString(line, this.#position + i);
      } else if (c === quote) {
        inString = true;
      } else if (c === 0x7b || c === 0x5b) {
        if (++depth > deepest) throw tooDeep(line, this.#position + i);
      } else if (c === 0x7d || c === 0x5d) {
        if (--depth <= floor) break;
      } else if (c === newline || c === separator) {
        if (c === border) throw cutOff(line, this.#position + i);
        if (c === newline) line++;
      }
    }
    this.#escaped = i > length;
    this.#depth = depth;
    this.#inString = inString;
    this.#line = line;
    return Math.min(i, length);
  }

  /** Between items: blanks, commas, and then an item or the end. @returns the place behind what it stopped at */
  #between(chunk: Buffer, from: number): number {
    const nested = this.#itemDepth > 0;
    for (let i = from; i < chunk.length; i++) {
      const c = chunk[i] as number;
      if (c === newline) {
        this.#line++;
        if (!nested) this.#expects = 'any';
      } else if (c === 0x7b && this.#expects !== 'comma') {
        this.#open = true;
        this.#itemOffset = this.#position + i;
        this.#itemLine = this.#line;
        this.#depth++;
        return i + 1;
      } else if (c === comma && this.#expects === 'comma' && nested) {
        this.#expects = 'item';
      } else if (c === 0x5d && this.#expects !== 'item' && nested) {
        this.#depth--;
        this.#inItems = false;
        return i + 1;
      } else if (c > 0x20 || (c === separator && this.#layout !== 'records')) {
        throw misplaced(chunk, i, this.#line, this.#position);
      }
    }
    return chunk.length;
  }

  /** Before and behind the array of items. @returns the place behind its opening bracket, or the chunk's length */
  #around(chunk: Buffer, from: number, outside: number): number {
    let i = from;
    while (i < chunk.length) {
      if (this.#depth >= this.#itemDepth) {
        i = this.#inside(chunk, i, this.#itemDepth - 1) + 1;
        continue;
      }
      if (this.#inString || this.#escaped) {
        i = this.#string(chunk, i);
        continue;
      }
      const c = chunk[i] as number;
      if (c === newline) this.#line++;
      else if (c === 0x7b || c === 0x5b) {
        const items = c === 0x5b && this.#depth === this.#itemDepth - 1 && this.#startsItems(chunk, outside, i);
        this.#depth++;
        if (items) {
          this.#inItems = true;
          this.found = true;
          this.#expects = 'any';
          return i + 1;
        }
        if (this.#depth === 1 && this.#layout === 'array') throw misplaced(chunk, i, this.#line, this.#position);
      } else if (c === 0x7d || c === 0x5d) {
        if (--this.#depth < 0) throw misplaced(chunk, i, this.#line, this.#position);
      } else if (c > 0x20 && this.#depth === 0) throw misplaced(chunk, i, this.#line, this.#position);
      else if (c === quote) this.#inString = true;
      i++;
    }
    return chunk.length;
  }

  /** The rest of a string around the items. @returns the place behind it, or the chunk's length */
  #string(chunk: Buffer, from: number): number {
    let i = this.#escaped ? from + 1 : from;
    for (; i < chunk.length && chunk[i] !== quote; i++) {
      if (chunk[i] === newline) throw brokenString(this.#line, this.#position + i);
      if (chunk[i] === backslash) i++;
    }
    this.#escaped = i > chunk.length;
    if (i < chunk.length) this.#inString = false;
    return Math.min(i + 1, chunk.length);
  }

  /**
   * To be called after the last chunk.
   * @returns layout `features`: the text around the features, with `[]` for them; null where it was too long to keep
   * @throws PayloadError where the text breaks off
   */
  end(): Buffer | null {
    const place = { line: this.#line, byte: this.#position };
    if (this.#inString) throw new PayloadError('the text breaks off inside a string', place);
    if (this.#depth > 0) throw new PayloadError('the text breaks off: something is not closed', place);
    return this.#outsideBytes > (this.found ? maxMembers : maxItemBytes) ? null : Buffer.concat(this.#outside);
  }

  /** Whether the array that opens at `at` is the one with the items. */
  #startsItems(chunk: Buffer, outside: number, at: number): boolean {
    if (this.#inItems) return false;
    if (this.#layout === 'array') return true;
    // The key before it, which may have begun some chunks ago.
    let before = chunk.subarray(Math.max(outside, at - 1024), at);
    for (let piece = this.#outside.length - 1; piece >= 0 && before.length < 1024; piece--) {
      before = Buffer.concat([this.#outside[piece] as Buffer, before]);
    }
    return /"features"\s*:\s*$/.test(before.toString('latin1'));
  }

  #keepOutside(piece: Buffer): void {
    if (this.#layout !== 'features' || piece.length === 0) return;
    this.#outsideBytes += piece.length;
    if (!this.found && this.#outsideBytes > maxItemBytes) {
      throw new PayloadError(`no features within the first ${maxItemBytes} bytes`, { byte: this.#position });
    }
    if (this.found && this.#outsideBytes > maxMembers) this.#outside = [];
    else this.#outside.push(Buffer.from(piece));
  }

  #keepPiece(piece: Buffer): void {
    this.#pieces.push(piece);
    this.#pieceBytes += piece.length;
    if (this.#pieceBytes > maxItemBytes) {
      throw new PayloadError(`one item is longer than ${maxItemBytes} bytes`, {
        line: this.#itemLine,
        byte: this.#itemOffset,
      });
    }
  }

  #endPieces(last: Buffer, onItem: OnItem): void {
    const item = Buffer.concat([...this.#pieces, last]);
    this.#pieces = [];
    this.#pieceBytes = 0;
    onItem(item, 0, item.length, this.#itemOffset, this.#itemLine);
  }
}

/** What can be wrong with a JSON text before its items are parsed. */

export const tooDeep = (line: number, byte: number) =>
  new PayloadError(`nested deeper than ${maxDepth} levels`, { line, byte });

export const brokenString = (line: number, byte: number) =>
  new PayloadError('a string goes over the end of the line', { line, byte });

export const cutOff = (line: number, byte: number) =>
  new PayloadError('the text breaks off in the middle of a value', { line, byte });

export function misplaced(chunk: Buffer, at: number, line: number, base: number): PayloadError {
  const found = JSON.stringify(chunk.toString('utf8', at, at + 12));
  return new PayloadError(`expected an object, or what ends or separates objects, and found ${found}`, {
    line,
    byte: base + at,
  });
}
