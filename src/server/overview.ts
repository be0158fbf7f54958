/** The picture of where the datasets of a list lie. */
import type { Catalogue } from '../catalogue/catalogue.ts';
import { boxWithoutHeights, parseBox } from '../catalogue/dataset-filters.ts';
import { NotFoundError, UnavailableError } from '../catalogue/errors.ts';
import { type Box, boxAround, overviewArea, type TileAddress } from '../catalogue/maps.ts';
import { latestReadyVersion } from '../catalogue/ready-versions.ts';
import { refOf } from '../catalogue/ref.ts';
import type { Version } from '../catalogue/types.ts';
import { worldSize, xOfLongitude, yOfLatitude } from '../data/map/mercator.ts';
import { drawOverview } from '../data/map/overview.ts';
import { readTileShapes, type TileShape } from '../data/map/read-tile.ts';
import { listInTurns } from './in-turns.ts';
import { pictureHeaders, pictureType } from './maps.ts';
import { lastParameterValue, parseListOptions } from './query-string.ts';
import type { Representation, RequestContext } from './route.ts';
import { soon } from './soon.ts';

/** Datasets whose rows are drawn, at most, and the rows and bytes that each of them may have. */
const mostDatasets = 12;
const mostRows = 200_000;
const mostBytes = 50e6;
/** Milliseconds for reading rows: what isn't read by then is drawn as a box. */
const patience = 6000;

/** `/api/v1/datasets/map.svg`: where the datasets lie that the filters leave, and the area that was asked for. */
export async function overviewHandler(request: RequestContext): Promise<Representation> {
  const { catalogue, query } = request;
  // All datasets are in the picture, whatever page the list around it shows.
  const {
    page: _page,
    pageSize: _size,
    cursor: _cursor,
    facets: _facets,
    ...filters
  } = parseListOptions('dataset', query);
  const options = { ...filters, ordering: '-updated' };
  const asked = lastParameterValue(query, 'bbox');
  const chosen = asked ? parseBox('bbox', asked) : null;
  const placed: Placed[] = [];
  let bbox: Box | null = null;
  for await (const dataset of listInTurns(request, 'dataset', options)) {
    const version = latestReadyVersion(dataset);
    if (!version?.bbox) continue;
    const box = boxWithoutHeights(version.bbox);
    placed.push({ version, box });
    bbox = boxAround(bbox, box);
  }
  const area = overviewArea(boxAround(bbox, chosen));
  const { shapes, drawn, isComplete } = await readRows(request, placed, area);
  const boxes = placed.filter(({ version }) => !drawn.has(version)).map(({ box }) => box);
  const svg = await drawOverview({ area, shapes, boxes, chosen, title: catalogue.settings.title });
  return {
    title: catalogue.settings.title,
    dependsOn: isComplete ? [placed.length, ...placed.map(({ version }) => version)] : [],
    json: () => svg,
    type: pictureType,
    headers: pictureHeaders,
  };
}

interface Placed {
  readonly version: Version;
  readonly box: Box;
}

interface ReadShapes {
  readonly shapes: readonly (readonly TileShape[])[];
  /** Versions whose rows are in the shapes. */
  readonly drawn: ReadonlySet<Version>;
  /** False if rows weren't ready in time. */
  readonly isComplete: boolean;
}

/** The rows of the first versions that aren't too large, as far as they are ready soon. */
async function readRows({ app, catalogue }: RequestContext, placed: readonly Placed[], area: Box): Promise<ReadShapes> {
  const wanted = placed
    .filter(({ version: { rows, size } }) => (rows ?? Infinity) <= mostRows && (size ?? Infinity) <= mostBytes)
    .slice(0, mostDatasets);
  const shapes: TileShape[][] = [];
  const drawn = new Set<Version>();
  const end = app.staticExport ? Number.POSITIVE_INFINITY : performance.now() + patience;
  let isComplete = true;
  for (const { version } of wanted) {
    try {
      const found = await soon(readShapesIn(catalogue, version, area), Math.max(1, end - performance.now()));
      if (found === null) isComplete = false;
      else {
        shapes.push(found);
        drawn.add(version);
      }
    } catch (error) {
      if (error instanceof UnavailableError) isComplete = false;
      else if (!(error instanceof NotFoundError)) throw error;
    }
    if (performance.now() > end) break;
  }
  return { shapes, drawn, isComplete: isComplete && performance.now() <= end };
}

/** The rows of a version in an area, thinned for a small picture. @throws NotFoundError, UnavailableError */
async function readShapesIn(catalogue: Catalogue, version: Version, area: Box): Promise<TileShape[]> {
  const map = await catalogue.map(refOf(version), { parameters: [] });
  const shapes: TileShape[] = [];
  for (const address of tilesOf(area)) {
    const { bytes } = await map.tile(address);
    if (bytes) shapes.push(...readTileShapes(bytes, address));
  }
  return shapes;
}

/** The few tiles that cover an area. */
function tilesOf([west, south, east, north]: Box): TileAddress[] {
  const z = Math.max(0, Math.floor(Math.log2(360 / (east - west))));
  const side = worldSize / 2 ** z;
  const at = (place: number) => Math.min(2 ** z - 1, Math.max(0, Math.floor(place / side)));
  const tiles: TileAddress[] = [];
  for (let x = at(xOfLongitude(west)); x <= at(xOfLongitude(east)); x++)
    for (let y = at(yOfLatitude(north)); y <= at(yOfLatitude(south)); y++) tiles.push({ z, x, y });
  return tiles;
}
