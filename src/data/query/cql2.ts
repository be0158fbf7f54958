/**
 * A parser of CQL2 text (OGC 21-065r2, annex B).
 *
 * Supported: AND OR NOT and parentheses; = <> < <= > >= between a column and a value, in either order; BETWEEN, IN,
 * LIKE (% _ and \), IS NULL, each also with NOT; CASEI() of columns and values in =, <>, IN and LIKE; DATE('…') and
 * TIMESTAMP('…'), or a plain '…' for columns of dates and times; TRUE and FALSE; S_INTERSECTS, S_WITHIN, S_CONTAINS,
 * S_DISJOINT of the geometry and a WKT literal or BBOX(…), in either order; and, as an extension,
 * S_DWITHIN(geometry, POINT(…), 500, 'm') with m (the default), km or deg. Not supported: arithmetic, functions,
 * arrays, T_… (compare instants with < and >), ACCENTI, and comparing two columns.
 */

import { didYouMean } from '../../catalogue/closest.ts';
import { excerpt, ValidationError } from '../../catalogue/errors.ts';
import { ParameterError } from '../errors.ts';
import { defaultQueryLimits, type QueryLimits } from '../limits.ts';
import type { TableSchema } from '../row.ts';
import { type ColumnOperand, Cql2Reader, type Operand, type ValueOperand } from './cql2-reader.ts';
import { distancePredicate } from './lookups.ts';
import { alwaysTrue, type ComparisonOperator, type Predicate, type Scalar, type SpatialOperator } from './predicate.ts';

/**
 * Parses CQL2 text.
 * @param parameter name under which errors are reported
 * @throws ValidationError with the position of the error, and the nearest existing name of a column or operator
 */
export function parseCql2(
  text: string,
  schema: TableSchema,
  parameter = '_filter',
  limits: QueryLimits = defaultQueryLimits,
): Predicate {
  const reader = new Cql2Reader(text, schema, limits);
  try {
    const predicate = parseDisjunction(reader, parameter);
    const at = reader.position();
    if (reader.peek() !== '') {
      reader.fail(
        `Expected AND, OR or the end but found ${reader.describeNext()}`,
        at,
        didYouMean(reader.identifier(), ['AND', 'OR']),
      );
    }
    return predicate;
  } catch (error) {
    if (!(error instanceof ParameterError)) throw error;
    throw new ValidationError({ [parameter]: [error.message] });
  }
}

const comparisonOperators: Readonly<Record<string, ComparisonOperator>> = {
  '=': 'eq',
  '<>': 'ne',
  '<': 'lt',
  '<=': 'lte',
  '>': 'gt',
  '>=': 'gte',
};
/** Operators by the one that means the same with the sides exchanged. */
const swappedOperators: Readonly<Record<ComparisonOperator, ComparisonOperator>> = {
  eq: 'eq',
  ne: 'ne',
  lt: 'gt',
  lte: 'gte',
  gt: 'lt',
  gte: 'lte',
};
const spatialOperators: Readonly<Record<string, SpatialOperator | 'dwithin'>> = {
  S_INTERSECTS: 'intersects',
  S_WITHIN: 'within',
  S_CONTAINS: 'contains',
  S_DISJOINT: 'disjoint',
  S_DWITHIN: 'dwithin',
};
/** Operators by the one that means the same with the geometries exchanged. */
const converseOperators: Readonly<Record<SpatialOperator, SpatialOperator>> = {
  intersects: 'intersects',
  disjoint: 'disjoint',
  within: 'contains',
  contains: 'within',
};

function parseDisjunction(reader: Cql2Reader, parameter: string): Predicate {
  const parts = [parseConjunction(reader, parameter)];
  while (reader.acceptKeyword('OR')) parts.push(parseConjunction(reader, parameter));
  return parts.length === 1 && parts[0] ? parts[0] : { op: 'or', of: parts };
}

function parseConjunction(reader: Cql2Reader, parameter: string): Predicate {
  const parts = [parseFactor(reader, parameter)];
  while (reader.acceptKeyword('AND')) parts.push(parseFactor(reader, parameter));
  return parts.length === 1 && parts[0] ? parts[0] : { op: 'and', of: parts };
}

function parseFactor(reader: Cql2Reader, parameter: string): Predicate {
  if (reader.acceptKeyword('NOT')) return reader.nested(() => ({ op: 'not', of: parseFactor(reader, parameter) }));
  if (reader.accept('(')) {
    const inner = reader.nested(() => parseDisjunction(reader, parameter));
    reader.expect(')');
    return inner;
  }
  reader.countCondition();
  const at = reader.position();
  const word = reader.match(/[STA]_[A-Z]+(?=\s*\()/iy)?.toUpperCase();
  if (word) {
    const test = spatialOperators[word];
    if (!test) reader.fail(`Unknown operator ${word}`, at, didYouMean(word, Object.keys(spatialOperators)));
    return parseSpatialPredicate(reader, test, parameter);
  }
  const literal = reader.match(/(?:TRUE|FALSE)(?![\p{L}\p{M}\p{N}_:.])(?!\s*[=<>])/iuy)?.toUpperCase();
  if (literal) return literal === 'TRUE' ? alwaysTrue : { op: 'or', of: [] };
  return parseComparison(reader, reader.operand());
}

const negateIf = (negated: boolean, of: Predicate): Predicate => (negated ? { op: 'not', of } : of);

function parseComparison(reader: Cql2Reader, left: Operand): Predicate {
  const test = comparisonOperators[reader.match(/<=|>=|<>|[=<>]/y) ?? ''];
  if (test) {
    const right = reader.operand();
    if (left.kind === 'column') return comparisonPredicate(reader, left, test, right);
    if (right.kind === 'column') return comparisonPredicate(reader, right, swappedOperators[test], left);
    reader.fail('A value is compared with a column, not with a value', right.at);
  }
  if (left.kind === 'value')
    reader.fail(`Expected = <> < <= > or >= but found ${reader.describeNext()}`, reader.position());
  const column = left.name;
  if (reader.acceptKeyword('IS')) {
    const negated = reader.acceptKeyword('NOT');
    if (!reader.acceptKeyword('NULL'))
      reader.fail(`Expected NULL but found ${reader.describeNext()}`, reader.position());
    return negateIf(negated, { op: 'isnull', column });
  }
  const negated = reader.acceptKeyword('NOT');
  if (reader.acceptKeyword('BETWEEN')) {
    assertOrdered(reader, left);
    const low = reader.toColumnType(left, reader.operand(), false);
    if (!reader.acceptKeyword('AND')) reader.fail('Expected AND between the ends of BETWEEN', reader.position());
    return negateIf(negated, { op: 'between', column, low, high: reader.toColumnType(left, reader.operand(), false) });
  }
  if (reader.acceptKeyword('IN')) return negateIf(negated, parseInList(reader, left));
  if (reader.acceptKeyword('LIKE')) {
    if (left.type !== 'string')
      reader.fail(`LIKE doesn't fit column "${excerpt(column)}" of type ${left.type}`, left.at);
    const pattern = reader.operand();
    const text = String(reader.toColumnType(left, pattern, false));
    return negateIf(negated, { op: 'text', test: left.foldCase || pattern.foldCase ? 'ilike' : 'like', column, text });
  }
  const at = reader.position();
  const found = reader.describeNext();
  const near = didYouMean(reader.identifier(), ['BETWEEN', 'IN', 'LIKE', 'IS', 'NOT']);
  return reader.fail(`Expected an operator after "${excerpt(column)}" but found ${found}`, at, near);
}

function comparisonPredicate(
  reader: Cql2Reader,
  column: ColumnOperand,
  test: ComparisonOperator,
  operand: Operand,
): Predicate {
  const isEquality = test === 'eq' || test === 'ne';
  if (!isEquality) assertOrdered(reader, column);
  const value = reader.toColumnType(column, operand, isEquality);
  if (column.foldCase || operand.foldCase) {
    return negateIf(test === 'ne', { op: 'text', test: 'iexact', column: column.name, text: String(value) });
  }
  return { op: 'compare', test, column: column.name, value };
}

function assertOrdered(reader: Cql2Reader, column: ColumnOperand): void {
  if (column.foldCase) reader.fail('CASEI goes with =, <>, IN and LIKE', column.at);
  if (column.type === 'boolean')
    reader.fail(`Column "${excerpt(column.name)}" of type boolean has no order`, column.at);
}

function parseInList(reader: Cql2Reader, column: ColumnOperand): Predicate {
  const operands: ValueOperand[] = [];
  const values: Scalar[] = [];
  reader.expect('(');
  do {
    const operand = reader.operand();
    values.push(reader.toColumnType(column, operand, true));
    operands.push(operand as ValueOperand);
  } while (reader.accept(','));
  reader.expect(')');
  if (!column.foldCase && !operands.some((operand) => operand.foldCase))
    return { op: 'in', column: column.name, values };
  reader.countCondition(values.length - 1);
  return {
    op: 'or',
    of: values.map((value) => ({ op: 'text', test: 'iexact', column: column.name, text: String(value) })),
  };
}

function parseSpatialPredicate(reader: Cql2Reader, test: SpatialOperator | 'dwithin', parameter: string): Predicate {
  reader.expect('(');
  const first = reader.geometry();
  if (!first) expectGeometryColumn(reader);
  reader.expect(',');
  const at = reader.position();
  const geometry = first ?? reader.geometry();
  if (!geometry)
    reader.fail(`Expected a geometry such as POINT(1 2) or BBOX(…) but found ${reader.describeNext()}`, at);
  if (first) expectGeometryColumn(reader);
  if (test !== 'dwithin') {
    reader.expect(')');
    return { op: 'spatial', test: first ? converseOperators[test] : test, geometry, parameter };
  }
  reader.expect(',');
  const distanceAt = reader.position();
  const distance = reader.number();
  if (distance < 0) reader.fail('A distance is not negative', distanceAt);
  const unit = reader.accept(',') ? reader.match(/'(?:m|km|deg)'/y)?.slice(1, -1) : 'm';
  if (!unit) reader.fail("Expected 'm', 'km' or 'deg'", reader.position());
  reader.expect(')');
  return distancePredicate(geometry, distance, unit, parameter);
}

function expectGeometryColumn(reader: Cql2Reader): void {
  const column = reader.column();
  if (column.type !== 'geometry') reader.fail(`Column "${excerpt(column.name)}" holds no geometries`, column.at);
}
