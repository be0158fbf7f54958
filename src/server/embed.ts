/** Maps and tables of rows for the pages of others: the only pages that may be shown in a frame. */
import { ValidationError } from '../catalogue/errors.ts';
import { datasetRefOf, refOf, type VersionRef } from '../catalogue/ref.ts';
import { haveAggregates, haveGeometry, quotedName, withExactNames } from '../catalogue/row-parameters.ts';
import type { Dataset, Query } from '../catalogue/types.ts';
import { type EmbeddedView, renderEmbeddedPage } from '../pages/embed.tsx';
import { limitedTo } from '../pages/find-rows.ts';
import { frameCode, frameHeight } from '../pages/frame-code.ts';
import { choosePreviewColumns, profilesByColumn } from '../pages/preview-columns.ts';
import { datasetWithColumnsOf } from './dataset-page.ts';
import { profileSoon, readObjects } from './first-look.ts';
import { urlWithParameters } from './link-header.ts';
import { type Handler, type Representation, type RequestContext, refFromRouteParams } from './route.ts';
import { workBudgetOf } from './rows-page.ts';
import { withSavedQuery } from './saved-query.ts';
import { patienceOf } from './soon.ts';

/** Rows of a table in a frame, at most, and its columns, if the address doesn't say. */
const rowsShown = 50;
const columnsShown = 8;
/** Width of a frame in pixels, for consumers of oEmbed; as HTML, it takes all that there is. */
const frameWidth = 800;

/** `…/embed/?_view=map` of a version or of a saved query, with the filters of the rows. As JSON, the answer of oEmbed 1.0. */
export function makeEmbedHandler(kind: 'version' | 'query'): Handler {
  return async (request) => {
    if (kind === 'version') return embed(request, refFromRouteParams('version', request.params), [], null);
    return withSavedQuery(request, ({ query, ref, parameters }) => embed(request, ref, parameters, query));
  };
}

async function embed(
  request: RequestContext,
  ref: VersionRef,
  before: readonly (readonly [string, string])[],
  query: Query | null,
): Promise<Representation> {
  const { catalogue, ctx, isPage, links } = request;
  const version = await catalogue.get<'version'>(ref);
  const dataset = datasetWithColumnsOf(await catalogue.get<'dataset'>(datasetRefOf(version)), version);
  const inAddress = [...request.query].filter(([name]) => name !== '_view');
  const own = [...withExactNames(before, dataset.columns), ...inAddress].filter(([name]) => !/^_?format$/.test(name));
  const hasGeometry = !haveAggregates(own) && haveGeometry(before, dataset.columns);
  const view = viewOf(request.query, hasGeometry);
  const title = query?.label ?? dataset.label;
  const shown = isPage ? await (view === 'map' ? readMap : readTable)(request, version, dataset, own) : null;
  const address = urlWithParameters(`${links.base}${ctx.path}`, new URLSearchParams(inFrame(request.query, dataset)));
  const { maxwidth, maxheight } = Object.fromEntries(request.query);
  const height = atMost(maxheight, frameHeight[view]);
  return {
    title,
    dependsOn: [],
    isFramable: true,
    json: () =>
      JSON.stringify({
        ...{ version: '1.0', type: 'rich', title, width: atMost(maxwidth, frameWidth), height },
        ...{ provider_name: catalogue.settings.title, provider_url: `${links.base}/` },
        html: frameCode(address, title, view, height),
      }),
    ...(shown && {
      page: (context) =>
        renderEmbeddedPage(context, {
          dataset,
          version,
          title,
          parameters: inAddress,
          shown,
        }),
    }),
  };
}

/** Parameters of oEmbed, which consumers add. */
const oembedParameters = ['maxwidth', 'maxheight', 'url', 'dnt'];

/** The parameters of the page in the frame: those of an address of oEmbed that select rows and their view. */
const inFrame = (query: URLSearchParams, { columns }: Pick<Dataset, 'columns'>) =>
  [...query].filter(
    ([name]) =>
      !/^_?format$/.test(name) && !(oembedParameters.includes(name) && !columns.some((column) => column.name === name)),
  );

/** A length in pixels that is no longer than a parameter allows. */
const atMost = (parameter: string | undefined, length: number): number =>
  /^[1-9]\d*$/.test(parameter ?? '') ? Math.min(Number(parameter), length) : length;

/** @throws ValidationError */
function viewOf(query: URLSearchParams, hasGeometry: boolean): 'map' | 'table' {
  const view = query.get('_view') ?? (hasGeometry ? 'map' : 'table');
  if (view !== 'map' && view !== 'table') throw new ValidationError({ _view: ['A view is "map" or "table".'] });
  if (view === 'map' && !hasGeometry)
    throw new ValidationError({ _view: ['The rows have no geometry, so there is no map of them.'] });
  return view;
}

type Read = (
  request: RequestContext,
  version: Parameters<typeof datasetWithColumnsOf>[1],
  dataset: Parameters<typeof datasetWithColumnsOf>[0],
  own: readonly (readonly [string, string])[],
) => Promise<EmbeddedView>;

const readMap: Read = async (request, version, _, parameters) => {
  const map = await request.catalogue.map(refOf(version), { parameters, budget: workBudgetOf(request) });
  const { counts, legend } = await map.picture();
  return { view: 'map', map: { counts, legend } };
};

const readTable: Read = async (request, version, dataset, own) => {
  const { catalogue } = request;
  const parameters = own.filter(([name]) => name !== '_colour');
  const isChosen = haveAggregates(parameters) || parameters.some(([name]) => name === '_fields');
  let columns = dataset.columns;
  const chosen = [...limitedTo(rowsShown, parameters, catalogue.settings)];
  if (!isChosen && columns.length > columnsShown) {
    const profile = await profileSoon(catalogue, version, patienceOf(request.app));
    columns = choosePreviewColumns(columns, profilesByColumn(version, profile), profile?.rows ?? 0, columnsShown);
    chosen.push(['_fields', columns.map(({ name }) => quotedName(name)).join(',')]);
  }
  const { items: found, part } = await readObjects(catalogue, version, chosen, workBudgetOf(request));
  const items = found.slice(0, rowsShown);
  const known = new Map(columns.map((column) => [column.name, column]));
  const names = isChosen ? Object.keys(items[0] ?? {}) : columns.map(({ name }) => name);
  return {
    view: 'table',
    columns: names.map(
      (name) =>
        known.get(name) ?? {
          name,
          type: typeof items[0]?.[name] === 'number' ? 'float' : 'string',
          label: '',
          description: '',
          unit: '',
        },
    ),
    rows: items,
    offset: part?.offset ?? 0,
    matched: part?.matched ?? items.length,
  };
};
