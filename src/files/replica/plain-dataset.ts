/**
 * The records of a dataset without payloads, without parsing them: the names in its folders tell which they are. In a process
 * that compares or sends thousands of them, threads do this as well.
 */
import {
  datasetFolder,
  isValidName,
  parseRecordFileName,
  recordPaths,
  type Unit,
  versionsFolder,
} from '../../catalogue/layout.ts';
import type { DiskTree } from '../tree/disk-tree.ts';
import { UnreadableFileError } from '../tree/file-tree.ts';
import { checksumOfText } from './checksums.ts';

/** In characters: longer paths may be too long for some systems, and are looked at one by one. */
const maxPlainPath = 300;

/** A record with its checksum, its size in bytes, and its text if it is asked for. */
export type PlainRecord = readonly [path: string, checksum: string, size: number, text?: string];

/** The paths of the records of a dataset without payloads; undefined if the names in its folders don't tell. */
export function listPlainDataset(tree: DiskTree, unit: Unit): readonly string[] | undefined {
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
  return isPlain && paths.every(({ length }) => length <= maxPlainPath) ? paths : undefined;
}

/** The records of a dataset without payloads; null if the names in its folders don't tell, or one can't be read as a text. */
export function readPlainDataset(tree: DiskTree, unit: Unit, withTexts: boolean): readonly PlainRecord[] | null {
  const records: PlainRecord[] = [];
  try {
    for (const path of listPlainDataset(tree, unit) ?? []) {
      const text = tree.read(path)?.text;
      if (text === undefined) return null;
      const { checksum, size } = checksumOfText(text);
      records.push(withTexts ? [path, checksum, size, text] : [path, checksum, size]);
    }
  } catch (error) {
    if (error instanceof UnreadableFileError) return null;
    throw error;
  }
  return records.length > 0 ? records : null;
}
