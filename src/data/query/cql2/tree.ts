/**
 * The syntax tree of a CQL2 filter (OGC 21-065r2), the same for text (`read-text.ts`) and JSON (`read-json.ts`). It knows
 * no columns; `bind.ts` makes it a predicate of a table.
 */
import { ParameterError } from '../../errors.ts';
import type { Geometry } from '../../geometry/geometry.ts';
import type { QueryLimits } from '../../limits.ts';
import type { ParseBudget } from '../../scanner.ts';

/** Place of a node: the index of its first character in the text, or its path in the JSON document. */
export type Place = number | string;

export type Cql2Node = { readonly at: Place } & (
  | { readonly kind: 'call'; readonly op: string; readonly args: readonly Cql2Node[] }
  | { readonly kind: 'property'; readonly name: string }
  | { readonly kind: 'literal'; readonly value: string | number | boolean }
  | { readonly kind: 'date' | 'timestamp'; readonly text: string }
  /** An end is null where the interval is open. */
  | { readonly kind: 'interval'; readonly ends: readonly [Cql2Node | null, Cql2Node | null] }
  | { readonly kind: 'array'; readonly items: readonly Cql2Node[] }
  | { readonly kind: 'geometry'; readonly geometry: Geometry }
  | { readonly kind: 'bbox'; readonly numbers: readonly number[] }
);
export type CallNode = Extract<Cql2Node, { kind: 'call' }>;

export const comparisonOps = ['=', '<>', '<', '>', '<=', '>='];
export const arithmeticOps = ['+', '-', '*', '/', '%', 'div', '^'];
export const spatialOps = [
  's_intersects',
  's_equals',
  's_disjoint',
  's_touches',
  's_within',
  's_overlaps',
  's_crosses',
  's_contains',
];
/** The first five take instants and intervals, the others intervals only. */
export const temporalOps = [
  't_after',
  't_before',
  't_disjoint',
  't_equals',
  't_intersects',
  't_contains',
  't_during',
  't_finishedBy',
  't_finishes',
  't_meets',
  't_metBy',
  't_overlappedBy',
  't_overlaps',
  't_startedBy',
  't_starts',
];
export const arrayOps = ['a_equals', 'a_contains', 'a_containedBy', 'a_overlaps'];

/** Standard operators that are written as functions in text. */
export const functionOps: readonly string[] = ['casei', 'accenti', ...spatialOps, ...temporalOps, ...arrayOps];

/** Number of arguments of the standard operators; of `and` and `or` the least. */
const argumentCounts: ReadonlyMap<string, number> = new Map([
  ['and', 2],
  ['or', 2],
  ['not', 1],
  ['between', 3],
  ['like', 2],
  ['in', 2],
  ['isNull', 1],
  ['casei', 1],
  ['accenti', 1],
  ...[...comparisonOps, ...arithmeticOps, ...spatialOps, ...temporalOps, ...arrayOps].map((op) => [op, 2] as const),
]);

const canonicalOps = new Map([...argumentCounts.keys()].map((op) => [op.toLowerCase(), op]));

/** The standard operator of a name in upper or lower case, as JSON writes it; undefined for other functions. */
export const standardOp = (name: string): string | undefined => canonicalOps.get(name.toLowerCase());

/** True for the operators that make a condition of their arguments. */
export const isConditionOp = (op: string): boolean =>
  argumentCounts.has(op) && !arithmeticOps.includes(op) && op !== 'casei' && op !== 'accenti';

/** True if a node may be a condition; of functions that are not standard only `bind.ts` knows it. */
export const mayBeCondition = (node: Cql2Node): boolean =>
  node.kind === 'call'
    ? isConditionOp(node.op) || standardOp(node.op) === undefined
    : node.kind === 'literal' && typeof node.value === 'boolean';

/**
 * @param hint a sentence that follows, with a leading blank
 * @throws ParameterError, always
 */
export function failAt(message: string, at: Place, hint = ''): never {
  const place = typeof at === 'number' ? ` at character ${at + 1}` : at && ` at ${at}`;
  throw new ParameterError(`${message}${place}.${hint}`);
}

/** Makes a call; AND in AND and OR in OR are flattened. */
export function makeCall(op: string, args: readonly Cql2Node[], at: Place): CallNode {
  const count = argumentCounts.get(op);
  const isNary = op === 'and' || op === 'or';
  if (count !== undefined && (isNary ? args.length < count : args.length !== count)) {
    const name = functionOps.includes(op) ? op.toUpperCase() : op;
    const needed = `${isNary ? 'at least ' : ''}${count} argument${count === 1 ? '' : 's'}`;
    failAt(`${name} takes ${needed}, not ${args.length}`, at);
  }
  if (!isNary) return { kind: 'call', op, args, at };
  return {
    kind: 'call',
    op,
    at,
    args: args.flatMap((arg) => (arg.kind === 'call' && arg.op === op ? arg.args : [arg])),
  };
}

/** Zeros at the end of a fraction, and its point if nothing is left. */
const endOfFraction = /\.(\d*[1-9])?0*(?=[Zz+-]|$)/;

/** A date or, with a time, a timestamp; a fraction of seconds loses its last zeros. */
export function makeInstant(text: string, at: Place, kind?: 'date' | 'timestamp'): Cql2Node {
  const isTimestamp = kind ? kind === 'timestamp' : /^.{10}[Tt ]/.test(text);
  if (!isTimestamp) return { kind: 'date', text, at };
  return { kind: 'timestamp', text: text.replace(endOfFraction, (_, kept = '') => kept && `.${kept}`), at };
}

/** An end of an interval that is written as text: `..` is open. */
export const makeIntervalEnd = (text: string, at: Place): Cql2Node | null =>
  text === '..' ? null : makeInstant(text, at);

/** Counts what a filter has against the limits of a query. */
export class Cql2Budget {
  readonly geometry: ParseBudget;
  private conditions: number;
  private values: number;
  private names: number;

  /** @param levelFactor nesting levels for each one of the limit */
  constructor(limits: QueryLimits, levelFactor = 1) {
    this.geometry = { vertices: limits.vertices, depth: limits.depth * levelFactor };
    this.conditions = limits.predicates;
    this.values = limits.values;
    this.names = limits.values;
  }

  countCondition(at: Place): void {
    if (--this.conditions < 0) failAt('The filter has too many conditions', at);
  }

  countValue(at: Place): void {
    if (--this.values < 0) failAt('The filter has too many values', at);
  }

  /** Counts a column by its name: long chains of operators are nested as deeply as they have operands. */
  countName(at: Place): void {
    if (--this.names < 0) failAt('The filter names columns too often', at);
  }

  /** Reads one nesting level. */
  nested<T>(read: () => T, at: Place): T {
    if (--this.geometry.depth < 0) failAt('The filter is nested too deeply', at);
    const inner = read();
    this.geometry.depth++;
    return inner;
  }
}
