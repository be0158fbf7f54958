/**
 * Files that iCloud Drive has taken off the disk, to save space: a file `.NAME.icloud` stands for NAME until it is downloaded
 * again (macOS before 14). They were not removed.
 */
import { existsSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';

/** Paths of the files, among some that are missing, that have such a placeholder. @param paths relative to the folder */
export const findCloudPlaceholders = (root: string, paths: Iterable<string>): ReadonlySet<string> =>
  new Set([...paths].filter((path) => existsSync(join(root, dirname(path), `.${basename(path)}.icloud`))));
