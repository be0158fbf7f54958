/** The query string of features in OGC API - Features, as a query of rows. */
import { didYouMean } from '../../catalogue/closest.ts';
import { excerpt, ValidationError } from '../../catalogue/errors.ts';
import {
  defaultFeatureLimit,
  type FeatureParameter,
  featureParameters,
  findTimeColumns,
  maxFeatureLimit,
  supportedCrs,
} from '../../catalogue/feature-parameters.ts';
import { ParameterError } from '../errors.ts';
import { parseBbox } from '../geometry/parse-geometry.ts';
import { defaultQueryLimits } from '../limits.ts';
import { columnHint, columnType, findColumn, geometryColumnName, maySuggest, type TableSchema } from '../row.ts';
import { parseCql2 } from './cql2/parse.ts';
import { intervalPredicate, parseDatetimeInterval } from './datetime-interval.ts';
import { parseOrdering } from './ordering.ts';
import { parseValueOfColumnType, parseWholeNumber, splitList } from './parameter-values.ts';
import { type DataQuery, mostSuggestions, predicateSizeErrors } from './parameters.ts';
import { andPredicates, type Predicate } from './predicate.ts';

type Draft = { -readonly [K in 'fields' | 'ordering' | 'limit' | 'offset']: DataQuery[K] } & { filters: Predicate[] };

/** Facts about a table that decide about the meaning of the parameters. */
export interface FeatureTable {
  readonly schema: TableSchema;
  /** True if rows may lack a geometry. */
  readonly hasNullGeometries: boolean;
}

const handlers: Readonly<Record<FeatureParameter, (value: string, draft: Draft, table: FeatureTable) => void>> = {
  limit: (value, draft) => {
    draft.limit = Math.min(parseWholeNumber(value, 1), maxFeatureLimit);
  },
  offset: (value, draft) => {
    draft.offset = parseWholeNumber(value, 0);
  },
  // Rows without a geometry match every box (core, fc-bbox-response).
  bbox: (value, draft, { schema, hasNullGeometries }) => {
    const inBox: Predicate = { op: 'bbox', bbox: parseBbox(value) };
    if (!schema.hasGeometry) return;
    draft.filters.push(
      hasNullGeometries ? { op: 'or', of: [inBox, { op: 'isnull', column: geometryColumnName }] } : inBox,
    );
  },
  datetime: (value, draft, { schema }) => {
    draft.filters.push(intervalPredicate(parseDatetimeInterval(value), findTimeColumns(schema.columns)));
  },
  properties: (value, draft, { schema }) => {
    const names = splitList(value).map((name) => {
      const column = findColumn(name, schema);
      if (column) return column.name;
      throw new ParameterError(`Unknown column "${excerpt(name)}".${columnHint(name, schema)}`);
    });
    draft.fields = [...new Set([...(schema.hasGeometry ? [geometryColumnName] : []), ...names])];
  },
  sortby: (value, draft, { schema }) => {
    // The + of an ascending order that was not percent-encoded arrives as a blank.
    draft.ordering = parseOrdering(value.replaceAll(/(^|,)[+ ]/g, '$1'), schema, undefined);
  },
  filter: (value, draft, { schema }) => {
    draft.filters.push(parseCql2(value, schema, 'filter'));
  },
  'filter-lang': () => {},
  'filter-crs': (value) => {
    if (!supportedCrs.some((crs) => crs === value))
      throw new ParameterError(
        `The reference system "${excerpt(value)}" is not supported. There is ${supportedCrs[0]}.`,
      );
  },
  f: () => {},
};

/**
 * Parses the query string of features.
 * @param pairs decoded names and values, in order
 * @param length length of the raw query string in bytes
 * @throws ValidationError with all errors, each under its parameter's name
 */
export function parseFeatureQuery(
  pairs: readonly (readonly [string, string])[],
  table: FeatureTable,
  length = 0,
): DataQuery {
  const schema = { ...table.schema, suggestions: { left: mostSuggestions } };
  const draft: Draft = { fields: undefined, ordering: [], limit: defaultFeatureLimit, offset: 0, filters: [] };
  // Not a plain object: a parameter may be called __proto__.
  const errors = new Map<string, readonly string[]>();
  const limits = defaultQueryLimits;
  if (length > limits.queryLength)
    throw new ValidationError({ non_field_errors: [`The query string is longer than ${limits.queryLength} bytes.`] });
  for (const [name, value] of pairs)
    try {
      const handler = Object.hasOwn(handlers, name) ? handlers[name as FeatureParameter] : undefined;
      if (handler) handler(value, draft, { ...table, schema });
      else draft.filters.push(equalityPredicate(name, value, schema));
    } catch (error) {
      if (error instanceof ValidationError) errors.set(name, Object.values(error.fields).flat());
      else if (error instanceof ParameterError) errors.set(name, [error.message]);
      else throw error;
    }
  const languageError = filterLanguageError(pairs);
  if (languageError) errors.set('filter-lang', [languageError]);
  const { filters, ...rest } = draft;
  const predicate = andPredicates(filters);
  const sizeErrors = predicateSizeErrors(predicate, limits);
  if (sizeErrors.length) errors.set('non_field_errors', sizeErrors);
  if (errors.size > 0) throw new ValidationError(Object.fromEntries(errors));
  const unused = { aggregation: undefined, page: undefined, pageSize: undefined };
  const csv = { bom: false, separator: ',', excel: false } as const;
  return { ...rest, ...unused, predicate, format: 'geojson', csv };
}

/** The filter `column=value`. A column that is called like a parameter is filtered by `filter`. */
function equalityPredicate(name: string, text: string, schema: TableSchema): Predicate {
  const type = columnType(name, schema);
  if (!type) {
    const names = [...featureParameters, ...schema.columns.map((column) => column.name)];
    const hint = maySuggest(schema) ? didYouMean(name, names) : '';
    throw new ParameterError(`Unknown parameter "${excerpt(name)}".${hint}`);
  }
  if (type === 'geometry') throw new ParameterError('Features are filtered by geometry with bbox or filter.');
  return { op: 'compare', test: 'eq', column: name, value: parseValueOfColumnType(type, text, true) };
}

function filterLanguageError(pairs: readonly (readonly [string, string])[]): string | undefined {
  const last = (name: string) => pairs.findLast(([one]) => one === name)?.[1];
  const language = last('filter-lang');
  if (language === undefined) return undefined;
  if (language !== 'cql2-text' && language !== 'cql2-json')
    return `Unknown language "${excerpt(language)}". There are cql2-text and cql2-json.`;
  const filter = last('filter');
  const isJson = filter !== undefined && /^\s*\{/.test(filter);
  return filter === undefined || isJson === (language === 'cql2-json') ? undefined : `The filter is not ${language}.`;
}
