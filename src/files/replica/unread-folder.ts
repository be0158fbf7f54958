/**
 * The files of a folder that hasn't been read, as the local admin sees them. To compare and to send records, their paths and
 * texts are enough: only where a dataset has payloads, its records are parsed, since they say which payloads are complete.
 */
import type { Unit } from '../../catalogue/layout.ts';
import { makeRegularPause } from '../reading/event-loop.ts';
import { readUnit } from '../reading/read-unit.ts';
import { scanForUnits } from '../reading/scan.ts';
import { type Batch, batchSize, type ReadRequest, UnitReaders } from '../reading/unit-readers.ts';
import type { DiskTree } from '../tree/disk-tree.ts';
import type { FileChecksum } from './checksums.ts';
import { listUnitFiles, type ReplicaFile } from './items.ts';
import type { KeptTexts } from './kept-texts.ts';
import { listPlainDataset, type PlainRecord, readPlainDataset } from './plain-dataset.ts';

/** A file, with its checksum and size if they are known. */
export type UnreadFile = ReplicaFile & Partial<FileChecksum>;

type PlainReply = readonly PlainRecord[] | null;

/** Number of datasets from which a thread is started: for fewer, starting it takes longer than reading. */
const minDatasets = 1000;

/** Makes the threads that read datasets together with the main thread. */
const startPlainReaders = (root: string, sendsTexts: boolean) =>
  new UnitReaders<PlainReply>(root, undefined, '../replica/plain-dataset-thread', sendsTexts);

/**
 * The records and payloads of a folder, in any order.
 * @param kept collects the texts of records that are read for this
 * @returns null if the folder has to be read: something in it is broken or misplaced, so that files may be left out
 */
export async function listUnreadFolder(
  tree: DiskTree,
  kept?: KeptTexts,
  startReaders = startPlainReaders,
): Promise<readonly UnreadFile[] | null> {
  const listing = new Listing(tree, kept);
  const pause = makeRegularPause();
  const datasets: Unit[] = [];
  let readers: UnitReaders<PlainReply> | undefined;
  try {
    for (const found of scanForUnits(tree)) {
      if ('stray' in found) return null;
      if (!('unit' in found)) continue;
      if (found.unit.kind === 'dataset') datasets.push(found.unit);
      else listing.add(found.unit);
      if (listing.isBroken) return null;
      if (datasets.length >= minDatasets) readers ??= startReaders(tree.root, kept !== undefined);
      await pause();
    }
    const left = new Set(datasets);
    for (let at = 0; readers && at < datasets.length && !listing.isBroken; at += batchSize)
      await readers.read(listing.batchOf(datasets.slice(at, at + batchSize), left));
    if (!listing.isBroken) await readers?.finish();
    // All of a small folder, and what a thread had when it died.
    for (const unit of left) {
      if (listing.isBroken) return null;
      listing.add(unit);
      await pause();
    }
    return listing.isBroken ? null : listing.files;
  } finally {
    await readers?.close();
  }
}

/** What is listed so far. */
class Listing {
  readonly files: UnreadFile[] = [];
  /** True if the folder has to be read. */
  isBroken = false;
  readonly #tree: DiskTree;
  readonly #kept: KeptTexts | undefined;

  constructor(tree: DiskTree, kept: KeptTexts | undefined) {
    this.#tree = tree;
    this.#kept = kept;
  }

  /** Adds the files of a unit; their checksums are left to be computed. */
  add(unit: Unit): void {
    const paths = listPlainDataset(this.#tree, unit);
    const listed = paths?.map(recordFile) ?? listReadUnit(this.#tree, unit, this.#kept);
    if (listed) this.files.push(...listed);
    else this.isBroken = true;
  }

  /** Datasets to be read by a thread or here. @param left loses those that were read */
  batchOf(units: readonly Unit[], left: Set<Unit>): Batch<PlainReply> {
    const take = (unit: Unit, records: PlainReply) => {
      left.delete(unit);
      if (records) this.#addRecords(records);
      else this.add(unit);
    };
    return {
      message: () => JSON.stringify(units.map((unit): ReadRequest => [unit])),
      take: (replies) => {
        for (const [i, records] of replies.entries()) take(units[i] as Unit, records);
      },
      readHere: () => {
        for (const unit of units) take(unit, readPlainDataset(this.#tree, unit, this.#kept !== undefined));
      },
    };
  }

  #addRecords(records: readonly PlainRecord[]): void {
    for (const [path, checksum, size, text] of records) {
      this.files.push({ ...recordFile(path), checksum, size });
      if (text !== undefined) this.#kept?.keep(path, text);
    }
  }
}

const recordFile = (path: string): ReplicaFile => ({ kind: 'record', path, state: null });

/** The files of a unit that is read for them; null if something in it is broken or misplaced. */
function listReadUnit(tree: DiskTree, unit: Unit, kept: KeptTexts | undefined): readonly ReplicaFile[] | null {
  const { onRead } = tree;
  tree.onRead = kept?.keep;
  const state = readUnit(tree, unit);
  tree.onRead = onRead;
  // Versions without their payloads are listed all the same.
  const isBroken = state.diagnostics.some(([, found]) => found.some(({ code }) => code !== 'payload'));
  return isBroken ? null : [...listUnitFiles(state)];
}
