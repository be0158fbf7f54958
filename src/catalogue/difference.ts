/** Differences between the rows of two versions. */
import type { ColumnType, Version, WorkBudget } from './types.ts';

export interface DifferenceOptions {
  /** Columns whose values together identify a row; detected if absent. */
  readonly key?: readonly string[] | undefined;
  /** Aborts the comparison. */
  readonly signal?: AbortSignal | undefined;
  readonly budget?: WorkBudget | undefined;
}

/** Difference between the rows of two versions. Counts are known before rows are read. */
export interface Difference extends RowDifference {
  readonly from: Version;
  readonly to: Version;
}

export interface RowDifference {
  readonly columns: ColumnDifference;
  readonly key: DifferenceKey;
  readonly counts: DifferenceCounts;
  /** Dropped columns whose values an added column has, or nearly all of them: probably renamed. Absent if they weren't looked for. */
  readonly renames?: readonly Rename[];
  /**
   * The rows that differ: first the removed ones, in the order of `from`; then the changed and the added ones, in the
   * order of `to`. Rows are read on demand; ending the iteration early stops reading.
   * @param selected the rows to read; by default all
   */
  rows(selected?: ChangeSelection): AsyncIterable<RowChange>;
}

/** A difference in figures, without its rows. */
export type DifferenceFigures = Pick<RowDifference, 'counts' | 'columns' | 'renames'>;

/** A column that has another name than before. */
export interface Rename {
  readonly from: string;
  readonly to: string;
}

/** Some of the rows with one kind of change. */
export interface ChangeSelection {
  readonly change: RowChange['change'];
  /** Positions among the rows with this change, from 0, ascending. */
  readonly positions: readonly number[];
}

/** Columns that only one side has, or that have another type; the geometry counts as a column. */
export interface ColumnDifference {
  readonly added: readonly NamedType[];
  readonly dropped: readonly NamedType[];
  readonly retyped: readonly { readonly name: string; readonly from: ColumnType; readonly to: ColumnType }[];
  /** Columns of which people have said that they have another name: they are compared, and all rows have the new name. Absent if there are none. */
  readonly renamed?: readonly Rename[];
}

export interface NamedType {
  readonly name: string;
  readonly type: ColumnType;
}

/** Key that identifies rows: two rows of the same key are one row, with the same values or changed ones. */
export interface DifferenceKey {
  /** Ids of features; values of columns; or whole rows, which can then only be added and removed, not changed. */
  readonly kind: 'id' | 'columns' | 'row';
  /** Names of the columns; empty for the other kinds. */
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

/** Values, keyed by column. */
export type PlainRow = Readonly<Record<string, unknown>>;

/** A row that differs. `key` has the values that identify it, a feature's id as `id`; null if whole rows are compared. */
export type RowChange =
  | { readonly change: 'added' | 'removed'; readonly key: PlainRow | null; readonly row: PlainRow }
  | {
      readonly change: 'changed';
      readonly key: PlainRow;
      readonly from: PlainRow;
      readonly to: PlainRow;
      /** Columns in which the rows differ, of those that both sides have. */
      readonly columns: readonly string[];
    };

/** A difference in figures and hints, for people. */
export interface DifferenceSummary {
  /** Number of changed rows that were counted: all of them, or the first. */
  readonly counted: number;
  /** Number of changed values in them. */
  readonly values: number;
  /** The columns with changed values, the most first. */
  readonly columns: readonly ChangedColumn[];
  /** A column whose values say that rows were not removed and added, but have another key. */
  readonly otherKey: OtherKey | null;
}

export interface ChangedColumn {
  readonly name: string;
  /** Positions of the rows among the changed ones, ascending. */
  readonly positions: Uint32Array;
  /** Number of values in which only case and spaces differ. */
  readonly caseOnly: number;
}

export interface OtherKey {
  readonly column: string;
  /** Number of rows added that have the value of a row removed. */
  readonly rows: number;
  /** Keys before and after. */
  readonly examples: readonly (readonly [before: string, after: string])[];
  /** True if the column is known to identify the rows of both versions. */
  readonly isKey: boolean;
}
