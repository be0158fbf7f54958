/** The place that tables are exported to: a folder, or a folder in a bucket. */
import type { ByteRange } from '../catalogue/open-file.ts';
import type { HiddenFiles } from './hidden-files.ts';

/** Files in units: those of a unit are made of the same. Their paths have slashes, and are relative. */
export interface TablesPlace {
  /** Most units that may be written at the same time. */
  readonly concurrency: number;
  /** Number of files that were written, and removed. */
  readonly written: number;
  readonly removed: number;
  /** Names of the units of the last export. */
  readonly unitsBefore: readonly string[];
  /** Removes hidden files of the last export. */
  removeHidden(hiddenIn: HiddenFiles): unknown;
  /** True if all files of a unit are there, and made of the same; they are then kept as they are. */
  keepUnit(name: string, fingerprint: string, files: readonly string[]): boolean | Promise<boolean>;
  /** Announces the files of a unit, before they are written. @throws ConflictError if a file is of others */
  beginUnit(name: string, files: readonly string[], fingerprint: string): void | Promise<void>;
  /** Writes a file: readers see the one before, or all of the new one. */
  write(file: string, bytes: Buffer): void | Promise<void>;
  /** Writes a file of any size. @returns its size in bytes */
  writeStream(file: string, first: readonly Buffer[], rest: AsyncIterator<Buffer>): Promise<number>;
  /** Reads a part of a file that was written. @param size of the file, in bytes */
  readRange(file: string, size: number, range: ByteRange): Promise<Buffer>;
  endUnit(name: string, fingerprint: string, files: readonly string[]): void;
  /** Removes the files of the last export that this one has not, and writes the list of its files. */
  finish(): void | Promise<void>;
  close(): void | Promise<void>;
}

/** The chunks of a stream of which the first are read. The rest is ended with the reader of all, also after an error of that. */
export async function* chunksOf(
  first: readonly Buffer[],
  rest: AsyncIterator<Buffer>,
): AsyncGenerator<Buffer, void, undefined> {
  try {
    yield* first;
    for (let next = await rest.next(); !next.done; next = await rest.next()) yield next.value;
  } finally {
    await rest.return?.();
  }
}
