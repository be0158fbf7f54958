/**
 * The files of a folder that hasn't been read, as the local admin sees them. To compare and to send records, their paths and
 * texts are enough: only where a dataset has payloads, its records are parsed, since they say which payloads are complete.
 */
import {
  datasetFolder,
  isValidName,
  parseRecordFileName,
  recordPaths,
  type Unit,
  versionsFolder,
} from '../../catalogue/layout.ts';
import { makeRegularPause } from '../reading/event-loop.ts';
import { readUnit } from '../reading/read-unit.ts';
import { scanForUnits } from '../reading/scan.ts';
import type { DiskTree } from '../tree/disk-tree.ts';
import { UnreadableFileError } from '../tree/file-tree.ts';
import { listUnitFiles, type ReplicaFile } from './items.ts';
import type { KeptTexts } from './kept-texts.ts';

/** In characters: longer paths may be too long for some systems, and are looked at one by one. */
const maxPlainPath = 300;

/**
 * The records and payloads of a folder, in any order.
 * @param kept collects the texts of records that are read for this
 * @returns null if the folder has to be read: something in it is broken or misplaced, so that files may be left out
 */
export async function listUnreadFolder(tree: DiskTree, kept?: KeptTexts): Promise<readonly ReplicaFile[] | null> {
  const files: ReplicaFile[] = [];
  const pause = makeRegularPause();
  for (const found of scanForUnits(tree)) {
    if ('stray' in found) return null;
    const listed = 'unit' in found ? (listPlainDataset(tree, found.unit) ?? listReadUnit(tree, found.unit, kept)) : [];
    if (!listed) return null;
    files.push(...listed);
    await pause();
  }
  return files;
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

/** The records of a dataset without payloads, by the names in its folders; undefined if these don't tell. */
function listPlainDataset(tree: DiskTree, unit: Unit): readonly ReplicaFile[] | undefined {
  if (unit.kind !== 'dataset') return undefined;
  const { namespace, slug } = unit;
  const home = datasetFolder(namespace, slug);
  const own = recordPaths(unit).map((path) => path.slice(home.length + 1));
  const names: string[] = [];
  let hasVersions = false;
  try {
    for (const entry of tree.names(home, true)) {
      if (own.includes(entry.name) && entry.isFile()) names.push(entry.name);
      else if (entry.name === 'versions' && entry.isDirectory()) hasVersions = true;
      else if (entry.name === 'data' || entry.name === 'versions' || own.includes(entry.name)) return undefined;
    }
    if (names.length !== 1) return undefined;
    for (const entry of hasVersions ? tree.names(versionsFolder(namespace, slug), true) : []) {
      const version = entry.name.startsWith('.') ? undefined : parseRecordFileName(entry.name)?.stem;
      if (version === undefined) continue;
      if (!entry.isFile() || !isValidName('version', version)) return undefined;
      names.push(`versions/${entry.name}`);
    }
  } catch (error) {
    if (error instanceof UnreadableFileError) return undefined;
    throw error;
  }
  const isPlain = new Set(names.map((name) => parseRecordFileName(name)?.stem)).size === names.length;
  const paths = names.map((name) => `${home}/${name}`);
  if (!isPlain || paths.some(({ length }) => length > maxPlainPath)) return undefined;
  return paths.map((path) => ({ kind: 'record', path, state: null }));
}
