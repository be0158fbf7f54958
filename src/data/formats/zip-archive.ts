/**
 * The files of a ZIP archive, read one by one from the archive's own file: nothing is unpacked to the disk, so names such as
 * `../x` lead nowhere. What entries claim is compared with what they hold: a file that inflates too much is refused.
 */
import { open } from 'node:fs/promises';
import type { Readable } from 'node:stream';
import { type Entry, openPromise, type ZipFile } from 'yauzl';
import { excerpt } from '../../catalogue/errors.ts';
import { PayloadError } from '../errors.ts';
import { freeInflation, maxInflation } from '../limits.ts';
import { isZipArchive } from './detect-format.ts';

/** Most files of an archive. */
const maxEntries = 10_000;

const refuse = (error: unknown): never => {
  if (error instanceof PayloadError) throw error;
  throw new PayloadError(`the ZIP archive can't be read: ${excerpt((error as Error).message)}`);
};

/** True for a file that begins as an archive does. */
export async function isZipFile(path: string): Promise<boolean> {
  const handle = await open(path);
  try {
    const { buffer } = await handle.read(Buffer.alloc(4), 0, 4, 0);
    return isZipArchive(buffer);
  } finally {
    await handle.close();
  }
}

export class ZipArchive {
  readonly #file: ZipFile;
  readonly #entries: ReadonlyMap<string, Entry>;

  private constructor(file: ZipFile, entries: ReadonlyMap<string, Entry>) {
    this.#file = file;
    this.#entries = entries;
  }

  /** @throws PayloadError if it is no archive, broken, or has too many files */
  static async open(path: string): Promise<ZipArchive> {
    const file = await openPromise(path, { lazyEntries: true, autoClose: false, validateEntrySizes: true }).catch(
      refuse,
    );
    try {
      const entries = new Map<string, Entry>();
      for await (const entry of file.eachEntry()) {
        if (entries.size >= maxEntries) throw new PayloadError(`the ZIP archive has more than ${maxEntries} files`);
        if (!entry.fileName.endsWith('/')) entries.set(entry.fileName, entry);
      }
      return new ZipArchive(file, entries);
    } catch (error) {
      file.close();
      return refuse(error);
    }
  }

  /** Paths of its files, without those that macOS adds. */
  get names(): readonly string[] {
    return [...this.#entries.keys()].filter((name) => !/(?:^|\/)(?:__MACOSX\/|\._)/.test(name));
  }

  has(name: string): boolean {
    return this.#entries.has(name);
  }

  /** Bytes of a file, as the archive claims them; 0 if there is none. */
  sizeOf(name: string): number {
    return this.#entries.get(name)?.uncompressedSize ?? 0;
  }

  /**
   * The bytes of a file; none if the archive doesn't have it.
   * @throws PayloadError if they are broken, encrypted, or inflate beyond `maxInflation` (a ZIP bomb)
   */
  async *read(name: string): AsyncGenerator<Buffer, void, undefined> {
    const entry = this.#entries.get(name);
    if (!entry) return;
    this.assertReadable(name);
    const stream: Readable = await this.#file.openReadStreamPromise(entry).catch(refuse);
    try {
      yield* stream;
    } catch (error) {
      refuse(error);
    } finally {
      stream.destroy();
    }
  }

  /** @throws PayloadError if a file is encrypted, or says that it inflates beyond `maxInflation` */
  assertReadable(name: string): void {
    const entry = this.#entries.get(name);
    if (entry?.isEncrypted()) throw new PayloadError(`the file ${excerpt(name)} in the ZIP archive has a password`);
    const { uncompressedSize = 0, compressedSize = 0 } = entry ?? {};
    if (uncompressedSize > freeInflation && uncompressedSize > compressedSize * maxInflation)
      throw new PayloadError(`the file ${excerpt(name)} inflates to more than ${maxInflation} times its size`);
  }

  /** The whole text of a small file; '' if there is none. @throws PayloadError if it has more than `most` bytes */
  async readText(name: string, most = 1 << 20): Promise<string> {
    return (await this.readBytes(name, most)).toString().replace(/^\ufeff/, '');
  }

  /** All bytes of a small file, as `readText`. */
  async readBytes(name: string, most: number): Promise<Buffer> {
    if (this.sizeOf(name) > most)
      throw new PayloadError(`the file ${excerpt(name)} in the ZIP archive has more than ${most} bytes`);
    const parts: Buffer[] = [];
    for await (const part of this.read(name)) parts.push(part);
    return Buffer.concat(parts);
  }

  close(): void {
    this.#file.close();
  }
}
