/** A text that is being edited: what is known of its layout, and the changes to it. */

import type { Plan } from './align.ts';
import type { Habits, Value } from './emit.ts';
import type { Collection, Entry, Node } from './tree.ts';

/** Replaces the text from `start` to `end`. */
export interface Edit {
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

export interface JsonHabits {
  /** What a level is indented by, such as two spaces; null where all of it stands on one line. */
  readonly unit: string | null;
  /** Behind colons, and behind commas on one line. */
  readonly space: string;
}

export interface Sheet {
  readonly text: string;
  readonly habits: Habits;
  /** How JSON is written; null for YAML. */
  readonly json: JsonHabits | null;
}

/** What block and flow style each know: how to write a value anew, and how to add and remove entries. */
export interface Style {
  replace(sheet: Sheet, entry: Entry, value: Value): readonly Edit[];
  /** `first` goes before the edits within the entries that stay, `last` behind them. */
  arrange(
    sheet: Sheet,
    node: Collection,
    plan: Plan,
  ): { readonly first: readonly Edit[]; readonly last: readonly Edit[] };
}

export const lineStart = (text: string, at: number): number => (at <= 0 ? 0 : text.lastIndexOf('\n', at - 1) + 1);

/** The end of the line without its line break. */
export function lineEnd(text: string, at: number): number {
  const end = text.indexOf('\n', at);
  if (end < 0) return text.length;
  return end > at && text[end - 1] === '\r' ? end - 1 : end;
}

export const columnOf = (text: string, at: number): number => at - lineStart(text, at);

/** Whether only white space stands before an offset on its line. */
export const opensLine = (text: string, at: number): boolean => text.slice(lineStart(text, at), at).trim() === '';

/**
 * Applies edits that don't overlap; of several at one offset, the first comes first.
 * @returns null where they do overlap
 */
export function apply(text: string, edits: readonly Edit[]): string | null {
  let result = '';
  let at = 0;
  for (const edit of edits.toSorted((a, b) => a.start - b.start)) {
    if (edit.start < at) return null;
    result += text.slice(at, edit.start) + edit.text;
    at = edit.end;
  }
  return result + text.slice(at);
}

/** How a text is laid out, as its first line breaks and its first nested collections show. */
export function habitsOf(text: string, root: Node): Habits {
  const eol = /\r?\n/.exec(text)?.[0] === '\r\n' ? '\r\n' : '\n';
  let step: number | undefined;
  let listIndent: number | undefined;
  const look = (node: Node, parent: number, underKey: boolean) => {
    if (node.kind !== 'mapping' && node.kind !== 'list') return;
    const first = node.entries[0];
    if (node.flow || first === undefined) return;
    const column = columnOf(text, first.start);
    if (underKey && node.kind === 'list') listIndent ??= column - parent;
    if (underKey && node.kind === 'mapping') step ??= column - parent;
    for (const entry of node.entries) look(entry.value, columnOf(text, entry.start), entry.key !== null);
  };
  look(root, 0, false);
  return { eol, step: step ?? (listIndent || 2), listIndent: listIndent ?? 2 };
}

/** How a JSON text is laid out, as its first key shows. */
export function jsonHabitsOf(text: string, root: Collection): JsonHabits {
  const first = root.entries[0];
  if (first === undefined) return { unit: '  ', space: ' ' };
  const behindColon = text.slice(first.from, first.value.start);
  const space = /^[ \t]*$/.test(behindColon) ? behindColon : ' ';
  const indented = lineStart(text, first.start) > root.start && opensLine(text, first.start);
  return { unit: indented ? text.slice(lineStart(text, first.start), first.start) : null, space };
}
