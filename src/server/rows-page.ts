/** The page of rows: what it shows beside them, and the forms that lead to it. */

import type { ColumnProfile, MatchedProfile, VersionProfile } from '../catalogue/column-statistics.ts';
import { NotFoundError, UnavailableError, ValidationError } from '../catalogue/errors.ts';
import type { FacetValue } from '../catalogue/facets.ts';
import { datasetRefOf, refOf, type VersionRef } from '../catalogue/ref.ts';
import { haveAggregates, parametersFromRecord, quotedName } from '../catalogue/row-parameters.ts';
import type { Column, Dataset, Query, Version, WorkBudget } from '../catalogue/types.ts';
import { profilesByColumn } from '../pages/dataset-sections.tsx';
import { shownVersion } from '../pages/figures.ts';
import { queryStringOf } from '../pages/page-context.ts';
import { choosePreviewColumns } from '../pages/preview-columns.ts';
import type { QueryPageParts } from '../pages/records.tsx';
import { renderRowsPage } from '../pages/rows.tsx';
import { rowsPerPage } from '../pages/rows-table.tsx';
import { datasetWithColumnsOf, previewColumns, previewRows, profileSoon, readObjects } from './dataset-page.ts';
import { BadRequestError } from './errors.ts';
import { queryOfAreaForm, seeOther } from './redirects.ts';
import { clientIpAddress } from './request.ts';
import type { Representation, RequestContext } from './route.ts';
import { throttleKeyOfAddress } from './sign-in.ts';
import { patienceOf, soon } from './soon.ts';

/** Rows in a page, at most. A page is made as a whole. */
const mostRows = 1000;
/** Columns shown if the address names none. */
const mostColumns = 30;
/** Columns whose values stand beside the table, and their values. */
const facetColumns = 5;
const facetValues = 20;
/** Rows of a table up to which values are counted. */
const mostCounted = 200_000;

const isLimit = /^_?(limit|page_size)$/;
const isPart = /^_?(limit|offset|page|page_size)$/;
const isFormat = /^_?format$/;

/** The budget of the client of a request: of a user, or of an address. Work for a client that has left ends. */
export function workBudgetOf({ app, catalogue, ctx, viewer }: RequestContext): WorkBudget {
  const address = () => throttleKeyOfAddress(clientIpAddress(ctx.req, catalogue.settings));
  const budget = app.workBudgets.of(viewer.username === null ? address() : `user:${viewer.username}`);
  return {
    spend: budget.spend,
    assertAvailable: () => {
      if (ctx.res.destroyed) throw new BadRequestError('The connection was cut off.');
      budget.assertAvailable();
    },
  };
}

/** A version and all parameters of its rows. */
export interface RowsPageSource {
  readonly ref: VersionRef;
  readonly parameters: readonly (readonly [string, string])[];
  readonly query: Query | null;
}

/** The rows as a table for people: those that were asked for, else the first. */
export async function rowsPage(request: RequestContext, source: RowsPageSource): Promise<Representation | undefined> {
  const { catalogue, ctx, query, params } = request;
  const plain = queryOfRowForms(query) ?? queryOfAreaForm(query);
  if (plain !== null) {
    seeOther(request, ctx.path + plain);
    return undefined;
  }
  const version = await catalogue.get<'version'>(source.ref);
  const profile = await profileSoon(catalogue, version, patienceOf(request.app));
  const dataset = datasetWithColumnsOf(await catalogue.get<'dataset'>(datasetRefOf(version)), version);
  const namespace = await catalogue.get<'namespace'>({ kind: 'namespace', slug: dataset.namespace }).catch(() => null);
  const isAggregated = haveAggregates(source.parameters);
  const allColumns = describedColumns(dataset.columns, profile);
  const found = await findRows(request, source, version, { allColumns, profile, isAggregated });
  const columns = isAggregated ? columnsOfGroups(found.items) : found.columns;
  const hasGeometry = allColumns.some(({ type }) => type === 'geometry');
  const total = profile?.rows ?? version.rows ?? found.matched;
  const isCounted = !isAggregated && found.limit !== 1 && total <= mostCounted;
  const [facets, matchedProfile] = isCounted
    ? await Promise.all([
        countValues(request, source, version, allColumns, profile),
        profileOfMatching(request, source, version, columns),
      ])
    : [[], null];
  return {
    title: dataset.label,
    dependsOn: [],
    json: () => JSON.stringify(found.items),
    page: (context) =>
      renderRowsPage(context, {
        ...{ dataset, namespace: namespace?.label ?? dataset.namespace, version, query: source.query },
        ...{ rows: found.items, columns, allColumns, matched: found.matched, offset: found.offset, limit: found.limit },
        ...{
          total,
          profile,
          matchedProfile,
          facets,
          hasGeometry,
          isAggregated,
          isVersionPage: params.version !== undefined,
        },
      }),
  };
}

/** The columns of the rows, with the texts of the record; the geometry, which says little to people, is last. */
function describedColumns(columns: readonly Column[], profile: VersionProfile | null): readonly Column[] {
  if (!profile) return columns;
  const described = new Map(columns.map((column) => [column.name, column]));
  const measured = [...profile.columns].sort((a, b) => Number(a.type === 'geometry') - Number(b.type === 'geometry'));
  return measured.map(({ name, type }) => described.get(name) ?? { name, type, label: '', description: '', unit: '' });
}

const columnsOfGroups = (items: readonly Readonly<Record<string, unknown>>[]): readonly Column[] =>
  [...new Set(items.flatMap((item) => Object.keys(item)))].map((name) => {
    const isNumber = items.some((item) => typeof item[name] === 'number');
    return { name, type: isNumber ? 'float' : 'string', label: '', description: '', unit: '' };
  });

interface Known {
  readonly allColumns: readonly Column[];
  readonly profile: VersionProfile | null;
  readonly isAggregated: boolean;
}

/** The part of the rows that is shown, of the columns that are. @param most columns, if the parameters name none */
async function findRows(
  request: RequestContext,
  { parameters }: Pick<RowsPageSource, 'parameters'>,
  version: Version,
  known: Known,
  most = mostColumns,
) {
  const { allColumns, profile, isAggregated } = known;
  const own = parameters
    .filter(([name]) => !isFormat.test(name))
    .map(([name, value]): [string, string] => [
      name,
      isLimit.test(name) && Number(value) > mostRows ? `${mostRows}` : value,
    ]);
  if (!own.some(([name]) => isLimit.test(name) || /^_?page$/.test(name))) own.push(['_limit', `${rowsPerPage}`]);
  const isSingle = own.some(([name, value]) => /^_?limit$/.test(name) && value === '1');
  const named = own.some(([name]) => name === '_fields');
  let columns = allColumns;
  if (!named && !isAggregated && !isSingle && allColumns.length > most) {
    const profiles: ReadonlyMap<string, Partial<ColumnProfile>> = profilesByColumn(version, profile);
    columns = choosePreviewColumns(allColumns, profiles, profile?.rows ?? 0, most);
    own.push(['_fields', columns.map(({ name }) => quotedName(name)).join(',')]);
  }
  const { items, part } = await readObjects(request.catalogue, version, own, workBudgetOf(request));
  if (named && !isAggregated) {
    const described = new Map(allColumns.map((column) => [column.name, column]));
    const names = items.length ? Object.keys(items[0] as object) : [];
    columns = names.map(
      (name) => described.get(name) ?? { name, type: 'string', label: '', description: '', unit: '' },
    );
  }
  const { matched = items.length, offset = 0, limit = rowsPerPage } = part ?? {};
  return { items, columns, matched, offset, limit };
}

/** The first rows that a saved query finds, as far as they are ready soon. */
export async function firstRowsOfQuery(
  request: RequestContext,
  query: Query,
  asked: Dataset | null,
): Promise<Omit<QueryPageParts, 'query' | 'dataset'>> {
  const version = query.version
    ? asked?.versions.find(({ slug }) => slug === query.version)
    : asked && shownVersion(asked);
  const none = { preview: null, reason: '', matched: 0, columnCount: 0 };
  if (!asked || !version?.ready) return none;
  const find = async () => {
    const { catalogue } = request;
    const parameters = parametersFromRecord(query.parameters);
    const isAggregated = haveAggregates(parameters);
    const profile = await catalogue.profile(refOf(version));
    const allColumns = describedColumns(datasetWithColumnsOf(asked, version).columns, profile);
    const [, limit] = parameters.findLast(([name]) => isLimit.test(name)) ?? [];
    const isFew = limit !== undefined && !(Number(limit) > previewRows);
    const first = { parameters: isFew ? parameters : [...parameters, ['_limit', `${previewRows}`] as const] };
    const found = await findRows(request, first, version, { allColumns, profile, isAggregated }, previewColumns);
    const columns = isAggregated ? columnsOfGroups(found.items) : found.columns;
    const columnCount = isAggregated ? columns.length : allColumns.length;
    return { preview: { columns, rows: found.items }, reason: '', matched: found.matched, columnCount };
  };
  try {
    return (await soon(find(), patienceOf(request.app))) ?? none;
  } catch (error) {
    if (error instanceof UnavailableError) return none;
    if (error instanceof NotFoundError || error instanceof ValidationError) return { ...none, reason: error.message };
    throw error;
  }
}

/** The parameters that select rows, without those of their part, order and form. */
const filtersOf = (parameters: RowsPageSource['parameters']): RowsPageSource['parameters'] =>
  parameters.filter(
    ([name]) => !isPart.test(name) && !isFormat.test(name) && !/^_(fields|ordering|bom|sep|excel)$/.test(name),
  );

/** The distribution of the matching rows over the columns shown; null if all rows match, or it isn't ready soon. */
async function profileOfMatching(
  request: RequestContext,
  { parameters }: RowsPageSource,
  version: Version,
  columns: readonly Column[],
): Promise<MatchedProfile | null> {
  const filters = filtersOf(parameters);
  if (filters.length === 0) return null;
  const shown = columns.slice(0, mostColumns).map(({ name }) => quotedName(name));
  const selection = { parameters: [...filters, ['_fields', shown.join(',')] as const], budget: workBudgetOf(request) };
  return (await profileSoon(request.catalogue, version, patienceOf(request.app), selection))?.matched ?? null;
}

/** Values of the columns that have few, with their counts in the matching rows. */
async function countValues(
  request: RequestContext,
  { parameters }: RowsPageSource,
  version: Version,
  columns: readonly Column[],
  profile: VersionProfile | null,
): Promise<readonly { readonly column: Column; readonly values: readonly FacetValue[] }[]> {
  const profiles = new Map(profile?.columns.map((column) => [column.name, column]));
  const isCountable = ({ name, type }: Column) => {
    const distinct = profiles.get(name)?.distinct ?? 0;
    return (type === 'string' || type === 'boolean' || type === 'integer') && distinct >= 2 && distinct <= facetValues;
  };
  const filters = filtersOf(parameters);
  const counted = columns.filter(isCountable).slice(0, facetColumns);
  return Promise.all(
    counted.map(async (column) => {
      const total = column.name === 'n' ? 'm' : 'n';
      const group = [
        ['_group_by', quotedName(column.name)],
        ['_aggregate', `count AS ${total}`],
        ['_ordering', `-${total}`],
        ['_limit', String(facetValues)],
      ] as const;
      const { items } = await readObjects(request.catalogue, version, [...filters, ...group], workBudgetOf(request));
      const values = items.flatMap((item) => {
        const value = item[column.name];
        return value === null || value === undefined ? [] : [{ value: String(value), count: Number(item[total]) }];
      });
      return { column, values };
    }),
  );
}

/** The query string that the forms of the page stand for: one more filter, or other columns; null if none was sent. */
export function queryOfRowForms(query: URLSearchParams): string | null {
  if (!query.has('_add') && !query.has('_show')) return null;
  const formNames = ['_add', '_lookup', '_value', '_show'];
  const kept = [...query].filter(([name]) => !formNames.includes(name));
  const column = query.get('_add');
  if (column) {
    const lookup = query.get('_lookup') || 'exact';
    const value = query.get('_value') ?? '';
    kept.push([`${column}__${lookup}`.replace(/__exact$/, ''), lookup === 'isnull' ? 'true' : value]);
  }
  const shown = query.getAll('_show');
  if (shown.length) kept.push(['_fields', shown.map(quotedName).join(',')]);
  return queryStringOf(kept);
}
