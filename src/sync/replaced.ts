/** Records whose name a side has given to another one: `trees` was renamed to `trees-2024`, and there is a new `trees`. */
import { forEachConcurrent } from '../catalogue/concurrency.ts';
import { enclosingContainerFolders } from '../catalogue/layout.ts';
import { isSameFile } from './extensions.ts';
import { containerFolder, type FileKind, type Files, type Side, syncFileKind, type ThreeWay } from './files.ts';
import { textsAtOnce } from './texts.ts';

/** Readers of the ids of records; undefined if the text is unknown, or has no id. */
export interface RecordIds {
  /** In the last common state. */
  before(path: string): Promise<number | undefined>;
  /** On the side. */
  now(path: string): Promise<number | undefined>;
}

/** Of more records than this, ids are not compared, since their texts would have to be read. */
export const maxIds = 500;

/**
 * The files of a side without the replaced records: at their paths are records with other ids, and their own ids are at new
 * paths. So they count as moved.
 */
export async function withoutReplacedRecords(kind: FileKind, base: Files, side: Files, ids: RecordIds): Promise<Files> {
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

/** The ids of records by path, without those that are unknown. */
async function readIds(paths: readonly string[], read: RecordIds['now']): Promise<ReadonlyMap<string, number>> {
  const ids = new Map<string, number>();
  await forEachConcurrent(paths, textsAtOnce, async (path) => {
    const id = await read(path);
    if (id !== undefined) ids.set(path, id);
  });
  return ids;
}

/** Records of namespaces and datasets that both sides have added, with different texts. */
export const pathsAddedTwice = ({ base, ours, theirs }: ThreeWay): readonly string[] =>
  [...ours].flatMap(([path, file]) =>
    !base.has(path) && theirs.has(path) && !isSameFile(file, theirs.get(path)) && containerFolder(path) !== null
      ? [path]
      : [],
  );

/** Records of namespaces and datasets that a side has changed, while the other one has changed or added files in their folders. */
export function pathsOfReplaceable({ base, ours, theirs }: ThreeWay, by: Side): readonly string[] {
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
