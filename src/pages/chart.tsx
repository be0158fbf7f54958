/** A chart of a dataset: a line for each value of a text, over time, as SVG; a sentence and a form of its columns. */
import type { VNode } from 'preact';
import { shorten } from '../catalogue/beginning.ts';
import type { Column } from '../catalogue/types.ts';
import { type Chart, type ChartLine, type ChartPoint, roundTicks, spread, timeTicks } from './chart-scales.ts';
import type { Locale } from './locale.ts';
import { hrefOf, type PageContext, queryStringOf } from './page-context.ts';
import { ScrollBox } from './scroll-box.tsx';
import type { TextKey } from './texts/english.ts';

interface Props {
  readonly context: PageContext;
  readonly chart: Chart;
  /** Path of the rows. */
  readonly rowsPath: string;
}

/** Size of the drawing, and the ends of its axes. */
const [width, height] = [1000, 380];
const [leastLeft, right, top, bottom] = [64, 820, 24, 350];
/** Width of a sign of a number, and the gap between a number and its line. */
const [signWidth, numberGap] = [7, 8];
/** Lines that have a colour; the others are grey. */
const coloured = 6;
/** Letters of a name at the end of a line. */
const nameLength = 22;
const nameGap = 16;

export function ChartFigure({ context, chart, rowsPath }: Props): VNode {
  const { locale } = context;
  const lines = [...chart.lines].sort((a, b) => endOf(b).y - endOf(a).y);
  const sentence = chartSentence(locale, chart, lines);
  return (
    <figure class="chart">
      <ScrollBox label={locale.text('chartNote', { value: titleOf(chart.value), time: titleOf(chart.time) })}>
        <Drawing locale={locale} lines={lines} value={chart.value} sentence={sentence} />
      </ScrollBox>
      <figcaption class="undermap">
        <span>
          {sentence}{' '}
          <a href={rowsPath + queryStringOf(chart.groups)} rel="nofollow">
            {locale.text('numbersOfChart')}
          </a>
        </span>
        <ChartForm context={context} chart={chart} />
      </figcaption>
    </figure>
  );
}

const endOf = ({ points }: ChartLine): ChartPoint => points.at(-1) as ChartPoint;
const titleOf = ({ name, label }: Column): string => label || name;
const timeText = (locale: Locale, at: number | string): string =>
  typeof at === 'number' ? String(at) : locale.date(at);

/** What the chart shows, in words. */
function chartSentence(locale: Locale, { time, value, series, isMean }: Chart, lines: readonly ChartLine[]): string {
  const points = lines.flatMap((line) => line.points);
  const least = points.reduce((a, b) => (b.x < a.x ? b : a));
  const last = points.reduce((a, b) => (b.x > a.x ? b : a));
  const [first] = lines;
  const amount = (y: number) => `${locale.rounded(y)} ${value.unit}`.trim();
  const shown = { value: titleOf(value), series: titleOf(series), time: titleOf(time), count: lines.length };
  const range = { from: timeText(locale, least.at), to: timeText(locale, last.at) };
  const ends = lines.filter((line) => endOf(line).x === last.x);
  const [most, fewest] = [ends[0] ?? first, ends.at(-1)];
  return [
    locale.text(isMean ? 'chartOfMeans' : 'chartOf', { ...shown, ...range }),
    most && locale.text('chartMost', { name: most.name, amount: amount(endOf(most).y), at: range.to }),
    fewest && fewest !== most && locale.text('chartLeast', { name: fewest.name, amount: amount(endOf(fewest).y) }),
  ]
    .filter(Boolean)
    .join(' ');
}

interface DrawingProps {
  readonly locale: Locale;
  /** That with the greatest last value first. */
  readonly lines: readonly ChartLine[];
  readonly value: Column;
  readonly sentence: string;
}

function Drawing({ locale, lines, value, sentence }: DrawingProps): VNode {
  const points = lines.flatMap((line) => line.points);
  const times = timeTicks(points);
  const amounts = roundTicks(Math.min(...points.map(({ y }) => y)), Math.max(...points.map(({ y }) => y)));
  const numbers = amounts.map((amount) => locale.exact(amount));
  const left = Math.max(leastLeft, numberGap + signWidth * Math.max(...numbers.map(({ length }) => length)));
  const x = scale(
    Math.min(...points.map((point) => point.x)),
    Math.max(...points.map((point) => point.x)),
    left,
    right,
  );
  const y = scale(amounts[0] as number, amounts.at(-1) as number, bottom, top);
  const names = spread(
    lines.map((line) => y(endOf(line).y)),
    nameGap,
    top,
    bottom,
  );
  const pathOf = (run: readonly ChartPoint[]) => `M${run.map((point) => `${x(point.x)} ${y(point.y)}`).join('L')}`;
  return (
    <svg viewBox={`0 0 ${width} ${height}`} width={width} height={height} role="img" aria-label={sentence}>
      {amounts.map((amount, i) => (
        <g key={amount}>
          <path class="ax" d={`M${left} ${y(amount)}H${right}`} />
          <text x={left - numberGap} y={y(amount) + 4} text-anchor="end">
            {numbers[i]}
          </text>
        </g>
      ))}
      <text x={left} y={top - 10}>
        {value.unit}
      </text>
      {times.map((tick) => (
        <text key={tick.x} x={x(tick.x)} y={bottom + 20} text-anchor="middle">
          {timeText(locale, tick.at)}
        </text>
      ))}
      {/* The first lines are drawn last, above the others. */}
      {lines
        .map((line, i) => {
          const runs = runsOf(line);
          const path = runs.filter(({ length }) => length > 1).map(pathOf);
          return (
            <g key={line.name}>
              {path.length > 0 && <path class={`line ${colourOf(i)}`} d={path.join('')} />}
              {runs.map(([point, ...more]) =>
                point && more.length === 0 ? (
                  <circle key={point.x} class={`line ${colourOf(i)}`} cx={x(point.x)} cy={y(point.y)} r="3" />
                ) : null,
              )}
            </g>
          );
        })
        .reverse()}
      {lines.map((line, i) => (
        <text key={line.name} class={`name ${colourOf(i)}`} x={right + 10} y={(names[i] as number) + 4}>
          {shorten(line.name, nameLength)}
          {line.name.length > nameLength && <title>{line.name}</title>}
        </text>
      ))}
    </svg>
  );
}

/** The points of a line between its gaps. */
function runsOf({ points }: ChartLine): readonly (readonly ChartPoint[])[] {
  const runs: ChartPoint[][] = [];
  for (const point of points) {
    const last = runs.at(-1);
    if (last && !point.isAfterGap) last.push(point);
    else runs.push([point]);
  }
  return runs;
}

const colourOf = (rank: number): string => (rank < coloured ? `s${rank}` : 'sn');

/** Makes the function from a value to its place, in tenths of a unit. */
function scale(min: number, max: number, from: number, to: number): (value: number) => number {
  const factor = max > min ? (to - from) / (max - min) : 0;
  return (value) => Math.round((from + (value - min) * factor) * 10) / 10;
}

function ChartForm({ context, chart }: Pick<Props, 'context' | 'chart'>): VNode | null {
  const { locale, query } = context;
  const { times, values, series } = chart.choices;
  if (times.length + values.length + series.length === 3) return null;
  const choice = (name: string, label: TextKey, columns: readonly Column[], chosen: Column) => (
    <>
      <label for={`chart${name}`}>{locale.text(label)}</label>
      <select id={`chart${name}`} name={name}>
        {columns.map((column) => (
          <option key={column.name} value={column.name} selected={column.name === chosen.name}>
            {column.name}
          </option>
        ))}
      </select>
    </>
  );
  const colour = query.get('_colour');
  return (
    <form class="row" action={`${hrefOf(context, context.path)}#chart`}>
      {colour && <input type="hidden" name="_colour" value={colour} />}
      {choice('_number', 'chartNumber', values, chart.value)}
      {choice('_lines', 'chartLines', series, chart.series)}
      {choice('_time', 'chartTime', times, chart.time)}
      <button class="btn" type="submit">
        {locale.text('show')}
      </button>
    </form>
  );
}
