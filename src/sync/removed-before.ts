/**
 * Protection of removals on the remote from a folder that has no common state with it, such as a new checkout of git: to it, a
 * record that the remote has removed looks like a new one.
 */
import type { ChangesPage } from '../catalogue/catalogue.ts';
import { NotFoundError } from '../catalogue/errors.ts';
import type { ChangedRecord, ChangesOptions } from '../catalogue/feed.ts';
import { describeFilePath, recordPaths } from '../catalogue/layout.ts';
import { dependencyRank, syncFileKind, type ThreeWay } from './files.ts';
import { nameCoversPath } from './named-part.ts';
import type { RemovedBefore } from './state.ts';

/** Lists a page of the remote's changes. */
export type ListChanges = (options: ChangesOptions) => Promise<ChangesPage>;

/** Kinds whose removals the feed of changes lists. */
const kinds = ['namespace', 'dataset', 'version', 'query'];
const pageSize = 1000;

/** Reason why a removed record isn't sent. */
const reasonOf = (path: string, { datetime, movedTo }: ChangedRecord): string => {
  const name = describeFilePath(path);
  const what = movedTo ? `renamed it to ${describeFilePath(recordPaths(movedTo)[0] ?? '')}` : 'removed it';
  return (
    `The remote ${what} on ${datetime.slice(0, 10)}, and this folder has never been synchronised with it before. ` +
    `To send it all the same: catalogue push ${name}. If you don't need it, remove it here, too.`
  );
};

/**
 * Local records that the remote has removed, with the reason why they aren't sent, by path: namespaces before datasets.
 * @throws what `list` throws, except for the refusal of a server that has no feed of changes
 */
export async function findRecordsRemovedBefore(sides: ThreeWay, list: ListChanges): Promise<RemovedBefore> {
  const added = [...sides.ours.keys()].filter((path) => isAddition(path, sides) && kinds.includes(syncFileKind(path)));
  if (added.length === 0 || sides.theirs.size === 0) return {};
  const removals = await listRemovals(list);
  const byPath = new Map(removals.flatMap((one) => recordPaths(one.ref).map((path) => [path, one] as const)));
  const found = added.flatMap((path) => {
    const removal = byPath.get(path);
    return removal ? [[path, reasonOf(path, removal)] as const] : [];
  });
  return Object.fromEntries(found.sort(([a], [b]) => dependencyRank(a) - dependencyRank(b)));
}

const isAddition = (path: string, { base, ours, theirs }: ThreeWay): boolean =>
  ours.has(path) && !theirs.has(path) && !base.has(path);

/** Those that are still local additions. */
export const selectAdditions = (records: RemovedBefore, sides: ThreeWay): RemovedBefore =>
  Object.fromEntries(Object.entries(records).filter(([path]) => isAddition(path, sides)));

/** Those that no name means, or needs: a dataset needs its namespace. */
export const selectUnnamed = (records: RemovedBefore, names: readonly string[]): RemovedBefore =>
  Object.fromEntries(
    Object.entries(records).filter(
      ([path]) => !names.some((name) => nameCoversPath(name, path) || name.startsWith(`${describeFilePath(path)}/`)),
    ),
  );

async function listRemovals(list: ListChanges): Promise<readonly ChangedRecord[]> {
  const removals: ChangedRecord[] = [];
  try {
    // With a time, removals are listed as well.
    const since = '1970-01-01';
    let cursor: string | null | undefined = '';
    while (typeof cursor === 'string') {
      const page: ChangesPage = await list({ since, cursor, pageSize });
      removals.push(...page.items.filter(({ removed }) => removed));
      cursor = page.nextCursor;
    }
  } catch (error) {
    if (!(error instanceof NotFoundError)) throw error;
  }
  return removals;
}
