/** Changes of a catalogue between two commits, or since one: units whose files differ are read from both sides. */
import { compareSnapshots, type EntityChange } from '../../catalogue/changes.ts';
import type { Diagnostic } from '../../catalogue/diagnostic.ts';
import { kindAndRefOfPath, parseRecordFileName } from '../../catalogue/layout.ts';
import type { RecordKind } from '../../catalogue/schemas.ts';
import { parseRecordText } from '../../text/parse.ts';
import { readUnits, type UnitsRead, unitsAtPaths } from '../reading/read-unit.ts';
import { validateRecord } from '../reading/validate-record.ts';
import { DiskTree } from '../tree/disk-tree.ts';
import { type FileTree, lfsPointer } from '../tree/file-tree.ts';
import { GitTree } from '../tree/git-tree.ts';
import { type NamedCommit, parseCommitRange, pathsChangedInGit, translateGitErrors } from './refs.ts';
import { type ComparisonOptions, RowComparison } from './row-changes.ts';

export interface ChangesSince {
  readonly from: NamedCommit;
  /** Null for the working tree, with uncommitted changes. */
  readonly to: NamedCommit | null;
  readonly things: readonly EntityChange[];
  /** Records that are broken on one side. They are not compared, so `things` lacks their changes. */
  readonly unreadable: readonly Diagnostic[];
}

export interface ChangesOptions extends ComparisonOptions {
  /** True to compare rows, too; default true. */
  readonly rows?: boolean | undefined;
}

/**
 * Compares two states of a catalogue in git.
 * @param root the catalogue folder
 * @param range a commit to compare the working tree with, or two commits: see `parseCommitRange`
 * @throws NotFoundError if there is no such commit, or the folder is in no repository; UnavailableError if git fails;
 *   the signal's reason
 */
export async function compareGitStates(
  root: string,
  range: string,
  options: ChangesOptions = {},
): Promise<ChangesSince> {
  const { from, to } = await translateGitErrors(() => parseCommitRange(root, range));
  const paths = await translateGitErrors(() => pathsChangedInGit(root, from.commit, to ?? 'working tree'));
  const units = unitsAtPaths(paths);
  const treeAt = async ({ commit }: NamedCommit) => {
    const tree = await GitTree.open(root, { commit });
    await tree.load(units.values());
    return tree;
  };
  const [before, after] = await translateGitErrors(async () => [await treeAt(from), to && (await treeAt(to))] as const);
  const trees = [before, after ?? workingTree(new DiskTree(root))];
  const unread = trees.flatMap((tree) => unreadableRecords(tree, readUnits(tree, units.values())));
  for (const { path } of unread) for (const key of unitsAtPaths([path]).keys()) units.delete(key);
  const [old, now] = trees.map((tree) => readUnits(tree, units.values()).snapshot);
  if (!old || !now) throw new TypeError('Two trees are compared.');
  const things = compareSnapshots(old, now);
  if (options.rows === false) return { from, to, things, unreadable: unread };
  const rows = new RowComparison(root, { before, after }, options);
  return { from, to, things: await translateGitErrors(() => rows.addRowChanges(things, old, now)), unreadable: unread };
}

/** The working tree, in which a Git LFS pointer counts as its payload, with the payload's size: as in a commit. */
function workingTree(folder: DiskTree): FileTree {
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

/** A diagnostic for each record that can't be read. A missing payload does not make its record unreadable. */
function unreadableRecords(tree: FileTree, { states }: UnitsRead): readonly Diagnostic[] {
  return states.flatMap(({ diagnostics }) =>
    diagnostics.flatMap(([path, [problem]]) => (problem && !isReadable(tree, path) ? [problem] : [])),
  );
}

function isReadable(tree: FileTree, path: string): boolean {
  const { kind } = kindAndRefOfPath(path);
  const name = parseRecordFileName(path);
  if (!name || kind === 'unknown' || kind === 'payload') return true;
  try {
    const parsed = parseRecordText(tree.read(path)?.text ?? '', name.format);
    return 'value' in parsed && 'value' in validateRecord(kind as RecordKind, parsed.value);
  } catch {
    return false;
  }
}
