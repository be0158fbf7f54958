/** Reading a record's text: its value, or what is wrong with it in words for the one who wrote it. */
import { type Fault, Flaw, type Place, partsOf, placeOf } from './fault.ts';
import { jsonTree } from './json.ts';
import { type Collection, type Entry, endOf, type Node } from './tree.ts';
import { maxDepth, readYaml, treeOfYaml } from './yaml.ts';

export type { Fault, Place } from './fault.ts';
export type Format = 'yaml' | 'json';
export type Parsed = { readonly value: unknown } | { readonly faults: readonly Fault[] };

/**
 * Reads the text of a record: YAML 1.2 (core schema), or strict JSON (RFC 8259). Never throws.
 * A byte order mark at the start is accepted; duplicate keys, several documents, directives, unknown tags, cycles,
 * more than 100 aliases and nesting deeper than 50 are not.
 * @returns the value, which is a mapping; or the first fault, since parsers stop there
 */
export function parseRecord(text: string, format: Format): Parsed {
  const source = withoutMark(text);
  try {
    const value = format === 'yaml' ? readYaml(source) : readJson(source);
    if (value !== null && typeof value === 'object' && !Array.isArray(value)) return { value };
    const what = Array.isArray(value) ? 'a list' : value === null ? 'nothing' : 'a single value';
    const start = Math.max(0, source.search(format === 'yaml' ? /^(?![ \t]*#)(?!---).*\S/m : /\S/));
    throw new Flaw(start, `The file holds ${what}, and a record is a mapping: lines of "key: value".`);
  } catch (error) {
    if (error instanceof Flaw)
      return { faults: [{ ...placeOf(source, error.offset), pointer: error.pointer, message: error.message }] };
    return { faults: [{ line: 1, column: 1, pointer: '', message: `The file can't be read: ${error}` }] };
  }
}

/**
 * The place of a value in the text: a scalar's own, a collection's key. Where there is nothing at the pointer, the
 * place of the nearest thing around it; where the text can't be read, that of its fault. Never throws.
 * @param pointer JSON Pointer (RFC 6901)
 */
export const locate = (text: string, format: Format, pointer: string): Place => locator(text, format)(pointer);

/** The same for several places in one text, which is read once. */
export function locator(text: string, format: Format): (pointer: string) => Place {
  const source = withoutMark(text);
  let root: Node | undefined;
  return (pointer) => {
    try {
      root ??= treeOf(source, format);
      let node = root;
      let place = 0;
      for (const part of partsOf(pointer)) {
        const entry = entryAt(node, part);
        if (entry === undefined) break;
        node = entry.value;
        const scalar = node.kind !== 'mapping' && node.kind !== 'list';
        const item = entry.key === null && !('flow' in node && !node.flow && node.kind === 'list');
        place = endOf(entry) > node.start && (scalar || item) && node.end > node.start ? node.start : entry.start;
      }
      return placeOf(source, place);
    } catch (error) {
      return placeOf(source, error instanceof Flaw ? error.offset : 0);
    }
  };
}

/**
 * Where things stand in a text without a byte order mark.
 * @throws Flaw
 */
export const treeOf = (source: string, format: Format): Node =>
  format === 'yaml' ? treeOfYaml(source) : jsonTree(source, maxDepth);

export const withoutMark = (text: string): string => (text.startsWith('\ufeff') ? text.slice(1) : text);

function entryAt(node: Node, part: string): Entry | undefined {
  if (node.kind === 'mapping') return node.entries.find((entry) => entry.key === part);
  if (node.kind === 'list' && /^\d+$/.test(part)) return (node as Collection).entries[Number(part)];
  return undefined;
}

function readJson(source: string): unknown {
  if (source.trim() === '') throw new Flaw(0, 'The file is empty: it needs at least {} with keys and values.');
  // The keys of the text are counted by its colons. Where the value has fewer, one was given twice.
  const { colons, depth } = outline(source);
  if (depth > maxDepth) jsonTree(source, maxDepth);
  try {
    const value: unknown = JSON.parse(source);
    if (keys(value) === colons) return value;
  } catch {
    // The tree says it better, with its place.
  }
  jsonTree(source, maxDepth);
  throw new Flaw(0, 'The file is no JSON.');
}

/** How many colons stand outside the strings of a JSON text, and how deep it nests. */
function outline(source: string): { colons: number; depth: number } {
  let colons = 0;
  let open = 0;
  let depth = 0;
  let inString = false;
  for (let at = 0; at < source.length; at++) {
    const code = source.charCodeAt(at);
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

/** How many keys a value has, all in all. */
function keys(value: unknown): number {
  if (value === null || typeof value !== 'object') return 0;
  let count = 0;
  if (Array.isArray(value)) for (const item of value) count += keys(item);
  else for (const item of Object.values(value)) count += 1 + keys(item);
  return count;
}
