/** The edits that turn what a text says into something else, as few and as small as can be. */
import { planFor, same } from './align.ts';
import { behind, block, removal } from './block.ts';
import { isScalar, pairLines, scalarText, textBlock, type Value } from './emit.ts';
import { flow } from './flow.ts';
import { apply, type Edit, lineStart, type Sheet } from './sheet.ts';
import { type Collection, type Entry, type Node, repeats } from './tree.ts';

type Mapping = Readonly<Record<string, Value>>;

/** How much of a key can't be left as it is: the aliases in its value, which are written out; or all of the value. */
export type Doubt = 'aliases' | 'value';

/**
 * The text with its top-level mapping changed from `before` to `after`.
 * @param order of the keys, for the places of new ones
 * @param doubts keys for which smaller edits didn't do
 * @returns null where the edits got in each other's way
 */
export function splice(
  sheet: Sheet,
  root: Collection,
  before: Mapping,
  after: Mapping,
  order: readonly string[],
  doubts: ReadonlyMap<string, Doubt>,
): string | null {
  const plan = planFor(root, before, after, order);
  if (plan === null) return apply(sheet.text, writeAll(sheet, root, after));
  const style = root.flow ? flow : block;
  const { first, last } = style.arrange(sheet, root, plan);
  const within = plan.kept.flatMap(({ entry, before, after }) => {
    const doubt = doubts.get(entry.key ?? '');
    if (doubt === 'value') return style.replace(sheet, entry, after);
    return revise(sheet, entry, root.flow, before, after, doubt === 'aliases');
  });
  return apply(sheet.text, [...first, ...within, ...last]);
}

/** @param spell whether aliases are written out, even where they say what they should */
function revise(
  sheet: Sheet,
  entry: Entry,
  inFlow: boolean,
  before: Value,
  after: Value,
  spell: boolean,
): readonly Edit[] {
  const node = entry.value;
  if (same(before, after) && !(spell && repeats(node))) return [];
  if (node.kind === 'mapping' || node.kind === 'list') {
    const plan = planFor(node, before, after);
    if (plan !== null) {
      const { first, last } = (node.flow ? flow : block).arrange(sheet, node, plan);
      const within = plan.kept.flatMap((kept) => revise(sheet, kept.entry, node.flow, kept.before, kept.after, spell));
      return [...first, ...within, ...last];
    }
  }
  const text = inPlace(sheet, node, inFlow, after);
  if (text !== null) return [{ start: node.start, end: node.end, text }];
  return (inFlow ? flow : block).replace(sheet, entry, after);
}

/** The text of a scalar that takes the place of another on one line; null where it can't. */
function inPlace({ text, json }: Sheet, node: Node, inFlow: boolean, after: Value): string | null {
  if (!isScalar(after) || node.end === node.start || (node.kind !== 'scalar' && node.kind !== 'alias')) return null;
  if (json) return JSON.stringify(after);
  const style = node.kind === 'alias' ? 'plain' : node.style;
  if (style === 'literal' || style === 'folded') return null;
  const escaped = style === 'double' && text.slice(node.start, node.end).includes('\\n');
  const lines = typeof after === 'string' && after.includes('\n') && textBlock(after, 0, 'literal') !== null;
  return lines && !inFlow && !escaped ? null : scalarText(after, style, inFlow);
}

/** All of the text's mapping, where none of its keys stays; comments between them do. */
function writeAll({ text, habits, json }: Sheet, root: Collection, after: Mapping): Edit[] {
  if (json) {
    const written = JSON.stringify(after, undefined, json.unit ?? undefined).replaceAll('\n', habits.eol);
    return [{ start: root.start, end: root.end, text: written }];
  }
  const lines = Object.entries(after).flatMap(([key, value]) => pairLines(key, value, 0, habits));
  const written = lines.length === 0 ? '{}' : lines.join(habits.eol);
  const [first, ...rest] = root.entries;
  if (root.flow || first === undefined) return [{ start: root.start, end: root.end, text: written }];
  return [
    { start: lineStart(text, first.start), end: behind(text, first), text: written },
    ...rest.map((entry) => removal(text, entry, first)),
  ];
}
