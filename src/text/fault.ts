/** What is wrong with a record's text, and where: for people who mend it in an editor. */

/** One thing that is wrong with a text. */
export interface Fault {
  /** From 1. */
  readonly line: number;
  /** From 1, in UTF-16 code units, as editors count. */
  readonly column: number;
  /** JSON Pointer (RFC 6901) into the record, as far as it is known; '' is the whole. */
  readonly pointer: string;
  /** What is wrong and, where that can be guessed, what to write instead. */
  readonly message: string;
}

export type Place = Pick<Fault, 'line' | 'column'>;

/** Thrown inside the parsers: something isn't as it should be at an offset of the text. */
export class Flaw extends Error {
  readonly offset: number;
  readonly pointer: string;
  constructor(offset: number, message: string, pointer = '') {
    super(message);
    this.offset = offset;
    this.pointer = pointer;
  }
}

/** Line and column of an offset; a byte order mark at the start takes no column. */
export function placeOf(text: string, offset: number): Place {
  const before = text.slice(0, offset);
  const line = before.split('\n').length;
  const column = offset - before.lastIndexOf('\n') - (line === 1 && before.startsWith('\ufeff') ? 1 : 0);
  return { line, column };
}

/** `parent` with one part more: a key, or the index of an item. */
export const pointerTo = (parent: string, part: string | number): string =>
  `${parent}/${String(part).replaceAll('~', '~0').replaceAll('/', '~1')}`;

/** The parts of a JSON Pointer. */
export const partsOf = (pointer: string): string[] =>
  pointer
    .split('/')
    .slice(1)
    .map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'));

/** What is said of a key that is given twice; `first` is the offset of the first. */
export const duplicate = (key: string, text: string, first: number): string =>
  `The key "${key}" is given twice, first in line ${placeOf(text, first).line}: keep one of them.`;
