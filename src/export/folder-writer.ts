/**
 * Writes the files of units into the folder of an export. Files are replaced only if their bytes change. A unit is announced in a
 * journal before its files are written: what a crash leaves is known as ours. Several writers, in threads, may share a folder if they
 * write different units.
 */
import { createHash } from 'node:crypto';
import * as fs from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { ConflictError } from '../catalogue/errors.ts';
import type { ByteRange } from '../catalogue/open-file.ts';
import { temporaryPathBeside } from '../disk/durable.ts';
import { namePathIn, toUnavailableError } from '../disk/not-writable.ts';
import { compressBytes, compressedCopyOf, compressFile, isCompressible } from './compressed-copies.ts';
import type { Unit } from './export-list.ts';
import { chunksOf } from './tables-place.ts';

/** The list of a site's files, in the folder itself: it goes along when the folder is committed or moved. */
const siteListName = '.catalogue-export';

/** Bytes of a file that are held in memory. */
export const mostHeld = 4 * 1024 * 1024;

/** Folders that are known to be there. */
const mostFolders = 5000;

export interface ExportFolderOptions {
  /** True to write into a folder that has other files, and to replace those of the same name. */
  readonly mayReplace?: boolean;
  /** Another one for each kind of export: they have different files. */
  readonly listName?: string;
  /** True to write compressed copies of texts. */
  readonly gzip?: boolean;
}

export class FolderWriter {
  readonly root: string;
  protected readonly mayReplace: boolean;
  protected readonly listName: string;
  readonly #gzip: boolean;
  /** Files of the unit that is being written. */
  #unitFiles: ReadonlySet<string> = new Set();
  /** Files that the unit had before. */
  #filesBefore: ReadonlySet<string> = new Set();
  /** Files of the unit that were there when it was announced. */
  #present: ReadonlySet<string> = new Set();
  /** Those that have a compressed copy. */
  readonly #compressed = new Set<string>();
  #madeFolders = new Set<string>();
  #journal: number | undefined;
  written = 0;

  constructor(folder: string, { mayReplace = false, listName = siteListName, gzip = false }: ExportFolderOptions = {}) {
    this.root = resolve(folder);
    this.mayReplace = mayReplace;
    this.listName = listName;
    this.#gzip = gzip;
  }

  /** Path of the list of the units that are written, until the export has ended. */
  protected get journalPath(): string {
    return join(this.root, `${this.listName}.new`);
  }

  /**
   * Announces the files of a unit, before they are written.
   * @param filesBefore those that an earlier export wrote for it
   * @throws ConflictError if a file is of others
   */
  beginUnit(name: string, files: readonly string[], filesBefore: readonly string[] = []): void {
    this.#unitFiles = new Set(files);
    this.#filesBefore = new Set(filesBefore);
    const announced = this.#withCopies(files, (file) => this.#mayHaveCopy(file));
    this.#present = new Set(this.#existing(announced));
    const others = [...this.#present].filter((file) => !this.#filesBefore.has(file) && !this.isOfOtherUnit(file));
    if (others[0] !== undefined && !this.mayReplace)
      throw new ConflictError(
        `${join(this.root, others[0])} is there already, and not of an export. Move it away, or replace it with --force.`,
      );
    this.note({ name, fingerprint: '', files: announced });
    for (const file of others)
      if (this.#unitFiles.has(file)) this.replacesFileOfOthers(file);
      else fs.rmSync(join(this.root, file));
  }

  /** Those of some files that are there, as files. A folder that isn't there has none. */
  #existing(files: readonly string[]): readonly string[] {
    const folders = new Map<string, boolean>();
    const hasFolder = (path: string): boolean => {
      const known = folders.get(path) ?? (path === this.root || (hasFolder(dirname(path)) && fs.existsSync(path)));
      folders.set(path, known);
      return known;
    };
    const isThere = (path: string) =>
      hasFolder(dirname(path)) && fs.existsSync(path) && !fs.statSync(path).isDirectory();
    return files.filter((file) => isThere(join(this.root, file)));
  }

  /** True for a file that another unit of an earlier export has. */
  protected isOfOtherUnit(_file: string): boolean {
    return false;
  }

  /** Called for a file of others that is replaced. */
  protected replacesFileOfOthers(_file: string): void {}

  /** Ends a unit, with the files that were written. */
  endUnit(name: string, fingerprint: string, files: readonly string[]): Unit {
    const unit = { name, fingerprint, files: this.#withCopies(files, (file) => this.#compressed.delete(file)) };
    this.note(unit);
    return unit;
  }

  #withCopies(files: readonly string[], hasCopy: (file: string) => boolean): readonly string[] {
    return files.flatMap((file) => (hasCopy(file) ? [file, compressedCopyOf(file)] : [file]));
  }

  /** True for a text whose copy has no other file's name. */
  #mayHaveCopy(file: string): boolean {
    return this.#gzip && isCompressible(file) && !this.#unitFiles.has(compressedCopyOf(file));
  }

  protected note(unit: Unit): void {
    try {
      fs.mkdirSync(this.root, { recursive: true });
      // A line is added in one call, so that those of several writers don't mix. The one before may have been cut off.
      this.#journal ??= fs.openSync(this.journalPath, 'a');
      fs.writeFileSync(this.#journal, `\n${JSON.stringify(unit)}\n`);
    } catch (error) {
      throw namePathIn(this.root, toUnavailableError(error, this.journalPath));
    }
  }

  /** Writes a file under a temporary name and renames it, unless it has these bytes. */
  write(file: string, bytes: Buffer): void {
    const path = join(this.root, file);
    try {
      this.#makeFolder(dirname(path));
      const isNew = this.#unitFiles.has(file) && !this.#present.has(file);
      if (isNew || !hasBytes(path, bytes)) {
        this.#removeCopy(file);
        this.#replace(path, bytes);
      }
      if (!this.#mayHaveCopy(file) || this.#keepCopy(file)) return;
      const compressed = compressBytes(bytes);
      if (compressed === null) return;
      this.#replace(compressedCopyOf(path), compressed);
      this.#compressed.add(file);
    } catch (error) {
      throw namePathIn(this.root, toUnavailableError(error, path));
    }
  }

  /** Writes a file with the bytes of another one; resolves to its size. */
  async writeCopy(file: string, of: string): Promise<number> {
    const path = join(this.root, of);
    const { size } = fs.statSync(path);
    if (size > mostHeld) return this.writeStream(file, [], fs.createReadStream(path)[Symbol.asyncIterator]());
    this.write(file, fs.readFileSync(path));
    return size;
  }

  #replace(path: string, bytes: Buffer): void {
    const temporary = temporaryPathBeside(path);
    try {
      fs.writeFileSync(temporary, bytes);
      fs.renameSync(temporary, path);
    } catch (error) {
      fs.rmSync(temporary, { force: true });
      throw error;
    }
    this.written++;
  }

  /** Removes the compressed copy of a file before the file changes: one that is there is always right. */
  #removeCopy(file: string): void {
    const copy = compressedCopyOf(file);
    if (this.#filesBefore.has(copy) && !this.#unitFiles.has(copy)) fs.rmSync(join(this.root, copy), { force: true });
  }

  /** True if an unchanged file has its compressed copy. */
  #keepCopy(file: string): boolean {
    const copy = compressedCopyOf(file);
    if (!this.#present.has(copy) || !fs.existsSync(join(this.root, copy))) return false;
    this.#compressed.add(file);
    return true;
  }

  /** Writes a file of any size; resolves to its size. */
  async writeStream(file: string, first: readonly Buffer[], rest: AsyncIterator<Buffer>): Promise<number> {
    const path = join(this.root, file);
    const temporary = temporaryPathBeside(path);
    const hash = createHash('sha256');
    let size = 0;
    try {
      this.#makeFolder(dirname(path));
      const descriptor = fs.openSync(temporary, 'w');
      const add = (chunk: Buffer) => {
        hash.update(chunk);
        size += chunk.length;
        fs.writeFileSync(descriptor, chunk);
      };
      try {
        for await (const chunk of chunksOf(first, rest)) add(chunk);
      } finally {
        fs.closeSync(descriptor);
      }
      if (fs.existsSync(path) && fs.statSync(path).size === size && (await hashOfFile(path)) === hash.digest('hex'))
        return await this.#compressLarge(file, size);
      this.#removeCopy(file);
      fs.renameSync(temporary, path);
      this.written++;
      return await this.#compressLarge(file, size);
    } catch (error) {
      throw namePathIn(this.root, toUnavailableError(error, path));
    } finally {
      fs.rmSync(temporary, { force: true });
    }
  }

  /** Reads a part of a file. */
  async readRange(file: string, _size: number, { start, end }: ByteRange): Promise<Buffer> {
    return buffer(fs.createReadStream(join(this.root, file), { start, end }));
  }

  /** Writes the compressed copy of a file, unless it is there. @returns the size of the file */
  async #compressLarge(file: string, size: number): Promise<number> {
    if (!this.#mayHaveCopy(file) || this.#keepCopy(file)) return size;
    const copy = join(this.root, compressedCopyOf(file));
    const temporary = temporaryPathBeside(copy);
    try {
      await compressFile(join(this.root, file), temporary);
      fs.renameSync(temporary, copy);
    } finally {
      fs.rmSync(temporary, { force: true });
    }
    this.written++;
    this.#compressed.add(file);
    return size;
  }

  #makeFolder(path: string): void {
    if (this.#madeFolders.has(path)) return;
    // Addresses come unit by unit: a few folders are enough.
    if (this.#madeFolders.size > mostFolders) this.#madeFolders = new Set();
    fs.mkdirSync(path, { recursive: true });
    this.#madeFolders.add(path);
  }

  close(): void {
    if (this.#journal !== undefined) fs.closeSync(this.#journal);
    this.#journal = undefined;
  }
}

function hasBytes(path: string, bytes: Buffer): boolean {
  try {
    if (fs.statSync(path, { throwIfNoEntry: false })?.size !== bytes.length) return false;
    return fs.readFileSync(path).equals(bytes);
  } catch {
    return false;
  }
}

async function hashOfFile(path: string): Promise<string> {
  const hash = createHash('sha256');
  for await (const chunk of fs.createReadStream(path)) hash.update(chunk as Buffer);
  return hash.digest('hex');
}
