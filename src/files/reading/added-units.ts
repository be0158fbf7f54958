/**
 * Units that this process adds with many others, as in a push, while the folder is followed. Nobody else needs to look at them
 * meanwhile: scans leave them out, and they are watched and compared with their files once no more of them come.
 */
import { type Unit, unitKey } from '../../catalogue/layout.ts';

/** Milliseconds without another one after which they are taken, and from the first one until they are taken in any case. */
const taking = { quiet: 1000, longest: 10_000 };

export class AddedUnits {
  readonly #units = new Map<string, Unit>();
  /** When the first and the last of them were added. */
  #since = 0;
  #last = 0;
  /** True while somebody takes them. */
  isFollowed = false;

  get size(): number {
    return this.#units.size;
  }

  has(key: string): boolean {
    return this.#units.has(key);
  }

  add(unit: Unit): void {
    if (!this.isFollowed) return;
    this.#last = performance.now();
    if (this.#units.size === 0) this.#since = this.#last;
    this.#units.set(unitKey(unit), unit);
  }

  /** All of them, once no more come; they are left to the caller then. */
  take({ quiet, longest } = taking): readonly Unit[] {
    const now = performance.now();
    if (now - this.#last < quiet && now - this.#since < longest) return [];
    const units = [...this.#units.values()];
    this.#units.clear();
    return units;
  }
}
