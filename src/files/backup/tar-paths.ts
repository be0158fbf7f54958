/** Paths and links in a tar archive: those that stay in the folder into which the archive is unpacked. */
import { posix, win32 } from 'node:path';

/**
 * True if a path stays in the folder that it begins in. Backslashes separate names, too: they do so on Windows.
 * @param path of an entry
 */
export const isPathInside = (path: string): boolean => !isAbsolutePath(path) && !namesOf(path).includes('..');

/**
 * True if an archive holds a path as it is.
 * @param path relative to the catalogue folder
 */
export const isStorablePath = (path: string): boolean => isPathInside(archivePath(path)) && !path.includes('\n');

/** A path as it stands in a backup: a first name such as `c:` is no drive then. */
export const archivePath = (path: string): string => `./${path}`;

/**
 * True if a link can't leave the folder, whatever it leads through. `..` comes first only, where it leaves real folders:
 * after the name of another link, it would leave the folder that this one leads to.
 * @param path of the link, as that of an entry
 */
export function isTargetInside(path: string, target: string): boolean {
  const names = namesOf(target).filter((name) => name !== '' && name !== '.');
  const up = names.findIndex((name) => name !== '..');
  if (isAbsolutePath(target) || (up !== -1 && names.includes('..', up))) return false;
  const resolved = posix.join(posix.dirname(path), names.join('/'));
  return resolved !== '..' && !resolved.startsWith('../');
}

/** Of Windows, too: `c:x` would be relative to the current folder of the drive. */
const isAbsolutePath = (path: string): boolean => win32.parse(path).root !== '';

const namesOf = (path: string): readonly string[] => path.split(/[\\/]/);
