/** A tree with pending changes: it reads as if they had been made. */
import { recordFormat } from '../../catalogue/layout.ts';
import { type Parsed, parseRecordText, type RecordText } from '../../text/parse.ts';
import { type FileTree, isWithin, parentOf, readOrNull, type Stamp, type TreeEntry } from './file-tree.ts';

interface PendingFile {
  /** Undefined for bytes that are not a record. */
  readonly record?: RecordText;
  readonly size: number;
}

type Relocation = { readonly from: string; readonly to: string | null };

const nameIn = (path: string) => path.slice(path.lastIndexOf('/') + 1);

export class OverlayTree implements FileTree {
  readonly #base: FileTree;
  readonly #pending = new Map<string, PendingFile>();
  /** Names of pending files and of the folders above them, by folder; true for a folder. Made when it is needed. */
  #pendingNames: Map<string, Map<string, boolean>> | undefined;
  /** Files and folders that were moved or removed, in order. */
  readonly #relocations: Relocation[] = [];

  /** Folders that the base tree lacks: nothing has to be looked for in them. */
  readonly #missing: ReadonlySet<string>;

  #hasOnlyTexts = true;

  /** @param missing folders that are known to be missing in the base tree */
  constructor(base: FileTree, missing: ReadonlySet<string> = new Set()) {
    this.#base = base;
    this.#missing = missing;
  }

  /** True for a path in a folder that is known to be missing in the base tree. */
  isInMissingFolder(path: string): boolean {
    if (this.#missing.size === 0) return false;
    for (let end = path.length; end > 0; end = path.lastIndexOf('/', end - 1))
      if (this.#missing.has(path.slice(0, end))) return true;
    return false;
  }

  /** True if all changes are texts of records. */
  get hasOnlyTexts(): boolean {
    return this.#hasOnlyTexts;
  }

  /** Sets the text of a record. */
  write(path: string, record: RecordText): void {
    this.#pending.set(path, { record, size: Buffer.byteLength(record.text) });
    this.#addPendingName(path);
  }

  /** Adds bytes that are not read as a record. */
  add(path: string, size: number): void {
    this.#hasOnlyTexts = false;
    this.#pending.set(path, { size });
    this.#addPendingName(path);
  }

  /** Removes a file, or a folder with everything in it. */
  remove(path: string): void {
    this.#hasOnlyTexts = false;
    for (const pending of [...this.#pending.keys()]) if (isWithin(pending, path)) this.#pending.delete(pending);
    this.#relocations.push({ from: path, to: null });
    this.#pendingNames = undefined;
  }

  /** Moves a file, or a folder with everything in it. */
  move(from: string, to: string): void {
    this.#hasOnlyTexts = false;
    for (const [path, file] of [...this.#pending])
      if (isWithin(path, from)) {
        this.#pending.delete(path);
        this.#pending.set(to + path.slice(from.length), file);
      }
    this.#relocations.push({ from, to });
    this.#pendingNames = undefined;
  }

  /** Parsed text of a record; undefined if it is missing, or can't be read. */
  parsed(path: string): Parsed | undefined {
    const record = this.#pending.get(path)?.record;
    if (record) return record.parsed;
    const read = readOrNull(this, path);
    return read ? (read.parsed ?? parseRecordText(read.text, recordFormat(path))) : undefined;
  }

  stamp(path: string): Stamp | null {
    const file = this.#pending.get(path);
    if (file) return { ino: 0, size: file.size, mtime: -1, ctime: 0 };
    // A folder with pending files has other names than on disk.
    if (this.#pendingNamesIn(path)) return folderStamp;
    const place = this.#baseOf(path);
    if (place === null) return null;
    const hasOtherNames = this.#relocations.some((one) => [one.from, one.to ?? one.from].map(parentOf).includes(path));
    return hasOtherNames ? folderStamp : this.#base.stamp(place);
  }

  names(path: string): readonly TreeEntry[] {
    const folder = path.replace(/\/$/, '');
    const prefix = folder === '' ? '' : `${folder}/`;
    const entries = new Map<string, TreeEntry>();
    const place = this.#baseOf(folder);
    for (const entry of place === null ? [] : this.#base.names(place))
      if (this.#baseOf(prefix + entry.name) !== null) entries.set(entry.name, entry);
    for (const { from, to } of this.#relocations)
      if (to !== null && parentOf(to) === folder && this.#baseOf(to) !== null) {
        const moved = this.#base.names(parentOf(from)).find(({ name }) => name === nameIn(from));
        entries.set(nameIn(to), entryOf(nameIn(to), moved?.isDirectory() ?? false));
      }
    for (const [name, isFolder] of this.#pendingNamesIn(folder) ?? [])
      if (!entries.has(name)) entries.set(name, entryOf(name, isFolder));
    return [...entries.values()].sort((a, b) => (a.name < b.name ? -1 : 1));
  }

  isFolder(parent: string, entry: TreeEntry): boolean {
    if (!entry.isSymbolicLink()) return entry.isDirectory();
    return this.#base.isFolder(parent, entry);
  }

  read(path: string): { readonly text: string; readonly stamp: Stamp; readonly parsed?: Parsed } | null {
    const file = this.#pending.get(path);
    const stamp = file && this.stamp(path);
    if (stamp && file.record) return { text: file.record.text, stamp, parsed: file.record.parsed };
    const place = this.#baseOf(path);
    return place === null ? null : this.#base.read(place);
  }

  isLfsPointer(path: string): boolean {
    const place = this.#pending.has(path) ? null : this.#baseOf(path);
    return place !== null && this.#base.isLfsPointer(place);
  }

  #pendingNamesIn(folder: string): ReadonlyMap<string, boolean> | undefined {
    if (!this.#pendingNames) {
      this.#pendingNames = new Map();
      for (const path of this.#pending.keys()) this.#addPendingName(path);
    }
    return this.#pendingNames.get(folder);
  }

  #addPendingName(path: string): void {
    if (!this.#pendingNames) return;
    for (let isFolder = false, place = path; place !== ''; place = parentOf(place), isFolder = true) {
      const names = this.#pendingNames.get(parentOf(place));
      if (names?.has(nameIn(place))) return;
      if (names) names.set(nameIn(place), isFolder);
      else this.#pendingNames.set(parentOf(place), new Map([[nameIn(place), isFolder]]));
    }
  }

  /** Path in the base tree of what is at a path now; null if nothing of the base tree is. */
  #baseOf(path: string): string | null {
    if (this.isInMissingFolder(path)) return null;
    let place = path;
    for (const { from, to } of this.#relocations.toReversed())
      if (to !== null && isWithin(place, to)) place = from + place.slice(to.length);
      else if (isWithin(place, from)) return null;
    return place;
  }
}

const folderStamp: Stamp = { ino: 0, size: 0, mtime: -1, ctime: 0 };

const entryOf = (name: string, isFolder: boolean): TreeEntry => ({
  name,
  isDirectory: () => isFolder,
  isSymbolicLink: () => false,
});
