/** Units without faults, as far as these can be found without other units: what `catalogue check` reads in threads. */
import type { Unit } from '../../catalogue/layout.ts';
import type { RecordValue } from '../../catalogue/record-set.ts';
import { findFaultsInContents, findFaultsOfDataset } from '../../catalogue/rules.ts';
import { readUnit } from '../reading/read-unit.ts';
import type { UnitState } from '../reading/unit-reader.ts';
import type { FileTree } from '../tree/file-tree.ts';
import { ParsedTree } from './tree-records.ts';

/** The state of a unit whose records have ids and are faultless; null of any other, and of the settings. */
export function readFaultlessUnit(disk: FileTree, unit: Unit): UnitState | null {
  const tree = new ParsedTree(disk);
  const state = readUnit(tree, unit);
  const { entity } = state.reading;
  if (state.diagnostics.length || entity === null || !('kind' in entity)) return null;
  const records = new Map(tree.values());
  for (const [path, value] of records)
    if (value.id === undefined || !findFaultsInContents(path, value).next().done) return null;
  if (entity.kind !== 'dataset') return state;
  const record = (path: string): RecordValue | undefined => records.get(path);
  const names = (folder: string) => tree.names(folder).map(({ name }) => name);
  return findFaultsOfDataset({ record, names }, entity).next().done ? state : null;
}
