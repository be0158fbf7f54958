/** Restoring a catalogue folder from a backup. Nothing outside of the folder is written, whatever the archive says. */
import { createReadStream, existsSync } from 'node:fs';
import { chmod, lstat, mkdir, readdir, rename, rm, stat, symlink } from 'node:fs/promises';
import { dirname, join, posix } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { extract, type ReadEntry } from 'tar';
import { ConflictError, NotFoundError, UnusableCatalogueError } from '../../catalogue/errors.ts';
import { landmarks, privateFolder } from '../../catalogue/layout.ts';
import {
  errorCode,
  flushFolderToDisk,
  flushTreeToDisk,
  isTemporaryFile,
  removeAbandonedTemporaries,
  temporaryName,
  temporaryPathBeside,
  unreadableText,
} from '../../disk/durable.ts';
import { withLock } from '../../disk/lock.ts';
import { moveOrCopyFile } from '../../disk/move.ts';
import { toUnavailableError } from '../../disk/not-writable.ts';
import { inheritOwnerOfTree } from '../../disk/owner.ts';
import { keepOutOfGit, makeFolderInPrivateFolder } from '../../disk/private-folder.ts';
import { AccountsAdapter, accountsPath } from '../accounts/accounts-file.ts';
import { removeTimeline } from '../replica/timeline.ts';
import { abandonedAfter } from './backup.ts';
import type { SkippedEntry } from './listing.ts';
import { assertShowsNoMore } from './shown-again.ts';
import { isPathInside, isTargetInside } from './tar-paths.ts';

export interface RestoreOptions {
  /** True to restore into a folder that has files, or passwords and tokens: those of the backup replace them, and others stay. */
  readonly force?: boolean | undefined;
  /** True to restore only the passwords and tokens, into an existing catalogue. */
  readonly accounts?: boolean | undefined;
}

/**
 * Restores a backup. A new folder appears as a whole. An existing folder isn't replaced, and keeps its owner and permissions: it may be
 * a volume, or this user may not be able to make another one there. All files are on disk when the promise resolves.
 * @returns entries of the archive that were skipped: links that leave the folder, and what is no file
 * @throws ConflictError if the folder isn't empty, has passwords or tokens that would be replaced, its private folder is a link that leads nowhere, or more people would see what was made private since; NotFoundError; UnusableCatalogueError if the file is not a backup
 */
export async function restoreBackup(
  file: string,
  root: string,
  { force = false, accounts = false }: RestoreOptions = {},
): Promise<readonly SkippedEntry[]> {
  const found = await readdir(root).catch((error) => {
    if (errorCode(error) !== 'ENOENT') throw error;
    return null;
  });
  const present = (found ?? []).filter((name) => !isTemporaryFile(name));
  if (accounts && !present.some((name) => (landmarks as readonly string[]).includes(name)))
    throw new UnusableCatalogueError(`${root} is not a catalogue, and --accounts restores passwords and tokens only.`);
  if (!accounts && !force && present.length > 0)
    throw new ConflictError(
      `${root} isn't empty (${present[0]} is in it). Name a new folder, or restore into this one with --force.`,
    );
  await assertLinkLeadsSomewhere(join(root, privateFolder));
  if (accounts && !force) await assertNoAccounts(root);
  await removeAbandonedTemporaries(found ? root : dirname(root), abandonedAfter);
  const staging = found ? join(root, temporaryName()) : temporaryPathBeside(root);
  try {
    await mkdir(staging, { recursive: true, mode: 0o700 });
    const skipped = await unpack(file, staging);
    const names = await readdir(staging);
    if (!names.some((name) => (landmarks as readonly string[]).includes(name))) throw notABackup(file);
    await chmod(join(staging, privateFolder), 0o700).catch(() => {});
    await chmod(join(staging, accountsPath), 0o600).catch(() => {});
    // An existing folder keeps its own .gitignore, which may have been changed.
    if (!existsSync(join(root, privateFolder, '.gitignore'))) await keepOutOfGit(staging);
    await inheritOwnerOfTree(staging);
    await flushTreeToDisk(staging);
    if (found && !accounts) assertShowsNoMore(staging, root, file);
    if (accounts) await moveAccounts(staging, root, file);
    else if (found) {
      await removeTimeline(root);
      await moveInto(staging, root, privateFolder);
    } else {
      await rename(staging, root);
      await chmod(root, 0o755);
      await flushFolderToDisk(dirname(root));
    }
    return skipped;
  } catch (error) {
    throw toUnavailableError(error, root);
  } finally {
    // After a broken archive, files may still be written for a moment, so that the folder isn't empty at once.
    await rm(staging, { recursive: true, force: true, maxRetries: 5 });
  }
}

/** @throws ConflictError for a link that leads nowhere: what it leads to may be mounted later, and would be hidden then */
async function assertLinkLeadsSomewhere(path: string): Promise<void> {
  const [link, target] = await Promise.all([lstat, stat].map((stats) => stats(path).catch(() => null)));
  if (link?.isSymbolicLink() && !target)
    throw new ConflictError(
      `${path} is a link that leads nowhere. Mount its disk, or remove the link, and restore again.`,
    );
}

const notABackup = (file: string) =>
  new UnusableCatalogueError(`${file} is not a backup of a catalogue: make one with "catalogue backup FILE".`);

const damagedBackup = (file: string) =>
  new UnusableCatalogueError(
    `${file} ends too early or is damaged. Nothing was restored: copy the file again from where it was made, or take another backup.`,
  );

/** Errors of zlib for a compressed file that begins as it should: it was cut off, or changed later on. */
const isOfDamagedFile = (code: string): boolean => code === 'Z_BUF_ERROR' || code === 'Z_DATA_ERROR';

/** Unpacks an archive into an empty folder. @returns entries that were skipped */
async function unpack(file: string, cwd: string): Promise<readonly SkippedEntry[]> {
  const skipped: SkippedEntry[] = [];
  const links = new Map<string, string>();
  const reasonToSkip = makeEntryCheck(links);
  const filter = (path: string, entry: unknown) => {
    const reason = reasonToSkip(entry as ReadEntry);
    if (reason !== null) skipped.push({ path: posix.normalize(path), reason });
    return reason === null && (entry as ReadEntry).type !== 'SymbolicLink';
  };
  try {
    // A file that repeats the same bytes is compressed to a thousandth of its size: the ratio says nothing.
    const options = {
      cwd,
      filter,
      strict: true,
      preserveOwner: false,
      maxDecompressionRatio: Number.POSITIVE_INFINITY,
    };
    await pipeline(createReadStream(file), extract(options));
    return [...skipped, ...(await makeLinks(cwd, links))];
  } catch (error) {
    const [code, isOfFile] = [errorCode(error), (error as NodeJS.ErrnoException).path === file];
    if (isOfFile && code === 'ENOENT') throw new NotFoundError(`There is no file ${file}.`);
    if (isOfDamagedFile(code)) throw damagedBackup(file);
    if (/^(TAR_BAD_ARCHIVE|TAR_ENTRY_INVALID|TAR_ABORT|Z_|EISDIR)/.test(code)) throw notABackup(file);
    if (code.startsWith('TAR_'))
      throw new UnusableCatalogueError(`${file} can't be unpacked: ${(error as Error).message}. Nothing was restored.`);
    if (isOfFile) throw new UnusableCatalogueError(unreadableText(file, error));
    throw error;
  }
}

/**
 * Makes the links when all files are unpacked, so that none is written through a link. A link may lead to another one, which
 * `tar` refuses. The deepest come first: where upper and lower case are the same, the folder of one may have the name of another.
 * @returns links that were skipped
 */
async function makeLinks(cwd: string, links: ReadonlyMap<string, string>): Promise<readonly SkippedEntry[]> {
  const skipped: SkippedEntry[] = [];
  const depth = (path: string) => path.split('/').length;
  for (const [path, target] of [...links].sort(([a], [b]) => depth(b) - depth(a))) {
    await mkdir(dirname(join(cwd, path)), { recursive: true });
    await symlink(target, join(cwd, path)).catch((error) => {
      if (errorCode(error) !== 'EEXIST') throw error;
      skipped.push({ path, reason: 'it is a link, and a file or folder has the same name' });
    });
  }
  return skipped;
}

const fileTypes: readonly string[] = ['File', 'OldFile', 'ContiguousFile', 'Directory', 'GNUDumpDir'];

/**
 * A function that says why an entry of an archive is not restored; null if it is. It is called with all entries, in their
 * order. Older backups have links that leave the folder.
 * @param links to which the targets of symbolic links are added, by path
 */
function makeEntryCheck(links: Map<string, string>): (entry: ReadEntry) => string | null {
  const isBelowLink = (path: string): boolean => path !== '.' && (links.has(path) || isBelowLink(posix.dirname(path)));
  return ({ path: given, type, linkpath = '' }) => {
    const path = posix.normalize(given).replace(/\/$/, '');
    if (!isPathInside(given)) return 'its path leaves the folder';
    if (isBelowLink(posix.dirname(path))) return 'it lies behind a link';
    if (type === 'SymbolicLink') {
      if (!isTargetInside(path, linkpath)) return 'it is a link that leaves the folder';
      links.set(path, linkpath);
      return null;
    }
    if (type === 'Link') {
      const isSafe = isPathInside(linkpath) && !isBelowLink(posix.normalize(linkpath));
      return isSafe ? null : 'it is a link to a file outside of the folder';
    }
    return fileTypes.includes(type) ? null : 'it is neither a file nor a folder';
  };
}

/** Checks that no passwords and tokens would be replaced. A damaged file has none that work. @throws ConflictError */
async function assertNoAccounts(root: string): Promise<void> {
  const found = await new AccountsAdapter(root).read().catch((error) => {
    if (error instanceof UnusableCatalogueError) return null;
    throw error;
  });
  if (!found || found.passwords.length + found.tokens.length === 0) return;
  throw new ConflictError(
    `${root} has passwords or tokens. With --force, those of the backup replace them: what was made since is gone then, and ` +
      'tokens that were revoked since are valid again.',
  );
}

async function moveAccounts(staging: string, root: string, file: string): Promise<void> {
  await makeFolderInPrivateFolder(root);
  // A server that notes the use of a token meanwhile would write the former ones back.
  const move = () => moveOrCopyFile(join(staging, accountsPath), join(root, accountsPath), { replace: true });
  await withLock(root, accountsPath, move).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'ENOENT') throw error;
    throw new UnusableCatalogueError(`${file} has no passwords and no tokens.`);
  });
}

/**
 * Moves files and folders into a folder: each replaces the file or link that is there, and folders are merged.
 * @param followed name of the folder that may be a link to one, into which its files are moved then
 */
async function moveInto(from: string, to: string, followed?: string): Promise<void> {
  const entries = await readdir(from, { withFileTypes: true });
  // A record comes before the folders beside it: datasets of a namespace are never there without the record that hides them.
  for (const entry of entries.sort((a, b) => Number(a.isDirectory()) - Number(b.isDirectory()))) {
    const [source, target] = [join(from, entry.name), join(to, entry.name)];
    const there = await (entry.name === followed ? stat : lstat)(target).catch(() => null);
    if (there?.isDirectory() && !entry.isDirectory())
      throw new ConflictError(
        `${target} is a folder, and a file in the backup. Move the folder away, and restore again.`,
      );
    if (there?.isDirectory()) await moveInto(source, target);
    else {
      if (there && entry.isDirectory()) await rm(target);
      await rename(source, target).catch((error) => {
        if (errorCode(error) !== 'EXDEV') throw error;
        return moveOrCopyFile(source, target, { replace: true });
      });
    }
  }
  await flushFolderToDisk(to);
}
