/**
 * Column chunks: the values of one column in one row group, encoded for the columnar copy. Numbers are typed arrays and
 * need no parsing. Texts are one run of UTF-8 that is decoded once, and sliced on demand. Everything is little-endian,
 * like every machine that Node runs on; the copy never leaves the machine that made it.
 */

import { isAscii } from 'node:buffer';
import { textForms, Utf8Texts } from '../formats/utf8-texts.ts';
import type { AsciiSlice } from '../row.ts';

/** The values of one column in one row group. */
export type ColumnValues =
  | { readonly kind: 'nulls' }
  /** NaN is null. */
  | { readonly kind: 'numbers'; readonly numbers: Float64Array }
  /** 0 is null, 1 false, 2 true. */
  | { readonly kind: 'booleans'; readonly codes: Uint8Array }
  /** Without `codes`, an entry per row; with them (dictionary encoding), each row's code is the index of its entry. */
  | {
      readonly kind: 'texts';
      readonly entries: readonly (string | null)[] | Utf8Texts;
      readonly codes: Uint16Array | null;
    };

/** Encodings of chunks: of columns, of geometries (`geometry-chunk.ts`), and of the rows' offsets in the payload. */
export type ChunkKind = ColumnValues['kind'] | 'points' | 'shapes' | 'offsets';

/**
 * A decoded column chunk: its values one by one, with `at`, which counts rows from the start of the row group; or, for
 * passes over all of them, the arrays that they are stored in.
 */
export type ColumnChunk = NumberChunk | BooleanChunk | TextChunk | NullChunk;

/** The top bit of a text's end offset: the text is null. */
const nullBit = 0x8000_0000;

export function encodeColumn(column: ColumnValues): Buffer[] {
  switch (column.kind) {
    case 'nulls':
      return [];
    case 'numbers':
      return [asBuffer(column.numbers)];
    case 'booleans':
      return [asBuffer(column.codes)];
    case 'texts':
      return encodeTexts(column.entries, column.codes);
  }
}

/** @param bytes as `encodeColumn` returns them, at the start of an ArrayBuffer of their own */
export function decodeColumn(kind: ChunkKind, bytes: ArrayBuffer): ColumnChunk {
  switch (kind) {
    case 'numbers':
      return new NumberChunk(new Float64Array(bytes));
    case 'booleans':
      return new BooleanChunk(new Uint8Array(bytes));
    case 'texts':
      return decodeTexts(bytes);
    default:
      return nullChunk;
  }
}

interface StoredChunk {
  /** Memory in bytes. */
  readonly bytes: number;
  at(row: number): string | number | boolean | null;
}

interface NullChunk extends StoredChunk {
  readonly kind: 'nulls';
}

const nullChunk: NullChunk = { kind: 'nulls', bytes: 0, at: () => null };

class NumberChunk implements StoredChunk {
  readonly kind = 'numbers';
  /** NaN is null. */
  readonly numbers: Float64Array;
  readonly bytes: number;
  constructor(numbers: Float64Array) {
    this.numbers = numbers;
    this.bytes = numbers.byteLength;
  }
  at(row: number): number | null {
    const number = this.numbers[row] as number;
    return Number.isNaN(number) ? null : number;
  }
}

class BooleanChunk implements StoredChunk {
  readonly kind = 'booleans';
  /** 0 is null, 1 false, 2 true. */
  readonly codes: Uint8Array;
  readonly bytes: number;
  constructor(codes: Uint8Array) {
    this.codes = codes;
    this.bytes = codes.byteLength;
  }
  at(row: number): boolean | null {
    const code = this.codes[row];
    return code === 0 ? null : code === 2;
  }
}

/** Header of texts: number of entries, number of codes (0 for none), length of the text in bytes, 0. */
const headerBytes = 16;

function encodeTexts(entries: readonly (string | null)[] | Utf8Texts, codes: Uint16Array | null): Buffer[] {
  const isUtf8 = entries instanceof Utf8Texts;
  const ends = isUtf8 ? endsInUtf16(entries) : new Uint32Array(entries.length);
  let end = 0;
  for (let i = 0; i < entries.length && !isUtf8; i++) {
    const entry = entries[i] as string | null;
    if (entry !== null) end += entry.length;
    ends[i] = entry === null ? (end | nullBit) >>> 0 : end;
  }
  const text = isUtf8 ? entries.bytes : Buffer.from(entries.join(''));
  const header = new Uint32Array([entries.length, codes?.length ?? 0, text.length, 0]);
  return [asBuffer(header), asBuffer(ends), ...(codes ? [asBuffer(codes)] : []), text];
}

/** The end of each text in UTF-16 code units. */
function endsInUtf16({ bytes, ends, forms }: Utf8Texts): Uint32Array<ArrayBuffer> {
  const result = new Uint32Array(ends.length);
  let end = 0;
  let at = 0;
  for (let i = 0; i < ends.length; i++) {
    const behind = ends[i] as number;
    if (forms[i] !== textForms.other) end += behind - at;
    // A byte that doesn't continue a character begins one, of two units if it has four bytes.
    else
      for (; at < behind; at++)
        end += ((bytes[at] as number) & 0xc0) === 0x80 ? 0 : (bytes[at] as number) >= 0xf0 ? 2 : 1;
    result[i] = forms[i] === textForms.missing ? (end | nullBit) >>> 0 : end;
    at = behind;
  }
  return result;
}

function decodeTexts(bytes: ArrayBuffer): TextChunk {
  const [entryCount = 0, codeCount = 0, textBytes = 0] = new Uint32Array(bytes, 0, 3);
  const ends = new Uint32Array(bytes, headerBytes, entryCount);
  const codesAt = headerBytes + ends.byteLength;
  const codes = codeCount === 0 ? null : new Uint16Array(bytes, codesAt, codeCount);
  const encoded = Buffer.from(bytes, codesAt + 2 * codeCount, textBytes);
  return new TextChunk(ends, codes, encoded, bytes.byteLength - textBytes);
}

class TextChunk implements StoredChunk {
  readonly kind = 'texts';
  readonly #ends: Uint32Array;
  /** Index of each row's entry; null if there is an entry per row. */
  readonly codes: Uint16Array | null;
  readonly #text: string;
  /** A part of the text's bytes, if it is ASCII: they are in memory with the ends. */
  readonly #asciiSlice: { bytes: Buffer; start: number; end: number } | null;
  /** Entries of the dictionary that were sliced already. */
  readonly #entries: (string | undefined)[];
  readonly bytes: number;
  constructor(ends: Uint32Array, codes: Uint16Array | null, encoded: Buffer, otherBytes: number) {
    const text = encoded.toString();
    this.#ends = ends;
    this.codes = codes;
    this.#text = text;
    this.#asciiSlice = isAscii(encoded) ? { bytes: encoded, start: 0, end: 0 } : null;
    this.#entries = codes === null ? [] : new Array(ends.length);
    this.bytes = otherBytes + 2 * text.length + 8 * this.#entries.length;
  }
  get entryCount(): number {
    return this.#ends.length;
  }
  at(row: number): string | null {
    return this.codes === null ? this.#slice(row) : this.entry(this.codes[row] as number);
  }
  /** An entry by its index. */
  entry(index: number): string | null {
    if (this.codes === null) return this.#slice(index);
    const known = this.#entries[index];
    if (known !== undefined) return known;
    const entry = this.#slice(index);
    if (entry !== null) this.#entries[index] = entry;
    return entry;
  }
  /** The value of a row as ASCII; null if it isn't stored so, or missing. */
  asciiAt(row: number): AsciiSlice | null {
    const slice = this.#asciiSlice;
    if (slice === null) return null;
    const index = this.codes === null ? row : (this.codes[row] as number);
    const end = this.#ends[index] as number;
    if (end >= nullBit) return null;
    slice.start = index === 0 ? 0 : (this.#ends[index - 1] as number) & ~nullBit;
    slice.end = end;
    return slice;
  }
  #slice(index: number): string | null {
    const end = this.#ends[index] as number;
    if (end >= nullBit) return null;
    return this.#text.slice(index === 0 ? 0 : (this.#ends[index - 1] as number) & ~nullBit, end);
  }
}

/** Byte ranges of a row group's rows in the payload. */
export interface RowOffsets {
  /** Memory in bytes. */
  readonly bytes: number;
  readonly offsets: Float64Array;
  readonly lengths: Uint32Array;
}

/** Offsets in bytes, then lengths. */
export function encodeRowOffsets(offsets: readonly number[], lengths: readonly number[]): Buffer[] {
  return [asBuffer(Float64Array.from(offsets)), asBuffer(Uint32Array.from(lengths))];
}

export function decodeRowOffsets(bytes: ArrayBuffer): RowOffsets {
  const rows = bytes.byteLength / 12;
  return {
    bytes: bytes.byteLength,
    offsets: new Float64Array(bytes, 0, rows),
    lengths: new Uint32Array(bytes, 8 * rows),
  };
}

/** The memory of a typed array, not copied. */
export const asBuffer = (array: NodeJS.TypedArray): Buffer =>
  Buffer.from(array.buffer, array.byteOffset, array.byteLength);
