/** What changed in a catalogue since a commit: the units whose files differ are read as they were and as they are. */
import { changesBetween, type ThingChange } from '../../catalogue/changes.ts';
import { parseRecordName, recordAt } from '../../catalogue/layout.ts';
import type { RecordKind } from '../../catalogue/schemas.ts';
import type { Diagnostic } from '../../catalogue/types.ts';
import { checkRecord } from '../../catalogue/validators.ts';
import { parseRecord } from '../../text/parse.ts';
import { readUnits, type UnitsRead, unitsAt } from '../reading/read-unit.ts';
import { DiskTree } from '../tree/disk-tree.ts';
import { type FileTree, lfsPointer } from '../tree/file-tree.ts';
import { GitTree } from '../tree/git-tree.ts';
import { asking, changedPaths, type NamedCommit, rangeOf } from './refs.ts';
import { RowComparison } from './row-changes.ts';

export interface ChangesSince {
  readonly from: NamedCommit;
  /** Null is the working tree, with what isn't committed. */
  readonly to: NamedCommit | null;
  readonly things: readonly ThingChange[];
  /** Files that are broken on one side: what changed in them isn't known, and is not among the rest. */
  readonly unread: readonly Diagnostic[];
}

export interface ChangesOptions {
  /** Whether rows are compared too; default true. */
  readonly rows?: boolean | undefined;
  readonly signal?: AbortSignal | undefined;
  readonly onProgress?: ((done: number, total: number) => void) | undefined;
}

/**
 * What changed.
 * @param root the catalogue folder
 * @param range a commit that the working tree is compared with, or two: see `rangeOf`
 * @throws NotFoundError where git knows no such commit, or nothing of the folder; UnavailableError where git fails;
 *   the signal's reason
 */
export async function changesSince(root: string, range: string, options: ChangesOptions = {}): Promise<ChangesSince> {
  const { from, to } = await asking(() => rangeOf(root, range));
  const paths = await asking(() => changedPaths(root, from.commit, to ?? 'working tree'));
  const units = unitsAt(paths);
  const treeAt = async ({ commit }: NamedCommit) => {
    const tree = await GitTree.open(root, { commit });
    await tree.load(units.values());
    return tree;
  };
  const [before, after] = await asking(async () => [await treeAt(from), to && (await treeAt(to))] as const);
  const sights = [before, after ?? seenThrough(new DiskTree(root))];
  const unread = sights.flatMap((sight) => brokenIn(sight, readUnits(sight, units.values())));
  for (const { path } of unread) for (const key of unitsAt([path]).keys()) units.delete(key);
  const [old, now] = sights.map((sight) => readUnits(sight, units.values()).snapshot);
  if (!old || !now) throw new TypeError('There are two sides.');
  const things = changesBetween(old, now);
  if (options.rows === false) return { from, to, things, unread };
  const rows = new RowComparison(root, { before, after }, options);
  return { from, to, things: await asking(() => rows.addTo(things, old, now)), unread };
}

/** The working tree, where the pointer of a payload that Git LFS hasn't fetched is taken for the payload, as in git. */
function seenThrough(folder: DiskTree): FileTree {
  return {
    names: (path) => folder.names(path),
    isFolder: (parent, entry) => folder.isFolder(parent, entry),
    read: (path) => folder.read(path),
    isLfsPointer: () => false,
    stamp(path) {
      const stamp = folder.stamp(path);
      if (!stamp || !folder.isLfsPointer(path)) return stamp;
      const [, size] = lfsPointer.exec(folder.read(path)?.text ?? '') ?? [];
      return size ? { ...stamp, size: Number(size) } : stamp;
    },
  };
}

/** The files that can't be read as records. A payload that is missing makes none of them. */
function brokenIn(sight: FileTree, { states }: UnitsRead): readonly Diagnostic[] {
  return states.flatMap(({ diagnostics }) =>
    diagnostics.flatMap(([path, [problem]]) => (problem && !isSound(sight, path) ? [problem] : [])),
  );
}

function isSound(sight: FileTree, path: string): boolean {
  const { kind } = recordAt(path);
  const name = parseRecordName(path);
  if (!name || kind === 'unknown' || kind === 'payload') return true;
  try {
    const parsed = parseRecord(sight.read(path)?.text ?? '', name.format);
    return 'value' in parsed && 'value' in checkRecord(kind as RecordKind, parsed.value);
  } catch {
    return false;
  }
}
