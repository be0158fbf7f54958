/**
 * The files of a folder that hasn't been read, as the local admin sees them. To compare and to send records, their paths and
 * texts are enough: only where a dataset has payloads, its records are parsed, since they say which payloads are complete.
 */
import type { Unit } from '../../catalogue/layout.ts';
import { makeRegularPause } from '../reading/event-loop.ts';
import { readUnit } from '../reading/read-unit.ts';
import { scanForUnits } from '../reading/scan.ts';
import { type Batch, batchSize, UnitReaders } from '../reading/unit-readers.ts';
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
  const files: UnreadFile[] = [];
  const pause = makeRegularPause();
  const datasets: Unit[] = [];
  const others: Unit[] = [];
  let readers: UnitReaders<PlainReply> | undefined;
  try {
    for (const found of scanForUnits(tree)) {
      if ('stray' in found) return null;
      if ('unit' in found) (found.unit.kind === 'dataset' ? datasets : others).push(found.unit);
      if (datasets.length >= minDatasets) readers ??= startReaders(tree.root, kept !== undefined);
      await pause();
    }
    // Few records tell whether the rest has to be read for nothing.
    const list = async (units: Iterable<Unit>): Promise<boolean> => {
      for (const unit of units) {
        const listed = listPlainDataset(tree, unit)?.map(recordFile) ?? listReadUnit(tree, unit, kept);
        if (!listed) return false;
        files.push(...listed);
        await pause();
      }
      return true;
    };
    if (!(await list(others))) return null;
    const left = readers ? await readPlainDatasets(tree, datasets, readers, files, kept) : datasets;
    if (!(await list(left))) return null;
    return files;
  } finally {
    await readers?.close();
  }
}

const recordFile = (path: string): UnreadFile => ({ kind: 'record', path, state: null });

/**
 * Reads datasets in the main thread and in others.
 * @param files gets their records
 * @param kept collects the texts
 * @returns the datasets that are left: those with payloads, and those that a thread had when it died
 */
async function readPlainDatasets(
  tree: DiskTree,
  datasets: readonly Unit[],
  readers: UnitReaders<PlainReply>,
  files: UnreadFile[],
  kept: KeptTexts | undefined,
): Promise<Iterable<Unit>> {
  const left = new Set(datasets);
  const take = (unit: Unit, records: PlainReply) => {
    if (!records) return;
    left.delete(unit);
    for (const [path, checksum, size, text] of records) {
      files.push({ kind: 'record', path, state: null, checksum, size });
      if (text !== undefined) kept?.keep(path, text);
    }
  };
  const batchOf = (units: readonly Unit[]): Batch<PlainReply> => ({
    message: () => JSON.stringify(units.map((unit) => [unit])),
    take(replies) {
      for (const [i, records] of replies.entries()) take(units[i] as Unit, records);
    },
    readHere() {
      for (const unit of units) take(unit, readPlainDataset(tree, unit, kept !== undefined));
    },
  });
  for (let at = 0; at < datasets.length; at += batchSize)
    await readers.read(batchOf(datasets.slice(at, at + batchSize)));
  await readers.finish();
  return left;
}

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
