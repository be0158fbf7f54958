/** Problems in the files of a catalogue. */
/** Kinds of problems, for programs. */
export type DiagnosticCode =
  /** The file cannot be read, parsed, or does not fit its schema: the record is broken. */
  | 'unreadable'
  | 'syntax'
  | 'schema'
  /** The file has no place in the layout, its folder lacks its record, or another file has the same name. */
  | 'layout'
  | 'container'
  | 'name'
  /** Another record has the id; the record has none. */
  | 'id'
  | 'missing-id'
  /** A record, an image or a former address that a field names. */
  | 'reference'
  | 'image'
  | 'alias'
  | 'column'
  | 'unknown-key'
  /** A value fits the schema and not its field: an unknown licence, no address. */
  | 'value'
  /** A fact that a standard demands or wants is missing. */
  | 'standards'
  | 'payload'
  | 'accounts'
  /** From a server that does not report a code. */
  | 'unknown';

/** The line of a problem, or the part of it around the problem. */
export interface Excerpt {
  readonly text: string;
  /** Index of the problem in the text. */
  readonly at: number;
}

/** Problem in a file, with its place and what to write instead. */
export interface Diagnostic {
  /** Relative to the catalogue folder, with slashes. */
  readonly path: string;
  /** From 1; 1 if the whole file is meant. */
  readonly line: number;
  readonly column: number;
  /** JSON Pointer (RFC 6901) into the record; '' is the whole. */
  readonly pointer: string;
  readonly message: string;
  /** `error` if a record is wrong or not served; `warning` if it should be checked. */
  readonly severity: 'error' | 'warning';
  readonly code: DiagnosticCode;
  /** For those who may write the file: it may hold what only they may see. Absent if it isn't known. */
  readonly excerpt?: Excerpt;
  /** True if the text of the file says that it is private, or a draft: then only those who may write it hear of it. */
  readonly isPrivate?: true;
}

/** True if the record can't be read, parsed or validated: its last valid contents are served. */
export const isOfBrokenRecord = ({ code }: Pick<Diagnostic, 'code'>): boolean =>
  code === 'unreadable' || code === 'syntax' || code === 'schema';

/** What is wrong in a file of the catalogue. */
export interface FileProblems {
  /** Relative to the catalogue folder, with slashes. */
  readonly path: string;
  readonly problems: readonly Diagnostic[];
}

/** Longest excerpt, in UTF-16 units, and how much of it stands before the place of a longer line. */
const longest = 72;
const before = 40;

// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is replaced
const control = /[\x00-\x1f\x7f-\x9f]/g;

/**
 * The line of a place, or the part around it. Tabs and control characters are one blank each.
 * @param line from 1
 * @param column from 1, in UTF-16 units
 * @param start offset of the line, if it is known
 * @returns undefined if the text has no such line, or an empty one
 */
export function excerptAt(
  text: string,
  line: number,
  column: number,
  start = startOfLine(text, line),
): Excerpt | undefined {
  if (start === undefined) return undefined;
  const end = text.indexOf('\n', start);
  const at = Math.max(0, column - 1);
  const first = at < longest ? 0 : at - before;
  // A line of JSON may be as long as the file: no more of it is copied than is shown.
  const part = text.slice(start + first, Math.min(end < 0 ? text.length : end, start + first + longest));
  const shown = part
    .replace(control, ' ')
    .replace(/[\ud800-\udfff]/gu, '\ufffd')
    .trimEnd();
  if (shown === '') return undefined;
  return { text: shown, at: Math.min(at - first, shown.length) };
}

function startOfLine(text: string, line: number): number | undefined {
  let start = 0;
  for (let number = 1; number < line; number++) {
    const end = text.indexOf('\n', start);
    if (end < 0) return undefined;
    start = end + 1;
  }
  return start;
}
