/** Owners of files, for tests that root runs: others can't give files away. */
import { lstatSync, readdirSync } from 'node:fs';
import { join } from 'node:path';

/** A user and a group who needn't exist. */
export const [service, group] = [65_534, 12_345] as const;

/** Paths below a folder that have another owner than this user and group. */
export function foreignIn(root: string): readonly string[] {
  const paths = readdirSync(root, { recursive: true }).map(String);
  return paths.filter((path) => {
    const { uid, gid } = lstatSync(join(root, path));
    return uid !== service || gid !== group;
  });
}
