/**
 * What is rumoured to have changed: collected until it is quiet, and then looked into in one go. While that look is
 * taken, the next rumours collect.
 */
import { scopeAt, type Unit, unitKey } from '../../catalogue/layout.ts';
import type { Scope } from '../reading/unit-store.ts';

export interface ChangeQueueOptions {
  /** Looks into what may have changed. */
  readonly rescan: (scopes: readonly Scope[]) => Promise<void>;
  /** Whether a record of the unit is missing or empty, as it is for a moment while it is written. */
  readonly isBeingWritten: (unit: Unit) => boolean;
}

/** Milliseconds without a rumour after which it is quiet, and the longest wait for that. */
const quiet = 20;
const longest = 250;
/**
 * The more was looked at lately, the longer the waits, so that a burst of thousands is looked at in few steps: up to so
 * many milliseconds, for so many milliseconds of quiet and of wait per unit.
 */
const burst = { quiet: 300, longest: 2000, quietEach: 0.5, longestEach: 5 };
/** Milliseconds after which half of what was looked at is forgotten. */
const halfLife = 1000;
/** How long a record may be missing or empty before it is believed: editors move the old one aside, then write the new. */
const absence = 80;

export class ChangeQueue {
  readonly #options: ChangeQueueOptions;
  #paths = new Set<string>();
  #owed = new Map<string, Scope>();
  /** Units with a record that is given some time to come. */
  readonly #held = new Map<string, Scope>();
  readonly #timers = new Set<NodeJS.Timeout>();
  #waiting = false;
  #looking: Promise<void> | undefined;
  #first = 0;
  #last = 0;
  #lately = 0;
  #lookedAt = 0;
  #closed = false;

  constructor(options: ChangeQueueOptions) {
    this.#options = options;
  }

  /** About how many units were looked at in the last second or two. */
  get recentCount(): number {
    return this.#lately * 0.5 ** ((performance.now() - this.#lookedAt) / halfLife);
  }

  /** Something happened at a path, relative to the catalogue folder. */
  push(path: string): void {
    this.#paths.add(path);
    this.#await();
  }

  /** Something has to be looked at, whatever happened there. */
  schedule(scope: Scope): void {
    this.#owed.set('folder' in scope ? scope.folder : unitKey(scope), scope);
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
    const { recentCount: lately } = this;
    const calm = this.#last + Math.max(quiet, Math.min(burst.quietEach * lately, burst.quiet));
    const deadline = this.#first + Math.max(longest, Math.min(burst.longestEach * lately, burst.longest));
    if (now < calm && now < deadline) {
      this.#after(Math.min(calm, deadline) - now, () => this.#whenQuiet());
      return;
    }
    this.#waiting = false;
    const scopes = this.#taken();
    if (scopes.length === 0) return;
    this.#lately = lately + scopes.length;
    this.#lookedAt = now;
    this.#looking = this.#options.rescan(scopes).finally(() => {
      this.#looking = undefined;
      if (this.#paths.size + this.#owed.size > 0) this.#await();
    });
  }

  /** What is to be looked at now; a unit whose records are being written is left aside for a moment. */
  #taken(): readonly Scope[] {
    const scopes = new Map<string, Scope>();
    for (const path of this.#paths) {
      const place = scopeAt(path);
      if (place !== null) scopes.set('folder' in place ? place.folder : unitKey(place), place);
    }
    for (const [key, scope] of scopes) {
      if ('folder' in scope) continue;
      if (!this.#options.isBeingWritten(scope)) this.#held.delete(key);
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
      this.schedule(scope);
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
