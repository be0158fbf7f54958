/** Units read out of the whole: for what concerns a few of them, of a folder or of what git keeps. */

import { scopeAt, type Unit, unitKey } from '../../catalogue/layout.ts';
import { apply, emptySnapshot, type Snapshot } from '../../catalogue/snapshot.ts';
import type { Diagnostic } from '../../catalogue/types.ts';
import type { Sight } from './look.ts';
import { readUnit } from './reading.ts';
import type { UnitState } from './unit-look.ts';

export interface ReadUnits {
  /** What they say, as if there were no others. */
  readonly snapshot: Snapshot;
  readonly states: readonly UnitState[];
}

/** Reads units. */
export function readUnits(sight: Sight, units: Iterable<Unit>): ReadUnits {
  const states = [...units].map((unit) => readUnit(sight, unit));
  const problems = new Map<string, readonly Diagnostic[]>();
  for (const state of states) for (const [path, found] of state.problems) problems.set(path, found);
  const readings = states.map(({ reading }) => reading);
  return { snapshot: apply(emptySnapshot, { readings, diagnostics: problems }), states };
}

/** Units by their keys, each once. */
export const byKey = (units: Iterable<Unit>): Map<string, Unit> =>
  new Map(Array.from(units, (unit) => [unitKey(unit), unit]));

/** The units that paths belong to. */
export function unitsAt(paths: Iterable<string>): Map<string, Unit> {
  return byKey(Array.from(paths, scopeAt).filter((place): place is Unit => place !== null && !('folder' in place)));
}
