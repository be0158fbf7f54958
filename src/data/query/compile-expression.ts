/** Expressions compiled to functions of rows. */
import type { ColumnType } from '../../catalogue/types.ts';
import { parseDateTime, parseTimeOfDay } from '../date-time.ts';
import { columnIndex, type Row, type TableSchema, type Value } from '../row.ts';
import type { Expression, ExpressionPredicate, ExpressionValue } from './expression.ts';
import { customFunctions, standardFunctions } from './functions.ts';
import { type Interval, intervalRelations, toInterval } from './intervals.ts';
import { compileTextTest } from './value-test.ts';

type RowValue = (row: Row) => ExpressionValue;

/** Compiles an expression to a function of rows. */
function compileExpression(expression: Expression, schema: TableSchema): RowValue {
  if (expression.kind === 'value') return () => expression.value;
  if (expression.kind === 'column') {
    const index = columnIndex(expression.name, schema);
    const read = columnReaders[expression.columnType];
    return (row) => read(row.value(index));
  }
  const args = expression.args.map((arg) => compileExpression(arg, schema));
  const evaluate = evaluator(expression.name);
  const [first, second] = args;
  if (args.length === 1 && first) return (row) => evaluate([first(row)]);
  if (args.length === 2 && first && second) return (row) => evaluate([first(row), second(row)]);
  return (row) => evaluate(args.map((arg) => arg(row)));
}

/** The function of values that a call means. */
export function evaluator(name: string): (args: readonly ExpressionValue[]) => ExpressionValue {
  if (name === 'array') return (items) => new Set(items.map(itemKey));
  if (name === 'interval')
    return ([start = null, end = null]) =>
      start === null || end === null ? null : { start: Number(start), end: Number(end) };
  const called = standardFunctions[name] ?? customFunctions[name];
  if (!called) throw new Error(`There is no function "${name}".`);
  return (args) => {
    if (args.includes(null)) return null;
    const value = called.evaluate(...args);
    return typeof value === 'number' && !Number.isFinite(value) ? null : value;
  };
}

const readInstant = (convert: (text: string) => number) => (value: Value) => {
  const number = typeof value === 'string' ? convert(value) : Number.NaN;
  return Number.isNaN(number) ? null : number;
};
const columnReaders: Readonly<Record<Exclude<ColumnType, 'geometry'>, (value: Value) => ExpressionValue>> = {
  string: (value) => (typeof value === 'string' ? value : null),
  integer: (value) => (typeof value === 'number' ? value : null),
  float: (value) => (typeof value === 'number' ? value : null),
  boolean: (value) => (typeof value === 'boolean' ? value : null),
  date: readInstant(parseDateTime),
  datetime: readInstant(parseDateTime),
  time: readInstant(parseTimeOfDay),
  array: (value) => (Array.isArray(value) ? new Set(value.map(itemKey)) : null),
  object: () => null,
};

/** A text that is equal for items of arrays that are equal: instants whatever their offset, arrays as sets. */
function itemKey(item: unknown): string {
  if (typeof item === 'string') {
    const instant = /^\d{4}-\d\d-\d\d(?:$|T)/.test(item) ? parseDateTime(item) : Number.NaN;
    return Number.isNaN(instant) ? `s${item}` : `t${instant}`;
  }
  if (typeof item === 'number') return `n${item === 0 ? 0 : item}`;
  if (item instanceof Set || Array.isArray(item)) {
    const keys = item instanceof Set ? [...(item as ReadonlySet<string>)] : [...new Set(item.map(itemKey))];
    return `[${JSON.stringify(keys.sort())}`;
  }
  if (typeof item === 'object' && item !== null) {
    const members = Object.entries(item).sort(([a], [b]) => (a < b ? -1 : 1));
    return `{${JSON.stringify(members.map(([name, value]) => [name, itemKey(value)]))}`;
  }
  return String(item);
}

/** Compiles a condition to a function of rows: true, false, or null for unknown. */
export function compileExpressionTest(predicate: ExpressionPredicate, schema: TableSchema) {
  const { test, args } = predicate;
  const values = args.map((arg) => compileExpression(arg, schema));
  const evaluate = compileValuesTest(test, args);
  const [first, second, third] = values;
  if (!first) throw new Error('A condition needs an expression.');
  // Of `in` and `like`, the others are constants.
  if (test === 'in' || test === 'like' || !second) {
    return (row: Row) => {
      const value = first(row);
      return value === null ? null : evaluate(value, null, null);
    };
  }
  return (row: Row) => {
    const [a, b, c] = [first(row), second(row), third ? third(row) : true];
    return a === null || b === null || c === null ? null : evaluate(a, b, c);
  };
}

// biome-ignore lint/suspicious/noExplicitAny: the binder checks the types
type ValuesTest = (a: any, b: any, c: any) => boolean;

const valuesTests: Readonly<Record<string, ValuesTest>> = {
  '=': (a, b) => a === b,
  '<>': (a, b) => a !== b,
  '<': (a, b) => a < b,
  '>': (a, b) => a > b,
  '<=': (a, b) => a <= b,
  '>=': (a, b) => a >= b,
  between: (a, low, high) => a >= low && a <= high,
  known: () => true,
  a_equals: (a, b) => a.size === b.size && isSubset(a, b),
  a_contains: (a, b) => isSubset(b, a),
  a_containedBy: (a, b) => isSubset(a, b),
  a_overlaps: (a: ReadonlySet<string>, b: ReadonlySet<string>) => [...a].some((key) => b.has(key)),
};

const isSubset = (a: ReadonlySet<string>, b: ReadonlySet<string>) => [...a].every((key) => b.has(key));

function compileValuesTest(test: string, args: readonly Expression[]): ValuesTest {
  const [, ...constants] = args.map((arg) => (arg.kind === 'value' ? arg.value : null));
  if (test === 'in') {
    const wanted = new Set(constants);
    return (value) => wanted.has(value);
  }
  if (test === 'like') return compileTextTest('like', String(constants[0]));
  const relation = intervalRelations[test];
  if (relation) return (a: number | Interval, b: number | Interval) => relation(toInterval(a), toInterval(b));
  const found = valuesTests[test];
  if (!found) throw new Error(`There is no test "${test}".`);
  return found;
}
