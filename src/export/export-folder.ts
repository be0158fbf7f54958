/**
 * The folder of an export: files that are written only if their bytes change, and a list of them, by which the next export knows
 * what it may replace or remove. Files that aren't in the list are of others, and stay.
 */
import * as fs from 'node:fs';
import { dirname, join } from 'node:path';
import { ConflictError } from '../catalogue/errors.ts';
import { isTemporaryFile, removeAbandonedTemporaries } from '../disk/durable.ts';
import { formatExportList, parseExportList, type Unit } from './export-list.ts';
import { type ExportFolderOptions, FolderWriter } from './folder-writer.ts';
import type { HiddenFiles } from './hidden-files.ts';
import type { TablesPlace } from './tables-place.ts';

/** Age in milliseconds from which a temporary file counts as abandoned, even if its writer may still run. */
const aDay = 86_400_000;

export class ExportFolder extends FolderWriter implements TablesPlace {
  readonly concurrency = 1;
  /** Units of the export before. */
  readonly #before = new Map<string, Unit>();
  readonly #after = new Map<string, Unit>();
  /** Further files that are known as ours: of units that were written anew before the program ended, and replaced ones of others. */
  readonly #further = new Set<string>();
  removed = 0;

  /**
   * Opens the folder, which is made with the first file.
   * @throws ConflictError if it has files and is no export
   */
  constructor(folder: string, options: ExportFolderOptions = {}) {
    super(folder, options);
    const names = fs.existsSync(this.root) ? fs.readdirSync(this.root) : [];
    const lists = [this.listName, `${this.listName}.new`];
    const isOwn = lists.some((name) => names.includes(name));
    const other = names.find((name) => name !== '.git' && !isTemporaryFile(name));
    if (!isOwn && other !== undefined && !this.mayReplace)
      throw new ConflictError(
        `${folder} isn't empty and is no export (${other} is in it). Name another folder, or export into this one with --force.`,
      );
    for (const name of lists) this.#readList(join(this.root, name));
  }

  #readList(path: string, isWanted = (_name: string) => true): void {
    if (!fs.existsSync(path)) return;
    for (const unit of parseExportList(fs.readFileSync(path, 'utf8'))) {
      if (!isWanted(unit.name)) continue;
      // When its writer ended, the unit had been announced or written anew: it may have files of each list.
      const listed = new Set(unit.files);
      for (const file of this.filesBefore(unit.name)) if (!listed.has(file)) this.#further.add(file);
      this.#before.set(unit.name, unit);
    }
  }

  /** Removes temporary files of an export that was killed, in the folders that it was writing. */
  async removeLeftovers(): Promise<void> {
    if (!fs.existsSync(this.journalPath)) return;
    const folders = new Set<string>();
    for (const { fingerprint, files } of this.#before.values())
      if (fingerprint === '') for (const file of files) folders.add(dirname(join(this.root, file)));
    for (const folder of folders) await removeAbandonedTemporaries(folder, aDay);
  }

  /** Number of files of this export, also of those that were kept, and of their list. */
  get fileCount(): number {
    let count = 1;
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

  /** Files that the last export wrote for a unit. */
  filesBefore(name: string): readonly string[] {
    return this.#before.get(name)?.files ?? [];
  }

  override beginUnit(name: string, files: readonly string[]): void {
    super.beginUnit(name, files, this.filesBefore(name));
  }

  override endUnit(name: string, fingerprint: string, files: readonly string[]): Unit {
    const unit = super.endUnit(name, fingerprint, files);
    this.takeUnit(unit);
    return unit;
  }

  /** Takes a unit that another writer has written into this folder. */
  takeUnit(unit: Unit): void {
    this.#after.set(unit.name, unit);
  }

  /** Takes the files of units that another writer of this folder has begun, and not ended. @param names of the units */
  takeUnfinished(names: readonly string[]): void {
    if (names.length > 0) this.#readList(this.journalPath, (name) => names.includes(name));
  }

  /** Asked for few files: those that a unit begins to have while another one had them. */
  protected override isOfOtherUnit(file: string): boolean {
    if (this.#further.has(file)) return true;
    for (const { files } of this.#before.values()) if (files.includes(file)) return true;
    return false;
  }

  protected override replacesFileOfOthers(file: string): void {
    this.#further.add(file);
  }

  get unitsBefore(): readonly string[] {
    return [...this.#before.keys()];
  }

  /** Removes hidden files of the last export. The units that have lost files are written anew. @returns their names */
  removeHidden(hiddenIn: HiddenFiles): ReadonlySet<string> {
    const changed = new Map<string, Unit>();
    const hidden = new Set<string>();
    const shown = new Set<string>();
    for (const unit of this.#before.values()) {
      const isHidden = hiddenIn(unit.name);
      const files = unit.files.filter((file) => !isHidden?.(file));
      if (files.length < unit.files.length) changed.set(unit.name, { name: unit.name, fingerprint: '', files });
      if (isHidden) for (const file of unit.files) if (isHidden(file)) hidden.add(file);
    }
    if (changed.size === 0) return new Set();
    // Another unit may have the file by now.
    for (const unit of this.#before.values())
      for (const file of (changed.get(unit.name) ?? unit).files) if (hidden.has(file)) shown.add(file);
    for (const file of hidden) if (!shown.has(file)) this.#remove(file);
    // Behind the removal: a full disk doesn't keep them online.
    for (const [name, unit] of changed) {
      this.#before.set(name, unit);
      this.note(unit);
    }
    return new Set(changed.keys());
  }

  /** Removes the files of the last export that are in this one no longer, with folders that are empty then; and writes the list. */
  finish(): void {
    for (const file of this.#staleFiles()) this.#remove(file);
    this.write(this.listName, Buffer.from(formatExportList(this.#after.values())));
    this.close();
    fs.rmSync(this.journalPath, { force: true });
  }

  #staleFiles(): ReadonlySet<string> {
    const stale = new Set(this.#further);
    for (const unit of this.#before.values()) {
      const now = this.#after.get(unit.name);
      if (now === unit) continue;
      const kept = new Set(now?.files);
      for (const file of unit.files) if (!kept.has(file)) stale.add(file);
    }
    if (stale.size > 0) for (const { files } of this.#after.values()) for (const file of files) stale.delete(file);
    return stale;
  }

  #remove(file: string): void {
    const path = join(this.root, file);
    if (!fs.existsSync(path)) return;
    if (fs.realpathSync(dirname(path)) !== dirname(join(fs.realpathSync(this.root), file)))
      throw new ConflictError(
        `${path} is out of date, and lies behind a link: in a folder of others. Remove it yourself.`,
      );
    fs.rmSync(path);
    this.removed++;
    for (let folder = dirname(path); folder !== this.root; folder = dirname(folder)) {
      if (fs.readdirSync(folder).length > 0) return;
      fs.rmdirSync(folder);
    }
  }
}
