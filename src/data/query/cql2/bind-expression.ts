/** Values, columns and functions of a CQL2 tree as typed expressions of a table. */
import { didYouMean } from '../../../catalogue/closest.ts';
import { excerpt } from '../../../catalogue/errors.ts';
import type { ColumnType } from '../../../catalogue/types.ts';
import { parseDateTime, parseTimeOfDay } from '../../date-time.ts';
import { ParameterError } from '../../errors.ts';
import { columnHint, findColumn, type TableColumn, type TableSchema } from '../../row.ts';
import { evaluator } from '../compile-expression.ts';
import {
  type ColumnExpression,
  type Expression,
  type ExpressionType,
  type ExpressionValue,
  expressionTypes,
  type ValueExpression,
} from '../expression.ts';
import { customFunctions, standardFunctions } from '../functions.ts';
import type { Interval } from '../intervals.ts';
import { parseValueOfColumnType } from '../parameter-values.ts';
import type { Scalar } from '../predicate.ts';
import { type CallNode, type Cql2Node, failAt, functionOps, isConditionOp, type Place } from './tree.ts';

/** Name of the function that tests a distance, an extension of the standard. */
export const distanceFunction = 'S_DWITHIN';

/** The result of a function; its ParameterError gets the place. */
export function atPlace<T>(run: () => T, at: Place): T {
  try {
    return run();
  } catch (error) {
    if (!(error instanceof ParameterError)) throw error;
    return failAt(error.message.replace(/\.$/, ''), at);
  }
}

/** The column of a property, the geometry included. @throws ParameterError with the nearest name if there is none */
export function bindColumn(
  { name, at }: Extract<Cql2Node, { kind: 'property' }>,
  schema: TableSchema,
): { readonly name: string; readonly type: ColumnType } {
  const column = atPlace(() => findColumn(name, schema), at);
  return column ?? failAt(`Unknown column "${excerpt(name)}"`, at, columnHint(name, schema));
}

/** Binds a value, a column but for the geometry, or a function of them; functions of values are evaluated. */
export function bindExpression(node: Cql2Node, schema: TableSchema): Expression {
  switch (node.kind) {
    case 'property': {
      const { name, type } = bindColumn(node, schema);
      if (type === 'geometry') failAt(`Column "${excerpt(name)}" is compared by S_INTERSECTS and its kin`, node.at);
      return { kind: 'column', name, columnType: type, type: expressionTypes[type] };
    }
    case 'literal':
      return literalValue(node.value);
    case 'date':
    case 'timestamp':
      return instantValue(node.text, node.kind === 'date' ? 'date' : 'datetime', node.at);
    case 'interval':
      return bindInterval(node, schema);
    case 'array':
      return bindArray(node.items, schema);
    case 'geometry':
    case 'bbox':
      return failAt('A geometry is compared by S_INTERSECTS and its kin', node.at);
    case 'call':
      return bindCall(node, schema);
  }
}

function literalValue(value: string | number | boolean): ValueExpression {
  const type = typeof value === 'string' ? 'text' : typeof value === 'number' ? 'number' : 'boolean';
  return { kind: 'value', type, value, text: typeof value === 'boolean' ? String(value).toUpperCase() : String(value) };
}

function instantValue(text: string, type: 'date' | 'datetime', at: Place): ValueExpression {
  const checked = String(atPlace(() => parseValueOfColumnType(type, text), at));
  return { kind: 'value', type: 'instant', value: parseDateTime(checked), text: checked };
}

/** A text that stands for a date, datetime or time, as many clients send them; other expressions stay. */
export function toType(expression: Expression, type: ExpressionType | null, at: Place): Expression {
  if (expression.kind !== 'value' || expression.type !== 'text') return expression;
  const { text } = expression;
  if (type === 'instant' || type === 'interval') return instantValue(text, text.length > 10 ? 'datetime' : 'date', at);
  if (type !== 'time') return expression;
  atPlace(() => parseValueOfColumnType('time', text), at);
  return { ...expression, type, value: parseTimeOfDay(text) };
}

function bindInterval({ ends, at }: Extract<Cql2Node, { kind: 'interval' }>, schema: TableSchema): Expression {
  const [start, end] = ends.map((node, n): Expression => {
    if (node === null)
      return { kind: 'value', type: 'instant', value: n === 0 ? Number.NEGATIVE_INFINITY : Infinity, text: '..' };
    const bound = toType(bindExpression(node, schema), 'instant', node.at);
    if (bound.type !== 'instant')
      failAt(`An interval begins and ends with dates, not with ${describe(bound)}`, node.at);
    return bound;
  }) as [Expression, Expression];
  const interval = makeCallOrValue('interval', [start, end], 'interval');
  const value = interval.kind === 'value' ? (interval.value as Interval) : null;
  if (value && value.start > value.end) failAt('The interval ends before it begins', at);
  return interval;
}

function bindArray(items: readonly Cql2Node[], schema: TableSchema): Expression {
  const bound = items.map((item) => {
    const expression = bindExpression(item, schema);
    if (expression.type === null || expression.type === 'interval')
      failAt(`An array has no ${describe(expression)} as an item`, item.at);
    // Dates and times in arrays of JSON are texts, and compared as such.
    if (expression.type !== 'instant' && expression.type !== 'time') return expression;
    if (expression.kind === 'value') return { ...expression, type: 'text' as const, value: expression.text };
    return expression.kind === 'column'
      ? { ...expression, columnType: 'string' as const, type: 'text' as const }
      : expression;
  });
  return makeCallOrValue('array', bound, 'array');
}

function bindCall(node: CallNode, schema: TableSchema): Expression {
  const { op, args, at } = node;
  if (isConditionOp(op) || op.toUpperCase() === distanceFunction) failAt('A condition is not a value', at);
  const name = Object.hasOwn(standardFunctions, op) ? op : op.toLowerCase();
  const called = Object.hasOwn(standardFunctions, name)
    ? standardFunctions[name]
    : Object.hasOwn(customFunctions, name)
      ? customFunctions[name]
      : undefined;
  if (!called) return failUnknownFunction(op, at);
  const { parameters, isVariadic } = called;
  const label = /^\w/.test(name) ? name.toUpperCase() : name;
  if (isVariadic ? args.length < parameters.length : args.length !== parameters.length) {
    const count = `${isVariadic ? 'at least ' : ''}${parameters.length} argument${parameters.length === 1 ? '' : 's'}`;
    failAt(`${label} takes ${count}, not ${args.length}`, at);
  }
  const bound = args.map((arg, n) => {
    const type = parameters[Math.min(n, parameters.length - 1)] ?? 'text';
    const expression = toType(bindExpression(arg, schema), type, arg.at);
    if (expression.type !== type) failAt(`${label} takes a ${type}, not ${describe(expression)}`, arg.at);
    return expression;
  });
  return makeCallOrValue(name, bound, called.returns);
}

/** Fails for a name that is no function. */
function failUnknownFunction(name: string, at: Place): never {
  const known = [...functionOps, ...Object.keys(customFunctions), distanceFunction].map((one) => one.toUpperCase());
  return failAt(`There is no function "${excerpt(name)}"`, at, didYouMean(name, known));
}

/** A call or, where all arguments are values, its value. */
function makeCallOrValue(name: string, args: readonly Expression[], type: ExpressionType): Expression {
  const values = args.flatMap((arg): ExpressionValue[] => (arg.kind === 'value' ? [arg.value] : []));
  if (values.length < args.length) return { kind: 'call', name, args, type };
  const value = evaluator(name)(values);
  return {
    kind: 'value',
    type,
    value,
    text: typeof value === 'object' ? `${/^[aeiou]/.test(name) ? 'an' : 'a'} ${name}` : String(value),
  };
}

/** `column "height" of type float`, or `a number`: for messages. */
export function describe(expression: Expression): string {
  if (expression.kind === 'column') return `column "${excerpt(expression.name)}" of type ${expression.columnType}`;
  return `${/^[aeiou]/.test(expression.type) ? 'an' : 'a'} ${expression.type}`;
}

/** Types of literals that columns are compared with: dates and times may be plain texts. */
const acceptedTypes: Readonly<Record<TableColumn['type'], readonly ExpressionType[]>> = {
  integer: ['number'],
  float: ['number'],
  string: ['text'],
  boolean: ['boolean'],
  date: ['instant', 'text'],
  datetime: ['instant', 'text'],
  time: ['text'],
  object: [],
  array: [],
};

/**
 * Converts a value to the type of a column that it is compared with.
 * @param integersOnly true if a fraction is an error for an integer column
 */
export function toColumnType(
  column: ColumnExpression,
  value: ValueExpression,
  at: Place,
  integersOnly: boolean,
): Scalar {
  const { columnType } = column;
  const isTimestamp = value.type === 'instant' && value.text.length > 10;
  if (!acceptedTypes[columnType].includes(value.type) || (columnType === 'date' && isTimestamp))
    failAt(`Column "${excerpt(column.name)}" of type ${columnType} can't be compared with ${excerpt(value.text)}`, at);
  return atPlace(() => parseValueOfColumnType(columnType, value.text, integersOnly), at);
}
