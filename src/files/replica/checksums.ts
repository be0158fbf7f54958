/** Cache of checksums: of a record until its unit is read again, of another file until its stamp changes. */
import { createHash } from 'node:crypto';
import { pipeline } from 'node:stream/promises';
import { NotFoundError } from '../../catalogue/errors.ts';
import { computeChecksum } from '../../disk/checksum.ts';
import { openFileWithinFolder } from '../bytes.ts';
import type { UnitState } from '../reading/unit-state.ts';
import type { DiskTree } from '../tree/disk-tree.ts';
import { type Stamp, UnreadableFileError } from '../tree/file-tree.ts';
import { isSameFile, isSameStamp, stampFrom } from '../tree/stamps.ts';
import type { KeptTexts } from './kept-texts.ts';

export interface FileChecksum {
  /** SHA-256 in hexadecimal; '' if the file can't be read. */
  readonly checksum: string;
  /** In bytes. */
  readonly size: number;
}

const checksumOfText = (text: string): FileChecksum => ({
  checksum: computeChecksum(text),
  size: Buffer.byteLength(text),
});

/** Maximum number of cached files that are not records. */
const maxCached = 50_000;

export class ChecksumCache {
  readonly #folder: DiskTree;
  /** By unit state: a unit that is read again has a new state, if anything in it has changed. */
  readonly #records = new WeakMap<UnitState, Map<string, FileChecksum>>();
  readonly #files = new Map<string, FileChecksum & { readonly stamp: Stamp }>();

  constructor(folder: DiskTree) {
    this.#folder = folder;
  }

  /**
   * Checksum of a record of a unit; null if the file is gone.
   * @param stamp that of the file in the state
   * @param texts has the text, or keeps it if it has to be read
   */
  async ofRecord(
    state: UnitState,
    path: string,
    stamp: Stamp | undefined,
    texts?: KeptTexts,
  ): Promise<FileChecksum | null> {
    let known = this.#records.get(state);
    if (!known) {
      known = new Map();
      this.#records.set(state, known);
    }
    const computed = known.get(path) ?? (await this.ofRecordFile(path, texts, stamp));
    if (computed) known.set(path, computed);
    return computed;
  }

  /**
   * Checksum of the file of a record, which is read if its text isn't kept; null if it is gone.
   * @param stamp the text is kept if the file has this one; any if undefined
   */
  async ofRecordFile(path: string, texts?: KeptTexts, stamp?: Stamp): Promise<FileChecksum | null> {
    const kept = texts?.get(path);
    if (kept !== undefined) return checksumOfText(kept);
    try {
      const read = this.#folder.read(path);
      if (read && (!stamp || isSameFile(read.stamp, stamp))) texts?.keep(path, read.text);
      return read && checksumOfText(read.text);
    } catch (error) {
      if (!(error instanceof UnreadableFileError)) throw error;
      // It can't be read as text: its bytes have a checksum all the same.
      return this.ofFile(path);
    }
  }

  /** Checksum of any file, and of a payload in the object store: '' if it can't be read, or is a link that leads out of the folder; null if there is none. */
  async ofFile(path: string): Promise<FileChecksum | null> {
    const pointer = this.#folder.pointer(path);
    if (pointer) return pointer;
    try {
      const file = await openFileWithinFolder(this.#folder, path);
      try {
        const stamp = stampFrom(await file.stat());
        const { size } = stamp;
        const known = this.#files.get(path);
        if (known && isSameStamp(known.stamp, stamp)) return known;
        const hash = createHash('sha256');
        await pipeline(file.createReadStream({ autoClose: false, start: 0, highWaterMark: 1 << 20 }), hash);
        const computed = { checksum: hash.digest('hex'), size, stamp };
        if (this.#files.size >= maxCached) this.#files.clear();
        this.#files.set(path, computed);
        return computed;
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
