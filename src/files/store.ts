/**
 * The catalogue folder as it was last read: one state for each unit, and the snapshot they make together. What an event
 * says is only a rumour; `examine` looks at the files and believes nothing else.
 */
import { apply, type Change, emptySnapshot, type Reading, type Snapshot } from '../catalogue/snapshot.ts';
import type { Problem } from '../catalogue/types.ts';
import { keyOf, type Unit } from './layout.ts';
import { Folder } from './look.ts';
import { readUnit, type UnitState } from './reading.ts';
import { survey } from './survey.ts';

/** A unit, or all units whose records lie under a folder: `''` is the whole, else with a slash at the end. */
export type Scope = Unit | { readonly folder: string };

export class Store {
  readonly folder: Folder;
  readonly #states = new Map<string, UnitState>();
  #strays = new Map<string, readonly Problem[]>();
  #snapshot: Snapshot = emptySnapshot;

  constructor(root: string) {
    this.folder = new Folder(root);
  }

  get snapshot(): Snapshot {
    return this.#snapshot;
  }

  /** Every unit that was read, with its key. */
  get states(): ReadonlyMap<string, UnitState> {
    return this.#states;
  }

  /** Takes states from a cache; each is looked at before it is believed. */
  restore(states: Iterable<UnitState>): void {
    for (const state of states) this.#states.set(keyOf(unitOfReading(state.reading)), state);
  }

  /**
   * Looks at the files in the scopes and makes the next snapshot of what they say. A generator, so that a long look
   * can pause between steps; the snapshot changes once, at the end, and holds the newest that is known of each unit.
   */
  *examine(scopes: Iterable<Scope>): Generator<void> {
    const touched = new Set<string>();
    const problems = new Map<string, readonly Problem[]>();
    for (const scope of scopes) {
      if ('folder' in scope) yield* this.#examineFolder(scope.folder, touched, problems);
      else this.#look(scope, touched, problems);
      yield;
    }
    this.#commit(touched, problems);
  }

  *#examineFolder(prefix: string, touched: Set<string>, problems: Map<string, readonly Problem[]>): Generator<void> {
    const seen = new Set<string>();
    const strays = new Map<string, readonly Problem[]>();
    for (const finding of survey(this.folder, prefix)) {
      if ('unit' in finding) seen.add(this.#look(finding.unit, touched, problems));
      else strays.set(finding.stray.path, [...(strays.get(finding.stray.path) ?? []), finding.stray]);
      yield;
    }
    for (const [key, state] of this.#states) {
      if (!key.startsWith(prefix) || seen.has(key)) continue;
      this.#look(unitOfReading(state.reading), touched, problems);
      yield;
    }
    for (const path of this.#strays.keys()) if (path.startsWith(prefix) && !strays.has(path)) problems.set(path, []);
    for (const [path, found] of strays) {
      // What is still wrong in the same way stays the same object: nothing changed.
      const before = this.#strays.get(path);
      if (before && JSON.stringify(before) === JSON.stringify(found)) strays.set(path, before);
      problems.set(path, strays.get(path) ?? found);
    }
    this.#strays = new Map([...[...this.#strays].filter(([path]) => !path.startsWith(prefix)), ...strays]);
  }

  #look(unit: Unit, touched: Set<string>, problems: Map<string, readonly Problem[]>): string {
    const key = keyOf(unit);
    const before = this.#states.get(key);
    const state = readUnit(this.folder, unit, before);
    for (const [path, found] of state.problems) problems.set(path, found);
    touched.add(key);
    if (state === before) return key;
    const empty = state.reading.entity === null && state.problems.every(([, found]) => found.length === 0);
    if (empty && unit.kind !== 'settings') this.#states.delete(key);
    else this.#states.set(key, state);
    if (empty) this.#gone.set(key, unit);
    return key;
  }

  /** Units that were there and aren't any more, until the next snapshot says so. */
  readonly #gone = new Map<string, Unit>();

  #commit(touched: ReadonlySet<string>, problems: ReadonlyMap<string, readonly Problem[]>): void {
    const readings: Reading[] = [];
    for (const key of touched) {
      const state = this.#states.get(key);
      const gone = this.#gone.get(key);
      if (state) readings.push(state.reading);
      else if (gone) readings.push({ ...gone, entity: null } as Reading);
    }
    for (const key of touched) this.#gone.delete(key);
    const change: Change = { readings, problems };
    this.#snapshot = apply(this.#snapshot, change);
  }
}

function unitOfReading(reading: Reading): Unit {
  const { entity: _, ...unit } = reading;
  return unit;
}
