/** A catalogue kept in a folder of files. */

import { constants } from 'node:fs';
import { access, stat } from 'node:fs/promises';
import { resolve } from 'node:path';
import type { Catalogue } from '../catalogue/catalogue.ts';
import { UnusableCatalogueError } from '../catalogue/errors.ts';
import { landmarks, type Scope } from '../catalogue/layout.ts';
import { localAdmin, type Viewer, visibleTo } from '../catalogue/permissions.ts';
import type { Snapshot } from '../catalogue/snapshot.ts';
import type { Diagnostic } from '../catalogue/types.ts';
import { FileAccounts } from './accounts/accounts.ts';
import type { Access, CatalogueFiles, OpenOptions } from './catalogue-files.ts';
import { FileView } from './file-view.ts';
import { Watch, type WatchState } from './following/watch.ts';
import { Commits } from './git/commits.ts';
import { sweepLeftovers } from './leftovers.ts';
import { StateCache } from './reading/cache.ts';
import { runInSlices, runToEnd } from './reading/event-loop.ts';
import { UnitStore } from './reading/unit-store.ts';
import { writeEditorSchemas } from './scaffold.ts';

/**
 * Opens the catalogue in a folder. Without `watch`, nothing is read before it is asked for.
 * @param root path of the folder
 * @throws UnusableCatalogueError that says what is wrong with the folder and what to do
 */
export async function openFolder(root: string, options: OpenOptions = {}): Promise<FileCatalogue> {
  const path = resolve(root);
  await checkFolder(path, root);
  const catalogue = new FileCatalogue(path, options);
  if (options.watch) await catalogue.follow();
  return catalogue;
}

/** The folder's catalogue: what the files say, and the means to follow and to change them. */
export class FileCatalogue implements CatalogueFiles {
  /** Absolute path of the folder. */
  readonly root: string;
  readonly store: UnitStore;
  readonly options: OpenOptions;
  /** Who may sign in. */
  readonly accounts: FileAccounts;
  /** What becomes of writes in git. */
  readonly commits: Commits;
  #loaded = false;
  #watch: Watch | undefined;
  #queue: Promise<void> = Promise.resolve();
  readonly #looks = new Set<Promise<void>>();
  #cached: StateCache | undefined;
  readonly #closing = new AbortController();
  #tidying: Promise<void> | undefined;
  #reported: ReadonlyMap<string, readonly Diagnostic[]> = new Map();
  /** What the last who was told of a change could see. */
  #told: Snapshot | undefined;

  constructor(root: string, options: OpenOptions) {
    this.root = root;
    this.options = options;
    this.store = new UnitStore(root);
    this.accounts = new FileAccounts(this);
    this.commits = new Commits(this);
  }

  get snapshot(): Snapshot {
    return this.store.snapshot;
  }

  /** How the files are followed; null where they aren't. */
  get following(): WatchState | null {
    return this.#watch?.state ?? null;
  }

  /** The catalogue as a viewer sees it; by default as one who has the folder in hand. */
  for(viewer: Viewer = localAdmin): Catalogue {
    return new FileView(this, viewer);
  }

  /** Access of a viewer; by default of the local admin. */
  access(viewer: Viewer = localAdmin): Access {
    return { files: this, viewer, visible: () => visibleTo(viewer, this.snapshot) };
  }

  /**
   * Reads everything, if that hasn't been done.
   * @param lenient go on with the default settings where catalogue.yaml is broken
   * @throws UnusableCatalogueError where catalogue.yaml is broken and no good state of it is known
   */
  async load({ lenient = false } = {}): Promise<void> {
    if (this.#loaded) return;
    if (this.options.cache) await this.#restore();
    runToEnd(this.store.rescan([{ folder: '' }]));
    this.#begin(lenient);
  }

  async #restore(): Promise<void> {
    this.#cached = new StateCache(this.store, this.options);
    await this.#cached.restore();
  }

  #begin(lenient: boolean): void {
    this.#loaded = true;
    const [broken] = this.snapshot.diagnostics.get('catalogue.yaml') ?? [];
    if (!lenient && broken && !this.store.states.get('catalogue')?.reading.entity)
      throw new UnusableCatalogueError(
        `catalogue.yaml is broken at line ${broken.line}, column ${broken.column}: ${broken.message}`,
      );
    this.#told = this.snapshot;
    this.#report();
    this.#cached?.start();
  }

  /** Looks at what the scopes name, and at nothing where everything has been read and is watched. */
  async ensureRead(scopes: readonly Scope[]): Promise<void> {
    if (!this.#loaded) runToEnd(this.store.rescan(scopes));
  }

  /**
   * Looks again; resolves when the snapshot says what the files say. Looks at whole folders wait for each other; single
   * units are looked at in between, so that nobody who writes one waits for a sweep.
   */
  refresh(scopes: readonly Scope[]): Promise<void> {
    const look = () => runInSlices(this.store.rescan(scopes));
    const wide = scopes.some((scope) => 'folder' in scope);
    const work = (wide ? this.#queue.then(look) : look()).then(() => this.#tell());
    const settled = work.catch(() => {});
    if (wide) this.#queue = settled;
    this.#looks.add(settled);
    void settled.then(() => this.#looks.delete(settled));
    return work;
  }

  /** Reads everything and follows the files from now on. */
  async follow(): Promise<void> {
    if (!this.#loaded) {
      if (this.options.cache ?? true) await this.#restore();
      await runInSlices(this.store.rescan([{ folder: '' }]));
      this.#begin(false);
    }
    if (!this.options.readOnly) await writeEditorSchemas(this.root).catch(() => {});
    this.#watch = new Watch(this.store, {
      log: this.options.log ?? (() => {}),
      refresh: (scopes) => this.refresh(scopes),
      budget: this.options.watchBudget,
      sweepEvery: this.options.sweepEvery,
    });
    this.#watch.start();
    // Whoever asks isn't kept waiting for that.
    if (!this.options.readOnly) this.#tidying = sweepLeftovers(this.root, this.#closing.signal).catch(() => {});
  }

  /** Lets go of the folder; keeps what makes the next start faster. */
  async close(): Promise<void> {
    this.#closing.abort();
    await this.#tidying;
    await this.#watch?.close();
    await Promise.all(this.#looks);
    await this.commits.idle();
    await this.accounts.close();
    await this.#cached?.close();
  }

  #tell(): void {
    this.#report();
    const { onChange } = this.options;
    if (!onChange || this.#told === this.snapshot) return;
    this.#told = this.snapshot;
    // Not within the write that changed it: what goes wrong in the listener is the listener's.
    queueMicrotask(onChange);
  }

  /** Says what is newly wrong, and what was mended. */
  #report(): void {
    const { diagnostics } = this.snapshot;
    if (diagnostics === this.#reported) return;
    const { log = () => {} } = this.options;
    for (const [path, list] of diagnostics) {
      if (this.#reported.get(path) === list) continue;
      for (const { line, column, message } of list) log(`${path}:${line}:${column}: ${message}`);
    }
    for (const path of this.#reported.keys()) if (!diagnostics.has(path)) log(`${path}: mended.`);
    this.#reported = diagnostics;
  }
}

async function checkFolder(path: string, asked: string): Promise<void> {
  const unusable = (message: string) => new UnusableCatalogueError(message);
  const stats = await stat(path).catch((error: NodeJS.ErrnoException) => {
    throw unusable(
      error.code === 'ENOENT'
        ? `There is no folder ${asked}. Make one with "catalogue init ${asked}", or name another with --data.`
        : `The folder ${asked} can't be looked at (${error.code}): check its permissions.`,
    );
  });
  if (!stats.isDirectory()) throw unusable(`${asked} is a file. Name a catalogue folder with --data.`);
  await access(path, constants.R_OK | constants.X_OK).catch(() => {
    throw unusable(`The folder ${asked} may not be read. Give this user permission, or name another with --data.`);
  });
  const found = await Promise.all(landmarks.map((name) => stat(`${path}/${name}`).then(Boolean, () => false)));
  if (!found.some(Boolean))
    throw unusable(
      `The folder ${asked} is no catalogue: it has neither catalogue.yaml nor namespaces/. ` +
        `Make it one with "catalogue init ${asked}", or name another with --data.`,
    );
}
