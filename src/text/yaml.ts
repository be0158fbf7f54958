/**
 * YAML 1.2 (core schema), as a record may use it: one document, no directives, no tags but those of the core schema,
 * and few aliases.
 */
import { CORE_SCHEMA, constructFromEvents, EVENT_ID, type Event, parseEvents, YAMLException } from 'js-yaml';
import { explain } from './explain.ts';
import { duplicate, Flaw, pointerTo } from './fault.ts';
import { type Node, yamlTree } from './tree.ts';

/** Deeper nesting than this is refused, in YAML and in JSON alike. */
export const maxDepth = 50;
const maxAliases = 100;
/** How many values aliases may repeat, all in all. Records repeat a few; the bombs known as billion laughs, many. */
const maxRepeated = 10_000;

/**
 * Reads one YAML document.
 * @param text without a byte order mark
 * @throws Flaw
 */
export function readYaml(text: string): unknown {
  return attempt(text, (events) => constructFromEvents(events, { source: text, schema: CORE_SCHEMA, maxAliases })[0]);
}

/**
 * Where things stand in one YAML document; duplicate keys are in it twice.
 * @param text without a byte order mark
 * @throws Flaw
 */
export function treeOfYaml(text: string): Node {
  return attempt(text, (events) => yamlTree(text, events));
}

function attempt<T>(text: string, use: (events: Event[]) => T): T {
  try {
    const events = parseEvents(text, { maxDepth });
    checkDocuments(text, events);
    checkAliases(text, events);
    return use(events);
  } catch (error) {
    if (error instanceof Flaw) throw error;
    const offset = error instanceof YAMLException ? (error.mark?.position ?? 0) : 0;
    const reason = error instanceof YAMLException ? error.reason : String(error);
    if (reason === 'duplicated mapping key') throw duplicateKey(text) ?? new Flaw(offset, reason);
    const { at, message } = explain(text, offset, reason);
    throw new Flaw(at, message);
  }
}

function checkDocuments(text: string, events: readonly Event[]): void {
  const documents = events.filter((event) => event.type === EVENT_ID.DOCUMENT);
  const directive = /^%.*/m.exec(text);
  if (directive && documents[0]?.explicitStart && directive.index < text.search(/^---/m))
    throw new Flaw(
      directive.index,
      `Directives such as "${directive[0].trim()}" have no place in a record: remove the line.`,
    );
  if (documents.length === 0) throw new Flaw(0, 'The file is empty: it needs at least one "key: value" line.');
  if (documents.length > 1) {
    const separator = [...text.matchAll(/^(?:---|\.\.\.)(?=\s|$)/gm)].at(documents[0]?.explicitStart ? 1 : 0);
    throw new Flaw(
      separator?.index ?? 0,
      'The file holds several YAML documents, and a record is one: remove the "---".',
    );
  }
}

/** Refuses what would grow without bounds when it is written out: cycles, and aliases of aliases of aliases. */
function checkAliases(text: string, events: readonly Event[]): void {
  if (!events.some((event) => event.type === EVENT_ID.ALIAS)) return;
  const sizes = new Map<string, number>();
  const open: { name: string | null; size: number }[] = [];
  let repeated = 0;
  const add = (size: number) => {
    const top = open.at(-1);
    if (top) top.size += size;
  };
  for (const event of events) {
    const name =
      'anchorStart' in event && event.anchorStart >= 0 ? text.slice(event.anchorStart, event.anchorEnd) : null;
    if (event.type === EVENT_ID.ALIAS) {
      if (open.some((collection) => collection.name === name))
        throw new Flaw(event.anchorStart - 1, `The alias *${name} stands within the value that it repeats.`);
      const size = sizes.get(name ?? '') ?? 1;
      repeated += size;
      if (repeated > maxRepeated)
        throw new Flaw(event.anchorStart - 1, 'The aliases repeat too much: write the values out.');
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

/** The second of the first two keys that are the same. */
function duplicateKey(text: string): Flaw | null {
  const search = (node: Node, pointer: string): Flaw | null => {
    if (node.kind !== 'mapping' && node.kind !== 'list') return null;
    const seen = new Map<string, number>();
    for (const [index, entry] of node.entries.entries()) {
      const here = pointerTo(pointer, entry.key ?? index);
      if (entry.key !== null) {
        const first = seen.get(entry.key);
        if (first !== undefined) return new Flaw(entry.start, duplicate(entry.key, text, first), here);
        seen.set(entry.key, entry.start);
      }
      const within = search(entry.value, here);
      if (within) return within;
    }
    return null;
  };
  return search(treeOfYaml(text), '');
}
