/**
 * Expressions in filters: columns, values, and functions of them; and conditions of several expressions, for which there
 * is no simpler predicate. Plain immutable data; `compile-expression.ts` makes them functions of rows.
 */
import type { ColumnType } from '../../catalogue/types.ts';
import type { Interval } from './intervals.ts';

/** Type of an expression; dates and datetimes are instants. */
export type ExpressionType = 'text' | 'number' | 'boolean' | 'instant' | 'time' | 'interval' | 'array';

/** Value of an expression: instants as `parseDateTime` has them, times in seconds, an array as the set of its items' keys. */
export type ExpressionValue = string | number | boolean | Interval | ReadonlySet<string> | null;

export interface ColumnExpression {
  readonly kind: 'column';
  readonly name: string;
  readonly columnType: Exclude<ColumnType, 'geometry'>;
  /** Null for columns of objects. */
  readonly type: ExpressionType | null;
}
export interface ValueExpression {
  readonly kind: 'value';
  readonly type: ExpressionType;
  readonly value: ExpressionValue;
  /** As it was written, without quotes. */
  readonly text: string;
}
export interface CallExpression {
  readonly kind: 'call';
  readonly type: ExpressionType;
  /** A function, or `interval` or `array`, which are made of their arguments. */
  readonly name: string;
  readonly args: readonly Expression[];
}
export type Expression = ColumnExpression | ValueExpression | CallExpression;

/** A condition of expressions; unknown if one of them is null. */
export interface ExpressionPredicate {
  readonly op: 'expression';
  /**
   * An operator of CQL2 (`=` to `>=`, `like`, `between`, `t_…`, `a_…`); `in`, of constants; or `known`, which is true
   * unless it is unknown.
   */
  readonly test: string;
  readonly args: readonly Expression[];
}

/** Type of expressions of a column; null if it can't be in one. */
export const expressionTypes: Readonly<Record<Exclude<ColumnType, 'geometry'>, ExpressionType | null>> = {
  string: 'text',
  integer: 'number',
  float: 'number',
  boolean: 'boolean',
  date: 'instant',
  datetime: 'instant',
  time: 'time',
  array: 'array',
  object: null,
};

/** Names of the columns of an expression. */
export function expressionColumns(expression: Expression): readonly string[] {
  if (expression.kind === 'column') return [expression.name];
  return expression.kind === 'call' ? expression.args.flatMap(expressionColumns) : [];
}

/** Number of values in an expression. */
export const countValues = (expression: Expression): number =>
  expression.kind === 'call' ? expression.args.reduce((sum, arg) => sum + countValues(arg), 0) : 1;
