/** The interfaces of formats: what readers return, and what writers take. */
import type { TableField } from '../../catalogue/table-fields.ts';
import type { ReadingOptions } from '../../catalogue/types.ts';
import type { PayloadError } from '../errors.ts';
import type { Geometry, GeometryKind } from '../geometry/geometry.ts';
import type { Row, RowSource, TableSchema } from '../row.ts';
import type { WorkerPool } from '../worker-pool.ts';
import type { Cells } from './cells.ts';
import type { Points } from './points.ts';

/**
 * Rows as a reader returns them: some thousands at a time, column by column. A column keeps its index from one batch to
 * the next; new columns are appended as they appear.
 */
export interface RowBatch {
  readonly rows: number;
  /** Column names as in the payload, in order of first appearance in the whole payload so far. May be empty or repeat. */
  readonly names: readonly string[];
  /** By column, then by row. A missing value is undefined; there may be fewer than `rows`. */
  readonly values: readonly Cells[];
  /** By row; null if the payload has no geometries. */
  readonly geometries: readonly (Geometry | null)[] | Points | null;
  /** Reference systems of the geometries by row, as the rows name them; absent if none does. */
  readonly crs?: readonly (string | undefined)[] | undefined;
  /** By row; null if no row has an id. */
  readonly ids: readonly (string | number | undefined)[] | null;
  /** Byte ranges of the rows in the decoded text; null if rows have no bytes of their own. */
  readonly rowOffsets: { readonly offsets: readonly number[]; readonly lengths: readonly number[] } | null;
  /** The error for a row of this batch whose values turn out to be invalid. */
  readonly errorAt: (row: number, reason: string) => PayloadError;
}

/** Facts about a payload, filled in by its reader; complete when the last batch was read. */
export interface PayloadInfo {
  /** Options for reading it. */
  readonly reading: ReadingOptions;
  /** The payload's own title: the `name` of a FeatureCollection. */
  title?: string;
  /** The coordinate reference system, as the payload names it for all of its geometries. */
  crs?: string;
  /** True if values are texts whose types are inferred (CSV), and not typed already (JSON, Parquet). */
  textual: boolean;
  /** Form of the payload's own bytes if rows can be copied from it: Features with commas between them, or one a line. */
  passthrough: 'features' | 'lines' | null;
  /** How geometries are encoded, if not as WKB of ISO (Parquet), or that they were made of columns. */
  geometryEncoding?: GeometryEncoding;
  /** A column all of whose values became the geometry, of WKT or of JSON: it is left out. */
  geometryColumn?: number;
  /** Name in the payload of the column that became the geometry, if it has one. */
  geometryName?: string;
  /** The cells of the row with the names of the columns, as they stand in a CSV. */
  header?: readonly string[];
  /** The columns of longitude and latitude that became the geometry; they stay columns, too. */
  pointColumns?: readonly [x: number, y: number];
  delimiter?: string;
  /** Cells from which geometries should have been made, and could not. */
  misplaced?: Misplaced;
  /** Irregularities that were repaired or kept, by kind. */
  repairs?: Map<Repair, { count: number; readonly line: number | undefined }>;
  /** Rings of polygons that run the other way than RFC 7946 has it. */
  misdirectedRings?: { count: number; readonly line: number | undefined };
  /** A sentence for the publisher: a geometry that could be made with an option. */
  hint?: string | undefined;
  /** A sentence for the publisher: the names of the columns seem to stand below the first row, or in several. */
  namesBelow?: string | undefined;
  /** Place of the last row of a head that seems to have several, from 1. */
  headEnd?: number | undefined;
  /** Further sentences for the publisher. */
  notes?: readonly string[];
}

/**
 * Encodings of geometries in Parquet besides the WKB of ISO, of which `native` is that of GeoArrow (GeoParquet 1.1); `columns`
 * if the payload has none, and columns became the geometry.
 */
export type GeometryEncoding = 'EWKB' | 'native' | 'columns';

/**
 * Kinds of irregularities in payloads that are repaired without guessing, or kept as they are: rings that are not closed,
 * Features without `type`, an invalid `bbox`, rows with more or fewer cells than the head, and text behind a closing quote.
 */
export type Repair =
  | 'unclosed_rings'
  | 'short_lines'
  | 'missing_types'
  | 'invalid_bboxes'
  | 'more_cells'
  | 'fewer_cells'
  | 'stray_quotes';

/** Counts an irregularity. @param line where it is */
export function countRepair(info: Pick<PayloadInfo, 'repairs'>, kind: Repair, line: number | undefined): void {
  info.repairs ??= new Map();
  const before = info.repairs.get(kind);
  if (before) before.count++;
  else info.repairs.set(kind, { count: 1, line });
}

/** Cells that are no geometries, as `Misfits` are values of another type. */
export interface Misplaced {
  readonly count: number;
  readonly present: number;
  readonly line: number | undefined;
  readonly text: string;
  /** The column or columns, with the word. */
  readonly column: string;
  /** Kind of value that the cells should have: `geometry`, `position`. */
  readonly noun: string;
}

/** A link of a FeatureCollection (OGC API - Features, `link` schema). */
export interface Link {
  readonly href: string;
  readonly rel: string;
  readonly type?: string;
  readonly title?: string;
}

/** Input of a writer: the rows, and facts that it needs before the first one. */
export interface RowsInput {
  /** The layer's name. */
  readonly name: string;
  readonly schema: TableSchema;
  readonly rows: RowSource;
  /** Columns to write, in this order; `geometry` is the geometry. All by default. */
  readonly fields?: readonly string[] | undefined;
  /**
   * Kinds of geometry that occur. If it is absent, CSV writes geometries as WKT, since whether all
   * geometries are points isn't known before the rows are read.
   */
  readonly geometryKinds?: readonly GeometryKind[] | undefined;
  /** Columns of longitude and latitude from which the geometry was made. */
  readonly pointColumns?: readonly string[] | null | undefined;
  /** JSON only: true if rings may have another direction than RFC 7946 has it, and are to be reversed then. */
  readonly mayHaveMisdirectedRings?: boolean | undefined;
  /** GeoJSON only: number of matching rows in all, and of those written. */
  readonly numberMatched?: number | undefined;
  readonly numberReturned?: number | undefined;
  /** GeoJSON only: the id of a feature; by default the one that the row had in the payload. */
  readonly idOf?: ((row: Row) => string | number | undefined) | undefined;
  /** GeoJSON only: next, prev, self. */
  readonly links?: readonly Link[] | undefined;
  /** GeoJSON only: RFC 3339 time of the response. */
  readonly timeStamp?: string | undefined;
  /** Parquet only: fields of an Apache Iceberg table, whose ids the columns get. */
  readonly tableFields?: readonly TableField[] | undefined;
}

export interface WriteOptions {
  /** CSV only: begin with a byte order mark, by which Excel recognizes UTF-8. */
  readonly bom?: boolean | undefined;
  /** CSV only: one ASCII character between cells; a comma by default. */
  readonly separator?: string | undefined;
  /** CSV only: disarm cells that a spreadsheet would take for formulas. */
  readonly excel?: boolean | undefined;
  /** Parquet only: most rows in a row group; fewer if rows are large. */
  readonly rowGroupRows?: number | undefined;
  /** Parquet only: threads that encode columns. Without any, it is done in turns. */
  readonly workers?: WorkerPool | undefined;
}
