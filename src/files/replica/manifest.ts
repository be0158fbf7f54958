/** Manifest of a replica: all files that a viewer may see, sorted by path, with their checksums. */
import { createHash } from 'node:crypto';
import { compareTexts } from '../../catalogue/compare.ts';
import { digestGroupOfPath, GroupDigests, isSynced } from '../../catalogue/manifest-groups.ts';
import { localAdmin, type Viewer } from '../../catalogue/permissions.ts';
import type { Digests, FileEntry, Manifest, Replica } from '../../catalogue/replica.ts';
import type { Snapshot } from '../../catalogue/snapshot.ts';
import { computeChecksum } from '../../disk/checksum.ts';
import { makeRegularPause } from '../reading/event-loop.ts';
import type { UnitStore } from '../reading/unit-store.ts';
import { readOrNull } from '../tree/file-tree.ts';
import { isSameFile } from '../tree/stamps.ts';
import { ChecksumCache, type FileChecksum } from './checksums.ts';
import {
  listMediaFiles,
  listStrayFiles,
  listUnitFiles,
  makeFileVisibilityFilter,
  problemOfFolder,
  type ReplicaFile,
} from './items.ts';
import type { KeptTexts } from './kept-texts.ts';
import { listUnreadFolder } from './unread-folder.ts';

/** A file with its checksum and size. */
type ChecksummedFile = ReplicaFile & FileChecksum;
type ChecksummedRecord = ChecksummedFile & { readonly kind: 'record' };

interface ListOptions {
  /** Collects the texts of records that are read; undefined for a manifest without texts. */
  readonly kept?: KeptTexts | undefined;
  /** True for a record that can't be shown, and isn't removed: it is listed as one that can't be read. */
  readonly isHeld?: ((item: ReplicaFile) => boolean) | undefined;
}

/** Of a file that exists, and can't be read. */
const noChecksum: FileChecksum = { checksum: '', size: 0 };

/** All files of a catalogue folder, for all viewers. */
export class Inventory {
  readonly checksums: ChecksumCache;
  readonly #store: UnitStore;
  /** Caches by snapshot, which do not outlive it. */
  readonly #lists = new WeakMap<
    Snapshot,
    { readonly changes: number; readonly all: Promise<readonly ChecksummedFile[]> }
  >();
  readonly #tags = new WeakMap<
    Snapshot,
    Map<string, { readonly records: readonly ChecksummedFile[]; readonly tag: string }>
  >();

  constructor(store: UnitStore) {
    this.#store = store;
    this.checksums = new ChecksumCache(store.tree);
  }

  async manifest(
    viewer: Viewer,
    visible: Snapshot,
    { known, groups }: Parameters<Replica['manifest']>[0] = {},
    { kept, isHeld }: ListOptions = {},
  ): Promise<Manifest | null> {
    const { tag, records, media, isVisible } = await this.#list(viewer, visible, { kept, isHeld });
    if (tag === known) return null;
    if (groups === undefined) return { tag, entries: this.#entries(viewer, records, media, isVisible, kept) };
    const wanted = new Set(groups.only);
    const isWanted = ({ path }: ReplicaFile) => isSynced(path) && wanted.has(digestGroupOfPath(path, groups.count));
    const isListed = (item: ReplicaFile) => isWanted(item) && isVisible(item);
    return { tag, entries: this.#entries(viewer, records, media.filter(isWanted), isListed, kept) };
  }

  /**
   * The manifest for the local admin of a folder that hasn't been read; null if it has to be read for that.
   * @param kept collects texts; undefined for a manifest without texts
   */
  async manifestOfUnread(kept?: KeptTexts): Promise<Manifest | null> {
    const { tree } = this.#store;
    const files = await listUnreadFolder(tree, kept);
    if (!files) return null;
    const records = await this.#withChecksums(files, kept);
    const media = await this.#withChecksums(listMediaFiles(tree));
    const tag = tagOf(await hashLines(records), media);
    return { tag, entries: this.#entries(localAdmin, records, media, () => true, kept) };
  }

  /** Digests of the files by group; null if the known manifest is still valid. */
  async digests(
    viewer: Viewer,
    visible: Snapshot,
    count: number,
    { known, isHeld }: Pick<ListOptions, 'isHeld'> & { readonly known?: string | undefined } = {},
  ): Promise<Digests | null> {
    const { tag, records, media, isVisible } = await this.#list(viewer, visible, { isHeld });
    if (tag === known) return null;
    const groups = new GroupDigests(count);
    const pause = makeRegularPause();
    for (const item of [...records, ...media]) {
      if (isVisible(item)) groups.add(item);
      await pause();
    }
    return { tag, digests: groups.compute(computeChecksum) };
  }

  /** The records and payloads of all viewers; the media files, the tag and the filter of this one. */
  async #list(viewer: Viewer, visible: Snapshot, { kept, isHeld }: ListOptions) {
    const isShown = makeFileVisibilityFilter(viewer, visible);
    const all = await this.#records(kept);
    const unreadable = (item: ChecksummedFile) => isHeld?.(item) && !isShown(item) && { ...item, ...noChecksum };
    const records = isHeld ? all.map((item) => unreadable(item) || item) : all;
    const isVisible = (item: ReplicaFile) => isShown(item) || Boolean(isHeld?.(item));
    // Media files are read each time, since they are not watched.
    const media = (await this.#withChecksums(listMediaFiles(this.#store.tree))).filter(isVisible);
    const tag = tagOf(await this.#recordsTag(records, viewer, visible, isVisible), media);
    return { tag, records, media, isVisible };
  }

  /** Checksum and size of a file; null if it is gone. */
  async checksum(item: ReplicaFile, kept?: KeptTexts): Promise<FileChecksum | null> {
    if (item.kind === 'missing') return noChecksum;
    if (item.kind === 'record')
      return item.state
        ? this.checksums.ofRecord(item.state, item.path, item.stamp, kept)
        : this.checksums.ofRecordFile(item.path, kept);
    if (item.kind !== 'payload' || !item.version.checksum) return this.checksums.ofFile(item.path);
    return { checksum: item.version.checksum, size: item.version.size ?? 0 };
  }

  #records(kept?: KeptTexts): Promise<readonly ChecksummedFile[]> {
    const { snapshot, changeCount: changes } = this.#store;
    const known = this.#lists.get(snapshot);
    // A changed comment changes the file, but not the snapshot.
    if (known?.changes === changes) return known.all;
    const all = this.#withChecksums(this.#items(), kept);
    this.#lists.set(snapshot, { changes, all });
    all.catch(() => this.#lists.delete(snapshot));
    return all;
  }

  *#items(): Generator<ReplicaFile> {
    const known = new Set<string>();
    for (const state of [...this.#store.states.values()])
      for (const item of listUnitFiles(state)) {
        known.add(item.path);
        yield item;
      }
    yield* listStrayFiles(this.#store, known);
  }

  async #withChecksums(items: Iterable<ReplicaFile>, kept?: KeptTexts): Promise<ChecksummedFile[]> {
    const listed: ChecksummedFile[] = [];
    const pause = makeRegularPause();
    for (const item of items) {
      const found = await this.checksum(item, kept);
      if (found) listed.push({ ...item, checksum: found.checksum, size: found.size });
      await pause();
    }
    return listed.sort((a, b) => compareTexts(a.path, b.path));
  }

  /** Tag of the records and payloads that a viewer may see, cached by snapshot and viewer. */
  async #recordsTag(
    records: readonly ChecksummedFile[],
    viewer: Viewer,
    visible: Snapshot,
    isVisible: (item: ReplicaFile) => boolean,
  ): Promise<string> {
    const key = viewer.staff ? 'staff' : viewer.username === null ? 'anonymous' : `of ${viewer.username}`;
    const tags = this.#tags.get(visible) ?? new Map();
    this.#tags.set(visible, tags);
    const cached = tags.get(key);
    if (cached?.records === records) return cached.tag;
    const tag = await hashLines(records, isVisible);
    tags.set(key, { records, tag });
    return tag;
  }

  /** @param kept texts that were read for the checksums of these records, which are taken out; undefined for entries without text */
  async *#entries(
    viewer: Viewer,
    records: readonly ChecksummedFile[],
    media: readonly ChecksummedFile[],
    isVisible: (item: ReplicaFile) => boolean,
    kept: KeptTexts | undefined,
  ): AsyncGenerator<FileEntry> {
    const pause = makeRegularPause();
    let next = 0;
    for (const item of records) {
      for (let image = media[next]; image && compareTexts(image.path, item.path) < 0; image = media[++next])
        yield fileEntry(image);
      if (isVisible(item)) yield kept && item.kind === 'record' ? this.#withText(item, kept) : entryFor(viewer, item);
      await pause();
    }
    for (const image of media.slice(next)) yield fileEntry(image);
  }

  /**
   * The entry of a record with its text, which is read now if it isn't kept. One that was written since the catalogue read it, or
   * since the manifest was begun, has no text: the viewer may not see it any more.
   */
  #withText(item: ChecksummedRecord, kept: KeptTexts): FileEntry {
    const known = kept.take(item.path);
    if (known !== undefined) return { ...fileEntry(item), text: known };
    const read = readOrNull(this.#store.tree, item.path);
    const isListed =
      read && (!item.stamp || isSameFile(read.stamp, item.stamp)) && computeChecksum(read.text) === item.checksum;
    return { ...fileEntry(item), ...(isListed && { text: read.text }) };
  }
}

export const fileEntry = ({ path, kind, checksum, size }: ReplicaFile & FileChecksum): FileEntry => ({
  path,
  checksum,
  size,
  record: kind !== 'payload' && kind !== 'media',
});

/** The entry of a file for a viewer. What is wrong with its folder is for the people who run the catalogue. */
function entryFor(viewer: Viewer, item: ChecksummedFile): FileEntry {
  const problem = item.kind === 'missing' && viewer === localAdmin ? problemOfFolder(item.state) : undefined;
  return problem === undefined ? fileEntry(item) : { ...fileEntry(item), problem };
}

/** Tag of a manifest, from the one of its records and payloads. */
const tagOf = (recordsTag: string, media: readonly ChecksummedFile[]): string =>
  createHash('sha256').update(recordsTag).update(manifestLines(media)).digest('base64url');

/** Tag of the files that are visible. */
async function hashLines(files: readonly ChecksummedFile[], isVisible = (_: ReplicaFile) => true): Promise<string> {
  const hash = createHash('sha256');
  const pause = makeRegularPause();
  for (const item of files) {
    if (isVisible(item)) hash.update(manifestLines([item]));
    await pause();
  }
  return hash.digest('base64url');
}

/** The text that the tag of a manifest is computed from: a line for each file. */
const manifestLines = (items: readonly ChecksummedFile[]) =>
  items.map(({ path, checksum }) => `${checksum} ${path}\n`).join('');
