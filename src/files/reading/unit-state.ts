/** The state of a unit when it was last read. */
import type { Diagnostic } from '../../catalogue/diagnostic.ts';
import type { UnitReading } from '../../catalogue/snapshot.ts';
import type { PackedStamps } from '../tree/stamps.ts';

/** State of a unit when it was last read: its content, its diagnostics, and the stamps that show if it changed since. */
export interface UnitState {
  /** Key of the unit: the same text in each of its states, so that keeping it makes no copy. */
  readonly key: string;
  readonly reading: UnitReading;
  /** Stamps of the files and folders that were read. */
  readonly stamps: PackedStamps;
  /** Stamps of payloads. Their content isn't read, but their size is compared with the record. */
  readonly payloads: PackedStamps;
  /** A list for each file with diagnostics; an empty one if a file had some before and has none now. */
  readonly diagnostics: readonly (readonly [path: string, diagnostics: readonly Diagnostic[]])[];
  /**
   * True if its own record is missing, while records below it are there or its folder is empty; or if its folder can't be
   * reached: it counts as broken, not as removed.
   */
  readonly lacksRecord?: true;
}

/** Shared by all units without diagnostics. */
export const noDiagnostics: UnitState['diagnostics'] = Object.freeze([]);
