/** Facts about a catalogue folder and its file system, for `catalogue doctor`. Changes nothing. */
import { constants, existsSync, readFileSync, statSync } from 'node:fs';
import { access, lstat, readdir, stat, statfs } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { landmarks, privateFolder } from '../catalogue/layout.ts';
import { isAbandonedTemporary, isForbidden, isTemporaryFile } from '../disk/durable.ts';
import { type AccountsData, accountsPath, readAccounts } from './accounts/accounts-file.ts';
import { pollingReason, systemWatchLimit, watchBudget } from './following/watch-budget.ts';
import { watchedFoldersOfUnit } from './following/watchers.ts';
import { GitError, runGit } from './git/git.ts';
import { cachePath, readUnitStateCache } from './reading/cache.ts';
import { listRecordNames } from './reading/scan.ts';
import { findUnreadableTrash } from './writing/trash.ts';

const anHour = 3_600_000;

/** File systems that other machines can change without a notification. */
const sharedTypes = /^(nfs|cifs|smb|9p|fuse\.(sshfs|rclone|s3fs)|vboxsf|virtiofs|drvfs|ceph|glusterfs)/;

export interface FolderDiagnosis {
  /** The system's error code, such as EACCES; null if the folder can be read. */
  readonly readError: string | null;
  /** The system's error code; null if the folder can be written. */
  readonly writeError: string | null;
  /** True if a .gitattributes in the folder or above it keeps files in Git LFS. */
  readonly usesLfs: boolean;
  /** Null if the folder can't be read. */
  readonly state: FolderState | null;
}

export interface FolderState {
  readonly fileSystem: FileSystem;
  readonly accounts: AccountsFile | null;
  /** True if there are users, and none of them has a password or a token. */
  readonly lacksCredentials: boolean;
  /** `isClosed` is true if this user may not look into it. */
  readonly privateFolder: {
    readonly path: string;
    readonly isClosed: boolean;
    readonly inGit: 'tracked' | 'ignored' | 'not ignored' | null;
  };
  /** Number of temporary files that killed writers have left. */
  readonly leftovers: number;
  /** Entries of the trash that can't be listed, as paths relative to the catalogue folder. */
  readonly unreadableTrash: readonly string[];
  readonly cache: { readonly size: number; readonly modified: Date; readonly isUsable: boolean } | null;
  readonly watches: WatchNeeds;
}

export interface FileSystem {
  /** Such as ext4; null if it isn't known. */
  readonly type: string | null;
  /** True if other machines may write to it. */
  readonly isShared: boolean;
  /** True if upper and lower case are the same in names. */
  readonly ignoresCase: boolean;
  /** In bytes. */
  readonly free: number;
}

export interface AccountsFile {
  /** Relative to the catalogue folder. */
  readonly path: string;
  /** Permission bits. */
  readonly mode: number;
  /** User id of its owner. */
  readonly owner: number;
  /** What is wrong with its contents, or that they can't be read; null if nothing is. The server doesn't start otherwise. */
  readonly error: string | null;
}

export interface WatchNeeds {
  /** Number of folders to be watched. */
  readonly needed: number;
  /** Number of folders that may be watched. */
  readonly budget: number;
  /** The system's limits for this user; null if there is none, or it can't be read. */
  readonly watchLimit: number | null;
  readonly instanceLimit: number | null;
  /** The consequence and the remedy if more folders are needed than may be watched; null otherwise. */
  readonly shortage: string | null;
}

/** @param root absolute path of the folder */
export async function collectFolderFacts(root: string): Promise<FolderDiagnosis> {
  const errorOf = (mode: number) =>
    access(root, mode).then(
      () => null,
      (error: NodeJS.ErrnoException) => error.code ?? 'no permission',
    );
  const readError = await errorOf(constants.R_OK | constants.X_OK);
  const usesLfs = isLfsConfigured(root);
  if (readError !== null) return { readError, writeError: readError, usesLfs, state: null };
  const accounts = await readAccounts(root).catch((error: Error) => error);
  const hasUsers = (await listRecordNames(root, { kind: 'user' })).length > 0;
  const state: FolderState = {
    fileSystem: await fileSystemOf(root),
    accounts: await accountsFile(root, accounts instanceof Error ? accounts.message : null),
    lacksCredentials: hasUsers && !(accounts instanceof Error) && !hasCredentials(accounts),
    privateFolder: {
      path: privateFolder,
      isClosed: await readdir(join(root, privateFolder)).then(() => false, isForbidden),
      inGit: await gitStateOf(root, privateFolder),
    },
    leftovers: await countLeftovers(root),
    unreadableTrash: await findUnreadableTrash(root).catch(() => []),
    cache: await cacheOf(root),
    watches: await watchNeedsOf(root),
  };
  return { readError, writeError: await errorOf(constants.W_OK), usesLfs, state };
}

async function fileSystemOf(root: string): Promise<FileSystem> {
  const type = fileSystemType(root);
  const { bavail, bsize } = await statfs(root);
  const name = landmarks.find((one) => existsSync(join(root, one)));
  const upper = name && join(root, name.toUpperCase());
  return {
    type,
    isShared: type !== null && sharedTypes.test(type),
    ignoresCase: Boolean(name && upper && existsSync(upper) && statSync(join(root, name)).ino === statSync(upper).ino),
    free: bavail * bsize,
  };
}

/** The type of the mounted file system that the folder is in; null if it isn't known. */
function fileSystemType(root: string): string | null {
  if (process.platform !== 'linux') return null;
  try {
    const mounts = readFileSync('/proc/self/mounts', 'utf8')
      .split('\n')
      .map((line) => line.split(' '))
      .map(([, at = '', type = '']) => ({ at: at.replace(/\\040/g, ' '), type }))
      .filter(({ at }) => at !== '' && `${root}/`.startsWith(at === '/' ? '/' : `${at}/`));
    // Of several at one path, the last one counts.
    return (
      mounts.reduce((best, one) => (one.at.length >= best.at.length ? one : best), { at: '', type: '' }).type || null
    );
  } catch {
    return null;
  }
}

async function accountsFile(root: string, error: string | null): Promise<AccountsFile | null> {
  const found = await stat(join(root, accountsPath)).catch(() => null);
  return found && { path: accountsPath, mode: found.mode & 0o777, owner: found.uid, error };
}

const hasCredentials = (accounts: AccountsData | null): boolean =>
  accounts !== null && accounts.passwords.length + accounts.tokens.length > 0;

/** The state of a folder in git; null outside of a repository. */
async function gitStateOf(root: string, folder: string): Promise<'tracked' | 'ignored' | 'not ignored' | null> {
  const output = (...args: string[]) =>
    runGit(root, args).catch((error) => (error instanceof GitError && error.exitCode === 1 ? '' : null));
  const tracked = await output('ls-files', '--', folder);
  if (tracked === null) return null;
  if (tracked !== '') return 'tracked';
  return (await output('check-ignore', `${folder}/accounts.json`)) === '' ? 'not ignored' : 'ignored';
}

async function countLeftovers(root: string): Promise<number> {
  let count = 0;
  const folders = [root];
  for (let folder = folders.pop(); folder !== undefined; folder = folders.pop())
    for (const entry of await readdir(folder, { withFileTypes: true }).catch(() => [])) {
      const path = join(folder, entry.name);
      if (isTemporaryFile(entry.name)) count += Number(await isAbandonedTemporary(path, anHour));
      else if (entry.isDirectory() && (entry.name === privateFolder || !entry.name.startsWith('.'))) folders.push(path);
    }
  return count;
}

async function cacheOf(root: string): Promise<FolderState['cache']> {
  const found = await lstat(cachePath(root)).catch(() => null);
  if (!found) return null;
  return { size: found.size, modified: found.mtime, isUsable: (await readUnitStateCache(root)).length > 0 };
}

async function watchNeedsOf(root: string): Promise<WatchNeeds> {
  const namespaces = await listRecordNames(root, { kind: 'namespace' });
  let datasets = 0;
  for (const namespace of namespaces) datasets += (await listRecordNames(root, { kind: 'dataset', namespace })).length;
  return countWatchesNeeded(datasets, namespaces.length);
}

/** Number of folders to watch for a catalogue of a given size, and the system's limits. */
export function countWatchesNeeded(datasets: number, namespaces: number): WatchNeeds {
  const foldersPer = (unit: Parameters<typeof watchedFoldersOfUnit>[0]) => watchedFoldersOfUnit(unit).length;
  const needed =
    foldersPer({ kind: 'settings' }) +
    namespaces * foldersPer({ kind: 'namespace', slug: '' }) +
    datasets * foldersPer({ kind: 'dataset', namespace: '', slug: '' });
  const budget = watchBudget();
  return {
    needed,
    budget,
    watchLimit: systemWatchLimit(),
    instanceLimit: numberIn('/proc/sys/fs/inotify/max_user_instances'),
    shortage: needed > budget ? pollingReason(needed, budget) : null,
  };
}

function numberIn(path: string): number | null {
  try {
    return Number.parseInt(readFileSync(path, 'latin1'), 10);
  } catch {
    return null;
  }
}

/** True if a .gitattributes in the folder or above it keeps files in Git LFS. */
export function isLfsConfigured(folder: string): boolean {
  for (let at = resolve(folder); ; at = dirname(at)) {
    const path = join(at, '.gitattributes');
    if (existsSync(path) && /^[^#\n]*\bfilter=lfs\b/m.test(readFileSync(path, 'utf8'))) return true;
    if (existsSync(join(at, '.git')) || dirname(at) === at) return false;
  }
}
