/**
 * Protection of the remote from a local folder without any namespace, user, group or query that both sides had in common: the folder
 * of them may be on a disk that isn't mounted.
 */
import { ConflictError } from '../catalogue/errors.ts';
import { isBytesPath } from '../catalogue/layout.ts';
import type { Files } from './files.ts';
import type { SyncPlan } from './plan.ts';

/** A push would remove all records of a folder. The command line adds what to type. */
export class EmptiedFolderError extends ConflictError {}

/** Fewer records than this are removed without a question. */
const fewest = 2;

const topFolder = (path: string): string => path.slice(0, path.indexOf('/') + 1);

/**
 * Checks that a push doesn't remove all records of a folder such as `namespaces/`.
 * @param base files of the last common state
 * @throws EmptiedFolderError
 */
export function assertNoFolderEmptied(base: Files, { outgoing, files }: SyncPlan): void {
  const removed = new Set(outgoing.flatMap(({ do: what, path }) => (what === 'remove' ? [topFolder(path)] : [])));
  if (removed.size === 0) return;
  const isRecordIn = (folder: string) => (path: string) => path.startsWith(folder) && !isBytesPath(path);
  for (const folder of removed) {
    const before = [...base.keys()].filter(isRecordIn(folder)).length;
    if (folder === '' || before < fewest || [...files.ours.keys()].some(isRecordIn(folder))) continue;
    throw new EmptiedFolderError(
      `The local ${folder} has none of the ${before} records that both sides had in common: a disk may not be mounted there. ` +
        'Nothing was changed.',
    );
  }
}
