/** Symbolic links in a backup: one that leads to a place in the catalogue folder becomes relative, and leads there after a restore. */
import { isUtf8 } from 'node:buffer';
import { readlinkSync, realpathSync } from 'node:fs';
import { dirname, isAbsolute, join, posix, relative, resolve, sep } from 'node:path';
import { privateFolder } from '../../catalogue/layout.ts';
import { isTargetInside } from './tar-paths.ts';

/**
 * Where a link of the catalogue folder leads, relative to its own folder.
 * @returns the target; or the reason why a backup doesn't hold the link: the program doesn't follow it either
 */
export function storedTarget(root: string, path: string): string | { readonly reason: string } {
  const target = readTarget(join(root, path));
  if (target === null) return { reason: 'it is a link to a name that is not UTF-8, or has a line break in it' };
  const place = placeInside(root, path, target);
  if (place === null) return { reason: 'it is a link that leaves the catalogue folder, and is not followed' };
  const home = placeOutsideTrash(path);
  if (isTargetInside(home, target)) return target;
  return posix.relative(posix.dirname(home), placeOutsideTrash(place)) || '.';
}

/** Text of a link; null if it is not UTF-8, has a line break, or is gone. */
function readTarget(absolute: string): string | null {
  try {
    const bytes = readlinkSync(absolute, { encoding: 'buffer' });
    return isUtf8(bytes) && !bytes.includes('\n') ? bytes.toString() : null;
  } catch {
    return null;
  }
}

/** Path in the catalogue folder to which a link leads, also if nothing is there; null if it leads out. */
function placeInside(root: string, path: string, target: string): string | null {
  const realRoot = realpathSync.native(root);
  const real = realPathOf(join(root, path));
  if (real !== null) return relativeInside(realRoot, real);
  if (!isAbsolute(target)) return relativeInside(realRoot, resolve(realRoot, dirname(path), target));
  return relativeInside(realRoot, target) ?? relativeInside(resolve(root), target);
}

function relativeInside(folder: string, absolute: string): string | null {
  const path = relative(folder, absolute);
  return path === '..' || path.startsWith(`..${sep}`) || isAbsolute(path) ? null : path.replaceAll(sep, '/');
}

function realPathOf(absolute: string): string | null {
  try {
    return realpathSync.native(absolute);
  } catch {
    return null;
  }
}

/** The path to which `trash restore` moves a file; that of the file itself outside of the trash. */
function placeOutsideTrash(path: string): string {
  const [first, second, , ...rest] = path.split('/');
  return first === privateFolder && second === 'trash' && rest.length > 0 ? posix.join(...rest) : path;
}
