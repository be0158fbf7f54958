/**
 * Strict JSON (RFC 8259). `JSON.parse` reads the values, since it is many times faster; the tree finds what it doesn't
 * report: duplicate keys, and the line and column of an error.
 */
import { appendToPointer, duplicateKeyError, ParseError } from './parse-error.ts';
import { type Entry, maxDepth, type Node } from './tree.ts';

/**
 * Reads one JSON value.
 * @param text without a byte order mark
 * @throws ParseError
 */
export function parseStrictJson(text: string): unknown {
  if (text.trim() === '')
    throw new ParseError(text, 0, 'The file is empty: it needs at least {} with keys and values.');
  const { colons, depth } = outlineOfJson(text);
  if (depth > maxDepth) parseJsonTree(text);
  try {
    const value: unknown = JSON.parse(text);
    // If the value has fewer keys than the text has colons, a key is given twice.
    if (countKeys(value) === colons) return value;
  } catch {
    // The tree's error is better: it has a position.
  }
  parseJsonTree(text);
  throw new ParseError(text, 0, "The file isn't valid JSON.");
}

/** The number of colons outside of the strings of a JSON text, and its depth of nesting. */
export function outlineOfJson(text: string): { colons: number; depth: number } {
  let colons = 0;
  let open = 0;
  let depth = 0;
  let inString = false;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (inString) {
      if (code === 0x5c) at++;
      else if (code === 0x22) inString = false;
    } else if (code === 0x22) inString = true;
    else if (code === 0x3a) colons++;
    else if (code === 0x7b || code === 0x5b) depth = Math.max(depth, ++open);
    else if (code === 0x7d || code === 0x5d) open--;
  }
  return { colons, depth };
}

/** The number of keys in a value and all values within. */
function countKeys(value: unknown): number {
  if (value === null || typeof value !== 'object') return 0;
  let count = 0;
  if (Array.isArray(value)) for (const item of value) count += countKeys(item);
  else for (const item of Object.values(value)) count += 1 + countKeys(item);
  return count;
}

/**
 * The tree of a JSON text.
 * @param text without a byte order mark
 * @throws ParseError
 */
export const parseJsonTree = (text: string): Node => new JsonTreeReader(text).read();

// biome-ignore lint/suspicious/noControlCharactersInRegex: JSON strings may hold none
const stringToken = /"(?:[^"\\\u0000-\u001f]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*"/y;
const literalToken = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][-+]?\d+)?(?![\w.+-])|(?:true|false|null)(?!\w)/y;

/** A recursive descent over one text; `at` is the offset of the next character. */
class JsonTreeReader {
  #at = 0;
  readonly #text: string;

  constructor(text: string) {
    this.#text = text;
  }

  read(): Node {
    const root = this.#value(1, '');
    this.#skipSpace();
    if (this.#at < this.#text.length) throw this.#error('Something follows the end of the JSON value.');
    return root;
  }

  #value(depth: number, pointer: string): Node {
    this.#skipSpace();
    const start = this.#at;
    const opening = this.#text[start];
    if (opening === '{' || opening === '[') return this.#collection(opening === '{', depth, pointer);
    const style = opening === '"' ? 'double' : 'plain';
    if (this.#token(style === 'double' ? stringToken : literalToken) === null) throw this.#unexpected('a value', true);
    return { kind: 'scalar', style, indent: 0, start, end: this.#at, properties: null };
  }

  #collection(isMapping: boolean, depth: number, pointer: string): Node {
    if (depth > maxDepth) throw this.#error(`The nesting is deeper than ${maxDepth}.`, this.#at, pointer);
    const start = this.#at++;
    const close = isMapping ? '}' : ']';
    const entries: Entry[] = [];
    const offsets = new Map<string, number>();
    this.#skipSpace();
    while (this.#text[this.#at] !== close) {
      if (entries.length > 0) this.#comma(close);
      entries.push(isMapping ? this.#pair(offsets, depth, pointer) : this.#item(entries.length, depth, pointer));
      this.#skipSpace();
    }
    this.#at++;
    return { kind: isMapping ? 'mapping' : 'list', flow: true, start, end: this.#at, entries, properties: null };
  }

  #comma(close: string): void {
    if (this.#text[this.#at] !== ',') throw this.#unexpected(`a comma or ${close}`);
    const comma = this.#at++;
    this.#skipSpace();
    if (this.#text[this.#at] === close) throw this.#error('JSON has no comma behind the last item: remove it.', comma);
  }

  /** @param offsets of the keys of the same object so far */
  #pair(offsets: Map<string, number>, depth: number, parent: string): Entry {
    const start = this.#at;
    const source = this.#text[start] === '"' ? this.#token(stringToken) : null;
    if (source === null) throw this.#unexpected('a key in double quotes', true);
    const key = String(JSON.parse(source));
    const pointer = appendToPointer(parent, key);
    const first = offsets.get(key);
    if (first !== undefined) throw duplicateKeyError(this.#text, key, first, start, pointer);
    offsets.set(key, start);
    this.#skipSpace();
    if (this.#text[this.#at] !== ':') throw this.#unexpected('a colon');
    const valueFrom = ++this.#at;
    return { key, start, valueFrom, value: this.#value(depth + 1, pointer) };
  }

  #item(index: number, depth: number, parent: string): Entry {
    const start = this.#at;
    return { key: null, start, valueFrom: start, value: this.#value(depth + 1, appendToPointer(parent, index)) };
  }

  #skipSpace(): void {
    while (' \t\r\n'.includes(this.#text[this.#at] ?? 'x')) this.#at++;
    if (this.#text[this.#at] === '/' && '/*'.includes(this.#text[this.#at + 1] ?? 'x'))
      throw this.#error('JSON has no comments: remove it, or turn the file into YAML.');
  }

  /** The token at the current offset, which moves behind it; null if there is none. */
  #token(pattern: RegExp): string | null {
    pattern.lastIndex = this.#at;
    const found = pattern.exec(this.#text)?.[0] ?? null;
    if (found !== null) this.#at += found.length;
    return found;
  }

  #error(message: string, offset = this.#at, pointer = ''): ParseError {
    return new ParseError(this.#text, offset, message, pointer);
  }

  /** @param isValue true if a string could stand here */
  #unexpected(wanted: string, isValue = false): ParseError {
    const found = this.#text[this.#at];
    if (found === undefined) return this.#error(`The text ends where ${wanted} should be.`);
    if (found === "'") return this.#error('JSON has no single quotes: write double quotes.');
    if (found === '"' && isValue)
      return this.#error('This string is not closed, or holds a line break or an escape unknown to JSON.');
    const word = /^[\w.+-]+|^./su.exec(this.#text.slice(this.#at, this.#at + 80))?.[0] ?? found;
    const hint = isValue && /\w/.test(word) ? ' A text needs double quotes.' : '';
    return this.#error(`${JSON.stringify(word)} stands where ${wanted} should be.${hint}`);
  }
}
