/**
 * CQL2 text (OGC 21-065r2, annex B) as a predicate.
 *
 * Understood: AND OR NOT and parentheses; = <> < <= > >=, a column on the left and a value on the right or the other
 * way round; BETWEEN, IN, LIKE (% _ and \), IS NULL, each also with NOT; CASEI() of columns and values in =, <>, IN and
 * LIKE; DATE('…') and TIMESTAMP('…'), or a plain '…' for columns of dates and times; TRUE and FALSE; S_INTERSECTS,
 * S_WITHIN, S_CONTAINS, S_DISJOINT of the geometry and a WKT literal or BBOX(…), in either order; and, beyond the
 * standard, S_DWITHIN(geometry, POINT(…), 500, 'm') with m (also where none is given), km or deg. Not: arithmetic,
 * functions, arrays, T_… (instants are compared with < and >), ACCENTI, and comparing two columns.
 */
import { ValidationError } from '../../catalogue/errors.ts';
import { TextError } from '../errors.ts';
import { defaultQueryLimits, type QueryLimits } from '../limits.ts';
import type { TableShape } from '../row.ts';
import { didYouMean } from './column-names.ts';
import { type ColumnOperand, Cql2Reader, type Operand, type ValueOperand } from './cql2-reader.ts';
import { dwithin } from './lookups.ts';
import { type Comparison, everything, type Predicate, type Scalar, type SpatialTest } from './predicate.ts';

/**
 * Parses CQL2 text.
 * @param field the parameter that errors are reported under
 * @throws ValidationError with the place of what is wrong, and the nearest right name of a column or operator
 */
export function parseCql2(
  text: string,
  shape: TableShape,
  field = '_filter',
  limits: QueryLimits = defaultQueryLimits,
): Predicate {
  const reader = new Cql2Reader(text, shape, limits);
  try {
    const predicate = disjunction(reader, field);
    const at = reader.place();
    if (reader.peek() !== '') {
      reader.fail(
        `Expected AND, OR or the end but found ${reader.found()}`,
        at,
        didYouMean(reader.name(), ['AND', 'OR']),
      );
    }
    return predicate;
  } catch (error) {
    if (!(error instanceof TextError)) throw error;
    throw new ValidationError({ [field]: [error.message] });
  }
}

const operators: Readonly<Record<string, Comparison>> = {
  '=': 'eq',
  '<>': 'ne',
  '<': 'lt',
  '<=': 'lte',
  '>': 'gt',
  '>=': 'gte',
};
const flipped: Readonly<Record<Comparison, Comparison>> = {
  eq: 'eq',
  ne: 'ne',
  lt: 'gt',
  lte: 'gte',
  gt: 'lt',
  gte: 'lte',
};
const spatialTests: Readonly<Record<string, SpatialTest | 'dwithin'>> = {
  S_INTERSECTS: 'intersects',
  S_WITHIN: 'within',
  S_CONTAINS: 'contains',
  S_DISJOINT: 'disjoint',
  S_DWITHIN: 'dwithin',
};
/** The same said of the other geometry. */
const converse: Readonly<Record<SpatialTest, SpatialTest>> = {
  intersects: 'intersects',
  disjoint: 'disjoint',
  within: 'contains',
  contains: 'within',
};

function disjunction(reader: Cql2Reader, field: string): Predicate {
  const parts = [conjunction(reader, field)];
  while (reader.keyword('OR')) parts.push(conjunction(reader, field));
  return parts.length === 1 && parts[0] ? parts[0] : { op: 'or', of: parts };
}

function conjunction(reader: Cql2Reader, field: string): Predicate {
  const parts = [factor(reader, field)];
  while (reader.keyword('AND')) parts.push(factor(reader, field));
  return parts.length === 1 && parts[0] ? parts[0] : { op: 'and', of: parts };
}

function factor(reader: Cql2Reader, field: string): Predicate {
  if (reader.keyword('NOT')) return reader.deeper(() => ({ op: 'not', of: factor(reader, field) }));
  if (reader.take('(')) {
    const inner = reader.deeper(() => disjunction(reader, field));
    reader.expect(')');
    return inner;
  }
  reader.condition();
  const at = reader.place();
  const word = reader.match(/[STA]_[A-Z]+(?=\s*\()/iy)?.toUpperCase();
  if (word) {
    const test = spatialTests[word];
    if (!test) reader.fail(`Unknown operator ${word}`, at, didYouMean(word, Object.keys(spatialTests)));
    return spatialTest(reader, test, field);
  }
  const literal = reader.match(/(?:TRUE|FALSE)(?![\p{L}\p{M}\p{N}_:.])(?!\s*[=<>])/iuy)?.toUpperCase();
  if (literal) return literal === 'TRUE' ? everything : { op: 'or', of: [] };
  return comparison(reader, reader.operand());
}

const not = (negated: boolean, of: Predicate): Predicate => (negated ? { op: 'not', of } : of);

function comparison(reader: Cql2Reader, left: Operand): Predicate {
  const test = operators[reader.match(/<=|>=|<>|[=<>]/y) ?? ''];
  if (test) {
    const right = reader.operand();
    if (left.kind === 'column') return compare(reader, left, test, right);
    if (right.kind === 'column') return compare(reader, right, flipped[test], left);
    reader.fail('A value is compared with a column, not with a value', right.at);
  }
  if (left.kind === 'value') reader.fail(`Expected = <> < <= > or >= but found ${reader.found()}`, reader.place());
  const column = left.name;
  if (reader.keyword('IS')) {
    const negated = reader.keyword('NOT');
    if (!reader.keyword('NULL')) reader.fail(`Expected NULL but found ${reader.found()}`, reader.place());
    return not(negated, { op: 'isnull', column });
  }
  const negated = reader.keyword('NOT');
  if (reader.keyword('BETWEEN')) {
    refuseUnordered(reader, left);
    const low = reader.typed(left, reader.operand(), false);
    if (!reader.keyword('AND')) reader.fail('Expected AND between the ends of BETWEEN', reader.place());
    return not(negated, { op: 'between', column, low, high: reader.typed(left, reader.operand(), false) });
  }
  if (reader.keyword('IN')) return not(negated, inList(reader, left));
  if (reader.keyword('LIKE')) {
    if (left.type !== 'string') reader.fail(`LIKE doesn't fit column "${column}" of type ${left.type}`, left.at);
    const pattern = reader.operand();
    const text = String(reader.typed(left, pattern, false));
    return not(negated, { op: 'text', test: left.fold || pattern.fold ? 'ilike' : 'like', column, text });
  }
  const at = reader.place();
  const found = reader.found();
  const near = didYouMean(reader.name(), ['BETWEEN', 'IN', 'LIKE', 'IS', 'NOT']);
  return reader.fail(`Expected an operator after "${column}" but found ${found}`, at, near);
}

function compare(reader: Cql2Reader, column: ColumnOperand, test: Comparison, operand: Operand): Predicate {
  const equality = test === 'eq' || test === 'ne';
  if (!equality) refuseUnordered(reader, column);
  const value = reader.typed(column, operand, equality);
  if (column.fold || operand.fold) {
    return not(test === 'ne', { op: 'text', test: 'iexact', column: column.name, text: String(value) });
  }
  return { op: 'compare', test, column: column.name, value };
}

function refuseUnordered(reader: Cql2Reader, column: ColumnOperand): void {
  if (column.fold) reader.fail('CASEI goes with =, <>, IN and LIKE', column.at);
  if (column.type === 'boolean') reader.fail(`Column "${column.name}" of type boolean has no order`, column.at);
}

function inList(reader: Cql2Reader, column: ColumnOperand): Predicate {
  const operands: ValueOperand[] = [];
  const values: Scalar[] = [];
  reader.expect('(');
  do {
    const operand = reader.operand();
    values.push(reader.typed(column, operand, true));
    operands.push(operand as ValueOperand);
  } while (reader.take(','));
  reader.expect(')');
  if (!column.fold && !operands.some((operand) => operand.fold)) return { op: 'in', column: column.name, values };
  reader.condition(values.length - 1);
  return {
    op: 'or',
    of: values.map((value) => ({ op: 'text', test: 'iexact', column: column.name, text: String(value) })),
  };
}

function spatialTest(reader: Cql2Reader, test: SpatialTest | 'dwithin', parameter: string): Predicate {
  reader.expect('(');
  const first = reader.geometry();
  if (!first) geometryColumn(reader);
  reader.expect(',');
  const at = reader.place();
  const geometry = first ?? reader.geometry();
  if (!geometry) reader.fail(`Expected a geometry such as POINT(1 2) or BBOX(…) but found ${reader.found()}`, at);
  if (first) geometryColumn(reader);
  if (test !== 'dwithin') {
    reader.expect(')');
    return { op: 'spatial', test: first ? converse[test] : test, geometry, parameter };
  }
  reader.expect(',');
  const place = reader.place();
  const distance = reader.number();
  if (distance < 0) reader.fail('A distance is not negative', place);
  const unit = reader.take(',') ? reader.match(/'(?:m|km|deg)'/y)?.slice(1, -1) : 'm';
  if (!unit) reader.fail("Expected 'm', 'km' or 'deg'", reader.place());
  reader.expect(')');
  return dwithin(geometry, distance, unit, parameter);
}

function geometryColumn(reader: Cql2Reader): void {
  const column = reader.column();
  if (column.type !== 'geometry') reader.fail(`Column "${column.name}" holds no geometries`, column.at);
}
