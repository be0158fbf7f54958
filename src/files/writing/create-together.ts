/**
 * New records that are written together: their files are written aside, synced at the same time, and then get their names;
 * each folder is synced once. A disk syncs many files in little more time than one.
 */
import { existsSync, linkSync, mkdirSync, renameSync, unlinkSync, writeFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { enclosingContainerFolders } from '../../catalogue/layout.ts';
import { makeFoldersDurably, temporaryPathBeside, toUnavailableError } from '../../disk/durable.ts';
import { makeRegularPause } from '../reading/event-loop.ts';
import type { PlannedStep } from './plan.ts';
import { writeNewRecord } from './record-file.ts';
import { syncTogether } from './sync-together.ts';
import type { WriteContext } from './write-context.ts';
import {
  type FolderStamps,
  passTickSince,
  stampsAfterNaming,
  stampsBeforeNaming,
  type WrittenFolders,
} from './written-folder.ts';

export interface NewRecord {
  /** Relative to the catalogue folder. */
  readonly path: string;
  readonly text: string;
}

/** A new file, or a new folder with everything in it, under a temporary name. */
interface Aside {
  /** Absolute paths. */
  readonly temporary: string;
  readonly target: string;
  readonly isFolder: boolean;
  readonly records: readonly NewRecord[];
}

/**
 * Writes the files of new records, and the folders that they need; when it returns, they are on disk. A crash leaves each
 * record whole or missing, and no empty folder of a dataset.
 * @param records a dataset before its versions
 * @param signal aborted if a lock is lost
 * @param folders collects the folders that were written whole
 * @returns errors of the records that were not written; see `writeNewRecord`
 */
export async function writeNewRecordsTogether(
  root: string,
  records: readonly NewRecord[],
  signal: AbortSignal,
  folders?: WrittenFolders,
): Promise<ReadonlyMap<NewRecord, Error>> {
  const errors = new Map<NewRecord, Error>();
  const asides = planAsides(root, records);
  const failed = new Set<Aside>();
  const written = new Map<string, Aside>();
  const pathsOf = new Map<Aside, ReadonlySet<string>>();
  const pause = makeRegularPause();
  for (const aside of asides) {
    try {
      if (aside.isFolder && !existsSync(dirname(aside.target))) await makeFoldersDurably(dirname(aside.target));
      const paths = writeAside(root, aside);
      for (const path of paths) written.set(path, aside);
      pathsOf.set(aside, paths);
    } catch {
      failed.add(aside);
    }
    await pause();
  }
  const writtenAt = Date.now();
  await syncTogether(root, [...written.keys()], (path) => failed.add(written.get(path) as Aside));
  if (folders && asides.some(({ isFolder }) => isFolder)) await passTickSince(writtenAt);
  const named: Aside[] = [];
  const stamps = new Map<Aside, FolderStamps | null>();
  for (const aside of asides) {
    const isReady = !failed.has(aside) && !signal.aborted;
    if (isReady && folders && aside.isFolder)
      stamps.set(aside, stampsBeforeNaming(root, aside, pathsOf.get(aside) ?? []));
    if (isReady && giveName(aside)) named.push(aside);
    else failed.add(aside);
    await pause();
  }
  await syncTogether(root, [...new Set(named.map(({ target }) => dirname(target)))], (folder, error) => {
    for (const { target, records } of named.filter(({ target }) => dirname(target) === folder))
      for (const record of records) errors.set(record, toUnavailableError(error, target) as Error);
  });
  for (const aside of named) {
    const before = stamps.get(aside);
    const after = before && stampsAfterNaming(root, aside, before);
    if (after) folders?.set(after[0]?.[0] ?? '', after);
    await pause();
  }
  for (const aside of failed) await writeOneByOne(root, aside, signal, errors);
  return errors;
}

/**
 * Writes the records of steps that add one record each, if there are several.
 * @param folders collects the folders that were written whole
 * @returns true for each step that is done, or its error
 */
export async function writeNewRecordsOfSteps(
  root: string,
  steps: readonly PlannedStep[],
  context: WriteContext,
  signal: AbortSignal,
  folders?: WrittenFolders,
): Promise<ReadonlyMap<PlannedStep, true | Error>> {
  const outcomes = new Map<PlannedStep, true | Error>();
  const news = new Map(
    steps.flatMap((step) => {
      const [action, ...others] = step.actions;
      // The credentials of an earlier user are removed first.
      const isNew = action?.do === 'create' && others.length === 0 && action.ref.kind !== 'user';
      return isNew ? [[action, step] as const] : [];
    }),
  );
  if (news.size < 2) return outcomes;
  const errors = await writeNewRecordsTogether(root, [...news.keys()], signal, folders);
  for (const [action, step] of news) {
    const error = errors.get(action);
    if (!error) context.wrote(action.path, action.text);
    outcomes.set(step, error ?? true);
  }
  return outcomes;
}

/** An aside for each new folder, and for each new file in an existing one. */
function planAsides(root: string, records: readonly NewRecord[]): readonly Aside[] {
  const groups = new Map<string, NewRecord[]>();
  const newFolders = new Set<string>();
  for (const record of records) {
    const path = join(root, record.path);
    const folder = dirname(path);
    // The versions of a new dataset are written with it.
    const dataset = dirname(join(root, enclosingContainerFolders(record.path)[0] ?? '', 'x'));
    const target = newFolders.has(dataset) ? dataset : folder;
    if (!newFolders.has(target) && !existsSync(target)) newFolders.add(target);
    const key = newFolders.has(target) ? target : path;
    const group = groups.get(key);
    if (group) group.push(record);
    else groups.set(key, [record]);
  }
  return [...groups].map(([target, inside]) => {
    return { temporary: temporaryPathBeside(target), target, isFolder: newFolders.has(target), records: inside };
  });
}

/** Writes an aside. @returns the files and folders to sync, a folder before what is in it */
function writeAside(root: string, { temporary, target, isFolder, records }: Aside): ReadonlySet<string> {
  const paths = new Set<string>();
  const makeFolder = (folder: string) => {
    if (!paths.has(folder)) mkdirSync(folder);
    paths.add(folder);
  };
  if (isFolder) makeFolder(temporary);
  for (const { path, text } of records) {
    const file = temporary + join(root, path).slice(target.length);
    if (isFolder) makeFolder(dirname(file));
    writeFileSync(file, text, { flag: 'wx' });
    paths.add(file);
  }
  return paths;
}

/** Gives an aside its name. @returns false if it can't: then it has a temporary name still */
function giveName({ temporary, target, isFolder }: Aside): boolean {
  try {
    // A link fails where the target exists; so does the rename of a folder, unless the target is an empty one.
    if (isFolder) renameSync(temporary, target);
    else linkSync(temporary, target);
  } catch {
    return false;
  }
  try {
    if (!isFolder) unlinkSync(temporary);
  } catch {
    // The record has its name. A leftover name is removed with those of crashed writers.
  }
  return true;
}

/**
 * Writes the records of an aside that failed. Alone they are written after all, or the reason is found: the disk is full, or
 * another program has made the file.
 */
async function writeOneByOne(
  root: string,
  { temporary, target, records }: Aside,
  signal: AbortSignal,
  errors: Map<NewRecord, Error>,
): Promise<void> {
  await rm(temporary, { recursive: true, force: true }).catch(() => {});
  let datasetError: Error | undefined;
  for (const record of records) {
    const isInside = dirname(dirname(join(root, record.path))) === target;
    try {
      if (isInside && datasetError) throw datasetError;
      await writeNewRecord(root, record.path, record.text, signal);
    } catch (error) {
      errors.set(record, error as Error);
      if (!isInside) datasetError = error as Error;
    }
  }
}
