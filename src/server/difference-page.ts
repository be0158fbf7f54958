/** The page of the differences between two versions: the rows that it shows, and its form. */
import { LRUCache } from 'lru-cache';
import type { Difference, DifferenceSummary, RowChange } from '../catalogue/difference.ts';
import { ValidationError } from '../catalogue/errors.ts';
import { datasetRefOf, refOf, type VersionRef } from '../catalogue/ref.ts';
import { quotedName } from '../catalogue/row-parameters.ts';
import type { Dataset, Version } from '../catalogue/types.ts';
import { apiPath } from '../catalogue/urls.ts';
import { drawDifference, mostDrawnRows } from '../data/difference/difference-map.ts';
import { sizeOfSummary, summarizeDifference } from '../data/difference/summary.ts';
import { type ChangedRows, changesPerPage } from '../pages/changed-rows.tsx';
import { type DifferenceMap, renderDifferencePage } from '../pages/difference.tsx';
import { queryStringOf } from '../pages/page-context.ts';
import { lastParameterValue } from './query-string.ts';
import type { Representation, RequestContext } from './route.ts';
import { workBudgetOf } from './rows-page.ts';

/** Parameters of the page: positions of the first rows that are shown, a column as a filter, and all columns. */
export const differencePageParameters: readonly string[] = ['_changed', '_added', '_removed', '_column', '_columns'];

const html = 'text/html';
/** Columns that are shown of rows added or removed, and of all rows if all columns are asked for. */
const mostColumns = 12;
const mostOfAllColumns = 60;
/** Rows of both versions up to which it is tried if another column is a key. */
const mostForOtherKey = 200_000;
/** Columns that are offered as a key. */
const mostKeys = 100;

/** Summaries by the contents of both payloads, the key and the renamed columns: pages of the same difference share one. */
const summaries = new LRUCache<string, DifferenceSummary>({
  maxSize: 16 * 1024 ** 2,
  sizeCalculation: sizeOfSummary,
});

/** The address that the form of the page stands for; null if it wasn't sent. */
export function addressOfPairForm(query: URLSearchParams, to: Version): string | null {
  const other = lastParameterValue(query, '_to');
  if (other === undefined) return null;
  const kept = ['_from', '_key'].flatMap((name) => {
    const value = lastParameterValue(query, name);
    return value ? [[name, value] as const] : [];
  });
  return `${apiPath({ ...refOf(to), slug: other })}diff/${queryStringOf(kept)}`;
}

/** The page for people. @throws ValidationError for positions and columns that aren't there */
export async function differencePage(
  request: RequestContext,
  found: Difference,
  signal: AbortSignal,
): Promise<Representation> {
  const { catalogue, query } = request;
  const { from, to, counts } = found;
  const id = JSON.stringify([from.checksum, from.reading, to.checksum, to.reading, found.key, found.columns.renamed]);
  const summary = summaries.get(id) ?? (await summarize(request, found, signal));
  summaries.set(id, summary);
  const dataset = await catalogue.get<'dataset'>(datasetRefOf(to));
  const column = lastParameterValue(query, '_column') ?? null;
  const filtered = column === null ? null : summary.columns.find(({ name }) => name === column);
  if (filtered === undefined)
    throw new ValidationError({ _column: [`No value of a column "${column}" changed between these versions.`] });
  const showsAll = showsAllColumns(query);
  const read = async (change: RowChange['change']): Promise<ChangedRows & { hidden: number }> => {
    const places = change === 'changed' ? filtered?.positions : undefined;
    const total = places?.length ?? counts[change];
    const offset = offsetFrom(query, `_${change}`, total);
    const count = Math.min(changesPerPage, total - offset);
    const positions = Array.from({ length: count }, (_, i) => places?.[offset + i] ?? offset + i);
    const rows: RowChange[] = [];
    for await (const row of found.rows({ change, positions })) rows.push(row);
    signal.throwIfAborted();
    const { columns, hidden } = columnsOf(change, rows, { dataset, found, summary, showsAll });
    return { change, rows, total, offset, columns, hidden: total > 0 ? hidden : 0 };
  };
  const sections = [await read('changed'), await read('added'), await read('removed')];
  const map = await drawMap(found, signal);
  const namespace = await catalogue.get<'namespace'>({ kind: 'namespace', slug: dataset.namespace }).catch(() => null);
  return {
    title: `${to.dataset}: differences`,
    dependsOn: [dataset, from, to, namespace],
    type: html,
    json: () => '{}',
    page: (context) =>
      renderDifferencePage(context, {
        ...{ dataset, namespace: namespace?.label ?? dataset.namespace, from, to, difference: found, summary },
        ...{ sections, column, keyChoices: keyChoicesOf(found, dataset), map },
        hiddenColumns: Math.max(0, ...sections.map(({ hidden }) => hidden)),
      }),
  };
}

/** The map of the rows that differ; null if they have no place. */
async function drawMap(found: Difference, signal: AbortSignal): Promise<DifferenceMap | null> {
  const picture = await drawDifference(found, signal);
  if (!picture) return null;
  const { added, removed, changed } = found.counts;
  const most = Math.max(added, removed, changed) > mostDrawnRows ? mostDrawnRows : null;
  return { svg: picture.svg, ...picture.counts, most };
}

function showsAllColumns(query: URLSearchParams): boolean {
  const value = lastParameterValue(query, '_columns');
  if (value !== undefined && value !== 'all') throw new ValidationError({ _columns: ['This can only be "all".'] });
  return value === 'all';
}

/** The position of the first row that is shown, from 0. */
function offsetFrom(query: URLSearchParams, name: string, total: number): number {
  const text = lastParameterValue(query, name);
  if (text === undefined) return 0;
  const offset = /^\d{1,12}$/.test(text) ? Number(text) : -1;
  if (offset < 0) throw new ValidationError({ [name]: ['This has to be a whole number from 0.'] });
  if (offset > 0 && offset >= total)
    throw new ValidationError({ [name]: [`There are only ${total} rows, and the first is 0.`] });
  return offset;
}

/** The summary of a difference; another key only with the columns that are one. */
async function summarize(request: RequestContext, found: Difference, signal: AbortSignal): Promise<DifferenceSummary> {
  const budget = workBudgetOf(request);
  const summary = await summarizeDifference(found, { signal, budget });
  const { otherKey } = summary;
  const { from, to, counts } = found;
  if (!otherKey || counts.from + counts.to > mostForOtherKey) return summary;
  const [before, after] = [refOf(from), refOf(to)] as [VersionRef, VersionRef];
  try {
    await request.catalogue.difference(before, after, { key: [otherKey.column], signal, budget });
    return { ...summary, otherKey: { ...otherKey, isKey: true } };
  } catch (error) {
    if (error instanceof ValidationError) return summary;
    throw error;
  }
}

interface Shown {
  readonly dataset: Dataset;
  readonly found: Difference;
  readonly summary: DifferenceSummary;
  readonly showsAll: boolean;
}

/** The columns that are shown besides the key's, and the number of those that aren't. */
function columnsOf(
  change: RowChange['change'],
  rows: readonly RowChange[],
  { dataset, found, summary, showsAll }: Shown,
) {
  const [first] = rows;
  const isKey = new Set(found.key.columns);
  const values = first === undefined ? {} : first.change === 'changed' ? { ...first.to, ...first.from } : first.row;
  const recorded = (change === 'removed' ? found.from : found.to).columns ?? dataset.columns;
  const types = new Map(recorded.map(({ name, type }) => [name, type]));
  const all = Object.keys(values)
    .filter((name) => !isKey.has(name))
    .map((name) => ({ name, type: types.get(name) ?? 'string' }));
  if (showsAll) return { columns: all.slice(0, mostOfAllColumns), hidden: 0 };
  const changed = new Set(summary.columns.map(({ name }) => name));
  const columns = change === 'changed' ? all.filter(({ name }) => changed.has(name)) : all;
  const shown = columns.slice(0, change === 'changed' ? mostOfAllColumns : mostColumns);
  return { columns: shown, hidden: all.length - shown.length };
}

/** Columns of both versions whose values could tell rows apart. */
function keyChoicesOf({ from, to }: Difference, dataset: Dataset): readonly string[] {
  const types = ['integer', 'string', 'date', 'datetime'];
  const usable = (version: Version) =>
    (version.columns ?? dataset.columns).filter(({ type }) => types.includes(type)).map(({ name }) => name);
  const before = new Set(usable(from));
  return usable(to)
    .filter((name) => before.has(name))
    .slice(0, mostKeys)
    .map(quotedName);
}
