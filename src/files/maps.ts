/** Maps of the rows of versions, drawn from the tables of their payloads. */
import { createHash } from 'node:crypto';
import { basename } from 'node:path';
import { columnsByOtherName } from '../catalogue/column-names.ts';
import { findEntity } from '../catalogue/lookup.ts';
import type { MapRequest, RowsMap } from '../catalogue/maps.ts';
import { datasetRefOf } from '../catalogue/ref.ts';
import type { Settings, Version } from '../catalogue/types.ts';
import { MapStore } from '../data/map/map-store.ts';
import { parseMapQuery } from '../data/map/parameters.ts';
import { columnNames } from '../data/row.ts';
import { layoutVersion } from '../data/table/columnar-copy.ts';
import type { CatalogueFiles } from './catalogue-files.ts';
import { openTable, timeoutOf } from './rows.ts';

const stores = new WeakMap<CatalogueFiles, MapStore>();

/**
 * A map of the rows of a version that a request selects.
 * @throws NotFoundError, ValidationError, UnavailableError
 */
export async function openMap(
  files: CatalogueFiles,
  version: Version,
  { parameters, length, budget }: MapRequest,
  { page_size: pageSize, max_page_size: maxPageSize }: Settings,
): Promise<RowsMap> {
  const table = await openTable(files, version);
  const dataset = findEntity<'dataset'>(files.snapshot, datasetRefOf(version));
  const former = dataset?.former_names ?? {};
  const schema = { ...table.schema, otherNames: columnsByOtherName(former, columnNames(table.schema)) };
  const query = parseMapQuery(parameters, schema, length);
  let store = stores.get(files);
  if (!store) {
    store = new MapStore();
    stores.set(files, store);
  }
  const tableKey = basename(table.folder);
  const title = dataset?.label || version.dataset;
  const hash = createHash('sha256').update(
    JSON.stringify([layoutVersion, tableKey, title, pageSize, maxPageSize, parameters, former]),
  );
  const tag = hash.digest('base64url').slice(0, 27);
  const limits = { pageSize, maxPageSize, timeout: timeoutOf(files), budget };
  return { version, tag, ...store.map({ table, tableKey, query, queryKey: tag, limits, title }) };
}
