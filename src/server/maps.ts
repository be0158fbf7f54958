/** Maps of rows over HTTP: pictures, plates, and vector tiles with their TileJSON. */
import { NotFoundError } from '../catalogue/errors.ts';
import type { RowsMap, Tileset } from '../catalogue/maps.ts';
import { datasetRefOf, type VersionRef } from '../catalogue/ref.ts';
import { boxParameter } from '../catalogue/row-parameters.ts';
import { clampBounds } from '../data/map/mercator.ts';
import { parseTileAddress } from '../data/map/parameters.ts';
import { rowCountProperty, tileLayerName } from '../data/map/tile.ts';
import { moduleBeside } from '../data/module-beside.ts';
import { WorkerPool } from '../data/worker-pool.ts';
import { cacheControlOf, type Headers } from './headers.ts';
import { urlWithParameters } from './link-header.ts';
import { type Handler, type Representation, type RequestContext, refFromRouteParams } from './route.ts';
import { workBudgetOf } from './rows-page.ts';
import { withSavedQuery } from './saved-query.ts';

export const pictureType = 'image/svg+xml';
export const pngType = 'image/png';
/** As registered with IANA; `application/x-protobuf` is an older name. */
export const tileType = 'application/vnd.mapbox-vector-tile';

/** Makes the response of a map. */
type MapResponder = (
  request: RequestContext,
  map: RowsMap,
) => Promise<Omit<Representation, 'dependsOn' | 'title'> | null>;

/** A handler for maps of a version, or of the rows of a saved query. */
export function makeMapHandler(kind: 'version' | 'query', respond: MapResponder): Handler {
  return async (request) => {
    const { map, dependsOn } = await (kind === 'version' ? mapOfVersion(request) : mapOfQuery(request));
    const representation = await respond(request, map);
    return representation ? { title: '', dependsOn, ...representation } : undefined;
  };
}

interface OpenedMap {
  readonly map: RowsMap;
  /** Records on which the response depends. */
  readonly dependsOn: readonly unknown[];
}

function mapOfVersion(request: RequestContext): Promise<OpenedMap> {
  return openMap(request, refFromRouteParams('version', request.params), []);
}

async function mapOfQuery(request: RequestContext): Promise<OpenedMap> {
  return withSavedQuery(request, ({ query, ref, parameters }) => openMap(request, ref, parameters, query));
}

async function openMap(
  request: RequestContext,
  ref: VersionRef,
  before: readonly (readonly [string, string])[],
  ...records: unknown[]
): Promise<OpenedMap> {
  const { catalogue, ctx, query } = request;
  const map = await catalogue.map(ref, {
    parameters: [...before, ...query],
    length: Buffer.byteLength(ctx.querystring),
    budget: workBudgetOf(request),
  });
  const dataset = await catalogue.get<'dataset'>(datasetRefOf(map.version));
  return { map, dependsOn: [map.version, dataset, ...records] };
}

/** A picture opened in a tab of its own may run nothing, and load nothing. */
export const pictureHeaders: Headers = [
  ['Content-Security-Policy', "default-src 'none'; style-src 'unsafe-inline'; sandbox"],
];

/** `…/map.svg`: how much of the rows it shows is said in its `desc`, as JSON in its `metadata`, and in headers. */
export const respondPicture: MapResponder = async (_, map) => {
  const { svg, counts } = await map.picture();
  return {
    json: () => svg,
    type: pictureType,
    headers: [...pictureHeaders, ...countHeaders(counts.matched, counts.drawn)],
  };
};

/** `…/plate.svg` */
export const respondPlate: MapResponder = async (_, map) => {
  const svg = await map.plate();
  return { json: () => svg, type: pictureType, headers: pictureHeaders };
};

const pngThreads = new WorkerPool({ size: 1 });
const pngTasks = moduleBeside(import.meta.url, '../data/map/picture-png-thread');

/** `…/plate.png`: the map, or the plate of rows that are nowhere, for programs that show no SVG. */
export const respondPlateAsPng: MapResponder = async (request, map) => {
  const svg = map.hasGeometry && map.version.bbox ? (await map.picture()).svg : await map.plate();
  type Tasks = typeof import('../data/map/picture-png-thread.ts');
  const budget = workBudgetOf(request);
  budget.assertAvailable();
  const { png, milliseconds } = await pngThreads.run<Tasks, 'drawPng'>(pngTasks, 'drawPng', [svg]);
  budget.spend(milliseconds);
  return { json: () => '', bytes: () => png, type: pngType };
};

/** `…/tiles/{z}/{x}/{y}.mvt`; 204 if the tile has no rows. */
export const respondTile: MapResponder = async ({ ctx, params }, map) => {
  const { z = '', x = '', file = '' } = params;
  const y = /^(.*)\.(?:mvt|pbf)$/.exec(file)?.[1];
  if (y === undefined) throw new NotFoundError('The address of a tile ends in .mvt.');
  const { bytes, matched, drawn } = await map.tile(parseTileAddress({ z, x, y }));
  if (bytes) return { json: () => '', bytes: () => bytes, type: tileType, headers: countHeaders(matched, drawn) };
  ctx.set('Cache-Control', cacheControlOf(ctx.req));
  ctx.status = 204;
  return null;
};

const countHeaders = (matched: number, drawn: number): Headers => [
  ['X-Total-Count', String(matched)],
  ['X-Feature-Count', String(drawn)],
];

/** `…/tiles.json` */
export const respondTileset: MapResponder = async (request, map) => {
  const { catalogue, ctx, links, query } = request;
  const tileset = await map.tileset();
  const dataset = await catalogue.get<'dataset'>(datasetRefOf(map.version));
  const path = `${links.base}${ctx.path.replace(/tiles\.json$/, '')}`;
  const document = {
    tilejson: '3.0.0',
    name: dataset.label || dataset.slug,
    ...(dataset.description && { description: dataset.description }),
    ...(dataset.publisher && { attribution: escapeHtml(dataset.publisher) }),
    version: '1.0.0',
    scheme: 'xyz',
    tiles: [urlWithParameters(`${path}tiles/{z}/{x}/{y}.mvt`, query, { format: null, _format: null })],
    minzoom: 0,
    maxzoom: tileset.maxZoom,
    ...(tileset.bounds && { bounds: clampBounds(tileset.bounds), center: centreOf(tileset.bounds) }),
    vector_layers: [{ id: tileLayerName, fields: fieldsOf(tileset) }],
    data: [urlWithParameters(`${path}data/`, query, { _colour: null, _width: null, format: null, _format: null })],
    // Beyond TileJSON, whose `legend` is a text: what the moving map of our pages needs.
    counts: tileset.counts,
    column: tileset.column,
    classes: tileset.legend,
    extent: tileset.bounds,
    box: boxParameter(map.version.columns ?? dataset.columns),
  };
  return { json: () => JSON.stringify(document), type: 'application/json' };
};

function fieldsOf({ column }: Tileset): Record<string, string> {
  const fields = { [rowCountProperty]: 'Number of rows that the feature stands for, if more than one' };
  return column ? { [column.name]: column.type, ...fields } : fields;
}

/** Longitude, latitude, and the zoom at which the rows fill some two tiles. */
function centreOf([west, south, east, north]: NonNullable<Tileset['bounds']>): readonly number[] {
  const span = Math.max(east - west, north - south, 0.005);
  const longitude = (((((west + east) / 2 + 540) % 360) + 360) % 360) - 180;
  return [longitude, (south + north) / 2, Math.max(0, Math.floor(Math.log2(720 / span)))];
}

const escapeHtml = (text: string) => text.replace(/[&<>"]/g, (character) => `&#${character.charCodeAt(0)};`);
