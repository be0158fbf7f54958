/**
 * File system watchers on a catalogue folder: one chokidar instance for each unit that has folders. Only folders are
 * watched, and of those only the ones with records: two for a dataset.
 *
 * Each unit has its own instance, because chokidar reports `ready` once per instance: the unit is rescanned then, which
 * finds every change before it was watched. Many small instances also start faster and need less memory than a large one.
 */
import { basename, relative, sep } from 'node:path';
import { FSWatcher } from 'chokidar';
import {
  datasetFolder,
  datasetsFolder,
  namespaceFolder,
  payloadFolder,
  recordFolders,
  type Unit,
  unitKey,
  versionsFolder,
} from '../../catalogue/layout.ts';
import type { DiskTree } from '../tree/disk-tree.ts';

export interface WatchersOptions {
  /** Maximum number of watched folders. */
  readonly budget: number;
  /** Called with the path of each change, relative to the catalogue folder. */
  readonly onChange: (path: string) => void;
  /** Called when a unit's folders are watched; they may have changed before. */
  readonly onReady: (unit: Unit) => void;
  /** Called when a unit's folder was replaced by another folder of the same name. */
  readonly onReplaced: (unit: Unit) => void;
  /** Called when the system refuses a watcher, or the budget is used up (error code `EBUDGET`). */
  readonly onError: (error: NodeJS.ErrnoException) => void;
}

interface UnitWatcher {
  readonly unit: Unit;
  readonly folders: readonly string[];
  /** Identities of the folders when they were first watched (see `DiskTree.identity`). */
  readonly identities: readonly string[];
  watcher?: FSWatcher;
  /** Ends the start; undefined unless it is starting. */
  finishStart?: () => void;
}

/**
 * Emits raw events and reads no folder. chokidar reads a folder again at each change in it: adding thousands of datasets
 * one by one would take time that grows with the square of their number.
 */
class RawWatcher extends FSWatcher {
  override _readdirp(): undefined {
    return undefined;
  }
}

/** Number of watchers that start at the same time: more would delay requests. */
const maxStarting = 8;

export class Watchers {
  readonly #tree: DiskTree;
  readonly #options: WatchersOptions;
  /** By key of the unit. */
  readonly #watchers = new Map<string, UnitWatcher>();
  readonly #queue: UnitWatcher[] = [];
  readonly #readyListeners: (() => void)[] = [];
  #startingCount = 0;
  #folderCount = 0;
  #closed = false;

  constructor(tree: DiskTree, options: WatchersOptions) {
    this.#tree = tree;
    this.#options = options;
  }

  /** Watched units, by key. */
  *units(): Generator<[key: string, unit: Unit]> {
    for (const [key, { unit }] of this.#watchers) yield [key, unit];
  }

  /**
   * Watches the folders of a unit that exist now, instead of those it watched before.
   * @param payloads true to watch the folder of payloads too
   */
  watch(unit: Unit, payloads = false): void {
    if (this.#closed) return;
    const key = unitKey(unit);
    const before = this.#watchers.get(key);
    const folders: string[] = [];
    const identities: string[] = [];
    for (const path of foldersToWatch(unit, payloads)) {
      const identity = this.#tree.identity(path);
      if (identity === null) continue;
      folders.push(path);
      identities.push(identity);
    }
    if (before && before.folders.join() === folders.join() && before.identities.join() === identities.join()) return;
    if (before) this.#unwatch(key, before);
    if (folders.length === 0) return;
    if (before && before.identities[0] !== identities[0]) this.#options.onReplaced(unit);
    const watcher = { unit, folders, identities };
    this.#watchers.set(key, watcher);
    this.#folderCount += folders.length;
    this.#queue.push(watcher);
    if (this.#folderCount <= this.#options.budget) this.#startQueued();
    else this.#options.onError(Object.assign(new Error('Too many folders.'), { code: 'EBUDGET' }));
  }

  /** Resolves when every watcher has started or failed. */
  async ready(): Promise<void> {
    if (this.#startingCount > 0) await new Promise<void>((done) => this.#readyListeners.push(done));
  }

  close(): void {
    this.#closed = true;
    for (const [key, watcher] of this.#watchers) this.#unwatch(key, watcher);
  }

  #unwatch(key: string, { folders, watcher, finishStart }: UnitWatcher): void {
    this.#watchers.delete(key);
    this.#folderCount -= folders.length;
    finishStart?.();
    // chokidar removes its listeners, but may still emit an error.
    void watcher?.close();
    watcher?.on('error', () => {});
  }

  #startQueued(): void {
    while (this.#startingCount < maxStarting) {
      const next = this.#queue.shift();
      if (!next) break;
      if (this.#watchers.get(unitKey(next.unit)) === next) this.#start(next);
    }
    if (this.#startingCount > 0) return;
    for (const done of this.#readyListeners.splice(0)) done();
  }

  #start(started: UnitWatcher): void {
    const paths = started.folders.map((path) => this.#tree.absolute(path));
    const own = new Set(paths.map((path) => path.replaceAll(sep, '/')));
    const options = { depth: 0, ignored: (path: string) => !own.has(path), ignoreInitial: true, atomic: false };
    const watcher = new RawWatcher(options).add(paths);
    this.#startingCount++;
    started.watcher = watcher;
    started.finishStart = () => {
      delete started.finishStart;
      this.#startingCount--;
      this.#startQueued();
    };
    watcher.on('raw', (event, name: string | null, details) =>
      this.#forward(event, name, (details as { watchedPath: string }).watchedPath),
    );
    watcher.on('error', (error) => {
      // A folder without permission is a problem of that folder alone; reading it reports that.
      const { code } = error as NodeJS.ErrnoException;
      if (code !== 'EACCES' && code !== 'EPERM') this.#options.onError(error as NodeJS.ErrnoException);
      started.finishStart?.();
    });
    watcher.on('ready', () => {
      started.finishStart?.();
      this.#options.onReady(started.unit);
    });
  }

  #forward(event: string, name: string | null, watchedPath: string): void {
    const folder = relative(this.#tree.root, watchedPath).replaceAll(sep, '/');
    // Hidden files are never records: editors and writers use them for unfinished work.
    if (name?.startsWith('.')) return;
    // A folder that is deleted or moved away emits an event with its own name.
    if (name === null || (event === 'rename' && name === basename(watchedPath))) this.#options.onChange(folder);
    if (name !== null) this.#options.onChange(folder === '' ? name : `${folder}/${name}`);
  }
}

/** Folders to watch for a unit: those at the top of the catalogue for its settings, none for a unit of one file. */
export function foldersToWatch(unit: Unit, payloads = false): readonly string[] {
  switch (unit.kind) {
    case 'settings':
      return ['', 'namespaces', ...Object.values(recordFolders)];
    case 'namespace':
      return [namespaceFolder(unit.slug), datasetsFolder(unit.slug)];
    case 'dataset': {
      const { namespace, slug } = unit;
      const folders = [datasetFolder(namespace, slug), versionsFolder(namespace, slug)];
      return payloads ? [...folders, payloadFolder(namespace, slug)] : folders;
    }
    default:
      return [];
  }
}
