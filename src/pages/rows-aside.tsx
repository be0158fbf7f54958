/** Beside a table of rows: a map of those that match, and filters by place and by the values of columns. */
import type { VNode } from 'preact';
import type { FacetValue } from '../catalogue/facets.ts';
import { partParameters } from '../catalogue/row-parameters.ts';
import type { Column } from '../catalogue/types.ts';
import { BoxForm } from './area.tsx';
import { movingMapTexts } from './dataset-map.tsx';
import { filterName } from './histogram.tsx';
import { mapFigure } from './map-figure.ts';
import { hrefOf, hrefWith, type PageContext } from './page-context.ts';
import { filtersIn } from './row-filters.tsx';

/** Values of a column with their counts in the matching rows. */
export interface ColumnFacet {
  readonly column: Column;
  readonly values: readonly FacetValue[];
}

interface AsideProps {
  readonly context: PageContext;
  readonly facets: readonly ColumnFacet[];
  readonly hasMap: boolean;
  /** Number of matching rows. */
  readonly matched: number;
}

/** Parameters of the part of the rows that is shown. */
export const noPart: Readonly<Record<string, null>> = Object.fromEntries(partParameters.map((name) => [name, null]));

/** Width of the picture in pixels: twice that of the column, for dense screens. */
const mapWidth = 544;

/** The picture is fetched by the browser, so the table doesn't wait for it. */
function MapOfRows({ context, matched }: Pick<AsideProps, 'context' | 'matched'>): VNode {
  const { locale, path, query } = context;
  const address = hrefOf(context, path.replace(/data\/$/, ''));
  const { attributes, picture } = mapFigure({
    ...{ address, parameters: [...query], width: mapWidth, texts: movingMapTexts(context) },
  });
  return (
    <section class="facet">
      <h3 id="h-map">{locale.text('whereTheyAre')}</h3>
      <figure aria-labelledby="h-map" {...attributes}>
        <div class="plate">
          <div data-map-stage>
            <img {...picture} loading="lazy" alt={locale.text('mapOfRows', { count: matched })} />
            <button class="btn open js" type="button" data-map-open>
              {locale.text('exploreTheMap')}
            </button>
          </div>
        </div>
      </figure>
    </section>
  );
}

/** The map of the matching rows (an export has that of all rows), a form of an area, and values of columns: each a filter. */
export function RowsAside({ context, facets, hasMap, matched }: AsideProps): VNode {
  const { locale, query } = context;
  return (
    <aside aria-label={locale.text('values')}>
      <h2 class="vh">{locale.text('values')}</h2>
      {hasMap && !(context.isExport && filtersIn(query).length) && <MapOfRows context={context} matched={matched} />}
      {facets.map(({ column, values }) => {
        const name = filterName(column.name);
        const chosen = query.getAll(name);
        return (
          <section key={column.name} class="facet">
            <h3 dir="auto">{column.label || column.name}</h3>
            <ul>
              {values.map(({ value, count }) => {
                const isOn = chosen.includes(value);
                return (
                  <li key={value}>
                    <a
                      class={isOn ? 'on' : undefined}
                      aria-current={isOn ? 'true' : undefined}
                      href={hrefWith(context, { ...noPart, [name]: isOn ? null : value })}
                      rel="nofollow"
                    >
                      <span dir="auto">{value || '“”'}</span>
                      <span>{locale.number(count)}</span>
                    </a>
                  </li>
                );
              })}
            </ul>
          </section>
        );
      })}
      {hasMap && <BoxForm context={context} />}
    </aside>
  );
}
