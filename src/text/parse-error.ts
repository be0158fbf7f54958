/** Syntax errors in a record's text, with line and column for the person who fixes it in an editor. */
import { excerpt } from '../catalogue/errors.ts';

/** A place in a text, as editors count. */
export interface TextPosition {
  /** From 1. */
  readonly line: number;
  /** From 1, in UTF-16 code units. */
  readonly column: number;
}

/** A syntax error; the message says what is wrong and, if that can be guessed, what to write instead. */
export class ParseError extends Error implements TextPosition {
  readonly line: number;
  readonly column: number;
  /** JSON Pointer (RFC 6901) into the record, as far as it is known; '' is the whole record. */
  readonly pointer: string;

  /**
   * @param text the whole text, with or without a byte order mark
   * @param place offset of the error in the text, or its position
   */
  constructor(text: string, place: number | TextPosition, message: string, pointer = '') {
    super(message);
    this.name = 'ParseError';
    ({ line: this.line, column: this.column } = typeof place === 'number' ? lineAndColumnAt(text, place) : place);
    this.pointer = pointer;
  }
}

/** Offsets of the starts of the lines of a text, ascending. */
export function lineStartsOf(text: string): readonly number[] {
  const starts = [0];
  for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) starts.push(at + 1);
  return starts;
}

/**
 * Line and column of an offset; a byte order mark at the start takes no column.
 * @param lineStarts of the text: for several offsets in it, they are found once
 */
export function lineAndColumnAt(
  text: string,
  offset: number,
  lineStarts: readonly number[] = lineStartsOf(text.slice(0, offset)),
): TextPosition {
  let [line, more] = [0, lineStarts.length];
  while (line < more) {
    const middle = (line + more) >> 1;
    if ((lineStarts[middle] ?? 0) <= offset) line = middle + 1;
    else more = middle;
  }
  const column = offset - (lineStarts[line - 1] ?? 0) + 1;
  return { line, column: line === 1 && offset > 0 && text.startsWith('\ufeff') ? column - 1 : column };
}

/** A ParseError for the second of two equal keys; `first` and `second` are their offsets. */
export const duplicateKeyError = (
  text: string,
  key: string,
  first: number,
  second: number,
  pointer: string,
): ParseError =>
  new ParseError(
    text,
    second,
    `The key "${excerpt(key)}" is given twice, first in line ${lineAndColumnAt(text, first).line}: keep one of them.`,
    pointer,
  );

/** A ParseError for the conflicts that git's merge left in a text; null if there are none. */
export function mergeConflictError(text: string): ParseError | null {
  const found: { readonly from: number; readonly to: number; readonly sides: string }[] = [];
  let start: { readonly line: number; readonly name: string } | undefined;
  let hasMiddle = false;
  for (const [i, line] of text.split(/\r?\n/).entries()) {
    const [, mark, name = ''] = /^(<{7}|={7}|>{7})(?: (.*))?$/.exec(line) ?? [];
    if (mark === '<<<<<<<') [start, hasMiddle] = [{ line: i + 1, name }, false];
    else if (mark === '=======') hasMiddle = true;
    else if (mark === '>>>>>>>' && start && hasMiddle) {
      const sides = start.name && name ? ` (${excerpt(start.name)} and ${excerpt(name)})` : '';
      found.push({ from: start.line, to: i + 1, sides });
      start = undefined;
    }
  }
  const [first] = found;
  if (!first) return null;
  const places = found.map(({ from, to, sides }) => `${from} to ${to}${sides}`);
  const what = `Unresolved merge conflict${found.length > 1 ? 's' : ''} in lines ${excerpt(places.join(', '))}`;
  const offset = text.split('\n', first.from - 1).join('\n').length + (first.from > 1 ? 1 : 0);
  return new ParseError(
    text,
    offset,
    `${what}: keep what is right, and remove the lines <<<<<<<, ======= and >>>>>>>.`,
  );
}

/** `parent` with one token more: a key, or the index of an item (RFC 6901). */
export const appendToPointer = (parent: string, token: string | number): string =>
  `${parent}/${String(token).replaceAll('~', '~0').replaceAll('/', '~1')}`;

/** The tokens of a JSON Pointer, unescaped. */
export const pointerTokens = (pointer: string): string[] =>
  pointer
    .split('/')
    .slice(1)
    .map((token) => token.replaceAll('~1', '/').replaceAll('~0', '~'));
