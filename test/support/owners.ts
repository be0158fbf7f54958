/** Owners of files, for tests that root runs: others can't give files away. */
import { chmodSync, chownSync, lstatSync, readdirSync } from 'node:fs';
import { dirname, join } from 'node:path';

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

/** Runs work as the user of a folder, who isn't root: permissions mean nothing to root. */
export async function asOtherUser(root: string, work: () => Promise<unknown>): Promise<void> {
  if (process.geteuid?.() !== 0) return void (await work());
  const names = readdirSync(root, { recursive: true }).map(String);
  for (const name of ['.', ...names]) chownSync(join(root, name), service, group);
  // The temporary folders that it lies in are root's alone.
  for (let at = dirname(root); at !== dirname(at); at = dirname(at)) {
    const { mode } = lstatSync(at);
    if ((mode & 0o011) !== 0o011) chmodSync(at, mode | 0o011);
  }
  process.seteuid?.(service);
  try {
    await work();
  } finally {
    process.seteuid?.(0);
  }
}
