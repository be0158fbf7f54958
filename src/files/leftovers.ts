/** What crashed writers left in a catalogue folder: found when a server starts, wherever it lies. */
import { lstat, readdir, readFile, rm } from 'node:fs/promises';
import { join, relative, sep } from 'node:path';
import { isTemporary, sweepTemporaries } from './durable.ts';
import { isPayload, privateFolder } from './layout.ts';
import { sweepLocks } from './lock.ts';

/** In milliseconds: a writer of which nothing is known, and that wrote nothing for so long, is taken to be gone. */
const anHour = 3_600_000;

/** Deletes the temporary files and locks of writers that are gone; those of writers at work stay. */
export async function sweepLeftovers(root: string, signal: AbortSignal): Promise<void> {
  const folders = [root];
  for (let folder = folders.pop(); folder !== undefined && !signal.aborted; folder = folders.pop()) {
    const entries = await readdir(folder, { withFileTypes: true }).catch(() => []);
    const left = entries.filter(({ name }) => isTemporary(name)).map(({ name }) => name);
    const path = (name: string) => relative(root, join(folder, name)).split(sep).join('/');
    if (left.some((name) => isPayload(path(name)))) await sweepPayloads(folder, left);
    else if (left.length) await sweepTemporaries(folder, anHour);
    for (const entry of entries)
      if (entry.isDirectory() && (entry.name === privateFolder || !entry.name.startsWith('.')))
        folders.push(join(folder, entry.name));
  }
  if (!signal.aborted) await sweepLocks(root);
}

/** Also those payloads that had their name already, but whose writer died before it could write the record. */
async function sweepPayloads(folder: string, left: readonly string[]): Promise<void> {
  const inodes = await Promise.all(left.map((name) => inodeOf(join(folder, name))));
  await sweepTemporaries(folder, anHour);
  for (const [i, inode] of inodes.entries()) {
    if (inode === null || (await inodeOf(join(folder, left[i] ?? ''))) !== null) continue;
    for (const name of await readdir(folder))
      if ((await inodeOf(join(folder, name))) === inode && !(await isNamed(folder, name)))
        await rm(join(folder, name), { force: true });
  }
}

async function inodeOf(path: string): Promise<bigint | null> {
  const found = await lstat(path, { bigint: true }).catch(() => null);
  return found?.isFile() ? found.ino : null;
}

/** Whether any version names the payload, be its record sound or not. */
async function isNamed(folder: string, name: string): Promise<boolean> {
  const records = join(folder, '..', 'versions');
  for (const record of await readdir(records).catch((): string[] => []))
    if ((await readFile(join(records, record), 'utf8').catch(() => name)).includes(name)) return true;
  return false;
}
