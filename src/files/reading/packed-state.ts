/** States of units in a short form that can be written as JSON, for the cache and for messages between threads. */
import { type EntityValues, entityFromValues, valuesOfEntity } from '../../catalogue/entities.ts';
import { type Unit, unitKey } from '../../catalogue/layout.ts';
import type { UnitReading } from '../../catalogue/snapshot.ts';
import type { Column, Dataset, Settings, Version } from '../../catalogue/types.ts';
import { readingOf } from './unit-reading.ts';
import { noDiagnostics, type UnitState } from './unit-state.ts';

/**
 * The values of a unit's entity that are not the defaults (null without an entity), its diagnostics, and true if its record is missing. In the place of a
 * column is its index in the columns of all states that are packed together: many datasets have the same ones.
 */
export type PackedContent = readonly [
  values: EntityValues | Settings | null,
  diagnostics: UnitState['diagnostics'],
  lacksRecord?: true,
];

/** A unit, its content, and the stamps of its files. */
export type PackedState = readonly [unit: Unit, content: PackedContent, stamps: string, payloads: string];

/** The different columns of states that are packed together. */
export class PackedColumns {
  readonly columns: Column[] = [];
  /** By object, since versions share most of theirs, and by contents. */
  readonly #indices = new Map<Column | string, number>();

  index(column: Column): number {
    const known = this.#indices.get(column);
    if (known !== undefined) return known;
    const contents = JSON.stringify(column);
    const index = this.#indices.get(contents) ?? this.columns.push(column) - 1;
    this.#indices.set(contents, index).set(column, index);
    return index;
  }
}

/** @param columns gets those of the state */
export function packState(state: UnitState, columns: PackedColumns): PackedState {
  const { reading, stamps, payloads, diagnostics, lacksRecord } = state;
  const { entity, ...unit } = reading;
  const values = entity === null ? null : 'kind' in entity ? packColumns(valuesOfEntity(entity), columns) : entity;
  return [unit, lacksRecord ? [values, diagnostics, true] : [values, diagnostics], stamps, payloads];
}

/** Puts indices of columns into the values of an entity, or of a dataset and its versions, which were made for that. */
function packColumns(values: Record<string, unknown>, packed: PackedColumns): EntityValues {
  if (Array.isArray(values.columns)) values.columns = values.columns.map((column: Column) => packed.index(column));
  if (Array.isArray(values.versions)) for (const [, version] of values.versions) packColumns(version, packed);
  return values;
}

/** Values that many entities have in common, which are kept once. One is made for a whole reading. */
export class SharedValues {
  readonly #columns = new Map<string, Column>();
  readonly #texts = new Map<string, string>();

  /** The same columns, each as the object that was shared first. */
  columns(columns: readonly Column[]): readonly Column[] {
    return columns.map((column) => {
      const key = JSON.stringify(column);
      const known = this.#columns.get(key);
      if (!known) this.#columns.set(key, column);
      return known ?? column;
    });
  }

  text(text: string): string {
    const known = this.#texts.get(text);
    if (known === undefined) this.#texts.set(text, text);
    return known ?? text;
  }
}

/** Makes the values of a dataset that was just made the same objects as those of others. */
function shareValues(
  dataset: Writable<Dataset>,
  columnsOf: (columns: readonly Column[]) => readonly Column[],
  shared: SharedValues,
): void {
  dataset.licence = shared.text(dataset.licence);
  dataset.publisher = shared.text(dataset.publisher);
  if (dataset.columns.length) dataset.columns = columnsOf(dataset.columns);
  for (const version of dataset.versions as readonly Writable<Version>[]) {
    // One text instead of two equal ones.
    if (version.label === version.slug) version.label = version.slug;
    version.media_type = shared.text(version.media_type);
    if (version.columns?.length) version.columns = columnsOf(version.columns as readonly Column[]);
  }
}

type Writable<T> = { -readonly [K in keyof T]: T[K] };

/** Shares the values of an entity that was read with those of other states. @returns the same state */
export function shareValuesOfReading(state: UnitState, shared: SharedValues): UnitState {
  const { kind, entity } = state.reading;
  if (kind === 'dataset' && entity) shareValues(entity, (columns) => shared.columns(columns), shared);
  return state;
}

/**
 * The state that was packed; its unit is used up.
 * @param columns of the states that were packed together, shared already
 * @param shared with the values of other states
 */
export function unpackState(
  [unit, [values, diagnostics, lacksRecord], stamps, payloads]: PackedState,
  columns: readonly Column[],
  shared: SharedValues,
): UnitState {
  let entity = values as UnitReading['entity'];
  if (unit.kind === 'dataset') (unit as Writable<typeof unit>).namespace = shared.text(unit.namespace);
  if (values !== null && unit.kind !== 'settings') {
    entity = entityFromValues(unit as never, values as EntityValues) as UnitReading['entity'];
    if (unit.kind === 'dataset') {
      const columnsOf = (indices: readonly unknown[]) => indices.map((index) => columns[index as number] as Column);
      shareValues(entity as Dataset, columnsOf, shared);
    }
  }
  const state = {
    key: unitKey(unit),
    reading: readingOf(unit, entity),
    stamps,
    payloads,
    diagnostics: diagnostics.length ? diagnostics : noDiagnostics,
  };
  return lacksRecord ? { ...state, lacksRecord } : state;
}
