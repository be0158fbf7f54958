/**
 * Follows a catalogue folder as it changes. Watchers report changes, and a scan of the whole folder every so often
 * finds those that they missed. A folder that can't be watched is polled: by such scans, and between them by the state
 * of git and the journal of our own writes, which make the usual changes known at once.
 */
import { datasetFolder, namespaceFolder, type Scope, type Unit, unitKey } from '../../catalogue/layout.ts';
import { HeadTracker } from '../git/head-tracker.ts';
import { runStepsInSlices } from '../reading/event-loop.ts';
import { type UnitStore, unitOfReading } from '../reading/unit-store.ts';
import { ChangeQueue } from './change-queue.ts';
import { JournalReader } from './journal.ts';
import { countWatchedFolders, pollingReason, watchBudget } from './watch-budget.ts';
import { Watchers } from './watchers.ts';

export interface WatchOptions {
  readonly log: (line: string) => void;
  /** Reads the files in the scopes again. */
  readonly refresh: (scopes: readonly Scope[]) => Promise<void>;
  /** Maximum number of watched folders; default: what the system's limits allow. With more, the folder is polled. */
  readonly budget?: number | undefined;
  /** Milliseconds between two full scans while the folder is watched; default 30,000. */
  readonly scanEvery?: number | undefined;
}

/** `lost`: the folder is gone, or isn't a catalogue any more. */
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
  #state: WatchState = 'starting';
  #rootIdentity: string | null = null;
  #journal: JournalReader | undefined;
  #git: HeadTracker | null = null;
  #timer: NodeJS.Timeout | undefined;
  #scanAt = 0;
  #scanning: Promise<void> | undefined;
  #isReadingHints = false;
  #closed = false;

  constructor(store: UnitStore, options: WatchOptions) {
    this.#store = store;
    this.#options = options;
    this.#changes = new ChangeQueue({
      rescan: (scopes) => this.#rescan(scopes),
      isBeingWritten: (unit) => store.isBeingWritten(unit),
    });
  }

  get state(): WatchState {
    return this.#state;
  }

  /** Starts to follow the folder. Changes before the watchers are ready are found once they are. */
  start(): void {
    this.#rootIdentity = this.#store.tree.identity('');
    this.#startWatchers();
    this.#timer = setInterval(() => this.#tick(), tickEvery);
  }

  /** Stops watchers and timers, and waits for the current rescan. */
  async close(): Promise<void> {
    this.#closed = true;
    clearInterval(this.#timer);
    this.#watchers?.close();
    await this.#changes.close();
    await this.#scanning;
  }

  #startWatchers(): void {
    this.#watchers?.close();
    this.#scanAt = performance.now() + pollEvery;
    this.#state = 'starting';
    const budget = this.#options.budget ?? watchBudget();
    const needed = countWatchedFolders(this.#store.states.values());
    if (needed > budget) {
      this.#startPolling(pollingReason(needed, budget));
      return;
    }
    const watchers = new Watchers(this.#store.tree, {
      budget,
      onChange: (path) => this.#changes.push(path),
      // While they start, one full scan at the end is cheaper.
      onReady: (unit) =>
        this.#state === 'watching' &&
        this.#changes.schedule(unit.kind === 'dataset' ? unit : { folder: folderPrefix(unit) }),
      onReplaced: (unit) => this.#store.invalidate(folderPrefix(unit)),
      onError: (error) => {
        if (this.#watchers !== watchers) return;
        const neededNow = countWatchedFolders(this.#store.states.values());
        this.#startPolling(pollingReason(Math.max(needed, neededNow), budget, error));
      },
    });
    this.#watchers = watchers;
    void runStepsInSlices(this.#updateWatchers([{ folder: '' }]))
      .then(() => watchers.ready())
      .then(() => {
        if (this.#watchers !== watchers) return;
        this.#state = 'watching';
        this.#scanAt = 0;
      });
  }

  #startPolling(reason: string): void {
    this.#watchers?.close();
    this.#watchers = undefined;
    this.#state = 'polling';
    this.#options.log(reason);
    this.#journal = new JournalReader(this.#store.tree.root);
    this.#scanAt = 0;
    void HeadTracker.open(this.#store.tree.root).then((git) => {
      this.#git = git;
    });
  }

  #tick(): void {
    const { tree } = this.#store;
    if (!tree.isCatalogue()) {
      this.#markLost();
      return;
    }
    const rootIdentity = tree.identity('');
    if (rootIdentity !== this.#rootIdentity || this.#state === 'lost') {
      if (this.#state === 'lost') this.#options.log('The catalogue folder is back: everything is read again.');
      this.#rootIdentity = rootIdentity;
      this.#store.invalidate('');
      this.#startWatchers();
      this.#scanAt = 0;
    }
    if (this.#state === 'polling') void this.#readHints();
    const overdue = performance.now() - this.#scanAt;
    if (overdue >= (this.#changes.recentCount > busy ? maxDelay : 0)) void this.#scanAll();
  }

  #markLost(): void {
    if (this.#state === 'lost') return;
    this.#state = 'lost';
    this.#watchers?.close();
    this.#watchers = undefined;
    this.#options.log(
      'The catalogue folder is gone, or has neither catalogue.yaml nor namespaces/: its last state is served until it is back.',
    );
  }

  /** Puts the paths that the journal and git name in the queue. If they may lack some, a full scan is due. */
  async #readHints(): Promise<void> {
    if (this.#isReadingHints) return;
    this.#isReadingHints = true;
    const hints = [this.#journal?.read() ?? [], (await this.#git?.takeChangedPaths()) ?? []];
    this.#isReadingHints = false;
    if (this.#closed) return;
    for (const paths of hints)
      if (paths) for (const path of paths) this.#changes.push(path);
      else this.#scanAt = 0;
  }

  async #rescan(scopes: readonly Scope[]): Promise<void> {
    if (this.#state === 'lost') return;
    try {
      await this.#options.refresh(scopes);
      await runStepsInSlices(this.#updateWatchers(scopes));
    } catch (error) {
      this.#options.log(`The folder can't be read: ${(error as Error).message}`);
    }
    if (scopes.length > flood) this.#scanAt = Math.min(this.#scanAt, performance.now() + pollEvery / 2);
  }

  #scanAll(): Promise<void> {
    this.#scanning ??= (async () => {
      const start = performance.now();
      this.#scanAt = Number.POSITIVE_INFINITY;
      await this.#rescan([{ folder: '' }]);
      const end = performance.now();
      const { scanEvery = 30_000 } = this.#options;
      const pause = this.#state === 'watching' ? scanEvery : Math.min(pollEvery, scanEvery);
      // Unless an earlier one became due during this one.
      if (this.#scanAt > end) this.#scanAt = end + Math.max(pause, (scanShare - 1) * (end - start));
      this.#scanning = undefined;
    })();
    return this.#scanning;
  }

  /** Watches the folders that the units in the scopes have now. */
  *#updateWatchers(scopes: readonly Scope[]): Generator<void> {
    const watchers = this.#watchers;
    if (!watchers) return;
    for (const scope of scopes)
      for (const unit of 'folder' in scope ? this.#unitsBelow(scope.folder, watchers) : [scope]) {
        if (this.#closed) return;
        watchers.watch(unit, this.#hasPayloadProblem(unit));
        yield;
      }
  }

  /** Units with folders at or below a folder, known or still watched. */
  *#unitsBelow(folder: string, watchers: Watchers): Generator<Unit> {
    yield { kind: 'settings' };
    const [, namespace] = /^namespaces\/([^/]+)\//.exec(folder) ?? [];
    if (namespace !== undefined) yield { kind: 'namespace', slug: namespace };
    const { states } = this.#store;
    for (const [key, { reading }] of states) if (key.startsWith(folder)) yield unitOfReading(reading);
    for (const [key, unit] of watchers.units()) if (key.startsWith(folder) && !states.has(key)) yield unit;
  }

  /** True if a payload is missing or incomplete. Only then the folder of payloads is watched. */
  #hasPayloadProblem(unit: Unit): boolean {
    const diagnostics = this.#store.states.get(unitKey(unit))?.diagnostics ?? [];
    return diagnostics.some(([, list]) => list.some(({ pointer }) => pointer === '/file'));
  }
}

/** Prefix of the paths in a unit's folder. */
function folderPrefix(unit: Unit): string {
  if (unit.kind === 'dataset') return `${datasetFolder(unit.namespace, unit.slug)}/`;
  return unit.kind === 'namespace' ? `${namespaceFolder(unit.slug)}/` : '';
}
