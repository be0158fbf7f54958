/**
 * Namespaces, or datasets of one namespace, that have exchanged their names on one side. Each has the name of another one, so none of
 * the names is new or missing. The other side gets them by moves, of which the first one makes room with a name of its own.
 */
import { enclosingContainerFolders, kindAndRefOfPath, recordPathWithoutExtension } from '../catalogue/layout.ts';
import { maxSlugLength } from '../catalogue/ref.ts';
import { type AudienceComparison, foldersAround } from './audience.ts';
import { withExtensionOf } from './extensions.ts';
import { containerFolder, type FileKind, type Files, type Side, syncFileKind, type ThreeWay } from './files.ts';
import type { Renaming } from './moves.ts';
import { maxIds, type RecordIds, readIds } from './record-ids.ts';

interface ExchangeInput {
  readonly base: Files;
  /** Files of the side that may have exchanged names, and of the other one. */
  readonly mover: Files;
  readonly other: Files;
  readonly ids: Readonly<Record<'mover' | 'other', RecordIds>>;
}

/** Finds the exchanges of one side that the other one lacks. @returns the moves of each, to be made one after the other */
export async function findExchangedNames(
  kind: FileKind,
  { base, mover, other, ids }: ExchangeInput,
): Promise<readonly (readonly Renaming[])[]> {
  if (kind !== 'namespace' && kind !== 'dataset') return [];
  const changed = [...base].flatMap(([path, { checksum }]) => {
    const now = syncFileKind(path) === kind && other.has(path) ? mover.get(path) : undefined;
    return now && now.checksum !== checksum ? [path] : [];
  });
  if (changed.length < 2 || changed.length > maxIds) return [];
  if (!mayHaveChangedPlace(changed, base, mover)) return [];
  const before = await readIds(changed, ids.mover.before);
  const pathsNow = new Map(Array.from(await readIds(changed, ids.mover.now), ([path, id]) => [id, path]));
  const newPathOf = (path: string) => pathsNow.get(before.get(path) ?? Number.NaN);
  const cycles = findCycles(changed, newPathOf).filter(areSiblings);
  const isSameOnOther = async (path: string) => (await ids.other.now(path)) === before.get(path);
  const found: (readonly string[])[] = [];
  for (const cycle of cycles) if ((await Promise.all(cycle.map(isSameOnOther))).every(Boolean)) found.push(cycle);
  if (found.length === 0) return [];
  const taken = new Set<string>();
  for (const files of [base, mover, other])
    for (const path of files.keys()) for (const folder of enclosingContainerFolders(path)) taken.add(folder);
  return found.map((cycle) => movesOfCycle(cycle, taken));
}

/**
 * False if no folder of the records lacks a file that it had, or has another one of that name, and no query differs: their texts needn't
 * be read then. Records alone are sent in one step.
 */
function mayHaveChangedPlace(records: readonly string[], base: Files, now: Files): boolean {
  const changed = new Set<string>();
  for (const [path, { checksum }] of base) {
    if (now.get(path)?.checksum === checksum) continue;
    if (syncFileKind(path) === 'query' && now.has(path)) return true;
    const own = containerFolder(path);
    for (const folder of enclosingContainerFolders(path)) if (folder !== own || !now.has(path)) changed.add(folder);
  }
  return records.some((path) => changed.has(containerFolder(path) ?? ''));
}

/** Paths of which each is followed by the one that its record has now, and the last one by the first. */
function findCycles(
  paths: readonly string[],
  newPathOf: (path: string) => string | undefined,
): readonly (readonly string[])[] {
  const seen = new Set<string>();
  return paths.flatMap((start) => {
    const cycle: string[] = [];
    let at: string | undefined = start;
    for (; at !== undefined && !seen.has(at); at = newPathOf(at)) {
      seen.add(at);
      cycle.push(at);
    }
    return cycle.length > 1 && at === start ? [cycle] : [];
  });
}

/** A dataset that comes into another namespace is a change of who may see it. */
const areSiblings = (paths: readonly string[]): boolean =>
  new Set(paths.map((path) => enclosingContainerFolders(path)[1])).size === 1;

/** The moves of a cycle: the first record makes room, the others follow from the last to the second, and the first one comes last. */
function movesOfCycle(cycle: readonly string[], taken: ReadonlySet<string>): readonly Renaming[] {
  const [first = '', second = ''] = cycle;
  const between = freePath(first, taken);
  const others = cycle.slice(1).toReversed();
  return [
    { path: first, to: between },
    ...others.map((path, i) => ({ path, to: i === 0 ? first : (others[i - 1] ?? first) })),
    { path: between, to: second },
  ];
}

/** A path beside a record at which no side has one. @param taken folders of both sides */
function freePath(path: string, taken: ReadonlySet<string>): string {
  const { ref } = kindAndRefOfPath(path);
  for (let count = 1; ref?.kind === 'namespace' || ref?.kind === 'dataset'; count++) {
    const end = count === 1 ? '-renamed' : `-renamed-${count}`;
    const slug = `${ref.slug.slice(0, maxSlugLength - end.length)}${end}`;
    const free = withExtensionOf(`${recordPathWithoutExtension({ ...ref, slug })}.yaml`, path);
    if (!taken.has(containerFolder(free) ?? '')) return free;
  }
  throw new TypeError(`Not the record of a namespace or dataset: ${path}`);
}

/** The moves by which records have exchanged their names, for each exchange of a side. */
export type Exchanges = Readonly<Record<Side, readonly (readonly Renaming[])[]>>;

/** An exchange that isn't taken over by moves, because of saved queries. */
export interface HeldExchange {
  readonly by: Side;
  /** Paths of the records. */
  readonly records: readonly string[];
}

const recordsOf = (moves: readonly Renaming[]): readonly string[] => moves.slice(1).map(({ to }) => to);

/** True if an exchange is one of those that are held. */
export const isHeldExchange = (held: readonly HeldExchange[], by: Side, moves: readonly Renaming[]): boolean =>
  held.some((one) => one.by === by && recordsOf(moves).every((record) => one.records.includes(record)));

/**
 * The exchanges of records whose saved queries differ; of the remote, those with queries that were changed locally. A query names its
 * dataset: between the moves and its change, it would belong to the dataset that has the name by then, and be visible with that.
 */
export function findExchangesWithQueries(
  { exchanges, base, ours }: Pick<ThreeWay, 'base' | 'ours'> & { readonly exchanges: Exchanges },
  { queries }: AudienceComparison,
): readonly HeldExchange[] {
  const isChangedLocally = (path: string) => ours.has(path) && ours.get(path)?.checksum !== base.get(path)?.checksum;
  return (['ours', 'theirs'] as const).flatMap((by) => {
    const paths = [...queries.keys()].filter((path) => by === 'ours' || isChangedLocally(path));
    const folders = new Set(paths.flatMap((path) => foldersAround(path, { queries })));
    return exchanges[by]
      .map((moves) => ({ by, records: recordsOf(moves) }))
      .filter(({ records }) => records.some((record) => folders.has(containerFolder(record) ?? '')));
  });
}

/**
 * Reasons why such records and their queries are left alone, by path. Those that show nothing to more people are sent in one step.
 * @param audiences without the moves of the exchanges
 */
export function exchangeReasons(
  held: readonly HeldExchange[],
  { records: wider, queries }: AudienceComparison,
): ReadonlyMap<string, string> {
  const reasons = new Map<string, string>();
  for (const { by, records } of held) {
    if (!records.some((record) => wider.get(record)?.[by])) continue;
    const folders = new Set(records.map((record) => containerFolder(record) ?? ''));
    const own = [...queries.keys()].filter((path) => foldersAround(path, { queries }).some((one) => folders.has(one)));
    const reason = by === 'ours' ? oursReason : theirsReason;
    for (const path of [...records, ...own]) reasons.set(path, reason);
  }
  return reasons;
}

const oursReason =
  'Two records have exchanged their names, more people may see one than the other, and saved queries belong to them. ' +
  'Make both private, without readers and owners, push, and then give them theirs again.';
const theirsReason =
  'On the remote, two records have exchanged their names, more people may see one than the other, and local saved queries belong to them. ' +
  'Remove these queries, pull, and then create them again.';
