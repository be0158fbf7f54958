/** Units whose own record this process has replaced: their state follows from what was written, and needn't be read. */
import { type Unit, unitKey } from '../../catalogue/layout.ts';
import type { RecordOf } from '../../catalogue/schemas.ts';
import type { UnitReading } from '../../catalogue/snapshot.ts';
import type { Dataset } from '../../catalogue/types.ts';
import type { RecordText } from '../../text/parse.ts';
import type { DiskTree } from '../tree/disk-tree.ts';
import { parentOf, type Stamp, UnreadableFileError } from '../tree/file-tree.ts';
import { exactStampFrom, packStamps, unpackStamps } from '../tree/stamps.ts';
import { checkRecordText } from './check-record.ts';
import { datasetWithSameParts, entityOf, reuseIfEqual } from './read-unit.ts';
import { haveUnchangedFiles } from './unchanged-files.ts';
import { readingOf } from './unit-reading.ts';
import type { UnitState } from './unit-state.ts';

/** A unit whose own record gets another text. */
export interface WrittenUnit {
  readonly unit: Unit;
  /** Path of its record. */
  readonly path: string;
  /** State of the unit when the text was planned. */
  readonly before: UnitState;
  /** What the unit says with the new text. */
  readonly reading: UnitReading;
}

/**
 * The unit with another text of its record, while its other files are as they were read.
 * @param before its last state
 * @returns undefined if its files have to be read for that
 */
export function unitWithRecord(
  unit: Unit,
  path: string,
  record: RecordText,
  before: UnitState,
): WrittenUnit | undefined {
  const { reading, diagnostics } = before;
  if (!reading.entity || diagnostics.some(([, found]) => found.length > 0)) return undefined;
  const checked = checkRecordText(unit.kind, record.text, record.format, record.parsed);
  if (!('value' in checked)) return undefined;
  const next = readingOf(unit, entityWithRecord(unit, checked.value, reading.entity));
  return { unit, path, before, reading: reuseIfEqual(reading, next) };
}

function entityWithRecord(
  unit: Unit,
  record: unknown,
  before: NonNullable<UnitReading['entity']>,
): UnitReading['entity'] {
  if (unit.kind !== 'dataset') return entityOf(unit, record);
  const { namespace, slug } = unit;
  return datasetWithSameParts(namespace, slug, record as RecordOf<'dataset'>, (before as Dataset).versions);
}

/** Exact stamps of the files that changed by a write, by the state of their unit after it. */
const exactStamps = new WeakMap<UnitState, ReadonlyMap<string, Stamp>>();

/**
 * The state of a unit whose record was replaced just now. Its stamps say that the record and its folder may have changed again
 * since: the next rescan, which an event of the watchers leads to, reads them.
 * @returns undefined if it has to be read
 */
export function stateAfterWrite(tree: DiskTree, { path, before, reading }: WrittenUnit): UnitState | undefined {
  const changed = new Map<string, Stamp>();
  const folder = parentOf(path);
  const stamps: (readonly [path: string, stamp: Stamp | null])[] = [];
  try {
    for (const [place, stamp] of unpackStamps(before.stamps)) {
      const exact = stamp && (place === path || place === folder) ? tree.stamp(place, exactStampFrom) : null;
      if (exact) changed.set(place, exact);
      stamps.push([place, exact ? { ...exact, mtime: -1 } : stamp]);
    }
  } catch (error) {
    if (error instanceof UnreadableFileError) return undefined;
    throw error;
  }
  if (!changed.has(path)) return undefined;
  const { key, payloads, diagnostics } = before;
  const state: UnitState = { key, reading, stamps: packStamps(stamps), payloads, diagnostics };
  exactStamps.set(state, changed);
  return state;
}

/**
 * True if the files of a unit are as this process wrote them last. A change within the same tick of the clock may be
 * missed here: a rescan finds it.
 */
export function isAsWritten(tree: DiskTree, unit: Unit, states: ReadonlyMap<string, UnitState>): boolean {
  const state = states.get(unitKey(unit));
  const known = state && exactStamps.get(state);
  if (!known) return false;
  return haveUnchangedFiles({ stamp: (path) => tree.stamp(path, exactStampFrom) }, state, known);
}
