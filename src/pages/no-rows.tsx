/** What the page of rows shows if there are none: the way back, and the filters that are in the way. */
import type { VNode } from 'preact';
import { refOf } from '../catalogue/ref.ts';
import type { Column } from '../catalogue/types.ts';
import type { Obstacle } from './dataset-list.tsx';
import { hrefOf, hrefOfRef, hrefWith, type PageContext } from './page-context.ts';
import { FilterInWords, filtersIn, hrefWithout } from './row-filters.tsx';
import { noPart } from './rows-aside.tsx';
import type { RowsFacts } from './rows-in-files.tsx';

interface Props extends Pick<RowsFacts, 'query' | 'dataset' | 'version'> {
  readonly context: PageContext;
  /** Number of matching rows, and of all rows. */
  readonly matched: number;
  readonly total: number;
  /** All columns that there are. */
  readonly allColumns: readonly Column[];
  /** If no row matches: filters with the number of rows without each of them. */
  readonly obstacles: readonly Obstacle[];
}

/** The rows end before the part that was asked for, there are none at all, or no row matches. */
export function NoRows({ context, ...parts }: Props): VNode {
  const { locale } = context;
  if (parts.matched > 0)
    return (
      <div class="empty">
        <h2>{locale.text('noRowsHere')}</h2>
        <p>
          <a href={hrefWith(context, noPart)}>{locale.text('toFirstRows')}</a>
        </p>
      </div>
    );
  if (parts.total === 0 && filtersIn(context.query).length === 0)
    return (
      <div class="empty">
        <p>{locale.text('noRowsAtAll')}</p>
      </div>
    );
  return (
    <div class="empty">
      <h2>{locale.text('noRowMatches')}</h2>
      <Obstacles context={context} obstacles={parts.obstacles} allColumns={parts.allColumns} />
      <p>
        <a href={hrefOfAll(context, parts)}>{locale.text('allRows')}</a>:{' '}
        {locale.text('rowsAreThere', { rows: locale.text('rowCount', { count: parts.total }) })}
      </p>
    </div>
  );
}

/** Address of the rows without filters: those of a saved query are in its record. */
function hrefOfAll(context: PageContext, { query, dataset, version }: Omit<Props, 'context'>): string {
  if (!query) return hrefOf(context, context.path);
  return hrefOfRef(context, refOf(query.version ? version : dataset), 'data/');
}

/** The filters in the address without which rows match. */
function Obstacles({
  context,
  obstacles,
  allColumns,
}: Pick<Props, 'context' | 'obstacles' | 'allColumns'>): VNode | null {
  const { locale, query } = context;
  const isInAddress = ({ name, value }: Obstacle) => query.getAll(name).includes(value);
  const passable = obstacles.filter((obstacle) => obstacle.count > 0 && isInAddress(obstacle));
  if (passable.length === 0) return null;
  return (
    <>
      <p>{locale.text('takeAwayFilter')}</p>
      <ul class="obstacles">
        {passable.map(({ name, value, count }) => (
          <li key={`${name}=${value}`}>
            <a href={hrefWithout(context, name, value)} rel="nofollow">
              <FilterInWords {...{ locale, name, value }} columns={allColumns} />
            </a>{' '}
            <span class="soft">{locale.text('rowCount', { count })}</span>
          </li>
        ))}
      </ul>
    </>
  );
}
