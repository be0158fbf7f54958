/** Units without faults, as far as these can be found without other units: what `catalogue check` reads in threads. */
import { recordPaths, type Unit } from '../../catalogue/layout.ts';
import { findFaultsInContents, findFaultsOfDataset } from '../../catalogue/own-rules.ts';
import type { RecordValue } from '../../catalogue/record-set.ts';
import { readUnitOnce } from '../reading/read-unit.ts';
import type { UnitState } from '../reading/unit-state.ts';
import { type FileTree, namesOrNone } from '../tree/file-tree.ts';
import { ParsedTree } from './tree-records.ts';

/** The state of a unit whose records have ids and are faultless; null of any other, and of the settings. */
export function readFaultlessUnit(disk: FileTree, unit: Unit): UnitState | null {
  const tree = new ParsedTree(disk);
  const state = readUnitOnce(tree, unit);
  const { entity } = state.reading;
  if (state.diagnostics.length || entity === null || !('kind' in entity)) return null;
  const ownPaths = recordPaths(unit);
  const records = tree.values();
  for (const [path, value] of records) {
    // All other records of a dataset are its versions.
    const kind = ownPaths.includes(path) ? entity.kind : 'version';
    if (value.id === undefined || findFaultsInContents(kind, path, value).length) return null;
  }
  if (entity.kind !== 'dataset') return state;
  const record = (path: string): RecordValue | undefined => records.get(path);
  const names = (folder: string) => namesOrNone(tree, folder);
  return findFaultsOfDataset({ record, names }, entity).length ? null : state;
}
