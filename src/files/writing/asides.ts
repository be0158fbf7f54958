/**
 * New files and folders of records under temporary names: they are written, and get their names once they are on disk. A thread
 * can do that as well: arguments and results are as plain as a message between threads.
 */
import { existsSync, linkSync, mkdirSync, renameSync, unlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { enclosingContainerFolders } from '../../catalogue/layout.ts';
import { temporaryPathBeside } from '../../disk/durable.ts';
import { inheritOwner } from '../../disk/owner.ts';
import { type FolderStamps, stampsAfterNaming, stampsBeforeNaming } from './written-folder.ts';

export interface NewRecord {
  /** Relative to the catalogue folder. */
  readonly path: string;
  readonly text: string;
}

/** A new file, or a new folder with everything in it, under a temporary name. */
export interface Aside<Record extends NewRecord = NewRecord> {
  /** Absolute paths. */
  readonly temporary: string;
  readonly target: string;
  readonly isFolder: boolean;
  readonly records: readonly Record[];
}

/** How an aside got its name: with the stamps of its folder, if they are asked for and could be taken; null if it didn't. */
export type Naming = { readonly stamps: FolderStamps | null } | null;

/** An aside for each new folder, and for each new file in an existing one. */
export function planAsides<Record extends NewRecord>(
  root: string,
  records: readonly Record[],
): readonly Aside<Record>[] {
  const groups = new Map<string, Record[]>();
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

/** The files and folders of an aside, under its temporary name; a folder before what is in it. */
export function pathsOfAside(root: string, { temporary, target, isFolder, records }: Aside): readonly string[] {
  const paths = new Set(isFolder ? [temporary] : []);
  for (const { path } of records) {
    const file = temporary + join(root, path).slice(target.length);
    if (isFolder) paths.add(dirname(file));
    paths.add(file);
  }
  return [...paths];
}

/** The texts of the records of asides in their order, as bytes: a thread needn't copy them. */
export interface PackedTexts {
  readonly bytes: Uint8Array<ArrayBuffer>;
  /** Where each text ends. */
  readonly ends: readonly number[];
}

export function packTexts(asides: readonly Aside[]): PackedTexts {
  const texts = asides.flatMap(({ records }) => records.map(({ text }) => text));
  const size = texts.reduce((sum, text) => sum + Buffer.byteLength(text), 0);
  // In memory of its own, which can be moved to a thread.
  const bytes = Buffer.from(new ArrayBuffer(size));
  let at = 0;
  const ends = texts.map((text) => {
    at += bytes.write(text, at);
    return at;
  });
  return { bytes, ends };
}

/** Writes asides. @returns true for each that was written */
export function writeAsides(
  root: string,
  asides: readonly Aside[],
  { bytes, ends }: PackedTexts = packTexts(asides),
): readonly boolean[] {
  let count = 0;
  return asides.map((aside) => {
    const first = count;
    count += aside.records.length;
    try {
      writeAside(root, aside, (i) => bytes.subarray(ends[first + i - 1] ?? 0, ends[first + i]));
      return true;
    } catch {
      return false;
    }
  });
}

/** @param bytesOf the text of a record by its index, as bytes */
function writeAside(
  root: string,
  { temporary, target, isFolder, records }: Aside,
  bytesOf: (i: number) => Uint8Array,
): void {
  const made = new Set<string>();
  const makeFolder = (folder: string) => {
    if (made.has(folder)) return;
    mkdirSync(folder);
    inheritOwner(folder);
    made.add(folder);
  };
  if (isFolder) makeFolder(temporary);
  for (const [i, { path }] of records.entries()) {
    const file = temporary + join(root, path).slice(target.length);
    if (isFolder) makeFolder(dirname(file));
    writeFileSync(file, bytesOf(i), { flag: 'wx' });
    inheritOwner(file);
  }
}

/**
 * Gives asides their names. One that can't get it has its temporary name still.
 * @param withStamps true to look at the stamps of folders
 * @param stop its first element is set if no more names may be given
 */
export function nameAsides(
  root: string,
  asides: readonly Aside[],
  withStamps: boolean,
  stop: Int32Array,
): readonly Naming[] {
  return asides.map((aside) => {
    if (Atomics.load(stop, 0)) return null;
    const isStamped = withStamps && aside.isFolder;
    const stamps = isStamped ? stampsBeforeNaming(root, aside, pathsOfAside(root, aside)) : null;
    if (!giveName(aside)) return null;
    return { stamps: stamps && stampsAfterNaming(root, aside.target, stamps) };
  });
}

function giveName({ temporary, target, isFolder }: Aside): boolean {
  try {
    // A link fails where the target exists; so does the rename of a folder, unless the target is an empty one.
    if (isFolder) renameSync(temporary, target);
    else linkSync(temporary, target);
  } catch {
    // A thread that died may have done it.
    return !existsSync(temporary) && existsSync(target);
  }
  try {
    if (!isFolder) unlinkSync(temporary);
  } catch {
    // The record has its name. A leftover name is removed with those of crashed writers.
  }
  return true;
}
