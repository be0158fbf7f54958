/** The trial of a saved query before it is written: one whose parameters don't fit the data would fail each time. */
import { CatalogueError, excerpt, ValidationError } from '../catalogue/errors.ts';
import { parseDatasetRef } from '../catalogue/parse-ref.ts';
import { parametersFromRecord } from '../catalogue/row-parameters.ts';
import type { Query } from '../catalogue/types.ts';
import type { RequestContext } from './route.ts';
import { workBudgetOf } from './rows-page.ts';

type Asked = Pick<Query, 'dataset' | 'version' | 'parameters'>;

/**
 * Tries a query, unless it asks what it asked before. One that can't be tried is accepted: its dataset has no rows, or
 * isn't there yet, or the work takes too long.
 * @param before the query as it is; null for a new one
 * @throws ValidationError with the errors of its parameters
 */
export async function tryQuery(
  request: RequestContext,
  given: Partial<Asked>,
  before: Asked | null = null,
): Promise<void> {
  const { dataset = before?.dataset, version = before?.version ?? null, parameters = before?.parameters ?? {} } = given;
  if (dataset === undefined) return;
  const asked = [dataset, version, parameters];
  if (before && JSON.stringify(asked) === JSON.stringify([before.dataset, before.version, before.parameters])) return;
  const { namespace, slug } = parseDatasetRef(dataset);
  const ref = { kind: 'version', namespace, dataset: slug, slug: version || 'latest' } as const;
  try {
    const pairs = parametersFromRecord(parameters);
    await request.catalogue.rows(ref, { parameters: pairs, budget: workBudgetOf(request) });
  } catch (error) {
    if (!(error instanceof CatalogueError)) throw error;
    if (!(error instanceof ValidationError)) return;
    const messages = Object.entries(error.fields).flatMap(([name, texts]) =>
      texts.map((text) => (name === 'non_field_errors' ? text : `${excerpt(name)}: ${text}`)),
    );
    throw new ValidationError({ parameters: messages });
  }
}
