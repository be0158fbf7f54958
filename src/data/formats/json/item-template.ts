/**
 * Reads items of JSON by a template: most programs write every Feature or row with the same members, in the same order,
 * with the same blanks. A template is made from one item, and has its bytes around the values. An item that matches is read
 * in one pass over its bytes, without a string or an object. Everything else, such as escapes in texts, exponents, nested
 * values and other members, doesn't match, and is left to the parser.
 */
import { DecimalScanner } from '../decimal-scanner.ts';
import { textForms } from '../utf8-texts.ts';

/** Meanings of values other than those of columns. */
export const roles = { id: -1, x: -2, y: -3 } as const;

/** Kinds of values: null, false, true, number, and texts of both forms. */
export const matchedKinds = { null: 0, false: 1, true: 2, number: 3, ascii: 4, other: 5 } as const;

export interface ItemTemplate {
  /** The bytes before each value, and those behind the last one. */
  readonly literals: readonly Buffer[];
  /** Index of a column, or one of `roles`, for each value. */
  readonly roles: readonly number[];
  /** True if the item is a Feature; else it is a plain object. */
  readonly isFeature: boolean;
  /** True if it has a point. */
  readonly hasPoint: boolean;
  readonly hasId: boolean;
  /** Number of line breaks in the literals. */
  readonly lines: number;
}

/** The values of an item that has matched, by their position; the next match overwrites them. */
export class ItemMatch {
  readonly kinds = new Uint8Array(maxValues);
  readonly numbers = new Float64Array(maxValues);
  /** Bytes of texts. */
  readonly starts = new Int32Array(maxValues);
  readonly ends = new Int32Array(maxValues);
  readonly #decimal = new DecimalScanner();

  /**
   * Matches the item that begins at `start`.
   * @returns the index behind it; -1 if it doesn't match
   */
  match(bytes: Buffer, start: number, template: ItemTemplate): number {
    const { literals, roles: meanings } = template;
    const { kinds, starts, ends } = this;
    const limit = bytes.length;
    let at = start;
    for (let value = 0; value < meanings.length; value++) {
      at = skipLiteral(bytes, at, literals[value] as Buffer);
      if (at === -1) return -1;
      const first = bytes[at] as number;
      if (first === 0x22) {
        let mask = 0;
        let i = at + 1;
        for (; i < limit; i++) {
          const byte = bytes[i] as number;
          if (byte === 0x22) break;
          if (byte < 0x20 || byte === 0x5c) return -1;
          mask |= byte;
        }
        if (i >= limit || (meanings[value] as number) < roles.id) return -1;
        kinds[value] = mask < 0x80 ? matchedKinds.ascii : matchedKinds.other;
        starts[value] = at + 1;
        ends[value] = i;
        at = i + 1;
      } else if (first === 0x2d || (first >= 0x30 && first <= 0x39)) {
        at = this.#matchNumber(bytes, at, value);
      } else {
        // A point without a position and a null id are for the parser.
        at = (meanings[value] as number) < 0 ? -1 : this.#matchWord(bytes, at, value);
      }
      if (at === -1) return -1;
    }
    return skipLiteral(bytes, at, literals[meanings.length] as Buffer, 0);
  }

  /** @returns the index behind the number; -1 if there is none, or it may be an integer beyond ±(2⁵³−1) */
  #matchNumber(bytes: Buffer, start: number, value: number): number {
    const end = this.#decimal.scan(bytes, start, bytes.length);
    if (end === -1 || this.#decimal.fractionDigits === 0) return -1;
    this.numbers[value] = this.#decimal.number;
    this.kinds[value] = matchedKinds.number;
    return end;
  }

  #matchWord(bytes: Buffer, at: number, value: number): number {
    for (let kind = 0; kind < words.length; kind++) {
      const end = skipLiteral(bytes, at, words[kind] as Buffer);
      if (end === -1) continue;
      this.kinds[value] = kind;
      return end;
    }
    return -1;
  }
}

/** Most values of an item. */
const maxValues = 500;

/** In the order of `matchedKinds`. */
const words = ['null', 'false', 'true'].map((word) => Buffer.from(word));

/** The index behind a literal; -1 if there are other bytes. @param behind least number of bytes that must follow */
function skipLiteral(bytes: Buffer, at: number, literal: Buffer, behind = 1): number {
  const length = literal.length;
  if (at + length + behind > bytes.length) return -1;
  for (let i = 0; i < length; i++) if (bytes[at + i] !== literal[i]) return -1;
  return at + length;
}

/** Members that give a plain object another meaning. */
const structural = ['geometry', 'coordinates', 'geometries', 'features', 'properties'];

/**
 * Makes a template from an item that was parsed.
 * @param columnOf index of the column of a name; undefined if there is none
 * @returns null if the item has a form that templates don't cover
 */
export function makeItemTemplate(item: Buffer, columnOf: (name: string) => number | undefined): ItemTemplate | null {
  const root = membersOf(item, 0);
  if (!root) return null;
  const values: { start: number; end: number; role: number }[] = [];
  const isFeature = root.members.some(
    ({ name, start, end }) => name === 'type' && textOf(item, start, end) === '"Feature"',
  );
  let isCovered = true;
  const addColumns = (members: readonly Member[]) => {
    for (const { name, start, end } of members) {
      const column = columnOf(name);
      if (column === undefined || end === -1) isCovered = false;
      else values.push({ start, end, role: column });
    }
  };
  let hasPoint = false;
  if (!isFeature) {
    if (root.members.some(({ name }) => structural.includes(name))) return null;
    addColumns(root.members);
  }
  for (const { name, start, end } of isFeature ? root.members : []) {
    if (name === 'id' && end !== -1 && /^["\d-]/.test(textOf(item, start, start + 1)))
      values.push({ start, end, role: roles.id });
    else if (name === 'properties') {
      const properties = membersOf(item, start);
      if (properties) addColumns(properties.members);
      else if (textOf(item, start, end) !== 'null') isCovered = false;
    } else if (name === 'geometry') {
      const position = positionOf(item, start);
      hasPoint = position !== null;
      if (position) values.push(...position);
      else if (textOf(item, start, end) !== 'null') isCovered = false;
    } else if (name !== 'type') isCovered = false;
  }
  values.sort((a, b) => a.start - b.start);
  const isRepeated =
    new Set(values.map(({ role }) => role)).size < values.length ||
    new Set(root.members.map(({ name }) => name)).size < root.members.length;
  if (!isCovered || isRepeated || values.length > maxValues) return null;
  if (isFeature && !root.members.some(({ name }) => name === 'geometry')) return null;
  const starts = [0, ...values.map(({ end }) => end)];
  const literals = starts.map((start, i) => Buffer.from(item.subarray(start, values[i]?.start ?? item.length)));
  const lines = literals.reduce((sum, literal) => sum + literal.filter((byte) => byte === 0x0a).length, 0);
  return {
    literals,
    roles: values.map(({ role }) => role),
    isFeature,
    hasPoint,
    hasId: values.some(({ role }) => role === roles.id),
    lines,
  };
}

interface Member {
  readonly name: string;
  /** The value; `end` is -1 if it is an object or an array. */
  readonly start: number;
  readonly end: number;
}

const textOf = (item: Buffer, start: number, end: number) => item.toString('latin1', start, end);

/** The two numbers of a point, in valid JSON; null if it is another geometry, or has other members. */
function positionOf(item: Buffer, start: number): { start: number; end: number; role: number }[] | null {
  const text = item.toString('latin1', start, start + 1000);
  const number = String.raw`-?\d+(?:\.\d+)?`;
  const coordinates = String.raw`"coordinates"\s*:\s*\[\s*(${number})\s*,\s*(${number})\s*\]`;
  const type = String.raw`"type"\s*:\s*"Point"`;
  const found = new RegExp(
    String.raw`^\{\s*(?:${type}\s*,\s*${coordinates}|${coordinates}\s*,\s*${type})\s*\}`,
    'd',
  ).exec(text);
  if (!found) return null;
  const ranges = (found.indices ?? []).slice(1).filter((range) => range !== undefined);
  return ranges.map(([from, to], i) => ({ start: start + from, end: start + to, role: i === 0 ? roles.x : roles.y }));
}

/** The members of an object, in valid JSON; null if there is no object at `start`. */
function membersOf(item: Buffer, start: number): { readonly members: readonly Member[] } | null {
  if (item[start] !== 0x7b) return null;
  const members: Member[] = [];
  let at = start + 1;
  const skipBlanks = () => {
    while (at < item.length && ((item[at] as number) <= 0x20 || item[at] === 0x2c || item[at] === 0x3a)) at++;
  };
  for (skipBlanks(); at < item.length && item[at] !== 0x7d; skipBlanks()) {
    const key = at;
    at = endOfValue(item, at);
    const name = JSON.parse(item.toString('utf8', key, at)) as string;
    skipBlanks();
    const value = at;
    at = endOfValue(item, at);
    const isScalar = item[value] !== 0x7b && item[value] !== 0x5b;
    members.push({ name, start: value, end: isScalar ? at : -1 });
  }
  return { members };
}

/** The index behind a value, in valid JSON. */
function endOfValue(item: Buffer, start: number): number {
  let depth = 0;
  for (let at = start; at < item.length; ) {
    const byte = item[at] as number;
    if (byte === 0x22) {
      for (at++; item[at] !== 0x22; at++) if (item[at] === 0x5c) at++;
      at++;
    } else if (byte === 0x7b || byte === 0x5b) {
      depth++;
      at++;
      continue;
    } else if (byte === 0x7d || byte === 0x5d) {
      if (depth === 0) return at;
      depth--;
      at++;
    } else if (depth === 0 && (byte <= 0x20 || byte === 0x2c)) return at;
    else {
      at++;
      if (depth > 0 || !isScalarEnd(item[at])) continue;
      return at;
    }
    if (depth === 0) return at;
  }
  return item.length;
}

const isScalarEnd = (byte: number | undefined) =>
  byte === undefined || byte <= 0x20 || byte === 0x2c || byte === 0x7d || byte === 0x5d;

/** The form of a text that matched. */
export const formOfMatch = (kind: number) => (kind === matchedKinds.ascii ? textForms.ascii : textForms.other);
