/**
 * Hashes of rows: 64 bits each, by numbers drawn anew for each comparison, so that two different rows of a few million
 * share theirs once in millions of comparisons, and nobody can choose rows that do. They stand for rows that are equal;
 * rows whose hashes differ are different for certain.
 */
import { randomFillSync } from 'node:crypto';
import { rangesInTurns } from '../event-loop.ts';
import type { Form } from './compare-columns.ts';

/** What kind of value comes next: without it, two values could read as one. */
const tags = { null: 0x3c6ef372, boolean: 0x5be0cd19, number: 0x1f83d9ab, text: 0x510e527f } as const;

/** Hashes one row after another, a value at a time. */
export class RowHasher {
  /** The two halves. */
  a = 0;
  b = 0;
  readonly #seeds = randomFillSync(new Int32Array(4));
  /** Odd, so that multiplying loses nothing. */
  readonly #oddA = (this.#seeds[2] as number) | 1;
  readonly #oddB = (this.#seeds[3] as number) | 1;
  readonly #number = new Float64Array(1);
  readonly #words = new Int32Array(this.#number.buffer);

  start(): void {
    this.a = this.#seeds[0] as number;
    this.b = this.#seeds[1] as number;
  }

  add(value: Form): void {
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

  /** Each half is a one-to-one function of what it was, so that a difference never gets lost on the way. */
  #mix(word: number): void {
    const a = Math.imul(this.a ^ word, this.#oddA);
    this.a = a ^ (a >>> 15);
    const b = Math.imul(((this.b << 13) | (this.b >>> 19)) ^ word, this.#oddB) + this.a;
    this.b = b ^ (b >>> 16);
  }
}

/** The hashes of a table's rows, by their places: 8 bytes each. */
export class Hashes {
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

  /** Whether a row has the same hash as a row of others. */
  matches(row: number, others: Hashes, other: number): boolean {
    return this.a[row] === others.a[other] && this.b[row] === others.b[other];
  }
}

const taken = -1;

/** Finds rows by their hashes: 8 to 20 bytes a row. */
export class HashIndex {
  readonly #hashes: Hashes;
  /** The first row of each hash, plus one, by its slot; 0 is free. Half of the slots at least are free. */
  readonly #slots: Int32Array;
  /** Of a hash, the bits that choose the slot. */
  readonly #shift: number;
  /** The next row with the same hash, plus one; made when there is one. */
  #next: Int32Array | undefined;
  #repeated: number | undefined;

  private constructor(hashes: Hashes) {
    this.#hashes = hashes;
    const bits = Math.ceil(Math.log2(2 * hashes.rows + 2));
    this.#slots = new Int32Array(2 ** bits);
    this.#shift = 32 - bits;
  }

  /** Takes all rows in. */
  static async of(hashes: Hashes, signal: AbortSignal | undefined): Promise<HashIndex> {
    const index = new HashIndex(hashes);
    const last = hashes.rows - 1;
    // From the last to the first, so that rows with the same hash are taken out in their order.
    for await (const { start, end } of rangesInTurns(hashes.rows, signal))
      for (let row = last - start; row > last - end; row--) index.#add(row);
    return index;
  }

  /** A row whose hash an earlier row has as well, if there is any. */
  get repeated(): number | undefined {
    return this.#repeated;
  }

  #add(row: number): void {
    const slot = this.#slotOf(this.#hashes, row);
    const same = this.#slots[slot] as number;
    this.#slots[slot] = row + 1;
    if (same === 0) return;
    this.#repeated = same - 1;
    this.#next ??= new Int32Array(this.#hashes.rows);
    this.#next[row] = same;
  }

  /** Takes out the first row with the hash of a row of others; -1 where there is none left. */
  take(others: Hashes, other: number): number {
    const slot = this.#slotOf(others, other);
    const row = (this.#slots[slot] as number) - 1;
    if (row < 0) return -1;
    this.#slots[slot] = this.#next?.[row] || taken;
    return row;
  }

  /** The slot of a hash, or the free one where it belongs. */
  #slotOf(hashes: Hashes, row: number): number {
    const mask = this.#slots.length - 1;
    let slot = Math.imul((hashes.a[row] as number) ^ (hashes.b[row] as number), 0x9e3779b1) >>> this.#shift;
    for (;;) {
      const found = this.#slots[slot] as number;
      if (found === 0 || (found !== taken && this.#hashes.matches(found - 1, hashes, row))) return slot;
      slot = (slot + 1) & mask;
    }
  }
}
