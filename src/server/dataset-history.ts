/** The latest commits that touched a dataset, for its page. */
import type { Catalogue } from '../catalogue/catalogue.ts';
import { maySeePeople, type Viewer } from '../catalogue/permissions.ts';
import { type DatasetRef, refOf } from '../catalogue/ref.ts';
import type { Commit, Dataset } from '../catalogue/types.ts';
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
type Histories = WeakMap<Dataset, KnownCommits>;
/** Latest commits, for viewers who may see people and for others. */
const histories: Readonly<Record<'people' | 'nobody', Histories>> = { people: new WeakMap(), nobody: new WeakMap() };

/**
 * The latest commits that touched a dataset; null if git hasn't answered soon. While git is asked again, they are those known
 * before: a later page has the new ones.
 */
export async function historySoon(
  catalogue: Catalogue,
  viewer: Viewer,
  dataset: Dataset,
): Promise<readonly Commit[] | null> {
  const kept = histories[maySeePeople(viewer, catalogue.settings) ? 'people' : 'nobody'];
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
