/**
 * Pieces: one column of one block of rows, as bytes of the derived copy and back. Numbers lie as typed arrays and need
 * no parsing. Texts lie in one run of UTF-8 that is decoded once, and are cut out of it when they are asked for.
 * Everything is little-endian, as every machine that Node runs on; the copy never leaves the machine that made it.
 */
import type { BlockColumn } from '../ingest/column-profile.ts';

export type PieceKind = 'nulls' | 'numbers' | 'booleans' | 'texts' | 'points' | 'shapes' | 'places';

/** What a column's piece gives for a row of its block; null where there is no value. */
export interface ColumnPiece {
  /** Memory that it takes, in bytes. */
  readonly bytes: number;
  at(row: number): string | number | boolean | null;
}

/** The top bit of a text's end: the text is null. */
const nullBit = 0x8000_0000;

/** The bytes of a column's piece. */
export function encodeColumn(column: BlockColumn): Buffer[] {
  switch (column.kind) {
    case 'nulls':
      return [];
    case 'numbers':
      return [bytesOf(column.numbers)];
    case 'booleans':
      return [bytesOf(column.codes)];
    case 'texts':
      return encodeTexts(column.entries, column.codes);
  }
}

/** @param bytes as `encodeColumn` gave them, at the start of an ArrayBuffer of their own */
export function decodeColumn(kind: PieceKind, bytes: ArrayBuffer): ColumnPiece {
  switch (kind) {
    case 'numbers':
      return new NumbersPiece(new Float64Array(bytes));
    case 'booleans':
      return new BooleansPiece(new Uint8Array(bytes));
    case 'texts':
      return decodeTexts(bytes);
    default:
      return nulls;
  }
}

const nulls: ColumnPiece = { bytes: 0, at: () => null };

class NumbersPiece implements ColumnPiece {
  readonly #numbers: Float64Array;
  readonly bytes: number;
  constructor(numbers: Float64Array) {
    this.#numbers = numbers;
    this.bytes = numbers.byteLength;
  }
  at(row: number): number | null {
    const number = this.#numbers[row] as number;
    return Number.isNaN(number) ? null : number;
  }
}

class BooleansPiece implements ColumnPiece {
  readonly #codes: Uint8Array;
  readonly bytes: number;
  constructor(codes: Uint8Array) {
    this.#codes = codes;
    this.bytes = codes.byteLength;
  }
  at(row: number): boolean | null {
    const code = this.#codes[row];
    return code === 0 ? null : code === 2;
  }
}

/** Header: number of entries, number of codes (0: none), length of the text in bytes, 0. */
const headerBytes = 16;

function encodeTexts(entries: readonly (string | null)[], codes: Uint16Array | null): Buffer[] {
  const ends = new Uint32Array(entries.length);
  let end = 0;
  for (let i = 0; i < entries.length; i++) {
    const entry = entries[i] as string | null;
    if (entry !== null) end += entry.length;
    ends[i] = entry === null ? (end | nullBit) >>> 0 : end;
  }
  const text = Buffer.from(entries.join(''));
  const header = new Uint32Array([entries.length, codes?.length ?? 0, text.length, 0]);
  return [bytesOf(header), bytesOf(ends), ...(codes ? [bytesOf(codes)] : []), text];
}

function decodeTexts(bytes: ArrayBuffer): TextsPiece {
  const [count = 0, coded = 0, length = 0] = new Uint32Array(bytes, 0, 3);
  const ends = new Uint32Array(bytes, headerBytes, count);
  const codesAt = headerBytes + ends.byteLength;
  const codes = coded === 0 ? null : new Uint16Array(bytes, codesAt, coded);
  const text = Buffer.from(bytes, codesAt + 2 * coded, length).toString();
  return new TextsPiece(ends, codes, text, bytes.byteLength - length);
}

class TextsPiece implements ColumnPiece {
  readonly #ends: Uint32Array;
  readonly #codes: Uint16Array | null;
  readonly #text: string;
  /** Texts that repeat are cut out once. */
  readonly #cut: (string | undefined)[];
  readonly bytes: number;
  constructor(ends: Uint32Array, codes: Uint16Array | null, text: string, others: number) {
    this.#ends = ends;
    this.#codes = codes;
    this.#text = text;
    this.#cut = codes === null ? [] : new Array(ends.length);
    this.bytes = others + 2 * text.length + 8 * this.#cut.length;
  }
  at(row: number): string | null {
    if (this.#codes === null) return this.#entry(row);
    const code = this.#codes[row] as number;
    const cut = this.#cut[code];
    if (cut !== undefined) return cut;
    const entry = this.#entry(code);
    if (entry !== null) this.#cut[code] = entry;
    return entry;
  }
  #entry(place: number): string | null {
    const end = this.#ends[place] as number;
    if (end >= nullBit) return null;
    return this.#text.slice(place === 0 ? 0 : (this.#ends[place - 1] as number) & ~nullBit, end);
  }
}

/** Where rows lie in the payload: offsets in bytes, then lengths. */
export function encodePlaces(offsets: readonly number[], lengths: readonly number[]): Buffer[] {
  return [bytesOf(Float64Array.from(offsets)), bytesOf(Uint32Array.from(lengths))];
}

export interface Places {
  readonly bytes: number;
  readonly offsets: Float64Array;
  readonly lengths: Uint32Array;
}

export function decodePlaces(bytes: ArrayBuffer): Places {
  const rows = bytes.byteLength / 12;
  return {
    bytes: bytes.byteLength,
    offsets: new Float64Array(bytes, 0, rows),
    lengths: new Uint32Array(bytes, 8 * rows),
  };
}

/** The memory of a typed array, not copied. */
export const bytesOf = (array: NodeJS.TypedArray): Buffer =>
  Buffer.from(array.buffer, array.byteOffset, array.byteLength);
