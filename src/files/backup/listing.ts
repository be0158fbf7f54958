/**
 * What a backup holds: the files, folders and links of a catalogue folder, listed within moments. Records are read at once,
 * so that what they say of each other fits together; payloads are read later, when the archive needs them.
 */
import { isUtf8 } from 'node:buffer';
import {
  closeSync,
  constants,
  fstatSync,
  lstatSync,
  openSync,
  readdirSync,
  readSync,
  type Stats,
  statSync,
} from 'node:fs';
import { basename, join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { UnavailableError } from '../../catalogue/errors.ts';
import { isPayloadPath, maxRecordSize, privateFolder } from '../../catalogue/layout.ts';
import { errorCode, isTemporaryFile, unreadableText } from '../../disk/durable.ts';
import { accountsPath } from '../accounts/accounts-file.ts';
import { isAbsent } from '../tree/file-tree.ts';
import { storedTarget } from './links.ts';
import { isStorablePath } from './tar-paths.ts';

/** A file, folder or link for a backup. */
export interface ListedEntry {
  /** Relative to the catalogue folder. */
  readonly path: string;
  readonly stats: Stats;
  /** The bytes of a file that was read already. */
  readonly content?: Buffer;
  /** Where a link leads, relative to its folder. */
  readonly target?: string;
}

/** A file or link that is not in a backup, or was not restored. */
export interface SkippedEntry {
  readonly path: string;
  /** As the end of a sentence: `it is a FIFO`. */
  readonly reason: string;
}

export interface Listing {
  readonly entries: readonly ListedEntry[];
  readonly skipped: readonly SkippedEntry[];
}

/**
 * Parts of the private folder that are made anew, or mean something only to running processes or in the git repository of the
 * folder, which isn't in the backup.
 */
const leftOut = [
  '.gitignore',
  'cache',
  'import',
  'locks',
  'schemas',
  'journal',
  'changes.ndjson',
  'timeline',
  'commits',
].map((name) => `${privateFolder}/${name}`);

/** What the program reads also through a link that leaves the folder: a backup holds the folder or file itself in place of such a link. */
const followed: readonly string[] = [privateFolder, accountsPath];

/** True if a file or folder belongs into a backup. */
const isKept = (path: string): boolean =>
  !leftOut.includes(path) && path !== '.git' && !isTemporaryFile(basename(path));

/** Size of the records that are kept in memory until they are written, in bytes; more are read later, as payloads are. */
const mostInMemory = 256 * 1024 * 1024;
/** A listing is repeated if something was added, renamed or removed meanwhile, up to this number of times. */
const attempts = 5;

/** Lists a catalogue folder. @throws UnavailableError if a part can't be read; Error with code ENOENT if there is no folder */
export async function listForBackup(root: string): Promise<Listing> {
  for (let attempt = 1; ; attempt++) {
    const started = statSync(root);
    const listing = list(root);
    if (attempt === attempts || (isUnchanged(root, started) && areFoldersUnchanged(root, listing))) return listing;
    // Ctrl-C is noticed in between.
    await setImmediate();
  }
}

function list(root: string): Listing {
  const [entries, skipped]: [ListedEntry[], SkippedEntry[]] = [[], []];
  let room = mostInMemory;
  for (const { path, stats } of walk(root, (one) => skipped.push(one))) {
    if (stats.isDirectory()) entries.push({ path, stats });
    else if (stats.isSymbolicLink()) {
      const target = storedTarget(root, path);
      if (typeof target === 'string') entries.push({ path, stats, target });
      else skipped.push({ path, reason: target.reason });
    } else if (!stats.isFile()) skipped.push({ path, reason: `it is a ${kindOf(stats)}` });
    else if (stats.size > Math.min(room, maxRecordSize) || isPayloadPath(path)) entries.push({ path, stats });
    else {
      const file = readSmallFile(root, path);
      room -= file?.content?.length ?? 0;
      if (file) entries.push({ path, ...file });
    }
  }
  return { entries, skipped };
}

const areFoldersUnchanged = (root: string, { entries }: Listing): boolean =>
  entries.every(({ path, stats }) => !stats.isDirectory() || isUnchanged(join(root, path), stats));

/** True if a folder is the same, and nothing in it was added, renamed or removed. */
function isUnchanged(folder: string, before: Stats): boolean {
  const now = statSync(folder, { throwIfNoEntry: false });
  return now?.ino === before.ino && now.mtimeMs === before.mtimeMs;
}

/**
 * All entries of a folder, each folder before what is in it. What vanishes meanwhile is left out.
 * @param skip called for an entry whose name an archive can't hold
 * @throws UnavailableError if a folder can't be read
 */
export function* walk(
  root: string,
  skip: (entry: SkippedEntry) => void = () => {},
  folder = '',
): Generator<{ readonly path: string; readonly stats: Stats }> {
  for (const name of namesIn(root, folder)) {
    const path = `${folder}${name.toString()}`;
    if (!isKept(path)) continue;
    if (!isUtf8(name) || !isStorablePath(path)) {
      skip({ path, reason: 'its name is not UTF-8, or has a line break or ".." in it' });
      continue;
    }
    const stats = statsOf(root, path);
    if (!stats) continue;
    yield { path, stats };
    if (stats.isDirectory()) yield* walk(root, skip, `${path}/`);
  }
}

function namesIn(root: string, folder: string): readonly Buffer[] {
  try {
    return readdirSync(join(root, folder), { encoding: 'buffer' }).sort(Buffer.compare);
  } catch (error) {
    if (isAbsent(error) && folder !== '') return [];
    throw unreadableError(folder, error);
  }
}

/** What is at a path; null if it has vanished. @throws UnavailableError */
function statsOf(root: string, path: string): Stats | null {
  try {
    return (followed.includes(path) ? statSync : lstatSync)(join(root, path), { throwIfNoEntry: false }) ?? null;
  } catch (error) {
    throw unreadableError(path, error);
  }
}

/** Identity of the content of a file: it stays the same when the file is renamed or moved within its file system. */
export const identityOf = ({ dev, ino, size, mtimeMs }: Stats): string => `${dev}:${ino}:${size}:${mtimeMs}`;

/** Opens a regular file; null if the path has no file, or a link. @throws UnavailableError if it can't be read */
export function openFile(root: string, path: string): { readonly descriptor: number; readonly stats: Stats } | null {
  const noLink = followed.includes(path) ? 0 : constants.O_NOFOLLOW;
  try {
    const descriptor = openSync(join(root, path), constants.O_RDONLY | constants.O_NONBLOCK | noLink);
    const stats = fstatSync(descriptor);
    if (stats.isFile()) return { descriptor, stats };
    closeSync(descriptor);
    return null;
  } catch (error) {
    if (isAbsent(error) || ['ELOOP', 'ENXIO'].includes(errorCode(error))) return null;
    throw unreadableError(path, error);
  }
}

/** Bytes of an open file from a place on; fewer than asked for at its end. @throws UnavailableError */
export function readBytes(descriptor: number, length: number, position: number, path: string): Buffer {
  const bytes = Buffer.allocUnsafe(length);
  try {
    return bytes.subarray(0, readSync(descriptor, bytes, 0, length, position));
  } catch (error) {
    throw unreadableError(path, error);
  }
}

/** A small file with its bytes, or without them if it is being written; null if it has vanished. */
function readSmallFile(root: string, path: string): Pick<ListedEntry, 'stats' | 'content'> | null {
  const file = openFile(root, path);
  if (!file) return null;
  const { descriptor, stats } = file;
  try {
    const content = readBytes(descriptor, stats.size, 0, path);
    return content.length === stats.size ? { stats, content } : { stats };
  } finally {
    closeSync(descriptor);
  }
}

function kindOf(stats: Stats): string {
  if (stats.isFIFO()) return 'FIFO';
  return stats.isSocket() ? 'socket' : 'device';
}

const unreadableError = (path: string, error: unknown): UnavailableError =>
  new UnavailableError(unreadableText(path || 'The catalogue folder', error), { cause: error });
