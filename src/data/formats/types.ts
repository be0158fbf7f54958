/**
 * What every reader hands over: some thousand rows at a time, column by column. The columns' places stay the same from
 * one batch to the next; new columns are appended as they appear.
 */
import type { PayloadError } from '../errors.ts';
import type { Geometry, GeometryKind } from '../geometry/geometry.ts';
import type { Row, TableShape } from '../row.ts';

export interface Batch {
  readonly rows: number;
  /** As the payload calls them, in order of first appearance in the whole payload so far. May be empty or repeat. */
  readonly names: readonly string[];
  /** By column, then by row. A value that a row doesn't have is undefined; an array may be shorter than `rows`. */
  readonly values: readonly (readonly unknown[])[];
  /** By row; null where the payload has no geometries. */
  readonly geometries: readonly (Geometry | null)[] | null;
  /** By row; null where no row has an id. */
  readonly ids: readonly (string | number | undefined)[] | null;
  /** Where each row lies in the text that was read; null where rows have no bytes of their own. */
  readonly places: { readonly offsets: readonly number[]; readonly lengths: readonly number[] } | null;
  /** The error for a row of this batch whose values turn out to be impossible. */
  readonly errorAt: (row: number, reason: string) => PayloadError;
}

/** What a reader learns about the payload as a whole; complete when its batches are exhausted. */
export interface Findings {
  /** The payload's own title: the `name` of a FeatureCollection. */
  title?: string;
  /** The coordinate reference system where it is not the usual WGS 84 longitude and latitude, as the payload says. */
  crs?: string;
  /** Values are text, to be typed by their look (CSV), and not typed already (JSON, Parquet). */
  textual: boolean;
  /**
   * What the payload's own bytes are, where they can be handed out as they are: JSON Features with commas between
   * them, or one a line.
   */
  ownBytes: 'features' | 'lines' | null;
  /** A text column that also became the geometry: left out where every one of its values was read. */
  geometryColumn?: number;
  /** The columns of longitude and latitude that became the geometry: they are shown as well. */
  pointColumns?: readonly [x: number, y: number];
  delimiter?: string;
}

/** What a writer is given: rows, and what has to be known of them before the first one is read. */

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
