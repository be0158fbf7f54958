/**
 * YAML 1.2 (core schema), as a record may use it: one document, no directives, no tags but those of the core schema,
 * and few aliases.
 */

import type { Event } from 'js-yaml';
import { excerpt } from '../catalogue/errors.ts';
import { jsYaml } from './packages.ts';
import { appendToPointer, duplicateKeyError, ParseError } from './parse-error.ts';
import { maxDepth, type Node } from './tree.ts';
import { explainYamlError } from './yaml-errors.ts';
import { anchorName, treeFromYamlEvents } from './yaml-tree.ts';

const maxAliases = 100;
/** Limit of the values that aliases repeat in all: records repeat a few, a "billion laughs" attack repeats many. */
const maxRepeated = 10_000;

/**
 * Reads one YAML document: its value, and a function that returns its tree without parsing the text again.
 * @param text without a byte order mark
 * @throws ParseError
 */
export const readYaml = (text: string): { readonly value: unknown; readonly tree: () => Node } =>
  withEvents(text, (events) => ({
    // A copy, whose texts don't keep the whole text in memory as the parts that they are of it.
    value: structuredClone(
      jsYaml().constructFromEvents(events, { source: text, schema: jsYaml().CORE_SCHEMA, maxAliases })[0],
    ),
    tree: () => treeFromYamlEvents(text, events),
  }));

/**
 * The tree of one YAML document; a duplicate key is in it twice.
 * @param text without a byte order mark
 * @throws ParseError
 */
export const parseYamlTree = (text: string): Node => withEvents(text, (events) => treeFromYamlEvents(text, events));

function withEvents<T>(text: string, use: (events: Event[]) => T): T {
  const { parseEvents, YAMLException } = jsYaml();
  try {
    const events = parseEvents(text, { maxDepth });
    checkDocuments(text, events);
    assertBoundedAliases(text, events);
    return use(events);
  } catch (error) {
    if (error instanceof ParseError) throw error;
    const offset = error instanceof YAMLException ? (error.mark?.position ?? 0) : 0;
    const reason = error instanceof YAMLException ? error.reason : String(error);
    if (reason === 'duplicated mapping key')
      throw findDuplicateKey(text, parseYamlTree(text), '') ?? new ParseError(text, offset, reason);
    throw explainYamlError(text, offset, reason);
  }
}

function checkDocuments(text: string, events: readonly Event[]): void {
  const documents = events.filter((event) => event.type === jsYaml().EVENT_ID.DOCUMENT);
  const directive = /^%.*/m.exec(text);
  if (directive && documents[0]?.explicitStart && directive.index < text.search(/^---/m)) {
    const message = `Directives such as "${excerpt(directive[0].trim())}" have no place in a record: remove the line.`;
    throw new ParseError(text, directive.index, message);
  }
  if (documents.length === 0)
    throw new ParseError(text, 0, 'The file is empty: it needs at least one "key: value" line.');
  if (documents.length > 1) {
    const separator = [...text.matchAll(/^(?:---|\.\.\.)(?=\s|$)/gm)].at(documents[0]?.explicitStart ? 1 : 0);
    const message = 'The file holds several YAML documents, and a record is one: remove the "---".';
    throw new ParseError(text, separator?.index ?? 0, message);
  }
}

/** Refuses what would grow without bounds when it is expanded: cycles, and aliases of aliases of aliases. */
function assertBoundedAliases(text: string, events: readonly Event[]): void {
  const { EVENT_ID } = jsYaml();
  if (!events.some((event) => event.type === EVENT_ID.ALIAS)) return;
  /** Number of values by anchor. */
  const sizes = new Map<string, number>();
  const open: { name: string | null; size: number }[] = [];
  let repeated = 0;
  const add = (size: number) => {
    const innermost = open.at(-1);
    if (innermost) innermost.size += size;
  };
  for (const event of events) {
    const name = 'anchorStart' in event && event.anchorStart >= 0 ? anchorName(text, event) : null;
    if (event.type === EVENT_ID.ALIAS) {
      const start = event.anchorStart - 1;
      if (open.some((collection) => collection.name === name))
        throw new ParseError(text, start, `The alias *${excerpt(name)} stands within the value that it repeats.`);
      const size = sizes.get(name ?? '') ?? 1;
      repeated += size;
      if (repeated > maxRepeated)
        throw new ParseError(text, start, 'The aliases repeat too much: write the values out.');
      add(size);
    } else if (event.type === EVENT_ID.SCALAR) {
      if (name !== null) sizes.set(name, 1);
      add(1);
    } else if (event.type === EVENT_ID.POP) {
      const closed = open.pop();
      if (closed?.name) sizes.set(closed.name, closed.size);
      add(closed?.size ?? 0);
    } else open.push({ name, size: 1 });
  }
}

/** The first duplicate key in a node; null if there is none. */
function findDuplicateKey(text: string, node: Node, parent: string): ParseError | null {
  if (node.kind !== 'mapping' && node.kind !== 'list') return null;
  const offsets = new Map<string, number>();
  for (const [index, { key, start, value }] of node.entries.entries()) {
    const pointer = appendToPointer(parent, key ?? index);
    if (key !== null) {
      const first = offsets.get(key);
      if (first !== undefined) return duplicateKeyError(text, key, first, start, pointer);
      offsets.set(key, start);
    }
    const within = findDuplicateKey(text, value, pointer);
    if (within) return within;
  }
  return null;
}
