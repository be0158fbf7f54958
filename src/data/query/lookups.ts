/**
 * Filters as query parameters: `column=value` and `column__lookup=value`. Values are parsed by their column's type. A
 * parameter that doesn't fit is an error: an ignored filter would be a wrong answer that looks right.
 */
import { closestWord } from '../../catalogue/closest.ts';
import { excerpt, ValidationError } from '../../catalogue/errors.ts';
import type { ColumnType } from '../../catalogue/types.ts';
import { ParameterError } from '../errors.ts';
import { type BufferedGeometry, parseBbox, parseGeometry } from '../geometry/parse-geometry.ts';
import { defaultQueryLimits, type QueryLimits } from '../limits.ts';
import { columnHint, findColumn, longestName, type TableColumn, type TableSchema } from '../row.ts';
import { parseValueOfColumnType, splitList } from './parameter-values.ts';
import type { ComparisonOperator, Predicate, SpatialOperator, TextOperator } from './predicate.ts';

const orderedLookups = ['exact', 'ne', 'gt', 'gte', 'lt', 'lte', 'in', 'range', 'isnull'];
const textLookups = ['iexact', 'contains', 'icontains', 'startswith', 'istartswith', 'endswith', 'iendswith'];

/** Lookups by column type; `column=value` means `exact`. */
export const lookupsByType: Readonly<Record<ColumnType, readonly string[]>> = {
  integer: orderedLookups,
  float: orderedLookups,
  date: orderedLookups,
  datetime: orderedLookups,
  time: orderedLookups,
  string: [...orderedLookups, ...textLookups],
  boolean: ['exact', 'ne', 'in', 'isnull'],
  object: ['isnull'],
  array: ['isnull'],
  geometry: ['intersects', 'within', 'contains', 'disjoint', 'bbox', 'dwithin', 'isnull'],
};

const allLookups = [...new Set(Object.values(lookupsByType).flat())];

/** True if a parameter names a column of the table, with or without a lookup. */
export function isColumnParameter(parameter: string, schema: TableSchema): boolean {
  return splitLookup(parameter, schema) !== undefined;
}

/**
 * Parses one parameter as a predicate.
 *
 * - The longest matching column name wins: if columns `a` and `a__gt` exist, `a__gt=5` means the latter.
 * - `in` and `range` take comma-separated values; one that contains a comma is written in double quotes (`splitList`).
 *   `range` includes both ends. `isnull` takes true or false.
 * - Geometry lookups take what `parseGeometry` reads; `dwithin` takes `<geometry>,<distance>`, in metres or with a unit
 *   (`m`, `km` or `deg`).
 *
 * @throws ValidationError under the parameter's name, with the nearest existing name if there is one; ParameterError if
 *   several columns have had the name
 */
export function parseLookupPredicate(
  parameter: string,
  value: string,
  schema: TableSchema,
  limits: QueryLimits = defaultQueryLimits,
): Predicate {
  const found = splitLookup(parameter, schema);
  if (!found) throw new ValidationError({ [parameter]: [unknownColumnMessage(parameter, schema)] });
  const { column, type, lookup } = found;
  if (!lookupsByType[type].includes(lookup)) {
    throw new ValidationError({ [parameter]: [lookupMismatch(column, type, lookup)] });
  }
  try {
    if (lookup === 'isnull') {
      const isnull: Predicate = { op: 'isnull', column };
      return parseValueOfColumnType('boolean', value) ? isnull : { op: 'not', of: isnull };
    }
    return type === 'geometry'
      ? parseGeometryLookup(parameter, lookup, value, limits)
      : parseValueLookup(column, type, lookup, value);
  } catch (error) {
    if (!(error instanceof ParameterError)) throw error;
    throw new ValidationError({ [parameter]: [error.message] });
  }
}

/**
 * Column and lookup of a parameter; undefined if it names no column. Columns come before other names that columns have had.
 * @throws ParameterError if several columns have had the name
 */
function splitLookup(
  parameter: string,
  schema: TableSchema,
): { column: string; type: ColumnType; lookup: string } | undefined {
  const { otherNames: _, ...plain } = schema;
  const longest = longestName(schema);
  for (const known of schema.otherNames?.size ? [plain, schema] : [schema])
    for (let end = parameter.length; end > 0; end = parameter.lastIndexOf('__', end - 1)) {
      if (end > longest) continue;
      const column = findColumn(parameter.slice(0, end), known);
      const lookup = end === parameter.length ? 'exact' : parameter.slice(end + 2);
      if (column) return { column: column.name, type: column.type, lookup };
    }
  return undefined;
}

/**
 * `Unknown column "heigth". Did you mean "height"?`
 * @param others further names to suggest, besides the columns
 */
export function unknownColumnMessage(parameter: string, schema: TableSchema, others: readonly string[] = []): string {
  const [, stem = parameter] = /^(.+)__[^_]+$/.exec(parameter) ?? [];
  const lookup = parameter.slice(stem.length + 2);
  const name = closestWord(lookup, allLookups) ? stem : parameter;
  return `Unknown column "${excerpt(name)}".${columnHint(name, schema, others)}`;
}

function lookupMismatch(column: string, type: ColumnType, lookup: string): string {
  const near = closestWord(lookup, lookupsByType[type]);
  const hint = near ? `Did you mean "${column}__${near}"?` : `It takes ${lookupsByType[type].join(', ')}.`;
  if (!allLookups.includes(lookup))
    return `Unknown lookup "${excerpt(lookup)}" for column "${excerpt(column)}". ${hint}`;
  return `The lookup "${excerpt(lookup)}" doesn't fit column "${excerpt(column)}" of type ${type}. ${hint}`;
}

const comparisonLookups: Readonly<Record<string, ComparisonOperator>> = {
  exact: 'eq',
  ne: 'ne',
  gt: 'gt',
  gte: 'gte',
  lt: 'lt',
  lte: 'lte',
};

function parseValueLookup(column: string, type: TableColumn['type'], lookup: string, text: string): Predicate {
  const test = comparisonLookups[lookup];
  if (test) {
    const isEquality = test === 'eq' || test === 'ne';
    return { op: 'compare', test, column, value: parseValueOfColumnType(type, text, isEquality) };
  }
  if (lookup === 'in') {
    return { op: 'in', column, values: splitList(text).map((part) => parseValueOfColumnType(type, part, true)) };
  }
  if (lookup === 'range') {
    const [low, high, ...more] = splitList(text);
    if (low === undefined || high === undefined || more.length > 0) {
      throw new ParameterError('A range has two values, separated by a comma; with one end use gte or lte.');
    }
    return { op: 'between', column, low: parseValueOfColumnType(type, low), high: parseValueOfColumnType(type, high) };
  }
  return { op: 'text', test: lookup as TextOperator, column, text };
}

function parseGeometryLookup(parameter: string, lookup: string, value: string, limits: QueryLimits): Predicate {
  const budget = { vertices: limits.vertices, depth: limits.depth };
  if (lookup === 'bbox') return { op: 'bbox', bbox: parseBbox(value) };
  if (lookup !== 'dwithin') return spatialPredicate(lookup as SpatialOperator, parseGeometry(value, budget), parameter);
  const [, text = '', number, unit = 'm'] = /^(.*),\s*([^\s,)\]}]+?)(?:\s*(m|km|deg))?\s*$/is.exec(value) ?? [];
  const distance = Number(number);
  if (!number || !Number.isFinite(distance) || distance < 0) {
    throw new ParameterError(
      'Write <geometry>,<distance> with a distance in m, km or deg, such as POINT(8.5 47.4),500m.',
    );
  }
  const { geometry, buffer } = parseGeometry(text, budget);
  if (buffer) throw new ParameterError('Give the distance either as .buffer(…) or after the comma.');
  return distancePredicate(geometry, distance, unit.toLowerCase(), parameter);
}

/** Units of distance in metres; degrees are handled separately. */
const metresPerUnit: Readonly<Record<string, number>> = { m: 1, km: 1000 };

/** @param unit `m`, `km` or `deg` */
export function distancePredicate(
  geometry: BufferedGeometry['geometry'],
  distance: number,
  unit: string,
  parameter: string,
): Predicate {
  const factor = metresPerUnit[unit];
  return factor
    ? { op: 'dwithin', geometry, distance: distance * factor, unit: 'metre', parameter }
    : { op: 'dwithin', geometry, distance, unit: 'degree', parameter };
}

/**
 * The predicate of a spatial test. A buffer is tested exactly, by distance, and not approximated by a polygon.
 * @throws ParameterError if a buffer isn't supported with the test
 */
function spatialPredicate(test: SpatialOperator, { geometry, buffer }: BufferedGeometry, parameter: string): Predicate {
  if (!buffer) return { op: 'spatial', test, geometry, parameter };
  const withinBuffer: Predicate = { op: 'dwithin', geometry, distance: buffer, unit: 'degree', parameter };
  if (test === 'intersects') return withinBuffer;
  if (test === 'disjoint') return { op: 'not', of: withinBuffer };
  if (test === 'within' && geometry.type === 'Point') return { op: 'spatial', test, geometry, buffer, parameter };
  throw new ParameterError(
    `.buffer(…) goes with intersects and disjoint${test === 'within' ? ', and of a Point with within' : ''}.`,
  );
}
