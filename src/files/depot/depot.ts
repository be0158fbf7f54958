/** The catalogue in a folder as the files that it is made of, for one viewer. */
import type { Readable } from 'node:stream';
import { NotFoundError } from '../../catalogue/errors.ts';
import type { ChangeOutcome, FileBytes, FileEntry, Manifest, RecordChange, Replica } from '../../catalogue/replica.ts';
import type { UnitStore } from '../reading/unit-store.ts';
import { applyChanges } from './apply.ts';
import { type Item, itemAt, sightOf } from './items.ts';
import { Inventory } from './manifest.ts';
import { putBytes } from './put.ts';
import { entryFor, readItem } from './reader.ts';
import type { Access } from './rights.ts';

/** What was found out of a folder's files is for all of its viewers. */
const inventories = new WeakMap<UnitStore, Inventory>();

export class FileReplica implements Replica {
  readonly #access: Access;

  constructor(access: Access) {
    this.#access = access;
  }

  get #inventory(): Inventory {
    const { store } = this.#access.files;
    const inventory = inventories.get(store) ?? new Inventory(store);
    inventories.set(store, inventory);
    return inventory;
  }

  async manifest(options: Parameters<Replica['manifest']>[0] = {}): Promise<Manifest | null> {
    const { files, viewer, visible } = this.#access;
    await files.load();
    return this.#inventory.manifest(viewer, visible(), options);
  }

  async entry(path: string): Promise<FileEntry> {
    return entryFor(this.#inventory, await this.#item(path));
  }

  async read(path: string, options?: Parameters<Replica['read']>[1]): Promise<Readable> {
    return readItem(this.#access.files.store.tree, this.#inventory, await this.#item(path), options);
  }

  async #item(path: string): Promise<Item> {
    const { files, viewer, visible } = this.#access;
    await files.load();
    const item = itemAt(files.store, path);
    if (!item || !sightOf(viewer, visible())(item)) throw new NotFoundError();
    return item;
  }

  async apply(changes: readonly RecordChange[]): Promise<readonly ChangeOutcome[]> {
    await this.#access.files.load();
    return applyChanges(this.#access, changes);
  }

  async put(path: string, bytes: FileBytes): Promise<void> {
    await this.#access.files.load();
    return putBytes(this.#access, this.#inventory.sums, path, bytes);
  }
}
