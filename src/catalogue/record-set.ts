/** Set of records that rules look at, and the diagnostics that they report. */

import type { Diagnostic } from './diagnostic.ts';
import { type RecordRef, recordPaths } from './layout.ts';
import { allEntities, type ListedKind } from './listing.ts';
import { refOf } from './ref.ts';
import type { Snapshot } from './snapshot.ts';
import type { Entities } from './types.ts';

/** Top-level keys of a record, as its file says them. */
export type RecordValue = Readonly<Record<string, unknown>>;
/** An entity that has a record file. */
export type RecordEntity = Entities[ListedKind];

/** The records that rules look at: as they are, or as they will be after the changes under check. */
export interface RecordSet {
  readonly snapshot: Snapshot;
  /** Contents of a record file; undefined if it does not exist or does not parse. */
  record(path: string): RecordValue | undefined;
  /** Paths of all record files that parse. */
  paths(): Iterable<string>;
  /** True if a file or folder is there. */
  has(path: string): boolean;
  /** Names in a folder; none if it is absent. */
  names(folder: string): readonly string[];
  /** True if a record has an id, and all that can be checked without other records was checked and has no problem. */
  isFaultless?(entity: RecordEntity): boolean;
  /** As `paths`, without the records that are faultless. */
  uncheckedPaths?(): Iterable<string>;
  /** Paths of the records of entities, as far as they were found. */
  readonly pathsOfEntities?: WeakMap<RecordEntity, string>;
  /** Order of two records with the same id: negative if the first one had it before, so that the second one is reported. */
  readonly compareHolders?: ((a: string, b: string) => number) | undefined;
}

/** A record that is about to change. */
export interface Touched {
  readonly path: string;
  readonly ref: RecordRef;
  /** Entity before the change; null if there was none. */
  readonly before: RecordEntity | null;
  /** True if the record is new, or gets a new name. */
  readonly isNew: boolean;
  /** True if something else has the name, even if only a folder without a record. */
  readonly isTaken?: boolean;
}

/** Diagnostic without line and column, which are found later from the pointer. */
export interface RecordDiagnostic extends Omit<Diagnostic, 'line' | 'column'> {
  /** Returns the keys to set to fix it, from the present contents of the record; absent if only a person can fix it. */
  readonly fix?: (record: RecordValue) => Record<string, unknown>;
  /** Message in a copy of a remote, if the remote may have what is missing here, and only hide it: it is a warning there. */
  readonly messageInCopy?: string;
  /** The other record in the message, which the viewer may not be allowed to see. */
  readonly other?: RecordRef;
}

export type Report = Pick<RecordDiagnostic, 'code' | 'message'> & Partial<RecordDiagnostic>;
/** Makes a diagnostic; by default an error, of the whole record. */
export const makeDiagnostic = (path: string, found: Report): RecordDiagnostic => ({
  path,
  pointer: '',
  severity: 'error',
  ...found,
});

/** Path of the record of an entity that was read. */
export function entityRecordPath(next: Pick<RecordSet, 'record' | 'pathsOfEntities'>, entity: RecordEntity): string {
  const known = next.pathsOfEntities?.get(entity);
  if (known !== undefined) return known;
  const paths = recordPaths(refOf(entity) as RecordRef);
  const found = paths.find((path) => next.record(path) !== undefined) ?? `${paths[0]}`;
  next.pathsOfEntities?.set(entity, found);
  return found;
}

/** The records of a snapshot by id. */
export class RecordsById {
  readonly snapshot: Snapshot;
  readonly #kinds = new Map<ListedKind, Map<number, RecordEntity[]>>();

  constructor(snapshot: Snapshot) {
    this.snapshot = snapshot;
  }

  /** The records of a kind by id. They are indexed at the first call. */
  ofKind(kind: ListedKind): ReadonlyMap<number, readonly RecordEntity[]> {
    const known = this.#kinds.get(kind);
    if (known) return known;
    const records = new Map<number, RecordEntity[]>();
    for (const entity of allEntities(this.snapshot, kind)) {
      const others = records.get(entity.id);
      if (others) others.push(entity);
      else records.set(entity.id, [entity]);
    }
    this.#kinds.set(kind, records);
    return records;
  }
}
