/** What lies where something is to be written, as it is on disk at that moment. */

import { lstatSync, readFileSync, realpathSync } from 'node:fs';
import { dirname, sep } from 'node:path';
import { ConflictError, StaleError } from '../../catalogue/errors.ts';
import { withExtensions } from '../../catalogue/layout.ts';
import { codeOf, toUnavailable } from '../../disk/durable.ts';
import type { DiskTree } from '../tree/disk-tree.ts';
import { hasFile } from '../tree/file-tree.ts';
import { mustBeSound } from '../writing/guard.ts';
import type { RecordPlace } from './place.ts';
import type { Access } from './rights.ts';
import { sumOf } from './sums.ts';

/**
 * The bytes of a record; null where there is none.
 * @throws ConflictError where something else is there
 */
export function bytesAt(folder: DiskTree, path: string): Buffer | null {
  mustStayWithin(folder, path);
  const absolute = folder.absolute(path);
  try {
    const stats = lstatSync(absolute, { throwIfNoEntry: false });
    if (!stats) return null;
    if (!stats.isFile()) throw new ConflictError(`${path} is no file of its own: put one in its place by hand.`);
    return readFileSync(absolute);
  } catch (error) {
    if (['ENOENT', 'ENOTDIR'].includes(codeOf(error))) return null;
    throw toUnavailable(error, absolute);
  }
}

/**
 * Looks at a record under its lock, the last time before it is written, moved or removed.
 * @param seen its checksum as far as the writer knows; null where there is none
 * @returns its bytes; null where there is none
 * @throws StaleError where it is another; ConflictError where it is broken, unless it is staff who have seen just that
 */
export function asSeen({ files, viewer }: Access, { path, ref }: RecordPlace, ifMatch: string | null): Buffer | null {
  const now = bytesAt(files.store.tree, path);
  const sum = now && sumOf(now);
  if (sum !== null && !(viewer.staff && sum === ifMatch)) mustBeSound(files, ref.kind, path);
  if (sum !== ifMatch) throw new StaleError();
  return now;
}

/** @throws ConflictError where a file with another extension makes the same record. */
export function mustBeAlone(folder: DiskTree, { path, stem }: RecordPlace): void {
  const other = withExtensions(stem).find((candidate) => candidate !== path && hasFile(folder, candidate));
  if (other !== undefined)
    throw new ConflictError(`${path} and ${other} are the same record: there may be one of them.`);
}

/**
 * No link leads what is written out of the catalogue, or into what is hidden in it.
 * @throws ConflictError
 */
export function mustStayWithin(folder: DiskTree, path: string): void {
  const root = realpathSync.native(folder.root);
  for (let home = dirname(folder.absolute(path)); home.length > folder.root.length; home = dirname(home)) {
    let real: string;
    try {
      real = realpathSync.native(home);
    } catch (error) {
      // A link that leads nowhere isn't absent. What is absent, or was made by another just now, is looked for from above.
      if (codeOf(error) === 'ENOENT' && !lstatSync(home, { throwIfNoEntry: false })?.isSymbolicLink()) continue;
      throw leads(path);
    }
    if (!real.startsWith(root + sep) || real.includes(`${sep}.`, root.length)) throw leads(path);
    return;
  }
}

const leads = (path: string) =>
  new ConflictError(`A link on the way to ${path} leads elsewhere: put a folder in its place.`);
