/**
 * Compares stamps with a folder's files, and needs hardly any other module: a thread that does nothing else is ready soon.
 * What `DiskTree` knows more about (links, pointers in the place of payloads) counts as changed here.
 */
import { lstatSync } from 'node:fs';
import { mayBePointer } from './payload-pointer.ts';
import { isSameStamp, isTrueOfStamps, type PackedStamps, stampFrom } from './stamps.ts';

const ifExists = { throwIfNoEntry: false } as const;

/** True if all files are unchanged; false also if that takes more to know. @param root path of the catalogue folder */
export function areSurelyUnchanged(root: string, stamps: PackedStamps): boolean {
  try {
    return isTrueOfStamps(stamps, (path, stamp) => {
      const stats = lstatSync(path === '' ? root : `${root}/${path}`, ifExists);
      if (!stats || stamp === null) return !stats && stamp === null;
      if (stats.isSymbolicLink() || (mayBePointer(stats.size) && path.includes('/data/'))) return false;
      return isSameStamp(stampFrom(stats), stamp);
    });
  } catch {
    return false;
  }
}
