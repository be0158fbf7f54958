/**
 * Readings and their units. Both are written out by kind: V8 gives an object that is made by spreading another one a hidden
 * class of its own, which is larger than the object, and each unit has such objects in memory.
 */
import { type Unit, unitKey } from '../../catalogue/layout.ts';
import type { UnitReading } from '../../catalogue/snapshot.ts';
import type { UnitState } from './unit-state.ts';

/** The reading of a unit. @param entity null if it doesn't exist */
export function readingOf(unit: Unit, entity: UnitReading['entity']): UnitReading {
  switch (unit.kind) {
    case 'settings':
      return { kind: unit.kind, entity } as UnitReading;
    case 'dataset':
      return { kind: unit.kind, namespace: unit.namespace, slug: unit.slug, entity } as UnitReading;
    default:
      return { kind: unit.kind, slug: unit.slug, entity } as UnitReading;
  }
}

/** The unit of a reading. */
export function unitOfReading(reading: UnitReading): Unit {
  switch (reading.kind) {
    case 'settings':
      return { kind: reading.kind };
    case 'dataset':
      return { kind: reading.kind, namespace: reading.namespace, slug: reading.slug };
    default:
      return { kind: reading.kind, slug: reading.slug };
  }
}

/** The namespaces without a valid record, among those of which datasets have changed: their last record may be gone. */
export function* namespacesToReread(
  changed: Iterable<Unit>,
  states: ReadonlyMap<string, UnitState>,
): Generator<Unit & { readonly kind: 'namespace' }> {
  const seen = new Set<string>();
  for (const unit of changed) {
    if (unit.kind !== 'dataset' || seen.has(unit.namespace)) continue;
    seen.add(unit.namespace);
    const namespace = { kind: 'namespace', slug: unit.namespace } as const;
    const state = states.get(unitKey(namespace));
    if (state && (state.lacksRecord || state.reading.entity === null)) yield namespace;
  }
}
