/** Units read out of the whole: for what concerns a few of them, of a folder or of what git keeps. */

import { scopeAt, type Unit, unitKey } from '../../catalogue/layout.ts';
import { apply, emptySnapshot, type Snapshot } from '../../catalogue/snapshot.ts';
import type { Diagnostic } from '../../catalogue/types.ts';
import type { FileTree } from '../tree/file-tree.ts';
import { readUnit } from './read-unit.ts';
import type { UnitState } from './unit-reader.ts';

export interface UnitsRead {
  /** What they say, as if there were no others. */
  readonly snapshot: Snapshot;
  readonly states: readonly UnitState[];
}

/** Reads units. */
export function readUnits(sight: FileTree, units: Iterable<Unit>): UnitsRead {
  const states = [...units].map((unit) => readUnit(sight, unit));
  const diagnostics = new Map<string, readonly Diagnostic[]>();
  for (const state of states) for (const [path, found] of state.diagnostics) diagnostics.set(path, found);
  const readings = states.map(({ reading }) => reading);
  return { snapshot: apply(emptySnapshot, { readings, diagnostics }), states };
}

/** Units by their keys, each once. */
export const unitsByKey = (units: Iterable<Unit>): Map<string, Unit> =>
  new Map(Array.from(units, (unit) => [unitKey(unit), unit]));

/** The units that paths belong to. */
export function unitsAt(paths: Iterable<string>): Map<string, Unit> {
  return unitsByKey(
    Array.from(paths, scopeAt).filter((place): place is Unit => place !== null && !('folder' in place)),
  );
}
