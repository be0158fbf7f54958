/** A map or a table of rows, to be shown in a frame on the pages of others; and the line that shows it. */
import type { VNode } from 'preact';
import type { Column, Dataset, Version } from '../catalogue/types.ts';
import { Cell, isNumeric, type RowValues, TypeOfColumn } from './cells.tsx';
import { Legend, mapSentence, movingMapTexts, type ShownMap } from './dataset-map.tsx';
import { licenceName } from './figures.ts';
import { renderPage } from './layout.tsx';
import { licenceOf, publisherOf } from './licence-and-citing.tsx';
import { mapFigure } from './map-figure.ts';
import { hrefOf, type PageContext, queryStringOf } from './page-context.ts';
import { ScrollBox } from './scroll-box.tsx';

/** What is in the frame. */
export type EmbeddedView =
  | { readonly view: 'map'; readonly map: ShownMap }
  | {
      readonly view: 'table';
      readonly columns: readonly Column[];
      readonly rows: readonly RowValues[];
      /** Number of matching rows before them. */
      readonly offset: number;
      readonly matched: number;
    };

interface EmbeddedParts {
  readonly dataset: Dataset;
  readonly version: Version;
  readonly title: string;
  /** Parameters of the address, without the view. */
  readonly parameters: readonly (readonly [string, string])[];
  readonly shown: EmbeddedView;
}

export function renderEmbeddedPage(
  context: PageContext,
  { dataset, version, title, parameters, shown }: EmbeddedParts,
): string {
  const { locale, settings } = context;
  const home = hrefOf(context, context.path.replace(/embed\/$/, ''));
  const filters = parameters.filter(([name]) => name !== '_colour');
  const licence = licenceOf(context, dataset);
  return renderPage(context, {
    title,
    isHidden: true,
    isEmbedded: true,
    json: null,
    children: (
      <>
        <h1 dir="auto">
          <a href={filters.length ? `${home}data/${queryStringOf(filters)}` : home} target="_blank" rel="noopener">
            {title}
          </a>
        </h1>
        {shown.view === 'map' ? (
          <EmbeddedMap context={context} address={home} parameters={parameters} shown={shown.map} />
        ) : (
          <EmbeddedTable context={context} {...shown} />
        )}
        <p class="dots s soft">
          <span dir="auto">{publisherOf(context, dataset) || settings.title}</span>
          {licence && <span>{licenceName(licence)}</span>}
          <span>{locale.text('versionOf', { date: locale.date(version.datetime, 'long') })}</span>
        </p>
      </>
    ),
  });
}

function EmbeddedMap({
  context,
  address,
  parameters,
  shown,
}: {
  readonly context: PageContext;
  readonly address: string;
  readonly parameters: EmbeddedParts['parameters'];
  readonly shown: ShownMap;
}): VNode {
  const { locale } = context;
  const figure = mapFigure({ address, parameters, texts: movingMapTexts(context) });
  const sentence = mapSentence(context, shown.counts);
  return (
    <figure aria-label={locale.text('map')} {...figure.attributes}>
      <div class="plate">
        <div data-map-stage>
          <img {...figure.picture} alt={`${locale.text('map')}. ${sentence}`} />
          <button class="btn open js" type="button" data-map-open>
            {locale.text('exploreTheMap')}
          </button>
        </div>
      </div>
      {shown.legend && <Legend context={context} legend={shown.legend} />}
      <figcaption class="s">{sentence}</figcaption>
    </figure>
  );
}

function EmbeddedTable({
  context,
  columns,
  rows,
  offset,
  matched,
}: { readonly context: PageContext } & Extract<EmbeddedView, { view: 'table' }>): VNode {
  const { locale } = context;
  if (rows.length === 0) return <p>{locale.text(matched > 0 ? 'noRowsHere' : 'noRowMatches')}.</p>;
  return (
    <>
      <ScrollBox label={locale.text('rows')}>
        <table class="grid">
          <thead>
            <tr>
              {columns.map((column) => (
                <th key={column.name} scope="col" class={isNumeric(column.type) ? 'num' : undefined}>
                  <span dir="auto">{column.name}</span> <TypeOfColumn column={column} />
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {rows.map((row, i) => (
              <tr key={i}>
                {columns.map(({ name, type }) => (
                  <Cell key={name} locale={locale} value={row[name]} type={type} />
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </ScrollBox>
      <p class="s">
        {locale.text('rowsFromTo', {
          from: offset + 1,
          to: offset + rows.length,
          count: matched,
        })}
      </p>
    </>
  );
}
