/**
 * Strict JSON (RFC 8259) with places: the tree of a text, or what is wrong with it and where. `JSON.parse` reads the
 * values, since it is many times faster; this finds what it doesn't tell (duplicate keys, line and column).
 */
import { duplicate, Flaw, pointerTo } from './fault.ts';
import type { Entry, Node } from './tree.ts';

// biome-ignore lint/suspicious/noControlCharactersInRegex: JSON strings may hold none
const stringToken = /"(?:[^"\\\u0000-\u001f]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*"/y;
const literalToken = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][-+]?\d+)?(?![\w.+-])|(?:true|false|null)(?!\w)/y;

/**
 * The tree of a JSON text.
 * @param maxDepth of nested objects and arrays
 * @throws Flaw
 */
export function jsonTree(text: string, maxDepth: number): Node {
  let at = 0;

  const blank = () => {
    while (' \t\r\n'.includes(text[at] ?? 'x')) at++;
    if (text[at] === '/' && '/*'.includes(text[at + 1] ?? 'x'))
      throw new Flaw(at, 'JSON has no comments: remove it, or turn the file into YAML.');
  };

  const token = (pattern: RegExp): string | null => {
    pattern.lastIndex = at;
    const found = pattern.exec(text)?.[0] ?? null;
    if (found !== null) at += found.length;
    return found;
  };

  function unexpected(wanted: string, isString = false): Flaw {
    const found = text[at];
    if (found === undefined) return new Flaw(at, `The text ends where ${wanted} should be.`);
    if (found === "'") return new Flaw(at, 'JSON has no single quotes: write double quotes.');
    if (found === '"' && isString)
      return new Flaw(at, 'This string is not closed, or holds a line break or an escape unknown to JSON.');
    const word = /^[\w.+-]+|^./su.exec(text.slice(at, at + 80))?.[0] ?? found;
    const hint = isString && /\w/.test(word) ? ' A text needs double quotes.' : '';
    return new Flaw(at, `${JSON.stringify(word)} stands where ${wanted} should be.${hint}`);
  }

  function value(depth: number, pointer: string): Node {
    blank();
    if (depth > maxDepth) throw new Flaw(at, `The nesting is deeper than ${maxDepth}.`, pointer);
    if (text[at] === '{' || text[at] === '[') return collection(text[at] === '{', depth, pointer);
    const start = at;
    const style = text[at] === '"' ? 'double' : 'plain';
    if (token(style === 'double' ? stringToken : literalToken) === null) throw unexpected('a value', true);
    return { kind: 'scalar', style, indent: 0, start, end: at, properties: null };
  }

  function collection(mapping: boolean, depth: number, pointer: string): Node {
    const start = at++;
    const close = mapping ? '}' : ']';
    const entries: Entry[] = [];
    const seen = new Map<string, number>();
    blank();
    while (text[at] !== close) {
      if (entries.length > 0) {
        if (text[at] !== ',') throw unexpected(`a comma or ${close}`);
        const comma = at++;
        blank();
        if (text[at] === close) throw new Flaw(comma, 'JSON has no comma behind the last item: remove it.');
      }
      entries.push(mapping ? pair(seen, depth, pointer) : item(entries.length, depth, pointer));
      blank();
    }
    at++;
    return { kind: mapping ? 'mapping' : 'list', flow: true, start, end: at, entries, properties: null };
  }

  function pair(seen: Map<string, number>, depth: number, pointer: string): Entry {
    const start = at;
    const source = text[at] === '"' ? token(stringToken) : null;
    if (source === null) throw unexpected('a key in double quotes', true);
    const key = String(JSON.parse(source));
    const first = seen.get(key);
    if (first !== undefined) throw new Flaw(start, duplicate(key, text, first), pointerTo(pointer, key));
    seen.set(key, start);
    blank();
    if (text[at] !== ':') throw unexpected('a colon');
    const from = ++at;
    return { key, start, from, value: value(depth + 1, pointerTo(pointer, key)) };
  }

  function item(index: number, depth: number, pointer: string): Entry {
    const start = at;
    return { key: null, start, from: start, value: value(depth + 1, pointerTo(pointer, index)) };
  }

  const root = value(1, '');
  blank();
  if (at < text.length) throw new Flaw(at, 'Something follows the end of the JSON value.');
  return root;
}
