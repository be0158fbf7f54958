/** A set of row indexes, as a bitmap; iterated in file order. */
export class RowSet {
  /** Bit `row & 31` of word `row >>> 5` is 1 for each row in the set. */
  readonly bitmap: Uint32Array;
  /** Number of rows in the set. */
  count = 0;

  /** @param rows number of rows in the table; or the bitmap of a set, which is used and not copied */
  constructor(rows: number | Uint32Array) {
    this.bitmap = typeof rows === 'number' ? new Uint32Array((rows + 31) >>> 5) : rows;
    if (typeof rows !== 'number') for (const word of rows) this.count += bitCount(word);
  }

  /** The union of sets of rows of one table. */
  static union(rows: number, sets: readonly RowSet[]): RowSet {
    const all = new Uint32Array((rows + 31) >>> 5);
    for (const { bitmap } of sets)
      for (let at = 0; at < all.length; at++) all[at] = (all[at] as number) | (bitmap[at] as number);
    return new RowSet(all);
  }

  add(row: number): void {
    const bit = 1 << (row & 31);
    const word = this.bitmap[row >>> 5] as number;
    if ((word & bit) !== 0) return;
    this.bitmap[row >>> 5] = word | bit;
    this.count++;
  }

  has(row: number): boolean {
    return ((this.bitmap[row >>> 5] as number) & (1 << (row & 31))) !== 0;
  }

  /** The rows at some positions of the set. @param positions from 0, ascending */
  at(positions: readonly number[]): RowSet {
    const found = new RowSet(this.bitmap.length * 32);
    let before = 0;
    let next = 0;
    for (let at = 0; at < this.bitmap.length && next < positions.length; at++) {
      const here = bitCount(this.bitmap[at] as number);
      if ((positions[next] as number) < before + here) {
        const rows = this.between(at << 5, (at + 1) << 5);
        for (; (positions[next] as number) < before + here; next++)
          found.add(rows[(positions[next] as number) - before] as number);
      }
      before += here;
    }
    return found;
  }

  /** The rows of the set from `start` to `end`, `end` not included. */
  between(start: number, end: number): number[] {
    const rows: number[] = [];
    for (let at = start >>> 5; at << 5 < end; at++) {
      let word = this.bitmap[at] as number;
      while (word !== 0) {
        const bit = 31 - Math.clz32(word & -word);
        const row = (at << 5) + bit;
        if (row >= start && row < end) rows.push(row);
        word &= word - 1;
      }
    }
    return rows;
  }
}

/** Number of bits that are set (Warren, Hacker's Delight, section 5-1). */
function bitCount(word: number): number {
  let bits = word - ((word >>> 1) & 0x55555555);
  bits = (bits & 0x33333333) + ((bits >>> 2) & 0x33333333);
  return Math.imul((bits + (bits >>> 4)) & 0x0f0f0f0f, 0x01010101) >>> 24;
}
