/**
 * Units that this process adds with many others, as in a push, while the folder is followed. Nobody else needs to look at them
 * meanwhile: scans leave them out, and they are watched and compared with their files once no more of them come. The same goes
 * for the folder of a namespace that gets them, which changes with each of them.
 */
import { datasetsFolder, namespaceFolder, type Scope, scopeKey, type Unit, unitKey } from '../../catalogue/layout.ts';

/** Milliseconds without another one after which they are taken, and from the first one until they are taken in any case. */
const taking = { quiet: 1000, longest: 10_000 };

export class AddedUnits {
  readonly #units = new Map<string, Unit>();
  /** Folders of the namespaces that have some of the units; true for those that were left for later. */
  readonly #folders = new Map<string, boolean>();
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
    if (unit.kind !== 'dataset') return;
    for (const folder of [namespaceFolder, datasetsFolder].map((of) => `${of(unit.namespace)}/`))
      if (!this.#folders.has(folder)) this.#folders.set(folder, false);
  }

  /** True if a scope that has changed is one of them, or a folder of theirs: it is taken with them. */
  leaveForLater(scope: Scope): boolean {
    if (!('folder' in scope)) return this.has(scopeKey(scope));
    if (!this.#folders.has(scope.folder)) return false;
    this.#folders.set(scope.folder, true);
    return true;
  }

  /** All of them, and the folders that were left for later, once no more come; they are left to the caller then. */
  take({ quiet, longest } = taking): readonly Scope[] {
    const now = performance.now();
    if (now - this.#last < quiet && now - this.#since < longest) return [];
    const folders = [...this.#folders].flatMap(([folder, isLeft]) => (isLeft ? [{ folder }] : []));
    const scopes = [...this.#units.values(), ...folders];
    this.#units.clear();
    this.#folders.clear();
    return scopes;
  }
}
