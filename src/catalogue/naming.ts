/** Records that name a group or a user: as a member's group, an owner, or a reader. */
import { formatUserReader, type Ref } from './ref.ts';
import type { Snapshot } from './snapshot.ts';
import type { Naming } from './trash.ts';

/** The lists that name a group or user; none for other records. */
export function namingsOf({ users, folders }: Snapshot, ref: Ref): readonly Naming[] {
  const name = nameInLists(ref);
  if (name === undefined) return [];
  const found: Naming[] = [];
  const look = (kind: Naming['kind'], id: number, field: Naming['field'], names: readonly string[]) => {
    if (names.includes(name)) found.push({ kind, id, field });
  };
  for (const { id, groups } of users.values()) look('user', id, 'groups', groups);
  for (const { namespace, datasets } of folders.values()) {
    if (namespace) look('namespace', namespace.id, 'owners', namespace.owners);
    if (namespace) look('namespace', namespace.id, 'readers', namespace.readers);
    for (const { id, readers } of datasets.values()) look('dataset', id, 'readers', readers);
  }
  return found;
}

/** How lists name a group or user; undefined for other records. */
export function nameInLists(ref: Ref): string | undefined {
  if (ref.kind === 'group') return ref.slug;
  return ref.kind === 'user' ? formatUserReader(ref.slug) : undefined;
}
