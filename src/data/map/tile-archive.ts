/** All vector tiles of the rows that a query selects, as one file: for maps without a server of tiles. */
import { NotFoundError } from '../../catalogue/errors.ts';
import type { TileAddress } from '../../catalogue/maps.ts';
import type { WriteToOptions } from '../derived/file-in-the-making.ts';
import { Turns } from '../event-loop.ts';
import type { DataQuery } from '../query/parameters.ts';
import { type SelectionLimits, selectRowNumbers } from '../query/select-rows.ts';
import type { TableColumn } from '../row.ts';
import type { Table } from '../table/table.ts';
import { LargeShapes } from './large-shapes.ts';
import { buildMapLayer, readShapes } from './layer.ts';
import { clampBounds } from './mercator.ts';
import { measure } from './picture.ts';
import { TileArchive, tileId } from './pmtiles.ts';
import type { ShapeLayer } from './shapes.ts';
import { type MapColumn, type MapSource, readMapColumn, rowCountOf } from './source.ts';
import { drawTile, rowCountProperty, tileLayerName } from './tile.ts';

/** Deepest zoom: a unit of a tile is 0.6 m there, at the equator. */
const deepestZoom = 14;
/** Most tiles of an archive: it ends at the zoom before there are more. */
const mostTiles = 20_000;
/** Most bytes of the columns that tiles carry: they are in memory while tiles are drawn. */
const mostColumnBytes = 128 * 1024 ** 2;

/**
 * Writes the archive: each zoom from 0, until a further one would have too many tiles. A tile has all rows in it, or, where they are many,
 * the first of each pixel, as `drawTile` does.
 * @param path of a new file
 */
export async function writeTileArchive(
  path: string,
  { table, query, name, limits }: { table: Table; query: DataQuery; name: string; limits: SelectionLimits },
  { assertRoom, signal }: WriteToOptions,
): Promise<void> {
  const turns = new Turns(() => signal.throwIfAborted());
  const selected = await selectRowNumbers(table, query, limits);
  if (!selected) throw new NotFoundError('Invalid page.');
  const { rows, window } = selected;
  const attributes = await readColumns(table, rows, query.fields, turns);
  const layer = await buildMapLayer(table, turns);
  let vertices: Promise<ShapeLayer> | undefined;
  const shapes: MapSource['shapes'] = (outlines) => {
    vertices ??= readShapes(table, outlines, null, turns);
    return vertices;
  };
  const source: MapSource = { table, layer, shapes, rows, offset: window.offset, colour: null, attributes };
  const { extent } = await measure(source, turns);
  const archive = await TileArchive.create(path);
  try {
    const maxZoom = await addTiles(archive, source, { assertRoom, signal }, turns);
    await archive.finish({
      bounds: extent ? clampBounds([extent.west, extent.south, extent.east, extent.north]) : [-180, -85, 180, 85],
      minZoom: 0,
      maxZoom,
      metadata: describeArchive(name, attributes, maxZoom),
    });
  } catch (error) {
    await archive.close().catch(() => {});
    throw error;
  }
}

/** A tile to draw, and the rows among which its own are; null for all. */
interface PlannedTile {
  readonly address: TileAddress;
  readonly candidates: Uint32Array | null;
}

/**
 * Draws the tiles of each zoom, along its Hilbert curve. Below a tile without rows there is none, and the rows of a tile are looked for
 * among those of the tile above: all rows are looked at four times a zoom, however many tiles it has.
 * @returns the deepest zoom
 */
async function addTiles(
  archive: TileArchive,
  source: MapSource,
  { assertRoom, signal }: WriteToOptions,
  turns: Turns,
): Promise<number> {
  let planned: PlannedTile[] = [{ address: { z: 0, x: 0, y: 0 }, candidates: null }];
  const kept = new Uint32Array(rowCountOf(source));
  const large = new LargeShapes();
  let count = 0;
  for (let z = 0; ; z++) {
    const filled: PlannedTile[] = [];
    for (const { address, candidates } of planned) {
      signal.throwIfAborted();
      let keptCount = 0;
      const keep = (position: number) => {
        kept[keptCount++] = position;
      };
      const { bytes } = await drawTile(source, address, turns, { candidates, keep, large });
      if (turns.isOver) await turns.next();
      if (!bytes) continue;
      await assertRoom(archive.size + bytes.length);
      await archive.add(address, bytes);
      filled.push({ address, candidates: kept.slice(0, keptCount) });
    }
    count += filled.length;
    const rowsOfNext = Math.min(4 * filled.length, 2 * rowCountOf(source));
    if (
      z === deepestZoom ||
      filled.length === 0 ||
      count + (isPoints(source) ? rowsOfNext : 4 * filled.length) > mostTiles
    )
      return z;
    planned = filled
      .flatMap(({ address: { x, y }, candidates }) =>
        [0, 1, 2, 3].map((quarter) => ({
          address: { z: z + 1, x: 2 * x + (quarter & 1), y: 2 * y + (quarter >> 1) },
          candidates,
        })),
      )
      .sort((a, b) => tileId(a.address) - tileId(b.address));
  }
}

const isPoints = ({ layer }: MapSource): boolean => layer.kind === 'points';

/** The columns that tiles carry, in order, as far as they fit into memory. Objects and arrays have no place in a tile. */
async function readColumns(
  table: Table,
  rows: Uint32Array | null,
  fields: readonly string[] | undefined,
  turns: Turns,
): Promise<MapColumn[]> {
  const count = rows?.length ?? table.rowCount;
  const read: MapColumn[] = [];
  let left = mostColumnBytes;
  for (const { name, type } of table.schema.columns) {
    if (type === 'object' || type === 'array' || (fields && !fields.includes(name))) continue;
    const column = count * 8 > left ? null : await readMapColumn(table, rows, name, turns, left - count * 8);
    if (!column) break;
    left -= column.bytes;
    read.push(column);
  }
  return read;
}

/** Metadata of the archive: TileJSON's `vector_layers` (3.0.0, section 3.3), which PMTiles asks for. */
function describeArchive(name: string, columns: readonly MapColumn[], maxZoom: number) {
  const fields = Object.fromEntries(columns.map((column) => [column.name, fieldType(column.type)]));
  return {
    name,
    type: 'overlay',
    generator: 'catalogue',
    vector_layers: [
      { id: tileLayerName, fields: { ...fields, [rowCountProperty]: 'Number' }, minzoom: 0, maxzoom: maxZoom },
    ],
  };
}

function fieldType(type: TableColumn['type']): 'Number' | 'Boolean' | 'String' {
  if (type === 'integer' || type === 'float') return 'Number';
  return type === 'boolean' ? 'Boolean' : 'String';
}
