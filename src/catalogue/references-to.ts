/** References to a group or a user in lists of other records: groups of members, owners, readers. */

import { findEntity } from './lookup.ts';
import { formatUserReader, type GroupRef, type Ref, type UserRef, usernameOfReader } from './ref.ts';
import type { Snapshot } from './snapshot.ts';
import type { ListReference } from './trash.ts';

/** The lists that name a group or user; [] for records of other kinds. */
export function referencesTo({ users, folders }: Snapshot, ref: Ref): readonly ListReference[] {
  const name = nameInReferences(ref);
  if (name === undefined) return [];
  const found: ListReference[] = [];
  const look = (kind: ListReference['kind'], id: number, field: ListReference['field'], names: readonly string[]) => {
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

/** Ids of the groups and users that the lists of a record name, by their names there; {} for records without such lists. */
export function idsOfReferences(snapshot: Snapshot, ref: Ref): Readonly<Record<string, number>> {
  const entity: object | undefined = ref.kind === 'file' ? undefined : findEntity(snapshot, ref);
  const lists = (entity ?? {}) as Partial<Record<ListReference['field'], readonly string[]>>;
  const names = [lists.owners ?? [], lists.readers ?? [], lists.groups ?? []].flat();
  return Object.fromEntries(
    names.flatMap((name) => {
      const named = findEntity(snapshot, refNamed(name));
      return named ? [[name, named.id]] : [];
    }),
  );
}

/** The group or user that a name in a list means. */
export function refNamed(name: string): GroupRef | UserRef {
  const username = usernameOfReader(name);
  return username === undefined ? { kind: 'group', slug: name } : { kind: 'user', slug: username };
}

/** How lists name a group or user; undefined for other records. */
export function nameInReferences(ref: Ref): string | undefined {
  if (ref.kind === 'group') return ref.slug;
  return ref.kind === 'user' ? formatUserReader(ref.slug) : undefined;
}
