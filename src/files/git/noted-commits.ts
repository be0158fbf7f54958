/**
 * Notes of git commits that are still to be made: a file each in `.catalogue/commits`. A note is begun with the first change of a
 * write, under its lock, completed before the write is acknowledged, and removed when the commit is made. A server that was killed
 * leaves them, and the next one makes their commits. By their names, servers on one folder see in which order they wrote.
 */
import { hash } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { privateFolder } from '../../catalogue/layout.ts';
import { errorCode } from '../../disk/durable.ts';
import { inheritOwner } from '../../disk/owner.ts';
import { makeFolderInPrivateFolder } from '../../disk/private-folder.ts';
import { markPattern, writerMark, writerState } from '../../disk/writer.ts';
import { PathSet, type PendingCommit } from './pending-commit.ts';

const folderName = 'commits';
const notePattern = new RegExp(`^\\d{15}-\\d{9}\\.(${markPattern.source})(\\.failed)?\\.json$`);
/** Age in milliseconds from which a note is left, if it isn't known whether its server runs: on another machine, or in another container. */
const aMinute = 60_000;

interface Note extends Omit<PendingCommit, 'date' | 'texts'> {
  readonly date: string;
  /** Paths of records, and the SHA-256 of each text. */
  readonly texts: readonly (readonly [path: string, hash: string])[];
}

/** Makes the folder of the notes. A write is made without a note if it can't be. */
export const makeNotesFolder = (root: string): Promise<unknown> =>
  makeFolderInPrivateFolder(root, folderName).catch(() => {});

/**
 * Begins the note of a write. It is written at once, so that its place in the order is known before another server may change the
 * same file.
 * @param path the first path that the write changes
 * @returns the path of the note; null if it can't be written
 */
export function beginNote(root: string, date: Date, path: string): string | null {
  // The clock of all processes of a machine, for writes of one millisecond.
  const nanoseconds = process.hrtime.bigint() % 1_000_000_000n;
  const order = `${String(date.getTime()).padStart(15, '0')}-${String(nanoseconds).padStart(9, '0')}`;
  const note = join(root, privateFolder, folderName, `${order}.${writerMark}.json`);
  try {
    writeFileSync(note, `${JSON.stringify({ paths: [path] })}\n`, { flag: 'wx', mode: 0o600 });
    inheritOwner(note);
    return note;
  } catch {
    return null;
  }
}

/** Completes the note of a write. The texts of records are in their files, so it has their hashes. @returns its path; null if it can't be written */
export async function completeNote(note: string, { date, texts, ...others }: PendingCommit): Promise<string | null> {
  const hashes = [...texts].map(([record, text]) => [record, hash('sha256', text)] as const);
  const complete: Note = { ...others, date: date.toISOString(), texts: hashes };
  return await writeFile(note, `${JSON.stringify(complete)}\n`).then(
    () => note,
    () => null,
  );
}

/** Notes that a commit has failed, and is tried again some time later: other servers don't wait for it. @returns the new path of the note */
export async function noteFailure(note: string): Promise<string> {
  // Nobody waits for a server that has ended.
  if (!note.endsWith(`.${writerMark}.json`)) return note;
  const failed = note.replace(/json$/, 'failed.json');
  return await rename(note, failed).then(
    () => failed,
    () => note,
  );
}

/** Removes the note of a commit that is made, or not needed. If it can't be removed, git finds nothing to commit next time. */
export const removeCommitNote = (path: string): Promise<void> => rm(path, { force: true }).catch(() => {});

/** Paths of the notes that servers which have ended left, in the order of their writes. */
export async function listLeftNotes(root: string): Promise<readonly string[]> {
  const left: string[] = [];
  for (const note of await listNotes(root)) if (await isLeft(note)) left.push(note);
  return left;
}

async function listNotes(root: string): Promise<readonly string[]> {
  const folder = join(root, privateFolder, folderName);
  const names = await readdir(folder).catch((): string[] => []);
  return names
    .filter((name) => notePattern.test(name))
    .sort()
    .map((name) => join(folder, name));
}

async function isLeft(note: string): Promise<boolean> {
  const state = writerState(notePattern.exec(basename(note))?.[1] ?? '');
  if (state !== 'unknown') return state === 'ended';
  const stats = await stat(note).catch(() => null);
  return stats !== null && stats.mtimeMs < Date.now() - aMinute;
}

/** A commit that a running server will make. */
export interface AwaitedCommit {
  /** Its files and folders, with records; null if they aren't known yet. */
  readonly paths: PathSet | null;
  /** SHA-256 of the texts of records, by path. */
  readonly texts: ReadonlyMap<string, string>;
  /** True if the write has ended. */
  readonly isComplete: boolean;
}

/**
 * The commits that running servers will make, in the order of their writes; without those that have failed.
 * @param note that of the commit which asks, and is left out
 * @param earlier true for those before it only
 */
export async function listAwaitedCommits(
  root: string,
  note: string | null,
  earlier: boolean,
): Promise<readonly AwaitedCommit[]> {
  const own = note === null ? '' : basename(note);
  const awaited: AwaitedCommit[] = [];
  for (const other of await listNotes(root)) {
    const name = basename(other);
    if (earlier && name >= own) break;
    if (name === own || name.endsWith('.failed.json') || (await isLeft(other))) continue;
    const commit = await readAwaitedCommit(other);
    if (commit) awaited.push(commit);
  }
  return awaited;
}

/** The commit of a note; null if it is made. */
async function readAwaitedCommit(note: string): Promise<AwaitedCommit | null> {
  try {
    const { message, paths = [], texts = [] } = JSON.parse(await readFile(note, 'utf8')) as Partial<Note>;
    const all = new PathSet([...paths, ...texts.map(([path]) => path)]);
    return { paths: all, texts: new Map(texts), isComplete: message !== undefined };
  } catch (error) {
    // A note that is just being written has no JSON.
    return errorCode(error) === 'ENOENT' ? null : { paths: null, texts: new Map(), isComplete: false };
  }
}

/**
 * The commit of a note, with those texts that the records still have.
 * @throws Error if the note is gone, was cut off, or its write hadn't ended
 */
export async function readCommitNote(root: string, path: string): Promise<PendingCommit> {
  const { date, texts, ...others } = JSON.parse(await readFile(path, 'utf8')) as Note;
  const unchanged = new Map<string, string>();
  for (const [record, hashed] of texts) {
    const text = await readFile(join(root, record), 'utf8').catch(() => null);
    // Another text is that of a later write, or of a person.
    if (text !== null && hash('sha256', text) === hashed) unchanged.set(record, text);
  }
  return { ...others, date: new Date(date), texts: unchanged };
}
