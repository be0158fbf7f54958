/**
 * Checksums of payload files that were computed, by the stamps of the files: a record may claim any checksum, and rows are
 * only shown if the file has it. They are kept in memory, and for later processes in the folder of the columnar copy: a line
 * for each file with these bytes, `<ino> <size> <mtime> <ctime>`.
 */
import { createHash } from 'node:crypto';
import type { Stats } from 'node:fs';
import { appendFile, type FileHandle, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { makeLargeCache } from '../catalogue/large-cache.ts';
import type { CatalogueFiles } from './catalogue-files.ts';
import type { PayloadPointer } from './tree/payload-pointer.ts';
import { stampFrom } from './tree/stamps.ts';

const byFolder = new WeakMap<CatalogueFiles, PayloadChecksums>();

/** The checksums that the users of a folder share. */
export function payloadChecksumsOf(files: CatalogueFiles): PayloadChecksums {
  let checksums = byFolder.get(files);
  if (!checksums) {
    checksums = new PayloadChecksums();
    byFolder.set(files, checksums);
    files.onClose(checksums.noted);
  }
  return checksums;
}

/** Text of a stamp. It differs after every change of the file, unless two follow each other within a tick of the clock. */
const keyOf = ({ ino, size, mtimeMs, ctimeMs }: Stats): string => `${ino} ${size} ${mtimeMs} ${ctimeMs}`;

/** True if the file was not changed just now, so that a later change gives it another stamp. */
export const isSettled = (stats: Stats): boolean => stampFrom(stats).mtime !== -1;

const stampsFile = (copyFolder: string) => join(copyFolder, 'payloads.txt');
/** Length from which that file is begun anew, in characters. */
const maxStampsLength = 16_384;

class PayloadChecksums {
  readonly #known = makeLargeCache<string>(20_000);
  /** Checksums that are being computed, by the same keys. */
  readonly #computing = new Map<string, Promise<Computed>>();
  readonly #noting = new Set<Promise<void>>();

  /** Checksum of a file, if it is in memory. */
  get(stats: Stats): string | undefined {
    return this.#known.get(keyOf(stats));
  }

  /**
   * Checks that a file has a checksum; reads it if that isn't known.
   * @param open opens the file
   * @param copyFolder folder of the columnar copy of the payload with that checksum
   */
  async has(stats: Stats, checksum: string, open: () => Promise<FileHandle>, copyFolder: string): Promise<boolean> {
    const key = keyOf(stats);
    const known = this.#known.get(key);
    if (known !== undefined) return known === checksum;
    if ((await readStamps(copyFolder)).split('\n').includes(key)) {
      this.#known.set(key, checksum);
      return true;
    }
    let computing = this.#computing.get(key);
    if (!computing) {
      computing = computeChecksumOf(open).finally(() => this.#computing.delete(key));
      this.#computing.set(key, computing);
    }
    const computed = await computing;
    if (!computed.isSettled) return computed.checksum === checksum;
    if (computed.checksum === checksum) await this.note(computed.stats, checksum, copyFolder);
    else this.#known.set(keyOf(computed.stats), computed.checksum);
    return computed.checksum === checksum;
  }

  /** Notes that a file has a checksum. @param copyFolder folder of its columnar copy; null without a copy */
  async note(stats: Stats, checksum: string, copyFolder: string | null): Promise<void> {
    const key = keyOf(stats);
    if (this.#known.get(key) === checksum) return;
    this.#known.set(key, checksum);
    if (copyFolder === null) return;
    const stamps = await readStamps(copyFolder);
    const isLong = stamps.length > maxStampsLength;
    const start = stamps === '' || isLong || stamps.endsWith('\n') ? '' : '\n';
    // A cache: without it, the file is read once more.
    await (isLong ? writeFile : appendFile)(stampsFile(copyFolder), `${start}${key}\n`).catch(() => {});
  }

  /**
   * Notes the checksum of a payload that was just added, in the background. It must have been the only one to write the file.
   * @param path absolute path of the file
   */
  noteAdded(path: string, { checksum, size }: PayloadPointer, copyFolder: string | null): void {
    const noting = stat(path).then(
      (stats) => (stats.size === size ? this.note(stats, checksum, copyFolder) : undefined),
      () => {},
    );
    this.#noting.add(noting);
    void noting.finally(() => this.#noting.delete(noting));
  }

  readonly noted = async (): Promise<void> => {
    await Promise.all(this.#noting);
  };
}

interface Computed {
  readonly stats: Stats;
  readonly checksum: string;
  readonly isSettled: boolean;
}

async function computeChecksumOf(open: () => Promise<FileHandle>): Promise<Computed> {
  const file = await open();
  try {
    const stats = await file.stat();
    const settled = isSettled(stats);
    const hash = createHash('sha256');
    await pipeline(file.createReadStream({ autoClose: false, start: 0, highWaterMark: 1 << 20 }), hash);
    return { stats, checksum: hash.digest('hex'), isSettled: settled };
  } finally {
    await file.close();
  }
}

const readStamps = (copyFolder: string): Promise<string> => readFile(stampsFile(copyFolder), 'utf8').catch(() => '');
