/** Which columns are shown, in which order, and under which names. */
import type { TableColumn } from '../row.ts';
import type { RowsInput } from './types.ts';

/** A shown column: `index` is its place in the table's columns. */
export interface ShownColumn {
  readonly kind: 'column';
  readonly index: number;
  readonly name: string;
  readonly type: TableColumn['type'];
}

/** The geometry's place among the shown columns. */
export interface ShownGeometry {
  readonly kind: 'geometry';
}

export type Shown = ShownColumn | ShownGeometry;

/**
 * The columns to show: `fields` in their order, or else the geometry and then all others.
 *
 * @throws RangeError where a field is no column; the caller has checked what a client asked for.
 */
export function select({ shape, fields }: Pick<RowsInput, 'shape' | 'fields'>): Shown[] {
  const columns = shape.columns.map(({ name, type }, index): Shown => ({ kind: 'column', index, name, type }));
  const all: Shown[] = shape.hasGeometry ? [{ kind: 'geometry' }, ...columns] : columns;
  if (!fields) return all;
  const byName = new Map(all.map((shown) => [shown.kind === 'geometry' ? 'geometry' : shown.name, shown] as const));
  // The geometry comes first in `all`, so that a mere property of its name would hide it here.
  if (shape.hasGeometry) byName.set('geometry', { kind: 'geometry' });
  return fields.map((field) => {
    const shown = byName.get(field);
    if (!shown) throw new RangeError(`There is no column ${JSON.stringify(field)}.`);
    return shown;
  });
}

/** The shown columns without the geometry. */
export function withoutGeometry(shown: readonly Shown[]): ShownColumn[] {
  return shown.filter((each): each is ShownColumn => each.kind === 'column');
}

/** `name`, or `name_1`, `name_2` … where shown columns have taken it: a column of the data keeps its name. */
export function freeName(name: string, shown: readonly Shown[]): string {
  const taken = new Set(withoutGeometry(shown).map((column) => column.name));
  let free = name;
  for (let n = 1; taken.has(free); n++) free = `${name}_${n}`;
  return free;
}
