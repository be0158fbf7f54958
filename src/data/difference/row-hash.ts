/**
 * Hashes of rows: 64 bits, with random seeds for each comparison. Of a few million different rows, two have the same hash
 * in one of millions of comparisons, and nobody can construct rows that collide. Rows with different hashes are certainly
 * different.
 */
import { randomFillSync } from 'node:crypto';
import { indexRangesWithoutBlocking } from '../event-loop.ts';
import type { ComparableValue } from './compare-columns.ts';

/** Type tags before values, so that different sequences of values don't have the same words. */
const tags = { null: 0x3c6ef372, boolean: 0x5be0cd19, number: 0x1f83d9ab, text: 0x510e527f } as const;

/** Hashes one row after another, a value at a time. */
export class RowHasher {
  /** Halves of the hash. */
  a = 0;
  b = 0;
  readonly #seeds = randomFillSync(new Int32Array(4));
  /** Odd, so that multiplication is one-to-one. */
  readonly #oddA = (this.#seeds[2] as number) | 1;
  readonly #oddB = (this.#seeds[3] as number) | 1;
  readonly #number = new Float64Array(1);
  readonly #words = new Int32Array(this.#number.buffer);

  start(): void {
    this.a = this.#seeds[0] as number;
    this.b = this.#seeds[1] as number;
  }

  add(value: ComparableValue): void {
    if (value === null) this.#mix(tags.null);
    else if (typeof value === 'number') {
      this.#number[0] = value;
      this.#mix(tags.number);
      this.#mix(this.#words[0] as number);
      this.#mix(this.#words[1] as number);
    } else if (typeof value === 'string') {
      const { length } = value;
      this.#mix(tags.text + length);
      let at = 0;
      for (; at + 1 < length; at += 2) this.#mix(value.charCodeAt(at) | (value.charCodeAt(at + 1) << 16));
      if (at < length) this.#mix(value.charCodeAt(at));
    } else this.#mix(tags.boolean + Number(value));
  }

  /** Each half is a one-to-one function of its previous value, so that no difference is lost. */
  #mix(word: number): void {
    const a = Math.imul(this.a ^ word, this.#oddA);
    this.a = a ^ (a >>> 15);
    const b = Math.imul(((this.b << 13) | (this.b >>> 19)) ^ word, this.#oddB) + this.a;
    this.b = b ^ (b >>> 16);
  }
}

/** The hashes of a table's rows: 8 bytes each. */
export class RowHashes {
  readonly a: Int32Array;
  readonly b: Int32Array;

  constructor(rows: number) {
    this.a = new Int32Array(rows);
    this.b = new Int32Array(rows);
  }

  get rows(): number {
    return this.a.length;
  }

  set(row: number, { a, b }: RowHasher): void {
    this.a[row] = a;
    this.b[row] = b;
  }

  /** True if a row has the same hash as a row of `others`. */
  equals(row: number, others: RowHashes, other: number): boolean {
    return this.a[row] === others.a[other] && this.b[row] === others.b[other];
  }
}

/** A slot whose rows were all taken. */
const takenSlot = -1;

/** A hash table of rows: 8 to 20 bytes a row. */
export class HashIndex {
  readonly #hashes: RowHashes;
  /** By slot, the first row with the hash, plus one; 0 is free. At least half of the slots are free. */
  readonly #slots: Int32Array;
  /** Bits by which a hash is shifted to its slot. */
  readonly #shift: number;
  /** By row, the next row with the same hash, plus one; created when needed. */
  #next: Int32Array | undefined;
  #duplicate: number | undefined;

  private constructor(hashes: RowHashes) {
    this.#hashes = hashes;
    const bits = Math.ceil(Math.log2(2 * hashes.rows + 2));
    this.#slots = new Int32Array(2 ** bits);
    this.#shift = 32 - bits;
  }

  /** Creates an index of all rows. */
  static async create(hashes: RowHashes, signal: AbortSignal | undefined): Promise<HashIndex> {
    const index = new HashIndex(hashes);
    const last = hashes.rows - 1;
    // From the last to the first, so that rows with the same hash are taken in their order.
    for await (const { start, end } of indexRangesWithoutBlocking(hashes.rows, signal))
      for (let row = last - start; row > last - end; row--) index.#add(row);
    return index;
  }

  /** A row with the same hash as an earlier one, if there is any. */
  get duplicate(): number | undefined {
    return this.#duplicate;
  }

  #add(row: number): void {
    const slot = this.#slotOf(this.#hashes, row);
    const next = this.#slots[slot] as number;
    this.#slots[slot] = row + 1;
    if (next === 0) return;
    this.#duplicate = next - 1;
    this.#next ??= new Int32Array(this.#hashes.rows);
    this.#next[row] = next;
  }

  /** Removes and returns the first row with the hash of a row of `others`; -1 if none is left. */
  take(others: RowHashes, other: number): number {
    const slot = this.#slotOf(others, other);
    const row = (this.#slots[slot] as number) - 1;
    if (row < 0) return -1;
    this.#slots[slot] = this.#next?.[row] || takenSlot;
    return row;
  }

  /** The slot of a hash, or the free slot for it. */
  #slotOf(hashes: RowHashes, row: number): number {
    const mask = this.#slots.length - 1;
    let slot = Math.imul((hashes.a[row] as number) ^ (hashes.b[row] as number), 0x9e3779b1) >>> this.#shift;
    for (;;) {
      const found = this.#slots[slot] as number;
      if (found === 0 || (found !== takenSlot && this.#hashes.equals(found - 1, hashes, row))) return slot;
      slot = (slot + 1) & mask;
    }
  }
}
