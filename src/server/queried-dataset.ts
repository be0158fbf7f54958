/** Saved queries and the datasets that they ask, by present and former addresses. */
import { addressOfAlias } from '../catalogue/aliases.ts';
import type { Catalogue } from '../catalogue/catalogue.ts';
import { MovedError } from '../catalogue/errors.ts';
import { parseDatasetRef } from '../catalogue/parse-ref.ts';
import { type DatasetRef, formatRef, refOf } from '../catalogue/ref.ts';
import type { Dataset, Query } from '../catalogue/types.ts';

/** The dataset that a saved query asks, perhaps by a former address; null if the viewer may see no such dataset. */
export async function datasetAskedBy(query: Query, catalogue: Catalogue): Promise<Dataset | null> {
  const found = (ref: DatasetRef) => catalogue.get<'dataset'>(ref);
  const moved = (error: unknown) => (error instanceof MovedError ? found(error.to as DatasetRef) : null);
  return found(parseDatasetRef(query.dataset))
    .catch(moved)
    .catch(() => null);
}

/** Saved queries about a dataset, also those that have a former address of it. */
export async function queriesAbout(catalogue: Catalogue, dataset: Dataset): Promise<readonly Query[]> {
  const present = formatRef(refOf(dataset));
  const addresses = [present];
  for (const alias of dataset.aliases) {
    const former = addressOfAlias(dataset, alias);
    if (await leadsTo(catalogue, former, present)) addresses.push(former);
  }
  return (await catalogue.list('query', { filters: { dataset: addresses }, pageSize: 20 })).items;
}

/** True if a former address leads to a dataset: there may be another one at it. */
async function leadsTo(catalogue: Catalogue, former: string, present: string): Promise<boolean> {
  try {
    await catalogue.get<'dataset'>(parseDatasetRef(former));
    return false;
  } catch (error) {
    return error instanceof MovedError && formatRef(error.to) === present;
  }
}
