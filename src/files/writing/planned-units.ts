/** Units whose records get new texts in a plan, and their readings with these texts. */
import { recordPaths, type Unit, unitKey } from '../../catalogue/layout.ts';
import type { UnitReading } from '../../catalogue/snapshot.ts';
import type { RecordText } from '../../text/parse.ts';
import { readUnit } from '../reading/read-unit.ts';
import type { UnitState } from '../reading/unit-state.ts';
import { unitWithRecord, type WrittenUnit } from '../reading/written-unit.ts';
import type { OverlayTree } from '../tree/overlay-tree.ts';

interface PlannedUnit {
  readonly unit: Unit;
  /** New text of the unit's own record, if it is the only change of the unit; else undefined. */
  readonly own: { readonly path: string; readonly record: RecordText } | undefined;
}

export class PlannedUnits {
  readonly #overlay: OverlayTree;
  readonly #states: ReadonlyMap<string, UnitState>;
  readonly #isDryRun: boolean;
  readonly #units = new Map<string, PlannedUnit>();
  /** Keys of units that were changed and not read again yet. */
  readonly #unread = new Set<string>();
  readonly #written = new Map<string, WrittenUnit>();
  /** States of the units in folders that are not there yet. */
  readonly #added = new Map<string, UnitState>();

  /** @param isDryRun true if earlier steps, which were not written, are in the tree below the overlay */
  constructor(overlay: OverlayTree, states: ReadonlyMap<string, UnitState>, isDryRun: boolean) {
    this.#overlay = overlay;
    this.#states = states;
    this.#isDryRun = isDryRun;
  }

  /** Notes that a record of a unit gets a text. */
  add(unit: Unit, path: string, record: RecordText, isNew: boolean): void {
    const key = unitKey(unit);
    const before = this.#units.get(key);
    const isOwn = !isNew && recordPaths(unit).includes(path) && (!before || before.own?.path === path);
    this.#units.set(key, { unit, own: isOwn ? { path, record } : undefined });
    this.#unread.add(key);
    this.#written.delete(key);
    this.#added.delete(key);
  }

  /** Readings of the units that were changed since the last call. */
  read(): readonly UnitReading[] {
    const keys = [...this.#unread];
    this.#unread.clear();
    return keys.flatMap((key) => {
      const planned = this.#units.get(key);
      return planned ? this.#read(key, planned) : [];
    });
  }

  #read(key: string, { unit, own }: PlannedUnit): UnitReading {
    const before = this.#states.get(key);
    const isKnown = own && before && this.#overlay.hasOnlyTexts && !this.#isDryRun;
    const written = isKnown ? unitWithRecord(unit, own.path, own.record, before) : undefined;
    if (!written) {
      const state = readUnit(this.#overlay, unit, before);
      if (!before && !this.#isDryRun && this.#overlay.isInMissingFolder(key)) this.#added.set(key, state);
      return state.reading;
    }
    this.#written.set(key, written);
    return written.reading;
  }

  /** The state of a unit with a key as it was planned, if its folder is not there yet. */
  added(key: string): UnitState | undefined {
    return this.#overlay.hasOnlyTexts ? this.#added.get(key) : undefined;
  }

  /** The unit with a key, if the only change of its files is another text of its own record. */
  written(key: string): WrittenUnit | undefined {
    return this.#overlay.hasOnlyTexts ? this.#written.get(key) : undefined;
  }
}
