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
import type { RecordValue } from '../../catalogue/record-set.ts';
import { usernameOfReader } from '../../catalogue/ref.ts';
import type { Snapshot } from '../../catalogue/snapshot.ts';
import { accountsPath } from '../accounts/accounts-file.ts';
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
import { existsInTree, type FileTree } from '../tree/file-tree.ts';
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
  /** True if git has the accounts file, or takes it with the next `git add`. */
  readonly hasAccounts: boolean;
}

/** With more patterns than these to search, all records are read. */
const maxPatterns = 300;

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
      records: treeRecordsOf(now, readUnits(now, units), scanForUnits(now)),
      before: treeRecordsOf(before, readUnits(before, units), scanForUnits(before)),
      changed,
      since: base?.name ?? 'the beginning',
      hasAccounts: await hasAccounts(root, trees, changed),
    };
  });
}

/** True if git has the accounts file, or takes it with the next `git add`. */
async function hasAccounts(root: string, [before, now]: Trees, changed: ReadonlySet<string>): Promise<boolean> {
  if (now instanceof GitTree) return existsInTree(now, accountsPath);
  if (!changed.has(accountsPath)) return existsInTree(before, accountsPath);
  // It may be in the folder, and taken out of git.
  return (await runGit(root, ['ls-files', '--cached', '--others', '--exclude-standard', '--', accountsPath])) !== '';
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
  const patterns = await searchPatterns(trees, units, touched, all);
  const matching = patterns.size > maxPatterns ? all : unitsAtPaths(await filesMatching(root, part, patterns));
  for (const [key, unit] of matching) units.set(key, unit);
  await loadGitTrees(trees, units.values());
  for (const unit of referencedBy(readUnits(trees[1], units.values()), all))
    if (all.has(unitKey(unit))) units.set(unitKey(unit), unit);
  await loadGitTrees(trees, units.values());
  return [...units.values()];
}

async function loadGitTrees(trees: Trees, units: Iterable<Unit>): Promise<void> {
  const wanted = [...units];
  for (const tree of trees) if (tree instanceof GitTree) await tree.load(wanted);
}

/**
 * Patterns (POSIX extended regular expressions) to search in other records: ids of changed records, added, removed and
 * former names, and readers that are users if unchanged records become public.
 */
async function searchPatterns(
  trees: Trees,
  units: ReadonlyMap<string, Unit>,
  touched: ReadonlySet<string>,
  all: ReadonlyMap<string, Unit>,
): Promise<ReadonlySet<string>> {
  await loadGitTrees(trees, units.values());
  const patterns = new Set<string>();
  const add = (word: string, end = '') => {
    // Records that don't fit their schema may have any text. With a line break in it, git would read two patterns.
    if (word !== '' && !/\p{Cc}/u.test(word)) patterns.add(word.replace(/[.[\](){}*+?^$|\\]/g, '\\$&') + end);
  };
  const recordsIn = (tree: FileTree) => {
    const { snapshot, states } = readUnits(tree, units.values());
    return new TreeRecords(tree, snapshot, states);
  };
  const [before, now] = [recordsIn(trees[0]), recordsIn(trees[1])];
  for (const path of touched) {
    if (parseCataloguePath(path).kind === 'media') add(path);
    const [unit] = parseRecordFileName(path) ? unitsAtPaths([path]).values() : [];
    const { id, dataset } = now.record(path) ?? {};
    if (typeof id === 'number') add(String(id));
    for (const alias of [before, now].flatMap((records) => aliasesIn(records.record(path))))
      if (unit?.kind === 'namespace') add(alias, `/${anyName}`);
      else add(lastSegment(alias));
    if (typeof dataset === 'string' && !all.has(unitKey(datasetUnit(dataset)))) add(lastSegment(dataset));
    const isAddedOrRemoved = (before.record(path) === undefined) !== (now.record(path) === undefined);
    if (isAddedOrRemoved && unit && 'slug' in unit && unit.kind !== 'query') add(unit.slug);
  }
  // Queries may use a former name of a column.
  for (const { datasets } of now.snapshot.folders.values())
    for (const { slug, former_names } of datasets.values()) if (Object.keys(former_names).length) add(slug);
  if (isOtherAudience(before.snapshot, now.snapshot)) add('user:', anyName);
  return patterns;
}

/** Pattern of a name of any kind. */
const anyName = '[^][,:{}"\' \t#/]+';

function aliasesIn(record: RecordValue | undefined): readonly string[] {
  const { aliases } = record ?? {};
  return Array.isArray(aliases) ? aliases.map(String) : [];
}

/** True if unchanged records may have become public, or people hidden. */
function isOtherAudience(before: Snapshot, now: Snapshot): boolean {
  if (before.settings.people !== now.settings.people) return true;
  const isPublic = ({ folders }: Snapshot, slug: string) => folders.get(slug)?.namespace?.visibility === 'public';
  return [...now.folders.keys()].some((slug) => isPublic(now, slug) && !isPublic(before, slug));
}

/** The dataset at an address, which may be only a slug within its own namespace. */
function datasetUnit(address: string, ownNamespace = ''): Unit & { readonly kind: 'dataset' } {
  const [first = '', second] = address.split('/');
  return second === undefined
    ? { kind: 'dataset', namespace: ownNamespace, slug: first }
    : { kind: 'dataset', namespace: first, slug: second };
}

const lastSegment = (address: string) => address.slice(address.lastIndexOf('/') + 1);

/** Paths of records in which a pattern matches a value, or the end of an address. All count as text, whatever .gitattributes says. */
async function filesMatching(
  root: string,
  part: GitChanges,
  patterns: ReadonlySet<string>,
): Promise<readonly string[]> {
  if (patterns.size === 0) return [];
  const pattern = `(^|[][,:{ \t"'/-])(${[...patterns].join('|')})["']?[ \t]*([],}#\r]|$)`;
  const [source, env] = 'staged' in part ? ['--cached', gitIndexEnvironment(part.index)] : ['--untracked', {}];
  const commit = 'to' in part ? part.to : null;
  const flags = ['--no-full-name', '--no-recurse-submodules', '--no-color', '-a', '-l', '-z', '-E'];
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

/**
 * Units that the rules look at beside those that were read: what these refer to, their namespaces, and the settings.
 * @param all the units that exist
 */
function* referencedBy({ snapshot }: UnitsRead, all: ReadonlyMap<string, Unit>): Generator<Unit> {
  yield { kind: 'settings' };
  for (const [slug, { namespace, datasets }] of snapshot.folders) {
    yield { kind: 'namespace', slug };
    if (namespace) yield* groupsAndUsers([...namespace.owners, ...namespace.readers]);
    for (const dataset of datasets.values()) {
      yield* groupsAndUsers(dataset.readers);
      for (const alias of dataset.aliases) yield datasetUnit(alias, slug);
    }
  }
  for (const { groups } of snapshot.users.values()) yield* groupsAndUsers(groups);
  const queried = [...snapshot.queries.values()].map(({ dataset }) => datasetUnit(dataset));
  yield* queried;
  const missing = new Set(queried.filter((unit) => !all.has(unitKey(unit))).map(({ slug }) => slug));
  if (missing.size === 0) return;
  // Its namespace may have had another name.
  for (const other of all.values())
    if (other.kind === 'namespace' || (other.kind === 'dataset' && missing.has(other.slug))) yield other;
}

/** The groups and users that owners or readers name. A user without "user:" is an error, whose message depends on the user. */
function* groupsAndUsers(members: readonly string[]): Generator<Unit> {
  for (const member of members) {
    yield { kind: 'group', slug: member };
    yield { kind: 'user', slug: usernameOfReader(member) ?? member };
  }
}
