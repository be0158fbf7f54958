/**
 * A note from those who write to those who poll: `.catalogue/touched` has a line for each thing that was written, its
 * path relative to the catalogue folder. It is only a hint: what is missed, the next sweep finds.
 */
import { closeSync, fstatSync, openSync, readSync } from 'node:fs';
import { appendFile, rename, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { privateFolder, unitKey } from '../../catalogue/layout.ts';
import { makePrivateFolder } from '../../disk/private-folder.ts';
import type { Scope } from '../reading/unit-store.ts';

const pathIn = (root: string) => join(root, privateFolder, 'touched');
/** In bytes; a longer note is begun anew. */
const longest = 64 * 1024;

/** Leaves a note that these were written. Never throws: where no note can be left, the sweep finds them. */
export async function appendToJournal(root: string, scopes: readonly Scope[]): Promise<void> {
  const path = pathIn(root);
  const lines = scopes
    .map((scope) => `${'folder' in scope ? scope.folder.replace(/\/$/, '') : `${unitKey(scope)}.yaml`}\n`)
    .join('');
  try {
    await makePrivateFolder(root);
    const size = (await stat(path).catch(() => null))?.size ?? 0;
    if (size < longest) return await appendFile(path, lines, { mode: 0o600 });
    // A new file rather than a cut one, so that readers notice.
    const beside = `${path}.${process.pid}.tmp`;
    await writeFile(beside, lines, { mode: 0o600 });
    await rename(beside, path);
  } catch {
    // A full disk or a folder that is read-only: the record itself was written, which is what counts.
  }
}

/** Reads the note as it grows. */
export class JournalReader {
  readonly #path: string;
  #ino: number;
  #offset: number;

  constructor(root: string) {
    this.#path = pathIn(root);
    const { ino, size } = this.#open((_, stats) => stats) ?? { ino: 0, size: 0 };
    this.#ino = ino;
    this.#offset = size;
  }

  /** The paths noted since the last call; null where lines may have been missed. */
  read(): readonly string[] | null {
    const now = this.#open((descriptor, { ino, size }) => {
      const same = ino === this.#ino && size >= this.#offset;
      const from = same ? this.#offset : 0;
      const bytes = Buffer.alloc(Math.min(size - from, 2 * longest));
      const length = readSync(descriptor, bytes, 0, bytes.length, from);
      const end = bytes.subarray(0, length).lastIndexOf(10) + 1;
      return { same, ino, offset: from + end, lines: bytes.toString('utf8', 0, end).split('\n').slice(0, -1) };
    });
    const missed = this.#ino !== 0 && !now?.same;
    this.#ino = now?.ino ?? 0;
    this.#offset = now?.offset ?? 0;
    return missed ? null : (now?.lines ?? []);
  }

  #open<T>(work: (descriptor: number, stats: { ino: number; size: number }) => T): T | null {
    let descriptor: number;
    try {
      descriptor = openSync(this.#path, 'r');
    } catch {
      return null;
    }
    try {
      return work(descriptor, fstatSync(descriptor));
    } finally {
      closeSync(descriptor);
    }
  }
}
