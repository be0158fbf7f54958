/** Checksums of files, found out once: of a record as long as it isn't read anew, of other files as long as their stamps hold. */
import { createHash } from 'node:crypto';
import { pipeline } from 'node:stream/promises';
import { NotFoundError } from '../../catalogue/errors.ts';
import { openWithin } from '../bytes.ts';
import type { UnitState } from '../reading/unit-reader.ts';
import type { DiskTree } from '../tree/disk-tree.ts';
import { UnreadableFileError } from '../tree/file-tree.ts';

/** What a file is known by. */
export interface FileChecksum {
  /** SHA-256 in hexadecimal; '' where the file can't be read. */
  readonly checksum: string;
  /** In bytes. */
  readonly size: number;
}

export const sumOf = (bytes: string | Uint8Array): string => createHash('sha256').update(bytes).digest('hex');

/** So many files that are no records are remembered. */
const maxCached = 50_000;

export class ChecksumCache {
  readonly #folder: DiskTree;
  /** States are replaced when anything of them is another, and take what is known with them. */
  readonly #records = new WeakMap<UnitState, Map<string, FileChecksum>>();
  readonly #files = new Map<string, FileChecksum & { readonly stamp: string }>();

  constructor(folder: DiskTree) {
    this.#folder = folder;
  }

  /**
   * That of a record in a state.
   * @returns null where the file is gone
   */
  async ofRecord(state: UnitState, path: string): Promise<FileChecksum | null> {
    let known = this.#records.get(state);
    if (!known) {
      known = new Map();
      this.#records.set(state, known);
    }
    const sum = known.get(path) ?? (await this.#read(path));
    if (sum) known.set(path, sum);
    return sum;
  }

  async #read(path: string): Promise<FileChecksum | null> {
    try {
      const read = this.#folder.read(path);
      return read && { checksum: sumOf(read.text), size: Buffer.byteLength(read.text) };
    } catch (error) {
      if (!(error instanceof UnreadableFileError)) throw error;
      // What is no text has bytes all the same.
      return this.ofFile(path);
    }
  }

  /**
   * That of any file.
   * @returns null where there is none; with '' for a checksum where it can't be read, or leads out of the folder
   */
  async ofFile(path: string): Promise<FileChecksum | null> {
    try {
      const file = await openWithin(this.#folder, path);
      try {
        const { ino, size, mtimeMs, ctimeMs } = await file.stat();
        const stamp = `${ino} ${size} ${mtimeMs} ${ctimeMs}`;
        const known = this.#files.get(path);
        if (known?.stamp === stamp) return known;
        const hash = createHash('sha256');
        await pipeline(file.createReadStream({ autoClose: false, start: 0, highWaterMark: 1 << 20 }), hash);
        const sum = { checksum: hash.digest('hex'), size, stamp };
        if (this.#files.size >= maxCached) this.#files.clear();
        this.#files.set(path, sum);
        return sum;
      } finally {
        await file.close();
      }
    } catch (error) {
      const size = this.#folder.size(path);
      if (error instanceof NotFoundError && size === null) return null;
      return { checksum: '', size: size ?? 0 };
    }
  }
}
