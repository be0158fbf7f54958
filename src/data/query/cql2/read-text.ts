/** The grammar of CQL2 text (OGC 21-065r2, annex B), from OR, which binds least, to single values. */
import { didYouMean } from '../../../catalogue/closest.ts';
import { excerpt } from '../../../catalogue/errors.ts';
import type { QueryLimits } from '../../limits.ts';
import { Cql2TextReader } from './text-reader.ts';
import { arrayOps, type Cql2Node, makeCall, makeInstant, makeIntervalEnd, mayBeCondition, standardOp } from './tree.ts';

/**
 * Reads CQL2 text.
 * @throws ParameterError with the position of the error
 */
export function readCql2Text(text: string, limits: QueryLimits): Cql2Node {
  const reader = new Cql2TextReader(text, limits);
  const node = readDisjunction(reader);
  assertCondition(reader, node);
  const at = reader.position();
  if (reader.peek() !== '') {
    const found = reader.describeNext();
    const near = didYouMean(reader.identifier(), ['AND', 'OR']);
    reader.fail(`Expected AND, OR or the end but found ${found}`, at, near);
  }
  return node;
}

const readDisjunction = (reader: Cql2TextReader): Cql2Node => readJoined(reader, 'or', readConjunction);
const readConjunction = (reader: Cql2TextReader): Cql2Node => readJoined(reader, 'and', readNegation);

/** Reads conditions between ANDs or ORs. A single operand may be a value: a group or an argument of a function is one. */
function readJoined(reader: Cql2TextReader, op: 'and' | 'or', read: (reader: Cql2TextReader) => Cql2Node): Cql2Node {
  const at = reader.position();
  const first = read(reader);
  const parts = [first];
  for (;;) {
    const behind = reader.at;
    if (!reader.acceptKeyword(op)) break;
    if (parts.length === 1) assertCondition(reader, first, behind);
    const part = read(reader);
    assertCondition(reader, part);
    parts.push(part);
  }
  return parts.length === 1 ? first : makeCall(op, parts, at);
}

function readNegation(reader: Cql2TextReader): Cql2Node {
  const at = reader.position();
  if (!reader.acceptKeyword('NOT')) return readComparison(reader);
  const negated = reader.nested(() => readNegation(reader));
  assertCondition(reader, negated);
  return makeCall('not', [negated], at);
}

/** Fails where a column or a value stands for a condition. @param behind position behind the node */
function assertCondition(reader: Cql2TextReader, node: Cql2Node, behind = reader.at): void {
  if (mayBeCondition(node)) return;
  reader.at = behind;
  const at = reader.position();
  const found = reader.describeNext();
  if (node.kind !== 'property') reader.fail(`Expected = <> < <= > or >= but found ${found}`, at);
  const near = didYouMean(reader.identifier(), ['BETWEEN', 'IN', 'LIKE', 'IS', 'NOT']);
  reader.fail(`Expected an operator after "${excerpt(node.name)}" but found ${found}`, at, near);
}

/** Reads a condition, or a value that no operator follows. */
function readComparison(reader: Cql2TextReader): Cql2Node {
  const at = reader.position();
  const left = readSum(reader);
  const op = reader.match(/<=|>=|<>|[=<>]/y);
  if (op) {
    reader.budget.countCondition(at);
    return makeCall(op, [left, readSum(reader)], at);
  }
  if (reader.acceptKeyword('IS')) {
    reader.budget.countCondition(at);
    const isNegated = reader.acceptKeyword('NOT');
    if (!reader.acceptKeyword('NULL'))
      reader.fail(`Expected NULL but found ${reader.describeNext()}`, reader.position());
    return negateIf(isNegated, makeCall('isNull', [left], at));
  }
  const behind = reader.at;
  const isNegated = reader.acceptKeyword('NOT');
  if (reader.acceptKeyword('BETWEEN')) {
    reader.budget.countCondition(at);
    const low = readSum(reader);
    if (!reader.acceptKeyword('AND')) reader.fail('Expected AND between the ends of BETWEEN', reader.position());
    return negateIf(isNegated, makeCall('between', [left, low, readSum(reader)], at));
  }
  if (reader.acceptKeyword('IN')) {
    reader.budget.countCondition(at);
    const listAt = reader.position();
    const items = reader.nested(() => reader.list(() => readSum(reader)));
    return negateIf(isNegated, makeCall('in', [left, { kind: 'array', items, at: listAt }], at));
  }
  if (reader.acceptKeyword('LIKE')) {
    reader.budget.countCondition(at);
    return negateIf(isNegated, makeCall('like', [left, readSum(reader)], at));
  }
  reader.at = behind;
  return left;
}

const negateIf = (isNegated: boolean, node: Cql2Node): Cql2Node =>
  isNegated ? makeCall('not', [node], node.at) : node;

function readSum(reader: Cql2TextReader): Cql2Node {
  return readOperations(reader, readProduct, () => reader.match(/[-+]/y));
}

function readProduct(reader: Cql2TextReader): Cql2Node {
  return readOperations(
    reader,
    readPower,
    () => reader.match(/[*/%]/y) ?? (reader.acceptKeyword('div') ? 'div' : undefined),
  );
}

/** Reads operands between operators of the same rank, which are applied from left to right. */
function readOperations(
  reader: Cql2TextReader,
  readOperand: (reader: Cql2TextReader) => Cql2Node,
  acceptOperator: () => string | undefined,
): Cql2Node {
  const at = reader.position();
  let left = readOperand(reader);
  for (;;) {
    const op = acceptOperator();
    if (op === undefined) return left;
    left = makeCall(op, [left, readOperand(reader)], at);
  }
}

function readPower(reader: Cql2TextReader): Cql2Node {
  const at = reader.position();
  const base = readSigned(reader);
  return reader.accept('^') ? makeCall('^', [base, readSigned(reader)], at) : base;
}

/** Reads an operand with its sign: -x is -1 * x. */
function readSigned(reader: Cql2TextReader): Cql2Node {
  const at = reader.position();
  if (/^-\s*[^-+.\d\s]/.test(reader.text.slice(at, at + 50)) && reader.accept('-'))
    return makeCall('*', [{ kind: 'literal', value: -1, at }, readOperand(reader)], at);
  return readOperand(reader);
}

function readOperand(reader: Cql2TextReader): Cql2Node {
  const at = reader.position();
  const next = reader.peek();
  if (next === '(') return readGroup(reader);
  const literal = readLiteral(reader);
  if (literal) {
    reader.budget.countValue(at);
    return literal;
  }
  const quoted = reader.quotedName();
  const name = quoted ?? reader.identifier();
  if (name === '') reader.fail(`Expected a column or a value but found ${reader.describeNext()}`, at);
  if (quoted !== undefined || reader.peek() !== '(') {
    reader.budget.countName(at);
    return { kind: 'property', name, at };
  }
  const op = standardOp(name);
  const readArgument = op && arrayOps.includes(op) ? readArrayItem : readDisjunction;
  if (op && /^[ast]_/.test(op)) reader.budget.countCondition(at);
  const args = reader.nested(() => reader.list(() => readArgument(reader), true));
  return makeCall(op ?? name, args, at);
}

/** Reads what stands in parentheses: one value or condition, or an array of none or several. */
function readGroup(reader: Cql2TextReader): Cql2Node {
  const at = reader.position();
  const items = reader.nested(() => reader.list(() => readDisjunction(reader), true));
  return items.length === 1 && items[0] ? items[0] : { kind: 'array', items, at };
}

/** Reads an argument of an array function: parentheses are an array, also around one item, unless an operator follows. */
function readArrayItem(reader: Cql2TextReader): Cql2Node {
  const at = reader.position();
  if (reader.peek() !== '(') return readDisjunction(reader);
  const items = reader.nested(() => reader.list(() => readArrayItem(reader), true));
  if (/[,)]|^$/.test(reader.peek())) return { kind: 'array', items, at };
  reader.at = at;
  return readDisjunction(reader);
}

/** Reads a value; undefined if none comes next. */
function readLiteral(reader: Cql2TextReader): Cql2Node | undefined {
  const at = reader.position();
  const next = reader.peek();
  if (next === "'") return { kind: 'literal', value: reader.string(), at };
  if (/[-+.\d]/.test(next)) return { kind: 'literal', value: reader.number(), at };
  for (const [word, kind] of [['DATE', 'date'] as const, ['TIMESTAMP', 'timestamp'] as const])
    if (reader.acceptFunction(word)) {
      reader.expect('(');
      const text = reader.string();
      reader.expect(')');
      return makeInstant(text, at, kind);
    }
  if (reader.acceptFunction('INTERVAL')) {
    const ends = reader.nested(() => reader.list(() => readIntervalEnd(reader)));
    const [start = null, end = null] = ends;
    if (ends.length !== 2) reader.fail('INTERVAL takes 2 arguments, its start and its end', at);
    return { kind: 'interval', ends: [start, end], at };
  }
  if (reader.acceptFunction('BBOX')) return { kind: 'bbox', numbers: reader.list(() => reader.number()), at };
  const geometry = reader.geometry();
  if (geometry) return { kind: 'geometry', geometry, at };
  if (reader.acceptKeyword('TRUE')) return { kind: 'literal', value: true, at };
  return reader.acceptKeyword('FALSE') ? { kind: 'literal', value: false, at } : undefined;
}

function readIntervalEnd(reader: Cql2TextReader): Cql2Node | null {
  const at = reader.position();
  return reader.peek() === "'" ? makeIntervalEnd(reader.string(), at) : readSum(reader);
}
