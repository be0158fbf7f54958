/** Saved queries: the version that one asks for rows, and its parameters. */
import { MovedError } from '../catalogue/errors.ts';
import { parseDatasetRef } from '../catalogue/parse-ref.ts';
import type { VersionRef } from '../catalogue/ref.ts';
import { parametersFromRecord } from '../catalogue/row-parameters.ts';
import type { Query } from '../catalogue/types.ts';
import { type RequestContext, refFromRouteParams } from './route.ts';

/** A query, and what it asks. */
export interface SavedQuery {
  readonly query: Query;
  readonly ref: VersionRef;
  /** They come first, those of the request behind them. */
  readonly parameters: readonly (readonly [name: string, value: string])[];
}

/**
 * Calls a function with the query of a request; again with the present address if the dataset of the query has moved. The
 * query itself hasn't, so nothing is redirected.
 * @throws NotFoundError if there is no such query; MovedError if it was renamed; what the function throws
 */
export async function withSavedQuery<T>(
  { catalogue, params }: Pick<RequestContext, 'catalogue' | 'params'>,
  use: (saved: SavedQuery) => Promise<T>,
): Promise<T> {
  const query = await catalogue.get<'query'>(refFromRouteParams('query', params));
  const { namespace, slug } = parseDatasetRef(query.dataset);
  const ref: VersionRef = { kind: 'version', namespace, dataset: slug, slug: query.version ?? 'latest' };
  const parameters = parametersFromRecord(query.parameters);
  try {
    return await use({ query, ref, parameters });
  } catch (error) {
    if (error instanceof MovedError && error.to.kind === 'version') return use({ query, ref: error.to, parameters });
    throw error;
  }
}
