/** The smallest edits that change the value of a source text. */
import { isDeepStrictEqual } from 'node:util';
import { blockEditor, entryEndWithComments, removeYamlEntry } from './block-editor.ts';
import { diffCollectionEntries } from './entry-diff.ts';
import { flowEditor } from './flow-editor.ts';
import { applyTextEdits, type SourceText, startOfLine, type TextEdit } from './source-text.ts';
import { type Collection, type Entry, hasAlias, type Node } from './tree.ts';
import { isScalar, type Value, yamlBlockScalar, yamlPairLines, yamlScalarText } from './yaml-writer.ts';

type Mapping = Readonly<Record<string, Value>>;

/** A larger edit of a key, for when smaller ones fail: expand the aliases in its value, or rewrite the whole value. */
export type Fallback = 'aliases' | 'value';

/**
 * The text with its top-level mapping changed from `before` to `after`.
 * @param order of the keys, for the places of new ones
 * @param fallbacks by key
 * @returns null if edits overlap
 */
export function applyValueChangesToText(
  source: SourceText,
  root: Collection,
  before: Mapping,
  after: Mapping,
  order: readonly string[],
  fallbacks: ReadonlyMap<string, Fallback>,
): string | null {
  const diff = diffCollectionEntries(root, before, after, order);
  if (diff === null) return applyTextEdits(source.text, rewriteRoot(source, root, after));
  const editor = root.flow ? flowEditor : blockEditor;
  const { first, last } = editor.changeEntries(source, root, diff);
  const within = diff.kept.flatMap(({ entry, before, after }) => {
    const fallback = fallbacks.get(entry.key ?? '');
    if (fallback === 'value') return editor.replaceValue(source, entry, after);
    return editEntry(source, entry, root.flow, before, after, fallback === 'aliases');
  });
  return applyTextEdits(source.text, [...first, ...within, ...last]);
}

/** @param expandAliases true to expand aliases even if their value doesn't change */
function editEntry(
  source: SourceText,
  entry: Entry,
  inFlow: boolean,
  before: Value,
  after: Value,
  expandAliases: boolean,
): readonly TextEdit[] {
  const node = entry.value;
  if (isDeepStrictEqual(before, after) && !(expandAliases && hasAlias(node))) return [];
  if (node.kind === 'mapping' || node.kind === 'list') {
    const diff = diffCollectionEntries(node, before, after);
    if (diff !== null) {
      const { first, last } = (node.flow ? flowEditor : blockEditor).changeEntries(source, node, diff);
      const within = diff.kept.flatMap((kept) =>
        editEntry(source, kept.entry, node.flow, kept.before, kept.after, expandAliases),
      );
      return [...first, ...within, ...last];
    }
  }
  const text = scalarInPlace(source, node, inFlow, after);
  if (text !== null) return [{ start: node.start, end: node.end, text }];
  return (inFlow ? flowEditor : blockEditor).replaceValue(source, entry, after);
}

/** The text of a scalar that replaces another on the same line; null if it has to be a block. */
function scalarInPlace({ text, json }: SourceText, node: Node, inFlow: boolean, after: Value): string | null {
  if (!isScalar(after) || node.end === node.start || (node.kind !== 'scalar' && node.kind !== 'alias')) return null;
  if (json) return JSON.stringify(after);
  const style = node.kind === 'alias' ? 'plain' : node.style;
  if (style === 'literal' || style === 'folded') return null;
  const isEscaped = style === 'double' && text.slice(node.start, node.end).includes('\\n');
  const canBeBlock = typeof after === 'string' && after.includes('\n') && yamlBlockScalar(after, 0, 'literal') !== null;
  return canBeBlock && !inFlow && !isEscaped ? null : yamlScalarText(after, style, inFlow);
}

/** Rewrites the mapping, none of whose keys stays; comments between them do. */
function rewriteRoot({ text, style, json }: SourceText, root: Collection, after: Mapping): TextEdit[] {
  if (json) {
    const written = JSON.stringify(after, undefined, json.indent ?? undefined).replaceAll('\n', style.lineBreak);
    return [{ start: root.start, end: root.end, text: written }];
  }
  const lines = Object.entries(after).flatMap(([key, value]) => yamlPairLines(key, value, 0, style));
  const written = lines.length === 0 ? '{}' : lines.join(style.lineBreak);
  const [first, ...rest] = root.entries;
  if (root.flow || first === undefined) return [{ start: root.start, end: root.end, text: written }];
  return [
    { start: startOfLine(text, first.start), end: entryEndWithComments(text, first), text: written },
    ...rest.map((entry) => removeYamlEntry(text, entry, first)),
  ];
}
