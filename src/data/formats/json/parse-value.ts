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
 * @param start from here to `end` in `bytes` is the value
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

/** Parses a value with unsafe integers, and numbers that are too large for a 64-bit float, as strings. */
export function parseJsonKeepingNumbers(text: string): unknown {
  const quoted = text.replace(/"(?:[^"\\]|\\.)*"|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/g, (token) => {
    if (token.startsWith('"')) return token;
    const number = Number(token);
    const isKept = /^-?\d+$/.test(token) ? Number.isSafeInteger(number) : Number.isFinite(number);
    return isKept ? token : `"${token}"`;
  });
  return JSON.parse(/NaN|Infinity/.test(quoted) ? withoutNonNumbers(quoted) : quoted);
}

/** True if the text may have an unsafe integer, or a number that is too large for a 64-bit float: a fast check. */
export const mayHaveUnsafeNumber = (text: string): boolean =>
  /(?<![\d.])\d{16,}(?![\d.])|\d[eE]\+?\d{3}|\d{300}/.test(text);

// 1e999 is parsed as infinity.
const withoutNonNumbers = (text: string): string =>
  text.replace(/"(?:[^"\\]|\\.)*"|\bNaN\b|\bInfinity\b/g, (token) =>
    token === 'NaN' ? 'null' : token === 'Infinity' ? '1e999' : token,
  );

function jsonError(text: string, error: Error, offset: number, line: number): PayloadError {
  const position = /position (\d+)/.exec(error.message)?.[1];
  const at = position === undefined ? (/end of JSON input/.test(error.message) ? text.length : 0) : Number(position);
  const before = text.slice(0, at);
  const lines = before.split('\n').length - 1;
  const reason = error.message.replace(/ in JSON at position.*| is not valid JSON.*/s, '');
  return new PayloadError(`not JSON: ${reason}`, { line: line + lines, byte: offset + Buffer.byteLength(before) });
}
