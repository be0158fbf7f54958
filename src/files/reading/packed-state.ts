/** States of units in a short form that can be written as JSON, for the cache and for messages between threads. */
import { type EntityValues, entityFromValues, valuesOfEntity } from '../../catalogue/entities.ts';
import type { Unit } from '../../catalogue/layout.ts';
import type { UnitReading } from '../../catalogue/snapshot.ts';
import type { Settings } from '../../catalogue/types.ts';
import type { UnitState } from './unit-reader.ts';

/** A unit, the values of its entity that are not the defaults (null if there is none), and the rest of its state. */
export type PackedState = readonly [
  unit: Unit,
  values: EntityValues | Settings | null,
  stamps: string,
  payloads: string,
  diagnostics: UnitState['diagnostics'],
];

export function packState({ reading, stamps, payloads, diagnostics }: UnitState): PackedState {
  const { entity, ...unit } = reading;
  const values = entity === null ? null : 'kind' in entity ? valuesOfEntity(entity) : entity;
  return [unit, values, stamps, payloads, diagnostics];
}

export function unpackState([unit, values, stamps, payloads, diagnostics]: PackedState): UnitState {
  const isWhole = values === null || unit.kind === 'settings';
  const entity = isWhole ? values : entityFromValues(unit as never, values as EntityValues);
  return { reading: { ...unit, entity } as UnitReading, stamps, payloads, diagnostics };
}
