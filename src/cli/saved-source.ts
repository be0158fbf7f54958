/** Sources in catalogue.yaml: those that are files or folders are saved by their path from the catalogue's folder. */
import { existsSync } from 'node:fs';
import { realpath } from 'node:fs/promises';
import { basename, dirname, join, relative, resolve, sep } from 'node:path';

const isUrl = (source: string): boolean => /^https?:\/\//i.test(source);

/**
 * A source as it is saved.
 * @param source URL; or path of a file or folder, from the current one
 * @param root absolute path of the catalogue's folder
 */
export async function savedSource(source: string, cwd: string, root: string): Promise<string> {
  if (isUrl(source)) return source;
  const path = resolve(cwd, source);
  // A symbolic link stays as it is: it may always lead to the newest delivery.
  const place = join(await realpath(dirname(path)), basename(path));
  return relative(await realpath(root), place).replaceAll(sep, '/') || '.';
}

/**
 * The source to import for a saved one. A path is relative to the catalogue's folder; if there is no such file, to the current folder:
 * older versions saved such paths, and people write them.
 */
export async function importedSource(saved: string, cwd: string, root: string): Promise<string> {
  if (isUrl(saved)) return saved;
  const path = resolve(await realpath(root), saved);
  const typed = resolve(cwd, saved);
  return !existsSync(path) && existsSync(typed) ? typed : path;
}
