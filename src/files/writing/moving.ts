/** Renaming and moving records: the folder or file goes to its new place, and the old address stays known. */
import { rename } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { CreatableKind } from '../../catalogue/catalogue.ts';
import { datasetFolder, namespaceFolder, recordStem } from '../../catalogue/layout.ts';
import { formatRef, type Refs } from '../../catalogue/ref.ts';
import { makeFolders, syncFolder, toUnavailable } from '../../disk/durable.ts';
import { moved } from './trail.ts';

type Movable = Refs[CreatableKind];

/**
 * What is moved or removed when the record is: its folder, or the file itself.
 * @param path of the record as it is, for its extension
 */
export function placeOfRecord(unit: Movable, path: string): string {
  switch (unit.kind) {
    case 'dataset':
      return datasetFolder(unit.namespace, unit.slug);
    case 'namespace':
      return namespaceFolder(unit.slug);
    default:
      return `${recordStem(unit)}${path.slice(path.lastIndexOf('.'))}`;
  }
}

/**
 * Renames a folder or file within the catalogue, durably.
 * @throws UnavailableError where the disk is full or doesn't let us
 */
export async function move(root: string, from: string, to: string): Promise<void> {
  const [source, target] = [join(root, from), join(root, to)];
  try {
    await makeFolders(dirname(target));
    await rename(source, target);
    moved(from, to);
    await syncFolder(dirname(target));
    if (dirname(source) !== dirname(target)) await syncFolder(dirname(source));
  } catch (error) {
    throw toUnavailable(error, target);
  }
}

/**
 * The former addresses of a record that moves: those it has, and the one it leaves. The one it moves to is no former
 * address any more.
 * @param now as they stand in the record; a dataset's may be slugs alone, which count within its namespace
 */
export function aliasesAfter(now: unknown, from: Movable, to: Movable): string[] {
  const aliases = Array.isArray(now) ? now.map(String) : [];
  if (from.kind !== 'dataset' || to.kind !== 'dataset')
    return [...new Set([...aliases, from.slug])].filter((alias) => alias !== to.slug);
  const full = [...aliases, from.slug].map((alias) => (alias.includes('/') ? alias : `${from.namespace}/${alias}`));
  const kept = [...new Set(full)].filter((alias) => alias !== formatRef(to));
  const prefix = `${to.namespace}/`;
  return kept.map((alias) => (alias.startsWith(prefix) ? alias.slice(prefix.length) : alias));
}
