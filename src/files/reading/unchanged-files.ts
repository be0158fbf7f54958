/** Whether the files of a unit are as they were when it was read. */
import type { Steps } from '../../catalogue/steps.ts';
import { type FileTree, type Stamp, UnreadableFileError } from '../tree/file-tree.ts';
import { isSameStamp, isTrueOfStamps, isTrueOfStampsInSteps } from '../tree/stamps.ts';
import type { UnitState } from './unit-state.ts';

/**
 * True if the files and folders of a unit are unchanged.
 * @param known stamps by path, in place of those in the state
 */
export function haveUnchangedFiles(
  tree: Pick<FileTree, 'stamp'>,
  { stamps, payloads }: Pick<UnitState, 'stamps' | 'payloads'>,
  known?: ReadonlyMap<string, Stamp>,
): boolean {
  try {
    const isUnchanged = (path: string, stamp: Stamp | null) => isSameStamp(tree.stamp(path), known?.get(path) ?? stamp);
    return isTrueOfStamps(stamps, isUnchanged) && isTrueOfStamps(payloads, isUnchanged);
  } catch (error) {
    if (error instanceof UnreadableFileError) return false;
    throw error;
  }
}

/** As `haveUnchangedFiles`, in steps: a dataset may have thousands of versions. */
export function* haveUnchangedFilesInSteps(
  tree: Pick<FileTree, 'stamp'>,
  { stamps, payloads }: Pick<UnitState, 'stamps' | 'payloads'>,
): Steps<boolean> {
  try {
    const isUnchanged = (path: string, stamp: Stamp | null) => isSameStamp(tree.stamp(path), stamp);
    return (yield* isTrueOfStampsInSteps(stamps, isUnchanged)) && (yield* isTrueOfStampsInSteps(payloads, isUnchanged));
  } catch (error) {
    if (error instanceof UnreadableFileError) return false;
    throw error;
  }
}
