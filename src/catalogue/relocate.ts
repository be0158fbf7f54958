/** Readings after a record is moved or removed, made without reading files: only names and addresses change. */
import { datasetWithVersions } from './entities.ts';
import type { RecordRef } from './layout.ts';
import { findEntity } from './lookup.ts';
import type { Snapshot, UnitReading } from './snapshot.ts';
import type { Dataset } from './types.ts';

/** Readings after the removal of a record. */
export function readingsChangedByRecordRemoval(snapshot: Snapshot, ref: RecordRef): readonly UnitReading[] {
  if (ref.kind !== 'version') return [{ ...ref, entity: null } as UnitReading];
  const { namespace, dataset: slug } = ref;
  const dataset = findEntity<'dataset'>(snapshot, { kind: 'dataset', namespace, slug });
  if (!dataset) return [];
  const versions = dataset.versions.filter((version) => version.slug !== ref.slug);
  return [{ kind: 'dataset', namespace, slug, entity: datasetWithVersions(dataset, versions) }];
}

/** Readings after a record is moved or renamed. Both references are of the same kind. */
export function readingsChangedByRecordMove(
  snapshot: Snapshot,
  from: RecordRef,
  to: RecordRef,
): readonly UnitReading[] {
  if (from.kind === 'dataset' && to.kind === 'dataset') {
    const dataset = findEntity<'dataset'>(snapshot, from);
    return dataset ? datasetMoved(dataset, to.namespace, to.slug) : [];
  }
  if (from.kind === 'namespace') {
    const folder = snapshot.folders.get(from.slug);
    const namespace = folder?.namespace && { ...folder.namespace, slug: to.slug };
    return [
      { kind: 'namespace', slug: from.slug, entity: null },
      { kind: 'namespace', slug: to.slug, entity: namespace ?? null },
      ...[...(folder?.datasets.values() ?? [])].flatMap((dataset) => datasetMoved(dataset, to.slug, dataset.slug)),
    ];
  }
  const entity = findEntity(snapshot, from as Exclude<RecordRef, { kind: 'version' }>);
  // The members of a group follow from the users.
  const moved = entity && { ...entity, slug: to.slug, ...(entity.kind === 'group' && { members: [] }) };
  return [
    { ...from, entity: null },
    { ...to, entity: moved ?? null },
  ] as UnitReading[];
}

function datasetMoved(dataset: Dataset, namespace: string, slug: string): readonly UnitReading[] {
  const versions = dataset.versions.map((version) => ({ ...version, namespace, dataset: slug }));
  return [
    { kind: 'dataset', namespace: dataset.namespace, slug: dataset.slug, entity: null },
    { kind: 'dataset', namespace, slug, entity: datasetWithVersions({ ...dataset, namespace, slug }, versions) },
  ];
}
