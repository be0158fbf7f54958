/** States of units in a short form that can be written as JSON, for the cache and for messages between threads. */
import { type EntityValues, entityFromValues, valuesOfEntity } from '../../catalogue/entities.ts';
import { type Unit, unitKey } from '../../catalogue/layout.ts';
import type { UnitReading } from '../../catalogue/snapshot.ts';
import type { Column, Settings } from '../../catalogue/types.ts';
import { noDiagnostics, type UnitState } from './unit-reader.ts';
import { readingOf } from './unit-reading.ts';

/**
 * The values of a unit's entity that are not the defaults (null if there is none), and its diagnostics. In the place of a
 * column is its index in the columns of all states that are packed together: many datasets have the same ones.
 */
export type PackedContent = readonly [values: EntityValues | Settings | null, diagnostics: UnitState['diagnostics']];

/** A unit, its content, and the stamps of its files. */
export type PackedState = readonly [unit: Unit, content: PackedContent, stamps: string, payloads: string];

/** The different columns of states that are packed together. */
export class PackedColumns {
  readonly columns: Column[] = [];
  readonly #indices = new Map<string, number>();

  index(column: Column): number {
    const key = JSON.stringify(column);
    const known = this.#indices.get(key);
    if (known !== undefined) return known;
    this.#indices.set(key, this.columns.length);
    return this.columns.push(column) - 1;
  }
}

/** @param columns gets those of the state */
export function packState({ reading, stamps, payloads, diagnostics }: UnitState, columns: PackedColumns): PackedState {
  const { entity, ...unit } = reading;
  const values = entity === null ? null : 'kind' in entity ? packColumns(valuesOfEntity(entity), columns) : entity;
  return [unit, [values, diagnostics], stamps, payloads];
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

/** Fields with few different values. */
const sharedTexts = ['licence', 'publisher', 'media_type'] as const;

/** @param columnsOf the shared columns in the place of those in the values */
function shareValues(
  values: Record<string, unknown>,
  columnsOf: (columns: unknown[]) => readonly Column[],
  shared: SharedValues,
): void {
  for (const name of sharedTexts) if (typeof values[name] === 'string') values[name] = shared.text(values[name]);
  if (Array.isArray(values.columns)) values.columns = columnsOf(values.columns);
  if (!Array.isArray(values.versions)) return;
  for (const one of values.versions) {
    const [slug, version] = Array.isArray(one) ? one : [one.slug, one];
    // One text instead of two equal ones.
    if (version.label === slug) version.label = slug;
    shareValues(version, columnsOf, shared);
  }
}

/** Shares the values of an entity that was read with those of other states. @returns the same state */
export function shareValuesOfReading(state: UnitState, shared: SharedValues): UnitState {
  const { kind, entity } = state.reading;
  if (entity !== null && kind !== 'settings')
    shareValues(entity as never, (columns) => shared.columns(columns as Column[]), shared);
  return state;
}

/**
 * @param columns of the states that were packed together, shared already
 * @param shared with the values of other states
 */
export function unpackState(
  [packed, content, stamps, payloads]: PackedState,
  columns: readonly Column[],
  shared: SharedValues,
): UnitState {
  const [values, diagnostics] = content;
  const unit = 'namespace' in packed ? { ...packed, namespace: shared.text(packed.namespace) } : packed;
  const isWhole = values === null || unit.kind === 'settings';
  const columnsOf = (indices: unknown[]) => indices.map((index) => columns[index as number] as Column);
  if (!isWhole) shareValues(values as Record<string, unknown>, columnsOf, shared);
  const entity = isWhole ? values : entityFromValues(unit as never, values as EntityValues);
  return {
    key: unitKey(unit),
    reading: readingOf(unit, entity as UnitReading['entity']),
    stamps,
    payloads,
    diagnostics: diagnostics.length ? diagnostics : noDiagnostics,
  };
}
