/**
 * The part of a catalogue that changed in git, with all that it concerns: whatever has the same id, and what names
 * something that came or went. Git finds the files that might; they are read as any other, and most of a large catalogue
 * is never opened.
 */

import { parsePath, parseRecordName, recordStem, type Unit, unitKey } from '../../catalogue/layout.ts';
import { GitError, git } from '../git/git.ts';
import { asking, branchPoint, changedPaths, commitAt } from '../git/refs.ts';
import { scan } from '../reading/scan.ts';
import { byKey, type ReadUnits, readUnits, unitsAt } from '../reading/units.ts';
import { DiskTree, type FileTree } from '../tree/disk-tree.ts';
import { GitTree, indexEnv } from '../tree/git-tree.ts';
import { factsOf } from './facts.ts';
import type { Facts } from './rules.ts';

/** Which part: what the working tree has that a commit hasn't, or what is staged (of another index, where one is named). */
export type Part =
  | { readonly since: string | undefined }
  | { readonly staged: true; readonly index?: string | undefined };

export interface ChangedPart {
  readonly facts: Facts;
  /** The same units as they were. */
  readonly before: Facts;
  /** Paths of the files that changed. */
  readonly touched: ReadonlySet<string>;
  /** What they are compared with. */
  readonly since: string;
}

/** More words than these aren't looked for: then all is read. */
const mostWords = 300;

/** @throws NotFoundError where git knows no such commit, or nothing of the folder; UnavailableError where it fails */
export function partOf(root: string, part: Part): Promise<ChangedPart> {
  return asking(async () => {
    const base = 'staged' in part ? await headOf(root) : await branchPoint(root, part.since);
    const other = 'staged' in part ? { index: part.index } : 'working tree';
    const start = { commit: base?.commit ?? (await emptyTree(root)) };
    const [paths, ...sides] = await Promise.all([
      changedPaths(root, base?.commit ?? null, other),
      GitTree.of(root, start),
      'staged' in part ? GitTree.of(root, { index: part.index }) : new DiskTree(root),
    ]);
    const touched = new Set(paths);
    const units = await concerned(root, part, sides, touched);
    const [before, facts] = sides.map((sight) => factsIn(sight, readUnits(sight, units)));
    if (!before || !facts) throw new TypeError('There are two sides.');
    return { facts: { ...facts, touched }, before, touched, since: base?.name ?? 'the beginning' };
  });
}

const emptyTree = async (root: string) => (await git(root, ['hash-object', '-t', 'tree', '--stdin'])).trim();

async function headOf(root: string) {
  const commit = await commitAt(root, 'HEAD');
  return commit === null ? null : { commit, name: 'HEAD' };
}

/** What was read, with what lies where nothing should: names alone tell that, of the whole folder. */
function factsIn(sight: FileTree, { snapshot, states }: ReadUnits): Facts {
  const problems = new Map(snapshot.diagnostics);
  for (const finding of scan(sight))
    if ('stray' in finding)
      problems.set(finding.stray.path, [...(problems.get(finding.stray.path) ?? []), finding.stray]);
  return factsOf(sight, { ...snapshot, diagnostics: problems }, states);
}

type Sides = readonly [before: GitTree, now: GitTree | DiskTree];

/** The units that changed, those that might have to do with them, and what all of these name. */
async function concerned(root: string, part: Part, sides: Sides, touched: ReadonlySet<string>): Promise<Unit[]> {
  const all = byKey([...scan(sides[1])].flatMap((finding) => ('unit' in finding ? [finding.unit] : [])));
  const units = unitsAt(touched);
  const words = await wordsOf(sides, units, touched, all);
  const found = words.size > mostWords ? all : unitsAt(await mentions(root, part, words));
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

/** What to look for elsewhere: ids of what changed, names of what came or went, and names that are claimed. */
async function wordsOf(
  sides: Sides,
  units: ReadonlyMap<string, Unit>,
  touched: ReadonlySet<string>,
  all: ReadonlyMap<string, Unit>,
): Promise<ReadonlySet<string>> {
  await load(sides, units.values());
  const words = new Set<string>();
  const [before, now] = sides.map((sight) => {
    const { snapshot, states } = readUnits(sight, units.values());
    return factsOf(sight, snapshot, states).texts;
  });
  for (const path of touched) {
    if (parsePath(path).kind === 'media') words.add(path);
    const { id, aliases, dataset } = now?.get(path)?.value ?? {};
    if (typeof id === 'number') words.add(String(id));
    for (const alias of Array.isArray(aliases) ? aliases : []) words.add(lastOf(String(alias)));
    if (typeof dataset === 'string' && !all.has(unitKey(datasetAt(dataset)))) words.add(lastOf(dataset));
    const comesOrGoes = before?.has(path) !== now?.has(path);
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
function* namedBy({ snapshot }: ReadUnits): Generator<Unit> {
  for (const { namespace, datasets } of snapshot.folders.values()) {
    for (const slug of namespace?.owners ?? []) yield { kind: 'group', slug };
    for (const dataset of datasets.values())
      for (const alias of dataset.aliases) yield datasetAt(alias, dataset.namespace);
  }
  for (const { groups } of snapshot.users.values()) for (const slug of groups) yield { kind: 'group', slug };
  for (const { dataset } of snapshot.queries.values()) yield datasetAt(dataset);
}
