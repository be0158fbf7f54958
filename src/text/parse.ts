/** Reading a record's text: its value, or its syntax error in words for the person who wrote it. */
import type { LRUCache } from 'lru-cache';
import { excerpt } from '../catalogue/errors.ts';
import { parseJsonTree, parseStrictJson } from './json.ts';
import { lruCache } from './packages.ts';
import {
  lineAndColumnAt,
  lineStartsOf,
  mergeConflictError,
  ParseError,
  pointerTokens,
  type TextPosition,
} from './parse-error.ts';
import { readPlainYaml } from './plain-yaml.ts';
import { type Collection, type Entry, endOfEntry, type Node } from './tree.ts';
import { parseYamlTree, readYaml } from './yaml.ts';

export type { ParseError, TextPosition } from './parse-error.ts';
export type Format = 'yaml' | 'json';
/** The value of a text, or its first syntax error: parsers stop there. */
export type Parsed = { readonly value: unknown } | { readonly error: ParseError };

/**
 * Reads the text of a record: YAML 1.2 (core schema), or strict JSON (RFC 8259). Never throws.
 * A byte order mark at the start is accepted; duplicate keys, several documents, directives, unknown tags, cycles,
 * more than 100 aliases and nesting deeper than 50 are not.
 * @returns the value, which is a mapping; or the error
 */
export const parseRecordText = (text: string, format: Format): Parsed => new RecordText(text, format).parsed;

/** Length from which a text is large, in characters: parsing it takes 5 ms and more. */
export const largeText = 1 << 16;

interface ReadText {
  readonly parsed: Parsed;
  /** Returns the tree of a YAML text, without parsing it again. */
  readonly tree?: (() => Node) | undefined;
  /** Positions that were found with it, by pointer. */
  readonly positions?: ReadonlyMap<string, TextPosition>;
}

/** Large texts that were read lately: one is read several times for a change, by different functions. */
const largeTexts = new Map<Format, LRUCache<string, ReadText>>();

function largeTextsOf(format: Format): LRUCache<string, ReadText> {
  const known = largeTexts.get(format);
  if (known) return known;
  const LRUCache = lruCache();
  const texts = new LRUCache<string, ReadText>({ maxSize: 5 << 20, sizeCalculation: (_, text) => text.length + 1 });
  largeTexts.set(format, texts);
  return texts;
}

/** True if parsing a text takes no time: it is short, or was parsed lately. */
export const isParsedSoon = (text: string, format: Format): boolean =>
  text.length < largeText || largeTextsOf(format).has(text);

/** Remembers what another thread has parsed. @param positions of values in the text, by pointer */
export function rememberParsedText(
  text: string,
  format: Format,
  parsed: Parsed,
  positions: ReadonlyMap<string, TextPosition> = new Map(),
): void {
  if (!isParsedSoon(text, format)) largeTextsOf(format).set(text, { parsed, positions });
}

/** The text of a record. It is parsed when that is first asked for, and only once. */
export class RecordText {
  readonly text: string;
  readonly format: Format;
  #read: ReadText | undefined;

  constructor(text: string, format: Format) {
    this.text = text;
    this.format = format;
  }

  /** See `parseRecordText`. The value is shared, and not to be changed. */
  get parsed(): Parsed {
    this.#read ??= readText(this.text, this.format);
    return this.#read.parsed;
  }

  /**
   * The tree of the text without its byte order mark.
   * @throws ParseError
   */
  get tree(): Node {
    return this.#read?.tree?.() ?? parseSyntaxTree(stripByteOrderMark(this.text), this.format);
  }
}

function readText(text: string, format: Format): ReadText {
  const known = text.length < largeText ? undefined : largeTextsOf(format).get(text);
  if (known) return known;
  const read = readSource(stripByteOrderMark(text), format);
  if (text.length >= largeText) largeTextsOf(format).set(text, read);
  return read;
}

function readSource(source: string, format: Format): ReadText {
  try {
    const { value, tree }: { value: unknown; tree?: () => Node } =
      format === 'json' ? { value: parseStrictJson(source) } : readYamlSource(source);
    if (value !== null && typeof value === 'object' && !Array.isArray(value)) return { parsed: { value }, tree };
    const found = Array.isArray(value) ? 'a list' : value === null ? 'nothing' : 'a single value';
    const start = Math.max(0, source.search(format === 'yaml' ? /^(?![ \t]*#)(?!---).*\S/m : /\S/));
    const message = `The file holds ${found}, and a record is a mapping: lines of "key: value".`;
    return { parsed: { error: new ParseError(source, start, message) } };
  } catch (error) {
    if (error instanceof ParseError) return { parsed: { error: mergeConflictError(source) ?? error } };
    return { parsed: { error: new ParseError(source, 0, `The file can't be read: ${excerpt(error)}`) } };
  }
}

function readYamlSource(source: string): { readonly value: unknown; readonly tree?: () => Node } {
  const plain = readPlainYaml(source);
  return plain === undefined ? readYaml(source) : { value: plain };
}

/**
 * The position of a value in a text: a scalar's own, a collection's key. If there is nothing at the pointer, the
 * position of the innermost value around it; if the text can't be parsed, that of the error. Never throws.
 * @param pointer JSON Pointer (RFC 6901)
 * @param part `key` for the position of the key in front of the value
 */
export const findPosition = (
  text: string,
  format: Format,
  pointer: string,
  part: 'key' | 'value' = 'value',
): TextPosition => makePositionFinder(text, format)(pointer, part);

/** `findPosition` for several pointers into one text, which is parsed once. */
export function makePositionFinder(
  text: string,
  format: Format,
): (pointer: string, part?: 'key' | 'value') => TextPosition {
  const source = stripByteOrderMark(text);
  const known = text.length < largeText ? undefined : largeTextsOf(format).get(text)?.positions;
  let root: Node | undefined;
  let lineStarts: readonly number[] | undefined;
  return (pointer, part = 'value') => {
    const position = part === 'value' ? known?.get(pointer) : undefined;
    if (position) return position;
    try {
      root ??= parseSyntaxTree(source, format);
      lineStarts ??= lineStartsOf(source);
      return lineAndColumnAt(source, offsetOf(root, pointer, part), lineStarts);
    } catch (error) {
      return error instanceof ParseError ? { line: error.line, column: error.column } : { line: 1, column: 1 };
    }
  };
}

/** The number or word at a pointer, as it is written: `1.10`, `0x1F`; undefined without a value, or for another one. */
export function findPlainScalar(text: string, format: Format, pointer: string): string | undefined {
  const source = stripByteOrderMark(text);
  try {
    let node: Node | undefined = parseSyntaxTree(source, format);
    for (const token of pointerTokens(pointer)) node = node && entryAt(node, token)?.value;
    const written = node && source.slice(node.start, node.end);
    return written && /^[-+.\w]+$/.test(written) ? written : undefined;
  } catch (error) {
    if (error instanceof ParseError) return undefined;
    throw error;
  }
}

/**
 * The tree of a text without a byte order mark.
 * @throws ParseError
 */
export function parseSyntaxTree(source: string, format: Format): Node {
  try {
    return format === 'yaml' ? parseYamlTree(source) : parseJsonTree(source);
  } catch (error) {
    throw mergeConflictError(source) ?? error;
  }
}

export const stripByteOrderMark = (text: string): string => (text.startsWith('\ufeff') ? text.slice(1) : text);

function offsetOf(root: Node, pointer: string, part: 'key' | 'value'): number {
  let node = root;
  let offset = 0;
  for (const token of pointerTokens(pointer)) {
    const entry = entryAt(node, token);
    if (entry === undefined) break;
    node = entry.value;
    const isScalar = node.kind !== 'mapping' && node.kind !== 'list';
    const isItem = entry.key === null && !('flow' in node && !node.flow && node.kind === 'list');
    const isOwn = endOfEntry(entry) > node.start && (isScalar || isItem) && node.end > node.start;
    offset = isOwn && part === 'value' ? node.start : entry.start;
  }
  return offset;
}

function entryAt(node: Node, token: string): Entry | undefined {
  if (node.kind === 'mapping') return node.entries.find((entry) => entry.key === token);
  if (node.kind === 'list' && /^\d+$/.test(token)) return (node as Collection).entries[Number(token)];
  return undefined;
}
