/** What a writer is given: rows, and what has to be known of them before the first one is read. */
import type { Row, TableShape } from '../row.ts';

/** A kind of geometry, as GeoParquet names it: the GeoJSON type, and ` Z` where positions have a third number. */
export type GeometryKind =
  | `${'Point' | 'LineString' | 'Polygon' | 'MultiPoint' | 'MultiLineString' | 'MultiPolygon'}${'' | ' Z'}`
  | `GeometryCollection${'' | ' Z'}`;

/** A link of a FeatureCollection (OGC API - Features, `link` schema). */
export interface Link {
  readonly href: string;
  readonly rel: string;
  readonly type?: string;
  readonly title?: string;
}

export interface RowsInput {
  /** The layer's name. */
  readonly name: string;
  readonly shape: TableShape;
  /** May hand out the same object for every row: writers look at a row only until they ask for the next. */
  readonly rows: Iterable<Row> | AsyncIterable<Row>;
  /** Columns to show, in this order; `geometry` is the geometry. All of them where it is absent. */
  readonly fields?: readonly string[] | undefined;
  /**
   * All kinds of geometry that occur. Without it, nothing is assumed: points can't be told from other geometries
   * before the rows are read, so CSV has them as WKT.
   */
  readonly geometryKinds?: readonly GeometryKind[] | undefined;
  /** Columns that say the same as the geometry, which was made of them: longitude and latitude. */
  readonly pointColumns?: readonly string[] | null | undefined;
  /** GeoJSON only: how many rows there are in all, and how many follow. */
  readonly numberMatched?: number | undefined;
  readonly numberReturned?: number | undefined;
  /** GeoJSON only: next, prev, self. */
  readonly links?: readonly Link[] | undefined;
  /** GeoJSON only: RFC 3339 time of the answer. */
  readonly timeStamp?: string | undefined;
}

export interface WriteOptions {
  /** CSV only: begin with a byte order mark, by which Excel knows UTF-8. */
  readonly bom?: boolean | undefined;
  /** CSV only: one ASCII character between cells; a comma where it is absent. */
  readonly separator?: string | undefined;
  /** CSV only: make cells harmless that a spreadsheet would take for formulas. */
  readonly excel?: boolean | undefined;
  /** Parquet only: rows in a row group, at most; fewer where rows are large. */
  readonly rowGroupRows?: number | undefined;
}
