/**
 * Writing values as YAML: block style, one item a line, no folding. A string that a YAML 1.1 reader would take for
 * something else (1.10, yes, 2020-01-01, 007) is quoted, even if YAML 1.2 doesn't need it.
 */
import type { ScalarStyle } from './tree.ts';

/** The layout of a YAML file. */
export interface YamlStyle {
  readonly lineBreak: '\n' | '\r\n';
  /** Spaces by which a nested mapping or text block is indented. */
  readonly indent: number;
  /** Spaces by which the dashes of a list are indented under its key. */
  readonly listIndent: number;
}

export const defaultStyle: YamlStyle = { lineBreak: '\n', indent: 2, listIndent: 2 };

/** The text of a value behind a key: the part on the key's line, and the lines below, indented. */
export interface ValueText {
  readonly head: string;
  readonly lines: readonly string[];
}

type Scalar = null | boolean | number | string;

/** A JSON value, and in YAML also the numbers .inf and .nan. */
export type Value = Scalar | readonly Value[] | { readonly [key: string]: Value };

export const isMapping = (value: unknown): value is Readonly<Record<string, Value>> =>
  value !== null && typeof value === 'object' && !Array.isArray(value);

export const isScalar = (value: Value): value is Scalar => value === null || typeof value !== 'object';

export const isList = (value: Value): value is readonly Value[] => Array.isArray(value);

/**
 * Writes a value behind a key or dash.
 * @param column of the key or dash, from 0
 * @param scalarStyle of a string, if it can be written in that style
 */
export function writeYamlValue(
  value: Value,
  column: number,
  style: YamlStyle,
  scalarStyle: ScalarStyle = 'plain',
  isItem = false,
): ValueText {
  const indent = isItem ? 2 : style.indent;
  if (typeof value === 'string') {
    const wanted = scalarStyle === 'plain' && value.includes('\n') ? 'literal' : scalarStyle;
    return yamlBlockScalar(value, column + indent, wanted) ?? { head: yamlScalarText(value, scalarStyle), lines: [] };
  }
  if (isScalar(value)) return { head: yamlScalarText(value, scalarStyle), lines: [] };
  const inner = column + (isItem ? 2 : isList(value) ? style.listIndent : style.indent);
  const lines = isList(value)
    ? value.flatMap((item) => yamlItemLines(item, inner, style))
    : Object.entries(value).flatMap(([key, item]) => yamlPairLines(key, item, inner, style));
  if (lines.length === 0) return { head: yamlFlowText(value), lines };
  return isItem ? { head: (lines[0] ?? '').slice(inner), lines: lines.slice(1) } : { head: '', lines };
}

/** The lines of a key with its value. */
export function yamlPairLines(key: string, value: Value, column: number, style: YamlStyle): string[] {
  const { head, lines } = writeYamlValue(value, column, style);
  return [`${' '.repeat(column)}${yamlScalarText(key, 'plain')}:${head && ` ${head}`}`, ...lines];
}

/** The lines of an item of a list. */
export function yamlItemLines(value: Value, column: number, style: YamlStyle): string[] {
  const { head, lines } = writeYamlValue(value, column, style, 'plain', true);
  return [`${' '.repeat(column)}-${head && ` ${head}`}`, ...lines];
}

/** A value on one line, as within brackets. */
export function yamlFlowText(value: Value): string {
  if (isScalar(value)) return yamlScalarText(value, 'plain', true);
  if (isList(value)) return `[${value.map(yamlFlowText).join(', ')}]`;
  const pairs = Object.entries(value).map(
    ([key, item]) => `${yamlScalarText(key, 'plain', true)}: ${yamlFlowText(item)}`,
  );
  return pairs.length === 0 ? '{}' : `{ ${pairs.join(', ')} }`;
}

/**
 * A scalar on one line.
 * @param style used if the value allows it; a block style means plain here
 * @param inFlow true within brackets
 */
export function yamlScalarText(value: Scalar, style: ScalarStyle, inFlow = false): string {
  if (typeof value === 'number') return numberText(value);
  if (typeof value !== 'string') return String(value);
  if (style === 'single' && !unprintable.test(value) && !/[\n\t]/.test(value))
    return `'${value.replaceAll("'", "''")}'`;
  if (style !== 'double' && style !== 'single' && canBePlain(value, inFlow)) return value;
  return doubleQuoted(value);
}

function numberText(value: number): string {
  if (Number.isNaN(value)) return '.nan';
  if (!Number.isFinite(value)) return value < 0 ? '-.inf' : '.inf';
  return String(value);
}

/**
 * A text as a literal block, or a folded one if it is one paragraph; null if it can't be a block.
 * @param indent column of its lines
 */
export function yamlBlockScalar(value: string, indent: number, style: ScalarStyle): ValueText | null {
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

/** Characters that YAML doesn't allow unescaped, and invisible ones. */
const unprintable =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is looked for
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u2028\u2029\ufeff\ufffe\uffff]|[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/;

/** A double-quoted string: YAML accepts every JSON string. */
const doubleQuoted = (value: string) =>
  JSON.stringify(value).replace(
    /[\u007f-\u009f\u2028\u2029\ufeff\ufffe\uffff]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );

/** Strings that YAML 1.1 or 1.2 reads as null, boolean, number, date or time. (No common reader takes y and n so.) */
const ambiguous =
  /^(?:~|null|true|false|yes|no|on|off|=|<<|[-+]?\.(?:inf|nan)|[-+]?0[xob][\da-f_]+|[-+.]?\d[\d_,.:]*(?:e[-+]?\d+)?|\d{4}-\d{1,2}-\d{1,2}(?:[t ].*)?)$/i;

function canBePlain(value: string, inFlow: boolean): boolean {
  if (value === '' || /^\s|\s$|[\n\t]/.test(value) || unprintable.test(value)) return false;
  if (ambiguous.test(value) || /^[-+.\d][-+.\d_eE]*$/.test(value)) return false;
  if (/^[,[\]{}#&*!|>'"%@`]|^[-?:](?=\s|$)|^(?:---|\.\.\.)|:(?:\s|$)|\s#/.test(value)) return false;
  return !inFlow || !/[,[\]{}]|^[-?:]|:$/.test(value);
}
