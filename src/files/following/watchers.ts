/**
 * File system watchers on the folders with records: two for a dataset. If the budget is too small for all, the datasets
 * that changed or were viewed last are watched.
 *
 * A dataset's folders have a `fs.watch` each, which needs a fifth of chokidar's memory; there may be a hundred thousand.
 * The few folders above them have one chokidar instance for each unit, because chokidar reports `ready` once per instance:
 * the unit is rescanned then, which finds every change before it was watched.
 */
import { type FSWatcher as FolderWatcher, watch as watchFolder } from 'node:fs';
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
  /** Called once, when datasets stay unwatched because the system refuses a watcher or the budget is used up (`EBUDGET`). */
  readonly onFull: (error: NodeJS.ErrnoException) => void;
  /** Called when the system refuses a watcher for a folder above datasets, or the budget doesn't suffice for these. */
  readonly onError: (error: NodeJS.ErrnoException) => void;
}

interface UnitWatcher {
  readonly unit: Unit;
  readonly folderCount: number;
  /** Identities of the folders when they were first watched (see `DiskTree.identity`), in one text. */
  readonly identities: string;
  watchers: readonly { close(): unknown }[];
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

/** Number of chokidar instances that start at the same time: more would delay requests. */
const maxStarting = 8;

export class Watchers {
  readonly #tree: DiskTree;
  readonly #options: WatchersOptions;
  /** By key of the unit; of the datasets, the one that changed or was viewed last is the last. */
  readonly #watched = new Map<string, UnitWatcher>();
  readonly #queue: (readonly [watcher: UnitWatcher, folders: readonly string[]])[] = [];
  readonly #readyListeners: (() => void)[] = [];
  #budget: number;
  #startingCount = 0;
  #folderCount = 0;
  #isFull = false;
  #closed = false;

  constructor(tree: DiskTree, options: WatchersOptions) {
    this.#tree = tree;
    this.#options = options;
    this.#budget = options.budget;
  }

  /** Watched units, by key. */
  *units(): Generator<[key: string, unit: Unit]> {
    for (const [key, { unit }] of this.#watched) yield [key, unit];
  }

  /** Number of folders that can be watched in addition. */
  get free(): number {
    return this.#budget - this.#folderCount;
  }

  /** True if the unit is watched. */
  has(key: string): boolean {
    return this.#watched.has(key);
  }

  /**
   * Watches the folders of a unit that exist now, instead of those it watched before.
   * @param payloads true to watch the folder of payloads too
   * @param isRecent true to watch a dataset instead of the one that was used least lately, if the budget is used up
   */
  watch(unit: Unit, { payloads = false, isRecent = true } = {}): void {
    if (this.#closed) return;
    const key = unitKey(unit);
    const before = this.#watched.get(key);
    const folders: string[] = [];
    let identities = '';
    for (const path of watchedFoldersOfUnit(unit, payloads)) {
      const identity = this.#tree.identity(path);
      identities += `${identity ?? ''}\n`;
      if (identity !== null) folders.push(path);
    }
    if (before?.identities === identities) {
      if (isRecent && unit.kind === 'dataset') this.#moveToEnd(key, before);
      return;
    }
    if (before) this.#unwatch(key, before);
    if (folders.length === 0) return;
    if (before && firstLine(before.identities) !== firstLine(identities)) this.#options.onReplaced(unit);
    if (!this.#makeRoom(unit, folders.length, isRecent)) return;
    const watcher: UnitWatcher = { unit, folderCount: folders.length, identities, watchers: [] };
    this.#watched.set(key, watcher);
    this.#folderCount += folders.length;
    if (unit.kind === 'dataset') {
      this.#startDataset(key, watcher, folders);
      return;
    }
    this.#queue.push([watcher, folders]);
    this.#startQueued();
  }

  /** Resolves when every watcher has started or failed. */
  async ready(): Promise<void> {
    if (this.#startingCount > 0) await new Promise<void>((done) => this.#readyListeners.push(done));
  }

  close(): void {
    this.#closed = true;
    for (const [key, watcher] of this.#watched) this.#unwatch(key, watcher);
  }

  #moveToEnd(key: string, watcher: UnitWatcher): void {
    this.#watched.delete(key);
    this.#watched.set(key, watcher);
  }

  #unwatch(key: string, { folderCount, watchers, finishStart }: UnitWatcher): void {
    this.#watched.delete(key);
    this.#folderCount -= folderCount;
    finishStart?.();
    for (const watcher of watchers) {
      // chokidar removes its listeners, but may still emit an error.
      void watcher.close();
      if (watcher instanceof FSWatcher) watcher.on('error', () => {});
    }
  }

  /** Stops to watch other datasets if the budget demands it. @returns true if these folders can be watched */
  #makeRoom(unit: Unit, folderCount: number, isRecent: boolean): boolean {
    if (this.free >= folderCount) return true;
    const isDataset = unit.kind === 'dataset';
    this.#reportFull(budgetError());
    if (isDataset && !isRecent) return false;
    for (const [key, watcher] of this.#watched) {
      if (this.free >= folderCount) break;
      if (watcher.unit.kind === 'dataset') this.#unwatch(key, watcher);
    }
    if (this.free >= folderCount) return true;
    if (!isDataset) this.#options.onError(budgetError());
    return false;
  }

  #reportFull(error: NodeJS.ErrnoException): void {
    if (this.#isFull) return;
    this.#isFull = true;
    this.#options.onFull(error);
  }

  #startDataset(key: string, started: UnitWatcher, folders: readonly string[]): void {
    const watchers: FolderWatcher[] = [];
    started.watchers = watchers;
    // One function for all folders, and no paths, save memory: any path in them stands for the unit.
    const onEvent = (_: string, name: string | null) => {
      if (!name?.startsWith('.')) this.#options.onChange(`${key}.yaml`);
    };
    for (const folder of folders)
      try {
        const watcher = watchFolder(this.#tree.absolute(folder), onEvent);
        watcher.on('error', ignoreError);
        watchers.push(watcher);
      } catch (error) {
        const { code } = error as NodeJS.ErrnoException;
        // A folder that is gone or without permission is a problem of that folder alone; reading it reports that.
        if (code === 'EACCES' || code === 'EPERM' || code === 'ENOENT' || code === 'ENOTDIR') continue;
        this.#unwatch(key, started);
        this.#budget = Math.min(this.#budget, this.#folderCount);
        this.#reportFull(error as NodeJS.ErrnoException);
        return;
      }
    this.#options.onReady(started.unit);
  }

  #startQueued(): void {
    while (this.#startingCount < maxStarting) {
      const next = this.#queue.shift();
      if (!next) break;
      const [watcher, folders] = next;
      if (this.#watched.get(unitKey(watcher.unit)) === watcher) this.#start(watcher, folders);
    }
    if (this.#startingCount > 0) return;
    for (const done of this.#readyListeners.splice(0)) done();
  }

  #start(started: UnitWatcher, folders: readonly string[]): void {
    const paths = folders.map((path) => this.#tree.absolute(path));
    const own = new Set(paths.map((path) => path.replaceAll(sep, '/')));
    const options = { depth: 0, ignored: (path: string) => !own.has(path), ignoreInitial: true, atomic: false };
    const watcher = new RawWatcher(options).add(paths);
    this.#startingCount++;
    started.watchers = [watcher];
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

const budgetError = () => Object.assign(new Error('Too many folders.'), { code: 'EBUDGET' });

/** Windows reports by an error that a folder was deleted; the folder above it reports that, too. */
const ignoreError = (): void => {};

const firstLine = (text: string): string => text.slice(0, text.indexOf('\n'));

/** Folders to watch for a unit: those at the top of the catalogue for its settings, none for a unit of one file. */
export function watchedFoldersOfUnit(unit: Unit, payloads = false): readonly string[] {
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
