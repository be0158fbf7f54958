/** Writes datasets in a thread, which has the catalogue opened for itself (`datasets-in-thread.ts`). */
import { openFileCatalogue } from '../files/file-catalogue.ts';
import { Fingerprints, readRecords } from './dependencies.ts';
import type { Unit } from './export-list.ts';
import { type ExportFolderOptions, FolderWriter } from './folder-writer.ts';
import { exportOpenOptions } from './open-catalogue.ts';
import { openSite } from './open-site.ts';
import { datasetUnit, type LargeFile, UnitWriter } from './unit-writer.ts';

export interface ThreadSite {
  /** Path of the catalogue folder. */
  readonly catalogue: string;
  /** Fingerprint of the records that the main thread has read. */
  readonly records: string;
  readonly url: string;
  /** Path of the folder that is written. */
  readonly to: string;
  readonly options: ExportFolderOptions;
}

/** A dataset to write. */
export interface ThreadUnit {
  /** Name of its unit. */
  readonly name: string;
  readonly fingerprint: string;
  readonly filesBefore: readonly string[];
}

export interface ThreadResult {
  /** Those that are written. The others are left to the main thread, which throws errors as they are. */
  readonly units: readonly Unit[];
  /** Number of files that were written. */
  readonly written: number;
  readonly largeFiles: readonly LargeFile[];
}

/** This thread's site; null if its catalogue is another than that of the main thread. */
let opened: Promise<{
  writeDataset: (unit: ThreadUnit) => Promise<Unit>;
  folder: FolderWriter;
  large: LargeFile[];
} | null>;

/** Writes datasets of a site, the same one each time. */
export async function writeDatasets(site: ThreadSite, units: readonly ThreadUnit[]): Promise<ThreadResult> {
  opened ??= open(site);
  const { writeDataset, folder, large } = (await opened) ?? {};
  if (!writeDataset || !folder || !large) return { units: [], written: 0, largeFiles: [] };
  const before = folder.written;
  const made: Unit[] = [];
  for (const unit of units) {
    try {
      made.push(await writeDataset(unit));
    } catch {
      break;
    }
  }
  return { units: made, written: folder.written - before, largeFiles: large.splice(0) };
}

async function open({ catalogue: path, records, url, to, options }: ThreadSite) {
  const files = await openFileCatalogue(path, exportOpenOptions);
  await files.load();
  const { catalogue, responses, filterings } = await openSite(files, url);
  const read = await readRecords(catalogue);
  // A file was changed between its reading and this one: lists and pages would not go together.
  if (new Fingerprints(null).ofSite(catalogue.settings, read) !== records) return null;
  const datasets = new Map(read.datasets.map((dataset) => [datasetUnit(dataset), dataset]));
  const folder = new FolderWriter(to, options);
  const writer = new UnitWriter(catalogue, responses, filterings, folder);
  const writeDataset = async ({ name, fingerprint, filesBefore }: ThreadUnit) => {
    const dataset = datasets.get(name);
    if (!dataset) throw new Error(`There is no ${name}.`);
    return writer.writeDataset(dataset, fingerprint, filesBefore);
  };
  return { writeDataset, folder, large: writer.largeFiles };
}
