/**
 * Editing a record's text. Comments, the order of keys, unknown keys, quotes, indentation and line breaks belong to the
 * people who wrote it: an edit changes the characters that it has to, and no others.
 */
import { isDeepStrictEqual } from 'node:util';
import { ConflictError } from '../catalogue/errors.ts';
import { applyValueChangesToText, type Fallback } from './apply-changes.ts';
import { type Format, RecordText, stripByteOrderMark } from './parse.ts';
import { detectJsonStyle, detectYamlStyle } from './source-text.ts';
import { type Entry, endOfEntry, hasAlias } from './tree.ts';
import { defaultStyle, isMapping, type Value, yamlPairLines } from './yaml-writer.ts';

type Mapping = Readonly<Record<string, Value>>;

/**
 * The text with top-level keys set. Everything else stays byte for byte; without a change of value the text is
 * returned as it is. A new key follows the last present key that precedes it in `order`.
 * @param changes JSON values by key; undefined removes the key
 * @param order canonical order of the keys; keys that aren't in it come last
 * @throws ConflictError if the text is broken, or written in a way that can't be edited; TypeError for a value that
 *   isn't JSON
 */
export const editRecordText = (
  text: string,
  format: Format,
  changes: Readonly<Record<string, unknown>>,
  order: readonly string[],
): string => editRecord(new RecordText(text, format), changes, order).text;

/** `editRecordText` for a text that may have been parsed; so is its result. */
export function editRecord(
  record: RecordText,
  changes: Readonly<Record<string, unknown>>,
  order: readonly string[],
): RecordText {
  const { text, format } = record;
  const body = stripByteOrderMark(text);
  const before = mappingOf(record);
  const after = merge(before, changes, format);
  if (isDeepStrictEqual(before, after)) return record;

  const root = record.tree;
  if (root.kind !== 'mapping') throw new ConflictError('The record is an alias, which can only be edited by hand.');
  const json = format === 'json' ? detectJsonStyle(body, root) : null;
  const source = { text: body, style: detectYamlStyle(body, root), json };
  const fallbacks = new Map<string, Fallback>();
  // Each round reads its result back. A key that came out wrong (an alias of a changed value, say) gets a larger edit
  // in the next round.
  for (;;) {
    const edited = applyValueChangesToText(source, root, before, after, order, fallbacks);
    const result = edited === null ? null : new RecordText(text.slice(0, text.length - body.length) + edited, format);
    const wrong = result && differingKeys(result, after);
    if (result && wrong?.length === 0) return result;
    const suspects = (wrong ?? suspectKeys(body, root.entries, before, after)).filter(
      (key) => fallbacks.get(key) !== 'value',
    );
    if (suspects.length === 0)
      throw new ConflictError('The record is written in a way that can only be edited by hand.');
    for (const key of suspects) fallbacks.set(key, fallbacks.has(key) ? 'value' : 'aliases');
  }
}

/**
 * The YAML text of a new record: block style, one item a line, the keys of `order` first.
 * @param header a comment for the first line, such as `# yaml-language-server: $schema=…`
 * @throws TypeError for a value that isn't JSON
 */
export function newRecordText(
  value: Readonly<Record<string, unknown>>,
  order: readonly string[],
  header?: string,
): string {
  const record = merge({}, value, 'yaml');
  const keys = [...order.filter((key) => Object.hasOwn(record, key)), ...Object.keys(record)];
  const lines = [...new Set(keys)].flatMap((key) => yamlPairLines(key, record[key] as Value, 0, defaultStyle));
  const text = [...(header === undefined ? [] : [header]), ...(lines.length === 0 ? ['{}'] : lines), ''].join('\n');
  if (differingKeys(new RecordText(text, 'yaml'), record)?.length !== 0)
    throw new TypeError('The record has no text that reads back.');
  return text;
}

/** The content of a record. @throws ConflictError if its text is broken */
export function mappingOf({ parsed }: RecordText): Mapping {
  if ('value' in parsed) return parsed.value as Mapping;
  const { line, column, message } = parsed.error;
  throw new ConflictError(`Line ${line}, column ${column}: ${message}`);
}

/** Keys whose value in the text isn't the wanted one; null if the text can't be parsed. */
function differingKeys({ parsed }: RecordText, wanted: Mapping): string[] | null {
  if (!('value' in parsed) || !isMapping(parsed.value)) return null;
  const found = parsed.value;
  const keys = new Set([...Object.keys(found), ...Object.keys(wanted)]);
  return [...keys].filter(
    (key) => !Object.hasOwn(found, key) || !Object.hasOwn(wanted, key) || !isDeepStrictEqual(found[key], wanted[key]),
  );
}

/** Keys that may have made a text unparsable: those that changed, and those with a YAML alias (`*name`) of an anchor in them. */
function suspectKeys(text: string, entries: readonly Entry[], before: Mapping, after: Mapping): string[] {
  const changed = entries.filter(({ key }) => key !== null && !isDeepStrictEqual(before[key], after[key]));
  const anchors = changed.flatMap((entry) =>
    [...text.slice(entry.start, endOfEntry(entry)).matchAll(/&([^\s,[\]{}]+)/g)].map((match) => match[1]),
  );
  const repeating = entries.filter(
    (entry) =>
      hasAlias(entry.value) &&
      anchors.some((name) => text.slice(entry.valueFrom, endOfEntry(entry)).includes(`*${name}`)),
  );
  return [...new Set([...changed, ...repeating].map(({ key }) => key ?? ''))];
}

function merge(before: Mapping, changes: Readonly<Record<string, unknown>>, format: Format): Mapping {
  const merged = new Map<string, Value>(Object.entries(before));
  for (const [key, value] of Object.entries(changes)) {
    if (value === undefined) merged.delete(key);
    else merged.set(key, copyOf(value, key, format));
  }
  // Not an object literal with assignments: `__proto__` is a key like any other.
  return Object.fromEntries(merged);
}

/**
 * A copy of the parts that the format can hold; undefined within a value is left out, as JSON does.
 * @param key for the error message
 */
function copyOf(value: unknown, key: string, format: Format): Value {
  if (value === null || typeof value === 'string' || typeof value === 'boolean') return value;
  if (typeof value === 'number' && (format === 'yaml' || Number.isFinite(value))) return value === 0 ? 0 : value;
  if (Array.isArray(value)) return value.map((item) => copyOf(item ?? null, key, format));
  const prototype = typeof value === 'object' ? Object.getPrototypeOf(value) : undefined;
  if (prototype !== null && prototype !== Object.prototype)
    throw new TypeError(`${key}: ${typeof value} ${String(value)} has no place in a record.`);
  const entries = Object.entries(value as object).filter(([, item]) => item !== undefined);
  return Object.fromEntries(entries.map(([name, item]) => [name, copyOf(item, key, format)]));
}
