/** Tests of single values, made for the type of their column: numbers as numbers, instants as instants. */
import type { ColumnType } from '../../catalogue/types.ts';
import { instantOf, secondsOf } from '../date-time.ts';
import type { Value } from '../row.ts';
import type { Comparison, Scalar, ValuePredicate } from './predicate.ts';
import { textMatcher } from './text-match.ts';

export type ValueTest = (value: Value) => boolean;

/**
 * The test of a comparison, list, range or text, for values of a column of this type.
 * @param negated whether to say when it is false, instead of when it is true; of null it is neither
 */
export function valueTest(predicate: ValuePredicate, type: ColumnType, negated = false): ValueTest {
  if (predicate.op === 'text') {
    const matches = textMatcher(predicate.test, predicate.text);
    return (value) => typeof value === 'string' && matches(value) !== negated;
  }
  switch (type) {
    case 'integer':
    case 'float':
      return scalarTest(predicate, negated, 'number', Number);
    case 'boolean':
      return scalarTest(predicate, negated, 'boolean', Boolean);
    case 'datetime':
      return converted(predicate, negated, instantOf);
    case 'time':
      return converted(predicate, negated, secondsOf);
    default:
      // Dates as well: YYYY-MM-DD is in order as text.
      return scalarTest(predicate, negated, 'string', String);
  }
}

/** Values are texts that stand for numbers. */
function converted(
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
      return comparison(negated ? opposite[predicate.test] : predicate.test, type, read(predicate.value));
    case 'in': {
      const wanted = new Set<Value>(predicate.values.map(read));
      return (value) => typeof value === type && wanted.has(value) !== negated;
    }
    case 'between': {
      const above = comparison('gte', type, read(predicate.low));
      const below = comparison('lte', type, read(predicate.high));
      if (!negated) return (value) => above(value) && below(value);
      return (value) => typeof value === type && !(above(value) && below(value));
    }
  }
}

const opposite: Readonly<Record<Comparison, Comparison>> = {
  eq: 'ne',
  ne: 'eq',
  lt: 'gte',
  gte: 'lt',
  gt: 'lte',
  lte: 'gt',
};

/** One closure for each comparison of numbers: a million rows are compared in some milliseconds. */
function comparison(test: Comparison, type: 'number' | 'string' | 'boolean', wanted: Scalar): ValueTest {
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
