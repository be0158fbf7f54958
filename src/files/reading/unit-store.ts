/**
 * The catalogue folder as it was last read: one state for each unit, and the snapshot they make together. What an event
 * says is only a rumour; `examine` looks at the files and believes nothing else.
 */

import { parseRecordName, recordPaths, recordStem, type Unit, unitKey } from '../../catalogue/layout.ts';
import { applyReadings, emptySnapshot, type Reading, type Snapshot } from '../../catalogue/snapshot.ts';
import type { Diagnostic } from '../../catalogue/types.ts';
import { DiskTree } from '../tree/disk-tree.ts';
import { readUnit } from './read-unit.ts';
import { scan } from './scan.ts';
import type { UnitState } from './unit-reader.ts';

/** A unit, or all units whose records lie under a folder: `''` is the whole, else with a slash at the end. */
export type Scope = Unit | { readonly folder: string };

export class UnitStore {
  readonly tree: DiskTree;
  readonly #states = new Map<string, UnitState>();
  #strays = new Map<string, readonly Diagnostic[]>();
  #snapshot: Snapshot = emptySnapshot;
  #changes = 0;
  /** What was read since the last snapshot: the units, and what is wrong now with which file. */
  #touched = new Map<string, Unit>();
  #diagnostics = new Map<string, readonly Diagnostic[]>();

  constructor(root: string) {
    this.tree = new DiskTree(root);
  }

  get snapshot(): Snapshot {
    return this.#snapshot;
  }

  /** Every unit that was read, with its key. */
  get states(): ReadonlyMap<string, UnitState> {
    return this.#states;
  }

  /** Grows with every unit that was read anew: tells whether a cache of the states is out of date. */
  get changeCount(): number {
    return this.#changes;
  }

  /** Takes states from a cache; each is looked at before it is believed. */
  restore(states: Iterable<UnitState>): void {
    for (const state of states) {
      const unit = unitOfReading(state.reading);
      this.#states.set(unitKey(unit), state);
      this.#note(unit, state);
    }
  }

  /** Whether a record of the unit is missing or empty, though its folder is there: as if just being written. */
  isBeingWritten(unit: Unit): boolean {
    const known =
      this.#states.get(unitKey(unit))?.stamps.filter(([path, stamp]) => stamp && parseRecordName(path)) ?? [];
    const blank = (path: string) => !this.tree.size(path);
    const unwritten = known.length ? known.some(([path]) => blank(path)) : recordPaths(unit).every(blank);
    return unwritten && this.tree.size(homeOf(unit)) !== null;
  }

  /** Has the units under a folder read at their next look, whatever their stamps say: for all of it was replaced. */
  invalidate(prefix: string): void {
    for (const [key, state] of this.#states)
      if (key.startsWith(prefix)) this.#states.set(key, { ...state, stamps: never });
  }

  /**
   * Looks at the files in the scopes and makes the next snapshot of what they say. A generator, so that a long look
   * can pause between steps, and several can go on at once; the snapshot changes at the end of each, and holds the
   * newest that is known of every unit. Where there is no catalogue in the folder (any more), it stays as it is.
   */
  *rescan(scopes: Iterable<Scope>): Generator<void> {
    for (const scope of scopes) {
      if ('folder' in scope) yield* this.#examineFolder(scope.folder);
      else this.#lookBelow(scope);
      yield;
    }
    if (this.tree.isCatalogue()) this.#commit();
  }

  *#examineFolder(prefix: string): Generator<void> {
    const seen = new Set<string>();
    const strays = new Map<string, readonly Diagnostic[]>();
    for (const finding of scan(this.tree, prefix)) {
      if ('unit' in finding) seen.add(this.#look(finding.unit));
      else strays.set(finding.stray.path, [...(strays.get(finding.stray.path) ?? []), finding.stray]);
      yield;
    }
    if (!this.tree.isCatalogue()) return;
    for (const [key, state] of this.#states) {
      if (!key.startsWith(prefix) || seen.has(key)) continue;
      this.#lookBelow(unitOfReading(state.reading));
      yield;
    }
    for (const path of this.#strays.keys())
      if (path.startsWith(prefix) && !strays.has(path)) this.#diagnostics.set(path, []);
    for (const [path, found] of strays) {
      // What is still wrong in the same way stays the same object: nothing changed.
      const before = this.#strays.get(path);
      if (before && JSON.stringify(before) === JSON.stringify(found)) strays.set(path, before);
      this.#diagnostics.set(path, strays.get(path) ?? found);
    }
    this.#strays = new Map([...[...this.#strays].filter(([path]) => !path.startsWith(prefix)), ...strays]);
  }

  /** Looks at a unit that no survey came by: the folders above it may have become a link to elsewhere. */
  #lookBelow(unit: Unit): void {
    if (!this.tree.leadsOutside(homeOf(unit))) return void this.#look(unit);
    const key = unitKey(unit);
    for (const [path] of this.#states.get(key)?.diagnostics ?? []) this.#diagnostics.set(path, []);
    if (this.#states.delete(key)) this.#changes++;
    this.#touched.set(key, unit);
  }

  #look(unit: Unit): string {
    const key = unitKey(unit);
    const before = this.#states.get(key);
    const state = readUnit(this.tree, unit, before);
    if (state === before) return key;
    const empty = state.reading.entity === null && state.diagnostics.every(([, found]) => found.length === 0);
    // Of a folder that is gone nothing was removed: should it come back, the next commit must not say so.
    if (empty && before && !this.tree.isCatalogue()) return key;
    this.#note(unit, state);
    if (empty && unit.kind !== 'settings') this.#states.delete(key);
    else this.#states.set(key, state);
    if (before || !empty) this.#changes++;
    return key;
  }

  #note(unit: Unit, { diagnostics }: UnitState): void {
    this.#touched.set(unitKey(unit), unit);
    for (const [path, found] of diagnostics) this.#diagnostics.set(path, found);
  }

  #commit(): void {
    const readings: Reading[] = [];
    for (const [key, unit] of this.#touched)
      readings.push(this.#states.get(key)?.reading ?? ({ ...unit, entity: null } as Reading));
    this.#snapshot = applyReadings(this.#snapshot, { readings, diagnostics: this.#diagnostics });
    this.#touched = new Map();
    this.#diagnostics = new Map();
  }
}

/** Stamps that no file ever has. */
const never: UnitState['stamps'] = [['', { ino: -1, size: -1, mtime: -1, ctime: -1 }]];

export function unitOfReading(reading: Reading): Unit {
  const { entity: _, ...unit } = reading;
  return unit;
}

/** The folder that a unit's record lies in. */
function homeOf(unit: Unit): string {
  const stem = recordStem(unit);
  return stem.slice(0, Math.max(0, stem.lastIndexOf('/')));
}
