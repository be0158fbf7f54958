/** Distributions of a column's values: bars and values, each a link to its rows. */
import type { VNode } from 'preact';
import type { ColumnProfile, Histogram, StatisticsValue } from '../catalogue/column-statistics.ts';
import type { ColumnType } from '../catalogue/types.ts';
import type { Locale } from './locale.ts';
import { queryStringOf } from './page-context.ts';
import { familyOfType } from './strip.tsx';

/** Makes the address of the rows with these filters. */
export type RowsHref = (filters: readonly (readonly [string, string])[]) => string;

interface HistogramProps {
  readonly locale: Locale;
  readonly name: string;
  readonly type: ColumnType;
  readonly histogram: Histogram;
  readonly rowsHref: RowsHref;
  readonly width?: number;
  readonly height?: number;
}

/** Bars of a histogram; each is a link to the rows of its bin. */
export function HistogramBars({
  locale,
  name,
  type,
  histogram,
  rowsHref,
  width = 176,
  height = 28,
}: HistogramProps): VNode {
  const { counts, edges } = histogram;
  const most = Math.max(...counts, 1);
  const pitch = width / counts.length;
  const gap = pitch > 4 ? 1 : 0;
  const floor = height - 1;
  const bars = counts.map((count, i) => {
    const tall = count === 0 ? 0 : Math.max(1, (count / most) * (height - 2));
    return { x: (i * pitch).toFixed(1), tall: tall.toFixed(1), bar: (pitch - gap).toFixed(1) };
  });
  const d = bars.map(({ x, tall, bar }) => (tall === '0.0' ? '' : `M${x} ${floor}v-${tall}h${bar}V${floor}z`)).join('');
  return (
    <svg
      class={`hist whole ${familyOfType(type)}`}
      role="group"
      aria-label={locale.text('distributionOf', {
        name,
        from: endText(locale, edges[0]),
        to: endText(locale, edges.at(-1)),
      })}
      width={width}
      height={height}
      viewBox={`0 0 ${width} ${height}`}
    >
      <path class="base" d={`M0 ${floor}h${width}v1H0z`} />
      <path class="all" d={d} />
      {counts.map((count, i) =>
        count === 0 ? null : (
          <a key={bars[i]?.x} href={rowsHref(filtersOfBin(name, histogram, i))} tabIndex={-1} rel="nofollow">
            <title>
              {locale.text('fromTo', {
                from: endText(locale, edges[i]),
                to: endText(locale, edges[i + 1]),
                rows: locale.text('rowCount', { count }),
              })}
            </title>
            <rect class="hot" x={bars[i]?.x} width={pitch.toFixed(1)} height={floor} />
          </a>
        ),
      )}
    </svg>
  );
}

/** Filters of the rows in a bin: from its lower edge to below its upper one; the last bin holds both. */
export function filtersOfBin(name: string, { edges, counts }: Histogram, bin: number): [string, string][] {
  const isLast = bin === counts.length - 1;
  return [
    [`${name}__gte`, String(edges[bin])],
    [`${name}__${isLast ? 'lte' : 'lt'}`, String(edges[bin + 1])],
  ];
}

function endText(locale: Locale, edge: number | string | undefined): string {
  return typeof edge === 'number' ? locale.rounded(edge) : locale.date(edge ?? '');
}

/** A value as it is in the rows, for people: nothing is rounded or grouped. */
export const plainValue = (value: StatisticsValue): string => String(value);

interface TopValuesProps {
  readonly locale: Locale;
  readonly column: ColumnProfile;
  readonly rows: number;
  readonly rowsHref: RowsHref;
  readonly most?: number;
}

/** The most frequent values with their counts; each is a link to its rows. */
export function TopValues({ locale, column, rows, rowsHref, most = 3 }: TopValuesProps): VNode {
  const { name, top = [], type } = column;
  const family = familyOfType(type);
  return (
    <ul class={`tops ${family}`}>
      {top.slice(0, most).map(({ value, count }) => (
        <li key={plainValue(value)}>
          <svg aria-hidden="true" viewBox="0 0 100 10" preserveAspectRatio="none">
            <rect width={((count / Math.max(rows, 1)) * 100).toFixed(1)} height="10" />
          </svg>
          <a href={rowsHref([[filterName(name), plainValue(value)]])} tabIndex={-1} rel="nofollow" dir="auto">
            {plainValue(value) === '' ? '“”' : plainValue(value)}
          </a>
          <span>{locale.number(count)}</span>
        </li>
      ))}
    </ul>
  );
}

/** Name of the parameter that filters by equality: a column may be called like a reserved parameter. */
export const filterName = (column: string): string =>
  /^_|^(format|page|page_size|limit|offset|bbox|filter)$/.test(column) || column.includes('__')
    ? `${column}__exact`
    : column;

/** Makes addresses of filtered rows. @param path of the rows */
export const makeRowsHref =
  (path: string): RowsHref =>
  (filters) =>
    path + queryStringOf(filters);
