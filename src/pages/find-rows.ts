/** The rows behind the pages of rows: on the server, and in the browser over a static export. */
import type { RowsPart } from '../catalogue/catalogue.ts';
import { columnsByOtherName, columnsCalled, type FormerNames } from '../catalogue/column-names.ts';
import type { ColumnProfile, MatchedProfile, VersionProfile } from '../catalogue/column-statistics.ts';
import {
  formParameters,
  haveAggregates,
  haveGeometry,
  namesInList,
  parametersFromRecord,
  partParameters,
  quotedName,
  withExactNames,
} from '../catalogue/row-parameters.ts';
import type { Column, Settings } from '../catalogue/types.ts';
import type { Obstacle } from './dataset-list.tsx';
import { keepLast } from './keep-last.ts';
import { choosePreviewColumns, profilesByColumn } from './preview-columns.ts';
import type { RowsPageParts } from './rows.tsx';
import type { ColumnFacet } from './rows-aside.tsx';
import type { RowsFacts } from './rows-in-files.tsx';
import { rowsPerPage } from './rows-table.tsx';

type Parameters = readonly (readonly [name: string, value: string])[];

/** The rows of a version. */
export interface RowsFinder {
  /** Rows, or groups of them, as objects, with the part of the matching rows that they are. @throws ValidationError, NotFoundError, UnavailableError */
  find(parameters: Parameters): Promise<{ readonly items: Record<string, unknown>[]; readonly part: RowsPart | null }>;
  /** The distribution of the matching rows; null if it isn't ready soon. */
  profile(parameters: Parameters): Promise<MatchedProfile | null>;
  /** By default, those of a catalogue without settings. */
  readonly pageSizes?: PageSizes;
}

/** Rows in a page, at most. A page is made as a whole. */
const mostRows = 1000;
const usualSizes = { page_size: 20, max_page_size: mostRows };
/** Columns shown if the address names none. */
const mostColumns = 30;
/** Columns whose values stand beside the table, and their values. */
const facetColumns = 5;
const facetValues = 20;
/** Rows of a table up to which values are counted. */
const mostCounted = 200_000;

const isLimit = /^_?(limit|page_size)$/;
const isFormat = /^_?format$/;
/** Parameters that change nothing about which rows match. */
const notFiltering: readonly string[] = [...partParameters, ...formParameters, '_fields', '_ordering'];

/** Sizes of pages, in the settings of the catalogue. */
type PageSizes = Pick<Settings, 'page_size' | 'max_page_size'>;

/**
 * The parameters with a limit, so that they ask for the first of the rows that they ask for now. A longer page gets the place
 * where it begins, since a page of another size begins at another one; `last` stays, as its place isn't known.
 */
export function limitedTo(most: number, parameters: Parameters, sizes: PageSizes): Parameters {
  const [page, size, limit, offset] = ['page', 'page_size', 'limit', 'offset'].map(
    (name) => parameters.findLast(([one]) => one === name || one === `_${name}`)?.[1],
  );
  if (page === undefined && size === undefined)
    return limit !== undefined && Number(limit) <= most ? parameters : [...parameters, ['_limit', `${most}`]];
  const isNumber = (text: string | undefined) => text === undefined || /^\d+$/.test(text);
  // What is refused stays, to be refused; a page beside a limit, too.
  if (!isNumber(page) || !isNumber(size) || page === '0' || limit !== undefined || offset !== undefined)
    return parameters;
  const length = Math.min(Number(size ?? sizes.page_size), sizes.max_page_size);
  if (length <= most) return parameters;
  const others = parameters.filter(([name]) => !/^_?(page|page_size)$/.test(name));
  return [...others, ['_offset', `${(Number(page ?? 1) - 1) * length}`], ['_limit', `${most}`]];
}

/** All that the page of the rows shows: those that were asked for, else the first. @throws as `find` */
export async function findRowsPage(rows: RowsFinder, facts: RowsFacts, asked: Parameters): Promise<RowsPageParts> {
  const { dataset, version, profile } = facts;
  const allColumns = describedColumns(dataset.columns, profile);
  const parameters = withExactNames(asked, allColumns);
  const isAggregated = haveAggregates(parameters);
  const found = await findRows(rows, parameters, version, {
    ...{ allColumns, profile, isAggregated },
    formerNames: dataset.former_names,
  });
  const columns = isAggregated ? columnsOfGroups(found.items) : found.columns;
  // Those that choose columns of a dataset in the address still want to see where its rows are.
  const hasGeometry = haveGeometry(parametersFromRecord(facts.query?.parameters ?? {}), allColumns);
  const total = profile?.rows ?? version.rows ?? found.matched;
  const isCounted = !isAggregated && found.limit !== 1 && total <= mostCounted;
  const [facets, matchedProfile] = isCounted
    ? await Promise.all([
        countValues(rows, parameters, allColumns, profile),
        profileOfMatching(rows, parameters, columns),
      ])
    : [[], null];
  const obstacles = isCounted && found.matched === 0 ? await obstaclesIn(rows, parameters, facts.query) : [];
  return {
    ...facts,
    ...{ rows: found.items, columns, allColumns, matched: found.matched, offset: found.offset, limit: found.limit },
    ...{ total, matchedProfile, facets, obstacles, hasGeometry, isAggregated },
  };
}

/** The columns of the rows, with the texts of the record; the geometry, which says little to people, is last. */
export const describedColumns = (columns: readonly Column[], profile: VersionProfile | null): readonly Column[] =>
  profile ? measuredColumns(profile, columns) : columns;

const measuredColumns = keepLast((profile: VersionProfile, columns: readonly Column[]): readonly Column[] => {
  const described = new Map(columns.map((column) => [column.name, column]));
  const measured = [...profile.columns].sort((a, b) => Number(a.type === 'geometry') - Number(b.type === 'geometry'));
  return measured.map(({ name, type }) => described.get(name) ?? { name, type, label: '', description: '', unit: '' });
});

export const columnsOfGroups = (items: readonly Readonly<Record<string, unknown>>[]): readonly Column[] =>
  [...new Set(items.flatMap((item) => Object.keys(item)))].map((name) => {
    const isNumber = items.some((item) => typeof item[name] === 'number');
    return { name, type: isNumber ? 'float' : 'string', label: '', description: '', unit: '' };
  });

export interface KnownColumns {
  readonly allColumns: readonly Column[];
  readonly profile: VersionProfile | null;
  readonly isAggregated: boolean;
  readonly formerNames: FormerNames;
}

/** The part of the rows that is shown, of the columns that are. @param most columns, if the parameters name none */
export async function findRows(
  rows: RowsFinder,
  parameters: Parameters,
  version: RowsFacts['version'],
  known: KnownColumns,
  most = mostColumns,
) {
  const { allColumns, profile, isAggregated, formerNames } = known;
  const asked = parameters.filter(([name]) => !isFormat.test(name));
  const isLimited = asked.some(([name]) => isLimit.test(name) || /^_?page$/.test(name));
  const own = isLimited
    ? [...limitedTo(mostRows, asked, rows.pageSizes ?? usualSizes)]
    : [...asked, ['_limit', `${rowsPerPage}`] as const];
  const isSingle = own.some(([name, value]) => /^_?limit$/.test(name) && value === '1');
  const named = own.findLast(([name]) => name === '_fields')?.[1];
  let columns = allColumns;
  if (named === undefined && !isAggregated && !isSingle && allColumns.length > most) {
    const profiles: ReadonlyMap<string, Partial<ColumnProfile>> = profilesByColumn(version, profile);
    columns = choosePreviewColumns(allColumns, profiles, profile?.rows ?? 0, most);
    own.push(['_fields', columns.map(({ name }) => quotedName(name)).join(',')]);
  }
  const { items: found, part } = await rows.find(own);
  const items = found.slice(0, mostRows);
  if (named !== undefined && !isAggregated) {
    const described = new Map(allColumns.map((column) => [column.name, column]));
    const names = items.length ? Object.keys(items[0] as object) : presentNames(named, described, formerNames);
    columns = names.map(
      (name) => described.get(name) ?? { name, type: 'string', label: '', description: '', unit: '' },
    );
  }
  const { matched = items.length, offset = 0, limit = rowsPerPage } = part ?? {};
  return { items, columns, matched, offset, limit };
}

/** The names in a list of columns, each once; those that columns had before, as the present ones. */
function presentNames(list: string, columns: ReadonlyMap<string, Column>, former: FormerNames): readonly string[] {
  const others = columnsByOtherName(former, [...columns.keys()]);
  return [
    ...new Set(namesInList(list).map((name) => (columns.has(name) ? name : (columnsCalled(name, others)[0] ?? name)))),
  ];
}

const filtersOf = (parameters: Parameters): Parameters => parameters.filter(([name]) => !notFiltering.includes(name));

/** Filters that are tried, at most. */
const mostObstacles = 10;

/** The filters of an address, each with the number of rows without it. @param query saved, whose own filters stay */
async function obstaclesIn(
  rows: RowsFinder,
  parameters: Parameters,
  query: RowsFacts['query'],
): Promise<readonly Obstacle[]> {
  const filters = filtersOf(parameters);
  const fixed = new Set(parametersFromRecord(query?.parameters ?? {}).map((pair) => JSON.stringify(pair)));
  const chosen = filters.filter((pair) => !fixed.has(JSON.stringify(pair))).slice(0, mostObstacles);
  return Promise.all(
    chosen.map(async ([name, value]) => {
      const others = filters.filter((pair) => pair[0] !== name || pair[1] !== value);
      const { part } = await rows.find([...others, ['_limit', '1']]);
      return { name, value, count: part?.matched ?? 0 };
    }),
  );
}

/** The distribution of the matching rows over the columns shown; null if all rows match, or it isn't ready soon. */
async function profileOfMatching(
  rows: RowsFinder,
  parameters: Parameters,
  columns: readonly Column[],
): Promise<MatchedProfile | null> {
  const filters = filtersOf(parameters);
  if (filters.length === 0) return null;
  const shown = columns.slice(0, mostColumns).map(({ name }) => quotedName(name));
  return rows.profile([...filters, ['_fields', shown.join(',')]]);
}

/** The first columns that have few values. */
const columnsWithFewValues = keepLast((profile: VersionProfile, columns: readonly Column[]): readonly Column[] => {
  const profiles: ReadonlyMap<string, Partial<ColumnProfile>> = profilesByColumn(undefined, profile);
  const hasFew = ({ name, type }: Column) => {
    const distinct = profiles.get(name)?.distinct ?? 0;
    return (type === 'string' || type === 'boolean' || type === 'integer') && distinct >= 2 && distinct <= facetValues;
  };
  return columns.filter(hasFew).slice(0, facetColumns);
});

/** Values of the columns that have few, with their counts in the matching rows. */
async function countValues(
  rows: RowsFinder,
  parameters: Parameters,
  columns: readonly Column[],
  profile: VersionProfile | null,
): Promise<readonly ColumnFacet[]> {
  const filters = filtersOf(parameters);
  return Promise.all(
    (profile ? columnsWithFewValues(profile, columns) : []).map(async (column) => {
      const total = column.name === 'n' ? 'm' : 'n';
      const group = [
        ['_group_by', quotedName(column.name)],
        ['_aggregate', `count AS ${total}`],
        ['_ordering', `-${total}`],
        // Missing values are a group, too.
        ['_limit', String(facetValues + 1)],
      ] as const;
      const { items } = await rows.find([...filters, ...group]);
      const values = items.flatMap((item) => {
        const value = item[column.name];
        return value === null || value === undefined ? [] : [{ value: String(value), count: Number(item[total]) }];
      });
      return { column, values };
    }),
  );
}
