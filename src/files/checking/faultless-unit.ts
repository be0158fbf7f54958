/** A unit that `catalogue check` finds no fault in by itself: the rules about several records remain to be checked. */
import type { Unit } from '../../catalogue/layout.ts';
import { findFaultsInContents } from '../../catalogue/rules.ts';
import { readUnit } from '../reading/read-unit.ts';
import type { UnitState } from '../reading/unit-reader.ts';
import type { FileTree } from '../tree/file-tree.ts';
import { ParsedTree } from './tree-records.ts';

/** What was read of a unit without faults; null if it has any. */
export function readFaultlessUnit(disk: FileTree, unit: Unit): { state: UnitState; tree: ParsedTree } | null {
  const tree = new ParsedTree(disk);
  const state = readUnit(tree, unit);
  if (state.diagnostics.length) return null;
  for (const [path, value] of tree.values())
    if (!isKeptByJson(value) || !findFaultsInContents(path, value).next().done) return null;
  return { state, tree };
}

/** True if a value is the same after it was written as JSON: YAML has numbers that JSON lacks. */
function isKeptByJson(value: unknown): boolean {
  if (typeof value === 'number') return Number.isFinite(value) && !Object.is(value, -0);
  if (typeof value !== 'object') return typeof value === 'string' || typeof value === 'boolean';
  return value === null || Object.values(value).every(isKeptByJson);
}
