/** Trees of CQL2 printed as text and as JSON. */
import { toWkt } from '../../../src/data/geometry/wkt.ts';
import { arithmeticOps, type Cql2Node, comparisonOps } from '../../../src/data/query/cql2/tree.ts';

type WithoutPlace<T> = T extends unknown ? Omit<T, 'at'> : never;
/** A node without its place. */
export type PlainNode =
  | { readonly kind: 'call'; readonly op: string; readonly args: readonly PlainNode[] }
  | { readonly kind: 'interval'; readonly ends: readonly [PlainNode | null, PlainNode | null] }
  | { readonly kind: 'array'; readonly items: readonly PlainNode[] }
  | WithoutPlace<Exclude<Cql2Node, { kind: 'call' | 'interval' | 'array' }>>;

export function withoutPlaces(node: Cql2Node): PlainNode {
  return JSON.parse(JSON.stringify(node, (key, value) => (key === 'at' ? undefined : value)));
}

export function printJson(node: PlainNode): unknown {
  switch (node.kind) {
    case 'call':
      return { op: node.op, args: node.args.map(printJson) };
    case 'property':
      return { property: node.name };
    case 'literal':
      return node.value;
    case 'date':
      return { date: node.text };
    case 'timestamp':
      return { timestamp: node.text };
    case 'interval':
      return {
        interval: node.ends.map((end) =>
          end === null ? '..' : end.kind === 'date' || end.kind === 'timestamp' ? end.text : printJson(end),
        ),
      };
    case 'array':
      return node.items.map(printJson);
    case 'geometry':
      return node.geometry;
    case 'bbox':
      return { bbox: node.numbers };
  }
}

const escapes = new Map([...'\x07\b\t\v\\'].map((one, n) => [one, `\\${'abtv\\'[n]}`]));
const quote = (text: string) => `'${[...text].map((one) => escapes.get(one) ?? (one === "'" ? "''" : one)).join('')}'`;

export function printText(node: PlainNode): string {
  switch (node.kind) {
    case 'call':
      return printCall(node.op, node.args);
    case 'property':
      return /^[a-zö]$|^(?:eo:cloud\.cover|höhe)$/u.test(node.name)
        ? node.name
        : `"${node.name.replaceAll('"', '""')}"`;
    case 'literal':
      return typeof node.value === 'string' ? quote(node.value) : String(node.value).toUpperCase();
    case 'date':
      return `DATE('${node.text}')`;
    case 'timestamp':
      return `Timestamp('${node.text}')`;
    case 'interval':
      return `INTERVAL(${node.ends
        .map((end) =>
          end === null ? "'..'" : end.kind === 'date' || end.kind === 'timestamp' ? `'${end.text}'` : printText(end),
        )
        .join(', ')})`;
    case 'array':
      return `(${node.items.map(printText).join(', ')})`;
    case 'geometry':
      return toWkt(node.geometry);
    case 'bbox':
      return `BBOX(${node.numbers.join(', ')})`;
  }
}

function printCall(op: string, args: readonly PlainNode[]): string {
  const [first = '', second = '', third = ''] = args.map((arg) =>
    arg.kind === 'call' && /^(?:\W|div|and|or|not|in|like|between|isNull)/.test(arg.op)
      ? `(${printText(arg)})`
      : printText(arg),
  );
  if (op === 'and' || op === 'or')
    return args.map((arg) => `(${printText(arg)})`).join(op === 'and' ? ' AND ' : ' or ');
  if (op === 'not') return `NOT ${first}`;
  if (op === 'isNull') return `${first} IS NULL`;
  if (op === 'between') return `${first} BETWEEN ${second} AND ${third}`;
  if (op === 'in' || op === 'like') return `${first} ${op.toUpperCase()} ${second}`;
  if (comparisonOps.includes(op)) return `${first}${op}${second}`;
  if (arithmeticOps.includes(op)) return `${first} ${op} ${second}`;
  const name = /^[ast]_|i$/.test(op) ? op.toUpperCase() : op;
  return `${name}(${args.map(printText).join(', ')})`;
}
