/**
 * Finds the items of a JSON text without parsing it: one pass over the bytes that follows strings, escapes and nesting.
 * Each item is then parsed alone, so memory holds no more than one item and its chunk.
 */
import { PayloadError } from '../../errors.ts';
import { maxDepth, maxItemBytes } from '../../limits.ts';

/**
 * Layout of the items: in the root object's member `features`, in the root array, one a line, or one after each record
 * separator (RFC 8142).
 */
export type ItemLayout = 'features' | 'array' | 'lines' | 'records';

/** Called with each item: its bytes from `start` to `end` in `bytes`; its offset in the payload, and its line. */
export type OnItem = (bytes: Buffer, start: number, end: number, offset: number, line: number) => void;

/** Reads items without their end being known. */
export interface ItemMatcher {
  /** Called with the start of an item. @returns the index behind it if it was read, else -1 */
  matchItem(bytes: Buffer, start: number, offset: number, line: number): number;
  /** Number of line breaks in the item that was read last. */
  readonly matchedLines: number;
}

const quote = 0x22;
const backslash = 0x5c;
const newline = 0x0a;
const separator = 0x1e;
const comma = 0x2c;

/** Most bytes of the text around the features that are kept for the collection's own members. */
const maxMemberBytes = 1024 * 1024;

export class ItemScanner {
  readonly #layout: ItemLayout;
  readonly #itemDepth: number;
  #depth = 0;
  #inString = false;
  #escaped = false;
  /** Offset of the next chunk in the payload. */
  #position: number;
  #line = 1;
  /** True inside an item; then its offset and line, and its bytes from earlier chunks. */
  #isInsideItem = false;
  #itemOffset = 0;
  #itemLine = 1;
  #itemParts: Buffer[] = [];
  #itemBytes = 0;
  /** Expected between items: a comma or the end, an item, or (`any`) an item or the end. */
  #expects: 'comma' | 'item' | 'any' = 'any';
  /** Layout `features`: the text around the features. All of it is kept until they begin: it may be a single Feature. */
  #outside: Buffer[] = [];
  #outsideBytes = 0;
  /** True once the array of items was found; always true in layouts without one. */
  hasItems: boolean;
  /** True between the brackets of that array; always true in layouts without one. */
  #isInsideList: boolean;

  /** @param position offset of the text in the payload: the length of its byte order mark */
  constructor(layout: ItemLayout, position = 0) {
    this.#layout = layout;
    this.#position = position;
    this.#itemDepth = { features: 2, array: 1, lines: 0, records: 0 }[layout];
    this.hasItems = layout !== 'features' && layout !== 'array';
    this.#isInsideList = this.hasItems;
  }

  /** @throws PayloadError at the first unexpected byte */
  push(chunk: Buffer, onItem: OnItem, matcher?: ItemMatcher): void {
    const length = chunk.length;
    let start = 0;
    let outside = 0;
    let i = 0;
    while (i < length) {
      if (this.#isInsideItem) {
        i = this.#skipNested(chunk, i, this.#itemDepth);
        if (i < length) {
          this.#leaveItem();
          if (this.#itemParts.length === 0) onItem(chunk, start, i + 1, this.#itemOffset, this.#itemLine);
          else this.#endItem(chunk.subarray(0, i + 1), onItem);
          i++;
        }
      } else if (this.#isInsideList && this.#depth === this.#itemDepth) {
        i = this.#scanBetweenItems(chunk, i);
        start = i - 1;
        outside = start;
        if (matcher && this.#isInsideItem) {
          const end = matcher.matchItem(chunk, start, this.#itemOffset, this.#itemLine);
          if (end !== -1) {
            i = end;
            this.#line += matcher.matchedLines;
            this.#depth--;
            this.#leaveItem();
          }
        }
      } else {
        // Only in layouts `features` and `array`.
        i = this.#scanAroundItems(chunk, i, outside);
        if (this.#isInsideList) this.#keepOutside(chunk.subarray(outside, i));
      }
    }
    this.#position += length;
    if (this.#isInsideItem) this.#keepItemPart(chunk.subarray(start));
    else if (!this.#isInsideList) this.#keepOutside(chunk.subarray(outside));
  }

  #leaveItem(): void {
    this.#isInsideItem = false;
    this.#expects = this.#layout === 'records' ? 'any' : 'comma';
  }

  /**
   * Scans until the nesting is back at `floor`. Most bytes are scanned here.
   * @returns index of the closing bracket, or the chunk's length
   */
  #skipNested(chunk: Buffer, from: number, floor: number): number {
    const length = chunk.length;
    const deepest = this.#itemDepth + maxDepth;
    // A byte that no value may contain; -1 if every byte is allowed.
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
        else if (c === newline) throw lineBreakError(line, this.#position + i);
      } else if (c === quote) {
        inString = true;
      } else if (c === 0x7b || c === 0x5b) {
        if (++depth > deepest) throw nestingError(line, this.#position + i);
      } else if (c === 0x7d || c === 0x5d) {
        if (--depth <= floor) break;
      } else if (c === newline || c === separator) {
        if (c === border) throw truncationError(line, this.#position + i);
        if (c === newline) line++;
      }
    }
    this.#escaped = i > length;
    this.#depth = depth;
    this.#inString = inString;
    this.#line = line;
    return Math.min(i, length);
  }

  /** Scans blanks and commas, up to an item or the end. @returns index behind the bracket of either */
  #scanBetweenItems(chunk: Buffer, from: number): number {
    const nested = this.#itemDepth > 0;
    for (let i = from; i < chunk.length; i++) {
      const c = chunk[i] as number;
      if (c === newline) {
        this.#line++;
        if (!nested) this.#expects = 'any';
      } else if (c === 0x7b && this.#expects !== 'comma') {
        this.#isInsideItem = true;
        this.#itemOffset = this.#position + i;
        this.#itemLine = this.#line;
        this.#depth++;
        return i + 1;
      } else if (c === comma && this.#expects === 'comma' && nested) {
        this.#expects = 'item';
      } else if (c === 0x5d && this.#expects !== 'item' && nested) {
        this.#depth--;
        this.#isInsideList = false;
        return i + 1;
      } else if (c > 0x20 || (c === separator && this.#layout !== 'records')) {
        throw unexpectedByteError(chunk, i, this.#line, this.#position);
      }
    }
    return chunk.length;
  }

  /** Scans before and behind the array of items. @returns index behind its opening bracket, or the chunk's length */
  #scanAroundItems(chunk: Buffer, from: number, outside: number): number {
    let i = from;
    while (i < chunk.length) {
      if (this.#depth >= this.#itemDepth) {
        i = this.#skipNested(chunk, i, this.#itemDepth - 1) + 1;
        continue;
      }
      if (this.#inString || this.#escaped) {
        i = this.#skipString(chunk, i);
        continue;
      }
      const c = chunk[i] as number;
      if (c === newline) this.#line++;
      else if (c === 0x7b || c === 0x5b) {
        const items = c === 0x5b && this.#depth === this.#itemDepth - 1 && this.#startsItems(chunk, outside, i);
        this.#depth++;
        if (items) {
          this.#isInsideList = true;
          this.hasItems = true;
          this.#expects = 'any';
          return i + 1;
        }
        if (this.#depth === 1 && this.#layout === 'array')
          throw unexpectedByteError(chunk, i, this.#line, this.#position);
      } else if (c === 0x7d || c === 0x5d) {
        if (--this.#depth < 0) throw unexpectedByteError(chunk, i, this.#line, this.#position);
      } else if (c > 0x20 && this.#depth === 0) throw unexpectedByteError(chunk, i, this.#line, this.#position);
      else if (c === quote) this.#inString = true;
      i++;
    }
    return chunk.length;
  }

  /** Scans the rest of a string around the items. @returns index behind it, or the chunk's length */
  #skipString(chunk: Buffer, from: number): number {
    let i = this.#escaped ? from + 1 : from;
    for (; i < chunk.length && chunk[i] !== quote; i++) {
      if (chunk[i] === newline) throw lineBreakError(this.#line, this.#position + i);
      if (chunk[i] === backslash) i++;
    }
    this.#escaped = i > chunk.length;
    if (i < chunk.length) this.#inString = false;
    return Math.min(i + 1, chunk.length);
  }

  /**
   * Called after the last chunk.
   * @returns in layout `features`, the text around the features, with `[]` in their place; null if it was too long to keep
   * @throws PayloadError if the text breaks off
   */
  end(): Buffer | null {
    const position = { line: this.#line, byte: this.#position };
    if (this.#inString) throw new PayloadError('the text breaks off inside a string', position);
    if (this.#depth > 0) throw new PayloadError('the text breaks off: something is not closed', position);
    return this.#outsideBytes > (this.hasItems ? maxMemberBytes : maxItemBytes) ? null : Buffer.concat(this.#outside);
  }

  /** True if the array that opens at `at` is the one with the items. */
  #startsItems(chunk: Buffer, outside: number, at: number): boolean {
    if (this.#isInsideList) return false;
    if (this.#layout === 'array') return true;
    // Its key, which may have begun in an earlier chunk.
    let before = chunk.subarray(Math.max(outside, at - 1024), at);
    for (let part = this.#outside.length - 1; part >= 0 && before.length < 1024; part--) {
      before = Buffer.concat([this.#outside[part] as Buffer, before]);
    }
    return /"features"\s*:\s*$/.test(before.toString('latin1'));
  }

  #keepOutside(part: Buffer): void {
    if (this.#layout !== 'features' || part.length === 0) return;
    this.#outsideBytes += part.length;
    if (!this.hasItems && this.#outsideBytes > maxItemBytes) {
      throw new PayloadError(`no features within the first ${maxItemBytes} bytes`, { byte: this.#position });
    }
    if (this.hasItems && this.#outsideBytes > maxMemberBytes) this.#outside = [];
    else this.#outside.push(Buffer.from(part));
  }

  #keepItemPart(part: Buffer): void {
    this.#itemParts.push(part);
    this.#itemBytes += part.length;
    if (this.#itemBytes > maxItemBytes) {
      throw new PayloadError(`one item is longer than ${maxItemBytes} bytes`, {
        line: this.#itemLine,
        byte: this.#itemOffset,
      });
    }
  }

  #endItem(last: Buffer, onItem: OnItem): void {
    const item = Buffer.concat([...this.#itemParts, last]);
    this.#itemParts = [];
    this.#itemBytes = 0;
    onItem(item, 0, item.length, this.#itemOffset, this.#itemLine);
  }
}

const nestingError = (line: number, byte: number) =>
  new PayloadError(`nested deeper than ${maxDepth} levels`, { line, byte });

const lineBreakError = (line: number, byte: number) =>
  new PayloadError('a string goes over the end of the line', { line, byte });

const truncationError = (line: number, byte: number) =>
  new PayloadError('the text breaks off in the middle of a value', { line, byte });

function unexpectedByteError(chunk: Buffer, at: number, line: number, position: number): PayloadError {
  const found = JSON.stringify(chunk.toString('utf8', at, at + 12));
  return new PayloadError(`expected an object, or what ends or separates objects, and found ${found}`, {
    line,
    byte: position + at,
  });
}
