/**
 * Order of records with the same id: the one that had it before comes first. The records of a copied folder have the ids
 * of their originals, and the copy needs new ones: clones, links and programs know the original by its id.
 */
import { lstatSync } from 'node:fs';
import { join } from 'node:path';
import { type RecordRef, recordFormat, recordPaths } from '../../catalogue/layout.ts';
import { refOf } from '../../catalogue/ref.ts';
import { parseRecordText } from '../../text/parse.ts';
import { headCommitId } from '../git/refs.ts';
import { readUnitStateCache } from '../reading/cache.ts';
import { unitsAtPaths } from '../reading/read-unit.ts';
import { readOrNull } from '../tree/file-tree.ts';
import { GitTree, type TreeSource } from '../tree/git-tree.ts';
import { entitiesOf, type TreeRecords } from './tree-records.ts';

/** Texts of records as another catalogue and this one had them when they were last the same, by path. */
export type FindCommonTexts = (paths: readonly string[]) => Promise<ReadonlyMap<string, string>>;

/** Ids by the path of their record. */
type Ids = ReadonlyMap<string, number>;
type CompareHolders = TreeRecords['compareHolders'];

/** Order of records by which of them had its id in an earlier state. */
export const compareByEarlierState =
  (now: Pick<TreeRecords, 'record'>, before: Pick<TreeRecords, 'record'>): CompareHolders =>
  (a, b) => {
    const hadIt = (path: string) => before.record(path)?.id === now.record(path)?.id;
    return Number(hadIt(b)) - Number(hadIt(a));
  };

/**
 * Order of the records of a folder that have an id of another record, by what is known of earlier times: the commit that
 * is checked out, the index of git, the last state in common with a remote, and the cache of the last start. Of two
 * records that are all new, the older file comes first.
 * @param shared ids that several records have, by the paths of these
 */
export async function findOrderOfHolders(
  root: string,
  shared: Ids,
  findCommonTexts: FindCommonTexts = async () => new Map(),
): Promise<CompareHolders> {
  const paths = [...shared.keys()];
  const head = await headCommitId(root);
  const sources: readonly ReadonlySet<string>[] = [
    head === null ? new Set() : await holdersInGit(root, { commit: head }, shared),
    await holdersInGit(root, { index: undefined }, shared),
    holdersInTexts(await findCommonTexts(paths), shared),
    await holdersInCache(root, shared),
  ];
  const births = new Map(paths.map((path) => [path, birthTime(join(root, path))]));
  return (a, b) => {
    for (const holders of sources) if (holders.has(a) !== holders.has(b)) return holders.has(a) ? -1 : 1;
    // Git makes files anew, so that their age says nothing.
    if (sources.some((holders) => holders.has(a))) return 0;
    return (births.get(a) ?? 0) - (births.get(b) ?? 0);
  };
}

/** Records that have their id in git, too; none if the folder is in no repository, or git can't say. */
async function holdersInGit(root: string, source: TreeSource, ids: Ids): Promise<ReadonlySet<string>> {
  try {
    const tree = await GitTree.open(root, source);
    await tree.load(unitsAtPaths(ids.keys()).values());
    const texts = [...ids.keys()].map((path) => [path, readOrNull(tree, path)?.text] as const);
    return holdersInTexts(texts, ids);
  } catch {
    return new Set();
  }
}

/** Records that have their id in an earlier text, too. */
function holdersInTexts(texts: Iterable<readonly [path: string, text: string | undefined]>, ids: Ids): Set<string> {
  const holders = new Set<string>();
  for (const [path, text] of texts) {
    if (text === undefined) continue;
    const parsed = parseRecordText(text, recordFormat(path));
    const value = 'value' in parsed ? parsed.value : null;
    if (value !== null && typeof value === 'object' && 'id' in value && value.id === ids.get(path)) holders.add(path);
  }
  return holders;
}

/** Records that had their id at the last start of a server or a command. */
async function holdersInCache(root: string, ids: Ids): Promise<ReadonlySet<string>> {
  const holders = new Set<string>();
  for (const state of await readUnitStateCache(root))
    for (const entity of entitiesOf(state))
      for (const path of recordPaths(refOf(entity) as RecordRef)) if (ids.get(path) === entity.id) holders.add(path);
  return holders;
}

/** Milliseconds since 1970, when a file was made; 0 if that is unknown. */
const birthTime = (path: string): number => lstatSync(path, { throwIfNoEntry: false })?.birthtimeMs ?? 0;
