/**
 * The watchers of a catalogue folder: one for each unit that has folders of its own. Only folders are watched, and of
 * those only what holds records: two for a dataset. What a watcher says is passed on as a rumour.
 *
 * Each unit has a chokidar of its own because that one tells when it is ready: whatever happens in a folder before it
 * is watched is then found by a look at the unit. (It is also quicker and smaller than one chokidar for all.)
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
  /** How many folders may be watched at most. */
  readonly budget: number;
  /** Something happened at a path. */
  readonly onChange: (path: string) => void;
  /** The unit's folders are watched from now on, and may have changed before. */
  readonly onReady: (unit: Unit) => void;
  /** The unit's folder is another one than it was. */
  readonly onReplaced: (unit: Unit) => void;
  /** The system doesn't let us watch, or the budget is used up (then the error has the code `EBUDGET`). */
  readonly onError: (error: NodeJS.ErrnoException) => void;
}

interface Post {
  readonly unit: Unit;
  readonly folders: readonly string[];
  /** Which folders they were when the watcher was set up. */
  readonly identities: readonly string[];
  watcher?: FSWatcher;
  finish?: () => void;
}

/**
 * Passes on what the system says, and reads nothing: chokidar would read the folder anew at every change, and take as
 * long for each of thousands of datasets that come one after the other as it has datasets by then.
 */
class Listener extends FSWatcher {
  override _readdirp(): undefined {
    return undefined;
  }
}

/** How many watchers are set up at once: more would hold up requests. */
const atOnce = 8;

export class Watchers {
  readonly #folder: DiskTree;
  readonly #options: WatchersOptions;
  readonly #posts = new Map<string, Post>();
  readonly #queue: Post[] = [];
  readonly #awaiting: (() => void)[] = [];
  #starting = 0;
  #watched = 0;
  #closed = false;

  constructor(folder: DiskTree, options: WatchersOptions) {
    this.#folder = folder;
    this.#options = options;
  }

  /** The units that are watched, by key. */
  *units(): Generator<[key: string, unit: Unit]> {
    for (const [key, { unit }] of this.#posts) yield [key, unit];
  }

  /**
   * Watches the unit's folders as they are now: does nothing where that is being done, and forgets those that are gone.
   * @param payloads whether to watch the folder of payloads too
   */
  watch(unit: Unit, payloads = false): void {
    if (this.#closed) return;
    const key = unitKey(unit);
    const before = this.#posts.get(key);
    const folders: string[] = [];
    const identities: string[] = [];
    for (const path of watchedFolders(unit, payloads)) {
      const identity = this.#folder.identity(path);
      if (identity === null) continue;
      folders.push(path);
      identities.push(identity);
    }
    if (before && before.folders.join() === folders.join() && before.identities.join() === identities.join()) return;
    if (before) this.#leave(key, before);
    if (folders.length === 0) return;
    if (before && before.identities[0] !== identities[0]) this.#options.onReplaced(unit);
    const post = { unit, folders, identities };
    this.#posts.set(key, post);
    this.#watched += folders.length;
    this.#queue.push(post);
    if (this.#watched <= this.#options.budget) this.#next();
    else this.#options.onError(Object.assign(new Error('Too many folders.'), { code: 'EBUDGET' }));
  }

  /** Resolves when all folders are watched that were to be, or are given up. */
  async ready(): Promise<void> {
    if (this.#starting > 0) await new Promise<void>((done) => this.#awaiting.push(done));
  }

  close(): void {
    this.#closed = true;
    for (const [key, post] of this.#posts) this.#leave(key, post);
  }

  #leave(key: string, post: Post): void {
    this.#posts.delete(key);
    this.#watched -= post.folders.length;
    post.finish?.();
    // chokidar takes its listeners off, but may still have an error to report.
    void post.watcher?.close();
    post.watcher?.on('error', () => {});
  }

  #next(): void {
    while (this.#starting < atOnce) {
      const post = this.#queue.shift();
      if (!post) break;
      if (this.#posts.get(unitKey(post.unit)) === post) this.#start(post);
    }
    if (this.#starting > 0) return;
    for (const done of this.#awaiting.splice(0)) done();
  }

  #start(post: Post): void {
    const paths = post.folders.map((path) => this.#folder.absolute(path));
    const own = new Set(paths.map((path) => path.replaceAll(sep, '/')));
    const options = { depth: 0, ignored: (path: string) => !own.has(path), ignoreInitial: true, atomic: false };
    const watcher = new Listener(options).add(paths);
    this.#starting++;
    post.watcher = watcher;
    post.finish = () => {
      delete post.finish;
      this.#starting--;
      this.#next();
    };
    watcher.on('raw', (event, name: string | null, details) =>
      this.#pass(event, name, (details as { watchedPath: string }).watchedPath),
    );
    watcher.on('error', (error) => {
      // A folder that we may not look into is a problem of that folder, and found by reading.
      const { code } = error as NodeJS.ErrnoException;
      if (code !== 'EACCES' && code !== 'EPERM') this.#options.onError(error as NodeJS.ErrnoException);
      post.finish?.();
    });
    watcher.on('ready', () => {
      post.finish?.();
      this.#options.onReady(post.unit);
    });
  }

  #pass(event: string, name: string | null, watchedPath: string): void {
    const folder = relative(this.#folder.root, watchedPath).replaceAll(sep, '/');
    // Hidden files are nobody's records: editors and writers keep their unfinished work in them.
    if (name?.startsWith('.')) return;
    // A folder that is deleted or moved away says so by its own name.
    if (name === null || (event === 'rename' && name === basename(watchedPath))) this.#options.onChange(folder);
    if (name !== null) this.#options.onChange(folder === '' ? name : `${folder}/${name}`);
  }
}

/** The folders that are watched for a unit: the top of the catalogue for its settings, none for a lone file. */
export function watchedFolders(unit: Unit, payloads = false): readonly string[] {
  switch (unit.kind) {
    case 'settings':
      return ['', 'namespaces', ...Object.values(recordFolders)];
    case 'namespace':
      return [namespaceFolder(unit.slug), datasetsFolder(unit.slug)];
    case 'dataset': {
      const home = datasetFolder(unit.namespace, unit.slug);
      return [
        home,
        versionsFolder(unit.namespace, unit.slug),
        ...(payloads ? [payloadFolder(unit.namespace, unit.slug)] : []),
      ];
    }
    default:
      return [];
  }
}
