/** The columns of a table by name, and suggestions for names that are mistyped. */
import { closest } from '../../catalogue/closest.ts';
import type { ColumnType } from '../../catalogue/types.ts';
import type { TableShape } from '../row.ts';
import { geometryColumn } from './predicate.ts';

/** The type of a column; undefined where there is none of that name. */
export function columnType(name: string, shape: TableShape): ColumnType | undefined {
  if (shape.hasGeometry && name === geometryColumn) return 'geometry';
  return shape.columns.find((column) => column.name === name)?.type;
}

/** Names of all columns, the geometry first. */
export function columnNames(shape: TableShape): string[] {
  return [...(shape.hasGeometry ? [geometryColumn] : []), ...shape.columns.map((column) => column.name)];
}

/** ` Did you mean "…"?`, or nothing where no candidate is near. */
export function didYouMean(word: string, candidates: readonly string[]): string {
  // A name of quite another length is never near; among ten thousand columns, most needn't be looked at.
  const most = Math.max(1, word.length * 0.4);
  const near = word.length > 100 ? [] : candidates.filter((name) => Math.abs(name.length - word.length) <= most);
  const best = closest(word, near);
  return best === undefined ? '' : ` Did you mean "${best}"?`;
}
