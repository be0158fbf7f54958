/** Edits within brackets: JSON, and the flow style of YAML. */
import type { AddedEntry, EntryDiff } from './entry-diff.ts';
import { type CollectionEditor, endOfLine, type SourceText, startOfLine, type TextEdit } from './source-text.ts';
import { type Collection, type Entry, endOfEntry, skipBlanksAndComments } from './tree.ts';
import { isList, isScalar, type Value, yamlFlowText, yamlScalarText } from './yaml-writer.ts';

/** White space behind commas and colons, as in the rest of the collection. */
interface Spacing {
  readonly comma: string;
  readonly colon: string;
}

/** Writes a new value in place of the old one. */
function replaceValue(source: SourceText, entry: Entry, value: Value): TextEdit[] {
  const { text } = source;
  const { valueFrom, value: old } = entry;
  const start = old.properties?.start ?? old.start;
  const written = valueText(source, value, indentation(text, entry.start));
  if (entry.key === null || old.end > valueFrom) return [{ start, end: Math.max(start, old.end), text: written }];
  return [{ start: valueFrom, end: valueFrom, text: `${text[valueFrom - 1] === ':' ? '' : ':'} ${written}` }];
}

function changeEntries(
  source: SourceText,
  node: Collection,
  diff: EntryDiff,
): ReturnType<CollectionEditor['changeEntries']> {
  const spacing = detectSpacing(source, node);
  const first: TextEdit[] = [];
  const last: TextEdit[] = [];
  const areQuoted = node.entries.every(({ value }) => value.kind === 'scalar' && value.style === 'double');
  const at = diff.kept[0].entry.start;
  for (const [previous, added] of diff.added) {
    const written = added.map((entry) => entryText(source, node, spacing, areQuoted, entry));
    if (previous === null)
      first.push({ start: at, end: at, text: written.map((item) => `${item},${spacing.comma}`).join('') });
    else last.push(...insertAfter(source.text, previous, written, spacing.comma, source.style.lineBreak));
  }
  return { first, last: [...last, ...removeEntries(source.text, node, diff)] };
}

/** The text of a new entry, with quotes like the others of its collection. @param areQuoted true if all values there are */
function entryText(
  source: SourceText,
  node: Collection,
  spacing: Spacing,
  areQuoted: boolean,
  { key, value }: AddedEntry,
): string {
  const quote = (item: string) => (source.json ? JSON.stringify(item) : yamlScalarText(item, 'double'));
  if (key === null && areQuoted && typeof value === 'string') return quote(value);
  const lineAt = spacing.comma.lastIndexOf('\n');
  const written = valueText(source, value, lineAt < 0 ? '' : spacing.comma.slice(lineAt + 1));
  if (key === null) return written;
  const isQuoted = source.text[node.entries[0]?.start ?? 0] === '"';
  return `${isQuoted ? quote(key) : yamlScalarText(key, 'plain', true)}:${spacing.colon}${written}`;
}

function insertAfter(
  text: string,
  entry: Entry,
  written: readonly string[],
  space: string,
  lineBreak: string,
): TextEdit[] {
  const end = endOfEntry(entry);
  const comment = /^(?:[ \t]*(,))?[ \t]+#/.exec(text.slice(end, endOfLine(text, end)));
  if (comment === null) return [{ start: end, end, text: written.map((item) => `,${space}${item}`).join('') }];
  // A comment behind the entry stays there, and the new entries come below.
  const below = endOfLine(text, end);
  const gap = space.includes('\n') ? space : lineBreak + indentation(text, entry.start);
  if (comment[1] === ',') return [{ start: below, end: below, text: written.map((item) => `${gap}${item},`).join('') }];
  return [
    { start: end, end, text: ',' },
    { start: below, end: below, text: written.map((item) => gap + item).join(',') },
  ];
}

function removeEntries(text: string, node: Collection, diff: EntryDiff): TextEdit[] {
  const removed = new Set(diff.removed);
  const edits: TextEdit[] = [];
  const lastKeptIndex = node.entries.findLastIndex((entry) => !removed.has(entry));
  let lastKept: Entry | null = null;
  for (const [index, entry] of node.entries.entries()) {
    if (!removed.has(entry)) {
      lastKept = entry;
      continue;
    }
    if (index > lastKeptIndex) {
      const end = endOfEntry(node.entries.at(-1) ?? entry);
      edits.push({ start: lastKept === null ? entry.start : endOfEntry(lastKept), end, text: '' });
      break;
    }
    const next = node.entries[index + 1];
    const hasComment = next === undefined || text.slice(endOfEntry(entry), next.start).includes('#');
    edits.push({
      start: entry.start,
      end: hasComment ? skipBlanksAndComments(text, endOfEntry(entry)) + 1 : next.start,
      text: '',
    });
  }
  return edits;
}

function detectSpacing({ text, json, style }: SourceText, node: Collection): Spacing {
  const [first, second] = node.entries;
  const space = json?.space ?? ' ';
  if (first === undefined) return { comma: space, colon: space };
  const between = second && text.slice(text.indexOf(',', endOfEntry(first)) + 1, second.start);
  const isMultiline = startOfLine(text, first.start) > node.start;
  const usual = isMultiline ? style.lineBreak + indentation(text, first.start) : space;
  const colon = first.key === null ? space : text.slice(first.valueFrom, first.value.start);
  return {
    comma: between !== undefined && /^\s*$/.test(between) ? between.replace(/(?:\r?\n)+/, style.lineBreak) : usual,
    colon: /^[ \t]*$/.test(colon) && first.value.end > first.valueFrom ? colon : space,
  };
}

/** The white space at the start of the line. */
const indentation = (text: string, at: number) => /^[ \t]*/.exec(text.slice(startOfLine(text, at), at))?.[0] ?? '';

/** A value within brackets: in JSON on several lines if the file is, in YAML on one. */
function valueText({ json, style }: SourceText, value: Value, indent: string): string {
  if (json === null) return yamlFlowText(value);
  if (json.indent === null) return jsonLine(value, json.space);
  return JSON.stringify(value, undefined, json.indent).replaceAll('\n', style.lineBreak + indent);
}

/** A value as JSON on one line. */
function jsonLine(value: Value, space: string): string {
  if (isScalar(value)) return JSON.stringify(value);
  if (isList(value)) return `[${value.map((item) => jsonLine(item, space)).join(`,${space}`)}]`;
  const pairs = Object.entries(value).map(([key, item]) => `${JSON.stringify(key)}:${space}${jsonLine(item, space)}`);
  return `{${pairs.join(`,${space}`)}}`;
}

export const flowEditor: CollectionEditor = { replaceValue, changeEntries };
