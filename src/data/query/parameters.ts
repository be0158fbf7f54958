/**
 * The query string of a data address: which rows, which of their columns, in which order, how many, written how.
 *
 * What is ours begins with `_`; every other name is a column's. `format`, `page`, `page_size`, `limit`, `offset`,
 * `bbox` and `filter` work without it too where no column has that name. A column whose name is one of ours (`_limit`)
 * is filtered as `_limit__exact`. Filters that are repeated, `_filter` and `_bbox` among them, all hold; of anything
 * else that is repeated the last counts.
 */
import { closest } from '../../catalogue/closest.ts';
import { ValidationError } from '../../catalogue/errors.ts';
import { TextError } from '../errors.ts';
import { parseBbox } from '../geometry/parse-geometry.ts';
import { defaultQueryLimits, type QueryLimits } from '../limits.ts';
import type { TableShape } from '../row.ts';
import { columnNames, columnType, didYouMean } from './column-names.ts';
import { parseCql2 } from './cql2.ts';
import { namesColumn, parseLookup, unknownColumn } from './lookups.ts';
import { parseLiteral, splitList } from './parameter-values.ts';
import { and, type Predicate, sizeOf } from './predicate.ts';

export const dataFormats = ['geojson', 'json', 'objects', 'ndjson', 'geojsonl', 'csv', 'parquet', 'html'] as const;
export type DataFormat = (typeof dataFormats)[number];

/** A question to the rows of a version. What wasn't asked is undefined. */
export interface DataQuery {
  readonly format: DataFormat | undefined;
  /** All filters together, `_bbox` and `_filter` included; `everything` where there are none. */
  readonly predicate: Predicate;
  /** Names of columns, as they were asked; `geometry` is one of them. */
  readonly fields: readonly string[] | undefined;
  readonly ordering: readonly { readonly column: string; readonly descending: boolean }[];
  /** From 0. */
  readonly limit: number | undefined;
  /** From 0. */
  readonly offset: number | undefined;
  /** From 1. */
  readonly page: number | 'last' | undefined;
  /** From 1; the caller knows the greatest. */
  readonly pageSize: number | undefined;
  readonly csv: CsvOptions;
}

export interface CsvOptions {
  /** Whether to begin with a byte order mark, by which Excel knows UTF-8. */
  readonly bom: boolean;
  readonly separator: ',' | ';' | '\t' | '|';
  /** Whether to make cells harmless that a spreadsheet would take for formulas. */
  readonly excel: boolean;
}

type Mutable<T> = { -readonly [K in keyof T]: T[K] };
type Draft = Mutable<Omit<DataQuery, 'csv' | 'predicate'>> & { csv: Mutable<CsvOptions>; filters: Predicate[] };

interface Context {
  readonly shape: TableShape;
  readonly limits: QueryLimits;
  readonly draft: Draft;
  /** As it was spelled, for errors. */
  readonly parameter: string;
}

/** What each of our parameters does; what is wrong is thrown. */
const ours: Readonly<Record<string, (value: string, context: Context) => void>> = {
  _format: (value, { draft }) => {
    const format = dataFormats.find((name) => name === value.toLowerCase());
    if (!format) {
      const hint = closest(value, dataFormats);
      throw new TextError(
        `Unknown format "${value}". ${hint ? `Did you mean "${hint}"?` : `There are ${dataFormats.join(', ')}.`}`,
      );
    }
    draft.format = format;
  },
  _fields: (value, { draft, shape }) => {
    const fields = splitList(value);
    for (const field of fields) {
      if (columnType(field, shape)) continue;
      throw new TextError(`Unknown column "${field}".${didYouMean(field, columnNames(shape))}`);
    }
    draft.fields = [...new Set(fields)];
  },
  _ordering: (value, { draft, shape }) => {
    draft.ordering = splitList(value).map((part) => orderBy(part, shape));
  },
  _limit: (value, { draft }) => {
    draft.limit = wholeNumber(value, 0);
  },
  _offset: (value, { draft }) => {
    draft.offset = wholeNumber(value, 0);
  },
  _page: (value, { draft }) => {
    draft.page = value === 'last' ? value : wholeNumber(value, 1);
  },
  _page_size: (value, { draft }) => {
    draft.pageSize = wholeNumber(value, 1);
  },
  _bbox: (value, { draft, shape }) => {
    if (!shape.hasGeometry) throw new TextError('The rows have no geometry.');
    draft.filters.push({ op: 'bbox', bbox: parseBbox(value) });
  },
  _filter: (value, { draft, shape, parameter, limits }) => {
    draft.filters.push(parseCql2(value, shape, parameter, limits));
  },
  _bom: (value, { draft }) => {
    draft.csv.bom = flag(value);
  },
  _excel: (value, { draft }) => {
    draft.csv.excel = flag(value);
  },
  _sep: (value, { draft }) => {
    const separator = value === 'tab' ? '\t' : value;
    if (separator !== ',' && separator !== ';' && separator !== '\t' && separator !== '|') {
      throw new TextError('A separator is a comma, a semicolon, a vertical bar, or "tab".');
    }
    draft.csv.separator = separator;
  },
};

/** Parameters that are ours, as they are spelled with an underscore. */
export const ourParameters = Object.keys(ours);

const plainSpellings = ['format', 'page', 'page_size', 'limit', 'offset', 'bbox', 'filter'];

/**
 * Reads a query string of a data address.
 * @param pairs names and values, decoded, in their order
 * @param length of the query string as it came, in bytes
 * @throws ValidationError with all that is wrong, each under the name of its parameter
 */
export function parseDataQuery(
  pairs: readonly (readonly [string, string])[],
  shape: TableShape,
  limits: QueryLimits = defaultQueryLimits,
  length = 0,
): DataQuery {
  if (length > limits.queryLength) {
    throw new ValidationError({ non_field_errors: [`The query string is longer than ${limits.queryLength} bytes.`] });
  }
  if (pairs.length > limits.predicates + ourParameters.length) {
    throw new ValidationError({ non_field_errors: [`There are ${pairs.length} parameters: too many.`] });
  }
  const draft: Draft = {
    format: undefined,
    filters: [],
    fields: undefined,
    ordering: [],
    limit: undefined,
    offset: undefined,
    page: undefined,
    pageSize: undefined,
    csv: { bom: false, separator: ',', excel: false },
  };
  // No plain object: a parameter may be called __proto__.
  const errors = new Map<string, string[]>();
  const report = (field: string, message: string) => errors.set(field, [...(errors.get(field) ?? []), message]);
  for (const [parameter, value] of pairs) {
    for (const message of problems(parameter, value, { shape, limits, draft, parameter })) report(parameter, message);
  }
  const paged = draft.page !== undefined || draft.pageSize !== undefined;
  if (paged && (draft.limit !== undefined || draft.offset !== undefined)) {
    report('non_field_errors', 'Ask for a page, or for a limit and an offset, but not for both.');
  }
  const { filters, ...rest } = draft;
  const predicate = and(filters);
  for (const [unit, count] of Object.entries(sizeOf(predicate)) as ['predicates' | 'values' | 'vertices', number][]) {
    if (count <= limits[unit]) continue;
    const what = unit === 'predicates' ? 'conditions' : unit;
    report('non_field_errors', `The filters have more than ${limits[unit]} ${what}.`);
  }
  if (errors.size > 0) throw new ValidationError(Object.fromEntries(errors));
  return { ...rest, predicate };
}

/** Takes a parameter into the draft, or says what is wrong with it. */
function problems(parameter: string, value: string, context: Context): readonly string[] {
  const { shape, draft, limits } = context;
  try {
    const own = Object.hasOwn(ours, parameter) ? ours[parameter] : plain(parameter, shape);
    if (own) own(value, context);
    else if (namesColumn(parameter, shape)) draft.filters.push(parseLookup(parameter, value, shape, limits));
    else if (parameter.startsWith('_')) {
      return [`Unknown parameter "${parameter}".${didYouMean(parameter, ourParameters)}`];
    } else return [unknownName(parameter, shape)];
    return [];
  } catch (error) {
    if (error instanceof ValidationError) return Object.values(error.fields).flat();
    if (error instanceof TextError) return [error.message];
    throw error;
  }
}

/** What a plain spelling stands for; undefined where it isn't one, or a column has the name. */
function plain(parameter: string, shape: TableShape) {
  return plainSpellings.includes(parameter) && !columnType(parameter, shape) ? ours[`_${parameter}`] : undefined;
}

/** A mistyped column, or one of our parameters mistyped or without its underscore. */
function unknownName(name: string, shape: TableShape): string {
  if (Object.hasOwn(ours, `_${name}`)) return `Unknown column "${name}". Did you mean "_${name}"?`;
  return unknownColumn(name, shape, plainSpellings);
}

/** `name` or `-name`; a column whose own name begins with a minus is found as well. */
function orderBy(text: string, shape: TableShape): { column: string; descending: boolean } {
  const descending = text.startsWith('-') && !columnType(text, shape);
  const column = descending ? text.slice(1) : text;
  const type = columnType(column, shape);
  if (!type) throw new TextError(`Unknown column "${column}".${didYouMean(column, columnNames(shape))}`);
  if (type === 'geometry' || type === 'object' || type === 'array') {
    throw new TextError(`Column "${column}" of type ${type} has no order.`);
  }
  return { column, descending };
}

function wholeNumber(text: string, least: number): number {
  const number = /^\d+$/.test(text) ? Number(text) : Number.NaN;
  if (Number.isSafeInteger(number) && number >= least) return number;
  throw new TextError(`"${text}" is not a whole number of at least ${least}.`);
}

function flag(text: string): boolean {
  return parseLiteral('boolean', text) === true;
}
