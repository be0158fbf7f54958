/** The distribution of the matching rows over the bins and the most frequent values of a whole table's profile. */
import type {
  ColumnProfile,
  MatchedColumn,
  MatchedProfile,
  StatisticsValue,
  VersionProfile,
} from '../../catalogue/column-statistics.ts';
import { parseDateTime } from '../date-time.ts';
import type { ColumnChunk } from '../table/column-chunk.ts';
import type { RowTable } from '../table/table.ts';
import { makeBinFinder } from './histogram.ts';
import type { DataQuery } from './parameters.ts';
import { isLimited, type SelectionLimits, selectRowNumbers, turnsWithinLimits } from './select-rows.ts';

/** Counts the values of a column in the matching rows. */
interface Counter {
  readonly result: MatchedColumn;
  /** @param rows numbers of rows within the chunk */
  add(chunk: ColumnChunk, rows: Iterable<number>): void;
}

/**
 * The distribution of the rows that a query selects, of the columns in its `fields`, or of all. Works in turns.
 * @param profile of the same table
 * @throws as `selectRowNumbers`
 */
export async function profileMatching(
  table: RowTable,
  profile: VersionProfile,
  query: DataQuery,
  limits: SelectionLimits,
): Promise<MatchedProfile> {
  // The order says which rows a part has. They are read in that of the file.
  const ordering = isLimited(query) ? query.ordering : [];
  const selected = await selectRowNumbers(table, { ...query, ordering }, limits);
  const found = selected?.rows ?? null;
  const rows = ordering.length ? (found?.sort() ?? null) : found;
  const count = rows?.length ?? (selected ? table.rowCount : 0);
  const turns = turnsWithinLimits(limits);
  const indexes = new Map(table.schema.columns.map(({ name }, index) => [name, index]));
  const fields = query.fields && new Set(query.fields);
  const columns: MatchedColumn[] = [];
  // A column at a time: chunks of thousands of columns need not be in memory at once.
  for (const column of profile.columns) {
    const index = indexes.get(column.name);
    if (index === undefined || fields?.has(column.name) === false || !(column.histogram || column.top)) continue;
    const counter = makeCounter(column);
    let start = 0;
    let next = 0;
    for await (const group of table.scanRowGroups({ columns: [index], needsGeometry: false })) {
      const end = start + group.groupRows;
      const first = next;
      if (rows) while (next < rows.length && (rows[next] as number) < end) next++;
      const chunk = group.chunk(index);
      if (chunk && (!rows || next > first))
        counter.add(chunk, rows ? shifted(rows.subarray(first, next), start) : upTo(group.groupRows));
      start = end;
      if (turns.isOver) await turns.next();
    }
    columns.push(counter.result);
  }
  return { rows: count, columns };
}

const shifted = (rows: Uint32Array, start: number): Uint32Array => rows.map((row) => row - start);

function* upTo(count: number): Generator<number> {
  for (let row = 0; row < count; row++) yield row;
}

function makeCounter(column: ColumnProfile): Counter {
  const { name, histogram, top } = column;
  const counts = histogram && new Array<number>(histogram.counts.length).fill(0);
  const tops = top && new Array<number>(top.length).fill(0);
  const places = new Map<StatisticsValue, number>(top?.map(({ value }, at) => [value, at]));
  const instant = column.type === 'date' ? (text: string) => Date.parse(`${text}T00:00:00Z`) : parseDateTime;
  const edges = histogram?.edges.map((edge) => (typeof edge === 'number' ? edge : instant(edge)));
  const binOf = edges && makeBinFinder(edges);
  const count = (value: StatisticsValue, times: number) => {
    const place = places.get(value);
    if (tops && place !== undefined) tops[place] = (tops[place] as number) + times;
    if (!counts || !binOf || typeof value === 'boolean') return;
    const bin = binOf(typeof value === 'number' ? value : instant(value));
    counts[bin] = (counts[bin] as number) + times;
  };
  return {
    result: { name, ...(counts && { counts }), ...(tops && { top: tops }) },
    add(chunk, rows) {
      if (chunk.kind === 'texts' && chunk.codes) {
        const times = new Uint32Array(chunk.entryCount);
        for (const row of rows) times[chunk.codes[row] as number] = (times[chunk.codes[row] as number] as number) + 1;
        times.forEach((number, entry) => {
          const text = number > 0 ? chunk.entry(entry) : null;
          if (text !== null) count(text, number);
        });
        return;
      }
      for (const row of rows) {
        const value = chunk.at(row);
        if (value !== null) count(value, 1);
      }
    },
  };
}
