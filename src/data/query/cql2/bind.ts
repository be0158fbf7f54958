/** The conditions of a CQL2 tree as a predicate of a table: the simplest that says the same, for it is the fastest. */
import type { TableSchema } from '../../row.ts';
import type { Expression, ExpressionPredicate, ExpressionType } from '../expression.ts';
import { alwaysTrue, type ComparisonOperator, type Predicate, type ValuePredicate } from '../predicate.ts';
import { foldCase } from '../value-test.ts';
import { bindColumn, bindExpression, describe, distanceFunction, toColumnType, toType } from './bind-expression.ts';
import { bindDistance, bindSpatial } from './bind-spatial.ts';
import {
  arrayOps,
  type CallNode,
  type Cql2Node,
  failAt,
  isConditionOp,
  mayBeCondition,
  spatialOps,
  temporalOps,
} from './tree.ts';

const alwaysFalse: Predicate = { op: 'or', of: [] };

const comparisonOperators: Readonly<Record<string, ComparisonOperator>> = {
  '=': 'eq',
  '<>': 'ne',
  '<': 'lt',
  '<=': 'lte',
  '>': 'gt',
  '>=': 'gte',
};
/** Operators by the one that means the same with the sides exchanged. */
const swappedOperators: Readonly<Record<string, string>> = {
  '=': '=',
  '<>': '<>',
  '<': '>',
  '<=': '>=',
  '>': '<',
  '>=': '<=',
};
/** Comparisons that temporal operators are between two instants. */
const instantComparisons: Readonly<Record<string, string>> = {
  t_after: '>',
  t_before: '<',
  t_disjoint: '<>',
  t_equals: '=',
  t_intersects: '=',
};
/** Temporal operators of instants, too. */
const instantOps = Object.keys(instantComparisons);

/**
 * Binds a condition to the columns of a table.
 * @param parameter name under which geometries that aren't valid are reported
 * @throws ParameterError with the place of the error, and the nearest existing name of a column or function
 */
export function bindCql2(node: Cql2Node, schema: TableSchema, parameter: string): Predicate {
  const bind = (one: Cql2Node) => bindCql2(one, schema, parameter);
  if (node.kind === 'literal' && typeof node.value === 'boolean') return node.value ? alwaysTrue : alwaysFalse;
  if (node.kind !== 'call') failAt('Expected a condition, such as a comparison', node.at);
  const { op, args } = node;
  const [first, second] = args as readonly [Cql2Node, Cql2Node];
  if (op === 'and' || op === 'or') return { op, of: args.map(bind) };
  if (op === 'not') return { op, of: bind(first) };
  if (Object.hasOwn(comparisonOperators, op)) return bindComparison(node, schema);
  if (op === 'between') return bindBetween(node, schema);
  if (op === 'in') return bindInList(first, second, schema);
  if (op === 'like') return bindLike(first, second, schema);
  if (op === 'isNull') return bindNullTest(first, schema, bind);
  if (spatialOps.includes(op)) return bindSpatial(node, schema, parameter);
  if (temporalOps.includes(op)) return bindTemporal(node, schema);
  if (arrayOps.includes(op)) return bindArrays(node, schema);
  if (op.toUpperCase() === distanceFunction) return bindDistance(node, schema, parameter);
  const { type } = bindExpression(node, schema);
  return failAt(`Expected a condition but found a function that gives a ${type}`, node.at);
}

/** The simple predicate of a column that is compared with values; undefined if the operands are others. */
function columnPredicate(
  column: Expression,
  values: readonly Expression[],
  nodes: readonly Cql2Node[],
  isEquality: boolean,
  make: (column: string, values: readonly (string | number | boolean)[]) => ValuePredicate,
): ValuePredicate | undefined {
  if (column.kind !== 'column') return undefined;
  const scalars = [];
  for (const [n, value] of values.entries()) {
    if (value.kind !== 'value' || value.value === null) return undefined;
    scalars.push(toColumnType(column, value, nodes[n]?.at ?? 0, isEquality));
  }
  return make(column.name, scalars);
}

function bindComparison(node: CallNode, schema: TableSchema): Predicate {
  let { op } = node;
  let nodes = node.args as readonly [Cql2Node, Cql2Node];
  let [left, right] = nodes.map((one) => bindExpression(one, schema)) as [Expression, Expression];
  // The column, or what is made of it, comes first.
  if (left.kind === 'value' && right.kind !== 'value') {
    [left, right] = [right, left];
    nodes = [nodes[1], nodes[0]];
    op = swappedOperators[op] ?? op;
  }
  const isEquality = op === '=' || op === '<>';
  const test = comparisonOperators[op] ?? 'eq';
  // Booleans have an order, too: false comes first. Comparisons of a column with a value don't know it.
  const isOrderOfBooleans = !isEquality && left.type === 'boolean' && right.type === 'boolean';
  const simple = isOrderOfBooleans
    ? undefined
    : columnPredicate(left, [right], [nodes[1]], isEquality, (column, [value = '']) => ({
        op: 'compare',
        test,
        column,
        value,
      }));
  if (simple) return simple;
  const folded = isEquality && foldedColumn(left);
  if (folded && right.kind === 'value' && typeof right.value === 'string' && foldCase(right.value) === right.value) {
    const same: Predicate = { op: 'text', test: 'iexact', column: folded, text: right.value };
    return op === '=' ? same : { op: 'not', of: same };
  }
  return { op: 'expression', test: op, args: bindSameType([left, right], nodes) };
}

/** Name of the column of CASEI(column); undefined for other expressions. */
function foldedColumn(expression: Expression): string | undefined {
  if (expression.kind !== 'call' || expression.name !== 'casei') return undefined;
  const [column] = expression.args;
  return column?.kind === 'column' ? column.name : undefined;
}

function assertOrdered(expression: Expression, node: Cql2Node): void {
  if (expression.type !== 'boolean') return;
  const name = describe(expression);
  failAt(`${name.charAt(0).toUpperCase()}${name.slice(1)} has no order`, node.at);
}

const comparedTypes: readonly (ExpressionType | null)[] = ['text', 'number', 'boolean', 'instant', 'time'];

/** Expressions of the type that they have in common: texts stand for dates and times, too. */
function bindSameType(expressions: readonly Expression[], nodes: readonly Cql2Node[]): readonly Expression[] {
  const isText = (one: Expression) => one.kind === 'value' && one.type === 'text';
  const typed = expressions.find((one) => !isText(one)) ?? (expressions[0] as Expression);
  return expressions.map((expression, n) => {
    const at = nodes[n]?.at ?? 0;
    const capitalized = describe(typed).replace(/^./, (first) => first.toUpperCase());
    if (!comparedTypes.includes(typed.type))
      failAt(`${capitalized} can't be compared`, nodes[expressions.indexOf(typed)]?.at ?? at);
    const converted = toType(expression, typed.type, at);
    if (converted.type === typed.type) return converted;
    return failAt(`${capitalized} can't be compared with ${describe(converted)}`, at);
  });
}

function bindBetween({ args: nodes }: CallNode, schema: TableSchema): Predicate {
  const [value, low, high] = nodes.map((one) => bindExpression(one, schema)) as [Expression, Expression, Expression];
  assertOrdered(value, nodes[0] as Cql2Node);
  const simple = columnPredicate(value, [low, high], nodes.slice(1), false, (column, [from = '', to = '']) => ({
    op: 'between',
    column,
    low: from,
    high: to,
  }));
  return simple ?? { op: 'expression', test: 'between', args: bindSameType([value, low, high], nodes) };
}

function bindInList(node: Cql2Node, list: Cql2Node, schema: TableSchema): Predicate {
  if (list.kind !== 'array' || list.items.length === 0) failAt('IN takes a list of values', list.at);
  const value = bindExpression(node, schema);
  const items = list.items.map((item) => bindExpression(item, schema));
  const simple = columnPredicate(value, items, list.items, true, (column, values) => ({ op: 'in', column, values }));
  if (simple) return simple;
  const pairs = items.map((item, n) => bindSameType([value, item], [node, list.items[n] ?? node]));
  const constants = pairs.flatMap(([, item]) => (item?.kind === 'value' && item.value !== null ? [item] : []));
  if (constants.length === items.length)
    return { op: 'expression', test: 'in', args: [pairs[0]?.[0] ?? value, ...constants] };
  return { op: 'or', of: pairs.map((args): ExpressionPredicate => ({ op: 'expression', test: '=', args })) };
}

/** Maximum length of a pattern of LIKE: V8 compiles no regular expression of some 30,000 characters. */
const longestPattern = 10_000;

function bindLike(node: Cql2Node, patternNode: Cql2Node, schema: TableSchema): Predicate {
  const value = bindExpression(node, schema);
  const pattern = bindExpression(patternNode, schema);
  if (value.type !== 'text') failAt(`LIKE doesn't fit ${describe(value)}`, node.at);
  if (pattern.kind !== 'value' || typeof pattern.value !== 'string')
    failAt("LIKE takes a pattern in '…', also in CASEI or ACCENTI", patternNode.at);
  const text = pattern.value;
  if (text.length > longestPattern)
    failAt(`The pattern of LIKE is too long (${text.length} characters; at most ${longestPattern})`, patternNode.at);
  if (value.kind === 'column') return { op: 'text', test: 'like', column: value.name, text };
  const folded = foldedColumn(value);
  if (folded && foldCase(text) === text) return { op: 'text', test: 'ilike', column: folded, text };
  return { op: 'expression', test: 'like', args: [value, pattern] };
}

function bindNullTest(node: Cql2Node, schema: TableSchema, bind: (node: Cql2Node) => Predicate): Predicate {
  if (node.kind === 'property') return { op: 'isnull', column: bindColumn(node, schema).name };
  if (node.kind === 'geometry' || node.kind === 'bbox') return alwaysFalse;
  const isDistance = node.kind === 'call' && node.op.toUpperCase() === distanceFunction;
  const isCondition = node.kind === 'call' ? isConditionOp(node.op) || isDistance : mayBeCondition(node);
  const of: Predicate = isCondition
    ? bind(node)
    : { op: 'expression', test: 'known', args: [bindExpression(node, schema)] };
  return { op: 'unknown', of };
}

function bindTemporal({ op, args: nodes }: CallNode, schema: TableSchema): Predicate {
  const takesInstants = instantOps.includes(op);
  const args = nodes.map((node) => {
    const expression = toType(bindExpression(node, schema), 'instant', node.at);
    if (expression.type !== 'interval' && !(takesInstants && expression.type === 'instant')) {
      const needed = takesInstants ? 'dates, datetimes and intervals' : 'intervals, INTERVAL(start, end)';
      failAt(`${op.toUpperCase()} compares ${needed}, not ${describe(expression)}`, node.at);
    }
    return expression;
  }) as [Expression, Expression];
  const comparison = instantComparisons[op];
  const columnFirst = args[0].kind === 'column' ? 0 : 1;
  const [column, value] = [args[columnFirst] as Expression, args[1 - columnFirst] as Expression];
  if (comparison && column.kind === 'column' && value.kind === 'value' && value.type === 'instant') {
    const isDate = value.text.length === 10;
    const test = comparisonOperators[columnFirst === 0 ? comparison : (swappedOperators[comparison] ?? comparison)];
    if (test && (isDate || column.columnType === 'datetime'))
      return { op: 'compare', test, column: column.name, value: value.text };
  }
  return { op: 'expression', test: op, args };
}

function bindArrays({ op, args: nodes }: CallNode, schema: TableSchema): Predicate {
  const args = nodes.map((node) => {
    const expression = bindExpression(node, schema);
    if (expression.type !== 'array')
      failAt(`${op.toUpperCase()} compares arrays, ('a', 'b'), not ${describe(expression)}`, node.at);
    return expression;
  });
  return { op: 'expression', test: op, args };
}
