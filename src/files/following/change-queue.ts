/** Queue of changes to be rescanned together, once no more arrive for a moment. During a rescan, new ones collect. */
import { type Scope, scopeKey, scopeToReread, type Unit } from '../../catalogue/layout.ts';
import type { Steps } from '../../catalogue/steps.ts';
import { makeRegularPause, runStepsInSlices } from '../reading/event-loop.ts';
import type { UnitStore } from '../reading/unit-store.ts';
import { isGitAtWork } from './git-lock.ts';

export interface ChangeQueueOptions {
  readonly store: UnitStore;
  /** True if the files of the unit are watched, and as they were read: then they are not rescanned. */
  readonly isUnchanged: (unit: Unit) => Steps<boolean>;
  /** Reads the files in the scopes again. @param count of the scopes with changes, those of unchanged units among them */
  readonly rescan: (scopes: readonly Scope[], count: number) => Promise<void>;
}

/** Milliseconds without a change after which a rescan begins, and the longest wait for that. */
const quiet = 20;
const longest = 250;
/**
 * Longer waits in a burst of changes, so that thousands of them take few rescans. `quiet` and `longest` are upper limits
 * in milliseconds, reached by adding `quietEach` and `longestEach` for each recent change.
 */
const burst = { quiet: 300, longest: 2000, quietEach: 0.5, longestEach: 5 };
/** Milliseconds between two looks whether git is still at work. */
const lookAtGitEvery = 50;
/** Half-life of the count of recent changes, in milliseconds. */
const halfLife = 1000;
/** Number of folders from which the whole catalogue is scanned instead: each of them takes a look at all namespaces. */
const manyFolders = 50;
/** Milliseconds that a record may be missing or empty: editors move the old file aside before they write the new one. */
const writeTime = 80;

export class ChangeQueue {
  readonly #options: ChangeQueueOptions;
  /** Paths that changed, and the scopes to which they belong. */
  #paths = new Set<string>();
  #scopes = new Map<string, Scope>();
  #scheduled = new Map<string, Scope>();
  /** Units whose record is being written, to be rescanned later. */
  readonly #postponed = new Map<string, Scope>();
  readonly #timers = new Set<NodeJS.Timeout>();
  #waiting = false;
  #rescanning: Promise<void> | undefined;
  #firstChange = 0;
  #lastChange = 0;
  #count = 0;
  #countedAt = 0;
  #closed = false;
  /** Number of holders that wait for no rescan to begin. */
  #held = 0;

  constructor(options: ChangeQueueOptions) {
    this.#options = options;
  }

  /** Lets no rescan begin until `release`; resolves when the current one has ended. */
  async hold(): Promise<void> {
    this.#held++;
    await this.#rescanning;
  }

  /** Ends one `hold`. */
  release(): void {
    this.#held--;
    if (this.#paths.size + this.#scheduled.size > 0) this.#wait();
  }

  /** Approximate number of scopes that were rescanned in the last second or two. */
  get recentCount(): number {
    return this.#count * 0.5 ** ((performance.now() - this.#countedAt) / halfLife);
  }

  /** Adds the path of a change, relative to the catalogue folder. */
  push(path: string): void {
    const isKnown = this.#paths.has(path);
    const scope = isKnown ? null : scopeToReread(path);
    if (scope && this.#options.store.added.leaveForLater(scope)) return;
    this.#wait();
    if (isKnown) return;
    this.#paths.add(path);
    if (scope !== null) this.#scopes.set(scopeKey(scope), scope);
  }

  /** Adds a scope that is rescanned even if its record seems to be being written. */
  schedule(scope: Scope): void {
    this.#scheduled.set(scopeKey(scope), scope);
    this.#wait();
  }

  /** Drops the changes in the queue, and waits for the current rescan. */
  async close(): Promise<void> {
    this.#closed = true;
    for (const timer of this.#timers) clearTimeout(timer);
    await this.#rescanning;
  }

  #wait(): void {
    this.#lastChange = performance.now();
    if (this.#waiting || this.#rescanning || this.#held > 0 || this.#closed) return;
    this.#waiting = true;
    this.#firstChange = this.#lastChange;
    this.#setTimer(quiet, () => this.#rescanIfQuiet());
  }

  #rescanIfQuiet(): void {
    if (this.#held > 0) {
      this.#waiting = false;
      return;
    }
    const now = performance.now();
    const { recentCount } = this;
    const quietAt = this.#lastChange + Math.max(quiet, Math.min(burst.quietEach * recentCount, burst.quiet));
    const deadline = this.#firstChange + Math.max(longest, Math.min(burst.longestEach * recentCount, burst.longest));
    if (now < quietAt && now < deadline) {
      this.#setTimer(Math.min(quietAt, deadline) - now, () => this.#rescanIfQuiet());
      return;
    }
    if (isGitAtWork(this.#options.store.tree.root)) {
      this.#setTimer(lookAtGitEvery, () => this.#rescanIfQuiet());
      return;
    }
    this.#waiting = false;
    const scheduled = this.#scheduled;
    const scopes = this.#takeScopes();
    if (scopes.size === 0) return;
    this.#count = recentCount + scopes.size;
    this.#countedAt = now;
    this.#rescanning = this.#rescan(scopes, scheduled).finally(() => {
      this.#rescanning = undefined;
      if (this.#paths.size + this.#scheduled.size > 0) this.#wait();
    });
  }

  /** Empties the queue. */
  #takeScopes(): Map<string, Scope> {
    const scopes = this.#scopes;
    for (const [key, scope] of this.#scheduled) scopes.set(key, scope);
    this.#paths = new Set();
    this.#scopes = new Map();
    this.#scheduled = new Map();
    return scopes;
  }

  /**
   * Rescans the scopes, except units that are unchanged, and those whose records are being written: these are postponed.
   * @param scheduled scopes that are rescanned in any case
   */
  async #rescan(scopes: Map<string, Scope>, scheduled: ReadonlyMap<string, Scope>): Promise<void> {
    const { size } = scopes;
    const pause = makeRegularPause();
    for (const [key, scope] of scopes) {
      if ('folder' in scope) continue;
      if (isWithinAny(scopes, key)) scopes.delete(key);
      else if (await runStepsInSlices(this.#options.isUnchanged(scope))) {
        this.#postponed.delete(key);
        scopes.delete(key);
      } else if (!scheduled.has(key)) {
        if (!(await runStepsInSlices(this.#options.store.isBeingWritten(scope)))) this.#postponed.delete(key);
        else {
          scopes.delete(key);
          this.#postpone(key, scope);
        }
      }
      await pause();
    }
    await this.#options.rescan(isAboutAll(scopes) ? [{ folder: '' }] : [...scopes.values()], size);
  }

  #postpone(key: string, scope: Scope): void {
    if (this.#postponed.has(key)) return;
    this.#postponed.set(key, scope);
    this.#setTimer(writeTime, () => {
      if (this.#postponed.get(key) !== scope) return;
      this.#postponed.delete(key);
      this.schedule(scope);
    });
  }

  #setTimer(delay: number, work: () => void): void {
    if (this.#closed) return;
    const timer = setTimeout(() => {
      this.#timers.delete(timer);
      work();
    }, delay);
    this.#timers.add(timer);
  }
}

/** True if all is to be scanned: because of a change at the top, or in many folders, as when git adds or `chown` changes many namespaces. */
const isAboutAll = (scopes: ReadonlyMap<string, Scope>): boolean =>
  scopes.has('') || [...scopes.values()].filter((scope) => 'folder' in scope).length >= manyFolders;

/** True if a unit lies in one of the folders among the scopes. */
function isWithinAny(scopes: ReadonlyMap<string, Scope>, key: string): boolean {
  for (let end = key.lastIndexOf('/'); end > 0; end = key.lastIndexOf('/', end - 1))
    if (scopes.has(key.slice(0, end + 1))) return true;
  return false;
}
