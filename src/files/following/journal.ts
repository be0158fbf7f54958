/**
 * Journal of writes, for processes that poll the folder: `.catalogue/journal` has the path of each change, relative to
 * the catalogue folder, one per line. It only makes changes known earlier: the next full scan finds what it lacks.
 */
import { appendFileSync, closeSync, fstatSync, openSync, readSync, renameSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { privateFolder, type Scope, unitKey } from '../../catalogue/layout.ts';
import { inheritOwner } from '../../disk/owner.ts';
import { makeFolderInPrivateFolder } from '../../disk/private-folder.ts';

const journalPath = (root: string) => join(root, privateFolder, 'journal');
/** Size in bytes from which a new journal is begun. */
const maxSize = 64 * 1024;

interface Together {
  readonly lines: Set<string>;
  readonly appended: Promise<void>;
}

/** What the writers of this turn append, by folder: those that were synced in one round end in one turn. */
const waiting = new Map<string, Together>();

/** Appends scopes that were written. Never throws: if the journal can't be written, a full scan finds the change. */
export function appendToJournal(root: string, scopes: readonly Scope[]): Promise<void> {
  const together = waiting.get(root) ?? startTogether(root);
  for (const scope of scopes)
    together.lines.add(`${'folder' in scope ? scope.folder.replace(/\/$/, '') : `${unitKey(scope)}.yaml`}\n`);
  return together.appended;
}

function startTogether(root: string): Together {
  const lines = new Set<string>();
  const appended = new Promise<void>((resolve) => process.nextTick(resolve)).then(() => {
    waiting.delete(root);
    return append(root, [...lines].join(''));
  });
  const together = { lines, appended };
  waiting.set(root, together);
  return together;
}

async function append(root: string, lines: string): Promise<void> {
  const path = journalPath(root);
  try {
    const size = statSync(path, { throwIfNoEntry: false })?.size;
    if (size === undefined) await makeFolderInPrivateFolder(root);
    if (size !== undefined && size < maxSize) return appendFileSync(path, lines);
    if (size === undefined) {
      appendFileSync(path, lines, { mode: 0o600 });
      return inheritOwner(path);
    }
    // A new file instead of a truncated one, so that readers notice.
    const temporary = `${path}.${process.pid}.tmp`;
    writeFileSync(temporary, lines, { mode: 0o600 });
    inheritOwner(temporary);
    renameSync(temporary, path);
  } catch {
    // The disk is full or the folder is read-only. The record itself is written.
  }
}

/** Reads the journal from where it ends now. */
export class JournalReader {
  readonly #path: string;
  #ino: number;
  #offset: number;

  constructor(root: string) {
    this.#path = journalPath(root);
    const { ino, size } = this.#withFile((_, stats) => stats) ?? { ino: 0, size: 0 };
    this.#ino = ino;
    this.#offset = size;
  }

  /** Paths added since the last call; null if lines may be missing because the journal was replaced or can't be read. */
  read(): readonly string[] | null {
    const found = this.#withFile((descriptor, { ino, size }) => {
      const isContinued = ino === this.#ino && size >= this.#offset;
      const start = isContinued ? this.#offset : 0;
      const bytes = Buffer.alloc(Math.min(size - start, 2 * maxSize));
      const length = readSync(descriptor, bytes, 0, bytes.length, start);
      const end = bytes.subarray(0, length).lastIndexOf(10) + 1;
      return { isContinued, ino, offset: start + end, lines: bytes.toString('utf8', 0, end).split('\n').slice(0, -1) };
    });
    const isReplaced = this.#ino !== 0 && !found?.isContinued;
    this.#ino = found?.ino ?? 0;
    this.#offset = found?.offset ?? 0;
    return isReplaced ? null : (found?.lines ?? []);
  }

  /** Opens the journal for a function and returns its result; null if there is no journal, or it can't be read (EIO, ESTALE). */
  #withFile<T>(work: (descriptor: number, stats: { ino: number; size: number }) => T): T | null {
    let descriptor: number | undefined;
    try {
      descriptor = openSync(this.#path, 'r');
      return work(descriptor, fstatSync(descriptor));
    } catch {
      return null;
    } finally {
      if (descriptor !== undefined) closeSync(descriptor);
    }
  }
}
