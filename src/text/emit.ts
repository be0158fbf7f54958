/**
 * Writing values as YAML: block style, one item a line, no folding. A string that some YAML reader could take for
 * something else (1.10, yes, 2020-01-01, 007) is quoted, whether or not YAML 1.2 would: files outlive their readers.
 */
import type { ScalarStyle } from './tree.ts';

/** How a file is laid out. */
export interface Habits {
  readonly eol: '\n' | '\r\n';
  /** Spaces by which a nested mapping or text block is indented. */
  readonly step: number;
  /** Spaces by which the dashes of a list are indented under its key. */
  readonly listIndent: number;
}

export const houseHabits: Habits = { eol: '\n', step: 2, listIndent: 2 };

/** A value as it is written behind a key: what stands on the key's line, and the lines below, indented. */
export interface Written {
  readonly head: string;
  readonly lines: readonly string[];
}

type Scalar = null | boolean | number | string;

/** What a JSON document can hold, and in YAML the numbers beyond it (.inf, .nan). */
export type Value = Scalar | readonly Value[] | { readonly [key: string]: Value };

export const isMapping = (value: unknown): value is Readonly<Record<string, Value>> =>
  value !== null && typeof value === 'object' && !Array.isArray(value);

export const isScalar = (value: Value): value is Scalar => value === null || typeof value !== 'object';

export const isList = (value: Value): value is readonly Value[] => Array.isArray(value);

/**
 * Writes a value behind a key or dash.
 * @param column where the key or dash stands, from 0
 * @param style what a string should be written like, where it can
 */
export function write(
  value: Value,
  column: number,
  habits: Habits,
  style: ScalarStyle = 'plain',
  behindDash = false,
): Written {
  const step = behindDash ? 2 : habits.step;
  if (typeof value === 'string') {
    const wanted = style === 'plain' && value.includes('\n') ? 'literal' : style;
    return textBlock(value, column + step, wanted) ?? { head: scalarText(value, style), lines: [] };
  }
  if (isScalar(value)) return { head: scalarText(value, style), lines: [] };
  const inner = column + (behindDash ? 2 : isList(value) ? habits.listIndent : habits.step);
  const lines = isList(value)
    ? value.flatMap((item) => itemLines(item, inner, habits))
    : Object.entries(value).flatMap(([key, item]) => pairLines(key, item, inner, habits));
  if (lines.length === 0) return { head: inline(value), lines };
  return behindDash ? { head: (lines[0] ?? '').slice(inner), lines: lines.slice(1) } : { head: '', lines };
}

/** The lines of a key with its value. */
export function pairLines(key: string, value: Value, column: number, habits: Habits): string[] {
  const { head, lines } = write(value, column, habits);
  return [`${' '.repeat(column)}${scalarText(key, 'plain')}:${head && ` ${head}`}`, ...lines];
}

/** The lines of an item of a list. */
export function itemLines(value: Value, column: number, habits: Habits): string[] {
  const { head, lines } = write(value, column, habits, 'plain', true);
  return [`${' '.repeat(column)}-${head && ` ${head}`}`, ...lines];
}

/** A value on one line, as it stands within brackets. */
export function inline(value: Value): string {
  if (isScalar(value)) return scalarText(value, 'plain', true);
  if (isList(value)) return `[${value.map(inline).join(', ')}]`;
  const pairs = Object.entries(value).map(([key, item]) => `${scalarText(key, 'plain', true)}: ${inline(item)}`);
  return pairs.length === 0 ? '{}' : `{ ${pairs.join(', ')} }`;
}

/**
 * A scalar on one line.
 * @param style kept where the value allows it; a block style means plain here
 * @param flow whether it stands within brackets
 */
export function scalarText(value: Scalar, style: ScalarStyle, flow = false): string {
  if (typeof value === 'number') return numberText(value);
  if (typeof value !== 'string') return String(value);
  if (style === 'single' && !unprintable.test(value) && !/[\n\t]/.test(value))
    return `'${value.replaceAll("'", "''")}'`;
  if (style !== 'double' && style !== 'single' && canBePlain(value, flow)) return value;
  return doubleQuoted(value);
}

function numberText(value: number): string {
  if (Number.isNaN(value)) return '.nan';
  if (!Number.isFinite(value)) return value < 0 ? '-.inf' : '.inf';
  return String(value);
}

/**
 * A text as a block of lines, literal or, where it is one paragraph, folded; null where it can't be one.
 * @param indent column of its lines
 */
export function textBlock(value: string, indent: number, style: ScalarStyle): Written | null {
  if (style !== 'literal' && style !== 'folded') return null;
  // Blank beginnings and several blank lines at the end would need indicators that few people read.
  const blankEnd = value.slice(value.trimEnd().length);
  if (!/^\S/.test(value) || !/^[^\n]*\n?$/.test(blankEnd) || unprintable.test(value)) return null;
  const lines = value.replace(/\n$/, '').split('\n');
  const mark = style === 'folded' && lines.length === 1 ? '>' : '|';
  return {
    head: value.endsWith('\n') ? mark : `${mark}-`,
    lines: lines.map((line) => (line === '' ? '' : ' '.repeat(indent) + line)),
  };
}

/** Characters that YAML doesn't take as they are, or that nobody sees. */
const unprintable =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is looked for
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u2028\u2029\ufeff\ufffe\uffff]|[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/;

/** In double quotes YAML takes all that JSON takes. */
const doubleQuoted = (value: string) =>
  JSON.stringify(value).replace(
    /[\u007f-\u009f\u2028\u2029\ufeff\ufffe\uffff]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );

/** What YAML 1.1 or 1.2 may take for a null, a boolean, a number, a date or a time. (No reader in use takes y and n.) */
const misread =
  /^(?:~|null|true|false|yes|no|on|off|=|<<|[-+]?\.(?:inf|nan)|[-+]?0[xob][\da-f_]+|[-+.]?\d[\d_,.:]*(?:e[-+]?\d+)?|\d{4}-\d{1,2}-\d{1,2}(?:[t ].*)?)$/i;

function canBePlain(value: string, flow: boolean): boolean {
  if (value === '' || /^\s|\s$|[\n\t]/.test(value) || unprintable.test(value)) return false;
  if (misread.test(value) || /^[-+.\d][-+.\d_eE]*$/.test(value)) return false;
  if (/^[,[\]{}#&*!|>'"%@`]|^[-?:](?=\s|$)|^(?:---|\.\.\.)|:(?:\s|$)|\s#/.test(value)) return false;
  return !flow || !/[,[\]{}]|^[-?:]|:$/.test(value);
}
