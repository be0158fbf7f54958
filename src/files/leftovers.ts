/** Clean-up of a catalogue folder: temporary files and locks of crashed writers. */
import { lstat, readdir, readFile, rm } from 'node:fs/promises';
import { join, relative, sep } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { isPayloadPath, privateFolder } from '../catalogue/layout.ts';
import { isAbandonedTemporary, isTemporaryFile, removeAbandonedTemporaries } from '../disk/durable.ts';
import { defaultStale, removeStaleLocks } from '../disk/lock.ts';

/** Age in milliseconds from which a temporary file is abandoned, if its writer is unknown. */
const anHour = 3_600_000;

/** Deletes the temporary files and locks of writers that have ended; those of writers at work stay. For a server that starts. */
export async function removeLeftovers(root: string, signal: AbortSignal): Promise<void> {
  await removeTemporaryFiles(root, signal);
  await removeStaleLocks(root);
  // Locks of other machines are known to be stale only after a while.
  await sleep(2 * defaultStale, undefined, { signal, ref: false }).catch(() => {});
  if (!signal.aborted) await removeStaleLocks(root);
}

/**
 * Deletes the same where a writer was killed, for a command. A lock shows it, which takes no time to look for: temporary files
 * may be in any folder. A folder that can't be written stays as it is.
 */
export async function removeLeftoversOfKilled(root: string): Promise<void> {
  try {
    if (await removeStaleLocks(root)) await removeTemporaryFiles(root);
  } catch {
    // They are in nobody's way.
  }
}

async function removeTemporaryFiles(root: string, signal?: AbortSignal): Promise<void> {
  const folders = [root];
  for (let folder = folders.pop(); folder !== undefined && !signal?.aborted; folder = folders.pop()) {
    const entries = await readdir(folder, { withFileTypes: true }).catch(() => []);
    const left = entries.filter(({ name }) => isTemporaryFile(name)).map(({ name }) => name);
    const path = (name: string) => relative(root, join(folder, name)).split(sep).join('/');
    if (left.some((name) => isPayloadPath(path(name)))) await removeAbandonedPayloads(folder);
    else if (left.length) await removeAbandonedTemporaries(folder, anHour);
    for (const entry of entries)
      if (entry.isDirectory() && (entry.name === privateFolder || !entry.name.startsWith('.')))
        folders.push(join(folder, entry.name));
  }
}

/**
 * Deletes abandoned temporary files in a dataset's folder of payloads, and payloads without a record, whose writer crashed
 * between renaming the payload and writing the record.
 */
export async function removeAbandonedPayloads(folder: string): Promise<void> {
  const names = await readdir(folder).catch((): string[] => []);
  for (const path of names.filter(isTemporaryFile).map((name) => join(folder, name))) {
    if (!(await isAbandonedTemporary(path, anHour))) continue;
    const inode = await inodeOf(path);
    // The payload is deleted first: only its temporary name, a hard link, shows that it is abandoned.
    for (const name of names)
      if (inode !== null && !isTemporaryFile(name) && (await inodeOf(join(folder, name))) === inode)
        if (!(await isNamed(folder, name))) await rm(join(folder, name), { force: true });
    await rm(path, { recursive: true, force: true });
  }
}

async function inodeOf(path: string): Promise<bigint | null> {
  const found = await lstat(path, { bigint: true }).catch(() => null);
  return found?.isFile() ? found.ino : null;
}

/** True if the record of any version, valid or not, names the payload. */
async function isNamed(folder: string, name: string): Promise<boolean> {
  const records = join(folder, '..', 'versions');
  const names = await readdir(records).catch((): string[] => []);
  for (const record of names.filter((record) => !isTemporaryFile(record)))
    if ((await readFile(join(records, record), 'utf8').catch(() => name)).includes(name)) return true;
  return false;
}
