/**
 * What every reader hands over: some thousand rows at a time, column by column. The columns' places stay the same from
 * one batch to the next; new columns are appended as they appear.
 */
import type { PayloadError } from '../payload-error.ts';
import type { Geometry } from '../row.ts';

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
