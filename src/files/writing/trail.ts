/**
 * The trail of a write: who writes, and what the write leaves on disk. It goes beside the calls and not through them:
 * the pen and the mover leave it, the trash signs with it and git follows it, and nothing in between has to pass it on.
 */
import { AsyncLocalStorage } from 'node:async_hooks';

/** What one write did in the catalogue folder; paths are relative to it, with slashes. */
export class Trail {
  /** Username; null for one who has the folder in hand. */
  readonly by: string | null;
  /** Files and folders that came, went or changed: what is to be said of them is what the disk says. */
  readonly places = new Set<string>();
  /** Records as they were written: another write may follow before anybody looks. */
  readonly texts = new Map<string, string>();
  /** Called at the first step, while it is still locked: so the order of the calls is that of the writes. */
  readonly #onFirst: () => void;
  #begun = false;

  constructor(by: string | null, onFirst: () => void = () => {}) {
    this.by = by;
    this.#onFirst = onFirst;
  }

  wrote(path: string, text: string): void {
    this.#begin();
    this.texts.set(path, text);
  }

  touched(path: string): void {
    this.#begin();
    for (const written of this.texts.keys()) if (isWithin(written, path)) this.texts.delete(written);
    this.places.add(path);
  }

  moved(from: string, to: string): void {
    const taken = [...this.texts].filter(([path]) => isWithin(path, from));
    this.touched(from);
    this.touched(to);
    for (const [path, text] of taken) this.texts.set(to + path.slice(from.length), text);
  }

  #begin(): void {
    if (this.#begun) return;
    this.#begun = true;
    this.#onFirst();
  }
}

const isWithin = (path: string, place: string) => path === place || path.startsWith(`${place}/`);

const trails = new AsyncLocalStorage<Trail>();

/** Does the work; whatever it writes leaves its trail here. */
export const leaving = <T>(trail: Trail, work: () => Promise<T>): Promise<T> => trails.run(trail, work);

/** Who writes; null for one who has the folder in hand. */
export const writtenBy = (): string | null => trails.getStore()?.by ?? null;

/** Says that a record was written, and what it says now. */
export const wrote = (path: string, text: string): void => trails.getStore()?.wrote(path, text);

/** Says that a file or folder came or went. */
export const touched = (path: string): void => trails.getStore()?.touched(path);

/** Says that a file or folder has another path now. */
export const moved = (from: string, to: string): void => trails.getStore()?.moved(from, to);
