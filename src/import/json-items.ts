/** Items of long JSON texts, found in one pass over the bytes: memory holds one item and one chunk. */
import { isUtf8 } from 'node:buffer';
import { ValidationError } from '../catalogue/errors.ts';

/** Most bytes of one item. */
const maxItem = 32 * 1024 * 1024;

const broken = (address: string, reason: string) => new ValidationError({ source: [`${address}: ${reason}`] });

function parseItem(text: string, number: number, address: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw broken(address, `item ${number} is not valid JSON: ${(error as Error).message}`);
  }
}

/** The text of an item. @throws ValidationError if it is not in UTF-8 (RFC 8259, section 8.1) */
function textOfItem(bytes: Buffer, number: number, address: string): string {
  if (isUtf8(bytes)) return bytes.toString('utf8');
  throw broken(address, `item ${number} is not in UTF-8. Save the document as a file in UTF-8, and import that`);
}

/** JSON a line. @throws ValidationError */
export async function* readLineItems(
  chunks: AsyncIterable<Buffer>,
  address: string,
): AsyncGenerator<unknown, void, undefined> {
  let kept: Buffer[] = [];
  let size = 0;
  let number = 0;
  const itemOf = (line: string) => (line.trim() ? parseItem(line, ++number, address) : undefined);
  for await (const chunk of chunks) {
    let start = 0;
    for (let end = chunk.indexOf(10); end !== -1; end = chunk.indexOf(10, start)) {
      const line = textOfItem(Buffer.concat([...kept, chunk.subarray(start, end)]), number + 1, address);
      kept = [];
      size = 0;
      start = end + 1;
      const item = itemOf(line.replace(/^\ufeff/, ''));
      if (item !== undefined) yield item;
    }
    kept.push(Buffer.from(chunk.subarray(start)));
    size += chunk.length - start;
    if (size > maxItem) throw broken(address, `line ${number + 1} has more than ${maxItem} bytes`);
  }
  const item = itemOf(textOfItem(Buffer.concat(kept), number + 1, address));
  if (item !== undefined) yield item;
}

const quote = 0x22;
const backslash = 0x5c;

/**
 * The items of the array that is at a path of keys from the root; of the root itself for no keys.
 * @throws ValidationError if the array isn't there, or ends too early
 */
export async function* readArrayItems(
  chunks: AsyncIterable<Buffer>,
  keys: readonly string[],
  address: string,
): AsyncGenerator<unknown, void, undefined> {
  const scanner = new ArrayScanner(keys);
  let number = 0;
  for await (const chunk of chunks) {
    for (const bytes of scanner.push(chunk)) yield parseItem(textOfItem(bytes, ++number, address), number, address);
    if (scanner.keptBytes > maxItem) throw broken(address, `item ${number + 1} has more than ${maxItem} bytes`);
  }
  if (!scanner.hasArray) throw broken(address, `there is no list at ${keys.join('.') || 'its root'}`);
  if (!scanner.hasEnded) throw broken(address, 'it ends within its list: the file is not complete');
}

/** The texts of the items of the array at a key of an object, in JSON that is valid. */
export const readArrayTexts = (text: string, key: string): readonly string[] =>
  new ArrayScanner([key]).push(Buffer.from(text)).map((bytes) => bytes.toString('utf8').trimEnd());

/**
 * An object without the items of the array at one of its keys, and their number; null if there is no such array, or if the text is
 * broken.
 */
export async function readAroundArray(
  chunks: AsyncIterable<Buffer>,
  key: string,
): Promise<{ readonly value: unknown; readonly count: number } | null> {
  const around: Buffer[] = [];
  const scanner = new ArrayScanner([key], (bytes) => around.push(Buffer.from(bytes)));
  let count = 0;
  for await (const chunk of chunks) {
    count += scanner.push(chunk).length;
    if (scanner.keptBytes > maxItem || around.reduce((sum, { length }) => sum + length, 0) > maxItem) return null;
  }
  if (!scanner.hasEnded) return null;
  try {
    return {
      value: JSON.parse(
        Buffer.concat(around)
          .toString('utf8')
          .replace(/^\ufeff/, ''),
      ),
      count,
    };
  } catch {
    return null;
  }
}

class ArrayScanner {
  readonly #keys: readonly string[];
  readonly #onAround: (bytes: Buffer) => void;
  #depth = 0;
  #inString = false;
  #escaped = false;
  /** Number of keys of the path that lead to the present container. */
  #matched = 0;
  /** The string at the depth of a key that is looked for, to be compared once a colon follows; null if it is too long for one. */
  #text: number[] | null = null;
  #last = '';
  readonly #maxText: number;
  #isNext = false;
  #kept: Buffer[] = [];
  #isInItem = false;
  keptBytes = 0;
  hasArray = false;
  hasEnded = false;

  /** @param onAround called with the bytes before and after the items */
  constructor(keys: readonly string[], onAround: (bytes: Buffer) => void = () => {}) {
    this.#keys = keys;
    this.#onAround = onAround;
    this.#isNext = keys.length === 0;
    this.#maxText = Math.max(0, ...keys.map((key) => Buffer.byteLength(key)));
  }

  /** @returns the bytes of the items that end in the chunk */
  push(chunk: Buffer): readonly Buffer[] {
    const items: Buffer[] = [];
    let start = 0;
    /** Where the items begin and end in the chunk. */
    let first = this.hasArray ? 0 : chunk.length;
    let last = this.hasEnded ? 0 : chunk.length;
    for (let i = 0; i < chunk.length && !this.hasEnded; i++) {
      const byte = chunk[i] as number;
      if (this.#inString) {
        if (this.#escaped) this.#escaped = false;
        else if (byte === backslash) this.#escaped = true;
        else if (byte === quote) {
          this.#inString = false;
          this.#last = this.#text ? Buffer.from(this.#text).toString('utf8') : '';
          this.#text = null;
        } else if (this.#text && this.#text.push(byte) > this.#maxText) this.#text = null;
        continue;
      }
      const isAtItems = this.hasArray && this.#depth === this.#keys.length + 1;
      if (byte === 0x5d && isAtItems) {
        if (this.#isInItem) items.push(this.#take(chunk.subarray(start, i)));
        this.hasEnded = true;
        last = i;
      } else if (byte === 0x2c && isAtItems) {
        if (this.#isInItem) items.push(this.#take(chunk.subarray(start, i)));
      } else {
        if (isAtItems && !this.#isInItem && byte > 0x20) {
          this.#isInItem = true;
          start = i;
        }
        const isBefore = !this.hasArray;
        this.#follow(byte);
        if (isBefore && this.hasArray) first = i + 1;
      }
    }
    if (first > 0) this.#onAround(chunk.subarray(0, first));
    if (last < chunk.length) this.#onAround(chunk.subarray(last));
    if (this.#isInItem) {
      const rest = Buffer.from(chunk.subarray(start));
      this.#kept.push(rest);
      this.keptBytes += rest.length;
    }
    return items;
  }

  /** Follows strings, brackets and keys. Bytes outside of ASCII are those of a byte order mark. */
  #follow(byte: number): void {
    if (byte === quote) {
      this.#inString = true;
      this.#text = !this.hasArray && this.#depth === this.#matched + 1 ? [] : null;
    } else if (byte === 0x3a) {
      this.#isNext = !this.hasArray && this.#depth === this.#matched + 1 && this.#last === this.#keys[this.#matched];
    } else if (byte === 0x7b || byte === 0x5b) {
      this.#depth++;
      if (this.#isNext && !this.hasArray) {
        if (this.#keys.length) this.#matched++;
        if (byte === 0x5b && this.#matched === this.#keys.length) this.hasArray = true;
      }
      this.#isNext = false;
    } else if (byte === 0x7d || byte === 0x5d) {
      this.#depth--;
      if (!this.hasArray && this.#depth < this.#matched + 1 && this.#matched > 0 && this.#depth <= this.#matched)
        this.#matched = Math.min(this.#matched, Math.max(0, this.#depth - 1));
    } else if (byte > 0x20 && byte < 0x80 && byte !== 0x2c) this.#isNext = false;
  }

  #take(end: Buffer): Buffer {
    const bytes = Buffer.concat([...this.#kept, end]);
    this.#kept = [];
    this.keptBytes = 0;
    this.#isInItem = false;
    return bytes;
  }
}
