/** Maps of a version's rows: pictures and vector tiles, and how much of the rows they show. */
import { numberText } from './number-text.ts';
import type { ColumnType, Version, WorkBudget } from './types.ts';

/** A box of coordinates in degrees; its west is greater than its east if it crosses the antimeridian (RFC 7946, section 5.2). */
export type Box = readonly [west: number, south: number, east: number, north: number];

/** The rows of a map: as of `RowsRequest`. Further parameters are `_colour`, a column, and `_width`, pixels of the picture. */
export interface MapRequest {
  readonly parameters: readonly (readonly [name: string, value: string])[];
  /** Length of the encoded query string, in bytes. */
  readonly length?: number | undefined;
  readonly budget?: WorkBudget | undefined;
}

/** How much of the rows a picture shows. */
export interface MapCounts {
  /** Rows that were asked for. */
  readonly matched: number;
  /** Those of them that have a geometry. */
  readonly located: number;
  /** Marks that were drawn: each is a row, or several rows in one pixel. */
  readonly drawn: number;
  /** True if some rows with a geometry are left out, chosen by chance. */
  readonly isSampled: boolean;
  readonly kind: 'points' | 'lines' | 'polygons' | 'shapes';
}

/** The classes, as a legend shows them. */
export type MapLegend =
  | {
      readonly kind: 'quantiles';
      readonly column: string;
      /** The least value of each class but the first, in order. */
      readonly breaks: readonly number[];
      readonly min: number;
      readonly max: number;
    }
  | {
      readonly kind: 'values';
      readonly column: string;
      /** The most frequent first. */
      readonly values: readonly (string | number | boolean)[];
      /** True if there are others, which share a colour. */
      readonly hasOthers: boolean;
    };

export interface MapPicture {
  readonly svg: string;
  readonly counts: MapCounts;
  /** Null if the map is of one colour. */
  readonly legend: MapLegend | null;
}

/** Address of a tile: zoom, column from the west, row from the north (OGC 17-083r4, WebMercatorQuad). */
export interface TileAddress {
  readonly z: number;
  readonly x: number;
  readonly y: number;
}

/** A tile as a Mapbox Vector Tile 2.1. */
export interface VectorTile {
  /** Null if the tile has no rows. */
  readonly bytes: Uint8Array | null;
  /** Number of rows in the tile's box, its buffer included. */
  readonly matched: number;
  /** Number of features, each of which stands for one row or several. */
  readonly drawn: number;
}

/** Facts about all tiles, for TileJSON 3.0. */
export interface Tileset {
  readonly counts: Pick<MapCounts, 'matched' | 'located' | 'kind'>;
  /** West, south, east, north of the rows in degrees; east may be beyond 180. Null if no row has a geometry. */
  readonly bounds: readonly [number, number, number, number] | null;
  /** The column that features carry. */
  readonly column: { readonly name: string; readonly type: ColumnType } | null;
  readonly legend: MapLegend | null;

  readonly maxZoom: number;
}

/** A map of the rows that a request selects: drawn when it is asked for, and kept for a while. */
export interface RowsMap {
  readonly version: Version;
  /** Strong validator (RFC 9110, section 8.8.1), without quotes: the same for the same request and data. */
  readonly tag: string;
  /** True if the rows have a geometry: only then there is a map of them, and not only a plate. */
  readonly hasGeometry: boolean;
  /** @throws NotFoundError if the rows have no geometry; UnavailableError if it takes too long */
  picture(): Promise<MapPicture>;
  /** A small picture for lists, twice as wide as high: a map, or the texture of a table without geometry. */
  plate(): Promise<string>;
  /** @throws NotFoundError if the rows have no geometry, or there is no such tile; UnavailableError */
  tile(address: TileAddress): Promise<VectorTile>;
  /** @throws NotFoundError if the rows have no geometry; UnavailableError */
  tileset(): Promise<Tileset>;
}

/** Width and height of a map, and of a plate, in pixels: pages know them before the picture is there. */
export const mapSize = (width: number): { readonly width: number; readonly height: number } => ({
  width,
  height: Math.round((width * 506) / 1040),
});
export const defaultMapWidth = 1040;
export const plateSize = { width: 300, height: 150 } as const;

/** A sentence that says how much of the rows a picture shows. */
export function describeMapCounts({ matched, located, drawn, isSampled, kind }: MapCounts): string {
  if (matched === 0) return 'No rows.';
  if (located === 0)
    return matched === 1 ? 'The row has no geometry.' : `None of the ${numberText(matched)} rows has a geometry.`;
  const without = matched - located;
  const missing =
    without === 0 ? '' : without === 1 ? ' 1 row has no geometry.' : ` ${numberText(without)} rows have no geometry.`;
  if (isSampled) return `${numberText(drawn)} of ${numberText(located)} ${kind} shown, chosen by chance.${missing}`;
  if (drawn < located)
    return `${numberText(drawn)} of ${numberText(located)} ${kind} shown: those in the same pixel are drawn as one.${missing}`;
  const simplified = kind === 'points' ? '' : ', simplified to the size of this picture';
  const all = located === 1 ? `1 ${kind.slice(0, -1)}` : `All ${numberText(located)} ${kind}`;
  return `${all}${simplified}.${missing}`;
}

/** Width and height of the picture of all datasets, in pixels. */
export const overviewSize = { width: 400, height: 200 } as const;

/**
 * The area that the picture of all datasets shows: the whole world, or a part of it with some room around a box. Longitudes and
 * latitudes are straight lines in it, evenly spaced, so that a rectangle in the picture is a box of coordinates.
 */
export function overviewArea(bbox: Box | null): Box {
  const world = [-180, -90, 180, 90] as const;
  if (!bbox) return world;
  const [west, south, east, north] = bbox;
  if (west > east || east - west > 150 || north - south > 80) return world;
  // A degree of longitude is shorter than one of latitude, but at the equator.
  const shortening = Math.max(0.1, Math.cos((((south + north) / 2) * Math.PI) / 180));
  const ratio = overviewSize.width / overviewSize.height / shortening;
  const height = 1.2 * Math.max(north - south, (east - west) / ratio, 0.05);
  const width = height * ratio;
  if (width >= 360 || height >= 180) return world;
  const start = Math.min(180 - width, Math.max(-180, (west + east - width) / 2));
  const bottom = Math.min(90 - height, Math.max(-90, (south + north - height) / 2));
  return [start, bottom, start + width, bottom + height].map((degrees) => Number(degrees.toFixed(4))) as unknown as Box;
}

/** The box around two boxes. One that crosses the antimeridian (its west is greater than its east) goes all around the world. */
export function boxAround(a: Box | null, b: Box | null): Box | null {
  if (!a || !b) return a ?? b;
  const isAround = a[0] > a[2] || b[0] > b[2];
  return [
    isAround ? -180 : Math.min(a[0], b[0]),
    Math.min(a[1], b[1]),
    isAround ? 180 : Math.max(a[2], b[2]),
    Math.max(a[3], b[3]),
  ];
}

/** Families of column types, each with a colour on pages and in pictures. */
export type TypeFamily = 'geo' | 'num' | 'text' | 'time' | 'bool' | 'other';

export const familyOfType: Readonly<Record<ColumnType, TypeFamily>> = {
  geometry: 'geo',
  integer: 'num',
  float: 'num',
  string: 'text',
  boolean: 'bool',
  date: 'time',
  datetime: 'time',
  time: 'time',
  object: 'other',
  array: 'other',
};
