/** What a new version changes in a dataset's columns, in words. */
import type { ColumnChanges } from '../../catalogue/catalogue.ts';
import { isUnchanged } from '../../catalogue/columns.ts';
import type { ColumnType } from '../../catalogue/types.ts';

interface Named {
  readonly name: string;
  readonly type: ColumnType;
}

/** The changes of columns, wherever they come from. */
export interface ColumnsChange extends Pick<ColumnChanges, 'retyped'> {
  readonly added: readonly Named[];
  readonly dropped: readonly Named[];
}

/** A line for how many there are, and one for each; none where nothing changes. */
export function columnChangeLines(changes: ColumnsChange): readonly string[] {
  const { added, dropped, retyped } = changes;
  if (isUnchanged(changes as ColumnChanges)) return [];
  const counts = Object.entries({ added, dropped, retyped }).filter(([, columns]) => columns.length);
  return [
    `Columns: ${counts.map(([what, columns]) => `${columns.length} ${what}`).join(', ')}.`,
    ...added.map(({ name, type }) => `  + ${name} (${type})`),
    ...dropped.map(({ name, type }) => `  - ${name} (${type})`),
    ...retyped.map(({ name, from, to }) => `  ~ ${name} (${from} → ${to})`),
  ];
}
