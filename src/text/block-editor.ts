/** Edits in block style: keys and dashes on lines of their own. */
import type { EntryDiff } from './entry-diff.ts';
import {
  type CollectionEditor,
  columnAtOffset,
  endOfLine,
  isFirstOnLine,
  type SourceText,
  startOfLine,
  type TextEdit,
} from './source-text.ts';
import { blockHeader, type Collection, type Entry, endOfEntry } from './tree.ts';
import { type Value, writeYamlValue, yamlItemLines, yamlPairLines } from './yaml-writer.ts';

/** The spans of an entry's value: the part on the line of its key or dash, and the lines below. */
interface ValueSpans {
  readonly head: { readonly start: number; readonly end: number };
  readonly body: { readonly start: number; readonly end: number } | null;
}

function valueSpans(text: string, { valueFrom, value }: Entry): ValueSpans {
  const isBlockScalar = value.kind === 'scalar' && (value.style === 'literal' || value.style === 'folded');
  const isBlockCollection = (value.kind === 'mapping' || value.kind === 'list') && !value.flow;
  const isBelow = startOfLine(text, value.start) > valueFrom;
  if (isBlockScalar && !isBelow) {
    const end = value.start + blockHeader(text, value.start).length;
    const body = value.end > end ? { start: endOfLine(text, end), end: value.end } : null;
    return { head: { start: valueFrom, end }, body };
  }
  if (isBelow) {
    const head = { start: valueFrom, end: value.properties?.end ?? valueFrom };
    const start = startOfLine(text, value.start) - 1;
    return { head, body: { start: text[start - 1] === '\r' ? start - 1 : start, end: endOfLine(text, value.end) } };
  }
  const end = isBlockCollection ? endOfLine(text, value.end) : Math.max(valueFrom, value.end);
  return { head: { start: valueFrom, end }, body: null };
}

/** Replaces the value behind a key or dash; a comment on the line of the key stays. */
function replaceValue({ text, style }: SourceText, entry: Entry, value: Value): TextEdit[] {
  const old = entry.value;
  const column = columnAtOffset(text, entry.start);
  const isBlockScalar = old.kind === 'scalar' && (old.style === 'literal' || old.style === 'folded');
  const scalarStyle = isBlockScalar ? old.style : 'plain';
  const keepsIndent = isBlockScalar && old.indent > column && typeof value === 'string';
  const valueStyle = keepsIndent ? { ...style, indent: old.indent - column } : style;
  const { head, lines } = writeYamlValue(value, column, valueStyle, scalarStyle, entry.key === null);
  const spans = valueSpans(text, entry);
  const below = endOfLine(text, spans.head.end);
  return [
    { ...spans.head, text: head && ` ${head}` },
    { start: below, end: below, text: lines.map((line) => style.lineBreak + line).join('') },
    ...(spans.body === null ? [] : [{ ...spans.body, text: '' }]),
  ];
}

function changeEntries(
  { text, style }: SourceText,
  node: Collection,
  diff: EntryDiff,
): ReturnType<CollectionEditor['changeEntries']> {
  const firstKept = diff.kept[0].entry;
  const column = columnAtOffset(text, node.entries[0]?.start ?? 0);
  const addedAfter = (previous: Entry | null) =>
    (diff.added.get(previous) ?? []).flatMap(({ key, value }) =>
      key === null ? yamlItemLines(value, column, style) : yamlPairLines(key, value, column, style),
    );
  const before = addedAfter(null);
  const last: TextEdit[] = [];
  for (const { entry } of diff.kept) {
    const lines = addedAfter(entry);
    const at = entryEndWithComments(text, entry);
    if (lines.length > 0) last.push({ start: at, end: at, text: lines.map((line) => style.lineBreak + line).join('') });
  }
  // From below: what is above a removed entry at the end of the text is at its end then.
  let textEnd = text.length;
  for (const entry of diff.removed.toReversed()) {
    const edit = removeYamlEntry(text, entry, firstKept, textEnd);
    if (edit.end === textEnd) textEnd = edit.start;
    last.push(edit);
  }
  return { first: before.length === 0 ? [] : [insertBefore(text, firstKept, before, style.lineBreak)], last };
}

/** The end of an entry's last line and of the comments below it that are indented more, and so belong to it. */
export function entryEndWithComments(text: string, entry: Entry): number {
  const column = columnAtOffset(text, entry.start);
  let end = endOfLine(text, endOfEntry(entry));
  for (;;) {
    const start = text.indexOf('\n', end) + 1;
    const comment = start === 0 ? null : /^([ \t]*)#/.exec(text.slice(start, endOfLine(text, start)));
    if (!comment || (comment[1] ?? '').length <= column) return end;
    end = endOfLine(text, start);
  }
}

function insertBefore(text: string, entry: Entry, lines: readonly string[], lineBreak: string): TextEdit {
  const column = columnAtOffset(text, entry.start);
  if (!isFirstOnLine(text, entry.start)) {
    // `- name: x`: the new key comes behind the dash.
    const inserted = lines.join(lineBreak).trimStart() + lineBreak + ' '.repeat(column);
    return { start: entry.start, end: entry.start, text: inserted };
  }
  // Comments right above belong to the entry; those at the start of the file, to the file.
  const ownLine = startOfLine(text, entry.start);
  let at = ownLine;
  for (let above = at; above > 0; at = above) {
    above = startOfLine(text, above - 1);
    const comment = /^[ \t]*#/.exec(text.slice(above, endOfLine(text, above)));
    if (!comment || comment[0].length - 1 > column) break;
  }
  if (at === 0) at = ownLine;
  return { start: at, end: at, text: lines.map((line) => line + lineBreak).join('') };
}

/**
 * Removes the lines of an entry. If it shares its first line with a dash, the first kept entry takes that place.
 * @param textEnd where the text ends once the entries below are removed
 */
export function removeYamlEntry(text: string, entry: Entry, firstKept: Entry, textEnd = text.length): TextEdit {
  const end = entryEndWithComments(text, entry);
  if (isFirstOnLine(text, entry.start)) {
    const start = startOfLine(text, entry.start);
    // A line break goes with the line: the one behind it at the start of the collection, else the one before it.
    if (entry.start < firstKept.start) return { start, end: text.indexOf('\n', end) + 1, text: '' };
    const isBelowBlank = /\n\r?\n$/.test(text.slice(0, start));
    // At the end of the text a blank line above may belong to a `|+`, and keeps its line break.
    if (end === textEnd && isBelowBlank) return { start, end, text: '' };
    // Blank lines above may belong to a `|+`, which would then include those below.
    const gap = isBelowBlank ? /^(?:\r?\n[ \t]*(?=\r?\n))*/.exec(text.slice(end))?.[0] : '';
    return { start: text[start - 2] === '\r' ? start - 2 : start - 1, end: end + (gap ?? '').length, text: '' };
  }
  const next = text.slice(end, firstKept.start);
  const keepsLine = next.includes('#') || !isFirstOnLine(text, firstKept.start);
  return { start: entry.start, end: keepsLine ? end : firstKept.start, text: '' };
}

export const blockEditor: CollectionEditor = { replaceValue, changeEntries };
