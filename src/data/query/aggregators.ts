/** Aggregates of groups of rows, computed row group by row group. Nulls don't count; without other values they are null. */
import { ValidationError } from '../../catalogue/errors.ts';
import type { Turns } from '../event-loop.ts';
import { detachedCopy, type TableColumn, type Value } from '../row.ts';
import type { ColumnChunk } from '../table/column-chunk.ts';
import { type Budget, countMemory, instantParserOf } from './grouping.ts';
import { GroupedNumbers } from './median.ts';

/** The rows of a row group that are added, counted from its start, and the group of each. */
export interface GroupedRows {
  readonly rows: Uint32Array;
  readonly groups: Uint32Array;
  /** Number of groups so far. */
  readonly groupCount: number;
}

export interface Aggregator {
  /** Adds values of a column. @param chunk undefined if all values are null */
  add(chunk: ColumnChunk | undefined, rows: GroupedRows): void;
  /** Called after the last row group. @param groupCount number of groups in all */
  finish?(groupCount: number, turns: Turns): Promise<void>;
  /** The aggregate of a group. */
  value(group: number): Value;
  /** The mean of a group's values, of an aggregator of sums. */
  mean?(group: number): number | null;
}

/** What all aggregates of a query share. */
export interface AggregateBudgets {
  /** Values of medians, which are kept in memory. */
  readonly medianValues: Budget;
  readonly memory: Budget;
}

/** @param type of the column */
export function createAggregator(
  name: 'rows' | 'count' | 'sum' | 'min' | 'max' | 'median',
  type: TableColumn['type'],
  { medianValues, memory }: AggregateBudgets,
): Aggregator {
  switch (name) {
    case 'rows':
      return new RowCounter();
    case 'count':
      return new ValueCounter();
    case 'sum':
      return new Sums(type === 'integer');
    case 'median':
      return new Medians(medianValues);
    default:
      return isStoredAsText(type) ? new TextExtremes(name, type, memory) : new NumberExtremes(name, type);
  }
}

const isStoredAsText = (type: TableColumn['type']) => !['integer', 'float', 'boolean'].includes(type);

/** The array with room for more groups, filled with a number. */
function grown(array: Float64Array<ArrayBuffer>, groupCount: number, fill = 0): Float64Array<ArrayBuffer> {
  if (array.length >= groupCount) return array;
  const larger = new Float64Array(Math.max(groupCount, 2 * array.length)).fill(fill);
  larger.set(array);
  return larger;
}

class RowCounter implements Aggregator {
  #counts = new Float64Array(1);

  add(_chunk: ColumnChunk | undefined, { groups, groupCount }: GroupedRows): void {
    this.#counts = grown(this.#counts, groupCount);
    const counts = this.#counts;
    for (let i = 0; i < groups.length; i++) (counts[groups[i] as number] as number)++;
  }

  value(group: number): number {
    return this.#counts[group] ?? 0;
  }
}

class ValueCounter implements Aggregator {
  #counts = new Float64Array(1);

  add(chunk: ColumnChunk | undefined, { rows, groups, groupCount }: GroupedRows): void {
    this.#counts = grown(this.#counts, groupCount);
    const counts = this.#counts;
    if (chunk?.kind === 'numbers') {
      const { numbers } = chunk;
      for (let i = 0; i < rows.length; i++)
        if (!Number.isNaN(numbers[rows[i] as number])) (counts[groups[i] as number] as number)++;
    } else if (chunk && chunk.kind !== 'nulls') {
      for (let i = 0; i < rows.length; i++)
        if (chunk.at(rows[i] as number) !== null) (counts[groups[i] as number] as number)++;
    }
  }

  value(group: number): number {
    return this.#counts[group] ?? 0;
  }
}

/**
 * Sums by Neumaier's algorithm: what rounding loses is summed, too, so that 0.1 added ten times is 1. The two sums of whole
 * numbers are exact together; a total beyond ±(2^53 - 1) is a text with its digits, like such numbers in payloads.
 */
class Sums implements Aggregator {
  readonly #areIntegers: boolean;
  #sums = new Float64Array(1);
  #lost = new Float64Array(1);
  #counts = new Float64Array(1);

  constructor(areIntegers: boolean) {
    this.#areIntegers = areIntegers;
  }

  add(chunk: ColumnChunk | undefined, { rows, groups, groupCount }: GroupedRows): void {
    if (chunk?.kind !== 'numbers') return;
    this.#sums = grown(this.#sums, groupCount);
    this.#lost = grown(this.#lost, groupCount);
    this.#counts = grown(this.#counts, groupCount);
    const { numbers } = chunk;
    const [sums, lost, counts] = [this.#sums, this.#lost, this.#counts];
    for (let i = 0; i < rows.length; i++) {
      const number = numbers[rows[i] as number] as number;
      if (Number.isNaN(number)) continue;
      const group = groups[i] as number;
      const before = sums[group] as number;
      const sum = before + number;
      (lost[group] as number) += Math.abs(before) >= Math.abs(number) ? before - sum + number : number - sum + before;
      sums[group] = sum;
      (counts[group] as number)++;
    }
  }

  value(group: number): number | string | null {
    if (!this.#counts[group]) return null;
    const total = this.#total(group);
    // Of infinities of both signs.
    if (Number.isNaN(total)) return null;
    if (!this.#areIntegers || Number.isSafeInteger(total)) return total;
    return String(BigInt(this.#sums[group] as number) + BigInt(this.#lost[group] as number));
  }

  mean(group: number): number | null {
    const count = this.#counts[group];
    const mean = count ? this.#total(group) / count : Number.NaN;
    return Number.isNaN(mean) ? null : mean;
  }

  #total(group: number): number {
    const sum = this.#sums[group] as number;
    return Number.isFinite(sum) ? sum + (this.#lost[group] as number) : sum;
  }
}

/** Least or greatest numbers; false is less than true. */
class NumberExtremes implements Aggregator {
  readonly #sign: number;
  readonly #areBooleans: boolean;
  /** Negated for the greatest; NaN if there is none. */
  #least = new Float64Array(1).fill(Number.NaN);

  constructor(name: 'min' | 'max', type: TableColumn['type']) {
    this.#sign = name === 'min' ? 1 : -1;
    this.#areBooleans = type === 'boolean';
  }

  add(chunk: ColumnChunk | undefined, { rows, groups, groupCount }: GroupedRows): void {
    if (chunk?.kind !== 'numbers' && chunk?.kind !== 'booleans') return;
    this.#least = grown(this.#least, groupCount, Number.NaN);
    const least = this.#least;
    const sign = this.#sign;
    const areBooleans = chunk.kind === 'booleans';
    const values = areBooleans ? chunk.codes : chunk.numbers;
    for (let i = 0; i < rows.length; i++) {
      const value = values[rows[i] as number] as number;
      if (Number.isNaN(value) || (areBooleans && value === 0)) continue;
      const group = groups[i] as number;
      // The present one may be NaN.
      if (!((least[group] as number) <= sign * value)) least[group] = sign * value;
    }
  }

  value(group: number): number | boolean | null {
    const value = this.#sign * (this.#least[group] ?? Number.NaN);
    if (Number.isNaN(value)) return null;
    // Not -0.
    return this.#areBooleans ? value === 2 : value + 0;
  }
}

/** First or last texts, by code unit; datetimes and times as instants. */
class TextExtremes implements Aggregator {
  readonly #sign: number;
  readonly #keyOf: (value: Value) => Value;
  readonly #memory: Budget;
  readonly #texts: (string | undefined)[] = [];
  readonly #keys: (string | number | undefined)[] = [];

  constructor(name: 'min' | 'max', type: TableColumn['type'], memory: Budget) {
    this.#memory = memory;
    this.#sign = name === 'min' ? 1 : -1;
    this.#keyOf = instantParserOf(type) ?? ((value) => value);
  }

  add(chunk: ColumnChunk | undefined, { rows, groups }: GroupedRows): void {
    if (chunk?.kind !== 'texts') return;
    const [texts, keys] = [this.#texts, this.#keys];
    for (let i = 0; i < rows.length; i++) {
      const text = chunk.at(rows[i] as number);
      const group = groups[i] as number;
      // Texts that repeat are mostly the same object.
      if (text === null || text === texts[group]) continue;
      const key = this.#keyOf(text) as string | number;
      const present = keys[group];
      if (present !== undefined && (this.#sign > 0 ? !(key < present) : !(key > present))) continue;
      if (present === undefined) countMemory(this.#memory, text);
      else this.#memory.used += text.length - (texts[group] as string).length;
      texts[group] = detachedCopy(text);
      keys[group] = key === text ? (texts[group] as string) : key;
    }
  }

  value(group: number): string | null {
    return this.#texts[group] ?? null;
  }
}

class Medians implements Aggregator {
  readonly #budget: Budget;
  #numbers = new GroupedNumbers();
  #medians = new Float64Array(0);

  constructor(budget: Budget) {
    this.#budget = budget;
  }

  add(chunk: ColumnChunk | undefined, { rows, groups, groupCount }: GroupedRows): void {
    if (chunk?.kind !== 'numbers') return;
    const { numbers } = chunk;
    let count = 0;
    for (let i = 0; i < rows.length; i++) if (!Number.isNaN(numbers[rows[i] as number])) count++;
    // A chunk without nulls is kept as it is, rather than copied.
    if (count === numbers.length) this.#numbers.add(numbers, groups.slice(), groupCount);
    else this.#numbers.add(...presentNumbers(numbers, { rows, groups }, count), groupCount);
    this.#budget.used += count;
    if (this.#budget.used <= this.#budget.limit) return;
    const message = `The medians are of more than ${this.#budget.limit} values. Filter the rows, or ask for the mean.`;
    throw new ValidationError({ _aggregate: [message] });
  }

  async finish(groupCount: number, turns: Turns): Promise<void> {
    this.#medians = await this.#numbers.medians(groupCount, turns);
    this.#numbers = new GroupedNumbers();
  }

  value(group: number): number | null {
    const median = this.#medians[group] as number;
    return Number.isNaN(median) ? null : median;
  }
}

/** The numbers of rows, without nulls, and the group of each. @param count how many they are */
function presentNumbers(
  all: Float64Array,
  { rows, groups }: Pick<GroupedRows, 'rows' | 'groups'>,
  count: number,
): [numbers: Float64Array, groups: Uint32Array] {
  const numbers = new Float64Array(count);
  const groupOf = new Uint32Array(count);
  let next = 0;
  for (let i = 0; i < rows.length; i++) {
    const number = all[rows[i] as number] as number;
    if (Number.isNaN(number)) continue;
    numbers[next] = number;
    groupOf[next++] = groups[i] as number;
  }
  return [numbers, groupOf];
}
