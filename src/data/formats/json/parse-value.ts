/**
 * Parsing one JSON value, with what `JSON.parse` would lose or refuse:
 *
 * | In the text                              | Becomes                                                              |
 * |------------------------------------------|----------------------------------------------------------------------|
 * | an integer beyond ±(2⁵³−1)               | a string with its digits                                             |
 * | a number beyond a 64-bit float: `1e400`  | a string as it is written                                            |
 * | `NaN` (as Python and R write it)         | null                                                                 |
 * | `Infinity`, `-Infinity`                  | the number                                                           |
 * | a repeated member of an object           | its last value (RFC 8259, section 4: as most parsers do)             |
 */
import { PayloadError } from '../../errors.ts';

export interface ParsedJson {
  readonly value: unknown;
  /** True if the text is JSON by RFC 8259. */
  readonly isStrict: boolean;
}

/**
 * @param start index of the value's first byte in `bytes`; `end` is the index behind its last one
 * @param offset offset and line of the value in the payload, for errors
 * @throws PayloadError with line and byte
 */
export function parseJsonBytes(bytes: Buffer, start: number, end: number, offset: number, line: number): ParsedJson {
  const text = bytes.toString('utf8', start, end);
  try {
    return { value: JSON.parse(text), isStrict: true };
  } catch (error) {
    const standard = /NaN|Infinity/.test(text) ? withoutNonNumbers(text) : text;
    if (standard !== text) {
      try {
        return { value: JSON.parse(standard), isStrict: false };
      } catch {
        // The first error's position is that in the original text.
      }
    }
    throw jsonError(text, error as Error, offset, line);
  }
}

/**
 * A function that parses a value at its first call, with unsafe integers, and numbers that are too large for a 64-bit float, as
 * strings. It returns undefined if there are none.
 */
export function exactParser(read: () => string): () => unknown {
  let parsed: { readonly value: unknown } | undefined;
  return () => {
    if (parsed === undefined) {
      const text = read();
      parsed = { value: mayHaveUnsafeNumber(text) ? parseJsonKeepingNumbers(text) : undefined };
    }
    return parsed.value;
  };
}

/** Parses a value with unsafe integers, and numbers that are too large for a 64-bit float, as strings. */
function parseJsonKeepingNumbers(text: string): unknown {
  const quoted = replaceOutsideStrings(text, /-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/g, (token) => {
    const number = Number(token);
    const isKept = /^-?\d+$/.test(token) ? Number.isSafeInteger(number) : Number.isFinite(number);
    return isKept ? token : `"${token}"`;
  });
  return JSON.parse(/NaN|Infinity/.test(quoted) ? withoutNonNumbers(quoted) : quoted);
}

/** True if the text may have an unsafe integer, or a number that is too large for a 64-bit float: a fast check. */
const mayHaveUnsafeNumber = (text: string): boolean => /(?<![\d.])\d{16,}(?![\d.])|\d[eE]\+?\d{3}|\d{300}/.test(text);

// 1e999 is parsed as infinity.
const withoutNonNumbers = (text: string): string =>
  replaceOutsideStrings(text, /\bNaN\b|\bInfinity\b/g, (token) => (token === 'NaN' ? 'null' : '1e999'));

/** Replaces tokens outside of strings. An expression for strings themselves would overflow the stack at some megabytes. */
function replaceOutsideStrings(text: string, token: RegExp, replacement: (token: string) => string): string {
  const parts: string[] = [];
  let copied = 0;
  for (let at = 0; at < text.length; ) {
    const quote = text.indexOf('"', at);
    const end = quote === -1 ? text.length : quote;
    const between = text.slice(at, end);
    const replaced = between.replace(token, replacement);
    if (replaced !== between) {
      parts.push(text.slice(copied, at), replaced);
      copied = end;
    }
    at = endOfString(text, end);
  }
  return parts.join('') + text.slice(copied);
}

/** Index behind the string that begins at `start`. */
function endOfString(text: string, start: number): number {
  for (let quote = text.indexOf('"', start + 1); quote !== -1; quote = text.indexOf('"', quote + 1)) {
    let first = quote;
    while (text[first - 1] === '\\') first--;
    if ((quote - first) % 2 === 0) return quote + 1;
  }
  return text.length;
}

function jsonError(text: string, error: Error, offset: number, line: number): PayloadError {
  const position = /position (\d+)/.exec(error.message)?.[1];
  const at = position === undefined ? (/end of JSON input/.test(error.message) ? text.length : 0) : Number(position);
  const before = text.slice(0, at);
  const lines = before.split('\n').length - 1;
  const reason = error.message.replace(/ in JSON at position.*| is not valid JSON.*/s, '');
  return new PayloadError(`not JSON: ${reason}`, { line: line + lines, byte: offset + Buffer.byteLength(before) });
}
