/**
 * Namespaces, or datasets of one namespace, that have exchanged their names on one side. Each has the name of another one, so none of
 * the names is new or missing. The other side gets them by moves, of which the first one makes room with a name of its own.
 */
import { enclosingContainerFolders, kindAndRefOfPath, recordPathWithoutExtension } from '../catalogue/layout.ts';
import { maxSlugLength } from '../catalogue/ref.ts';
import type { AudienceComparison } from './audience.ts';
import { withExtensionOf } from './extensions.ts';
import { containerFolder, type FileKind, type Files, syncFileKind } from './files.ts';
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
  const found: (readonly Renaming[])[] = [];
  for (const cycle of cycles)
    if ((await Promise.all(cycle.map(isSameOnOther))).every(Boolean))
      found.push(movesOfCycle(cycle, [base, mover, other]));
  return found;
}

/**
 * False if no folder of the records lacks a file that it had, and no query differs: their texts needn't be read then. Records alone are
 * sent in one step.
 */
function mayHaveChangedPlace(records: readonly string[], base: Files, now: Files): boolean {
  const lacking = new Set<string>();
  for (const [path, { checksum }] of base) {
    if (!now.has(path)) for (const folder of enclosingContainerFolders(path)) lacking.add(folder);
    else if (syncFileKind(path) === 'query' && now.get(path)?.checksum !== checksum) return true;
  }
  return records.some((path) => lacking.has(containerFolder(path) ?? ''));
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
function movesOfCycle(cycle: readonly string[], sides: readonly Files[]): readonly Renaming[] {
  const [first = '', second = ''] = cycle;
  const between = freePath(first, sides);
  const others = cycle.slice(1).toReversed();
  return [
    { path: first, to: between },
    ...others.map((path, i) => ({ path, to: i === 0 ? first : (others[i - 1] ?? first) })),
    { path: between, to: second },
  ];
}

/** A path beside a record at which no side has one. */
function freePath(path: string, sides: readonly Files[]): string {
  const { ref } = kindAndRefOfPath(path);
  const taken = new Set(sides.flatMap((files) => [...files.keys()].flatMap(enclosingContainerFolders)));
  for (let count = 1; ref?.kind === 'namespace' || ref?.kind === 'dataset'; count++) {
    const end = count === 1 ? '-renamed' : `-renamed-${count}`;
    const slug = `${ref.slug.slice(0, maxSlugLength - end.length)}${end}`;
    const free = withExtensionOf(`${recordPathWithoutExtension({ ...ref, slug })}.yaml`, path);
    if (!taken.has(containerFolder(free) ?? '')) return free;
  }
  throw new TypeError(`Not the record of a namespace or dataset: ${path}`);
}

/**
 * The exchanges of records whose saved queries differ. A query names its dataset: between the moves and its change, it would belong to
 * the dataset that has the name by then, and be visible with that.
 * @param exchanges moves of each
 * @returns the records of each, by their paths
 */
export function findExchangesWithQueries(
  exchanges: readonly (readonly Renaming[])[],
  { queries }: AudienceComparison,
): readonly (readonly string[])[] {
  const folders = new Set([...queries.values()].flatMap(enclosingContainerFolders));
  const hasQueries = (record: string) => folders.has(containerFolder(record) ?? '');
  return exchanges.map((moves) => moves.slice(1).map(({ to }) => to)).filter((records) => records.some(hasQueries));
}

/** Reasons why such records aren't sent, by path. Those that show nothing to more people are sent in one step. */
export const exchangeReasons = (
  exchanges: readonly (readonly string[])[],
  audiences: AudienceComparison,
): ReadonlyMap<string, string> =>
  new Map(
    exchanges
      .filter((records) => records.some((record) => audiences.records.get(record)?.ours))
      .flatMap((records) => records.map((record) => [record, exchangeReason] as const)),
  );

const exchangeReason =
  'It has exchanged names with one that other people may see, and saved queries belong to them. ' +
  'Make both private, without readers and owners, push, and then give them theirs again.';
