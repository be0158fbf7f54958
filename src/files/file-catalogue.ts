/** A catalogue kept in a folder of files. */
import { constants } from 'node:fs';
import { access, stat } from 'node:fs/promises';
import { resolve } from 'node:path';
import type { Catalogue } from '../catalogue/catalogue.ts';
import { UnusableCatalogueError } from '../catalogue/errors.ts';
import { keeper, type Viewer } from '../catalogue/permissions.ts';
import type { Snapshot } from '../catalogue/snapshot.ts';
import type { Problem } from '../catalogue/types.ts';
import { readCache, writeCache } from './cache.ts';
import { writeEditorSchemas } from './editor-schemas.ts';
import { FileView } from './file-view.ts';
import { atOnce, inSlices } from './pace.ts';
import { type Scope, Store } from './store.ts';
import { Watch } from './watch.ts';

export interface OpenOptions {
  /** Follow the files as they change; without it, they are read once. */
  readonly watch?: boolean;
  /** Use and keep the cache in `.catalogue/` that makes the next start faster. Default: as `watch`. */
  readonly cache?: boolean;
  /** Refuse to write anything, even caches. */
  readonly readOnly?: boolean;
  /** Takes one line for each thing worth knowing. */
  readonly log?: (line: string) => void;
}

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
export class FileCatalogue {
  /** Absolute path of the folder. */
  readonly root: string;
  readonly store: Store;
  readonly options: OpenOptions;
  #loaded = false;
  #watch: Watch | undefined;
  #queue: Promise<void> = Promise.resolve();
  #reported: ReadonlyMap<string, readonly Problem[]> = new Map();

  constructor(root: string, options: OpenOptions) {
    this.root = root;
    this.options = options;
    this.store = new Store(root);
  }

  get snapshot(): Snapshot {
    return this.store.snapshot;
  }

  /** The catalogue as a viewer sees it; by default as one who has the folder in hand. */
  for(viewer: Viewer = keeper): Catalogue {
    return new FileView(this, viewer);
  }

  /**
   * Reads everything, if that hasn't been done.
   * @param lenient go on with the default settings where catalogue.yaml is broken
   * @throws UnusableCatalogueError where catalogue.yaml is broken and no good state of it is known
   */
  async load({ lenient = false } = {}): Promise<void> {
    if (this.#loaded) return;
    const { cache = this.options.watch ?? false, readOnly } = this.options;
    if (cache) this.store.restore(await readCache(this.root));
    atOnce(this.store.examine([{ folder: '' }]));
    this.#loaded = true;
    const [broken] = this.snapshot.problems.get('catalogue.yaml') ?? [];
    if (!lenient && broken && !this.store.states.get('catalogue')?.reading.entity)
      throw new UnusableCatalogueError(
        `catalogue.yaml is broken at line ${broken.line}, column ${broken.column}: ${broken.message}`,
      );
    this.#report();
    if (cache && !readOnly) await this.#keepCache();
  }

  /** Looks at what the scopes name, and at nothing where everything has been read and is watched. */
  async need(scopes: readonly Scope[]): Promise<void> {
    if (!this.#loaded) atOnce(this.store.examine(scopes));
  }

  /** Looks again, after those who asked before; resolves when the snapshot says what the files say. */
  refresh(scopes: readonly Scope[]): Promise<void> {
    const work = this.#queue.then(() => inSlices(this.store.examine(scopes)));
    this.#queue = work.catch(() => {});
    return work.then(() => this.#report());
  }

  /** Reads everything and follows the files from now on. */
  async follow(): Promise<void> {
    await this.load();
    if (!this.options.readOnly) await writeEditorSchemas(this.root).catch(() => {});
    this.#watch = new Watch(this.root, {
      log: this.options.log ?? (() => {}),
      refresh: (scopes) => this.refresh(scopes),
    });
    await this.#watch.start();
  }

  /** Lets go of the folder; keeps what makes the next start faster. */
  async close(): Promise<void> {
    await this.#watch?.close();
    await this.#queue;
    const { cache = this.options.watch ?? false, readOnly } = this.options;
    if (cache && !readOnly && this.#loaded) await this.#keepCache();
  }

  async #keepCache(): Promise<void> {
    try {
      await writeCache(this.root, this.store.states.values());
    } catch (error) {
      this.options.log?.(`The cache could not be written: ${(error as Error).message}`);
    }
  }

  /** Says what is newly wrong, and what was mended. */
  #report(): void {
    const { problems } = this.snapshot;
    if (problems === this.#reported) return;
    const { log = () => {} } = this.options;
    for (const [path, list] of problems) {
      if (this.#reported.get(path) === list) continue;
      for (const { line, column, message } of list) log(`${path}:${line}:${column}: ${message}`);
    }
    for (const path of this.#reported.keys()) if (!problems.has(path)) log(`${path}: mended.`);
    this.#reported = problems;
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
  const known = ['catalogue.yaml', 'catalogue.yml', 'catalogue.json', 'namespaces'];
  const found = await Promise.all(known.map((name) => stat(`${path}/${name}`).then(Boolean, () => false)));
  if (!found.some(Boolean))
    throw unusable(
      `The folder ${asked} is no catalogue: it has neither catalogue.yaml nor namespaces/. ` +
        `Make it one with "catalogue init ${asked}", or name another with --data.`,
    );
}
