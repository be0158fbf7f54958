/**
 * Editing a record's text. Its comments, the order of its keys, keys that nobody here knows, quotes, indentation and
 * line breaks belong to the people who wrote it: an edit changes the characters it is about, and no others.
 */
import { ConflictError } from '../catalogue/errors.ts';
import { same } from './align.ts';
import { houseHabits, isMapping, pairLines, type Value } from './emit.ts';
import { type Format, parseRecord, treeOf, withoutMark } from './parse.ts';
import { habitsOf, jsonHabitsOf } from './sheet.ts';
import { type Doubt, splice } from './splice.ts';
import { type Entry, endOf, repeats } from './tree.ts';

type Mapping = Readonly<Record<string, Value>>;

/**
 * The text with top-level keys set. What is untouched stays byte for byte; without a change of value the text is the
 * same. New keys get their place in `order`: behind the last present key that comes before them there.
 * @param changes values by key: what JSON can hold; undefined removes the key
 * @param order canonical order of the keys; keys that aren't in it come last
 * @throws ConflictError where the text is broken, or written in a way that can't be edited; TypeError for a value
 *   that is no JSON
 */
export function editText(
  text: string,
  format: Format,
  changes: Readonly<Record<string, unknown>>,
  order: readonly string[],
): string {
  const source = withoutMark(text);
  const before = recordIn(source, format);
  const after = merge(before, changes, format);
  if (same(before, after)) return text;

  const root = treeOf(source, format);
  if (root.kind !== 'mapping') throw new ConflictError('The record is an alias, which can only be edited by hand.');
  const json = format === 'json' ? jsonHabitsOf(source, root) : null;
  const sheet = { text: source, habits: habitsOf(source, root), json };
  const doubts = new Map<string, Doubt>();
  // Each round reads the result back. A key that came out wrong (an alias of what was changed, say) is written more
  // plainly in the next one.
  for (;;) {
    const result = splice(sheet, root, before, after, order, doubts);
    const wrong = result === null ? null : differences(result, format, after);
    if (result !== null && wrong?.length === 0) return text.slice(0, text.length - source.length) + result;
    const suspects = (wrong ?? suspectsIn(source, root.entries, before, after)).filter(
      (key) => doubts.get(key) !== 'value',
    );
    if (suspects.length === 0)
      throw new ConflictError('The record is written in a way that can only be edited by hand.');
    for (const key of suspects) doubts.set(key, doubts.has(key) ? 'value' : 'aliases');
  }
}

/**
 * The text of a new record: block style, one item a line, keys in the order given and then in their own.
 * @param header a comment for the first line, such as `# yaml-language-server: $schema=…`
 * @throws TypeError for a value that is no JSON
 */
export function newText(
  _format: 'yaml',
  value: Readonly<Record<string, unknown>>,
  order: readonly string[],
  header?: string,
): string {
  const record = merge({}, value, 'yaml');
  const keys = [...order.filter((key) => Object.hasOwn(record, key)), ...Object.keys(record)];
  const lines = [...new Set(keys)].flatMap((key) => pairLines(key, record[key] as Value, 0, houseHabits));
  const text = [...(header === undefined ? [] : [header]), ...(lines.length === 0 ? ['{}'] : lines), ''].join('\n');
  if (differences(text, 'yaml', record)?.length !== 0) throw new TypeError('The record has no text that reads back.');
  return text;
}

function recordIn(source: string, format: Format): Mapping {
  const parsed = parseRecord(source, format);
  if ('value' in parsed) return parsed.value as Mapping;
  const [fault] = parsed.faults;
  throw new ConflictError(`Line ${fault?.line}, column ${fault?.column}: ${fault?.message}`);
}

/** Keys that read otherwise than they should; null where nothing can be read. */
function differences(text: string, format: Format, wanted: Mapping): string[] | null {
  const parsed = parseRecord(text, format);
  if (!('value' in parsed) || !isMapping(parsed.value)) return null;
  const found = parsed.value;
  const keys = new Set([...Object.keys(found), ...Object.keys(wanted)]);
  return [...keys].filter(
    (key) => !Object.hasOwn(found, key) || !Object.hasOwn(wanted, key) || !same(found[key], wanted[key]),
  );
}

/** Keys that may have made a text unreadable: those that were changed, and those that repeat something of them. */
function suspectsIn(text: string, entries: readonly Entry[], before: Mapping, after: Mapping): string[] {
  const changed = entries.filter(({ key }) => key !== null && !same(before[key], after[key]));
  const anchors = changed.flatMap((entry) =>
    [...text.slice(entry.start, endOf(entry)).matchAll(/&([^\s,[\]{}]+)/g)].map((match) => match[1]),
  );
  const repeating = entries.filter(
    (entry) =>
      repeats(entry.value) && anchors.some((name) => text.slice(entry.from, endOf(entry)).includes(`*${name}`)),
  );
  return [...new Set([...changed, ...repeating].map(({ key }) => key ?? ''))];
}

function merge(before: Mapping, changes: Readonly<Record<string, unknown>>, format: Format): Mapping {
  const merged = new Map<string, Value>(Object.entries(before));
  for (const [key, value] of Object.entries(changes)) {
    if (value === undefined) merged.delete(key);
    else merged.set(key, plain(value, key, format));
  }
  // Not an object literal with assignments: `__proto__` is a key like any other.
  return Object.fromEntries(merged);
}

/** A copy with nothing but what the format can hold; undefined within it is left out, as JSON does. */
function plain(value: unknown, name: string, format: Format): Value {
  if (value === null || typeof value === 'string' || typeof value === 'boolean') return value;
  if (typeof value === 'number' && (format === 'yaml' || Number.isFinite(value))) return value === 0 ? 0 : value;
  if (Array.isArray(value)) return value.map((item) => plain(item ?? null, name, format));
  const prototype = typeof value === 'object' ? Object.getPrototypeOf(value) : undefined;
  if (prototype !== null && prototype !== Object.prototype)
    throw new TypeError(`${name}: ${typeof value} ${String(value)} has no place in a record.`);
  const entries = Object.entries(value as object).filter(([, item]) => item !== undefined);
  return Object.fromEntries(entries.map(([key, item]) => [key, plain(item, name, format)]));
}
