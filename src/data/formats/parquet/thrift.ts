/**
 * Thrift's compact protocol (its specification, "Thrift compact protocol encoding"), as far as Parquet uses it. The claims of
 * the bytes, such as the length of a list, are checked against the bytes that are left before anything is allocated:
 * hyparquet's own parser, which reads the same bytes after it, doesn't do that.
 */
import { PayloadError } from '../../errors.ts';

/** A struct: its fields by their ids. */
export type ThriftStruct = ReadonlyMap<number, ThriftValue>;
export type ThriftValue = number | bigint | boolean | Uint8Array | readonly ThriftValue[] | ThriftStruct;

/** Deepest nesting of structs and lists; Parquet's metadata have less than ten. */
const maxDepth = 24;

/** Reads structs from bytes, one after another. */
export class ThriftReader {
  readonly #bytes: Uint8Array;
  readonly #view: DataView;
  /** Index of the next byte. */
  offset: number;

  constructor(bytes: Uint8Array, offset = 0) {
    this.#bytes = bytes;
    this.#view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    this.offset = offset;
  }

  /** @throws PayloadError if the bytes are no struct, or claim more than there is */
  readStruct(depth = 0): ThriftStruct {
    if (depth > maxDepth) throw invalid('is nested too deeply');
    const fields = new Map<number, ThriftValue>();
    for (let id = 0; ; ) {
      const head = this.#byte();
      const type = head & 0x0f;
      if (type === 0) return fields;
      id = head >> 4 ? id + (head >> 4) : Number(this.#zigzag(5));
      fields.set(id, this.#value(type, depth + 1));
    }
  }

  #value(type: number, depth: number): ThriftValue {
    switch (type) {
      case 1:
      case 2:
        return type === 1;
      case 3:
        return (this.#byte() << 24) >> 24;
      case 4:
      case 5:
        return Number(BigInt.asIntN(32, this.#zigzag(5)));
      case 6:
        return this.#zigzag(10);
      case 7:
        return this.#view.getFloat64(this.#take(8), true);
      case 8: {
        const length = Number(this.#varint(5));
        const start = this.#take(length);
        return this.#bytes.subarray(start, start + length);
      }
      case 9:
        return this.#list(depth);
      case 12:
        return this.readStruct(depth);
      default:
        throw invalid('has an unknown type of field');
    }
  }

  #list(depth: number): readonly ThriftValue[] {
    if (depth > maxDepth) throw invalid('is nested too deeply');
    const head = this.#byte();
    const length = head >> 4 === 15 ? Number(this.#varint(5)) : head >> 4;
    // Each item takes a byte at least.
    if (length > this.#bytes.length - this.offset) throw invalid(`has a list of ${length} items, which don't fit`);
    const type = head & 0x0f;
    const isBoolean = type === 1 || type === 2;
    return Array.from({ length }, () => (isBoolean ? this.#byte() === 1 : this.#value(type, depth + 1)));
  }

  #byte(): number {
    return this.#bytes[this.#take(1)] as number;
  }

  /** Moves on by a number of bytes. @returns the index of the first */
  #take(length: number): number {
    const start = this.offset;
    if (length > this.#bytes.length - start) throw invalid('ends too early');
    this.offset += length;
    return start;
  }

  #varint(maxBytes: number): bigint {
    let low = 0;
    let high = 0n;
    for (let i = 0; i < maxBytes; i++) {
      const byte = this.#byte();
      if (i < 4) low += (byte & 0x7f) << (7 * i);
      else high |= BigInt(byte & 0x7f) << BigInt(7 * i);
      if (byte < 0x80) return BigInt(low) | high;
    }
    throw invalid('has a number that is too long');
  }

  #zigzag(maxBytes: number): bigint {
    const value = this.#varint(maxBytes);
    return (value >> 1n) ^ -(value & 1n);
  }
}

const invalid = (reason: string) => new PayloadError(`the Parquet can't be read: its metadata ${reason}`);
