/**
 * Protection from a remote that was set back to an earlier state, as from a backup: what it lacks, and its older texts, must not
 * count as changes. The local catalogue may be the only one that has the newer ones.
 */
import { ConflictError } from '../catalogue/errors.ts';
import { enclosingContainerFolders, isBytesPath } from '../catalogue/layout.ts';
import { containerFolder, type Files, type LocatedFile } from './files.ts';
import { pathAfterMove } from './moves.ts';
import type { SyncPlan } from './plan.ts';
import { type SyncStep, sourcePath } from './steps.ts';

/** Incoming steps that remove, move or replace records of the last common state. */
export const findRevertingSteps = ({ incoming }: SyncPlan): readonly SyncStep[] =>
  incoming.filter((step) => !isBytesPath(step.path) && (step.do !== 'write' || step.ifMatch !== null));

/** The remote was set back. The command line adds what to type. */
export class SetBackError extends ConflictError {}

/** @throws SetBackError if a pull had reverting steps */
export function assertNothingReverted({ length }: readonly SyncStep[]): void {
  if (length === 0) return;
  throw new SetBackError(
    'The remote was set back to an earlier state, as from a backup, or its folder .catalogue was removed: a pull would ' +
      `remove or replace ${length} record${length === 1 ? '' : 's'} that both sides had in common. Nothing was changed.`,
  );
}

/**
 * Changes of the last common state that make reverting steps local changes, which a push sends: their files become those of the
 * remote.
 * @returns files by path; null for those that the remote lacks
 */
export function baseFilesAfterRevert(
  steps: readonly SyncStep[],
  base: Files,
  theirs: Files,
): ReadonlyMap<string, LocatedFile | null> {
  const changed = new Map<string, LocatedFile | null>();
  const setFile = (path: string) => {
    const file = theirs.get(path);
    changed.set(path, file ? { ...file, path } : null);
  };
  const folders = new Set(steps.flatMap((step) => (step.do === 'remove' ? (containerFolder(step.from) ?? []) : [])));
  for (const path of base.keys())
    if (enclosingContainerFolders(path).some((folder) => folders.has(folder))) setFile(path);
  for (const step of steps) {
    if (step.do === 'write') changed.set(step.from, { ...step.now, path: sourcePath(step) });
    if (step.do === 'remove') setFile(step.from);
    if (step.do !== 'move') continue;
    for (const path of base.keys()) {
      const to = pathAfterMove(path, { path: step.from, to: step.fromTo });
      if (to === path) continue;
      setFile(path);
      setFile(to);
    }
  }
  return changed;
}
