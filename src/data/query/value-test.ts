/** Tests of single values, compiled for the type of their column: datetimes compare as instants. */
import type { ColumnType } from '../../catalogue/types.ts';
import { parseDateTime, parseTime } from '../date-time.ts';
import type { Value } from '../row.ts';
import type { ComparisonOperator, Scalar, ValuePredicate } from './predicate.ts';
import { compileTextTest } from './text-match.ts';

export type ValueTest = (value: Value) => boolean;

/**
 * Compiles a comparison, list, range or text test for values of a column of this type.
 * @param negated true for a test of the opposite; null passes neither
 */
export function compileValueTest(predicate: ValuePredicate, type: ColumnType, negated = false): ValueTest {
  if (predicate.op === 'text') {
    const matches = compileTextTest(predicate.test, predicate.text);
    return (value) => typeof value === 'string' && matches(value) !== negated;
  }
  switch (type) {
    case 'integer':
    case 'float':
      return scalarTest(predicate, negated, 'number', Number);
    case 'boolean':
      return scalarTest(predicate, negated, 'boolean', Boolean);
    case 'datetime':
      return convertedScalarTest(predicate, negated, parseDateTime);
    case 'time':
      return convertedScalarTest(predicate, negated, parseTime);
    default:
      // Dates too: YYYY-MM-DD sorts as text.
      return scalarTest(predicate, negated, 'string', String);
  }
}

/** A test of texts that are compared as numbers. */
function convertedScalarTest(
  predicate: Exclude<ValuePredicate, { op: 'text' }>,
  negated: boolean,
  convert: (text: string) => number,
): ValueTest {
  const test = scalarTest(predicate, negated, 'number', (value) => convert(String(value)));
  return (value) => {
    if (typeof value !== 'string') return false;
    const number = convert(value);
    return !Number.isNaN(number) && test(number);
  };
}

function scalarTest<T extends Scalar>(
  predicate: Exclude<ValuePredicate, { op: 'text' }>,
  negated: boolean,
  type: 'number' | 'string' | 'boolean',
  read: (value: Scalar) => T,
): ValueTest {
  switch (predicate.op) {
    case 'compare':
      return comparisonTest(negated ? negatedOperators[predicate.test] : predicate.test, type, read(predicate.value));
    case 'in': {
      const wanted = new Set<Value>(predicate.values.map(read));
      return (value) => typeof value === type && wanted.has(value) !== negated;
    }
    case 'between': {
      const above = comparisonTest('gte', type, read(predicate.low));
      const below = comparisonTest('lte', type, read(predicate.high));
      if (!negated) return (value) => above(value) && below(value);
      return (value) => typeof value === type && !(above(value) && below(value));
    }
  }
}

const negatedOperators: Readonly<Record<ComparisonOperator, ComparisonOperator>> = {
  eq: 'ne',
  ne: 'eq',
  lt: 'gte',
  gte: 'lt',
  gt: 'lte',
  lte: 'gt',
};

/** One closure per operator and type: a million rows are compared in some milliseconds. */
function comparisonTest(test: ComparisonOperator, type: 'number' | 'string' | 'boolean', wanted: Scalar): ValueTest {
  switch (test) {
    case 'eq':
      return (value) => value === wanted;
    case 'ne':
      return (value) => typeof value === type && value !== wanted;
  }
  if (typeof wanted === 'number') {
    switch (test) {
      case 'lt':
        return (value) => typeof value === 'number' && value < wanted;
      case 'lte':
        return (value) => typeof value === 'number' && value <= wanted;
      case 'gt':
        return (value) => typeof value === 'number' && value > wanted;
      case 'gte':
        return (value) => typeof value === 'number' && value >= wanted;
    }
  }
  const text = String(wanted);
  switch (test) {
    case 'lt':
      return (value) => typeof value === 'string' && value < text;
    case 'lte':
      return (value) => typeof value === 'string' && value <= text;
    case 'gt':
      return (value) => typeof value === 'string' && value > text;
    case 'gte':
      return (value) => typeof value === 'string' && value >= text;
  }
}
