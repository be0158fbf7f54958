/** A catalogue in a folder of files. */
import { resolve } from 'node:path';
import type { Catalogue } from '../catalogue/catalogue.ts';
import type { Diagnostic } from '../catalogue/diagnostic.ts';
import { UnavailableError } from '../catalogue/errors.ts';
import { type Scope, scopeKey, scopeToReread } from '../catalogue/layout.ts';
import { localAdmin, restrictSnapshotToVisible, type Viewer } from '../catalogue/permissions.ts';
import type { DatasetRef } from '../catalogue/ref.ts';
import type { Snapshot } from '../catalogue/snapshot.ts';
import { folderIsGone } from '../disk/private-folder.ts';
import type { FileAccounts } from './accounts/accounts.ts';
import { brokenSettingsError } from './broken-settings.ts';
import type { Access, CatalogueFiles, LoadOptions, OpenOptions } from './catalogue-files.ts';
import type { FeedJournal } from './feed-journal.ts';
import { FileView } from './file-view.ts';
import type { Watch, WatchState } from './following/watch.ts';
import { GitCommitQueue } from './git/commit-queue.ts';
import { accountMethods, loadedOnDemand } from './on-demand.ts';
import type { StateCache } from './reading/cache.ts';
import { runStepsInSlices, runStepsWithoutPause } from './reading/event-loop.ts';
import type { ScanResult } from './reading/scan.ts';
import { UnitStore } from './reading/unit-store.ts';
import { assertCatalogueFolder, ensureEditorSchemas, giveCachesToOwner, writeEditorSchemas } from './scaffold.ts';

/**
 * Opens the catalogue in a folder. Without `watch`, files are read when they are needed.
 * @param root path of the folder
 * @throws UnusableCatalogueError that says what is wrong with the folder and what to do
 */
export async function openFileCatalogue(root: string, options: OpenOptions = {}): Promise<FileCatalogue> {
  const path = resolve(root);
  await assertCatalogueFolder(path, root);
  if (!options.readOnly) await ensureEditorSchemas(path);
  const catalogue = new FileCatalogue(path, options);
  if (options.watch) await catalogue.follow();
  return catalogue;
}

/** Number of scopes up to which a rescan is short, and goes together with others. */
const maxTogether = 16;

/** The catalogue in a folder: reads its files, follows their changes, and gives each viewer a view of it (`for`). */
export class FileCatalogue implements CatalogueFiles {
  /** Absolute path of the folder. */
  readonly root: string;
  readonly store: UnitStore;
  readonly options: OpenOptions;
  /** Users that may sign in. */
  readonly accounts: Pick<FileAccounts, keyof FileAccounts>;
  #accounts: FileAccounts | undefined;
  /** Git commits of writes. */
  readonly commits: GitCommitQueue;
  #loaded = false;
  #firstReading: Promise<readonly ScanResult[] | 'known'> | undefined;
  #watch: Watch | undefined;
  #queue: Promise<void> = Promise.resolve();
  readonly #rescans = new Set<Promise<void>>();
  /** Scopes that are rescanned together at the end of this turn, and that rescan. */
  readonly #scopesTogether = new Map<string, Scope>();
  #together: Promise<void> | undefined;
  #cache: StateCache | undefined;
  readonly #closing = new AbortController();
  readonly #endings: (() => Promise<void>)[] = [];
  #preparing: Promise<void> | undefined;
  #feed: Promise<FeedJournal> | undefined;
  /** Diagnostics that were logged. */
  #logged: ReadonlyMap<string, readonly Diagnostic[]> = new Map();
  /** Snapshot at the last call of `onChange`. */
  #notified: Snapshot | undefined;

  constructor(root: string, options: OpenOptions) {
    this.root = root;
    this.options = options;
    this.store = new UnitStore(root, options.workers);
    this.accounts = loadedOnDemand(accountMethods, async () => {
      const { FileAccounts } = await import('./accounts/accounts.ts');
      this.#accounts = new FileAccounts(this);
      return this.#accounts;
    });
    this.commits = new GitCommitQueue(this);
  }

  get snapshot(): Snapshot {
    return this.store.snapshot;
  }

  get isLoaded(): boolean {
    return this.#loaded;
  }

  /** State of following the files; null if they are read once. */
  get following(): WatchState | null {
    return this.#watch?.state ?? null;
  }

  /** The catalogue as a viewer sees it; by default the local admin. */
  for(viewer: Viewer = localAdmin): Catalogue {
    return new FileView(this, viewer);
  }

  /** Access of a viewer; by default of the local admin. */
  access(viewer: Viewer = localAdmin): Access {
    return { files: this, viewer, visible: () => restrictSnapshotToVisible(viewer, this.snapshot) };
  }

  /**
   * Reads everything, unless that has been done.
   * @throws UnusableCatalogueError if catalogue.yaml is broken and no valid state of it is in the cache
   */
  async load({ lenient = false, onRead }: LoadOptions = {}): Promise<void> {
    if (this.#loaded) return;
    this.store.tree.onRead ??= onRead;
    try {
      this.#firstReading ??= this.#readFirst(this.options.cache ?? false);
      const found = await this.#firstReading;
      if (this.#loaded) return;
      runStepsWithoutPause(this.store.rescan([{ folder: '' }], found));
      this.#finishLoading(lenient);
    } finally {
      this.store.tree.onRead = undefined;
    }
  }

  /**
   * Reads a large catalogue in threads.
   * @param cache as in `FileCatalogueOptions`
   * @returns what was found in the folder, for the rescan that follows
   */
  async #readFirst(cache: boolean | 'read'): Promise<readonly ScanResult[] | 'known'> {
    const [{ FirstReading }, { StateCache }] = await Promise.all([
      import('./reading/first-reading.ts'),
      cache ? import('./reading/cache.ts') : { StateCache: null },
    ]);
    const reading = new FirstReading(this.store.tree, this.options.onThreadsRun);
    try {
      if (StateCache) {
        const onlyRead = cache === 'read' && { readOnly: true, onlyUnchanged: true };
        this.#cache = new StateCache(this.store, { ...this.options, ...onlyRead });
        await this.#cache.restore(reading);
      }
      return await reading.finish(this.store);
    } finally {
      void reading.close(); // The threads end while what they have read is taken.
    }
  }

  #finishLoading(lenient: boolean): void {
    const broken = lenient ? null : brokenSettingsError(this);
    if (broken) throw broken;
    this.#loaded = true;
    this.#notified = this.snapshot;
    this.#logDiagnostics();
    this.#cache?.start();
  }

  /** Reads the scopes, unless everything has been read. */
  async ensureRead(scopes: readonly Scope[]): Promise<void> {
    if (!this.#loaded) runStepsWithoutPause(this.store.rescan(scopes));
  }

  /**
   * Reads the scopes again; resolves when the snapshot has them. Rescans of folders wait for each other. Units are read
   * in between, so that a write doesn't wait for a full scan; those of several writes at once get one snapshot.
   */
  refresh(scopes: readonly Scope[]): Promise<void> {
    const rescan = () => runStepsInSlices(this.store.rescan(scopes)).then(() => this.#notify());
    const hasFolder = scopes.some((scope) => 'folder' in scope);
    const isShort = !hasFolder && scopes.length <= maxTogether;
    const work = isShort ? this.#rescanTogether(scopes) : hasFolder ? this.#queue.then(rescan) : rescan();
    const finished = work.catch(() => {});
    if (hasFolder) this.#queue = finished;
    this.#rescans.add(finished);
    void finished.then(() => this.#rescans.delete(finished));
    return work;
  }

  /**
   * Runs work that changes many files, such as a checkout, and reads them again: no snapshot has only a part of it.
   * @param work returns the paths of the files that it may have changed, relative to the folder
   */
  async applyChanges(work: () => Promise<readonly string[]>): Promise<void> {
    await this.#watch?.hold();
    try {
      const paths = await work();
      const scopes = paths.map(scopeToReread).filter((scope) => scope !== null);
      await this.refresh([...new Map(scopes.map((scope) => [scopeKey(scope), scope])).values()]);
    } finally {
      this.#watch?.release();
    }
  }

  /** Rescans the scopes of all calls in this turn together. */
  #rescanTogether(scopes: readonly Scope[]): Promise<void> {
    for (const scope of scopes) this.#scopesTogether.set(scopeKey(scope), scope);
    this.#together ??= new Promise((resolve) => process.nextTick(resolve)).then(async () => {
      const all = [...this.#scopesTogether.values()];
      this.#scopesTogether.clear();
      this.#together = undefined;
      await runStepsInSlices(this.store.rescan(all));
      this.#notify();
    });
    return this.#together;
  }

  onClose(end: () => Promise<void>): void {
    this.#endings.push(end);
  }

  noteView(dataset: DatasetRef): void {
    this.#watch?.noteView(dataset);
  }

  /** Reads everything and follows the files from now on. */
  async follow(): Promise<void> {
    const written = this.options.readOnly ? undefined : writeEditorSchemas(this.root).catch(() => {});
    if (!this.#loaded) {
      const found = await this.#readFirst(this.options.cache ?? true);
      await runStepsInSlices(this.store.rescan([{ folder: '' }], found));
      this.#finishLoading(false);
    }
    const { Watch } = await import('./following/watch.ts');
    await written;
    this.#watch = new Watch(this.store, {
      log: this.options.log ?? (() => {}),
      refresh: (scopes) => this.refresh(scopes),
      budget: this.options.watchBudget,
      scanEvery: this.options.scanEvery,
    });
    this.#watch.start();
    // In the background: the first request doesn't wait for them. A failure of the feed is that of its first request.
    this.#openFeed(this.options.readOnly).catch(() => {});
    if (!this.options.readOnly) this.#preparing = this.#prepareWrites();
  }

  /** What no write should wait for: loads its code, which holds everybody up, and commits or removes what killed runs left. */
  async #prepareWrites(): Promise<void> {
    const [{ removeLeftovers }] = await Promise.all([import('./leftovers.ts'), import('./records/publish.ts')]);
    await this.commits.makeLeftCommits();
    await removeLeftovers(this.root, this.#closing.signal).catch(() => {});
  }

  /** The journal of the feed of changes. Unless the files are followed, it is not written. */
  async feed(): Promise<FeedJournal> {
    await this.load();
    return this.#openFeed(true);
  }

  #openFeed(readOnly = false): Promise<FeedJournal> {
    const { log } = this.options;
    this.#feed ??= import('./feed-journal.ts').then(({ FeedJournal }) =>
      FeedJournal.open(this.store, { readOnly, log }),
    );
    return this.#feed;
  }

  /** Checks that the folder is still a catalogue. @throws UnavailableError if it was moved, unmounted or locked */
  assertPresent(): void {
    try {
      if (this.store.tree.isCatalogue()) return;
    } catch (error) {
      throw new UnavailableError(`The catalogue folder can't be read: ${(error as Error).message}`);
    }
    throw folderIsGone();
  }

  /** Stops following, waits for what is under way, and saves the cache. */
  async close(): Promise<void> {
    this.#closing.abort();
    await Promise.all(this.#endings.map((end) => end()));
    await this.#preparing;
    await this.#watch?.close();
    await Promise.all(this.#rescans);
    await (await this.#feed)?.close();
    await this.commits.idle();
    await this.#accounts?.close();
    await this.#cache?.close();
    if (!this.options.readOnly) await giveCachesToOwner(this.root);
  }

  #notify(): void {
    this.#logDiagnostics();
    const { onChange } = this.options;
    if (!onChange || this.#notified === this.snapshot) return;
    this.#notified = this.snapshot;
    queueMicrotask(onChange); // Outside of the write: an error of the listener must not fail it.
  }

  /** Logs new diagnostics, and files that were fixed. */
  #logDiagnostics(): void {
    const { diagnostics } = this.snapshot;
    if (diagnostics === this.#logged) return;
    const { log = () => {} } = this.options;
    for (const [path, list] of diagnostics) {
      if (this.#logged.get(path) === list) continue;
      for (const { line, column, message } of list) log(`${path}:${line}:${column}: ${message}`);
    }
    for (const path of this.#logged.keys()) if (!diagnostics.has(path)) log(`${path}: fixed.`);
    this.#logged = diagnostics;
  }
}
