/**
 * The folder of an export: files that are written only if their bytes change, and a list of them, by which the next export knows
 * what it may replace or remove. Files that aren't in the list are of others, and stay.
 */
import { createHash } from 'node:crypto';
import * as fs from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { ConflictError } from '../catalogue/errors.ts';
import type { ByteRange } from '../catalogue/open-file.ts';
import { isTemporaryFile, temporaryPathBeside, toUnavailableError } from '../disk/durable.ts';
import { compressBytes, compressedCopyOf, compressFile, isCompressible } from './compressed-copies.ts';
import { formatExportList, parseExportList, type Unit } from './export-list.ts';
import type { TablesPlace } from './tables-place.ts';

/** The list of a site's files, in the folder itself: it goes along when the folder is committed or moved. */
const siteListName = '.catalogue-export';

/** Bytes of a file that are held in memory. */
export const mostHeld = 4 * 1024 * 1024;

export interface ExportFolderOptions {
  /** True to write into a folder that has other files, and to replace those of the same name. */
  readonly mayReplace?: boolean;
  /** Another one for each kind of export: they have different files. */
  readonly listName?: string;
  /** True to write compressed copies of texts. */
  readonly gzip?: boolean;
}

export class ExportFolder implements TablesPlace {
  readonly root: string;
  readonly concurrency = 1;
  /** Units of the export before. */
  readonly #before = new Map<string, Unit>();
  readonly #after = new Map<string, Unit>();
  readonly #known = new Set<string>();
  readonly #mayReplace: boolean;
  readonly #listName: string;
  readonly #gzip: boolean;
  /** Files of the unit that is being written. */
  #unitFiles: ReadonlySet<string> = new Set();
  /** Those that have a compressed copy. */
  readonly #compressed = new Set<string>();
  #madeFolders = new Set<string>();
  #journal: number | undefined;
  written = 0;
  removed = 0;

  /**
   * Opens or makes the folder.
   * @throws ConflictError if it has files and is no export
   */
  constructor(folder: string, { mayReplace = false, listName = siteListName, gzip = false }: ExportFolderOptions = {}) {
    this.root = resolve(folder);
    this.#mayReplace = mayReplace;
    this.#listName = listName;
    this.#gzip = gzip;
    const names = fs.existsSync(this.root) ? fs.readdirSync(this.root) : [];
    const own = names.includes(listName) || names.includes(`${listName}.new`);
    const other = names.find((name) => name !== '.git' && !isTemporaryFile(name));
    if (!own && other !== undefined && !mayReplace)
      throw new ConflictError(
        `${folder} isn't empty and is no export (${other} is in it). Name another folder, or export into this one with --force.`,
      );
    for (const name of [listName, `${listName}.new`]) this.#readList(join(this.root, name));
  }

  #readList(path: string): void {
    if (!fs.existsSync(path)) return;
    for (const unit of parseExportList(fs.readFileSync(path, 'utf8'))) {
      // A unit that was being written when the program ended may have files of both lists.
      const earlier = this.#before.get(unit.name)?.files ?? [];
      this.#before.set(unit.name, { ...unit, files: [...new Set([...earlier, ...unit.files])] });
      for (const file of unit.files) this.#known.add(file);
    }
  }

  /** Number of files of this export, also of those that were kept. */
  get fileCount(): number {
    let count = 0;
    for (const { files } of this.#after.values()) count += files.length;
    return count;
  }

  /**
   * True if a unit of the last export is made of the same; it is then kept as it is.
   * @param files that must be there
   */
  keepUnit(name: string, fingerprint: string, files: readonly string[] = []): boolean {
    const before = this.#before.get(name);
    if (before?.fingerprint !== fingerprint || !fingerprint) return false;
    if (!files.every((file) => fs.existsSync(join(this.root, file)))) return false;
    this.#after.set(name, before);
    return true;
  }

  /** Announces the files of a unit, before they are written. */
  beginUnit(name: string, files: readonly string[]): void {
    this.#unitFiles = new Set(files);
    const announced = this.#withCopies(files, (file) => this.#mayHaveCopy(file));
    const ofOthers = announced.filter((file) => !this.#known.has(file) && fs.existsSync(join(this.root, file)));
    if (ofOthers[0] !== undefined && !this.#mayReplace)
      throw new ConflictError(
        `${join(this.root, ofOthers[0])} is there already, and not of an export. Move it away, or replace it with --force.`,
      );
    this.#note({ name, fingerprint: '', files: announced });
    for (const file of ofOthers) if (!this.#unitFiles.has(file)) fs.rmSync(join(this.root, file));
    for (const file of announced) this.#known.add(file);
  }

  /** Ends a unit: removes its files that are no longer written. */
  endUnit(name: string, fingerprint: string, files: readonly string[]): void {
    const unit = { name, fingerprint, files: this.#withCopies(files, (file) => this.#compressed.delete(file)) };
    this.#after.set(name, unit);
    this.#note(unit);
  }

  #withCopies(files: readonly string[], hasCopy: (file: string) => boolean): readonly string[] {
    return files.flatMap((file) => (hasCopy(file) ? [file, compressedCopyOf(file)] : [file]));
  }

  /** True for a text whose copy has no other file's name. */
  #mayHaveCopy(file: string): boolean {
    return this.#gzip && isCompressible(file) && !this.#unitFiles.has(compressedCopyOf(file));
  }

  #note(unit: Unit): void {
    fs.mkdirSync(this.root, { recursive: true });
    this.#journal ??= fs.openSync(join(this.root, `${this.#listName}.new`), 'a');
    fs.writeSync(this.#journal, `${JSON.stringify(unit)}\n`);
  }

  /** Writes a file under a temporary name and renames it, unless it has these bytes. */
  write(file: string, bytes: Buffer): void {
    const path = join(this.root, file);
    this.#makeFolder(dirname(path));
    try {
      const isChanged = !hasBytes(path, bytes);
      if (isChanged) {
        this.#removeCopy(file);
        this.#replace(path, bytes);
      }
      if (!this.#mayHaveCopy(file) || this.#keepCopy(file)) return;
      const compressed = compressBytes(bytes);
      if (compressed === null) return;
      this.#replace(compressedCopyOf(path), compressed);
      this.#compressed.add(file);
    } catch (error) {
      throw toUnavailableError(error, path);
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
    if (this.#known.has(copy) && !this.#unitFiles.has(copy)) fs.rmSync(join(this.root, copy), { force: true });
  }

  /** True if an unchanged file has its compressed copy. */
  #keepCopy(file: string): boolean {
    const copy = compressedCopyOf(file);
    if (!fs.existsSync(join(this.root, copy))) return false;
    this.#compressed.add(file);
    return true;
  }

  /** Writes a file of any size; resolves to its size. */
  async writeStream(file: string, first: readonly Buffer[], rest: AsyncIterator<Buffer>): Promise<number> {
    const path = join(this.root, file);
    this.#makeFolder(dirname(path));
    const temporary = temporaryPathBeside(path);
    const hash = createHash('sha256');
    let size = 0;
    try {
      const descriptor = fs.openSync(temporary, 'w');
      const add = (chunk: Buffer) => {
        hash.update(chunk);
        size += chunk.length;
        fs.writeSync(descriptor, chunk);
      };
      try {
        for (const chunk of first) add(chunk);
        for (let next = await rest.next(); !next.done; next = await rest.next()) add(next.value);
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
      throw toUnavailableError(error, path);
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
    if (this.#madeFolders.size > 5000) this.#madeFolders = new Set();
    try {
      fs.mkdirSync(path, { recursive: true });
    } catch (error) {
      throw toUnavailableError(error, path);
    }
    this.#madeFolders.add(path);
  }

  /** Removes the files of the last export that are in this one no longer, with folders that are empty then; and writes the list. */
  finish(): void {
    const kept = new Set<string>();
    for (const { files } of this.#after.values()) for (const file of files) kept.add(file);
    for (const file of this.#known) if (!kept.has(file)) this.#remove(file);
    this.write(this.#listName, Buffer.from(formatExportList(this.#after.values())));
    this.close();
    fs.rmSync(join(this.root, `${this.#listName}.new`), { force: true });
  }

  close(): void {
    if (this.#journal !== undefined) fs.closeSync(this.#journal);
    this.#journal = undefined;
  }

  #remove(file: string): void {
    const path = join(this.root, file);
    if (!fs.existsSync(path)) return;
    fs.rmSync(path);
    this.removed++;
    for (let folder = dirname(path); folder !== this.root; folder = dirname(folder)) {
      if (fs.readdirSync(folder).length > 0) return;
      fs.rmdirSync(folder);
    }
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
