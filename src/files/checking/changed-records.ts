/**
 * Records that changed in git, and the records that they concern: those with the same id, and those that name a record
 * that was added or removed. `git grep` finds candidates, so that most files of a large catalogue are never opened.
 */

import {
  parseCataloguePath,
  parseRecordFileName,
  recordPathWithoutExtension,
  type Unit,
  unitKey,
} from '../../catalogue/layout.ts';
import { GitError, runGit } from '../git/git.ts';
import {
  branchPoint,
  type DiffTarget,
  emptyTreeId,
  findCommit,
  getCommit,
  type NamedCommit,
  pathsChangedInGit,
  translateGitErrors,
} from '../git/refs.ts';
import { readUnits, type UnitsRead, unitsAtPaths, unitsByKey } from '../reading/read-unit.ts';
import { scanForUnits } from '../reading/scan.ts';
import { DiskTree } from '../tree/disk-tree.ts';
import { GitTree, gitIndexEnvironment } from '../tree/git-tree.ts';
import { TreeRecords, treeRecordsOf } from './tree-records.ts';

/** The changes of the working tree since a commit, the staged ones (in another index, if one is named), or those between commits. */
export type GitChanges =
  | { readonly since: string | undefined }
  | { readonly staged: true; readonly index?: string | undefined }
  | { readonly from: string; readonly to: string };

export interface ChangedRecords {
  readonly records: TreeRecords;
  /** The same units before the changes. */
  readonly before: TreeRecords;
  /** Paths of the files that changed. */
  readonly changed: ReadonlySet<string>;
  /** Name of the commit that they are compared with. */
  readonly since: string;
}

/** With more words than these to find, all records are read. */
const maxWords = 300;

/** @throws NotFoundError if there is no such commit, or the folder is in no repository; UnavailableError if git fails */
export function findRecordsChangedInGit(root: string, part: GitChanges): Promise<ChangedRecords> {
  return translateGitErrors(async () => {
    const base = await startOfChanges(root, part);
    const target = sourceOf(part);
    const start = { commit: base?.commit ?? (await emptyTreeId(root)) };
    const [paths, ...trees]: [readonly string[], GitTree, GitTree | DiskTree] = await Promise.all([
      pathsChangedInGit(root, base?.commit ?? null, target),
      GitTree.open(root, start),
      target === 'working tree' ? new DiskTree(root) : GitTree.open(root, target),
    ]);
    const changed = new Set(paths);
    const units = await concernedUnits(root, part, trees, changed);
    const [before, now] = trees;
    return {
      records: treeRecordsOf(now, readUnits(now, units), scanForUnits(now), { changed }),
      before: treeRecordsOf(before, readUnits(before, units), scanForUnits(before)),
      changed,
      since: base?.name ?? 'the beginning',
    };
  });
}

/** The commit that the changes are compared with; null if there is none yet. */
async function startOfChanges(root: string, part: GitChanges): Promise<NamedCommit | null> {
  if ('since' in part) return branchPoint(root, part.since);
  if ('from' in part) return getCommit(root, part.from);
  const commit = await findCommit(root, 'HEAD');
  return commit === null ? null : { commit, name: 'HEAD' };
}

/** The state with the changes. */
function sourceOf(part: GitChanges): DiffTarget {
  if ('to' in part) return { commit: part.to };
  return 'staged' in part ? { index: part.index } : 'working tree';
}

type Trees = readonly [before: GitTree, now: GitTree | DiskTree];

/** Units that changed, units that may be concerned, and the units that all of these refer to. */
async function concernedUnits(
  root: string,
  part: GitChanges,
  trees: Trees,
  touched: ReadonlySet<string>,
): Promise<Unit[]> {
  const all = unitsByKey([...scanForUnits(trees[1])].flatMap((found) => ('unit' in found ? [found.unit] : [])));
  const units = unitsAtPaths(touched);
  const words = await searchWords(trees, units, touched, all);
  const mentioning = words.size > maxWords ? all : unitsAtPaths(await filesMentioning(root, part, words));
  for (const [key, unit] of mentioning) units.set(key, unit);
  await loadGitTrees(trees, units.values());
  for (const unit of referencedBy(readUnits(trees[1], units.values())))
    if (all.has(unitKey(unit))) units.set(unitKey(unit), unit);
  await loadGitTrees(trees, units.values());
  return [...units.values()];
}

async function loadGitTrees(trees: Trees, units: Iterable<Unit>): Promise<void> {
  const wanted = [...units];
  for (const tree of trees) if (tree instanceof GitTree) await tree.load(wanted);
}

/** Words to search in other records: ids of changed records, added, removed and former names. */
async function searchWords(
  trees: Trees,
  units: ReadonlyMap<string, Unit>,
  touched: ReadonlySet<string>,
  all: ReadonlyMap<string, Unit>,
): Promise<ReadonlySet<string>> {
  await loadGitTrees(trees, units.values());
  const words = new Set<string>();
  const [before, now] = trees.map((tree) => {
    const { snapshot, states } = readUnits(tree, units.values());
    return new TreeRecords(tree, snapshot, states);
  });
  for (const path of touched) {
    if (parseCataloguePath(path).kind === 'media') words.add(path);
    const { id, aliases, dataset } = now?.record(path) ?? {};
    if (typeof id === 'number') words.add(String(id));
    for (const alias of Array.isArray(aliases) ? aliases : []) words.add(lastSegment(String(alias)));
    if (typeof dataset === 'string' && !all.has(unitKey(datasetUnit(dataset)))) words.add(lastSegment(dataset));
    const isAddedOrRemoved = (before?.record(path) === undefined) !== (now?.record(path) === undefined);
    const [unit] = isAddedOrRemoved && parseRecordFileName(path) ? unitsAtPaths([path]).values() : [];
    if (unit && 'slug' in unit && unit.kind !== 'user' && unit.kind !== 'query') words.add(unit.slug);
  }
  return words;
}

/** The dataset at an address, which may be only a slug within its own namespace. */
function datasetUnit(address: string, ownNamespace = ''): Unit {
  const [first = '', second] = address.split('/');
  return second === undefined
    ? { kind: 'dataset', namespace: ownNamespace, slug: first }
    : { kind: 'dataset', namespace: first, slug: second };
}

const lastSegment = (address: string) => address.slice(address.lastIndexOf('/') + 1);

/** Paths of records that contain a word as a value, or at the end of an address. */
async function filesMentioning(root: string, part: GitChanges, words: ReadonlySet<string>): Promise<readonly string[]> {
  if (words.size === 0) return [];
  const escaped = [...words].map((word) => word.replace(/[.[\](){}*+?^$|\\]/g, '\\$&'));
  const pattern = `(^|[][,:{ \t"'/-])(${escaped.join('|')})["']?[ \t]*([],}#\r]|$)`;
  const [source, env] = 'staged' in part ? ['--cached', gitIndexEnvironment(part.index)] : ['--untracked', {}];
  const commit = 'to' in part ? part.to : null;
  const flags = ['--no-full-name', '--no-recurse-submodules', '--no-color', '-I', '-l', '-z', '-E'];
  try {
    const where = commit === null ? [source, ...flags, '-f', '-'] : [...flags, '-f', '-', commit];
    const output = await runGit(root, ['grep', ...where, '--', ...recordPathspecs], { env, input: `${pattern}\n` });
    // Of a commit, git writes `<commit>:<path>`.
    const prefix = commit === null ? 0 : commit.length + 1;
    return output.split('\0').flatMap((found) => (found ? [found.slice(prefix)] : []));
  } catch (error) {
    if (error instanceof GitError && error.exitCode === 1) return [];
    throw error;
  }
}

/** Pathspecs of all records: payloads, which may be large, are not searched. */
const recordPathspecs = [
  { kind: 'namespace', slug: '*' } as const,
  { kind: 'dataset', namespace: '*', slug: '*' } as const,
  { kind: 'version', namespace: '*', dataset: '*', slug: '*' } as const,
  { kind: 'group', slug: '*' } as const,
  { kind: 'user', slug: '*' } as const,
  { kind: 'query', slug: '*' } as const,
].map((ref) => `:(glob)${recordPathWithoutExtension(ref)}.*`);

/** Units that the records of the units refer to. */
function* referencedBy({ snapshot }: UnitsRead): Generator<Unit> {
  for (const { namespace, datasets } of snapshot.folders.values()) {
    for (const slug of namespace?.owners ?? []) yield { kind: 'group', slug };
    for (const dataset of datasets.values())
      for (const alias of dataset.aliases) yield datasetUnit(alias, dataset.namespace);
  }
  for (const { groups } of snapshot.users.values()) for (const slug of groups) yield { kind: 'group', slug };
  for (const { dataset } of snapshot.queries.values()) yield datasetUnit(dataset);
}
