/**
 * Notes of git commits that are still to be made: a file each in `.catalogue/commits`, from before a write is acknowledged until
 * it is committed. A server that was killed leaves them, and the next one makes their commits.
 */
import { hash } from 'node:crypto';
import { readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { privateFolder } from '../../catalogue/layout.ts';
import { inheritOwner } from '../../disk/owner.ts';
import { makeFolderInPrivateFolder } from '../../disk/private-folder.ts';
import { markPattern, writerMark, writerState } from '../../disk/writer.ts';
import type { PendingCommit } from './commit.ts';

const folderName = 'commits';
const notePattern = new RegExp(`^\\d{15}-\\d{9}\\.(${markPattern.source})\\.json$`);
/** Age in milliseconds from which a note is left, if it isn't known whether its server runs: on another machine, or in another container. */
const aMinute = 60_000;

let count = 0;

interface Note extends Omit<PendingCommit, 'date' | 'texts'> {
  readonly date: string;
  /** Paths of records, and the SHA-256 of each text. */
  readonly texts: readonly (readonly [path: string, hash: string])[];
}

/** Writes a note of a commit. The texts of records are in their files, so it has their hashes. @returns its path */
export async function noteCommit(root: string, { date, texts, ...others }: PendingCommit): Promise<string> {
  const folder = await makeFolderInPrivateFolder(root, folderName);
  const order = `${String(date.getTime()).padStart(15, '0')}-${String(count++).padStart(9, '0')}`;
  const path = join(folder, `${order}.${writerMark}.json`);
  const hashes = [...texts].map(([record, text]) => [record, hash('sha256', text)] as const);
  const note: Note = { ...others, date: date.toISOString(), texts: hashes };
  await writeFile(path, `${JSON.stringify(note)}\n`, { flag: 'wx', mode: 0o600 });
  inheritOwner(path);
  return path;
}

/** Removes the note of a commit that is made, or not needed. If it can't be removed, git finds nothing to commit next time. */
export const removeCommitNote = (path: string): Promise<void> => rm(path, { force: true }).catch(() => {});

/** Paths of the notes that servers which have ended left, in the order of their writes. */
export async function listLeftNotes(root: string): Promise<readonly string[]> {
  const folder = join(root, privateFolder, folderName);
  const names = await readdir(folder).catch((): string[] => []);
  const left: string[] = [];
  for (const name of names.sort()) if (await isLeft(folder, name)) left.push(join(folder, name));
  return left;
}

async function isLeft(folder: string, name: string): Promise<boolean> {
  const mark = notePattern.exec(name)?.[1];
  if (mark === undefined) return false;
  const state = writerState(mark);
  if (state !== 'unknown') return state === 'ended';
  const stats = await stat(join(folder, name)).catch(() => null);
  return stats !== null && stats.mtimeMs < Date.now() - aMinute;
}

/** The commit of a note, with those texts that the records still have. @throws Error if the note was cut off, or is gone */
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
