/** Maps of tables, with all that is kept in memory for them: layers, selections, and what was drawn. */
import { LRUCache } from 'lru-cache';
import { excerpt, NotFoundError, ValidationError } from '../../catalogue/errors.ts';
import {
  type MapPicture,
  mapSize,
  plateSize,
  type RowsMap,
  type TileAddress,
  type Tileset,
  type VectorTile,
} from '../../catalogue/maps.ts';
import type { Turns } from '../event-loop.ts';
import { type SelectionLimits, selectRowNumbers, turnsWithinLimits } from '../query/select-rows.ts';
import { columnType } from '../row.ts';
import type { RowSet } from '../table/row-set.ts';
import type { Table } from '../table/table.ts';
import { makeLegend } from './colour-classes.ts';
import { buildMapLayer, type MapLayer, readShapes } from './layer.ts';
import { maxZoom, tileBoundsWithBuffer } from './mercator.ts';
import { assertTileExists, type MapQuery } from './parameters.ts';
import { drawPicture, kindOf, measure } from './picture.ts';
import type { OutlineLayer, ShapeLayer } from './shapes.ts';
import { type MapSource, readMapColumn, rowCountOf } from './source.ts';
import { drawTexture } from './texture.ts';
import { drawTile } from './tile.ts';

/** Deepest zoom that clients ask for: from there on, they enlarge tiles. */
const deepestAskedZoom = Math.min(16, maxZoom);

/** Memory of the texts of a column by which maps are coloured. */
const mostTextBytes = 64 * 1024 ** 2;

/** What a map is made of. */
export interface MapRequest {
  readonly table: Table;
  /** Of the table; the same for the same payload and options for reading it. */
  readonly tableKey: string;
  readonly query: MapQuery;
  /** Of the query; the same for the same rows and colours. */
  readonly queryKey: string;
  readonly limits: SelectionLimits;
  readonly title: string;
}

type Selection = Pick<MapSource, 'rows' | 'offset' | 'colour'>;

export class MapStore {
  readonly #layers: Kept<MapLayer>;
  /** Vertices of all rows, which tiles need. */
  readonly #shapes: Kept<ShapeLayer>;
  readonly #selections: Kept<Selection>;
  readonly #drawings: Kept<MapPicture | VectorTile | string>;

  /** @param bytes of all layers, selections and drawings together, approximately; the newest of each kind may have more */
  constructor(bytes: number = 256 * 1024 ** 2) {
    // Different queries of one table must not push out the layers of all others.
    const tables: MapMemory = new LRUCache({ maxSize: bytes / 2 });
    const queries: MapMemory = new LRUCache({ maxSize: bytes / 2 });
    const bytesOfSelection = ({ rows, colour }: Selection) => (rows?.byteLength ?? 0) + (colour?.bytes ?? 0);
    this.#layers = new Kept(tables, 'layer', (layer) => layer.bytes);
    this.#shapes = new Kept(tables, 'shapes', (shapes) => shapes.bytes);
    this.#selections = new Kept(queries, 'selection', bytesOfSelection);
    this.#drawings = new Kept(queries, 'drawing', bytesOfDrawing);
  }

  /** The map of a request; it is drawn when it is asked for. */
  map(request: MapRequest): Omit<RowsMap, 'version' | 'tag'> {
    const { table, queryKey, query, title } = request;
    const { width } = query;
    const drawn = <T extends MapPicture | VectorTile | string>(key: string, draw: () => Promise<T>): Promise<T> =>
      this.#drawings.get(`${queryKey}/${key}`, draw) as Promise<T>;
    const turns = () => turnsWithinLimits(request.limits);
    return {
      hasGeometry: table.schema.hasGeometry,
      picture: () =>
        drawn(`map-${width}`, async () =>
          drawPicture(await this.#source(request), { size: mapSize(width), title }, turns()),
        ),
      plate: () =>
        drawn('plate', async () => {
          if (!table.schema.hasGeometry || table.extent === null)
            return drawTexture(table, (await this.#selection(request)).rows, plateSize, title, turns());
          const source = await this.#source(request);
          return (await drawPicture(source, { size: plateSize, title, isSmall: true }, turns())).svg;
        }),
      tile: async (address) => {
        assertGeometry(table);
        assertTileExists(address);
        if (isOutside(address, table.extent)) return { bytes: null, matched: 0, drawn: 0 };
        const { z, x, y } = address;
        return drawn(`${z}/${x}/${y}`, async () => drawTile(await this.#source(request), address, turns()));
      },
      tileset: () => this.#tileset(request),
    };
  }

  async #tileset(request: MapRequest): Promise<Tileset> {
    const source = await this.#source(request);
    const turns = turnsWithinLimits(request.limits);
    const { extent, located } = await measure(source, turns);
    const { colour } = source;
    return {
      counts: { matched: rowCountOf(source), located, kind: kindOf(source) },
      bounds: extent && [extent.west, extent.south, extent.east, extent.north],
      column: colour && { name: colour.name, type: colour.type },
      legend: colour && (await makeLegend(colour, turns)),
      maxZoom: deepestAskedZoom,
    };
  }

  async #source(request: MapRequest): Promise<MapSource> {
    const { table, tableKey, limits } = request;
    assertGeometry(table);
    const layer = await this.#layers.get(tableKey, () => buildMapLayer(table, turnsWithinLimits(limits)));
    const shapes: MapSource['shapes'] = (outlines, rows, turns) => this.#shapesOf(request, outlines, rows, turns);
    return { table, layer, shapes, ...(await this.#selection(request)) };
  }

  /** Shapes with all vertices, which are kept; or of some rows, if these are a small part. */
  async #shapesOf(
    { table, tableKey, limits }: MapRequest,
    outlines: OutlineLayer,
    rows: RowSet | null,
    turns: Turns,
  ): Promise<ShapeLayer> {
    const all = () => this.#shapes.get(tableKey, () => readShapes(table, outlines, null, turnsWithinLimits(limits)));
    if (rows === null || this.#shapes.has(tableKey)) return all();
    const total = outlines.lengths.reduce((sum, length) => sum + length, 0);
    let own = 0;
    for (const row of rows.between(0, table.rowCount)) own += outlines.lengths[row] as number;
    return own > total / 4 ? all() : readShapes(table, outlines, rows, turns);
  }

  #selection({ table, query, queryKey, limits }: MapRequest): Promise<Selection> {
    return this.#selections.get(queryKey, async () => {
      const selected = await selectRowNumbers(table, query.query, limits);
      if (!selected) throw new NotFoundError('Invalid page.');
      const { rows, window } = selected;
      const turns = turnsWithinLimits(limits);
      if (query.colour === undefined) return { rows, offset: window.offset, colour: null };
      const colour = await readMapColumn(table, rows, query.colour, turns, mostTextBytes);
      if (!colour)
        throw new ValidationError({
          _colour: [`The texts of "${excerpt(query.colour)}" are too many and too long to colour a map.`],
        });
      return { rows, offset: window.offset, colour };
    });
  }
}

function assertGeometry({ schema }: Table): void {
  if (columnType('geometry', schema) !== 'geometry')
    throw new NotFoundError('The rows have no geometry, so there is no map of them.');
}

/** True if no row of a table can be in a tile. */
function isOutside(address: TileAddress, extent: readonly number[] | null): boolean {
  if (!extent) return true;
  const [west = 0, south = 0, east = 0, north = 0] = extent;
  const box = tileBoundsWithBuffer(address);
  if (south > box[3] || north < box[1]) return true;
  return ![-360, 0, 360].some((shift) => west + shift <= box[2] && east + shift >= box[0]);
}

const bytesOfDrawing = (drawing: MapPicture | VectorTile | string): number => {
  if (typeof drawing === 'string') return drawing.length;
  return 'svg' in drawing ? drawing.svg.length : (drawing.bytes?.byteLength ?? 0);
};

/** What is kept for maps: of several kinds in one memory, so that the layer of a large table may take most of it. */
export type MapMemory = LRUCache<string, { readonly value: object | string }>;

/**
 * Values of one kind by key; what several ask for at a time is made once. The one that was made last is kept in any case: a
 * drawing needs a layer and its shapes, each of which may be larger than the memory.
 */
export class Kept<V extends object | string> {
  readonly #memory: MapMemory;
  readonly #kind: string;
  readonly #bytesOf: (value: V) => number;
  readonly #making = new Map<string, Promise<V>>();
  #newest: { readonly key: string; readonly value: V } | undefined;

  constructor(memory: MapMemory, kind: string, bytesOf: (value: V) => number) {
    this.#memory = memory;
    this.#kind = kind;
    this.#bytesOf = bytesOf;
  }

  has(key: string): boolean {
    return this.#newest?.key === key || this.#memory.has(this.#keyOf(key));
  }

  #keyOf(key: string): string {
    return `${this.#kind} ${key}`;
  }

  /**
   * The value that is kept, else that of `make`, which runs once for all who ask meanwhile. Each makes it for a client with limits of
   * its own, and who may leave: where another's attempt fails, one's own follows.
   */
  async get(key: string, make: () => Promise<V>): Promise<V> {
    for (;;) {
      const kept = this.#memory.get(this.#keyOf(key));
      if (kept) return kept.value as V;
      if (this.#newest?.key === key) return this.#newest.value;
      const running = this.#making.get(key);
      if (!running) break;
      const made = await running.catch(() => undefined);
      if (made !== undefined) return made;
    }
    const making = make().finally(() => this.#making.delete(key));
    this.#making.set(key, making);
    const value = await making;
    this.#newest = { key, value };
    this.#memory.set(this.#keyOf(key), { value }, { size: this.#bytesOf(value) + key.length + 500 });
    return value;
  }
}
