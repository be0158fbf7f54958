/**
 * New records that are written together: their files are written aside, synced at the same time, and then get their names;
 * each folder is synced once. A disk syncs many files in little more time than one.
 */
import {
  closeSync,
  existsSync,
  fsync,
  linkSync,
  mkdirSync,
  openSync,
  renameSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs';
import { rm } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { forEachConcurrent } from '../../catalogue/concurrency.ts';
import { flushFolderToDisk, makeFoldersDurably, temporaryPathBeside, toUnavailableError } from '../../disk/durable.ts';
import { makeRegularPause } from '../reading/event-loop.ts';
import { writeNewRecord } from './record-file.ts';

export interface NewRecord {
  /** Relative to the catalogue folder. */
  readonly path: string;
  readonly text: string;
}

/** A new file, or a new folder with its files, under a temporary name. */
interface Aside {
  /** Absolute paths. */
  readonly temporary: string;
  readonly target: string;
  readonly isFolder: boolean;
  readonly records: readonly NewRecord[];
}

/** Number of files and folders that are synced at the same time. */
const syncsAtOnce = 16;
const syncDescriptor = promisify(fsync);

/**
 * Writes the files of new records, and the folders that they need; when it returns, they are on disk. A crash leaves each
 * record whole or missing, and no empty folder of a dataset.
 * @param signal aborted if a lock is lost
 * @returns errors of the records that were not written; see `writeNewRecord`
 */
export async function writeNewRecordsTogether(
  root: string,
  records: readonly NewRecord[],
  signal: AbortSignal,
): Promise<ReadonlyMap<NewRecord, Error>> {
  const named: Aside[] = [];
  const errors = new Map<NewRecord, Error>();
  const asides = planAsides(root, records);
  const failed = await writeAndSync(asides);
  const pause = makeRegularPause();
  for (const aside of asides) {
    if (!failed.has(aside) && !signal.aborted && giveName(aside)) named.push(aside);
    else failed.add(aside);
    await pause();
  }
  await forEachConcurrent(
    groupBy(named, ({ target }) => dirname(target)),
    syncsAtOnce,
    async ([folder, inside]) => {
      await flushFolderToDisk(folder).catch((error) => {
        for (const { target, records } of inside)
          for (const record of records) errors.set(record, toUnavailableError(error, target) as Error);
      });
    },
  );
  for (const { temporary, records } of failed) {
    await rm(temporary, { recursive: true, force: true }).catch(() => {});
    // Alone it is written after all, or the reason is found: the disk is full, or another program has made the file.
    for (const record of records)
      await writeNewRecord(root, record.path, record.text, signal).catch((error) => errors.set(record, error));
  }
  return errors;
}

/** An aside for each new folder, and for each new file in an existing one. */
function planAsides(root: string, records: readonly NewRecord[]): readonly Aside[] {
  return [...groupBy(records, ({ path }) => dirname(join(root, path)))].flatMap(
    ([folder, inside]): readonly Aside[] => {
      if (!existsSync(folder))
        return [{ temporary: temporaryPathBeside(folder), target: folder, isFolder: true, records: inside }];
      return inside.map((record) => {
        const target = join(root, record.path);
        return { temporary: temporaryPathBeside(target), target, isFolder: false, records: [record] };
      });
    },
  );
}

/** Writes all asides, then syncs them. @returns those that failed */
async function writeAndSync(asides: readonly Aside[]): Promise<Set<Aside>> {
  const failed = new Set<Aside>();
  const pause = makeRegularPause();
  const written: [Aside, number[]][] = [];
  for (const aside of asides) {
    const descriptors: number[] = [];
    written.push([aside, descriptors]);
    try {
      if (aside.isFolder && !existsSync(dirname(aside.target))) await makeFoldersDurably(dirname(aside.target));
      writeAside(aside, descriptors);
    } catch {
      failed.add(aside);
    }
    await pause();
  }
  await forEachConcurrent(written, syncsAtOnce, async ([aside, descriptors]) => {
    try {
      for (const descriptor of descriptors) await syncDescriptor(descriptor);
      if (aside.isFolder) await flushFolderToDisk(aside.temporary);
    } catch {
      failed.add(aside);
    } finally {
      for (const descriptor of descriptors) closeSync(descriptor);
    }
  });
  return failed;
}

/** @param descriptors gets those of the files, which stay open to be synced */
function writeAside({ temporary, isFolder, records }: Aside, descriptors: number[]): void {
  if (isFolder) mkdirSync(temporary);
  for (const { path, text } of records) {
    const descriptor = openSync(isFolder ? join(temporary, basename(path)) : temporary, 'wx');
    descriptors.push(descriptor);
    writeFileSync(descriptor, text);
  }
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

function groupBy<T>(items: Iterable<T>, key: (item: T) => string): ReadonlyMap<string, T[]> {
  const groups = new Map<string, T[]>();
  for (const item of items) {
    const group = groups.get(key(item));
    if (group) group.push(item);
    else groups.set(key(item), [item]);
  }
  return groups;
}
