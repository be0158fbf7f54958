/** Aliases of other records: renaming or moving a record takes its former address from those that had it before. */
import { addressesGivenByMove, addressOfAlias, aliasesWithout } from '../../catalogue/aliases.ts';
import { allEntities } from '../../catalogue/listing.ts';
import { formatRef, type Ref, refOf } from '../../catalogue/ref.ts';
import type { Dataset, Group, Namespace, Query } from '../../catalogue/types.ts';
import { type CatalogueFiles, requireRecordPath } from '../catalogue-files.ts';
import type { Change } from '../writing/change.ts';
import { isRecordBroken } from '../writing/conditions.ts';

/**
 * Changes of the records that have a former address of a record that is renamed or moved as an alias: an address leads to one
 * record. A broken record stays as it is: `catalogue check` reports its alias later.
 * @param record before the move
 */
export async function planAliasWrites(
  files: CatalogueFiles,
  record: Namespace | Dataset | Query | Group,
  to: Ref,
): Promise<readonly Change[]> {
  await files.load();
  const { snapshot } = files;
  const from = refOf(record);
  const given = addressesGivenByMove(record.aliases, from, to, snapshot);
  const changes: Change[] = [];
  for (const other of allEntities(snapshot, record.kind)) {
    if (!other.aliases.some((alias) => given.includes(addressOfAlias(other, alias)))) continue;
    if (formatRef(refOf(other)) === formatRef(from)) continue;
    const path = requireRecordPath(files, refOf(other));
    const set = ({ aliases }: Readonly<Record<string, unknown>>) => ({
      aliases: aliasesWithout(aliases, other, given),
    });
    if (!isRecordBroken(snapshot, path)) changes.push({ do: 'edit', path, set, isConsequence: true });
  }
  return changes;
}
