/** The catalogue folder as the files that it is made of, for one viewer. */
import type { Readable } from 'node:stream';
import { NotFoundError } from '../../catalogue/errors.ts';
import { describeRecord, parsePath } from '../../catalogue/layout.ts';
import type { ChangeOutcome, FileBytes, FileEntry, Manifest, RecordChange, Replica } from '../../catalogue/replica.ts';
import type { Access } from '../catalogue-files.ts';
import type { UnitStore } from '../reading/unit-store.ts';
import { membershipChanges } from '../records/membership.ts';
import { type Committed, commit } from '../transaction.ts';
import { anyVersion, type Change, recordRefAt, type Step } from '../writing/change.ts';
import { type Item, itemAt, sightOf } from './items.ts';
import { Inventory } from './manifest.ts';
import { putBytes } from './put.ts';
import { entryFor, readItem } from './reader.ts';

/** What was found out about the files of a folder serves all of its viewers. */
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

  async apply(
    changes: readonly RecordChange[],
    { dryRun }: Parameters<Replica['apply']>[1] = {},
  ): Promise<readonly ChangeOutcome[]> {
    const { files, viewer } = this.#access;
    await files.load();
    // The local admin may write names of records that do not exist, as with any editor: `check` reports them.
    const allowMissingReferences = viewer.staff && viewer.username === null;
    const steps = changes.map((change) => this.#stepOf(change));
    const message = ({ outcomes }: Committed) => messageFor(changes.filter((_, i) => outcomes[i]?.done));
    const { outcomes } = await commit(this.#access, steps, { dryRun, message, allowMissingReferences });
    return outcomes.map((outcome, i) => ({ path: changes[i]?.path ?? '', ...outcome }));
  }

  #stepOf(change: RecordChange): Step {
    const info = parsePath(change.path);
    const isGroup = change.do !== 'write' && info.kind === 'record' && info.ref.kind === 'group';
    // From outside, a change always names what its writer has seen.
    const conditional: Change = change.ifMatch === anyVersion ? { ...change, ifMatch: '' } : change;
    if (!isGroup) return { changes: [conditional] };
    return { changes: async () => [...(await this.#memberships(change)), conditional] };
  }

  /** Changes of the users and namespaces that have a group which is moved or removed. */
  async #memberships(change: Exclude<RecordChange, { readonly do: 'write' }>): Promise<readonly Change[]> {
    const group = recordRefAt(change.path);
    const target = change.do === 'move' ? recordRefAt(change.to) : null;
    if (group.kind !== 'group' || (target && target.kind !== 'group')) return [];
    return membershipChanges(this.#access.files, group, target, undefined);
  }

  async put(path: string, bytes: FileBytes): Promise<void> {
    await this.#access.files.load();
    return putBytes(this.#access, this.#inventory.sums, path, bytes);
  }
}

/** Commit message: one change in words, or the number of changes and a line for each. */
function messageFor(changes: readonly RecordChange[]): string {
  const lines = changes.map(messageLine);
  return lines.length === 1 ? `${lines[0]}` : [`Change ${lines.length} records`, '', ...lines].join('\n');
}

function messageLine(change: RecordChange): string {
  switch (change.do) {
    case 'write':
      return `${change.ifMatch === null ? 'Add' : 'Edit'} ${describeRecord(change.path)}`;
    case 'remove':
      return `Remove ${describeRecord(change.path)}`;
    case 'move':
      return `Rename ${describeRecord(change.path)} to ${describeRecord(change.to)}`;
  }
}
