/** The units that are watched, and those that are to be. */
import { datasetFolder, namespaceFolder, type Scope, type Unit, unitKey } from '../../catalogue/layout.ts';
import { groupByFolder } from '../reading/group-by-folder.ts';
import { unitOfReading } from '../reading/unit-reading.ts';
import type { UnitState } from '../reading/unit-state.ts';
import { unitOfKey, type Watchers } from './watchers.ts';

/**
 * A function that gives the units with folders at or below one of the folders in scopes.
 * @param states of the known units
 * @param watched units that are still watched, by key
 */
export function unitsBelow(
  states: ReadonlyMap<string, UnitState>,
  watched: ReadonlyMap<string, unknown>,
  scopes: readonly Scope[],
): (folder: string) => Generator<Unit> {
  const knownBelow = groupByFolder(states, scopes);
  const watchedBelow = groupByFolder(watched, scopes);
  return function* (folder) {
    yield { kind: 'settings' };
    const namespace = namespaceOfFolder(folder);
    if (namespace) yield namespace;
    for (const [, { reading }] of knownBelow(folder)) yield unitOfReading(reading);
    for (const [key] of watchedBelow(folder)) if (!states.has(key)) yield unitOfKey(key);
  };
}

/** The namespace that a folder is, or is in. @param folder its path, with a slash at the end */
function namespaceOfFolder(folder: string): Unit | undefined {
  const [, slug] = /^namespaces\/([^/]+)\//.exec(folder) ?? [];
  return slug === undefined ? undefined : { kind: 'namespace', slug };
}

/** True for the folder of a namespace's datasets, which is new, if it is rescanned as soon as it is watched. */
export function isRescannedSoon(scope: Scope, watchers: Watchers | undefined): boolean {
  const namespace = 'folder' in scope && scope.folder.endsWith('/datasets/') && namespaceOfFolder(scope.folder);
  return namespace ? (watchers?.isStarting(unitKey(namespace)) ?? false) : false;
}

/** Prefix of the paths in a unit's folder. */
export function folderPrefix(unit: Unit): string {
  if (unit.kind === 'dataset') return `${datasetFolder(unit.namespace, unit.slug)}/`;
  return unit.kind === 'namespace' ? `${namespaceFolder(unit.slug)}/` : '';
}
