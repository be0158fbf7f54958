/** The query string of rows, in which a name may be a column's or a parameter's. */
import { NotFoundError } from '../../catalogue/errors.ts';
import { datasetRefOf, type VersionRef } from '../../catalogue/ref.ts';
import { ambiguousNames, withExactNames } from '../../catalogue/row-parameters.ts';
import type { DataColumn } from '../../catalogue/types.ts';
import {
  type AppContext,
  type Context,
  isSafeMethod,
  type RequestContext,
  type Route,
  refFromRouteParams,
} from '../route.ts';
import { withSavedQuery } from '../saved-query.ts';
import { identifyRequest } from './authorize.ts';

/**
 * The parameters of a request. Those of rows have the names of filters that can't be taken for other parameters: `page__exact` of a
 * column `page`.
 * @throws MovedError; what `identifyRequest` throws
 */
export async function readQuery(ctx: Context, route: Route, app: AppContext): Promise<URLSearchParams> {
  const query = new URLSearchParams(ctx.querystring);
  const mayBeColumn = route.rowsOf && isSafeMethod(ctx.method) && ambiguousNames.some((name) => query.has(name));
  if (!mayBeColumn) return query;
  const { catalogue } = await identifyRequest(ctx, route, app, '');
  return new URLSearchParams(withExactNames(query, await columnsOf(route, { catalogue, params: ctx.params })));
}

/** The columns of the rows at an address; of rows that aren't there, of which the handler gives the reason, none. */
async function columnsOf(
  { rowsOf }: Route,
  request: Pick<RequestContext, 'catalogue' | 'params'>,
): Promise<readonly Pick<DataColumn, 'name'>[]> {
  const { catalogue, params } = request;
  const read = async (ref: VersionRef) => {
    const version = await catalogue.get<'version'>(ref);
    return version.columns ?? (await catalogue.get<'dataset'>(datasetRefOf(version))).columns;
  };
  try {
    if (rowsOf === 'query') return await withSavedQuery(request, ({ ref }) => read(ref));
    return await read(refFromRouteParams('version', params));
  } catch (error) {
    if (error instanceof NotFoundError) return [];
    throw error;
  }
}
