/** Columns that make a chart: a time or a year, a number with a unit, and a text of few values. */
import type { ColumnProfile } from '../catalogue/column-statistics.ts';
import type { Column } from '../catalogue/types.ts';

export interface ChartChoices {
  readonly times: readonly Column[];
  readonly values: readonly Column[];
  readonly series: readonly Column[];
}

/** Most moments along the axis, and most lines. */
export const mostTimes = 400;
export const mostLines = 12;

type Profiles = ReadonlyMap<string, Partial<ColumnProfile>>;

/** The columns of each part of a chart; null if one part has none. */
export function chartChoices(columns: readonly Column[], profiles: Profiles): ChartChoices | null {
  if (columns.every(({ unit }) => unit === '')) return null;
  const distinctOf = ({ name }: Column) => profiles.get(name)?.distinct ?? 0;
  const times = columns.filter((column) => {
    const distinct = distinctOf(column);
    return distinct >= 3 && distinct <= mostTimes && isTime(column, profiles.get(column.name) ?? {});
  });
  const values = columns.filter(
    (column) =>
      (column.type === 'integer' || column.type === 'float') &&
      column.unit !== '' &&
      distinctOf(column) !== 1 &&
      !times.includes(column),
  );
  const series = columns.filter((column) => {
    const distinct = distinctOf(column);
    return column.type === 'string' && distinct >= 2 && distinct <= mostLines;
  });
  return times.length && values.length && series.length ? { times, values, series } : null;
}

/** True for dates, times and years. */
function isTime({ name, type }: Column, { min, max }: Partial<ColumnProfile>): boolean {
  if (type === 'date' || type === 'datetime') return true;
  if (type !== 'integer' || !/(^|[^a-z])(year|jahr|ann[eé]e|año|anno|jaar)/i.test(name)) return false;
  return typeof min === 'number' && typeof max === 'number' && min >= 1000 && max <= 2500;
}

/** The columns that the address names, or else the first with which each line can have one row at each time. */
export function chosenColumns(
  { times, values, series }: ChartChoices,
  rows: number,
  profiles: Profiles,
  named: { readonly [part in 'time' | 'value' | 'series']: string | null },
): { readonly time: Column; readonly value: Column; readonly series: Column } | null {
  const distinctOf = (column: Column) => profiles.get(column.name)?.distinct ?? 0;
  const isNamed = Object.values(named).some((name) => name !== null);
  const find = (columns: readonly Column[], name: string | null) =>
    name === null ? undefined : columns.find((column) => column.name === name);
  const pair = times
    .flatMap((time) => series.map((one) => ({ time, series: one })))
    .find((one) => isNamed || rows <= distinctOf(one.time) * distinctOf(one.series));
  const [value] = values;
  if (!pair || !value) return null;
  return {
    time: find(times, named.time) ?? pair.time,
    value: find(values, named.value) ?? value,
    series: find(series, named.series) ?? pair.series,
  };
}
