/**
 * The query string of a data URL: filters, columns, aggregates, order, page and format of the rows.
 *
 * Reserved parameters begin with `_`; every other name is a column's. `format`, `page`, `page_size`, `limit`, `offset`,
 * `bbox` and `filter` also work without the underscore if no column has that name. A column with a reserved name
 * (`_limit`) is filtered as `_limit__exact`. Repeated filters, `_filter` and `_bbox` included, are combined with AND; of
 * other repeated parameters the last one counts.
 */

import { closestWord, didYouMean } from '../../catalogue/closest.ts';
import { excerpt, ValidationError } from '../../catalogue/errors.ts';
import { type OutputFormat, outputFormats } from '../../catalogue/output-formats.ts';
import { haveAggregates, unprefixedParameters } from '../../catalogue/row-parameters.ts';
import { ParameterError } from '../errors.ts';
import { parseBbox } from '../geometry/parse-geometry.ts';
import { defaultQueryLimits, type QueryLimits } from '../limits.ts';
import { columnHint, columnType, findColumn, type TableSchema } from '../row.ts';
import { type Aggregate, type Aggregation, makeAggregation, parseAggregates, parseGroupBy } from './aggregation.ts';
import { parseCql2 } from './cql2/parse.ts';
import { isColumnParameter, parseLookupPredicate, unknownColumnMessage } from './lookups.ts';
import { parseOrdering } from './ordering.ts';
import { parseValueOfColumnType, parseWholeNumber, splitList } from './parameter-values.ts';
import { andPredicates, type Predicate, predicateSize } from './predicate.ts';

/** Values of `_format`: the formats of rows, and the page that shows them. */
const dataFormats: readonly string[] = [
  ...Object.entries<OutputFormat>(outputFormats).flatMap(([name, { isSidecar }]) => (isSidecar ? [] : [name])),
  'html',
];

/** A query of a table's rows. Members are undefined if their parameter is absent. */
export interface DataQuery {
  /** One of `dataFormats`. */
  readonly format: string | undefined;
  /** All filters combined, `_bbox` and `_filter` included; `alwaysTrue` if there are none. */
  readonly predicate: Predicate;
  /** Names of columns in the order requested; `geometry` may be one of them. */
  readonly fields: readonly string[] | undefined;
  /** Groups of the rows, to which order and page then apply; undefined for the rows themselves. */
  readonly aggregation: Aggregation | undefined;
  readonly ordering: readonly { readonly column: string; readonly descending: boolean }[];
  /** From 0. */
  readonly limit: number | undefined;
  /** From 0. */
  readonly offset: number | undefined;
  /** From 1. */
  readonly page: number | 'last' | undefined;
  /** From 1; the maximum is the caller's. */
  readonly pageSize: number | undefined;
  readonly csv: CsvOptions;
}

export interface CsvOptions {
  /** True to begin with a byte order mark, by which Excel recognizes UTF-8. */
  readonly bom: boolean;
  readonly separator: ',' | ';' | '\t' | '|';
  /** True to disarm cells that a spreadsheet would take for formulas. */
  readonly excel: boolean;
}

type Mutable<T> = { -readonly [K in keyof T]: T[K] };
/** A reserved parameter that is parsed after all others, as it was written. */
interface PendingParameter {
  readonly parameter: string;
  readonly value: string;
}
type QueryDraft = Mutable<Omit<DataQuery, 'csv' | 'predicate' | 'aggregation' | 'ordering'>> & {
  csv: Mutable<CsvOptions>;
  filters: Predicate[];
  groupBy: readonly string[] | undefined;
  aggregates: readonly Aggregate[] | undefined;
  ordering: PendingParameter | undefined;
};

interface ParameterContext {
  readonly schema: TableSchema;
  readonly limits: QueryLimits;
  readonly draft: QueryDraft;
  /** Name as it was written, for errors. */
  readonly parameter: string;
}

/** Handlers of the reserved parameters: each writes its value to the draft, or throws. */
const reservedHandlers: Readonly<Record<string, (value: string, context: ParameterContext) => void>> = {
  _format: (value, { draft }) => {
    const format = dataFormats.find((name) => name === value.toLowerCase());
    if (!format) {
      const hint = closestWord(value, dataFormats);
      throw new ParameterError(
        `Unknown format "${excerpt(value)}". ${hint ? `Did you mean "${hint}"?` : `There are ${dataFormats.join(', ')}.`}`,
      );
    }
    draft.format = format;
  },
  _fields: (value, { draft, schema }) => {
    const fields = splitList(value).map((field) => {
      const column = findColumn(field, schema);
      if (column) return column.name;
      throw new ParameterError(`Unknown column "${excerpt(field)}".${columnHint(field, schema)}`);
    });
    draft.fields = [...new Set(fields)];
  },
  _group_by: (value, { draft, schema }) => {
    draft.groupBy = parseGroupBy(value, schema);
  },
  _aggregate: (value, { draft, schema }) => {
    draft.aggregates = parseAggregates(value, schema);
  },
  // Its columns may be those of aggregates.
  _ordering: (value, { draft, parameter }) => {
    draft.ordering = { parameter, value };
  },
  _limit: (value, { draft }) => {
    draft.limit = parseWholeNumber(value, 0);
  },
  _offset: (value, { draft }) => {
    draft.offset = parseWholeNumber(value, 0);
  },
  _page: (value, { draft }) => {
    draft.page = value === 'last' ? value : parseWholeNumber(value, 1);
  },
  _page_size: (value, { draft }) => {
    draft.pageSize = parseWholeNumber(value, 1);
  },
  _bbox: (value, { draft, schema }) => {
    if (!schema.hasGeometry) throw new ParameterError('The rows have no geometry.');
    draft.filters.push({ op: 'bbox', bbox: parseBbox(value) });
  },
  _filter: (value, { draft, schema, parameter, limits }) => {
    draft.filters.push(parseCql2(value, schema, parameter, limits));
  },
  _bom: (value, { draft }) => {
    draft.csv.bom = parseFlag(value);
  },
  _excel: (value, { draft }) => {
    draft.csv.excel = parseFlag(value);
  },
  _sep: (value, { draft }) => {
    const separator = value === 'tab' ? '\t' : value;
    if (separator !== ',' && separator !== ';' && separator !== '\t' && separator !== '|') {
      throw new ParameterError('A separator is a comma, a semicolon, a vertical bar, or "tab".');
    }
    draft.csv.separator = separator;
  },
};

/** Names of the reserved parameters, with their underscore. */
export const reservedParameters = Object.keys(reservedHandlers);

/** Most wrong names for which the nearest column is suggested: for sixty of them, that took seconds on a wide table. */
export const mostSuggestions = 3;

/**
 * Parses the query string of a data URL.
 * @param pairs decoded names and values, in order
 * @param length length of the raw query string in bytes
 * @throws ValidationError with all errors, each under its parameter's name
 */
export function parseDataQuery(
  pairs: readonly (readonly [string, string])[],
  schema: TableSchema,
  limits: QueryLimits = defaultQueryLimits,
  length = 0,
): DataQuery {
  if (length > limits.queryLength) {
    throw new ValidationError({ non_field_errors: [`The query string is longer than ${limits.queryLength} bytes.`] });
  }
  if (pairs.length > limits.predicates + reservedParameters.length) {
    throw new ValidationError({ non_field_errors: [`There are ${pairs.length} parameters: too many.`] });
  }
  const draft = emptyDraft();
  // Not a plain object: a parameter may be called __proto__.
  const errors = new Map<string, string[]>();
  const report = (field: string, message: string) => errors.set(field, [...(errors.get(field) ?? []), message]);
  const suggesting = { ...schema, suggestions: { left: mostSuggestions } };
  for (const [parameter, value] of pairs) {
    const messages = applyParameter(parameter, value, { schema: suggesting, limits, draft, parameter });
    for (const message of messages) report(parameter, message);
  }
  const paged = draft.page !== undefined || draft.pageSize !== undefined;
  if (paged && (draft.limit !== undefined || draft.offset !== undefined)) {
    report('non_field_errors', 'Ask for a page, or for a limit and an offset, but not for both.');
  }
  const { filters, groupBy, aggregates, ordering: pending, ...rest } = draft;
  const isAggregated = haveAggregates(pairs);
  if (isAggregated && rest.fields)
    report(
      '_fields',
      'Groups have the columns of _group_by and _aggregate: leave out _fields, and name columns there.',
    );
  const aggregation =
    isAggregated && errors.size === 0
      ? attempt(
          () => makeAggregation(groupBy, aggregates, schema, limits),
          (message) => report(aggregates ? '_aggregate' : '_group_by', message),
        )
      : undefined;
  const ordering =
    pending && (aggregation || !isAggregated)
      ? attempt(
          () => parseOrdering(pending.value, suggesting, aggregation),
          (message) => report(pending.parameter, message),
        )
      : undefined;
  const predicate = andPredicates(filters);
  for (const message of predicateSizeErrors(predicate, limits)) report('non_field_errors', message);
  if (errors.size > 0) throw new ValidationError(Object.fromEntries(errors));
  return { ...rest, aggregation, ordering: ordering ?? [], predicate };
}

/** Options of CSV for a query that sets none. */
export const defaultCsvOptions: CsvOptions = { bom: false, separator: ',', excel: false };

const emptyDraft = (): QueryDraft => ({
  format: undefined,
  filters: [],
  fields: undefined,
  groupBy: undefined,
  aggregates: undefined,
  ordering: undefined,
  limit: undefined,
  offset: undefined,
  page: undefined,
  pageSize: undefined,
  csv: { ...defaultCsvOptions },
});

/** Messages about limits that a predicate exceeds. */
export function predicateSizeErrors(predicate: Predicate, limits: QueryLimits): readonly string[] {
  const size = predicateSize(predicate);
  return (['predicates', 'values', 'vertices'] as const).flatMap((unit) => {
    const what = unit === 'predicates' ? 'conditions' : unit;
    return size[unit] <= limits[unit] ? [] : [`The filters have more than ${limits[unit]} ${what}.`];
  });
}

/** The result of a function; undefined if it throws a ParameterError, which is reported. */
function attempt<T>(run: () => T, report: (message: string) => void): T | undefined {
  try {
    return run();
  } catch (error) {
    if (!(error instanceof ParameterError)) throw error;
    report(error.message);
    return undefined;
  }
}

/** Writes a parameter to the draft; returns messages if it is wrong. */
function applyParameter(parameter: string, value: string, context: ParameterContext): readonly string[] {
  const { schema, draft, limits } = context;
  try {
    const handler = Object.hasOwn(reservedHandlers, parameter)
      ? reservedHandlers[parameter]
      : unprefixedHandler(parameter, schema);
    if (handler) handler(value, context);
    else if (isColumnParameter(parameter, schema))
      draft.filters.push(parseLookupPredicate(parameter, value, schema, limits));
    else if (parameter.startsWith('_')) {
      return [`Unknown parameter "${excerpt(parameter)}".${didYouMean(parameter, reservedParameters)}`];
    } else return [unknownParameter(parameter, schema)];
    return [];
  } catch (error) {
    if (error instanceof ValidationError) return Object.values(error.fields).flat();
    if (error instanceof ParameterError) return [error.message];
    throw error;
  }
}

/** Handler of a reserved parameter without its underscore; undefined if there is no such parameter, or a column has that name. */
function unprefixedHandler(parameter: string, schema: TableSchema) {
  return (unprefixedParameters as readonly string[]).includes(parameter) && !columnType(parameter, schema)
    ? reservedHandlers[`_${parameter}`]
    : undefined;
}

/** The message for a mistyped column, or a reserved parameter that is mistyped or lacks its underscore. */
function unknownParameter(name: string, schema: TableSchema): string {
  if (Object.hasOwn(reservedHandlers, `_${name}`)) return `Unknown column "${excerpt(name)}". Did you mean "_${name}"?`;
  return unknownColumnMessage(name, schema, unprefixedParameters);
}

function parseFlag(text: string): boolean {
  return parseValueOfColumnType('boolean', text) === true;
}
