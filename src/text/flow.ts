/** Editing what stands within brackets: JSON, and the flow style of YAML. */
import type { Plan } from './align.ts';
import { inline, isList, isScalar, scalarText, type Value } from './emit.ts';
import { type Edit, lineEnd, lineStart, type Sheet, type Style } from './sheet.ts';
import { type Collection, type Entry, endOf, skipBlank } from './tree.ts';

/** White space around commas and colons, as the collection has it already. */
interface Gaps {
  readonly comma: string;
  readonly colon: string;
}

/** Writes a value anew, in place of the old one. */
function replace(sheet: Sheet, entry: Entry, value: Value): Edit[] {
  const { text } = sheet;
  const { from, value: old } = entry;
  const start = old.properties?.start ?? old.start;
  const written = valueText(sheet, value, indentation(text, entry.start));
  if (entry.key === null || old.end > from) return [{ start, end: Math.max(start, old.end), text: written }];
  return [{ start: from, end: from, text: `${text[from - 1] === ':' ? '' : ':'} ${written}` }];
}

function arrange(sheet: Sheet, node: Collection, plan: Plan): ReturnType<Style['arrange']> {
  const { text, habits } = sheet;
  const gaps = gapsOf(sheet, node);
  const quoted = node.entries.every(({ value }) => value.kind === 'scalar' && value.style === 'double');
  const quote = (item: string) => (sheet.json ? JSON.stringify(item) : scalarText(item, 'double'));
  const write = ({ key, value }: { key: string | null; value: Value }) => {
    const indent = gaps.comma.slice(gaps.comma.lastIndexOf('\n') + 1);
    if (key === null && quoted && typeof value === 'string') return quote(value);
    const inner = valueText(sheet, value, gaps.comma.includes('\n') ? indent : '');
    if (key === null) return inner;
    const written = text[node.entries[0]?.start ?? 0] === '"' ? quote(key) : scalarText(key, 'plain', true);
    return `${written}:${gaps.colon}${inner}`;
  };
  const first: Edit[] = [];
  const last: Edit[] = [];
  for (const behind of [null, ...plan.kept.map(({ entry }) => entry)]) {
    const written = plan.added.filter((added) => added.behind === behind).map(write);
    if (written.length === 0) continue;
    const at = plan.kept[0].entry.start;
    if (behind === null)
      first.push({ start: at, end: at, text: written.map((item) => `${item},${gaps.comma}`).join('') });
    else last.push(...insertionBehind(text, behind, written, gaps.comma, habits.eol));
  }
  return { first, last: [...last, ...removals(text, node, plan)] };
}

function insertionBehind(text: string, entry: Entry, written: readonly string[], gap: string, eol: string): Edit[] {
  const end = endOf(entry);
  const rest = /^[ \t]*(,?)[ \t]+#/.exec(text.slice(end, lineEnd(text, end)));
  const lead = written.map((item) => `,${gap}${item}`).join('');
  if (rest === null) return [{ start: end, end, text: lead }];
  // A comment stands behind the entry: it stays there, and the new ones come below.
  const below = lineEnd(text, end);
  const lines = gap.includes('\n') ? gap : eol + indentation(text, entry.start);
  if (rest[1] === ',') return [{ start: below, end: below, text: written.map((item) => `${lines}${item},`).join('') }];
  return [
    { start: end, end, text: ',' },
    { start: below, end: below, text: written.map((item) => lines + item).join(',') },
  ];
}

function removals(text: string, node: Collection, plan: Plan): Edit[] {
  const removed = new Set(plan.removed);
  const edits: Edit[] = [];
  let last: Entry | null = null;
  for (let index = 0; index < node.entries.length; index++) {
    const entry = node.entries[index];
    if (entry === undefined || !removed.has(entry)) {
      last = entry ?? last;
      continue;
    }
    const staying = node.entries.slice(index).some((other) => !removed.has(other));
    const follower = node.entries[index + 1];
    if (staying && follower !== undefined && !text.slice(endOf(entry), follower.start).includes('#')) {
      edits.push({ start: entry.start, end: follower.start, text: '' });
    } else if (staying) {
      edits.push({ start: entry.start, end: skipBlank(text, endOf(entry)) + 1, text: '' });
    } else {
      const end = endOf(node.entries.at(-1) ?? entry);
      edits.push({ start: last === null ? entry.start : endOf(last), end, text: '' });
      break;
    }
  }
  return edits;
}

function gapsOf({ text, json, habits }: Sheet, node: Collection): Gaps {
  const [first, second] = node.entries;
  const space = json?.space ?? ' ';
  if (first === undefined) return { comma: space, colon: space };
  const between = second && text.slice(text.indexOf(',', endOf(first)) + 1, second.start);
  const multiline = lineStart(text, first.start) > node.start;
  const usual = multiline ? habits.eol + indentation(text, first.start) : space;
  const colon = first.key === null ? space : text.slice(first.from, first.value.start);
  return {
    comma: between !== undefined && /^\s*$/.test(between) ? between.replace(/(?:\r?\n)+/, habits.eol) : usual,
    colon: /^[ \t]*$/.test(colon) && first.value.end > first.from ? colon : space,
  };
}

/** The white space that a line begins with. */
const indentation = (text: string, at: number) => /^[ \t]*/.exec(text.slice(lineStart(text, at), at))?.[0] ?? '';

/** A value within brackets: in JSON over several lines where the file is, in YAML on one. */
function valueText({ json, habits }: Sheet, value: Value, indent: string): string {
  if (json === null) return inline(value);
  if (json.unit === null) return jsonInline(value, json.space);
  return JSON.stringify(value, undefined, json.unit).replaceAll('\n', habits.eol + indent);
}

function jsonInline(value: Value, space: string): string {
  if (isScalar(value)) return JSON.stringify(value);
  if (isList(value)) return `[${value.map((item) => jsonInline(item, space)).join(`,${space}`)}]`;
  const pairs = Object.entries(value).map(([key, item]) => `${JSON.stringify(key)}:${space}${jsonInline(item, space)}`);
  return `{${pairs.join(`,${space}`)}}`;
}

export const flow: Style = { replace, arrange };
