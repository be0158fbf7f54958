/** How the rows of two versions differ. */
import type { ColumnType, Version } from './types.ts';

export interface DifferenceOptions {
  /** Columns whose values together tell rows apart; found where absent. */
  readonly key?: readonly string[] | undefined;
  /** Stops the work. */
  readonly signal?: AbortSignal | undefined;
}

/** The rows of one version against those of another: what there is of each kind is known before any row is read. */
export interface Difference extends RowDifference {
  readonly from: Version;
  readonly to: Version;
}

export interface RowDifference {
  readonly columns: ColumnDifference;
  readonly key: DifferenceKey;
  readonly counts: DifferenceCounts;
  /**
   * The rows that differ: those removed, in the order of `from`; then those changed and those added, in the order of
   * `to`. They are read as they are asked for, and stopping early stops the work.
   */
  rows(): AsyncIterable<RowChange>;
}

/** The columns that only one side has, or that have another type; the geometry counts as a column. */
export interface ColumnDifference {
  readonly added: readonly NamedType[];
  readonly dropped: readonly NamedType[];
  readonly retyped: readonly { readonly name: string; readonly from: ColumnType; readonly to: ColumnType }[];
}

export interface NamedType {
  readonly name: string;
  readonly type: ColumnType;
}

/** What tells rows apart, so that one may be the same row with other values. */
export interface DifferenceKey {
  /** The features' ids; the values of columns; or nothing but the whole row, so that no row is ever changed. */
  readonly kind: 'id' | 'columns' | 'row';
  /** Empty unless they are columns. */
  readonly columns: readonly string[];
}

/** In rows. `from` is `removed + changed + unchanged`, `to` is `added + changed + unchanged`. */
export interface DifferenceCounts {
  readonly from: number;
  readonly to: number;
  readonly added: number;
  readonly removed: number;
  readonly changed: number;
  readonly unchanged: number;
}

/** Values by the names of their columns. */
export type PlainRow = Readonly<Record<string, unknown>>;

/** One row that differs. `key` has the values by which it is known, an id as `id`; null where whole rows are compared. */
export type RowChange =
  | { readonly change: 'added' | 'removed'; readonly key: PlainRow | null; readonly row: PlainRow }
  | {
      readonly change: 'changed';
      readonly key: PlainRow;
      readonly from: PlainRow;
      readonly to: PlainRow;
      /** The columns in which they differ, among those that both sides have. */
      readonly columns: readonly string[];
    };
