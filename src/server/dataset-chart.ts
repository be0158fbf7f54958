/** The chart of a dataset: the numbers of its lines, as a bounded query of groups of rows finds them. */
import type { Catalogue } from '../catalogue/catalogue.ts';
import type { VersionProfile } from '../catalogue/column-statistics.ts';
import { ValidationError } from '../catalogue/errors.ts';
import { millisecondsOfTime } from '../catalogue/iso-time.ts';
import { quotedName } from '../catalogue/row-parameters.ts';
import type { Column, Dataset, Version, WorkBudget } from '../catalogue/types.ts';
import { type ChartChoices, chartChoices, chosenColumns, mostLines, mostTimes } from '../pages/chart-columns.ts';
import type { Chart, ChartLine } from '../pages/chart-scales.ts';
import { profilesByColumn } from '../pages/preview-columns.ts';
import { readObjects } from './first-look.ts';
import { isNotReady, soon } from './soon.ts';

/** Rows of a table up to which a chart is made. */
const mostRows = 200_000;

/** Parameters of the page that choose the columns, by part. */
const parameters = { time: '_time', value: '_number', series: '_lines' } as const;

/**
 * The chart of a version; null if there is none, undefined if it isn't ready soon. Without parameters, there is one only if each
 * line has one row at each time: else its numbers would be means that nobody has asked for.
 * @throws ValidationError for a column that can't be that part
 */
export async function chartSoon(
  catalogue: Catalogue,
  dataset: Dataset,
  version: Version,
  profile: VersionProfile,
  query: URLSearchParams,
  { wait, budget }: { readonly wait: number; readonly budget: WorkBudget },
): Promise<Chart | null | undefined> {
  if (profile.rows > mostRows) return null;
  const profiles = profilesByColumn(version, profile);
  const choices = chartChoices(dataset.columns, profiles);
  if (!choices) return null;
  const named = { time: query.get('_time'), value: query.get('_number'), series: query.get('_lines') };
  assertChoices(choices, named);
  const chosen = chosenColumns(choices, profile.rows, profiles, named);
  if (!chosen) return null;
  try {
    const found = await soon(linesOf(catalogue, version, profile, chosen, budget), wait);
    const isAsked = Object.values(named).some((name) => name !== null);
    if (!found) return undefined;
    return (isAsked || !found.isMean) && found.lines.length > 0 ? { ...chosen, choices, ...found } : null;
  } catch (error) {
    if (isNotReady(error)) return undefined;
    throw error;
  }
}

function assertChoices(
  { times, values, series }: ChartChoices,
  named: Readonly<Record<keyof typeof parameters, string | null>>,
): void {
  const possible = { time: times, value: values, series };
  for (const [part, columns] of Object.entries(possible) as [keyof typeof parameters, readonly Column[]][]) {
    const name = named[part];
    if (name !== null && !columns.some((column) => column.name === name))
      throw new ValidationError({
        [parameters[part]]: [`Choose one of ${columns.map((column) => column.name).join(', ')}.`],
      });
  }
}

type ChartColumns = Pick<Chart, 'time' | 'value' | 'series'>;
type FoundLines = Pick<Chart, 'groups' | 'isMean' | 'lines'>;

/** The lines that were found last, with the names of their columns. */
const lastLines = new WeakMap<VersionProfile, { readonly names: string; readonly found: FoundLines }>();

async function linesOf(
  catalogue: Catalogue,
  version: Version,
  profile: VersionProfile,
  columns: ChartColumns,
  budget: WorkBudget,
): Promise<FoundLines> {
  const names = JSON.stringify([columns.time.name, columns.value.name, columns.series.name]);
  const known = lastLines.get(profile);
  if (known?.names === names) return known.found;
  const found = await readLines(catalogue, version, columns, budget);
  lastLines.set(profile, { names, found });
  return found;
}

async function readLines(
  catalogue: Catalogue,
  version: Version,
  { time, value, series }: ChartColumns,
  budget: WorkBudget,
): Promise<FoundLines> {
  const free = (name: string): string => (name === time.name || name === series.name ? free(`${name}_`) : name);
  const [mean, count] = [free('mean'), free('number')];
  const quoted = `"${value.name.replaceAll('"', '""')}"`;
  const groups = [
    ['_group_by', [time, series].map(({ name }) => quotedName(name)).join(',')],
    ['_aggregate', `mean(${quoted}) AS ${mean},count AS ${count}`],
    ['_ordering', quotedName(time.name)],
    [`${time.name}__isnull`, 'false'],
    [`${series.name}__isnull`, 'false'],
  ] as const;
  const limit = ['_limit', String(mostTimes * mostLines)] as const;
  const { items } = await readObjects(catalogue, version, [...groups, limit], budget);
  const lines = new Map<string, ChartLine['points'][number][]>();
  /** Lines that have no number at the last of their times so far. */
  const interrupted = new Set<string>();
  let isMean = false;
  for (const item of items) {
    const [at, label, y] = [item[time.name] as number | string, String(item[series.name]), item[mean]];
    if (typeof y !== 'number') {
      interrupted.add(label);
      continue;
    }
    if (Number(item[count]) > 1) isMean = true;
    const x = typeof at === 'number' ? at : millisecondsOfTime(at);
    if (Number.isNaN(x)) continue;
    const points = lines.get(label) ?? [];
    points.push({ x, y, at, ...(interrupted.delete(label) && { isAfterGap: true }) });
    lines.set(label, points);
  }
  return { isMean, groups, lines: [...lines].map(([name, points]) => ({ name, points })) };
}
