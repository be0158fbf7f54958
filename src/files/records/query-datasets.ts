/**
 * Datasets in saved queries. Renaming or moving a dataset changes the queries that name it: its former address leads to it
 * only until another dataset has that address.
 */
import { recordFolders } from '../../catalogue/layout.ts';
import { findEntity } from '../../catalogue/lookup.ts';
import { parseDatasetRef } from '../../catalogue/parse-ref.ts';
import { formatRef, type Ref } from '../../catalogue/ref.ts';
import type { CatalogueFiles } from '../catalogue-files.ts';
import { findRecordFile } from '../tree/file-tree.ts';
import type { Change } from '../writing/change.ts';

/**
 * Changes of the queries of a dataset, or of all datasets of a namespace, that is renamed or moved. A query that names a
 * former address, or a dataset or version that doesn't exist, stays as it is: `catalogue check` reports it.
 * @param from its reference before; `to`: afterwards
 * @param only slugs of the queries that may be changed; by default all
 */
export async function planQueryDatasetWrites(
  files: CatalogueFiles,
  from: Ref,
  to: Ref,
  only?: ReadonlySet<string>,
): Promise<readonly Change[]> {
  if (from.kind !== 'dataset' && from.kind !== 'namespace') return [];
  await files.ensureRead([{ folder: `${recordFolders.query}/` }]);
  const changes: Change[] = [];
  for (const { slug, dataset, version } of files.snapshot.queries.values()) {
    if (only && !only.has(slug)) continue;
    const target = datasetAfterMove(dataset, from, to);
    const path = findRecordFile(files.store.tree, { kind: 'query', slug });
    if (target === dataset || !path) continue;
    const ref = parseDatasetRef(dataset);
    await files.ensureRead([ref]);
    const versions = findEntity<'dataset'>(files.snapshot, ref)?.versions;
    if (!versions || (version !== null && !versions.some((one) => one.slug === version))) continue;
    changes.push({ do: 'edit', path, set: (record) => (record.dataset === dataset ? { dataset: target } : {}) });
  }
  return changes;
}

/** The address of a dataset after the move of a dataset or namespace: the same, unless it is that dataset or in that namespace. */
function datasetAfterMove(dataset: string, from: Ref, to: Ref): string {
  if (from.kind === 'dataset') return dataset === formatRef(from) ? formatRef(to) : dataset;
  const { namespace, slug, kind } = parseDatasetRef(dataset);
  return namespace === formatRef(from) ? formatRef({ kind, namespace: formatRef(to), slug }) : dataset;
}
