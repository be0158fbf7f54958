/** The latest commits that touched a dataset, for its page. */
import type { Catalogue } from '../catalogue/catalogue.ts';
import { maySeePeople, type Viewer } from '../catalogue/permissions.ts';
import { type DatasetRef, refOf } from '../catalogue/ref.ts';
import type { Commit, Dataset, Namespace } from '../catalogue/types.ts';
import { mayWriteIn } from './dataset-state.ts';
import { soon } from './soon.ts';

/** Commits that the page names. */
const namedCommits = 5;
/** Milliseconds that a page waits for git. */
const patienceForGit = 50;

/** Milliseconds after which git is asked again: a commit need not change a file. */
export const beforeCommitsAreReadAgain = 2000;

interface KnownCommits {
  commits: Promise<readonly Commit[]>;
  /** Time of `performance.now` at which git was asked. */
  at: number;
}
/** Latest commits, by what a viewer may see of them: the authors, and commits of drafts. */
const histories = new Map<string, WeakMap<Dataset, KnownCommits>>();

/**
 * The latest commits that touched a dataset; null if git hasn't answered soon. While git is asked again, they are those known
 * before: a later page has the new ones.
 * @param namespace of the dataset
 */
export async function historySoon(
  catalogue: Catalogue,
  viewer: Viewer,
  dataset: Dataset,
  namespace: Namespace | null,
): Promise<readonly Commit[] | null> {
  const rights = `${maySeePeople(viewer, catalogue.settings)} ${mayWriteIn(viewer, namespace)}`;
  const kept = histories.get(rights) ?? new WeakMap<Dataset, KnownCommits>();
  histories.set(rights, kept);
  const read = () =>
    catalogue.history(refOf(dataset) as DatasetRef, { pageSize: namedCommits }).then(
      ({ items }) => items,
      () => [],
    );
  const at = performance.now();
  let known = kept.get(dataset);
  if (!known) {
    known = { commits: read(), at };
    kept.set(dataset, known);
  } else if (at - known.at > beforeCommitsAreReadAgain) {
    const entry = known;
    const commits = read();
    entry.at = at;
    void commits.then(() => {
      entry.commits = commits;
    });
  }
  return soon(known.commits, patienceForGit);
}
