/** The profile of a table's columns: distribution, most frequent values, mean and median, read from the columnar copy. */
import type { ColumnProfile, Histogram, StatisticsValue, VersionProfile } from '../../catalogue/column-statistics.ts';
import type { ColumnType } from '../../catalogue/types.ts';
import { dateOfInstant, lastInstant, parseDateTime } from '../date-time.ts';
import { Turns } from '../event-loop.ts';
import { maxDistinct } from '../ingest/value-summary.ts';
import { geometryColumnName } from '../row.ts';
import type { ColumnChunk } from '../table/column-chunk.ts';
import type { Table } from '../table/table.ts';
import { createAggregator } from './aggregators.ts';
import { linearEdges, logarithmicEdges, makeBinFinder, timeEdges } from './histogram.ts';
import { meanOfTwo } from './median.ts';

/** Most values that are listed as the most frequent ones. */
const maxTop = 10;
/** Longest text that is counted and shown, in UTF-16 code units. */
const maxLength = 256;
const maxShown = 100;
const exampleCount = 3;
const nothing = { limit: 0, used: 0 };

const profiles = new WeakMap<Table, Promise<VersionProfile>>();

/** The profile of a table; read once for as long as the table is open. */
export function profileTable(table: Table): Promise<VersionProfile> {
  const known = profiles.get(table);
  if (known) return known;
  const profile = readProfile(table);
  profiles.set(table, profile);
  profile.catch(() => profiles.delete(table));
  return profile;
}

async function readProfile(table: Table): Promise<VersionProfile> {
  const turns = new Turns();
  const columns: ColumnProfile[] = [];
  if (table.schema.hasGeometry) columns.push(await profileGeometry(table, turns));
  for (const [index, { name, type }] of table.schema.columns.entries())
    columns.push({ name, type, ...(await profileColumn(table, index, type, turns)) });
  return { rows: table.rowCount, columns };
}

async function profileGeometry(table: Table, turns: Turns): Promise<ColumnProfile> {
  let present = 0;
  for await (const group of table.scanRowGroups({ columns: [] })) {
    for (const row of group) if (row.bbox() !== null || row.geometry() !== null) present++;
    if (turns.isOver) await turns.next();
  }
  const nulls = table.rowCount - present;
  return { name: geometryColumnName, type: 'geometry', nulls, distinct: null, examples: [...table.geometryKinds] };
}

/** Chunks of a column, row group by row group. */
async function* chunksOf(table: Table, column: number, turns: Turns): AsyncGenerator<[ColumnChunk, rows: number]> {
  for await (const group of table.scanRowGroups({ columns: [column], needsGeometry: false })) {
    const chunk = group.chunk(column);
    if (chunk) yield [chunk, group.groupRows];
    if (turns.isOver) await turns.next();
  }
}

/** Counts of the values of a column, as far as they are few, and their range. */
class ValueCounts {
  counts: Map<StatisticsValue, number> | null = new Map();
  present = 0;
  /** Numbers of the rows of a chunk. */
  #rows = new Uint32Array(0);
  readonly #sums = createAggregator('sum', 'float', { medianValues: nothing, memory: nothing });
  min: number | string | undefined;
  max: number | string | undefined;
  readonly examples: string[] = [];
  /** Compares texts: datetimes as instants. */
  readonly #isBefore: (a: string, b: string) => boolean;

  constructor(type: ColumnType) {
    this.#isBefore = type === 'datetime' ? (a, b) => parseDateTime(a) < parseDateTime(b) : (a, b) => a < b;
  }

  addNumbers(chunk: ColumnChunk & { readonly kind: 'numbers' }): void {
    const { numbers } = chunk;
    let min = (this.min as number | undefined) ?? Infinity;
    let max = (this.max as number | undefined) ?? -Infinity;
    for (const number of numbers) {
      if (Number.isNaN(number)) continue;
      this.present++;
      if (number < min) min = number;
      if (number > max) max = number;
      if (this.counts) this.#count(number, 1);
    }
    if (min <= max) [this.min, this.max] = [min, max];
    if (this.#rows.length < numbers.length) this.#rows = Uint32Array.from({ length: numbers.length }, (_, row) => row);
    const rows = this.#rows.subarray(0, numbers.length);
    this.#sums.add(chunk, { rows, groups: new Uint32Array(rows.length), groupCount: 1 });
  }

  /** The mean of numbers; undefined if their sum is too large for a double. */
  get mean(): number | undefined {
    const mean = this.#sums.mean?.(0) ?? Number.NaN;
    return Number.isFinite(mean) ? mean : undefined;
  }

  addText(text: string, times: number): void {
    this.present += times;
    if (this.examples.length < exampleCount && !this.examples.includes(shortened(text)))
      this.examples.push(shortened(text));
    if (this.min === undefined || this.#isBefore(text, this.min as string)) this.min = text;
    if (this.max === undefined || this.#isBefore(this.max as string, text)) this.max = text;
    if (text.length > maxLength) this.counts = null;
    else if (this.counts) this.#count(text, times);
  }

  addBooleans(codes: Uint8Array): void {
    for (const code of codes) {
      if (code === 0) continue;
      this.present++;
      this.#count(code === 2, 1);
    }
  }

  #count(value: StatisticsValue, times: number): void {
    const counts = this.counts as Map<StatisticsValue, number>;
    const known = counts.get(value);
    if (known === undefined && counts.size === maxDistinct) this.counts = null;
    else counts.set(value, (known ?? 0) + times);
  }
}

async function profileColumn(
  table: Table,
  column: number,
  type: ColumnType,
  turns: Turns,
): Promise<Omit<ColumnProfile, 'name' | 'type'>> {
  const isPlain = type !== 'object' && type !== 'array';
  const values = new ValueCounts(type);
  for await (const [chunk, rows] of chunksOf(table, column, turns)) addChunk(values, chunk, rows);
  const { counts, present, min, max, mean } = values;
  const nulls = table.rowCount - present;
  if (!isPlain) return { nulls, distinct: null };
  const numeric = typeof min === 'number' && typeof max === 'number';
  const range = min === undefined || max === undefined ? {} : { min: shortened(min), max: shortened(max) };
  const top = counts && counts.size < present ? mostFrequent(counts) : undefined;
  const mayDiffer = type === 'string' && present > 0 && (counts === null || counts.size === present);
  return {
    nulls,
    distinct: counts?.size ?? null,
    ...range,
    ...(mean !== undefined && { mean }),
    ...(numeric && (await distribution(table, column, type, values, turns))),
    ...(!numeric && min !== undefined && (await timeDistribution(table, column, type, values, turns))),
    ...(top && { top }),
    ...(mayDiffer && { examples: values.examples }),
  };
}

/** A text truncated to `maxShown` UTF-16 units, or one less that would be half of a character; a number as it is. */
const shortened = <T extends number | string>(value: T): T =>
  (typeof value === 'string' && value.length > maxShown
    ? value.slice(0, maxShown).replace(/[\uD800-\uDBFF]$/, '')
    : value) as T;

function addChunk(values: ValueCounts, chunk: ColumnChunk, rows: number): void {
  if (chunk.kind === 'numbers') values.addNumbers(chunk);
  else if (chunk.kind === 'booleans') values.addBooleans(chunk.codes);
  else if (chunk.kind === 'texts' && chunk.codes) {
    const times = new Uint32Array(chunk.entryCount);
    for (const code of chunk.codes) times[code] = (times[code] as number) + 1;
    times.forEach((count, entry) => {
      const text = count > 0 ? chunk.entry(entry) : null;
      if (text !== null) values.addText(text, count);
    });
  } else
    for (let row = 0; row < rows; row++) {
      const value = chunk.at(row);
      if (typeof value === 'string') values.addText(value, 1);
    }
}

function mostFrequent(counts: ReadonlyMap<StatisticsValue, number>): ColumnProfile['top'] {
  const sorted = Array.from(counts, ([value, count]) => ({ value, count })).sort((a, b) => b.count - a.count);
  return sorted.slice(0, maxTop);
}

/** Histogram and median of numbers. */
async function distribution(table: Table, column: number, type: ColumnType, values: ValueCounts, turns: Turns) {
  const [min, max] = [values.min as number, values.max as number];
  if (!Number.isFinite(min) || !Number.isFinite(max)) return {};
  const edges = linearEdges(min, max, type === 'integer');
  const spread = makeSpread(min, max);
  let counts = new Array<number>(edges.length - 1).fill(0);
  const fine = new Uint32Array(fineBins);
  const binOf = makeBinFinder(edges);
  await eachNumber(table, column, turns, (number) => {
    const bin = binOf(number);
    counts[bin] = (counts[bin] as number) + 1;
    const at = spread(number);
    fine[at] = (fine[at] as number) + 1;
  });
  const median = await medianOf(table, column, turns, values.present, fine, spread);
  const isSkewed = min > 0 && max / min >= 1000 && (counts[0] as number) >= values.present / 2;
  if (!isSkewed) return { ...median, histogram: { scale: 'linear', edges, counts } satisfies Histogram };
  const logEdges = logarithmicEdges(min, max);
  const logBinOf = makeBinFinder(logEdges);
  counts = new Array<number>(logEdges.length - 1).fill(0);
  await eachNumber(table, column, turns, (number) => {
    const bin = logBinOf(number);
    counts[bin] = (counts[bin] as number) + 1;
  });
  return { ...median, histogram: { scale: 'log', edges: logEdges, counts } satisfies Histogram };
}

async function eachNumber(table: Table, column: number, turns: Turns, visit: (number: number) => void): Promise<void> {
  for await (const [chunk] of chunksOf(table, column, turns))
    if (chunk.kind === 'numbers') for (const number of chunk.numbers) if (!Number.isNaN(number)) visit(number);
}

/** Bins in which the median is looked for. */
const fineBins = 4096;
/** Most values of such a bin that are sorted. */
const maxSorted = 100_000;

const makeSpread = (min: number, max: number) => {
  const scale = fineBins / (max - min);
  // Of one value, or of a range that is too large or too small for the scale.
  if (scale === 0 || scale === Infinity) return () => 0;
  return (value: number): number => Math.min(fineBins - 1, Math.max(0, Math.floor((value - min) * scale)));
};

/** The median, exactly: the values of the fine bin that holds it are sorted. Absent if they are too many. */
async function medianOf(
  table: Table,
  column: number,
  turns: Turns,
  present: number,
  fine: Uint32Array,
  spread: (value: number) => number,
): Promise<{ readonly median?: number }> {
  const valueAt = async (rank: number): Promise<number | undefined> => {
    let before = 0;
    let bin = 0;
    while (before + (fine[bin] as number) <= rank) before += fine[bin++] as number;
    const count = fine[bin] as number;
    if (count > maxSorted) return undefined;
    const found = new Float64Array(count);
    let next = 0;
    await eachNumber(table, column, turns, (number) => {
      if (spread(number) === bin) found[next++] = number;
    });
    return found.sort()[rank - before];
  };
  const upper = await valueAt(present >> 1);
  const lower = present % 2 === 1 ? upper : await valueAt((present >> 1) - 1);
  return upper === undefined || lower === undefined ? {} : { median: meanOfTwo(lower, upper) };
}

/** Histogram of dates and datetimes, with edges in the form of the values. */
async function timeDistribution(table: Table, column: number, type: ColumnType, values: ValueCounts, turns: Turns) {
  if (type !== 'date' && type !== 'datetime') return {};
  const parse = type === 'date' ? (text: string) => Date.parse(`${text}T00:00:00Z`) : parseDateTime;
  const [min, max] = [parse(values.min as string), parse(values.max as string)];
  if (!Number.isFinite(min) || !Number.isFinite(max)) return {};
  const edges = timeEdges(min, max, type === 'date');
  const counts = new Array<number>(edges.length - 1).fill(0);
  const binOf = makeBinFinder(edges);
  for await (const [chunk, rows] of chunksOf(table, column, turns))
    for (let row = 0; row < rows; row++) {
      const text = chunk.at(row);
      if (typeof text !== 'string') continue;
      const bin = binOf(parse(text));
      counts[bin] = (counts[bin] as number) + 1;
    }
  const written = edges.map((edge) => {
    // The edge above values of 9999 may lie beyond the calendar.
    const text =
      edge > parseDateTime(lastInstant) ? lastInstant : dateOfInstant(edge).toISOString().replace('.000', '');
    return type === 'date' ? text.slice(0, 10) : text;
  });
  return { histogram: { scale: 'linear', edges: written, counts } satisfies Histogram };
}
