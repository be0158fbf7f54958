/** The map of a dataset: a picture drawn by the server, in whose place the moving map comes when the reader asks for it. */
import type { VNode } from 'preact';
import type { MapCounts, MapLegend } from '../catalogue/maps.ts';
import type { Column } from '../catalogue/types.ts';
import { type LegendEntry, legendEntries, mapFigure } from './map-figure.ts';
import { numberTexts } from './number-texts.ts';
import { hrefOf, type PageContext } from './page-context.ts';

/** What a picture of a map shows. */
export interface ShownMap {
  readonly counts: MapCounts;
  readonly legend: MapLegend | null;
}

export interface DatasetMapProps {
  readonly context: PageContext;
  /** Path of the dataset or version, with a slash at its end. */
  readonly path: string;
  /** Null if the picture isn't ready yet: then nothing is said about it. */
  readonly shown: ShownMap | null;
  /** Columns that may colour the map. */
  readonly columns: readonly Column[];
}

/** Parameters of the chart on the same page, which stays as it is. */
const chartParameters = ['_number', '_lines', '_time'];

/** Most columns in the list of those that may colour the map. */
const mostColumns = 60;

export function DatasetMap({ context, path, shown, columns }: DatasetMapProps): VNode {
  const { locale } = context;
  const colour = context.query.get('_colour') ?? '';
  const figure = mapFigure({
    address: hrefOf(context, path),
    parameters: colour ? [['_colour', colour]] : [],
    texts: movingMapTexts(context),
  });
  const sentence = shown ? mapSentence(context, shown.counts) : '';
  // No row is anywhere: a picture would be the world, or the sea.
  if (shown?.counts.located === 0) return <p class="soft">{sentence}</p>;
  return (
    <figure aria-labelledby="h-map" {...figure.attributes}>
      <div class="plate">
        <div data-map-stage>
          <img {...figure.picture} alt={locale.text('mapAlt', { sentence })} />
          <button class="btn open js" type="button" data-map-open>
            {locale.text('exploreTheMap')}
          </button>
        </div>
      </div>
      {shown?.legend && <Legend context={context} legend={shown.legend} />}
      <figcaption class="undermap">
        <span>{sentence}</span>
        <form class="row" action={`${hrefOf(context, context.path)}#map`}>
          {chartParameters.map((name) => {
            const value = context.query.get(name);
            return value && <input key={name} type="hidden" name={name} value={value} />;
          })}
          <label for="map-colour">{locale.text('colourBy')}</label>
          <select id="map-colour" name="_colour">
            <option value="">{locale.text('nothing')}</option>
            {columns.slice(0, mostColumns).map(({ name }) => (
              <option key={name} value={name} selected={name === colour}>
                {name}
              </option>
            ))}
          </select>
          <button class="btn" type="submit">
            {locale.text('show')}
          </button>
        </form>
      </figcaption>
    </figure>
  );
}

export function Legend({ context, legend }: { readonly context: PageContext; readonly legend: MapLegend }): VNode {
  const { breaks } = legend.kind === 'quantiles' ? legend : { breaks: [] };
  const texts = numberTexts(context.locale, legend.column, breaks);
  const textOf = new Map(breaks.map((value, i) => [value, texts[i] as string]));
  return (
    <ul class="classes" aria-label={context.locale.text('colourBy')}>
      {legendEntries(legend).map((entry) => (
        <li key={`${entry.colour} ${entry.from} ${entry.value}`}>
          <svg viewBox="0 0 14 12" aria-hidden="true">
            <rect class={entry.colour} width="14" height="12" />
          </svg>
          <span dir="auto">{legendText(context, entry, textOf)}</span>
        </li>
      ))}
    </ul>
  );
}

function legendText(
  { locale }: PageContext,
  { from, below, value }: LegendEntry,
  textOf: ReadonlyMap<number, string>,
): string {
  if (value !== undefined) return String(value);
  if (from !== undefined && below !== undefined) return `${textOf.get(from)} – ${textOf.get(below)}`;
  if (from !== undefined) return `≥ ${textOf.get(from)}`;
  if (below !== undefined) return `< ${textOf.get(below)}`;
  return locale.text('otherValues');
}

const kindTexts = {
  points: 'geometryPoint',
  lines: 'geometryLine',
  polygons: 'geometryPolygon',
  shapes: 'geometryGeometry',
} as const;

/** The same with their number. */
const countTexts = {
  points: 'pointCount',
  lines: 'lineCount',
  polygons: 'polygonCount',
  shapes: 'geometryCount',
} as const;

/** How much of the rows the picture shows. */
export function mapSentence({ locale }: PageContext, counts: MapCounts): string {
  const { matched, located, drawn, isSampled } = counts;
  const kind = locale.text(kindTexts[counts.kind]);
  if (matched === 0) return locale.text('mapNoRows');
  if (located === 0) return locale.text('mapNoGeometry', { count: matched });
  const missing = matched > located ? ` ${locale.text('mapWithoutGeometry', { count: matched - located })}` : '';
  const things = locale.text(countTexts[counts.kind], { count: located });
  const values = { drawn, located, kind, things, count: located };
  const key = isSampled
    ? 'mapByChance'
    : drawn < located
      ? 'mapSamePixel'
      : counts.kind === 'points'
        ? 'mapAll'
        : 'mapSimplified';
  return locale.text(key, values) + missing;
}

/** Texts of the moving map, by the names in `browser/row-panel.ts`. The script of the map fills in `{count}`. */
export function movingMapTexts({ locale }: Pick<PageContext, 'locale'>): Readonly<Record<string, string>> {
  return {
    label: locale.text('mapLabel'),
    zoomIn: locale.text('zoomIn'),
    zoomOut: locale.text('zoomOut'),
    close: locale.text('close'),
    openRow: locale.text('openRow'),
    rowsInView: locale.text('rowsInView'),
    moreRows: locale.text('mapMoreRows', { count: '{count}' }),
    oneMoreRow: locale.text('mapOneMoreRow'),
    tilesFailed: locale.text('mapTilesFailed'),
    tryAgain: locale.text('mapTryAgain'),
    failed: locale.text('mapFailed'),
    rowFailed: locale.text('mapRowFailed'),
  };
}
