/**
 * `column=value` and `column__lookup=value`: the filters that query parameters spell. Values are typed as their column
 * is. What doesn't fit is an error and never left aside: an ignored filter is a wrong answer that looks right.
 */
import { closest } from '../../catalogue/closest.ts';
import { ValidationError } from '../../catalogue/errors.ts';
import type { ColumnType } from '../../catalogue/types.ts';
import { TextError } from '../errors.ts';
import { parseBbox, parseGeometry, type QueryGeometry } from '../geometry/parse-geometry.ts';
import { defaultQueryLimits, type QueryLimits } from '../limits.ts';
import type { TableColumn, TableShape } from '../row.ts';
import { columnNames, columnType, didYouMean } from './column-names.ts';
import { parseLiteral, splitList } from './parameter-values.ts';
import type { Comparison, Predicate, SpatialTest, TextTest } from './predicate.ts';

const ordered = ['exact', 'ne', 'gt', 'gte', 'lt', 'lte', 'in', 'range', 'isnull'];
const texts = ['iexact', 'contains', 'icontains', 'startswith', 'istartswith', 'endswith', 'iendswith'];

/** The lookups that each type of column takes; `exact` is what `column=value` means. */
export const lookupsOf: Readonly<Record<ColumnType, readonly string[]>> = {
  integer: ordered,
  float: ordered,
  date: ordered,
  datetime: ordered,
  time: ordered,
  string: [...ordered, ...texts],
  boolean: ['exact', 'ne', 'in', 'isnull'],
  object: ['isnull'],
  array: ['isnull'],
  geometry: ['intersects', 'within', 'contains', 'disjoint', 'bbox', 'dwithin', 'isnull'],
};

const allLookups = [...new Set(Object.values(lookupsOf).flat())];

/** Whether a parameter names a column of the table, with or without a lookup. */
export function namesColumn(name: string, shape: TableShape): boolean {
  return resolve(name, shape) !== undefined;
}

/**
 * One parameter as a predicate.
 *
 * - The longest column name that fits wins: where columns `a` and `a__gt` exist, `a__gt=5` asks for the latter.
 * - `in` and `range` take comma-separated values; one with a comma in it is written in double quotes (`splitList`).
 *   `range` has both ends, included. `isnull` takes true or false.
 * - Geometry lookups take any spelling of `parseGeometry`; `dwithin` takes `<geometry>,<distance>`, in metres, or with
 *   a unit: `m`, `km`, or `deg`.
 *
 * @throws ValidationError under the parameter's name, with the nearest right name where there is one
 */
export function parseLookup(
  parameter: string,
  value: string,
  shape: TableShape,
  limits: QueryLimits = defaultQueryLimits,
): Predicate {
  const found = resolve(parameter, shape);
  if (!found) throw new ValidationError({ [parameter]: [unknownColumn(parameter, shape)] });
  const { column, type, lookup } = found;
  if (!lookupsOf[type].includes(lookup)) {
    throw new ValidationError({ [parameter]: [unfitLookup(column, type, lookup)] });
  }
  try {
    if (lookup === 'isnull') {
      const isnull: Predicate = { op: 'isnull', column };
      return parseLiteral('boolean', value) ? isnull : { op: 'not', of: isnull };
    }
    return type === 'geometry'
      ? geometryLookup(parameter, lookup, value, limits)
      : valueLookup(column, type, lookup, value);
  } catch (error) {
    if (!(error instanceof TextError)) throw error;
    throw new ValidationError({ [parameter]: [error.message] });
  }
}

/** The column and lookup that a parameter names; undefined where it names no column. */
function resolve(
  parameter: string,
  shape: TableShape,
): { column: string; type: ColumnType; lookup: string } | undefined {
  for (let end = parameter.length; end > 0; end = parameter.lastIndexOf('__', end - 1)) {
    const column = parameter.slice(0, end);
    const type = columnType(column, shape);
    if (type) return { column, type, lookup: end === parameter.length ? 'exact' : parameter.slice(end + 2) };
  }
  return undefined;
}

/**
 * `Unknown column "heigth". Did you mean "height"?`
 * @param others what may have been meant besides a column
 */
export function unknownColumn(parameter: string, shape: TableShape, others: readonly string[] = []): string {
  const [, stem = parameter] = /^(.+)__[^_]+$/.exec(parameter) ?? [];
  const lookup = parameter.slice(stem.length + 2);
  const name = closest(lookup, allLookups) ? stem : parameter;
  return `Unknown column "${name}".${didYouMean(name, [...columnNames(shape), ...others])}`;
}

function unfitLookup(column: string, type: ColumnType, lookup: string): string {
  const fit = lookupsOf[type];
  const near = closest(lookup, fit);
  const hint = near ? `Did you mean "${column}__${near}"?` : `It takes ${fit.join(', ')}.`;
  if (!allLookups.includes(lookup)) return `Unknown lookup "${lookup}" for column "${column}". ${hint}`;
  return `The lookup "${lookup}" doesn't fit column "${column}" of type ${type}. ${near ? hint : `It takes ${fit.join(', ')}.`}`;
}

const comparisons: Readonly<Record<string, Comparison>> = {
  exact: 'eq',
  ne: 'ne',
  gt: 'gt',
  gte: 'gte',
  lt: 'lt',
  lte: 'lte',
};

function valueLookup(column: string, type: TableColumn['type'], lookup: string, text: string): Predicate {
  const test = comparisons[lookup];
  if (test) {
    const whole = test === 'eq' || test === 'ne';
    return { op: 'compare', test, column, value: parseLiteral(type, text, whole) };
  }
  if (lookup === 'in') {
    return { op: 'in', column, values: splitList(text).map((part) => parseLiteral(type, part, true)) };
  }
  if (lookup === 'range') {
    const [low, high, ...more] = splitList(text);
    if (low === undefined || high === undefined || more.length > 0) {
      throw new TextError('A range has two values, separated by a comma; with one end use gte or lte.');
    }
    return { op: 'between', column, low: parseLiteral(type, low), high: parseLiteral(type, high) };
  }
  return { op: 'text', test: lookup as TextTest, column, text };
}

function geometryLookup(parameter: string, lookup: string, value: string, limits: QueryLimits): Predicate {
  const budget = { vertices: limits.vertices, depth: limits.depth };
  if (lookup === 'bbox') return { op: 'bbox', bbox: parseBbox(value) };
  if (lookup !== 'dwithin') return spatial(lookup as SpatialTest, parseGeometry(value, budget), parameter);
  const [, text = '', number, unit = 'm'] = /^(.*),\s*([^\s,)\]}]+?)\s*(m|km|deg)?\s*$/is.exec(value) ?? [];
  const distance = Number(number);
  if (!number || !Number.isFinite(distance) || distance < 0) {
    throw new TextError('Write <geometry>,<distance> with a distance in m, km or deg, such as POINT(8.5 47.4),500m.');
  }
  const { geometry, buffer } = parseGeometry(text, budget);
  if (buffer) throw new TextError('Give the distance either as .buffer(…) or after the comma.');
  return dwithin(geometry, distance, unit.toLowerCase(), parameter);
}

/** Units of a distance, in metres; degrees stand apart. */
const metres: Readonly<Record<string, number>> = { m: 1, km: 1000 };

/** @param unit `m`, `km` or `deg` */
export function dwithin(
  geometry: QueryGeometry['geometry'],
  distance: number,
  unit: string,
  parameter: string,
): Predicate {
  const factor = metres[unit];
  return factor
    ? { op: 'dwithin', geometry, distance: distance * factor, unit: 'metre', parameter }
    : { op: 'dwithin', geometry, distance, unit: 'degree', parameter };
}

/**
 * A spatial test of a geometry, and of what lies around it where it has a buffer: exactly, by distance, and not with a
 * polygon drawn around it.
 * @throws TextError where a buffer doesn't go with the test
 */
export function spatial(test: SpatialTest, { geometry, buffer }: QueryGeometry, parameter: string): Predicate {
  if (!buffer) return { op: 'spatial', test, geometry, parameter };
  const near: Predicate = { op: 'dwithin', geometry, distance: buffer, unit: 'degree', parameter };
  if (test === 'intersects') return near;
  if (test === 'disjoint') return { op: 'not', of: near };
  if (test === 'within' && geometry.type === 'Point') return { op: 'spatial', test, geometry, buffer, parameter };
  throw new TextError(
    `.buffer(…) goes with intersects and disjoint${test === 'within' ? ', and of a Point with within' : ''}.`,
  );
}
