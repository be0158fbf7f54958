/** CQL2 JSON (OGC 21-065r2, section 8.3), as the same tree as CQL2 text. */
import { excerpt } from '../../../catalogue/errors.ts';
import { ParameterError } from '../../errors.ts';
import { assertGeometryWellFormed, validateGeoJson } from '../../geometry/parse-geometry.ts';
import type { QueryLimits } from '../../limits.ts';
import {
  Cql2Budget,
  type Cql2Node,
  failAt,
  isConditionOp,
  makeCall,
  makeInstant,
  makeIntervalEnd,
  standardOp,
} from './tree.ts';

/** Levels of JSON for each level of the limit: text needs no parentheses for most of them. */
const levelsPerLimit = 3;

/**
 * Reads CQL2 JSON.
 * @throws ParameterError with the path of the error, such as `args[1].property`
 */
export function readCql2Json(text: string, limits: QueryLimits): Cql2Node {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw new ParameterError(`The filter is not JSON: ${(error as Error).message}.`);
  }
  return readNode(value, '', new Cql2Budget(limits, levelsPerLimit));
}

function readNode(value: unknown, at: string, budget: Cql2Budget): Cql2Node {
  if (Array.isArray(value)) {
    const items = budget.nested(() => value.map((item, n) => readNode(item, `${at}[${n}]`, budget)), at);
    return { kind: 'array', items, at };
  }
  if (typeof value === 'object' && value !== null) return readObject(value as Record<string, unknown>, at, budget);
  if (typeof value !== 'string' && typeof value !== 'number' && typeof value !== 'boolean')
    failAt('null is not a value; write {"op":"isNull","args":[…]}', at);
  if (typeof value === 'number' && !Number.isFinite(value)) failAt('The number is too large', at);
  budget.countValue(at);
  return { kind: 'literal', value, at };
}

function readObject(object: Readonly<Record<string, unknown>>, at: string, budget: Cql2Budget): Cql2Node {
  const { op, args, property, date, timestamp, interval, bbox, type } = object;
  const path = (member: string) => (at ? `${at}.${member}` : member);
  if (op !== undefined) {
    if (typeof op !== 'string' || op === '') failAt('An operator is a text', path('op'));
    if (!Array.isArray(args)) failAt(`The arguments of ${excerpt(op)} are an array`, path('args'));
    const standard = standardOp(op);
    if (standard && isConditionOp(standard) && !['and', 'or', 'not'].includes(standard)) budget.countCondition(at);
    const nodes = budget.nested(() => args.map((arg, n) => readNode(arg, `${path('args')}[${n}]`, budget)), at);
    return makeCall(standard ?? op, nodes, at);
  }
  if (property !== undefined) {
    if (typeof property !== 'string') failAt('The name of a property is a text', path('property'));
    budget.countName(at);
    return { kind: 'property', name: property, at };
  }
  budget.countValue(at);
  if (date !== undefined) return makeInstant(textOf(date, path('date')), at, 'date');
  if (timestamp !== undefined) return makeInstant(textOf(timestamp, path('timestamp')), at, 'timestamp');
  if (interval !== undefined) return readInterval(interval, path('interval'), at, budget);
  try {
    if (type !== undefined) {
      const geometry = validateGeoJson(object, budget.geometry);
      assertGeometryWellFormed(geometry);
      return { kind: 'geometry', geometry, at };
    }
  } catch (error) {
    if (!(error instanceof ParameterError)) throw error;
    failAt(error.message.replace(/\.$/, ''), at);
  }
  if (bbox === undefined) failAt('Expected an object with op, property, date, timestamp, interval, bbox or type', at);
  if (!Array.isArray(bbox) || !bbox.every((number) => Number.isFinite(number)))
    failAt('A bounding box is an array of numbers', path('bbox'));
  return { kind: 'bbox', numbers: bbox, at };
}

function readInterval(interval: unknown, path: string, at: string, budget: Cql2Budget): Cql2Node {
  if (!Array.isArray(interval) || interval.length !== 2)
    failAt('An interval is an array of its start and its end', path);
  const [start = null, end = null] = interval.map((part: unknown, n) =>
    typeof part === 'string'
      ? makeIntervalEnd(part, `${path}[${n}]`)
      : budget.nested(() => readNode(part, `${path}[${n}]`, budget), path),
  );
  return { kind: 'interval', ends: [start, end], at };
}

function textOf(value: unknown, path: string): string {
  return typeof value === 'string' ? value : failAt('A date or timestamp is a text', path);
}
