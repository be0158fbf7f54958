/** A source text that is being edited: its style, and the edits to it. */
import type { EntryDiff } from './entry-diff.ts';
import type { Collection, Entry, Node } from './tree.ts';
import type { Value, YamlStyle } from './yaml-writer.ts';

/** A replacement for the text from `start` to `end`. */
export interface TextEdit {
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

export interface JsonStyle {
  /** Indentation of one level, such as two spaces; null if the text is one line. */
  readonly indent: string | null;
  /** White space behind colons, and behind commas on one line. */
  readonly space: string;
}

export interface SourceText {
  readonly text: string;
  readonly style: YamlStyle;
  /** The style of JSON; null for YAML. */
  readonly json: JsonStyle | null;
}

/** Edits to a collection; block style and flow style have one each. */
export interface CollectionEditor {
  /** Replaces the value of an entry. */
  replaceValue(source: SourceText, entry: Entry, value: Value): readonly TextEdit[];
  /** Adds and removes entries. `first` is applied before the edits within the kept entries, `last` after them. */
  changeEntries(
    source: SourceText,
    node: Collection,
    diff: EntryDiff,
  ): { readonly first: readonly TextEdit[]; readonly last: readonly TextEdit[] };
}

export const startOfLine = (text: string, at: number): number => (at <= 0 ? 0 : text.lastIndexOf('\n', at - 1) + 1);

/** The end of the line, before its line break. */
export function endOfLine(text: string, at: number): number {
  const end = text.indexOf('\n', at);
  if (end < 0) return text.length;
  return end > at && text[end - 1] === '\r' ? end - 1 : end;
}

export const columnAtOffset = (text: string, at: number): number => at - startOfLine(text, at);

/** True if only white space precedes the offset on its line. */
export const isFirstOnLine = (text: string, at: number): boolean => text.slice(startOfLine(text, at), at).trim() === '';

/**
 * Applies edits that don't overlap; of several at one offset, the first comes first.
 * @returns null if they overlap
 */
export function applyTextEdits(text: string, edits: readonly TextEdit[]): string | null {
  let result = '';
  let at = 0;
  for (const edit of edits.toSorted((a, b) => a.start - b.start)) {
    if (edit.start < at) return null;
    result += text.slice(at, edit.start) + edit.text;
    at = edit.end;
  }
  return result + text.slice(at);
}

/** The style of a text, taken from its first line break and its first nested collections. */
export function detectYamlStyle(text: string, root: Node): YamlStyle {
  const lineBreak = /\r?\n/.exec(text)?.[0] === '\r\n' ? '\r\n' : '\n';
  let indent: number | undefined;
  let listIndent: number | undefined;
  const inspect = (node: Node, parent: number, underKey: boolean) => {
    if (node.kind !== 'mapping' && node.kind !== 'list') return;
    const first = node.entries[0];
    if (node.flow || first === undefined) return;
    const column = columnAtOffset(text, first.start);
    if (underKey && node.kind === 'list') listIndent ??= column - parent;
    if (underKey && node.kind === 'mapping') indent ??= column - parent;
    for (const entry of node.entries) inspect(entry.value, columnAtOffset(text, entry.start), entry.key !== null);
  };
  inspect(root, 0, false);
  return { lineBreak, indent: indent ?? (listIndent || 2), listIndent: listIndent ?? 2 };
}

/** The style of a JSON text, taken from its first key. */
export function detectJsonStyle(text: string, root: Collection): JsonStyle {
  const first = root.entries[0];
  if (first === undefined) return { indent: '  ', space: ' ' };
  const afterColon = text.slice(first.valueFrom, first.value.start);
  const space = /^[ \t]*$/.test(afterColon) ? afterColon : ' ';
  const isIndented = startOfLine(text, first.start) > root.start && isFirstOnLine(text, first.start);
  return { indent: isIndented ? text.slice(startOfLine(text, first.start), first.start) : null, space };
}
