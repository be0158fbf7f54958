/** The units in a catalogue folder, and the files that can't be one. */

import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Diagnostic, DiagnosticCode } from '../../catalogue/diagnostic.ts';
import { excerpt } from '../../catalogue/errors.ts';
import {
  datasetFolder,
  datasetsFolder,
  isValidName,
  namespaceFolder,
  parseRecordFileName,
  recordFolders,
  type Unit,
  unitKey,
  versionsFolder,
} from '../../catalogue/layout.ts';
import { type FileTree, linkProblems, type Stamp, type TreeEntry, UnreadableFileError } from '../tree/file-tree.ts';
import { isDeadLink } from './missing-record.ts';

/** A unit with its key; the diagnostic of a file that isn't part of any; or a folder that was searched for units. */
export type ScanResult =
  | { readonly unit: Unit; readonly key: string }
  | { readonly stray: Diagnostic }
  | SearchedFolder;

/** A folder that was searched, with its stamp from before: while it is the same, so are the units that were found in it. */
interface SearchedFolder {
  readonly folder: string;
  readonly stamp: Stamp | null;
}

/**
 * Scans the folder for units, or the part of it below a prefix such as `namespaces/parks/`. Each step reads at most one
 * folder, so that a server can handle requests in between.
 */
export function* scanForUnits(tree: FileTree, prefix = ''): Generator<ScanResult> {
  const reaches = (path: string) => path.startsWith(prefix) || prefix.startsWith(path);
  if (prefix === '') yield found({ kind: 'settings' });
  if (reaches('namespaces/')) {
    for (const namespace of yield* subfolders(tree, 'namespaces/', 'namespace')) {
      if (!reaches(`namespaces/${namespace}/`)) continue;
      yield found({ kind: 'namespace', slug: namespace });
      // What a link leads to that can't be followed is not searched. Reading the namespace reports it.
      if ([namespaceFolder, datasetsFolder].some((folder) => isDeadLink(tree, folder(namespace)))) continue;
      for (const slug of yield* subfolders(tree, `${datasetsFolder(namespace)}/`, 'dataset'))
        if (reaches(`${datasetFolder(namespace, slug)}/`)) yield found({ kind: 'dataset', namespace, slug });
    }
  }
  for (const kind of ['group', 'user', 'query'] as const)
    if (reaches(`${recordFolders[kind]}/`)) yield* recordUnits(tree, kind);
}

/** Names of the subfolders that can be namespaces or datasets. */
function* subfolders(tree: FileTree, parent: string, kind: 'namespace' | 'dataset'): Generator<ScanResult, string[]> {
  const slugs: string[] = [];
  const byCase = new Map<string, string>();
  try {
    for (const entry of yield* search(tree, parent)) {
      if (entry.name.startsWith('.')) continue;
      const path = `${parent}${entry.name}`;
      try {
        const isHeld =
          isValidName(kind, entry.name) && tree.isMissing && entry.isSymbolicLink() && isDeadLink(tree, path);
        // The record of a link that can't be followed is not missing: reading the unit says so.
        if (!isHeld && !tree.isFolder(parent, entry)) {
          if (parseRecordFileName(entry.name))
            yield stray(
              path,
              'layout',
              `A ${kind} is a folder: move this to ${path.replace(/\.[^.]+$/, '')}/${kind}.yaml.`,
            );
          continue;
        }
      } catch (error) {
        yield stray(path, 'unreadable', (error as Error).message);
        continue;
      }
      const twin = byCase.get(entry.name.toLowerCase());
      if (!isValidName(kind, entry.name))
        yield stray(path, 'layout', `A ${kind}'s folder has letters, digits, "-" and "_" only in its name: rename it.`);
      else slugs.push(entry.name);
      if (twin)
        yield stray(
          path,
          'name',
          `There is "${excerpt(twin)}" too: names that differ only in case are the same. Rename one.`,
        );
      byCase.set(entry.name.toLowerCase(), entry.name);
    }
  } catch (error) {
    if (!(error instanceof UnreadableFileError)) throw error;
    yield stray(parent.slice(0, -1), 'unreadable', error.message);
  }
  return slugs;
}

/** The names in a folder. @throws UnreadableFileError */
function* search(tree: FileTree, parent: string): Generator<ScanResult, readonly TreeEntry[]> {
  const folder = parent.slice(0, -1);
  const stamp = tree.stamp(folder);
  if (stamp === null && isDeadLink(tree, folder)) throw new UnreadableFileError(linkProblems.nowhere);
  const entries = tree.names(parent, true);
  // What a link leads to can change while the folder doesn't.
  const hasLink = entries.some((entry) => entry.isSymbolicLink());
  yield { folder, stamp: stamp && hasLink ? { ...stamp, mtime: -1 } : stamp };
  return entries;
}

/** Units of one file each. */
function* recordUnits(tree: FileTree, kind: 'group' | 'user' | 'query'): Generator<ScanResult> {
  const parent = `${recordFolders[kind]}/`;
  const seen = new Set<string>();
  try {
    for (const entry of yield* search(tree, parent)) {
      const name = entry.name.startsWith('.') ? null : parseRecordFileName(entry.name);
      if (!name) continue;
      if (!isValidName(kind, name.stem))
        yield stray(
          `${parent}${entry.name}`,
          'layout',
          `The name of a ${kind} can't be "${excerpt(name.stem)}": rename the file.`,
        );
      else if (!seen.has(name.stem)) yield found({ kind, slug: name.stem });
      seen.add(name.stem);
    }
  } catch (error) {
    if (!(error instanceof UnreadableFileError)) throw error;
    yield stray(parent.slice(0, -1), 'unreadable', error.message);
  }
}

const found = (unit: Unit): ScanResult => ({ unit, key: unitKey(unit) });

const stray = (path: string, code: DiagnosticCode, message: string): ScanResult => ({
  stray: { path, line: 1, column: 1, pointer: '', message, severity: 'error', code },
});

/** Kind of the names to list, and where they are. */
export type NamesRequest =
  | { readonly kind: 'namespace' | 'group' | 'user' | 'query' }
  | { readonly kind: 'dataset'; readonly namespace: string }
  | { readonly kind: 'version'; readonly namespace: string; readonly dataset: string };

/**
 * Names in a folder, in the order of code points, without reading the records: they may be broken. None if the folder
 * is missing.
 * @param root path of the catalogue folder
 */
export async function listRecordNames(root: string, request: NamesRequest): Promise<readonly string[]> {
  const { kind } = request;
  const entries = await readdir(join(root, parentOf(request)), { withFileTypes: true }).catch(() => []);
  const areFolders = kind === 'namespace' || kind === 'dataset';
  const names = entries
    .filter((entry) => entry.isDirectory() === areFolders)
    .map(({ name }) => (areFolders ? name : (parseRecordFileName(name)?.stem ?? '')));
  return [...new Set(names)].filter((name) => isValidName(kind, name)).sort();
}

function parentOf(request: NamesRequest): string {
  switch (request.kind) {
    case 'namespace':
      return 'namespaces';
    case 'dataset':
      return datasetsFolder(request.namespace);
    case 'version':
      return versionsFolder(request.namespace, request.dataset);
    default:
      return recordFolders[request.kind];
  }
}
