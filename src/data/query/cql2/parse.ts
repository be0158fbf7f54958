/**
 * CQL2 filters (OGC 21-065r2): all of the standard, as text or as JSON. Extensions: dates, datetimes and times may be plain
 * texts; S_DWITHIN(geometry, POINT(…), 500, 'm') with m (the default), km or deg; and the functions of `functions.ts`.
 */
import { ValidationError } from '../../../catalogue/errors.ts';
import { ParameterError } from '../../errors.ts';
import { defaultQueryLimits, type QueryLimits } from '../../limits.ts';
import type { TableSchema } from '../../row.ts';
import type { Predicate } from '../predicate.ts';
import { bindCql2 } from './bind.ts';
import { readCql2Json } from './read-json.ts';
import { readCql2Text } from './read-text.ts';
import type { Cql2Node } from './tree.ts';

/**
 * Parses CQL2, in JSON if it begins with a brace.
 * @param parameter name under which errors are reported
 * @throws ValidationError with the position of the error, and the nearest existing name of a column or function
 */
export function parseCql2(
  filter: string,
  schema: TableSchema,
  parameter = '_filter',
  limits: QueryLimits = defaultQueryLimits,
): Predicate {
  try {
    return bindCql2(readCql2(filter, limits), schema, parameter);
  } catch (error) {
    if (!(error instanceof ParameterError)) throw error;
    throw new ValidationError({ [parameter]: [error.message] });
  }
}

/**
 * Reads CQL2 as a tree that knows no columns.
 * @throws ParameterError
 */
export function readCql2(filter: string, limits: QueryLimits = defaultQueryLimits): Cql2Node {
  return /^\s*\{/.test(filter) ? readCql2Json(filter, limits) : readCql2Text(filter, limits);
}
