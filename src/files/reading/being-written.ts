/** Whether a unit is probably being written: an editor may empty a file first, and a program may write one file after another. */
import { parseRecordFileName, recordPaths, recordPathWithoutExtension, type Unit } from '../../catalogue/layout.ts';
import type { Steps } from '../../catalogue/steps.ts';
import type { DiskTree } from '../tree/disk-tree.ts';
import { parentOf } from '../tree/file-tree.ts';
import { filesInStep, unpackStamps } from '../tree/stamps.ts';
import type { UnitState } from './unit-state.ts';

/**
 * True if a record of the unit is missing or empty but its folder is there.
 * @param state the last state of the unit
 */
export function* isBeingWritten(tree: DiskTree, unit: Unit, state: UnitState | undefined): Steps<boolean> {
  const isBlank = (path: string) => !tree.size(path);
  let isKnown = false;
  let isUnwritten = false;
  let count = 0;
  for (const [path, stamp] of unpackStamps(state?.stamps ?? '')) {
    if (++count % filesInStep === 0) yield;
    if (!stamp || !parseRecordFileName(path)) continue;
    isKnown = true;
    isUnwritten = isBlank(path);
    if (isUnwritten) break;
  }
  if (!isKnown) isUnwritten = recordPaths(unit).every(isBlank);
  return isUnwritten && tree.size(parentOf(recordPathWithoutExtension(unit))) !== null;
}
