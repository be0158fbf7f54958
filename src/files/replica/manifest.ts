/** The manifest of a depot: all files that a viewer may see, in order, with their checksums. */
import { createHash } from 'node:crypto';
import { compareTexts } from '../../catalogue/listing.ts';
import type { Viewer } from '../../catalogue/permissions.ts';
import type { FileEntry, Manifest } from '../../catalogue/replica.ts';
import type { Snapshot } from '../../catalogue/snapshot.ts';
import { regularPause } from '../reading/event-loop.ts';
import type { UnitStore } from '../reading/unit-store.ts';
import { UnreadableFileError } from '../tree/file-tree.ts';
import { type Item, itemsOf, mediaItems, sightOf, strayItems } from './items.ts';
import { type Sum, Sums, sumOf } from './sums.ts';

/** A file with what it is known by. */
type Listed = Item & Sum;

/** All files of a folder, whoever may see them. */
export class Inventory {
  readonly sums: Sums;
  readonly #store: UnitStore;
  /** By snapshot, so that neither outlives it. */
  readonly #lists = new WeakMap<Snapshot, { readonly changes: number; readonly all: Promise<readonly Listed[]> }>();
  readonly #tags = new WeakMap<Snapshot, Map<string, { readonly of: readonly Listed[]; readonly tag: string }>>();

  constructor(store: UnitStore) {
    this.#store = store;
    this.sums = new Sums(store.tree);
  }

  async manifest(
    viewer: Viewer,
    visible: Snapshot,
    { known, texts = false }: { readonly known?: string | undefined; readonly texts?: boolean | undefined } = {},
  ): Promise<Manifest | null> {
    const sees = sightOf(viewer, visible);
    const records = await this.#records();
    // Pictures are looked at each time: nobody watches over them.
    const media = (await this.#summed(mediaItems(this.#store.tree))).filter(sees);
    const tag = createHash('sha256')
      .update(await this.#tagOf(records, viewer, visible, sees))
      .update(lines(media))
      .digest('base64url');
    if (tag === known) return null;
    return { tag, entries: this.#entries(records, media, sees, texts) };
  }

  /** What is known of one file; null where it is gone. */
  async sum(item: Item): Promise<Sum | null> {
    if (item.kind === 'record' && item.state) return this.sums.record(item.state, item.path);
    if (item.kind !== 'payload' || !item.version.checksum) return this.sums.file(item.path);
    return { checksum: item.version.checksum, size: item.version.size ?? 0 };
  }

  #records(): Promise<readonly Listed[]> {
    const { snapshot, changeCount: changes } = this.#store;
    const known = this.#lists.get(snapshot);
    // A comment that changed makes no other snapshot, but another file.
    if (known?.changes === changes) return known.all;
    const all = this.#summed(this.#items());
    this.#lists.set(snapshot, { changes, all });
    all.catch(() => this.#lists.delete(snapshot));
    return all;
  }

  *#items(): Generator<Item> {
    const seen = new Set<string>();
    for (const state of [...this.#store.states.values()])
      for (const item of itemsOf(state)) {
        seen.add(item.path);
        yield item;
      }
    yield* strayItems(this.#store, seen);
  }

  async #summed(items: Iterable<Item>): Promise<Listed[]> {
    const listed: Listed[] = [];
    const pause = regularPause();
    for (const item of items) {
      const sum = await this.sum(item);
      if (sum) listed.push({ ...item, checksum: sum.checksum, size: sum.size });
      await pause();
    }
    return listed.sort((a, b) => compareTexts(a.path, b.path));
  }

  /** That of the records and payloads: made once for all who see the same. */
  async #tagOf(
    of: readonly Listed[],
    viewer: Viewer,
    visible: Snapshot,
    sees: (item: Item) => boolean,
  ): Promise<string> {
    const key = viewer.staff ? 'staff' : `of ${viewer.username}`;
    const tags = this.#tags.get(visible) ?? new Map();
    this.#tags.set(visible, tags);
    const made = tags.get(key);
    if (made?.of === of) return made.tag;
    const hash = createHash('sha256');
    const pause = regularPause();
    for (const item of of) {
      if (sees(item)) hash.update(lines([item]));
      await pause();
    }
    const tag = hash.digest('base64url');
    tags.set(key, { of, tag });
    return tag;
  }

  async *#entries(
    records: readonly Listed[],
    media: readonly Listed[],
    sees: (item: Item) => boolean,
    texts: boolean,
  ): AsyncGenerator<FileEntry> {
    const pause = regularPause();
    let next = 0;
    for (const item of records) {
      for (let picture = media[next]; picture && compareTexts(picture.path, item.path) < 0; picture = media[++next])
        yield entryOf(picture);
      if (sees(item)) yield texts && item.kind === 'record' ? this.#withText(item) : entryOf(item);
      await pause();
    }
    for (const picture of media.slice(next)) yield entryOf(picture);
  }

  /** Texts aren't kept: each is read when its turn comes. Whoever wrote it meanwhile has made another manifest. */
  #withText(item: Listed): FileEntry {
    try {
      const text = this.#store.tree.read(item.path)?.text;
      if (text === undefined) return entryOf(item);
      return { ...entryOf(item), checksum: sumOf(text), size: Buffer.byteLength(text), text };
    } catch (error) {
      if (error instanceof UnreadableFileError) return entryOf(item);
      throw error;
    }
  }
}

export const entryOf = ({ path, kind, checksum, size }: Item & Sum): FileEntry => ({
  path,
  checksum,
  size,
  record: kind === 'record',
});

/** What two manifests have in common that are the same. */
const lines = (items: readonly Listed[]) => items.map(({ path, checksum }) => `${checksum} ${path}\n`).join('');
