/** Files and folders that git keeps in its folder until an operation of a person is finished, and what the operation is called. */

/** A rebase takes commits out of the working tree and puts them back one by one. */
const rebases = { 'rebase-merge': 'a rebase', 'rebase-apply': 'a rebase' } as const;

export const rebaseFolders: readonly string[] = Object.keys(rebases);

export const unfinishedOperations: Readonly<Record<string, string>> = {
  MERGE_HEAD: 'a merge',
  ...rebases,
  CHERRY_PICK_HEAD: 'a cherry-pick',
  REVERT_HEAD: 'a revert',
  BISECT_LOG: 'a bisection',
};
