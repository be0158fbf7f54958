/**
 * The tree of a YAML text, made from the events of the parser that also reads the values (js-yaml), so that editor and
 * reader always agree on what a file says.
 */
import type { Event, ScalarEvent } from 'js-yaml';
import { jsYaml } from './packages.ts';
import {
  blockHeader,
  type Collection,
  type Entry,
  endOfEntry,
  type Node,
  type Scalar,
  type ScalarStyle,
  skipBlanksAndComments,
} from './tree.ts';

function styleOf(event: ScalarEvent): ScalarStyle {
  const { SCALAR_STYLE } = jsYaml();
  switch (event.style) {
    case SCALAR_STYLE.SINGLE_QUOTED:
      return 'single';
    case SCALAR_STYLE.DOUBLE_QUOTED:
      return 'double';
    case SCALAR_STYLE.LITERAL_BLOCK:
      return 'literal';
    case SCALAR_STYLE.FOLDED_BLOCK:
      return 'folded';
    default:
      return 'plain';
  }
}

/**
 * The tree of a YAML document.
 * @param text the text that the events were parsed from
 * @param events of the document, from its DOCUMENT event on
 * @throws Error if the events end early
 */
export const treeFromYamlEvents = (text: string, events: readonly Event[]): Node =>
  new YamlTreeReader(text, events).read();

class YamlTreeReader {
  readonly #text: string;
  readonly #events: readonly Event[];
  /** Index of the next event; the first is DOCUMENT. */
  #next = 1;
  readonly #anchored = new Map<string, Event>();

  constructor(text: string, events: readonly Event[]) {
    this.#text = text;
    this.#events = events;
  }

  read(): Node {
    return this.#node(this.#take(), 0);
  }

  #take(): Event {
    const event = this.#events[this.#next++];
    if (event === undefined) throw new Error('The YAML events end early.');
    return event;
  }

  /** @param from the offset where anchor, tag or content may begin */
  #node(event: Event, from: number): Node {
    const { EVENT_ID } = jsYaml();
    if ('anchorStart' in event && event.type !== EVENT_ID.ALIAS && event.anchorStart >= 0)
      this.#anchored.set(anchorName(this.#text, event), event);
    if (event.type === EVENT_ID.ALIAS)
      return { kind: 'alias', start: event.anchorStart - 1, end: event.anchorEnd, properties: null };
    if (event.type === EVENT_ID.SCALAR) return scalarNode(this.#text, event, from);
    if (event.type === EVENT_ID.MAPPING || event.type === EVENT_ID.SEQUENCE) return this.#collection(event, from);
    throw new Error('A YAML event has no place here.');
  }

  #collection(event: Event & { type: 2 | 3 }, from: number): Collection {
    const { EVENT_ID, COLLECTION_STYLE } = jsYaml();
    const text = this.#text;
    const kind = event.type === EVENT_ID.MAPPING ? 'mapping' : 'list';
    const flow = event.style === COLLECTION_STYLE.FLOW;
    // The one pair of `[a: b]` is a mapping without brackets of its own.
    const bracketed = flow && '{['.includes(text.charAt(event.start));
    const entries: Entry[] = [];
    let offset = bracketed ? event.start + 1 : event.start;
    while (this.#events[this.#next]?.type !== EVENT_ID.POP) {
      offset = skipBlanksAndComments(text, offset);
      if (flow && text[offset] === ',') offset = skipBlanksAndComments(text, offset + 1);
      const entry = kind === 'mapping' ? this.#pair(offset) : this.#item(offset, flow);
      entries.push(entry);
      offset = endOfEntry(entry);
    }
    this.#take();
    if (bracketed) {
      offset = skipBlanksAndComments(text, offset);
      if (text[offset] === ',') offset = skipBlanksAndComments(text, offset + 1);
      offset++;
    }
    return { kind, flow, start: event.start, end: offset, entries, properties: propertiesOf(text, event, from) };
  }

  #pair(start: number): Entry {
    const text = this.#text;
    const event = this.#take();
    const key = this.#keyText(event);
    const keyNode = this.#node(event, text[start] === '?' ? start + 1 : start);
    const colon = skipBlanksAndComments(text, keyNode.end);
    const valueFrom = text[colon] === ':' ? colon + 1 : keyNode.end;
    return { key, start, valueFrom, value: this.#node(this.#take(), valueFrom) };
  }

  #item(start: number, flow: boolean): Entry {
    const valueFrom = flow ? start : start + 1;
    return { key: null, start, valueFrom, value: this.#node(this.#take(), valueFrom) };
  }

  /** The key as a string; '' for a collection. */
  #keyText(event: Event): string {
    const { EVENT_ID, SCALAR_STYLE, CORE_SCHEMA, constructFromEvents } = jsYaml();
    const source = this.#text;
    const scalar = event.type === EVENT_ID.ALIAS ? this.#anchored.get(anchorName(source, event)) : event;
    if (scalar?.type !== EVENT_ID.SCALAR) return '';
    const written = source.slice(scalar.valueStart, scalar.valueEnd);
    if (scalar.style === SCALAR_STYLE.PLAIN && scalar.tagStart < 0 && plainText.test(written)) return written;
    const document = { type: EVENT_ID.DOCUMENT, explicitStart: false, explicitEnd: false, directives: [] };
    const withoutAnchor = { ...scalar, anchorStart: -1, anchorEnd: -1 };
    const events = [document, withoutAnchor, { type: EVENT_ID.POP }];
    return String(constructFromEvents(events, { source, schema: CORE_SCHEMA })[0]);
  }
}

/** Plain scalars that are texts in the core schema, just as they are written. */
const plainText = /^(?!(?:null|true|false)$)[a-z][\w-]*$/i;

/** The name of the anchor that an event sets, or that an alias repeats. */
export const anchorName = (text: string, event: { readonly anchorStart: number; readonly anchorEnd: number }): string =>
  text.slice(event.anchorStart, event.anchorEnd);

function propertiesOf(text: string, event: Event, from: number): Node['properties'] {
  if (!('tagStart' in event)) return null;
  const end = Math.max(event.anchorEnd, event.tagEnd);
  if (end < from) return null;
  return { start: skipBlanksAndComments(text, from), end };
}

function scalarNode(text: string, event: ScalarEvent, from: number): Scalar {
  const style = styleOf(event);
  const properties = propertiesOf(text, event, from);
  const { indent } = event;
  const scalarAt = (start: number, end: number): Scalar => ({ kind: 'scalar', style, indent, properties, start, end });
  if (event.valueStart < 0) {
    const start = properties?.end ?? from;
    return scalarAt(start, start);
  }
  if (style === 'plain') return scalarAt(event.valueStart, event.valueEnd);
  if (style === 'single' || style === 'double') return scalarAt(event.valueStart - 1, event.valueEnd + 1);
  const start = skipBlanksAndComments(text, properties?.end ?? from);
  const body = text.slice(event.valueStart, event.valueEnd);
  // Blank lines behind a block belong to it only with `|+`.
  const keep = event.chomping === jsYaml().CHOMPING_MODE.KEEP;
  const content = keep ? body.replace(/\r?\n$/, '') : withoutBlankEnd(body, Math.max(0, event.indent));
  const end = content === '' ? start + blockHeader(text, start).length : event.valueStart + content.length;
  return scalarAt(start, end);
}

/** A block without the empty lines at its end; lines of more spaces than its indentation hold text. */
function withoutBlankEnd(body: string, indent: number): string {
  let end = body.length;
  for (;;) {
    const line = body.lastIndexOf('\n', end - 1);
    if (line < 0 || body.slice(line + 1, end).trim() !== '' || end - line - 1 > indent) return body.slice(0, end);
    end = body[line - 1] === '\r' ? line - 1 : line;
    if (end === 0) return '';
  }
}
