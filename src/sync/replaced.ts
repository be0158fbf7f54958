/** Records whose name a side has given to another one: `trees` was renamed to `trees-2024`, and there is a new `trees`. */
import { describeFilePath, enclosingContainerFolders } from '../catalogue/layout.ts';
import { isSameFile } from './extensions.ts';
import { containerFolder, type FileKind, type Files, type Side, syncFileKind, type ThreeWay } from './files.ts';
import type { Move } from './moves.ts';
import { idReaders, maxIds, type RecordIds, readIds } from './record-ids.ts';
import type { SyncState } from './state.ts';
import type { TextReaders } from './texts.ts';

/** The files of both sides without the replaced records. */
export async function withoutReplaced(
  kind: FileKind,
  { base, ours, theirs }: ThreeWay,
  ids: Readonly<Record<Side, RecordIds>>,
): Promise<ThreeWay> {
  return {
    base,
    ours: await withoutReplacedRecords(kind, base, ours, ids.ours),
    theirs: await withoutReplacedRecords(kind, base, theirs, ids.theirs),
  };
}

/**
 * The files of a side without the replaced records: at their paths are records with other ids, and their own ids are at new
 * paths. So they count as moved.
 */
async function withoutReplacedRecords(kind: FileKind, base: Files, side: Files, ids: RecordIds): Promise<Files> {
  const added = [...side.keys()].filter((path) => syncFileKind(path) === kind && !base.has(path));
  if (added.length === 0) return side;
  const changed = [...base].flatMap(([path, { checksum }]) => {
    const now = syncFileKind(path) === kind ? side.get(path) : undefined;
    return now && now.checksum !== checksum ? [path] : [];
  });
  if (changed.length === 0 || Math.max(added.length, changed.length) > maxIds) return side;
  const before = await readIds(changed, ids.before);
  const withOtherIds = async (paths: readonly string[]) => {
    const now = await readIds(paths, ids.now);
    return paths.filter((path) => now.has(path) && before.has(path) && now.get(path) !== before.get(path));
  };
  const withMovedIds = async (paths: readonly string[]) => {
    const moved = new Set((await readIds(paths.length ? added : [], ids.now)).values());
    return paths.filter((path) => moved.has(before.get(path) ?? Number.NaN));
  };
  // The fewer texts first: they show nearly always that no record is replaced.
  const replaced =
    added.length < changed.length
      ? await withOtherIds(await withMovedIds(changed))
      : await withMovedIds(await withOtherIds(changed));
  if (replaced.length === 0) return side;
  const rest = new Map(side);
  for (const path of replaced) rest.delete(path);
  return rest;
}

/** Records of namespaces and datasets that both sides have added, with different texts. */
const pathsAddedTwice = ({ base, ours, theirs }: ThreeWay): readonly string[] =>
  [...ours].flatMap(([path, file]) =>
    !base.has(path) && theirs.has(path) && !isSameFile(file, theirs.get(path)) && containerFolder(path) !== null
      ? [path]
      : [],
  );

/** Records of namespaces and datasets that a side has changed, while the other one has changed or added files in their folders. */
function pathsOfReplaceable({ base, ours, theirs }: ThreeWay, by: Side): readonly string[] {
  const [side, other] = by === 'ours' ? [ours, theirs] : [theirs, ours];
  const changed = new Map<string, string>();
  for (const [path, file] of side) {
    const before = base.get(path);
    const folder = before && before.checksum !== file.checksum && other.has(path) ? containerFolder(path) : null;
    if (folder !== null) changed.set(folder, path);
  }
  const found = new Set<string>();
  for (const [path, file] of changed.size ? other : [])
    if (!isSameFile(file, base.get(path)) && !isSameFile(file, side.get(path)))
      for (const folder of enclosingContainerFolders(path)) {
        const record = changed.get(folder);
        if (record !== undefined) found.add(record);
      }
  return [...found];
}

/**
 * Finds the namespaces and datasets that a side has removed, and put others in their place, while the other side has changed or
 * added files in them; and those of one name that the sides have added each for itself.
 * @param found the result of `detectMoves`
 * @returns the side that has replaced each, by the path of its record
 */
export async function findReplacedContainers(
  state: SyncState,
  found: ThreeWay & { readonly moves: readonly Move[] },
  texts: TextReaders,
): Promise<ReadonlyMap<string, Side | 'both'>> {
  const ids = idReaders(state, found, texts, found.moves);
  const replaced = new Map<string, Side | 'both'>();
  for (const path of pathsAddedTwice(found)) {
    const [our, their] = [await ids.ours.now(path), await ids.theirs.now(path)];
    if (our !== undefined && their !== undefined && our !== their) replaced.set(path, 'both');
  }
  for (const by of ['ours', 'theirs'] as const)
    for (const path of pathsOfReplaceable(found, by)) {
      const [before, now] = [await ids[by].before(path), await ids[by].now(path)];
      if (before !== undefined && now !== undefined && before !== now) replaced.set(path, by);
    }
  return replaced;
}

/**
 * Finds the records that a side has moved to where the other one has added another of the same name. They look removed, and must
 * stay until that conflict is decided.
 * @param replaced as `findReplacedContainers` returns it
 * @returns reasons why they stay, by path
 */
export async function findMovedOntoOthers(
  state: SyncState,
  found: ThreeWay & { readonly moves: readonly Move[] },
  texts: TextReaders,
  replaced: ReadonlyMap<string, Side | 'both'>,
): Promise<ReadonlyMap<string, string>> {
  const reasons = new Map<string, string>();
  const taken = [...replaced].flatMap(([path, by]) => (by === 'both' ? [path] : []));
  if (taken.length === 0) return reasons;
  const { base, ours, theirs } = found;
  const ids = idReaders(state, found, texts, found.moves);
  const takenById = { ours: await pathsById(taken, ids.ours), theirs: await pathsById(taken, ids.theirs) };
  for (const path of base.keys()) {
    if (containerFolder(path) === null || ours.has(path) === theirs.has(path)) continue;
    const mover = ours.has(path) ? 'theirs' : 'ours';
    const id = await ids[mover].before(path);
    const to = id === undefined ? undefined : takenById[mover].get(id);
    if (to !== undefined)
      reasons.set(
        path,
        `It was moved to ${describeFilePath(to)}, where each side has another one: decide on that first.`,
      );
  }
  return reasons;
}

/** Paths of records of a side by their ids. */
const pathsById = async (paths: readonly string[], { now }: RecordIds): Promise<ReadonlyMap<number, string>> =>
  new Map(Array.from(await readIds(paths, now), ([path, id]) => [id, path]));
