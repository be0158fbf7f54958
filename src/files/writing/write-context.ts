/** Context of a write: who writes, and what it changed on disk. The trash and git use it. */
import { isWithin } from '../tree/file-tree.ts';

/** Changes of one write; paths are relative to the catalogue folder. */
export class WriteContext {
  /** Username; null for the local admin. */
  readonly by: string | null;
  /** Paths of files and folders that were added, removed or changed, other than those in `texts`. */
  readonly paths = new Set<string>();
  /** Texts of records as they were written, by path: another write may change the files before they are committed. */
  readonly texts = new Map<string, string>();
  /** Ids of the entries of the trash that were made. */
  readonly trashed = new Set<string>();
  readonly #onFirstChange: (path: string) => void;
  #hasChanged = false;

  /** @param onFirstChange called with the path of the first change, under its lock: so the order of these calls is that of the writes */
  constructor(by: string | null, onFirstChange: (path: string) => void = () => {}) {
    this.by = by;
    this.#onFirstChange = onFirstChange;
  }

  /** Records that a record was written. */
  wrote(path: string, text: string): void {
    this.#begin(path);
    this.texts.set(path, text);
  }

  /** Records that a file or folder was added or removed. */
  touched(path: string): void {
    this.#begin(path);
    for (const written of this.texts.keys()) if (isWithin(written, path)) this.texts.delete(written);
    this.paths.add(path);
  }

  /** Records that a file or folder was moved. */
  moved(from: string, to: string): void {
    const taken = [...this.texts].filter(([path]) => isWithin(path, from));
    this.touched(from);
    this.touched(to);
    for (const [path, text] of taken) this.texts.set(to + path.slice(from.length), text);
  }

  #begin(path: string): void {
    if (this.#hasChanged) return;
    this.#hasChanged = true;
    this.#onFirstChange(path);
  }
}
