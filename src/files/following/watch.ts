/**
 * Follows a catalogue folder as it changes. Watchers report changes, and a scan of the whole folder every so often finds those that
 * they missed. Datasets that can't be watched are polled: their stamps are compared every few seconds, and the state of git and the
 * journal of our own writes make the usual changes known at once. If not even the folders above the datasets can be watched, the
 * whole folder is scanned every few seconds. While git changes files, nothing is read: its steps are neither before nor after.
 */
import { setImmediate as nextTurn } from 'node:timers/promises';
import { type Scope, type Unit, unitKey } from '../../catalogue/layout.ts';
import { runStepsInSlices } from '../reading/event-loop.ts';
import { haveUnchangedFilesInSteps } from '../reading/unchanged-files.ts';
import type { UnitStore } from '../reading/unit-store.ts';
import { ChangeHints } from './change-hints.ts';
import { ChangeQueue } from './change-queue.ts';
import { isGitAtWork } from './git-lock.ts';
import { sortByLastChange, UnwatchedPoller } from './unwatched-poller.ts';
import { countWatchedFolders, pollingReason, watchBudget } from './watch-budget.ts';
import { folderPrefix, isRescannedSoon, unitsBelow } from './watched-units.ts';
import { Watchers } from './watchers.ts';

export interface WatchOptions {
  readonly log: (line: string) => void;
  /** Reads the files in the scopes again. */
  readonly refresh: (scopes: readonly Scope[]) => Promise<void>;
  /** Maximum number of watched folders; default: what the system's limits allow. The rest is polled. */
  readonly budget?: number | undefined;
  /** Milliseconds between two full scans while the folder is watched; default 30,000. */
  readonly scanEvery?: number | undefined;
}

/** `polling`: not everything is watched. `lost`: the folder is gone, or isn't a catalogue any more. */
export type WatchState = 'starting' | 'watching' | 'polling' | 'lost';

/** Milliseconds between two ticks: checks that the folder is there, and of git and the journal if it is polled. */
const tickEvery = 250;
/** Milliseconds between two full scans while the folder isn't watched (yet). */
const pollEvery = 2000;
/** Full scans take at most a fifth of the time. */
const scanShare = 5;
/** After this many changes at once, the system may have lost some. */
const flood = 500;
/** With more recent changes than this, a full scan waits, for at most `maxDelay` milliseconds: it would delay them. */
const busy = 50;
const maxDelay = 30_000;

export class Watch {
  readonly #store: UnitStore;
  readonly #options: WatchOptions;
  readonly #changes: ChangeQueue;
  #watchers: Watchers | undefined;
  readonly #poller: UnwatchedPoller;
  #state: WatchState = 'starting';
  #rootIdentity: string | null = null;
  #hints: ChangeHints | undefined;
  #timer: NodeJS.Timeout | undefined;
  #scanAt = 0;
  #scanning: Promise<void> | undefined;
  /** Number of rescans that are updating the watchers, and the datasets that they have begun to watch. */
  #updating = 0;
  readonly #newlyWatched = new Map<string, Unit>();
  /** Number of holders that wait for no rescan to begin. */
  #held = 0;
  #closed = false;

  constructor(store: UnitStore, options: WatchOptions) {
    this.#store = store;
    this.#options = options;
    this.#changes = new ChangeQueue({
      store,
      isUnchanged: (unit) => this.#watchUnchanged(unit),
      rescan: (scopes, count) => this.#rescan(scopes, count),
    });
    this.#poller = new UnwatchedPoller(store, {
      isWatched: (key) => this.#watchers?.has(key) ?? false,
      onChange: (unit) => this.#changes.push(`${unitKey(unit)}.yaml`),
    });
  }

  get state(): WatchState {
    return this.#state;
  }

  /** Starts to follow the folder. Changes before the watchers are ready are found once they are. */
  start(): void {
    this.#rootIdentity = this.#store.tree.identity('');
    this.#store.added.isFollowed = true;
    this.#startWatchers();
    this.#timer = setInterval(() => this.#tick(), tickEvery);
  }

  /** Stops watchers and timers, and waits for the current rescan. */
  async close(): Promise<void> {
    this.#closed = true;
    this.#store.added.isFollowed = false;
    clearInterval(this.#timer);
    this.#poller.stop();
    this.#watchers?.close();
    await this.#changes.close();
    await this.#scanning;
  }

  /** Lets no rescan begin until `release`; resolves when those under way have ended. */
  async hold(): Promise<void> {
    this.#held++;
    await this.#changes.hold();
    await this.#scanning;
  }

  /** Ends one `hold`. Changes in the meantime are found now. */
  release(): void {
    this.#held--;
    this.#changes.release();
  }

  /** Watches the folders of a dataset that is viewed: it is likely to be changed. */
  noteView(unit: Unit & { kind: 'dataset' }): void {
    const state = this.#store.states.get(unitKey(unit));
    if (state && this.#poller.isRunning && !this.#watchers?.has(state.key)) this.#watchers?.watch(unit, state);
  }

  #startWatchers(): void {
    this.#poller.stop();
    this.#watchers?.close();
    this.#scanAt = performance.now() + pollEvery;
    this.#state = 'starting';
    const budget = this.#options.budget ?? watchBudget();
    const reason = (error: NodeJS.ErrnoException) =>
      pollingReason(countWatchedFolders(this.#store.states.values()), budget, error);
    const watchers = new Watchers(this.#store.tree, {
      budget,
      onChange: (path) => this.#changes.push(path),
      onReady: (unit) => this.#rescanWatched(unit),
      onReplaced: (unit) => this.#store.invalidate(folderPrefix(unit)),
      onFull: (error) => {
        if (this.#watchers !== watchers) return;
        this.#startPolling(reason(error));
        this.#poller.start();
      },
      onError: (error) => {
        if (this.#watchers !== watchers) return;
        watchers.close();
        this.#watchers = undefined;
        this.#poller.stop();
        this.#startPolling(reason(error));
      },
    });
    this.#watchers = watchers;
    void this.#startAllWatchers(watchers, budget).then(() => {
      if (this.#watchers !== watchers) return;
      if (this.#state === 'starting') this.#state = 'watching';
      this.#scanAt = 0;
    });
  }

  /** Rescans a unit that is watched from now on: it may have changed. While all are started, a full scan at the end is cheaper. */
  #rescanWatched(unit: Unit): void {
    if (this.#state === 'starting') return;
    if (unit.kind !== 'dataset') this.#changes.schedule({ folder: folderPrefix(unit) });
    else if (this.#updating > 0) this.#newlyWatched.set(unitKey(unit), unit);
    else this.#changes.schedule(unit);
  }

  /** Watches the folders above the datasets, and then as many datasets as the budget allows: those that changed last. */
  async #startAllWatchers(watchers: Watchers, budget: number): Promise<void> {
    await nextTurn(); // A start ends in this one.
    const units = [...unitsBelow(this.#store.states, watchers.units, [{ folder: '' }])('')];
    const datasets = units.filter(({ kind }) => kind === 'dataset');
    await runStepsInSlices(this.#watchUnits(units.filter(({ kind }) => kind !== 'dataset')));
    await watchers.ready();
    const isEnough = countWatchedFolders(this.#store.states.values()) <= budget;
    if (!isEnough) await sortByLastChange(this.#store, datasets);
    const fitting = datasets.splice(0, isEnough ? datasets.length : Math.floor(watchers.free / 2));
    // The one that is watched first is the first to make room for another.
    await runStepsInSlices(this.#watchUnits(fitting.reverse()));
    await runStepsInSlices(this.#watchUnits(datasets));
  }

  /** Reads the hints about what isn't watched, from now on. The reason is logged once. */
  #startPolling(reason: string): void {
    this.#scanAt = 0;
    if (this.#state === 'polling') return;
    this.#state = 'polling';
    this.#options.log(reason);
    this.#hints = new ChangeHints(this.#store.tree.root);
  }

  #tick(): void {
    const { tree } = this.#store;
    if (this.#held > 0 || isGitAtWork(tree.root)) return;
    if (!tree.isCatalogue()) return void this.#markLost();
    const rootIdentity = tree.identity('');
    if (rootIdentity !== this.#rootIdentity || this.#state === 'lost') {
      if (this.#state === 'lost') this.#options.log('The catalogue folder is back: everything is read again.');
      this.#rootIdentity = rootIdentity;
      this.#store.invalidate('');
      this.#startWatchers();
      this.#scanAt = 0;
    }
    if (this.#state === 'polling') void this.#readHints();
    for (const scope of this.#store.added.take()) this.#changes.schedule(scope);
    const overdue = performance.now() - this.#scanAt;
    if (overdue >= (this.#changes.recentCount > busy ? maxDelay : 0)) void this.#scanAll();
  }

  #markLost(): void {
    if (this.#state === 'lost') return;
    this.#state = 'lost';
    this.#poller.stop();
    this.#watchers?.close();
    this.#watchers = undefined;
    this.#options.log(
      'The catalogue folder is gone, or has neither catalogue.yaml nor namespaces/: its last state is served until it is back.',
    );
  }

  /** Puts the paths that the journal and git name in the queue. If they may lack some, a full scan is due. */
  async #readHints(): Promise<void> {
    const hints = (await this.#hints?.read()) ?? [];
    if (this.#closed) return;
    for (const paths of hints)
      if (paths) for (const path of paths) this.#changes.push(path);
      else this.#scanAt = 0;
  }

  /**
   * Watches a dataset if it isn't yet, and then compares it with its files.
   * @returns true if it is watched and unchanged
   */
  *#watchUnchanged(unit: Unit) {
    const key = unitKey(unit);
    const state = this.#store.states.get(key);
    const watchers = this.#watchers;
    if (unit.kind !== 'dataset' || !state || !watchers || this.#state === 'lost') return false;
    if (!watchers.has(key)) {
      // It is compared now, and needn't be rescanned for this.
      this.#updating++;
      watchers.watch(unit, state);
      this.#updating--;
      this.#newlyWatched.delete(key);
    }
    return watchers.has(key) && (yield* haveUnchangedFilesInSteps(this.#store.tree, state));
  }

  /** @param count of the scopes with changes, unchanged ones included */
  async #rescan(scopes: readonly Scope[], count = scopes.length): Promise<void> {
    if (this.#state === 'lost') return;
    try {
      // What is watched before it is read needn't be compared once more.
      await this.#updateWatchers(scopes);
      const now = scopes.filter((scope) => this.#state === 'starting' || !isRescannedSoon(scope, this.#watchers));
      if (now.length) await this.#options.refresh(now);
      const watched = await this.#updateWatchers(scopes);
      if (watched.length) await this.#options.refresh(watched);
    } catch (error) {
      this.#options.log(`The folder can't be read: ${(error as Error).message}`);
    }
    if (count > flood) this.#scanAt = Math.min(this.#scanAt, performance.now() + pollEvery / 2);
  }

  #scanAll(): Promise<void> {
    this.#scanning ??= (async () => {
      const start = performance.now();
      this.#scanAt = Number.POSITIVE_INFINITY;
      await this.#rescan([{ folder: '' }]);
      const end = performance.now();
      const { scanEvery = 30_000 } = this.#options;
      const pause = this.#watchers && this.#state !== 'starting' ? scanEvery : Math.min(pollEvery, scanEvery);
      // Unless an earlier one became due during this one.
      if (this.#scanAt > end) this.#scanAt = end + Math.max(pause, (scanShare - 1) * (end - start));
      this.#scanning = undefined;
    })();
    return this.#scanning;
  }

  /** Watches the folders that the units in the scopes have now. @returns the datasets that are watched from now on */
  async #updateWatchers(scopes: readonly Scope[]): Promise<readonly Unit[]> {
    this.#updating++;
    await runStepsInSlices(this.#watchScopes(scopes)).finally(() => this.#updating--);
    const watched = [...this.#newlyWatched.values()];
    this.#newlyWatched.clear();
    return watched;
  }

  *#watchScopes(scopes: readonly Scope[]): Generator<void> {
    const watchers = this.#watchers;
    if (!watchers) return;
    const below = unitsBelow(this.#store.states, watchers.units, scopes);
    for (const scope of scopes)
      if ('folder' in scope) yield* this.#watchUnits(below(scope.folder));
      else yield* this.#watchUnits([scope], true);
  }

  *#watchUnits(units: Iterable<Unit>, isRecent = false): Generator<void> {
    for (const unit of units) {
      if (this.#closed) return;
      const key = unitKey(unit);
      if (!this.#store.added.has(key)) this.#watchers?.watch(unit, this.#store.states.get(key), isRecent);
      yield;
    }
  }
}
