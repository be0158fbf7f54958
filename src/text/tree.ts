/**
 * The syntax tree of a record's text: offsets without values. YAML and JSON make the same tree, so that editing and
 * finding positions know only one.
 */

/** The deepest nesting that is read, in YAML and JSON alike. */
export const maxDepth = 50;

export type ScalarStyle = 'plain' | 'single' | 'double' | 'literal' | 'folded';

interface Span {
  /** Without anchor and tag; for `key:` with an empty value, start and end are the place where a value would be. */
  readonly start: number;
  /** Behind the last character of the content: no comment, no line break at the end. */
  readonly end: number;
  /** Span of anchor and tag; null if there are none. */
  readonly properties: { readonly start: number; readonly end: number } | null;
}

export interface Scalar extends Span {
  readonly kind: 'scalar';
  readonly style: ScalarStyle;
  /** Column of the text of a literal or folded block, from 0. */
  readonly indent: number;
}

export interface Alias extends Span {
  readonly kind: 'alias';
}

export interface Collection extends Span {
  readonly kind: 'mapping' | 'list';
  /** True if it is written in brackets. */
  readonly flow: boolean;
  readonly entries: readonly Entry[];
}

/** A key with its value, or an item of a list. */
export interface Entry {
  /** The key as a string; null for an item of a list. */
  readonly key: string | null;
  /** Offset of the key, or of an item's dash; in brackets, of the item itself. */
  readonly start: number;
  /** Offset behind the colon or the dash, from which a value may be written. */
  readonly valueFrom: number;
  readonly value: Node;
}

export type Node = Scalar | Alias | Collection;

/** The end of an entry's content: that of its value, or of the key if the value is empty. */
export const endOfEntry = (entry: Entry): number => Math.max(entry.valueFrom, entry.value.end);

/** True if the node is or contains an alias. */
export const hasAlias = (node: Node): boolean =>
  node.kind === 'alias' || ('entries' in node && node.entries.some((entry) => hasAlias(entry.value)));

/** The first offset from `at` on that is neither white space nor in a comment. */
export function skipBlanksAndComments(text: string, at: number): number {
  let offset = at;
  for (;;) {
    while (offset < text.length && isBlank(text.charCodeAt(offset))) offset++;
    const comment = text.charCodeAt(offset) === 0x23 && (offset === 0 || isBlank(text.charCodeAt(offset - 1)));
    if (!comment) return offset;
    const end = text.indexOf('\n', offset);
    offset = end < 0 ? text.length : end;
  }
}

/** True for a space, a tab and the parts of a line break. */
const isBlank = (code: number): boolean => code === 0x20 || code === 0x0a || code === 0x09 || code === 0x0d;

/** The indicators of a literal or folded block at an offset, such as `|-`. */
export const blockHeader = (text: string, at: number): string =>
  /^[|>][-+0-9]*/.exec(text.slice(at, at + 4))?.[0] ?? '';
