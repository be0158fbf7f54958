/** What a choice makes of conflicts. Pure. */
import { fileAt, folderOf } from './paths.ts';
import { type Conflict, inOrder, type Step, stepTo } from './plan.ts';

/** The steps that take what the other side has. */
export function takingTheirs(conflicts: readonly Conflict[]): readonly Step[] {
  const steps = conflicts.flatMap(({ path, from, ours, theirs }) => stepTo(path, from, theirs, ours?.checksum ?? null));
  // With a dataset goes what lies in its folder.
  const folders = steps.flatMap((step) => {
    const folder = step.do === 'remove' && fileAt(step.path).kind === 'dataset' ? folderOf(step.path) : null;
    return folder === null ? [] : [folder];
  });
  const goesWith = ({ path }: Step) => folders.some((folder) => path.startsWith(folder) && folderOf(path) !== folder);
  return inOrder(steps.filter((step) => !goesWith(step)));
}
