/** Numbers of groups: rows with the same values in some columns have the same number. Null is a value like any other. */
import { ValidationError } from '../../catalogue/errors.ts';
import { parseDateTime, parseTimeOfDay } from '../date-time.ts';
import { detachedCopy, type TableColumn, type Value } from '../row.ts';
import type { ColumnChunk } from '../table/column-chunk.ts';

/** A column by which rows are grouped: its index in the table, and its type. */
export interface GroupColumn {
  readonly index: number;
  readonly type: TableColumn['type'];
}

/** @throws ValidationError, always */
function refuseManyGroups(limit: number): never {
  const message = `The rows have more than ${limit} groups. Group by fewer columns, or by one with fewer values, or filter the rows.`;
  throw new ValidationError({ _group_by: [message] });
}

/** What the groups and aggregates of a query may take together, and take already. */
export interface Budget {
  readonly limit: number;
  used: number;
}

/** Bytes of a value or a pair beside those of its text, about. */
const bytesOfValue = 100;

/** Counts the memory of a kept value. @throws ValidationError if the budget is used up */
export function countMemory(memory: Budget, value: Value): void {
  memory.used += bytesOfValue + (typeof value === 'string' ? value.length : 0);
  if (memory.used <= memory.limit) return;
  const message =
    'The groups take too much memory. Group by fewer columns, ask for the least and greatest texts of fewer, or filter the rows.';
  throw new ValidationError({ _group_by: [message] });
}

export class Grouping {
  readonly #columns: readonly GroupColumn[];
  readonly #values: readonly DistinctValues[];
  /** Of the first two columns, of these pairs and the third, and so on. */
  readonly #pairs: readonly DistinctPairs[];
  #numbers = new Uint32Array(0);
  #more = new Uint32Array(0);

  /** @param limit largest number of groups */
  constructor(columns: readonly GroupColumn[], limit: number, memory: Budget) {
    this.#columns = columns;
    this.#values = columns.map(({ type }) => new DistinctValues(type, limit, memory));
    this.#pairs = columns.slice(1).map(() => new DistinctPairs(limit, memory));
  }

  /** Number of groups so far. Without columns, all rows are one group, even if there are none. */
  get count(): number {
    return this.#pairs.at(-1)?.count ?? this.#values[0]?.count ?? 1;
  }

  /**
   * The group of each row of a row group; valid until the next call.
   * @param rows counted from the start of the row group
   * @throws ValidationError if there are too many groups
   */
  numberRows(chunk: (column: number) => ColumnChunk | undefined, rows: Uint32Array): Uint32Array {
    const { length } = rows;
    if (this.#numbers.length < length)
      [this.#numbers, this.#more] = [new Uint32Array(length), new Uint32Array(this.#pairs.length && length)];
    const numbers = this.#numbers.subarray(0, length);
    for (const [i, { index }] of this.#columns.entries()) {
      const target = i === 0 ? numbers : this.#more.subarray(0, length);
      this.#values[i]?.numberRows(chunk(index), rows, target);
      if (i > 0) this.#pairs[i - 1]?.numberRows(numbers, target);
    }
    return numbers;
  }

  /** The value of a group in one of the columns, in their order. */
  value(group: number, column: number): Value {
    let number = group;
    for (let i = this.#pairs.length; i > column; i--) number = this.#pairs[i - 1]?.left(number) as number;
    if (column > 0) number = this.#pairs[column - 1]?.right(number) as number;
    return this.#values[column]?.value(number) ?? null;
  }
}

/** Whole numbers from 0 to below this are found by an array, not a map. */
const maxSmall = 1 << 16;

/** The distinct values of a column, numbered in the order of their first row. Datetimes and times compare as instants. */
class DistinctValues {
  readonly #keyOf: (value: Value) => Value;
  readonly #limit: number;
  readonly #memory: Budget;
  readonly #values: Value[] = [];
  readonly #numbers = new Map<Value, number>();
  /** Numbers of small whole numbers, plus 1; made when the first one is met. */
  #small: Uint32Array | undefined;

  constructor(type: TableColumn['type'], limit: number, memory: Budget) {
    this.#limit = limit;
    this.#memory = memory;
    this.#keyOf = instantParserOf(type) ?? ((value) => value);
  }

  get count(): number {
    return this.#values.length;
  }

  value(number: number): Value {
    return this.#values[number] as Value;
  }

  #numberOf(value: Value): number {
    const known = this.#numbers.get(this.#keyOf(value));
    if (known !== undefined) return known;
    const kept = typeof value === 'string' ? detachedCopy(value) : value;
    const number = this.#values.length;
    if (number === this.#limit) refuseManyGroups(this.#limit);
    countMemory(this.#memory, kept);
    // Not -0: it is in the same group as 0.
    this.#values.push(kept === 0 ? 0 : kept);
    this.#numbers.set(this.#keyOf(kept), number);
    return number;
  }

  /** Writes the number of the value of each row. */
  numberRows(chunk: ColumnChunk | undefined, rows: Uint32Array, numbers: Uint32Array): void {
    const { length } = rows;
    if (chunk?.kind === 'numbers') this.#numberNumbers(chunk.numbers, rows, numbers);
    else if (chunk?.kind === 'texts' && chunk.codes) {
      // The number of each entry of the dictionary, plus 1.
      const known = new Uint32Array(chunk.entryCount);
      for (let i = 0; i < length; i++) {
        const code = chunk.codes[rows[i] as number] as number;
        let number = known[code] as number;
        if (number === 0) {
          number = this.#numberOf(chunk.entry(code)) + 1;
          known[code] = number;
        }
        numbers[i] = number - 1;
      }
    } else if (chunk === undefined || chunk.kind === 'nulls') {
      if (length > 0) numbers.fill(this.#numberOf(null));
    } else for (let i = 0; i < length; i++) numbers[i] = this.#numberOf(chunk.at(rows[i] as number));
  }

  #numberNumbers(values: Float64Array, rows: Uint32Array, numbers: Uint32Array): void {
    this.#small ??= new Uint32Array(maxSmall);
    const small = this.#small;
    for (let i = 0; i < rows.length; i++) {
      const value = values[rows[i] as number] as number;
      const index = value >>> 0;
      if (index === value && index < maxSmall) {
        let number = small[index] as number;
        if (number === 0) {
          number = this.#numberOf(value) + 1;
          small[index] = number;
        }
        numbers[i] = number - 1;
      } else numbers[i] = this.#numberOf(Number.isNaN(value) ? null : value);
    }
  }
}

/** A function from texts of datetimes or times to numbers, by which they compare; undefined for other types. */
export function instantParserOf(type: TableColumn['type']): ((value: Value) => Value) | undefined {
  const parse = type === 'datetime' ? parseDateTime : type === 'time' ? parseTimeOfDay : undefined;
  return parse && ((value) => (typeof value === 'string' ? parse(value) : value));
}

/** Pairs of a number below 2^10 and one below 2^8 are found by an array, not a map. */
const [smallLeftBits, smallRightBits] = [10, 8];

/** The distinct pairs of numbers, numbered in the order of their first row. */
class DistinctPairs {
  readonly #limit: number;
  readonly #memory: Budget;
  readonly #lefts: number[] = [];
  readonly #rights: number[] = [];
  readonly #numbers = new Map<number, number>();
  /** Numbers of pairs of small numbers, plus 1. */
  readonly #small = new Uint32Array(1 << (smallLeftBits + smallRightBits));

  constructor(limit: number, memory: Budget) {
    this.#limit = limit;
    this.#memory = memory;
  }

  get count(): number {
    return this.#lefts.length;
  }

  left(number: number): number {
    return this.#lefts[number] as number;
  }

  right(number: number): number {
    return this.#rights[number] as number;
  }

  #add(left: number, right: number): number {
    const number = this.#lefts.length;
    if (number === this.#limit) refuseManyGroups(this.#limit);
    countMemory(this.#memory, number);
    this.#lefts.push(left);
    this.#rights.push(right);
    return number;
  }

  /** Replaces each number on the left by the one of its pair. */
  numberRows(lefts: Uint32Array, rights: Uint32Array): void {
    const small = this.#small;
    for (let i = 0; i < lefts.length; i++) {
      const left = lefts[i] as number;
      const right = rights[i] as number;
      let number: number | undefined;
      if (left >> smallLeftBits === 0 && right >> smallRightBits === 0) {
        const index = (left << smallRightBits) | right;
        number = (small[index] as number) - 1;
        if (number < 0) {
          number = this.#add(left, right);
          small[index] = number + 1;
        }
      } else {
        // Neither is as large as 2^26.
        const key = left * 0x400_0000 + right;
        number = this.#numbers.get(key);
        if (number === undefined) {
          number = this.#add(left, right);
          this.#numbers.set(key, number);
        }
      }
      lefts[i] = number;
    }
  }
}
