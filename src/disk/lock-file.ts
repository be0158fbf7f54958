/** The file of a lock: a note about its holder. The holder renews the file's mtime as long as it lives. */
import { closeSync, openSync, writeSync } from 'node:fs';
import { open, stat } from 'node:fs/promises';
import { hostname } from 'node:os';
import { inheritOwner } from './owner.ts';
import { writerMark } from './writer.ts';

/** Maximum length of a note, in bytes. */
const longestNote = 1024;
const note = `process ${process.pid} on ${hostname()}\n${writerMark}\n`;

/** Makes a lock file with a note about this process. @throws Error with code EEXIST, or another code of the system */
export function writeLockFile(path: string): void {
  const descriptor = openSync(path, 'wx', 0o600);
  inheritOwner(path);
  try {
    writeSync(descriptor, note);
  } catch {
    // Without the note, others only wait longer until they take the lock as stale.
  } finally {
    closeSync(descriptor);
  }
}

/**
 * Modification time of a lock's file, and its note; null if there is no lock. The file is opened, since NFS then asks the server
 * (close-to-open consistency, RFC 7530, section 10.3.1). stat(2) may answer from a cache, with a time that was renewed since.
 */
export async function inspectLock(path: string): Promise<{ readonly mtimeMs: number; readonly note: string } | null> {
  const file = await open(`${path}.lock`).catch(() => null);
  if (file === null) {
    const found = await stat(`${path}.lock`).catch(() => null);
    return found && { mtimeMs: found.mtimeMs, note: '' };
  }
  try {
    const found = await file.stat();
    const { mtimeMs } = found;
    // A process that takes over a stale lock holds a lock of proper-lockfile, a folder without a note.
    if (found.isDirectory()) return { mtimeMs, note: '' };
    // A lock of git can be an index of many megabytes.
    const { buffer, bytesRead } = await file.read(Buffer.alloc(longestNote), 0, longestNote, 0);
    return { mtimeMs, note: buffer.toString('utf8', 0, bytesRead) };
  } catch {
    // It was removed (ESTALE).
    return null;
  } finally {
    await file.close();
  }
}
