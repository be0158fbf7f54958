/** Distributions of a column's values: bars and values, each a link to its rows. */
import type { VNode } from 'preact';
import type { ColumnProfile, Histogram, StatisticsValue } from '../catalogue/column-statistics.ts';
import { familyOfType } from '../catalogue/maps.ts';
import { unprefixedParameters } from '../catalogue/row-parameters.ts';
import type { ColumnType } from '../catalogue/types.ts';
import type { Locale } from './locale.ts';
import { edgeTexts, endTexts } from './number-texts.ts';
import { queryStringOf } from './page-context.ts';

/** Makes the address of the rows with these filters. */
export type RowsHref = (filters: readonly (readonly [string, string])[]) => string;

interface HistogramProps {
  readonly locale: Locale;
  readonly name: string;
  readonly type: ColumnType;
  readonly histogram: Histogram;
  readonly rowsHref: RowsHref;
  /** Matching rows in each bin: drawn dark, to a scale of their own, before all rows. */
  readonly matched?: readonly number[] | undefined;
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
  matched,
  width = 176,
  height = 28,
}: HistogramProps): VNode {
  const { counts, edges } = histogram;
  const texts = edgeTexts(locale, name, edges);
  const pitch = width / counts.length;
  const floor = height - 1;
  return (
    <svg
      class={`hist ${matched ? '' : 'whole '}${familyOfType[type]}`}
      role="group"
      aria-label={locale.text('distributionOf', {
        name,
        from: texts[0] ?? '',
        to: texts.at(-1) ?? '',
      })}
      width={width}
      height={height}
      viewBox={`0 0 ${width} ${height}`}
    >
      <path class="base" d={`M0 ${floor}h${width}v1H0z`} />
      <path class="all" d={pathOfBars(counts, pitch, floor)} />
      {matched && <path class="hit" d={pathOfBars(matched, pitch, floor)} />}
      {counts.map((count, i) =>
        count === 0 ? null : (
          <a key={edges[i]} href={rowsHref(filtersOfBin(name, histogram, i))} tabIndex={-1} rel="nofollow">
            <title>
              {locale.text('fromTo', {
                from: texts[i] ?? '',
                to: texts[i + 1] ?? '',
                rows: locale.text('rowCount', { count: matched?.[i] ?? count }),
              })}
            </title>
            <rect x={tenths(i * pitch)} width={tenths(pitch)} height={floor} />
          </a>
        ),
      )}
    </svg>
  );
}

/** To a tenth of a pixel, in as few characters as possible. */
const tenths = (pixels: number): number => Math.round(10 * pixels) / 10;

/** Bars as one path: as high as their counts, the highest as high as there is room; at least a pixel. */
function pathOfBars(counts: readonly number[], pitch: number, floor: number): string {
  const most = Math.max(...counts, 1);
  const width = tenths(pitch - (pitch > 4 ? 1 : 0));
  const bar = (count: number, i: number) =>
    count === 0
      ? ''
      : `M${tenths(i * pitch)} ${floor}v-${tenths(Math.max(1, (count / most) * (floor - 1)))}h${width}V${floor}z`;
  return counts.map(bar).join('');
}

/** Filters of the rows in a bin: from its lower edge to below its upper one; the last bin holds both. */
export function filtersOfBin(name: string, { edges, counts }: Histogram, bin: number): [string, string][] {
  const isLast = bin === counts.length - 1;
  return [
    [`${name}__gte`, String(edges[bin])],
    [`${name}__${isLast ? 'lte' : 'lt'}`, String(edges[bin + 1])],
  ];
}

/** A value as it is in the rows, for people: nothing is rounded or grouped. */
export const plainValue = (value: StatisticsValue): string => String(value);

interface TopValuesProps {
  readonly locale: Locale;
  readonly column: ColumnProfile;
  /** Number of the rows that are counted. */
  readonly rows: number;
  readonly rowsHref: RowsHref;
  /** Matching rows with each of the values: counted in place of all rows. */
  readonly matched?: readonly number[] | undefined;
  readonly most?: number;
  /** True if the keyboard reaches each value; else the form of a filter does the same. */
  readonly areTabStops?: boolean;
}

/** The most frequent values with their counts; each is a link to its rows. */
export function TopValues({
  locale,
  column,
  rows,
  rowsHref,
  matched,
  most = 3,
  areTabStops = false,
}: TopValuesProps): VNode {
  const { name, type } = column;
  const family = familyOfType[type];
  const top = matched
    ? (column.top ?? []).map(({ value }, i) => ({ value, count: matched[i] ?? 0 })).sort((a, b) => b.count - a.count)
    : (column.top ?? []);
  return (
    <ul class={`tops ${family}`}>
      {top.slice(0, most).map(({ value, count }) => (
        <li key={plainValue(value)}>
          <svg aria-hidden="true" viewBox="0 0 100 10" preserveAspectRatio="none">
            <rect width={((count / Math.max(rows, 1)) * 100).toFixed(1)} height="10" />
          </svg>
          <a
            href={rowsHref([[filterName(name), plainValue(value)]])}
            tabIndex={areTabStops ? undefined : -1}
            rel="nofollow"
            dir="auto"
          >
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
  /^_|__/.test(column) || (unprefixedParameters as readonly string[]).includes(column) ? `${column}__exact` : column;

/** Makes addresses of filtered rows. @param path of the rows */
export const makeRowsHref =
  (path: string): RowsHref =>
  (filters) =>
    path + queryStringOf(filters);

interface EndsProps {
  readonly locale: Locale;
  readonly name: string;
  readonly profile: Partial<ColumnProfile>;
}

/** The ends of a column's range; of milliseconds since 1970, dates. One text if they are the same value. */
export function Ends({ locale, name, profile }: EndsProps): VNode {
  const [from, to] = endTexts(locale, name, profile);
  return (
    <p class="ends">
      <span>{from}</span>
      {profile.min !== profile.max && <span>{to}</span>}
    </p>
  );
}
