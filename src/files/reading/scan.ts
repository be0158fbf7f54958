/** Which units there are in a catalogue folder, and what lies in it that can't be one. */

import {
  datasetFolder,
  datasetsFolder,
  isValidName,
  parseRecordName,
  recordFolders,
  type Unit,
} from '../../catalogue/layout.ts';
import type { Diagnostic, DiagnosticCode } from '../../catalogue/types.ts';
import { type FileTree, UnreadableFileError } from '../tree/file-tree.ts';

export type ScanResult = { readonly unit: Unit } | { readonly stray: Diagnostic };

/**
 * Walks the folder, or the part of it under a prefix such as `namespaces/parks/`. It is a generator so that a walk
 * under a running server can pause between steps.
 */
export function* scan(folder: FileTree, prefix = ''): Generator<ScanResult> {
  const reaches = (path: string) => path.startsWith(prefix) || prefix.startsWith(path);
  if (prefix === '') yield { unit: { kind: 'settings' } };
  if (reaches('namespaces/')) {
    for (const namespace of yield* subfolders(folder, 'namespaces/', 'namespace')) {
      if (!reaches(`namespaces/${namespace}/`)) continue;
      yield { unit: { kind: 'namespace', slug: namespace } };
      for (const slug of yield* subfolders(folder, `${datasetsFolder(namespace)}/`, 'dataset'))
        if (reaches(`${datasetFolder(namespace, slug)}/`)) yield { unit: { kind: 'dataset', namespace, slug } };
    }
  }
  for (const kind of ['group', 'user', 'query'] as const)
    if (reaches(`${recordFolders[kind]}/`)) yield* records(folder, kind);
}

/** The subfolders that can be namespaces or datasets. */
function* subfolders(folder: FileTree, parent: string, kind: 'namespace' | 'dataset'): Generator<ScanResult, string[]> {
  const slugs: string[] = [];
  const byCase = new Map<string, string>();
  try {
    for (const entry of folder.names(parent)) {
      if (entry.name.startsWith('.')) continue;
      const path = `${parent}${entry.name}`;
      try {
        if (!folder.isFolder(parent, entry)) {
          if (parseRecordName(entry.name))
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
        yield stray(path, 'name', `There is "${twin}" too: names that differ only in case are the same. Rename one.`);
      byCase.set(entry.name.toLowerCase(), entry.name);
    }
  } catch (error) {
    if (!(error instanceof UnreadableFileError)) throw error;
    yield stray(parent.slice(0, -1), 'unreadable', error.message);
  }
  return slugs;
}

/** The records that are one file each. */
function* records(folder: FileTree, kind: 'group' | 'user' | 'query'): Generator<ScanResult> {
  const parent = `${recordFolders[kind]}/`;
  const seen = new Set<string>();
  try {
    for (const entry of folder.names(parent)) {
      const name = entry.name.startsWith('.') ? null : parseRecordName(entry.name);
      if (!name) continue;
      if (!isValidName(kind, name.stem))
        yield stray(
          `${parent}${entry.name}`,
          'layout',
          `The name of a ${kind} can't be "${name.stem}": rename the file.`,
        );
      else if (!seen.has(name.stem)) yield { unit: { kind, slug: name.stem } };
      seen.add(name.stem);
    }
  } catch (error) {
    if (!(error instanceof UnreadableFileError)) throw error;
    yield stray(parent.slice(0, -1), 'unreadable', error.message);
  }
}

const stray = (path: string, code: DiagnosticCode, message: string): ScanResult => ({
  stray: { path, line: 1, column: 1, pointer: '', message, severity: 'error', code },
});
