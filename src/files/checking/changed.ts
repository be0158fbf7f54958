/**
 * Records that changed in git, and the records that they concern: those with the same id, and those that name something
 * that was added or removed. `git grep` finds the files that might, so that most of a large catalogue is never opened.
 */

import { parsePath, parseRecordName, recordStem, type Unit, unitKey } from '../../catalogue/layout.ts';
import { GitError, git } from '../git/git.ts';
import { asking, branchPoint, changedPaths, commitAt } from '../git/refs.ts';
import { readUnits, type UnitsRead, unitsAt, unitsByKey } from '../reading/read-unit.ts';
import { scan } from '../reading/scan.ts';
import { DiskTree } from '../tree/disk-tree.ts';
import type { FileTree } from '../tree/file-tree.ts';
import { GitTree, indexEnv } from '../tree/git-tree.ts';
import { TreeRecords } from './tree-records.ts';

/** The changes of the working tree since a commit, or the staged ones (in another index, if one is named). */
export type Part =
  | { readonly since: string | undefined }
  | { readonly staged: true; readonly index?: string | undefined };

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

/** @throws NotFoundError if git knows no such commit, or nothing of the folder; UnavailableError if git fails */
export function changedRecords(root: string, part: Part): Promise<ChangedRecords> {
  return asking(async () => {
    const base = 'staged' in part ? await headOf(root) : await branchPoint(root, part.since);
    const other = 'staged' in part ? { index: part.index } : 'working tree';
    const start = { commit: base?.commit ?? (await emptyTree(root)) };
    const [paths, ...sides]: [readonly string[], GitTree, GitTree | DiskTree] = await Promise.all([
      changedPaths(root, base?.commit ?? null, other),
      GitTree.open(root, start),
      'staged' in part ? GitTree.open(root, { index: part.index }) : new DiskTree(root),
    ]);
    const changed = new Set(paths);
    const units = await concernedUnits(root, part, sides, changed);
    const [before, now] = sides;
    return {
      records: recordsIn(now, readUnits(now, units), changed),
      before: recordsIn(before, readUnits(before, units)),
      changed,
      since: base?.name ?? 'the beginning',
    };
  });
}

const emptyTree = async (root: string) => (await git(root, ['hash-object', '-t', 'tree', '--stdin'])).trim();

async function headOf(root: string) {
  const commit = await commitAt(root, 'HEAD');
  return commit === null ? null : { commit, name: 'HEAD' };
}

/** The units that were read, with the files of the whole tree that have no place in the layout. */
function recordsIn(tree: FileTree, { snapshot, states }: UnitsRead, changed?: ReadonlySet<string>): TreeRecords {
  const diagnostics = new Map(snapshot.diagnostics);
  for (const found of scan(tree))
    if ('stray' in found)
      diagnostics.set(found.stray.path, [...(diagnostics.get(found.stray.path) ?? []), found.stray]);
  return new TreeRecords(tree, { ...snapshot, diagnostics }, states, changed);
}

type Sides = readonly [before: GitTree, now: GitTree | DiskTree];

/** Units that changed, those that may be concerned, and those that all of these name. */
async function concernedUnits(root: string, part: Part, sides: Sides, touched: ReadonlySet<string>): Promise<Unit[]> {
  const all = unitsByKey([...scan(sides[1])].flatMap((finding) => ('unit' in finding ? [finding.unit] : [])));
  const units = unitsAt(touched);
  const words = await wordsOf(sides, units, touched, all);
  const found = words.size > maxWords ? all : unitsAt(await mentions(root, part, words));
  for (const [key, unit] of found) units.set(key, unit);
  await load(sides, units.values());
  for (const unit of namedBy(readUnits(sides[1], units.values())))
    if (all.has(unitKey(unit))) units.set(unitKey(unit), unit);
  await load(sides, units.values());
  return [...units.values()];
}

async function load(sides: Sides, units: Iterable<Unit>): Promise<void> {
  const wanted = [...units];
  for (const side of sides) if (side instanceof GitTree) await side.load(wanted);
}

/** Words to find in other records: ids of changed records, names that were added or removed, and former names. */
async function wordsOf(
  sides: Sides,
  units: ReadonlyMap<string, Unit>,
  touched: ReadonlySet<string>,
  all: ReadonlyMap<string, Unit>,
): Promise<ReadonlySet<string>> {
  await load(sides, units.values());
  const words = new Set<string>();
  const [before, now] = sides.map((tree) => {
    const { snapshot, states } = readUnits(tree, units.values());
    return new TreeRecords(tree, snapshot, states);
  });
  for (const path of touched) {
    if (parsePath(path).kind === 'media') words.add(path);
    const { id, aliases, dataset } = now?.record(path) ?? {};
    if (typeof id === 'number') words.add(String(id));
    for (const alias of Array.isArray(aliases) ? aliases : []) words.add(lastOf(String(alias)));
    if (typeof dataset === 'string' && !all.has(unitKey(datasetAt(dataset)))) words.add(lastOf(dataset));
    const comesOrGoes = (before?.record(path) === undefined) !== (now?.record(path) === undefined);
    const [unit] = comesOrGoes && parseRecordName(path) ? unitsAt([path]).values() : [];
    if (unit && 'slug' in unit && unit.kind !== 'user' && unit.kind !== 'query') words.add(unit.slug);
  }
  return words;
}

/** The dataset of an address, which within a namespace is a slug. */
function datasetAt(address: string, home = ''): Unit {
  const [first = '', second] = address.split('/');
  return second === undefined
    ? { kind: 'dataset', namespace: home, slug: first }
    : { kind: 'dataset', namespace: first, slug: second };
}

const lastOf = (address: string) => address.slice(address.lastIndexOf('/') + 1);

/** Records in which a word stands as a value, or at the end of an address. */
async function mentions(root: string, part: Part, words: ReadonlySet<string>): Promise<readonly string[]> {
  if (words.size === 0) return [];
  const escaped = [...words].map((word) => word.replace(/[.[\](){}*+?^$|\\]/g, '\\$&'));
  const pattern = `(^|[][,:{ \t"'/-])(${escaped.join('|')})["']?[ \t]*([],}#\r]|$)`;
  const [where, env] = 'staged' in part ? ['--cached', indexEnv(part.index)] : ['--untracked', {}];
  const flags = ['--no-full-name', '--no-recurse-submodules', '--no-color', '-I', '-l', '-z', '-E'];
  try {
    const said = await git(root, ['grep', where, ...flags, '-f', '-', '--', ...records], {
      env,
      input: `${pattern}\n`,
    });
    return said.split('\0').filter(Boolean);
  } catch (error) {
    if (error instanceof GitError && error.exitCode === 1) return [];
    throw error;
  }
}

/** All but payloads, which may be large. */
const records = [
  { kind: 'namespace', slug: '*' } as const,
  { kind: 'dataset', namespace: '*', slug: '*' } as const,
  { kind: 'version', namespace: '*', dataset: '*', slug: '*' } as const,
  { kind: 'group', slug: '*' } as const,
  { kind: 'user', slug: '*' } as const,
  { kind: 'query', slug: '*' } as const,
].map((ref) => `:(glob)${recordStem(ref)}.*`);

/** The units that others name. */
function* namedBy({ snapshot }: UnitsRead): Generator<Unit> {
  for (const { namespace, datasets } of snapshot.folders.values()) {
    for (const slug of namespace?.owners ?? []) yield { kind: 'group', slug };
    for (const dataset of datasets.values())
      for (const alias of dataset.aliases) yield datasetAt(alias, dataset.namespace);
  }
  for (const { groups } of snapshot.users.values()) for (const slug of groups) yield { kind: 'group', slug };
  for (const { dataset } of snapshot.queries.values()) yield datasetAt(dataset);
}
