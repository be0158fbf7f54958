/** The search by area: a map of where the datasets lie, on which a rectangle can be drawn, and a form of its four edges. */
import type { ComponentChildren, VNode } from 'preact';
import { boxWithoutHeights } from '../catalogue/dataset-filters.ts';
import { type Box, boxAround, overviewArea, overviewSize } from '../catalogue/maps.ts';
import { apiRoot, collections } from '../catalogue/urls.ts';
import { extentText } from './extent-text.ts';
import { hrefOf, hrefOfSearch, type PageContext, queryStringOf } from './page-context.ts';
import type { TextKey } from './texts/english.ts';

interface AreaProps {
  readonly context: PageContext;
  /** Box around the rows of the datasets that were found; null if none has a geometry. */
  readonly bbox: Box | null;
}

/** Parameters that are no filters of the map. */
const otherParameters: readonly string[] = ['page', 'page_size', 'ordering', 'facets', 'format'];

/** The sides of a box that was sent; null if it isn't one. */
function sidesOf(text: string): Box | null {
  const numbers = text.split(',').map((part) => (part.trim() === '' ? Number.NaN : Number(part)));
  const isBox = (numbers.length === 4 || numbers.length === 6) && numbers.every(Number.isFinite);
  return isBox ? boxWithoutHeights(numbers) : null;
}

/** The last box in the address; null without a box. */
const chosenBox = ({ query }: PageContext): Box | null =>
  sidesOf([...query.getAll('_bbox'), ...query.getAll('bbox')].at(-1) ?? '');

/** An area in words: `10° W to 20° E, 40° N to 60° N`; as it was sent, if it isn't one. */
export function nameOfArea({ locale }: PageContext, text: string): string {
  const sides = sidesOf(text);
  return sides ? extentText(locale, sides) : text;
}

/** Parameters of the picture of where the datasets lie that the filters leave. */
function parametersOfMap({ path, query }: PageContext): string {
  const namespace = /\/namespaces\/([^/]+)\//.exec(path)?.[1];
  const filters = [...query].filter(
    ([name, value]) => value && !name.startsWith('_') && !otherParameters.includes(name),
  );
  return queryStringOf([...(namespace ? [['namespace', namespace] as const] : []), ...filters]);
}

/** The picture of where the datasets lie that the filters leave. The script of the pages lets a rectangle be drawn on it. */
function AreaMap({ context, bbox, alt }: AreaProps & { readonly alt: string }): VNode {
  const area = overviewArea(boxAround(bbox, chosenBox(context)));
  return (
    <div class="area" data-area={area.join(',')}>
      <img
        src={hrefOf(context, `${apiRoot}${collections.dataset}/map.svg${parametersOfMap(context)}`)}
        {...overviewSize}
        alt={alt}
        loading="lazy"
      />
    </div>
  );
}

/** The map of all datasets on the home page; it leads to the search by area. */
export function WhereAllIs({ context, bbox }: AreaProps): VNode {
  const { locale } = context;
  return (
    <div class="plate">
      <div>
        <AreaMap context={context} bbox={bbox} alt={locale.text('whereAllIs')} />
        <a class="btn open" href={`${hrefOfSearch(context)}#where`}>
          {locale.text('searchAnArea')}
        </a>
      </div>
    </div>
  );
}

/** The search by area: the form, and a map to draw on. An export has only the map of all datasets. */
export function AreaForm({ context, bbox }: AreaProps): VNode | null {
  const { locale, query } = context;
  if (!bbox && !query.get('bbox')) return null;
  const hasMap = !(context.isExport && parametersOfMap(context));
  return (
    <BoxForm context={context}>
      {hasMap && (
        <>
          <AreaMap context={context} bbox={bbox} alt="" />
          <p class="faint s only-js">{locale.text('drawAnArea')}</p>
        </>
      )}
    </BoxForm>
  );
}

interface BoxFormProps {
  readonly context: PageContext;
  /** Content between the heading and the form. */
  readonly children?: ComponentChildren;
}

/** The form of a box of coordinates. Its four numbers become one parameter: the server redirects. */
export function BoxForm({ context, children }: BoxFormProps): VNode {
  const { locale, query, path } = context;
  const [west, south, east, north] = chosenBox(context) ?? [];
  const field = (name: string, label: TextKey, value: number | undefined, most: number) => (
    <div>
      <label for={`where-${name}`}>{locale.text(label)}</label>
      <input
        id={`where-${name}`}
        name={`_${name}`}
        type="number"
        step="any"
        min={-most}
        max={most}
        value={value}
        placeholder={`${name === 'west' || name === 'south' ? '−' : ''}${most}`}
      />
    </div>
  );
  return (
    <section class="facet" id="where">
      <h3>{locale.text('facetWhere')}</h3>
      {children}
      <form class="where" action={path === '/' ? hrefOfSearch(context) : hrefOf(context, path)}>
        {[...query]
          .filter(([name]) => !['bbox', '_bbox', 'page', '_west', '_south', '_east', '_north'].includes(name))
          .map(([name, value]) => (
            <input key={`${name}=${value}`} type="hidden" name={name} value={value} />
          ))}
        {field('west', 'westLabel', west, 180)}
        {field('east', 'eastLabel', east, 180)}
        {field('south', 'southLabel', south, 90)}
        {field('north', 'northLabel', north, 90)}
        <button class="btn" type="submit">
          {locale.text('searchThisArea')}
        </button>
      </form>
    </section>
  );
}
