/** Aliases of other records: renaming or moving a record takes its former address from those that had it before. */
import { addressesGivenByMove, addressOfAlias, aliasesWithout } from '../../catalogue/aliases.ts';
import { allEntities } from '../../catalogue/listing.ts';
import { formatRef, type Ref, refOf } from '../../catalogue/ref.ts';
import type { Dataset, Group, Namespace, Query } from '../../catalogue/types.ts';
import { type CatalogueFiles, requireRecordPath } from '../catalogue-files.ts';
import type { Change } from '../writing/change.ts';
import { isRecordBroken } from '../writing/conditions.ts';

type WithAliases = Namespace | Dataset | Query | Group;

/**
 * Changes of the records that have a former address of a record that is renamed or moved as an alias: an address leads to one
 * record. With a namespace, its datasets leave their addresses. A broken record stays as it is: `catalogue check` reports its
 * alias later.
 * @param record before the move
 */
export async function planAliasWrites(files: CatalogueFiles, record: WithAliases, to: Ref): Promise<readonly Change[]> {
  await files.load();
  const { snapshot } = files;
  const from = refOf(record);
  const given = addressesGivenByMove(record.aliases, from, to, snapshot);
  const others = [...allEntities(snapshot, record.kind)].filter((one) => formatRef(refOf(one)) !== formatRef(from));
  const changes = takeAddresses(files, others, given);
  if (record.kind !== 'namespace') return changes;
  const own = [...(snapshot.folders.get(record.slug)?.datasets.keys() ?? [])].map((slug) => `${record.slug}/${slug}`);
  const inOthers = [...allEntities(snapshot, 'dataset')].filter(({ namespace }) => namespace !== record.slug);
  return [...changes, ...takeAddresses(files, inOthers, own)];
}

/** Changes of the records that have one of these addresses as an alias. */
function takeAddresses(
  files: CatalogueFiles,
  records: readonly WithAliases[],
  addresses: readonly string[],
): readonly Change[] {
  const taken = new Set(addresses);
  return records.flatMap((record): readonly Change[] => {
    if (!record.aliases.some((alias) => taken.has(addressOfAlias(record, alias)))) return [];
    const path = requireRecordPath(files, refOf(record));
    if (isRecordBroken(files.snapshot, path)) return [];
    const set = ({ aliases }: Readonly<Record<string, unknown>>) => ({
      aliases: aliasesWithout(aliases, record, addresses),
    });
    return [{ do: 'edit', path, set, isConsequence: true }];
  });
}
