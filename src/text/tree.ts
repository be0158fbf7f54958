/**
 * Where things stand in a record's text: a tree of offsets without values. YAML and JSON make the same tree, so an
 * editor of text and a finder of places need to know only one. The YAML side is made from the events of the very parser
 * that reads the records (js-yaml): the pen and the reader can't disagree on what a file says.
 */
import {
  CHOMPING_MODE,
  CORE_SCHEMA,
  constructFromEvents,
  EVENT_ID,
  type Event,
  SCALAR_STYLE,
  type ScalarEvent,
} from 'js-yaml';

export type ScalarStyle = 'plain' | 'single' | 'double' | 'literal' | 'folded';

interface Spot {
  /** Without anchor and tag; for `key:` with nothing behind it, start and end are the place where it would be. */
  readonly start: number;
  /** Behind the last character of the content: no comment, no line break at the end. */
  readonly end: number;
  /** Anchor and tag, where there are any. */
  readonly properties: { readonly start: number; readonly end: number } | null;
}

export interface Scalar extends Spot {
  readonly kind: 'scalar';
  readonly style: ScalarStyle;
  /** Column of the text of a literal or folded block, from 0. */
  readonly indent: number;
}

export interface Alias extends Spot {
  readonly kind: 'alias';
}

export interface Collection extends Spot {
  readonly kind: 'mapping' | 'list';
  readonly flow: boolean;
  readonly entries: readonly Entry[];
}

/** A key with its value, or an item of a list. */
export interface Entry {
  /** The key as a string; null for an item of a list. */
  readonly key: string | null;
  /** The key, or the dash of an item; the item itself within brackets. */
  readonly start: number;
  /** Behind the colon or the dash: where a value may be written. */
  readonly from: number;
  readonly value: Node;
}

export type Node = Scalar | Alias | Collection;

/** The end of an entry's content: that of its value, or of the key where the value is empty. */
export const endOf = (entry: Entry): number => Math.max(entry.from, entry.value.end);

/** Whether an alias is within. */
export const repeats = (node: Node): boolean =>
  node.kind === 'alias' || ('entries' in node && node.entries.some((entry) => repeats(entry.value)));

const styles: Readonly<Record<number, ScalarStyle>> = {
  [SCALAR_STYLE.PLAIN]: 'plain',
  [SCALAR_STYLE.SINGLE_QUOTED]: 'single',
  [SCALAR_STYLE.DOUBLE_QUOTED]: 'double',
  [SCALAR_STYLE.LITERAL_BLOCK]: 'literal',
  [SCALAR_STYLE.FOLDED_BLOCK]: 'folded',
};

/** The first offset from `at` on where something other than white space and comments stands. */
export function skipBlank(text: string, at: number): number {
  let offset = at;
  for (;;) {
    while (offset < text.length && ' \t\r\n'.includes(text.charAt(offset))) offset++;
    const comment = text[offset] === '#' && (offset === 0 || ' \t\r\n'.includes(text.charAt(offset - 1)));
    if (!comment) return offset;
    while (offset < text.length && text[offset] !== '\n') offset++;
  }
}

/**
 * The tree of a YAML document.
 * @param text what `parseEvents` was given
 * @param events of the document, from its DOCUMENT event on
 * @throws Error where the events end early
 */
export function yamlTree(text: string, events: readonly Event[]): Node {
  const anchored = new Map<string, Event>();
  let next = 1;

  const take = (): Event => {
    const event = events[next++];
    if (event === undefined) throw new Error('The YAML events end early.');
    return event;
  };

  function remember(event: Event): void {
    if ('anchorStart' in event && event.type !== EVENT_ID.ALIAS && event.anchorStart >= 0)
      anchored.set(text.slice(event.anchorStart, event.anchorEnd), event);
  }

  function keyText(event: Event): string {
    const known = event.type === EVENT_ID.ALIAS ? anchored.get(text.slice(event.anchorStart, event.anchorEnd)) : event;
    if (known?.type !== EVENT_ID.SCALAR) return '';
    const start = { type: EVENT_ID.DOCUMENT, explicitStart: false, explicitEnd: false, directives: [] };
    const bare = { ...known, anchorStart: -1, anchorEnd: -1 };
    return String(constructFromEvents([start, bare, { type: EVENT_ID.POP }], { source: text, schema: CORE_SCHEMA })[0]);
  }

  function node(event: Event, from: number): Node {
    remember(event);
    if (event.type === EVENT_ID.ALIAS)
      return { kind: 'alias', start: event.anchorStart - 1, end: event.anchorEnd, properties: null };
    if (event.type === EVENT_ID.SCALAR) return scalar(text, event, from);
    if (event.type === EVENT_ID.MAPPING || event.type === EVENT_ID.SEQUENCE) return collection(event, from);
    throw new Error('A YAML event has no place here.');
  }

  function collection(event: Event & { type: 2 | 3 }, from: number): Collection {
    const kind = event.type === EVENT_ID.MAPPING ? 'mapping' : 'list';
    const flow = event.style === 2;
    // The one pair of `[a: b]` is a mapping without brackets of its own.
    const bracketed = flow && '{['.includes(text.charAt(event.start));
    const entries: Entry[] = [];
    let offset = bracketed ? event.start + 1 : event.start;
    while (events[next]?.type !== EVENT_ID.POP) {
      offset = skipBlank(text, offset);
      if (flow && text[offset] === ',') offset = skipBlank(text, offset + 1);
      const entry = kind === 'mapping' ? pair(offset) : item(offset, flow);
      entries.push(entry);
      offset = endOf(entry);
    }
    take();
    if (bracketed) {
      offset = skipBlank(text, offset);
      if (text[offset] === ',') offset = skipBlank(text, offset + 1);
      offset++;
    }
    return { kind, flow, start: event.start, end: offset, entries, properties: propertiesOf(text, event, from) };
  }

  function pair(start: number): Entry {
    const event = take();
    const key = keyText(event);
    const keyNode = node(event, text[start] === '?' ? start + 1 : start);
    const colon = skipBlank(text, keyNode.end);
    const from = text[colon] === ':' ? colon + 1 : keyNode.end;
    return { key, start, from, value: node(take(), from) };
  }

  function item(start: number, flow: boolean): Entry {
    const from = flow ? start : start + 1;
    return { key: null, start, from, value: node(take(), from) };
  }

  return node(take(), 0);
}

function propertiesOf(text: string, event: Event, from: number): Spot['properties'] {
  if (!('tagStart' in event)) return null;
  const end = Math.max(event.anchorEnd, event.tagEnd);
  if (end < from) return null;
  return { start: skipBlank(text, from), end };
}

function scalar(text: string, event: ScalarEvent, from: number): Scalar {
  const style = styles[event.style] ?? 'plain';
  const properties = propertiesOf(text, event, from);
  const common = { kind: 'scalar', style, indent: event.indent, properties } as const;
  if (event.valueStart < 0) {
    const start = properties?.end ?? from;
    return { ...common, start, end: start };
  }
  if (style === 'plain') return { ...common, start: event.valueStart, end: event.valueEnd };
  if (style === 'single' || style === 'double')
    return { ...common, start: event.valueStart - 1, end: event.valueEnd + 1 };
  const start = skipBlank(text, properties?.end ?? from);
  const body = text.slice(event.valueStart, event.valueEnd);
  // Blank lines behind a block belong to it only where it says so: `|+`.
  const keep = event.chomping === CHOMPING_MODE.KEEP;
  const content = keep ? body.replace(/\r?\n$/, '') : withoutBlankEnd(body, Math.max(0, event.indent));
  const end = content === '' ? start + header(text, start).length : event.valueStart + content.length;
  return { ...common, start, end };
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

/** The indicators of a literal or folded block at an offset, such as `|-`. */
export const header = (text: string, at: number): string => /^[|>][-+0-9]*/.exec(text.slice(at, at + 4))?.[0] ?? '';
