/** What the page of a dataset or of a version shows. */
import type { VersionProfile } from '../catalogue/column-statistics.ts';
import type { Commit, Dataset, Query, Version } from '../catalogue/types.ts';
import type { Chart } from './chart-scales.ts';
import type { ShownMap } from './dataset-map.tsx';
import type { DatasetState } from './dataset-notes.tsx';
import type { VersionChange } from './dataset-versions.tsx';
import type { FilePreview } from './file-preview.tsx';
import type { Preview } from './first-rows.tsx';

export interface DatasetPageParts {
  readonly dataset: Dataset;
  /** Names of the columns that have a page. */
  readonly columnPages: ReadonlySet<string>;
  /** Label of the namespace. */
  readonly namespace: string;
  /** The version that is shown; undefined for a dataset that has no version to show. */
  readonly version: Version | undefined;
  readonly isVersionPage: boolean;
  /** Sizes in bytes of the files in other formats that are made already. */
  readonly sizes: ReadonlyMap<string, number>;
  /** The first rows, of the columns that say most; null if there are none to show. */
  readonly preview: Preview | null;
  /** Why there are no rows; '' if they are only not ready yet. */
  readonly reason: string;
  readonly profile: VersionProfile | null;
  /** False if some of the rows, their statistics, maps and comparisons aren't ready yet. */
  readonly isComplete: boolean;
  readonly queries: readonly Query[];
  /** Changes since the version before, by slug. */
  readonly changes: ReadonlyMap<string, VersionChange>;
  readonly state: DatasetState;
  /** The latest commits that touched it. */
  readonly history: readonly Commit[];
  /** A first look at a payload that has no rows. */
  readonly filePreview: FilePreview | null;
  /** What the map shows: null if it isn't drawn yet, undefined if the rows have no geometry. */
  readonly map: ShownMap | null | undefined;
  /** Others of the same namespace or with the same keywords. */
  readonly others: readonly Dataset[];
  /** Null if the columns make none. */
  readonly chart: Chart | null;
}
