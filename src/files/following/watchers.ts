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
import {
  datasetFolder,
  datasetsFolder,
  namespaceFolder,
  payloadFolder,
  recordFolders,
  scopeToReread,
  type Unit,
  unitKey,
  versionsFolder,
} from '../../catalogue/layout.ts';
import type { UnitState } from '../reading/unit-state.ts';
import type { DiskTree } from '../tree/disk-tree.ts';
import { RawWatcher } from './raw-watcher.ts';

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

/** There may be a hundred thousand: the unit follows from its key. */
interface UnitWatcher {
  readonly key: string;
  readonly folderCount: number;
  /** Identities of the folders when they were first watched (see `DiskTree.identity`), in one text. */
  readonly identities: string;
  /** The unit's state when the identities were compared last: while it has the same, its folders are the same. */
  state: UnitState | undefined;
  watchers: readonly { close(): unknown }[];
  /** Ends the start; undefined unless it is starting. */
  finishStart?: () => void;
}

/** Number of chokidar instances that start at the same time: more would delay requests. */
const maxStarting = 8;

export class Watchers {
  readonly #tree: DiskTree;
  readonly #options: WatchersOptions;
  /** By key of the unit; of the datasets, the one that changed or was viewed last is the last. */
  readonly #watched = new Map<string, UnitWatcher>();
  readonly #queue: (readonly [unit: Unit, watcher: UnitWatcher, folders: readonly string[]])[] = [];
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

  /** The watched units, by key. */
  get units(): ReadonlyMap<string, unknown> {
    return this.#watched;
  }

  /** Number of folders that can be watched in addition. */
  get free(): number {
    return this.#budget - this.#folderCount;
  }

  /** True if the unit is watched. */
  has(key: string): boolean {
    return this.#watched.has(key);
  }

  /** True if the watchers of a unit are about to start: `onReady` follows. */
  isStarting(key: string): boolean {
    const watcher = this.#watched.get(key);
    return watcher !== undefined && (watcher.finishStart !== undefined || watcher.watchers.length === 0);
  }

  /**
   * Watches the folders of a unit that exist now, instead of those it watched before. Nothing is done for a dataset that still
   * has the state it had when its folders were last looked at: they are among its stamps.
   * @param isRecent true to watch a dataset instead of the one that was used least lately, if the budget is used up
   */
  watch(unit: Unit, state?: UnitState, isRecent = true): void {
    if (this.#closed) return;
    const key = state?.key ?? unitKey(unit);
    const before = this.#watched.get(key);
    const isDataset = unit.kind === 'dataset';
    if (isDataset && before && state && before.state === state) {
      if (isRecent) this.#moveToEnd(before);
      return;
    }
    if (isDataset && !isRecent && !before && this.#isFull && this.free < 1) return;
    const folders: string[] = [];
    const all: (string | null)[] = [];
    for (const path of watchedFoldersOfUnit(unit, hasPayloadProblem(state))) {
      const identity = this.#tree.identity(path);
      all.push(identity);
      if (identity !== null) folders.push(path);
    }
    // Joined: V8 keeps a text that grows by "+=" as a tree of its parts.
    const identities = all.join('\n');
    if (before?.identities === identities) {
      before.state = state;
      if (isDataset && isRecent) this.#moveToEnd(before);
      return;
    }
    if (before) this.#unwatch(before);
    if (folders.length === 0) return;
    if (before && firstLine(before.identities) !== firstLine(identities)) this.#options.onReplaced(unit);
    if (!this.#makeRoom(unit, folders.length, isRecent)) return;
    const watcher: UnitWatcher = { key, folderCount: folders.length, identities, state, watchers: [] };
    this.#watched.set(key, watcher);
    this.#folderCount += folders.length;
    if (isDataset) {
      this.#startDataset(unit, watcher, folders);
      return;
    }
    this.#queue.push([unit, watcher, folders]);
    this.#startQueued();
  }

  /** Resolves when every watcher has started or failed. */
  async ready(): Promise<void> {
    if (this.#startingCount > 0) await new Promise<void>((done) => this.#readyListeners.push(done));
  }

  close(): void {
    this.#closed = true;
    for (const watcher of this.#watched.values()) this.#unwatch(watcher);
  }

  #moveToEnd(watcher: UnitWatcher): void {
    this.#watched.delete(watcher.key);
    this.#watched.set(watcher.key, watcher);
  }

  #unwatch({ key, folderCount, watchers, finishStart }: UnitWatcher): void {
    this.#watched.delete(key);
    this.#folderCount -= folderCount;
    finishStart?.();
    for (const watcher of watchers) {
      // chokidar removes its listeners, but may still emit an error.
      void watcher.close();
      if (watcher instanceof RawWatcher) watcher.on('error', () => {});
    }
  }

  /** Stops to watch other datasets if the budget demands it. @returns true if these folders can be watched */
  #makeRoom(unit: Unit, folderCount: number, isRecent: boolean): boolean {
    if (this.free >= folderCount) return true;
    const isDataset = unit.kind === 'dataset';
    if (!this.#isFull) this.#reportFull(budgetError());
    if (isDataset && !isRecent) return false;
    for (const [key, watcher] of this.#watched) {
      if (this.free >= folderCount) break;
      if (unitOfKey(key).kind === 'dataset') this.#unwatch(watcher);
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

  #startDataset(unit: Unit, started: UnitWatcher, folders: readonly string[]): void {
    const { key } = started;
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
        this.#unwatch(started);
        this.#budget = Math.min(this.#budget, this.#folderCount);
        this.#reportFull(error as NodeJS.ErrnoException);
        return;
      }
    // A copy is as large as it needs to be.
    started.watchers = [...watchers];
    this.#options.onReady(unit);
  }

  #startQueued(): void {
    while (this.#startingCount < maxStarting) {
      const next = this.#queue.shift();
      if (!next) break;
      const [unit, watcher, folders] = next;
      if (this.#watched.get(watcher.key) === watcher) this.#start(unit, watcher, folders);
    }
    if (this.#startingCount > 0) return;
    for (const done of this.#readyListeners.splice(0)) done();
  }

  #start(unit: Unit, started: UnitWatcher, folders: readonly string[]): void {
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
      else if (started.finishStart) this.#options.onReady(unit);
      started.finishStart?.();
    });
    watcher.on('ready', () => {
      started.finishStart?.();
      this.#options.onReady(unit);
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

const firstLine = (text: string): string => text.split('\n', 1)[0] as string;

/** The unit that has a key. */
export const unitOfKey = (key: string): Unit => scopeToReread(`${key}.yaml`) as Unit;

/** True if a payload is missing or incomplete. Only then the folder of payloads is watched. */
const hasPayloadProblem = (state: UnitState | undefined): boolean =>
  state?.diagnostics.some(([, list]) => list.some(({ pointer }) => pointer === '/file')) ?? false;

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
