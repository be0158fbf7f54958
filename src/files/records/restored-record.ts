/** What a record says when it is restored: others may have taken names and former addresses that it had when it was removed. */
import { addressOfAlias, aliasesWithout } from '../../catalogue/aliases.ts';
import { entitiesWithIds } from '../../catalogue/entities-by-id.ts';
import type { RecordRef } from '../../catalogue/layout.ts';
import { allEntities } from '../../catalogue/listing.ts';
import { findEntity } from '../../catalogue/lookup.ts';
import type { RecordValue } from '../../catalogue/record-set.ts';
import { formatRef, refOf } from '../../catalogue/ref.ts';
import { nameInReferences, refNamed } from '../../catalogue/references-to.ts';
import type { Snapshot } from '../../catalogue/snapshot.ts';
import type { CatalogueFiles } from '../catalogue-files.ts';
import type { Change } from '../writing/change.ts';

/**
 * The change of a restored record. Groups and users have their present names in its lists; one whose name another has now is
 * left out, so that nobody gets the rights of a namesake. A former address that other records have had since stays with them.
 * @param path of its file
 * @param names ids of the groups and users that its lists named
 */
export async function planWriteAfterRestoration(
  files: CatalogueFiles,
  ref: RecordRef,
  path: string,
  names: Readonly<Record<string, number>>,
): Promise<Change> {
  await files.load();
  const set = (record: RecordValue) => ({
    ...Object.fromEntries(
      ['owners', 'readers', 'groups'].flatMap((field) => {
        const listed = record[field];
        if (!Array.isArray(listed)) return [];
        const present = [...new Set(listed.flatMap((name) => presentName(files.snapshot, String(name), names) ?? []))];
        return present.join() === listed.join() ? [] : [[field, present.length ? present : undefined]];
      }),
    ),
    ...aliasesLeft(files.snapshot, ref, record),
  });
  return { do: 'edit', path, set };
}

/** The name that a group or user in a list has now; null if another one has its name. */
function presentName(snapshot: Snapshot, name: string, names: Readonly<Record<string, number>>): string | null {
  const id = Object.hasOwn(names, name) ? names[name] : undefined;
  if (id === undefined) return name;
  const ref = refNamed(name);
  const namesake = findEntity(snapshot, ref);
  if (namesake?.id === id) return name;
  const [same] = entitiesWithIds(snapshot, ref.kind, new Set([id]));
  if (same) return nameInReferences(refOf(same)) as string;
  return namesake ? null : name;
}

/** The aliases of a record without those that other records have now; nothing to set if it keeps all. */
function aliasesLeft(snapshot: Snapshot, ref: RecordRef, { aliases }: RecordValue): RecordValue {
  if (ref.kind === 'version' || ref.kind === 'user' || !Array.isArray(aliases)) return {};
  const own = new Set(aliases.map((alias) => addressOfAlias(ref, String(alias))));
  const taken: string[] = [];
  for (const other of allEntities(snapshot, ref.kind))
    if (formatRef(refOf(other)) !== formatRef(ref))
      for (const alias of other.aliases)
        if (own.has(addressOfAlias(other, alias))) taken.push(addressOfAlias(other, alias));
  return taken.length ? { aliases: aliasesWithout(aliases, ref, taken) } : {};
}
