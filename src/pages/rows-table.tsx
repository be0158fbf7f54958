/** The table of rows: heads with distributions, links to parts of the rows, values beside it. */
import type { VNode } from 'preact';
import type { ColumnProfile, MatchedColumn, MatchedProfile, VersionProfile } from '../catalogue/column-statistics.ts';
import { quotedName } from '../catalogue/row-parameters.ts';
import type { Column } from '../catalogue/types.ts';
import { Cell, gridClass, isNumeric, type RowValues, TypeOfColumn } from './cells.tsx';
import { Ends, HistogramBars, makeRowsHref, TopValues } from './histogram.tsx';
import { hrefOf, hrefWith, type PageContext } from './page-context.ts';
import { measuredByColumn } from './preview-columns.ts';
import { fromFirst } from './row-filters.tsx';
import { type ColumnFacet, noPart, RowsAside } from './rows-aside.tsx';
import { ScrollBox } from './scroll-box.tsx';

export interface RowsTableProps {
  readonly context: PageContext;
  readonly rows: readonly RowValues[];
  /** The columns of these rows. */
  readonly columns: readonly Column[];
  /** Number of matching rows, and of all rows. */
  readonly matched: number;
  readonly total: number;
  readonly offset: number;
  readonly limit: number;
  readonly profile: VersionProfile | null;
  /** The distribution of the matching rows; null if all match, or they are too many. */
  readonly matchedProfile: MatchedProfile | null;
  readonly facets: readonly ColumnFacet[];
  /** True if the rows have a geometry. */
  readonly hasGeometry: boolean;
  /** True if the rows are groups of rows. */
  readonly isAggregated: boolean;
}

export function RowsTable(props: RowsTableProps): VNode {
  const { context, rows, columns, matched, total, offset, profile, matchedProfile, facets, hasGeometry, isAggregated } =
    props;
  const { locale } = context;
  const profiles = profile ? measuredByColumn(profile) : new Map<string, ColumnProfile>();
  const matchedColumns = new Map(matchedProfile?.columns.map((column) => [column.name, column]));
  const hasMap = hasGeometry && !isAggregated;
  const isFilteredHere = context.filteringOf?.(context.path) === 'inBrowser';
  return (
    <>
      <h2 class="vh">{locale.text('rows')}</h2>
      {!isAggregated && profile && (
        <p class="s soft heads-note">
          {locale.text(matchedProfile ? 'headsOfMatching' : 'headsNote', {
            rows: locale.text('rowCount', { count: profile.rows }),
            count: matchedProfile?.rows ?? 0,
          })}{' '}
          {(!context.isExport || isFilteredHere) && (
            <span class={isFilteredHere ? 'only-js' : undefined}>{locale.text('barsFilter')}</span>
          )}
        </p>
      )}
      <div class={facets.length || hasMap ? 'withside' : undefined}>
        <div class="big-grid">
          <ScrollBox label={locale.text('rows')}>
            <table class={gridClass(columns.length)}>
              <thead>
                <tr>
                  <th class="n" scope="col">
                    <span class="vh">{locale.text('row')}</span>
                  </th>
                  {columns.map((column, i) => (
                    <HeadCell
                      key={column.name}
                      {...{ context, column, isKey: i === 0, isAggregated, profile: profiles.get(column.name) }}
                      matched={matchedColumns.get(column.name)}
                      total={matchedProfile?.rows ?? total}
                    />
                  ))}
                </tr>
              </thead>
              <tbody>
                {rows.map((row, i) => {
                  const number = offset + i;
                  return (
                    <tr key={number}>
                      <th class="n" scope="row">
                        {isAggregated ? (
                          number + 1
                        ) : (
                          <a
                            href={hrefWith(context, { ...noPart, _limit: '1', _offset: String(number) })}
                            rel="nofollow"
                          >
                            {number + 1}
                          </a>
                        )}
                      </th>
                      {columns.map(({ name, type }, at) => (
                        <Cell key={name} locale={locale} value={row[name]} type={type} isKey={at === 0} />
                      ))}
                    </tr>
                  );
                })}
              </tbody>
            </table>
          </ScrollBox>
          <PartLinks context={context} matched={matched} offset={offset} shown={rows.length} limit={props.limit} />
        </div>
        {(facets.length > 0 || hasMap) && <RowsAside {...{ context, facets, hasMap, matched }} />}
      </div>
    </>
  );
}

/** True if a parameter filters by the column: `mag__gte` by `mag`, and `magType` not. */
const filtersBy = (parameter: string, column: string): boolean =>
  parameter === column ||
  (parameter.startsWith(`${column}__`) && !parameter.slice(column.length + '__'.length).includes('__'));

interface HeadProps {
  readonly context: PageContext;
  readonly column: Column;
  readonly isKey: boolean;
  readonly isAggregated: boolean;
  readonly profile: ColumnProfile | undefined;
  readonly matched: MatchedColumn | undefined;
  /** Number of the rows that are counted. */
  readonly total: number;
}

/** Name, type and distribution of a column; the name sorts. */
function HeadCell({ context, column, isKey, isAggregated, profile, matched, total }: HeadProps): VNode {
  const { locale, query } = context;
  const { name, type } = column;
  const ordering = query.get('_ordering') ?? '';
  const own = quotedName(name);
  const direction = ordering === own ? 'ascending' : ordering === `-${own}` ? 'descending' : undefined;
  const canSort = !['geometry', 'object', 'array'].includes(type);
  const next = direction === 'ascending' ? `-${own}` : own;
  const rowsHref = makeRowsHref(hrefOf(context, context.path));
  const kept = [...query].filter(([key]) => !Object.hasOwn(noPart, key) && !filtersBy(key, name));
  const hrefOfFilter = (filters: readonly (readonly [string, string])[]) => rowsHref([...kept, ...filters]);
  const { histogram, top, distinct } = profile ?? {};
  return (
    <th
      scope="col"
      class={[isKey && 'key', isNumeric(type) && 'num', direction && 'sorted'].filter(Boolean).join(' ') || undefined}
      aria-sort={direction}
    >
      {canSort ? (
        <a
          href={hrefWith(context, { ...fromFirst, _ordering: next })}
          rel="nofollow"
          title={locale.text('sortBy', { name })}
          dir="auto"
        >
          {name}
          {direction && <span aria-hidden="true">{direction === 'ascending' ? ' ↑' : ' ↓'}</span>}
        </a>
      ) : (
        <span dir="auto">{name}</span>
      )}{' '}
      {!isAggregated && <TypeOfColumn column={column} />}
      {!isAggregated && histogram && profile && !(top && (distinct ?? 0) <= 2) ? (
        <>
          <HistogramBars
            {...{ locale, name, type, histogram, rowsHref: hrefOfFilter, width: 104, height: 30 }}
            matched={matched?.counts}
          />
          <Ends locale={locale} name={name} profile={profile} />
        </>
      ) : (
        !isAggregated &&
        profile &&
        top &&
        (distinct ?? 0) > 1 &&
        (distinct ?? 0) <= 20 && (
          <TopValues
            {...{ locale, column: profile, rows: total, rowsHref: hrefOfFilter, most: 2 }}
            matched={matched?.top}
          />
        )
      )}
    </th>
  );
}

function PartLinks({
  context,
  matched,
  offset,
  shown,
  limit,
}: Pick<RowsTableProps, 'context' | 'matched' | 'offset' | 'limit'> & { readonly shown: number }): VNode {
  const { locale } = context;
  const to = (start: number) =>
    hrefWith(context, {
      ...noPart,
      ...(limit === rowsPerPage ? {} : { _limit: String(limit) }),
      _offset: start > 0 ? String(start) : null,
    });
  const rest = Math.min(limit, matched - offset - shown);
  return (
    <nav class="pager" aria-label={locale.text('pages')}>
      {offset > 0 ? (
        <a href={to(Math.max(0, offset - limit))} rel="prev">
          ← {locale.text('previousRows', { count: Math.min(limit, offset) })}
        </a>
      ) : (
        <span />
      )}
      <span>{locale.text('rowsFromTo', { from: offset + 1, to: offset + shown, count: matched })}</span>
      {rest > 0 ? (
        <a href={to(offset + shown)} rel="next">
          {locale.text('nextRows', { count: rest })} →
        </a>
      ) : (
        <span />
      )}
    </nav>
  );
}

/** Rows in a page, if the address doesn't say. */
export const rowsPerPage = 100;
