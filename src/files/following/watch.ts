/**
 * Following a folder as it changes. Watchers bring rumours, and a sweep every so often finds what they missed. Where
 * the folder can't be watched, sweeps are all there is: then git's state and the notes that our own writers leave make
 * the usual changes known at once.
 */

import { datasetFolder, namespaceFolder, type Unit, unitKey } from '../../catalogue/layout.ts';
import { GitState } from '../git/state.ts';
import { runInSlices } from '../reading/event-loop.ts';
import { type Scope, type UnitStore, unitOfReading } from '../reading/unit-store.ts';
import { ChangeQueue } from './change-queue.ts';
import { JournalReader } from './journal.ts';
import { countWatchedFolders, pollingReason, watchBudget } from './watch-budget.ts';
import { Watchers } from './watchers.ts';

export interface WatchOptions {
  readonly log: (line: string) => void;
  /** Looks at the files in the scopes. */
  readonly refresh: (scopes: readonly Scope[]) => Promise<void>;
  /** How many folders may be watched; default: as the system's limits allow. With none, the folder is polled. */
  readonly budget?: number | undefined;
  /** Milliseconds from sweep to sweep while the folder is watched; default 30,000. */
  readonly sweepEvery?: number | undefined;
}

/** `lost`: the folder is gone, or is no catalogue any more. */
export type WatchState = 'starting' | 'watching' | 'polling' | 'lost';

/** Milliseconds from one look at the few things that tell most for least to the next. */
const pulse = 250;
/** Milliseconds from sweep to sweep while the folder isn't watched (yet). */
const pollEvery = 2000;
/** A sweep may take one part of so many of the time. */
const leisure = 5;
/** After so many rumours at once, the system may have dropped some. */
const flood = 500;
/** While so many units a second change, a sweep would only make one more snapshot of many: it waits for so long. */
const bustle = 50;
const patience = 30_000;

export class Watch {
  readonly #store: UnitStore;
  readonly #options: WatchOptions;
  readonly #rumours: ChangeQueue;
  #lookouts: Watchers | undefined;
  #state: WatchState = 'starting';
  #root: string | null = null;
  #notes: JournalReader | undefined;
  #git: GitState | null = null;
  #timer: NodeJS.Timeout | undefined;
  #sweepAt = 0;
  #sweeping: Promise<void> | undefined;
  #asking = false;
  #closed = false;

  constructor(store: UnitStore, options: WatchOptions) {
    this.#store = store;
    this.#options = options;
    this.#rumours = new ChangeQueue({
      rescan: (scopes) => this.#look(scopes),
      isBeingWritten: (unit) => store.isBeingWritten(unit),
    });
  }

  get state(): WatchState {
    return this.#state;
  }

  /** Begins to follow; what changes before the watchers are set up is found once they are. */
  start(): void {
    this.#root = this.#store.tree.identity('');
    this.#begin();
    this.#timer = setInterval(() => this.#beat(), pulse);
  }

  /** Lets go of everything, and waits for what is under way. */
  async close(): Promise<void> {
    this.#closed = true;
    clearInterval(this.#timer);
    this.#lookouts?.close();
    await this.#rumours.close();
    await this.#sweeping;
  }

  #begin(): void {
    this.#lookouts?.close();
    this.#sweepAt = performance.now() + pollEvery;
    this.#state = 'starting';
    const budget = this.#options.budget ?? watchBudget();
    const need = countWatchedFolders(this.#store.states.values());
    if (need > budget) {
      this.#poll(pollingReason(need, budget));
      return;
    }
    const lookouts = new Watchers(this.#store.tree, {
      budget,
      onChange: (path) => this.#rumours.push(path),
      // While all are being set up, one sweep at the end is cheaper.
      onReady: (unit) =>
        this.#state === 'watching' &&
        this.#rumours.schedule(unit.kind === 'dataset' ? unit : { folder: prefixOf(unit) }),
      onReplaced: (unit) => this.#store.invalidate(prefixOf(unit)),
      onError: (error) => {
        if (this.#lookouts !== lookouts) return;
        const now = countWatchedFolders(this.#store.states.values());
        this.#poll(pollingReason(Math.max(need, now), budget, error));
      },
    });
    this.#lookouts = lookouts;
    void runInSlices(this.#place([{ folder: '' }]))
      .then(() => lookouts.ready())
      .then(() => {
        if (this.#lookouts !== lookouts) return;
        this.#state = 'watching';
        this.#sweepAt = 0;
      });
  }

  #poll(why: string): void {
    this.#lookouts?.close();
    this.#lookouts = undefined;
    this.#state = 'polling';
    this.#options.log(why);
    this.#notes = new JournalReader(this.#store.tree.root);
    this.#sweepAt = 0;
    void GitState.of(this.#store.tree.root).then((git) => {
      this.#git = git;
    });
  }

  #beat(): void {
    const { tree: folder } = this.#store;
    if (!folder.isCatalogue()) {
      this.#lose();
      return;
    }
    const root = folder.identity('');
    if (root !== this.#root || this.#state === 'lost') {
      if (this.#state === 'lost') this.#options.log('The catalogue folder is back: everything is read again.');
      this.#root = root;
      this.#store.invalidate('');
      this.#begin();
      this.#sweepAt = 0;
    }
    if (this.#state === 'polling') void this.#ask();
    const overdue = performance.now() - this.#sweepAt;
    if (overdue >= (this.#rumours.recentCount > bustle ? patience : 0)) void this.#sweep();
  }

  #lose(): void {
    if (this.#state === 'lost') return;
    this.#state = 'lost';
    this.#lookouts?.close();
    this.#lookouts = undefined;
    this.#options.log(
      'The catalogue folder is gone, or has neither catalogue.yaml nor namespaces/: ' +
        'what was last read of it stays served until it is back.',
    );
  }

  async #ask(): Promise<void> {
    if (this.#asking) return;
    this.#asking = true;
    const known = [this.#notes?.read() ?? [], (await this.#git?.changes()) ?? []];
    this.#asking = false;
    if (this.#closed) return;
    for (const paths of known)
      if (paths) for (const path of paths) this.#rumours.push(path);
      else this.#sweepAt = 0;
  }

  async #look(scopes: readonly Scope[]): Promise<void> {
    if (this.#state === 'lost') return;
    try {
      await this.#options.refresh(scopes);
      await runInSlices(this.#place(scopes));
    } catch (error) {
      this.#options.log(`The folder could not be looked at: ${(error as Error).message}`);
    }
    if (scopes.length > flood) this.#sweepAt = Math.min(this.#sweepAt, performance.now() + pollEvery / 2);
  }

  #sweep(): Promise<void> {
    this.#sweeping ??= (async () => {
      const start = performance.now();
      this.#sweepAt = Number.POSITIVE_INFINITY;
      await this.#look([{ folder: '' }]);
      const end = performance.now();
      const { sweepEvery = 30_000 } = this.#options;
      const pause = this.#state === 'watching' ? sweepEvery : Math.min(pollEvery, sweepEvery);
      // Not where the next was asked for in the meantime.
      if (this.#sweepAt > end) this.#sweepAt = end + Math.max(pause, (leisure - 1) * (end - start));
      this.#sweeping = undefined;
    })();
    return this.#sweeping;
  }

  /** Sees to it that the folders of the units in the scopes are watched as they are now. */
  *#place(scopes: readonly Scope[]): Generator<void> {
    const lookouts = this.#lookouts;
    if (!lookouts) return;
    for (const scope of scopes)
      for (const unit of 'folder' in scope ? this.#unitsBelow(scope.folder, lookouts) : [scope]) {
        if (this.#closed) return;
        lookouts.watch(unit, this.#awaitsPayload(unit));
        yield;
      }
  }

  /** The units whose folders are, or were, at or below a folder. */
  *#unitsBelow(folder: string, lookouts: Watchers): Generator<Unit> {
    yield { kind: 'settings' };
    const [, namespace] = /^namespaces\/([^/]+)\//.exec(folder) ?? [];
    if (namespace !== undefined) yield { kind: 'namespace', slug: namespace };
    const { states } = this.#store;
    for (const [key, { reading }] of states) if (key.startsWith(folder)) yield unitOfReading(reading);
    for (const [key, unit] of lookouts.units()) if (key.startsWith(folder) && !states.has(key)) yield unit;
  }

  /** Payloads aren't watched; but one that is missing, or is still being copied, is waited for. */
  #awaitsPayload(unit: Unit): boolean {
    const diagnostics = this.#store.states.get(unitKey(unit))?.diagnostics ?? [];
    return diagnostics.some(([, list]) => list.some(({ pointer }) => pointer === '/file'));
  }
}

/** What lies at and below a unit's folder. */
function prefixOf(unit: Unit): string {
  if (unit.kind === 'dataset') return `${datasetFolder(unit.namespace, unit.slug)}/`;
  return unit.kind === 'namespace' ? `${namespaceFolder(unit.slug)}/` : '';
}
