/** Editing block style: keys and dashes on lines of their own. */
import type { Plan } from './align.ts';
import { itemLines, pairLines, type Value, write } from './emit.ts';
import { columnOf, type Edit, lineEnd, lineStart, opensLine, type Sheet, type Style } from './sheet.ts';
import { type Collection, type Entry, endOf, header } from './tree.ts';

/** What an entry's value occupies: the part on the line of its key or dash, and the lines below. */
interface Extent {
  readonly head: { readonly start: number; readonly end: number };
  readonly body: { readonly start: number; readonly end: number } | null;
}

function extentOf(text: string, entry: Entry): Extent {
  const { from, value } = entry;
  const blockScalar = value.kind === 'scalar' && (value.style === 'literal' || value.style === 'folded');
  const blockCollection = (value.kind === 'mapping' || value.kind === 'list') && !value.flow;
  const below = lineStart(text, value.start) > from;
  if (blockScalar && !below) {
    const end = value.start + header(text, value.start).length;
    return { head: { start: from, end }, body: value.end > end ? { start: lineEnd(text, end), end: value.end } : null };
  }
  if (below) {
    const head = { start: from, end: value.properties?.end ?? from };
    const start = lineStart(text, value.start) - 1;
    return { head, body: { start: text[start - 1] === '\r' ? start - 1 : start, end: lineEnd(text, value.end) } };
  }
  const end = blockCollection ? lineEnd(text, value.end) : Math.max(from, value.end);
  return { head: { start: from, end }, body: null };
}

/** Writes the value behind a key or dash anew; a comment on the line of the key stays. */
function replace({ text, habits }: Sheet, entry: Entry, value: Value): Edit[] {
  const old = entry.value;
  const column = columnOf(text, entry.start);
  const blockScalar = old.kind === 'scalar' && (old.style === 'literal' || old.style === 'folded');
  const layout = blockScalar && old.indent > column ? { ...habits, step: old.indent - column } : habits;
  const style = blockScalar ? old.style : 'plain';
  const { head, lines } = write(value, column, typeof value === 'string' ? layout : habits, style, entry.key === null);
  const extent = extentOf(text, entry);
  const below = lineEnd(text, extent.head.end);
  return [
    { ...extent.head, text: head && ` ${head}` },
    { start: below, end: below, text: lines.map((line) => habits.eol + line).join('') },
    ...(extent.body === null ? [] : [{ ...extent.body, text: '' }]),
  ];
}

function arrange(sheet: Sheet, node: Collection, plan: Plan): ReturnType<Style['arrange']> {
  const { text, habits } = sheet;
  const top = plan.kept[0].entry;
  const column = columnOf(text, node.entries[0]?.start ?? 0);
  const linesOf = (behind: Entry | null) =>
    plan.added
      .filter((added) => added.behind === behind)
      .flatMap(({ key, value }) =>
        key === null ? itemLines(value, column, habits) : pairLines(key, value, column, habits),
      );
  const before = linesOf(null);
  const last: Edit[] = [];
  for (const { entry } of plan.kept) {
    const lines = linesOf(entry);
    const at = behind(text, entry);
    if (lines.length > 0) last.push({ start: at, end: at, text: lines.map((line) => habits.eol + line).join('') });
  }
  for (const entry of plan.removed) last.push(removal(text, entry, top));
  return { first: before.length === 0 ? [] : [insertionBefore(text, top, before, habits.eol)], last };
}

/** The end of an entry's last line, and of comments below that are indented more than it and so belong to it. */
export function behind(text: string, entry: Entry): number {
  const column = columnOf(text, entry.start);
  let end = lineEnd(text, endOf(entry));
  for (let next = end; ; ) {
    const start = text.indexOf('\n', next) + 1;
    const comment = start === 0 ? null : /^([ \t]*)#/.exec(text.slice(start, lineEnd(text, start)));
    if (!comment || (comment[1] ?? '').length <= column) return end;
    next = lineEnd(text, start);
    end = next;
  }
}

function insertionBefore(text: string, entry: Entry, lines: readonly string[], eol: string): Edit {
  const column = columnOf(text, entry.start);
  if (!opensLine(text, entry.start)) {
    // `- name: x`: the new key comes behind the dash.
    const inserted = lines.join(eol).trimStart() + eol + ' '.repeat(column);
    return { start: entry.start, end: entry.start, text: inserted };
  }
  // Comments right above belong to the entry; those that open the file, to the file.
  const own = lineStart(text, entry.start);
  let at = own;
  for (let above = at; above > 0; at = above) {
    above = lineStart(text, above - 1);
    const comment = /^[ \t]*#/.exec(text.slice(above, lineEnd(text, above)));
    if (!comment || comment[0].length - 1 > column) break;
  }
  if (at === 0) at = own;
  return { start: at, end: at, text: lines.map((line) => line + eol).join('') };
}

/** Takes out the lines of an entry; what shares its first line with a dash makes room for the first that stays. */
export function removal(text: string, entry: Entry, top: Entry): Edit {
  const end = behind(text, entry);
  if (opensLine(text, entry.start)) {
    const start = lineStart(text, entry.start);
    // A line break goes with the line: the one behind it at the beginning, and the one before it elsewhere.
    if (entry.start < top.start) return { start, end: text.indexOf('\n', end) + 1, text: '' };
    // At the end of the text a blank line above may belong to a `|+`, and keeps its line break.
    if (end === text.length && /\n\r?\n$/.test(text.slice(0, start))) return { start, end, text: '' };
    // Blank lines above may belong to a `|+`, and would have those below as well.
    const gap = /\n\r?\n$/.test(text.slice(0, start)) ? /^(?:\r?\n[ \t]*(?=\r?\n))*/.exec(text.slice(end))?.[0] : '';
    return { start: text[start - 2] === '\r' ? start - 2 : start - 1, end: end + (gap ?? '').length, text: '' };
  }
  const next = text.slice(end, top.start);
  return { start: entry.start, end: next.includes('#') || !opensLine(text, top.start) ? end : top.start, text: '' };
}

export const block: Style = { replace, arrange };
