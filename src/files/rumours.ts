/**
 * What is rumoured to have changed: collected until it is quiet, and then looked into in one go. While that look is
 * taken, the next rumours collect.
 */
import { keyOf, placeOf, type Unit } from './layout.ts';
import type { Scope } from './store.ts';

export interface RumoursOptions {
  /** Looks into what may have changed. */
  readonly look: (scopes: readonly Scope[]) => Promise<void>;
  /** Whether a record of the unit is missing that was there. */
  readonly lacks: (unit: Unit) => boolean;
}

/** Milliseconds without a rumour after which it is quiet. */
const quiet = 20;
/** The longest wait for quiet; in a long burst it doubles from look to look, so that there are few. */
const longest = 250;
const longestInBurst = 2000;
/** So many rumours at once are a burst. */
const burst = 50;
/** How long a record's file may be away before it counts as gone: editors move it aside before they write the new one. */
const absence = 80;

export class Rumours {
  readonly #options: RumoursOptions;
  #paths = new Set<string>();
  #owed = new Map<string, Scope>();
  /** Units that lost a record, which is given some time to come back. */
  readonly #held = new Map<string, Scope>();
  readonly #timers = new Set<NodeJS.Timeout>();
  #waiting = false;
  #looking: Promise<void> | undefined;
  #first = 0;
  #last = 0;
  #patience = longest;
  #closed = false;

  constructor(options: RumoursOptions) {
    this.#options = options;
  }

  /** Something happened at a path, relative to the catalogue folder. */
  hear(path: string): void {
    this.#paths.add(path);
    this.#await();
  }

  /** Something has to be looked at, whatever happened there. */
  owe(scope: Scope): void {
    this.#owed.set('folder' in scope ? scope.folder : keyOf(scope), scope);
    this.#await();
  }

  /** Forgets what is open, and waits for the look that is being taken. */
  async close(): Promise<void> {
    this.#closed = true;
    for (const timer of this.#timers) clearTimeout(timer);
    await this.#looking;
  }

  #await(): void {
    this.#last = performance.now();
    if (this.#waiting || this.#looking || this.#closed) return;
    this.#waiting = true;
    this.#first = this.#last;
    this.#after(quiet, () => this.#whenQuiet());
  }

  #whenQuiet(): void {
    const now = performance.now();
    const calm = this.#last + quiet;
    const deadline = this.#first + this.#patience;
    if (now < calm && now < deadline) {
      this.#after(Math.min(calm, deadline) - now, () => this.#whenQuiet());
      return;
    }
    const many = this.#paths.size + this.#owed.size > burst;
    this.#patience = many && now >= deadline ? Math.min(2 * this.#patience, longestInBurst) : longest;
    this.#waiting = false;
    const scopes = this.#taken();
    if (scopes.length === 0) return;
    this.#looking = this.#options.look(scopes).finally(() => {
      this.#looking = undefined;
      if (this.#paths.size + this.#owed.size > 0) this.#await();
    });
  }

  /** What is to be looked at now; a unit that has only just lost a record is left aside for a moment. */
  #taken(): readonly Scope[] {
    const scopes = new Map<string, Scope>();
    for (const path of this.#paths) {
      const place = placeOf(path);
      if (place !== null) scopes.set('folder' in place ? place.folder : keyOf(place), place);
    }
    for (const [key, scope] of scopes) {
      if ('folder' in scope) continue;
      if (!this.#options.lacks(scope)) this.#held.delete(key);
      else {
        scopes.delete(key);
        this.#hold(key, scope);
      }
    }
    for (const [key, scope] of this.#owed) scopes.set(key, scope);
    this.#paths = new Set();
    this.#owed = new Map();
    return scopes.has('') ? [{ folder: '' }] : [...scopes.values()];
  }

  #hold(key: string, scope: Scope): void {
    if (this.#held.has(key)) return;
    this.#held.set(key, scope);
    this.#after(absence, () => {
      if (this.#held.get(key) !== scope) return;
      this.#held.delete(key);
      this.owe(scope);
    });
  }

  #after(delay: number, work: () => void): void {
    const timer = setTimeout(() => {
      this.#timers.delete(timer);
      work();
    }, delay);
    this.#timers.add(timer);
  }
}
