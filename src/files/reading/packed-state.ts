/** States of units in a short form that can be written as JSON, for the cache and for messages between threads. */
import { type EntityValues, entityFromValues, valuesOfEntity } from '../../catalogue/entities.ts';
import { type Unit, unitKey } from '../../catalogue/layout.ts';
import type { UnitReading } from '../../catalogue/snapshot.ts';
import type { Column, Settings } from '../../catalogue/types.ts';
import { noDiagnostics, type UnitState } from './unit-reader.ts';
import { readingOf } from './unit-reading.ts';

/** The values of a unit's entity that are not the defaults (null if there is none), and its diagnostics. */
export type PackedContent = readonly [values: EntityValues | Settings | null, diagnostics: UnitState['diagnostics']];

/** A unit, its content, and the stamps of its files. */
export type PackedState = readonly [unit: Unit, content: PackedContent, stamps: string, payloads: string];

export function packState({ reading, stamps, payloads, diagnostics }: UnitState): PackedState {
  const { entity, ...unit } = reading;
  const values = entity === null ? null : 'kind' in entity ? valuesOfEntity(entity) : entity;
  return [unit, [values, diagnostics], stamps, payloads];
}

/** Values that many entities have in common, which are kept once. One is made for a whole reading. */
export class SharedValues {
  readonly #columns = new Map<string, Column>();
  readonly #texts = new Map<string, string>();

  columns(columns: readonly Column[]): readonly Column[] {
    return columns.map((column) => {
      const key = Object.values(column).join('\n');
      const known = this.#columns.get(key);
      if (known && isSameColumn(known, column)) return known;
      this.#columns.set(key, column);
      return column;
    });
  }

  text(text: string): string {
    const known = this.#texts.get(text);
    if (known === undefined) this.#texts.set(text, text);
    return known ?? text;
  }
}

function isSameColumn(a: Column, b: Column): boolean {
  const keys = Object.keys(a) as (keyof Column)[];
  return keys.length === Object.keys(b).length && keys.every((key) => a[key] === b[key]);
}

/** Fields with few different values. */
const sharedTexts = ['licence', 'publisher', 'media_type'] as const;

function shareValues(values: Record<string, unknown>, shared: SharedValues): void {
  for (const name of sharedTexts) if (typeof values[name] === 'string') values[name] = shared.text(values[name]);
  if (Array.isArray(values.columns)) values.columns = shared.columns(values.columns);
  if (!Array.isArray(values.versions)) return;
  for (const [slug, version] of values.versions) {
    // One text instead of two equal ones.
    if (version.label === slug) version.label = slug;
    shareValues(version, shared);
  }
}

/** @param shared with the values of other states */
export function unpackState([packed, content, stamps, payloads]: PackedState, shared: SharedValues): UnitState {
  const [values, diagnostics] = content;
  const unit = 'namespace' in packed ? { ...packed, namespace: shared.text(packed.namespace) } : packed;
  const isWhole = values === null || unit.kind === 'settings';
  if (!isWhole) shareValues(values as Record<string, unknown>, shared);
  const entity = isWhole ? values : entityFromValues(unit as never, values as EntityValues);
  return {
    key: unitKey(unit),
    reading: readingOf(unit, entity as UnitReading['entity']),
    stamps,
    payloads,
    diagnostics: diagnostics.length ? diagnostics : noDiagnostics,
  };
}
