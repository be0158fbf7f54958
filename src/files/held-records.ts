/**
 * Records that can't be shown because the record of their namespace or dataset is missing, and was never read: neither they nor
 * those that need them count as removed. (One that was read stays in its last valid state.)
 */
import { findDatasetAtAddress } from '../catalogue/aliases.ts';
import { isInAudience, type Rights } from '../catalogue/audience.ts';
import type { FeedHistory } from '../catalogue/feed-history.ts';
import { containingSlugs, type Unit, unitKey } from '../catalogue/layout.ts';
import type { FeedRef } from './changes-feed.ts';
import type { UnitState } from './reading/unit-state.ts';
import type { UnitStore } from './reading/unit-store.ts';

/** True if the record of a unit is missing, and was never read. */
const isUnknown = (state: UnitState | undefined): boolean =>
  state?.lacksRecord === true && state.reading.entity === null;

/** True if the record of any namespace or dataset is missing, and was never read. Each has a diagnostic of its folder. */
export function hasHeldRecords({ snapshot, states }: UnitStore): boolean {
  for (const path of snapshot.diagnostics.keys()) {
    const unit = containerAt(path);
    if (unit && isUnknown(states.get(unitKey(unit)))) return true;
  }
  return false;
}

/** The namespace or dataset whose folder has a path. */
function containerAt(path: string): Unit | null {
  const { namespace, dataset } = containingSlugs(path);
  const depth = path.split('/').length;
  if (namespace === undefined) return null;
  if (depth === 2) return { kind: 'namespace', slug: namespace };
  return depth === 4 && dataset !== undefined ? { kind: 'dataset', namespace, slug: dataset } : null;
}

/** True if a record can't be shown for that reason. Its folder is there; a query has a dataset that can't be shown, or can't be found. */
export function isHeldRecord(store: UnitStore, ref: FeedRef): boolean {
  const { snapshot, states } = store;
  if (snapshot.diagnostics.size === 0) return false;
  const state = states.get(unitKey(ref));
  if (ref.kind === 'namespace') return isUnknown(state);
  if (!state) return false;
  if (ref.kind === 'dataset')
    return isUnknown(state) || isUnknown(states.get(unitKey({ kind: 'namespace', slug: ref.namespace })));
  const { dataset: address = '' } = snapshot.queries.get(ref.slug) ?? {};
  const dataset = findDatasetAtAddress(snapshot, address);
  return dataset
    ? isHeldRecord(store, { kind: 'dataset', namespace: dataset.namespace, slug: dataset.slug })
    : hasHeldRecords(store);
}

/**
 * True for a record that is missing, or a query, if it is held, and the viewer could see it when it was last shown. The other files
 * below a missing record are blocked with it.
 */
export function couldSeeHeldRecord(store: UnitStore, history: FeedHistory, viewer: Rights, state: UnitState): boolean {
  const { key, reading } = state;
  const isHeld =
    reading.kind === 'query' ? isHeldRecord(store, { kind: 'query', slug: reading.slug }) : isUnknown(state);
  return isHeld && isInAudience(history.latest(key)?.seenBy ?? null, viewer);
}
