/**
 * Catalogue in git, read like a folder on disk, without a checkout: the tree of a commit, or the index. All names are
 * read at once; the content of files is read for the units that are needed (`load`).
 */
import { ConflictError } from '../../catalogue/errors.ts';
import {
  datasetFolder,
  isPayloadPath,
  maxRecordSize,
  parseRecordFileName,
  recordPaths,
  type Unit,
} from '../../catalogue/layout.ts';
import { type GitOptions, runGit, runGitForBytes } from '../git/git.ts';
import {
  decodeRecordText,
  type FileTree,
  lfsPointer,
  linkProblems,
  mayFollowLink,
  type Stamp,
  type TreeEntry,
  UnreadableFileError,
} from './file-tree.ts';
import { type PayloadPointer, parsePointer } from './payload-pointer.ts';

/** The tree of a commit, or an index: that of the repository (undefined), or another one (its absolute path). */
export type TreeSource = { readonly commit: string } | { readonly index: string | undefined };

interface Blob {
  readonly id: string;
  readonly isLink: boolean;
  /** Why a link isn't followed; without it, it leads nowhere. */
  readonly problem?: string;
}

/** Maximum size of a Git LFS pointer, in bytes (git-lfs.com/spec). */
const largestPointer = 1024;
/** Number of blobs in one call of git: some tens of megabytes at most. */
const batch = 2000;
/** Links that are followed for one path, as on Linux. */
const maxLinks = 40;
/** Files that links may add to a tree, beside as many as it has. */
const maxLinkedFiles = 100_000;

/** Environment variables that make git use an index. */
export const gitIndexEnvironment = (index: string | undefined): NodeJS.ProcessEnv =>
  index === undefined ? {} : { GIT_INDEX_FILE: index };

export class GitTree implements FileTree {
  readonly #root: string;
  readonly #blobs: Map<string, Blob>;
  readonly #folders: ReadonlyMap<string, readonly TreeEntry[]>;
  /** By id of the blob. */
  readonly #sizes = new Map<string, number>();
  readonly #bytes = new Map<string, Buffer>();

  private constructor(root: string, blobs: Map<string, Blob>) {
    this.#root = root;
    this.#blobs = blobs;
    this.#folders = foldersOf(blobs.keys());
  }

  /**
   * Opens a tree. Its paths are relative to a folder of the working tree.
   * @param root path of the folder
   * @throws GitError; ConflictError if a merge left a file of the index in conflict, or links lead to too many files
   */
  static async open(root: string, source: TreeSource): Promise<GitTree> {
    const output =
      'commit' in source
        ? await runGit(root, ['ls-tree', '-r', '-z', source.commit, '--', '.'])
        : await runGit(root, ['ls-files', '-s', '-z', '--', '.'], { env: gitIndexEnvironment(source.index) });
    const blobs = new Map<string, Blob>();
    for (const entry of output.split('\0')) {
      // `<mode> blob <id>\t<path>` of a tree, `<mode> <id> <stage>\t<path>` of an index.
      const tab = entry.indexOf('\t');
      const [mode = '', ...rest] = entry.slice(0, Math.max(0, tab)).split(' ');
      const [id = '', stage] = 'commit' in source ? rest.slice(1) : rest;
      const path = entry.slice(tab + 1);
      if (Number(stage) > 0) throw new ConflictError(`${path} is in conflict: resolve it, then "git add" it.`);
      if (mode.startsWith('100')) blobs.set(path, { id, isLink: false });
      else if (mode === '120000') blobs.set(path, { id, isLink: true });
    }
    const links = [...blobs].filter(([, { isLink }]) => isLink);
    if (links.length) await followLinks(root, blobs, links);
    return new GitTree(root, blobs);
  }

  /** Reads the files of units, before the units themselves are read. */
  async load(units: Iterable<Unit>): Promise<void> {
    const wanted = new Set<string>();
    for (const unit of units)
      for (const path of this.#pathsOf(unit)) {
        const id = this.#blobs.get(path)?.id;
        if (id !== undefined && (parseRecordFileName(path) || isPayloadPath(path))) wanted.add(id);
      }
    const sizes = await this.#runBatches(['cat-file', '--batch-check=%(objectname) %(objectsize)'], wanted, parseLines);
    for (const [id, size] of sizes) this.#sizes.set(id, Number(size));
    const payloads = new Set<string>();
    for (const [path, { id }] of this.#blobs) if (isPayloadPath(path)) payloads.add(id);
    const small = [...wanted].filter(
      (id) => (this.#sizes.get(id) ?? 0) <= (payloads.has(id) ? largestPointer : maxRecordSize),
    );
    for (const [id, bytes] of await this.#runBatches(['cat-file', '--batch'], small, parseBlobs))
      this.#bytes.set(id, bytes);
  }

  /** Id of the blob at a path, for `git cat-file`; undefined if there is none. */
  blob(path: string): string | undefined {
    return this.#blobs.get(path)?.id;
  }

  /** Stamp of a file. Of a payload in the object store or in Git LFS it has the size that the pointer says, since it can be fetched. */
  stamp(path: string): Stamp | null {
    const blob = this.#blobs.get(path);
    if (!blob) return this.#folders.has(path) ? { ino: 0, size: 0, mtime: 0, ctime: 0 } : null;
    const size = this.#pointer(blob) ?? this.#sizes.get(blob.id) ?? 0;
    return { ino: 0, size, mtime: 0, ctime: 0 };
  }

  names(path: string): readonly TreeEntry[] {
    return this.#folders.get(path.replace(/\/$/, '')) ?? [];
  }

  isFolder(_parent: string, entry: TreeEntry): boolean {
    return entry.isDirectory();
  }

  read(path: string): { readonly text: string; readonly stamp: Stamp } | null {
    const blob = this.#blobs.get(path);
    const stamp = this.stamp(path);
    if (!blob || !stamp) return null;
    if (blob.isLink)
      throw new UnreadableFileError(blob.problem ?? 'It is a link that leads nowhere in the catalogue folder.');
    if (stamp.size > maxRecordSize)
      throw new UnreadableFileError(`It has ${stamp.size} bytes; a record has at most ${maxRecordSize}.`);
    return { text: decodeRecordText(this.#bytes.get(blob.id) ?? Buffer.alloc(0)), stamp };
  }

  isLfsPointer(): boolean {
    return false;
  }

  /** True if git has a pointer at a path, of Git LFS or to the object store, instead of the file itself. */
  isPointer(path: string): boolean {
    const blob = this.#blobs.get(path);
    return blob !== undefined && this.#pointer(blob) !== null;
  }

  /** The pointer to the object store at a path; null if there is any other file, or none. */
  storePointer(path: string): PayloadPointer | null {
    const blob = this.#blobs.get(path);
    return parsePointer((blob && this.#bytes.get(blob.id)) ?? Buffer.alloc(0));
  }

  /** Size of the file that a pointer stands for; null for any other blob. */
  #pointer({ id }: Blob): number | null {
    const bytes = this.#bytes.get(id);
    if (!bytes || bytes.length > largestPointer) return null;
    const stored = parsePointer(bytes);
    if (stored) return stored.size;
    const [found, size] = lfsPointer.exec(bytes.toString('latin1')) ?? [];
    return found && size ? Number(size) : null;
  }

  *#pathsOf(unit: Unit): Generator<string> {
    if (unit.kind === 'dataset') yield* this.#below(datasetFolder(unit.namespace, unit.slug));
    else yield* recordPaths(unit);
  }

  *#below(folder: string): Generator<string> {
    for (const entry of this.names(folder)) {
      const path = `${folder}/${entry.name}`;
      if (entry.isDirectory()) yield* this.#below(path);
      else yield path;
    }
  }

  /** Runs git for blobs, in batches. @param parse reads its output */
  async #runBatches<T>(
    args: readonly string[],
    ids: Iterable<string>,
    parse: (output: Buffer) => Iterable<readonly [id: string, value: T]>,
  ): Promise<readonly (readonly [id: string, value: T])[]> {
    const all = [...ids];
    const results: (readonly [string, T])[] = [];
    for (let start = 0; start < all.length; start += batch) {
      const options: GitOptions = { input: `${all.slice(start, start + batch).join('\n')}\n` };
      results.push(...parse(await runGitForBytes(this.#root, args, options)));
    }
    return results;
  }
}

/** Output of `cat-file --batch-check`: a line `<id> <rest>` for each. */
function* parseLines(output: Buffer): Generator<readonly [string, string]> {
  for (const line of output.toString().split('\n')) {
    const [id = '', rest = ''] = line.split(' ');
    if (id) yield [id, rest];
  }
}

/** Output of `cat-file --batch`: for each, a line `<id> <type> <size>`, the bytes, and a line break. */
function* parseBlobs(output: Buffer): Generator<readonly [string, Buffer]> {
  for (let at = 0; at < output.length; ) {
    const end = output.indexOf('\n', at);
    const [id = '', , size] = output.toString('latin1', at, end).split(' ');
    // A blob that a partial clone lacks has a line only.
    at = end + 1;
    if (size === undefined) continue;
    yield [id, output.subarray(at, at + Number(size))];
    at += Number(size) + 1;
  }
}

/** Names in each folder that is part of a path. */
function foldersOf(paths: Iterable<string>): ReadonlyMap<string, readonly TreeEntry[]> {
  const folders = new Map<string, Map<string, TreeEntry>>([['', new Map()]]);
  const add = (path: string, isFolder: boolean): void => {
    const slash = path.lastIndexOf('/');
    const home = path.slice(0, Math.max(0, slash));
    let names = folders.get(home);
    if (!names) {
      names = new Map();
      folders.set(home, names);
      add(home, true);
    }
    const name = path.slice(slash + 1);
    if (!names.has(name)) names.set(name, { name, isDirectory: () => isFolder, isSymbolicLink: () => false });
  };
  for (const path of paths) add(path, false);
  const order = (a: TreeEntry, b: TreeEntry) => (a.name < b.name ? -1 : 1);
  return new Map([...folders].map(([path, names]) => [path, [...names.values()].sort(order)]));
}

/**
 * Replaces links by what they lead to, as far as they may be followed on disk, too. Others stay links, as one to a folder that it is in.
 * @throws ConflictError if links to folders with further links would make a tree without bounds
 */
async function followLinks(
  root: string,
  blobs: Map<string, Blob>,
  links: readonly (readonly [path: string, blob: Blob])[],
): Promise<void> {
  const maxFiles = 2 * blobs.size + maxLinkedFiles;
  const targets = new Map<string, string>();
  for (const [path, { id }] of links) targets.set(path, await runGit(root, ['cat-file', 'blob', id]));
  const realOf = (path: string) => realPath(targets, path).real;
  const depth = ([path]: readonly [string, Blob]) => path.split('/').length;
  // Links in a folder before those to the folder: these show what the former lead to.
  for (const [path, blob] of [...links].sort((a, b) => depth(b) - depth(a))) {
    const { real, problem } = realPath(targets, path);
    if (real === null || !mayFollowLink(path, real, realOf)) {
      blobs.set(path, { ...blob, problem: problem ?? linkProblems.otherPart });
      continue;
    }
    const found = blobs.get(real);
    if (found) blobs.set(path, found);
    else if (!path.startsWith(`${real}/`)) {
      const within = [...blobs].filter(([other]) => other.startsWith(`${real}/`));
      if (blobs.size + within.length > maxFiles)
        throw new ConflictError(
          `${path} is a symbolic link to a folder, and with it links lead to more than ${maxFiles} files. Remove it from git.`,
        );
      for (const [other, one] of within) blobs.set(path + other.slice(real.length), one);
      if (within.length) blobs.delete(path);
    }
  }
}

/**
 * A path without links, as realpath(3), but whether there is something at its end or not.
 * @param targets the texts of all links, by path
 * @returns null in its place and the problem, if a link leads out of the folder or to itself
 */
function realPath(
  targets: ReadonlyMap<string, string>,
  path: string,
): { readonly real: string; readonly problem?: never } | { readonly real: null; readonly problem: string } {
  const parts: string[] = [];
  const rest = path.split('/');
  for (let links = 0; rest.length; ) {
    const name = rest.shift() ?? '';
    if (name === '' || name === '.') continue;
    if (name === '..') {
      if (parts.pop() === undefined) return { real: null, problem: linkProblems.outside };
      continue;
    }
    parts.push(name);
    const target = targets.get(parts.join('/'));
    if (target === undefined) continue;
    if (++links > maxLinks) return { real: null, problem: linkProblems.itself };
    if (target.startsWith('/')) return { real: null, problem: linkProblems.outside };
    parts.pop();
    rest.unshift(...target.split('/'));
  }
  return { real: parts.join('/') };
}
