/**
 * Parses one JSON value, and keeps what `JSON.parse` would lose or refuse:
 *
 * | In the text                              | Becomes                                                              |
 * |------------------------------------------|----------------------------------------------------------------------|
 * | an integer beyond ±(2⁵³−1)               | a string with its digits                                             |
 * | `NaN` (as Python and R write it)         | null                                                                 |
 * | `Infinity`, `-Infinity`                  | the number                                                           |
 * | a member that an object has twice        | its last value (RFC 8259, section 4: what most readers do)           |
 */
import { PayloadError } from '../../errors.ts';

export interface Parsed {
  readonly value: unknown;
  /** Whether the text is JSON as RFC 8259 has it. */
  readonly strict: boolean;
}

/** @throws PayloadError with the place of the fault; `offset` and `line` say where the value begins */
export function parseValue(bytes: Buffer, start: number, end: number, offset: number, line: number): Parsed {
  const text = bytes.toString('utf8', start, end);
  try {
    return { value: JSON.parse(text), strict: true };
  } catch (error) {
    const spared = /NaN|Infinity/.test(text) ? withoutNonNumbers(text) : text;
    if (spared !== text) {
      try {
        return { value: JSON.parse(spared), strict: false };
      } catch {
        // The first message is about the text as it stands.
      }
    }
    throw faultIn(text, error as Error, offset, line);
  }
}

/** The same value again, with integers too great for a number as strings. */
export function parseKeepingIntegers(text: string): unknown {
  const quoted = text.replace(/"(?:[^"\\]|\\.)*"|-?\d{16,}(?![\d.eE])/g, (token, at: number) => {
    if (token.startsWith('"') || Number.isSafeInteger(Number(token)) || /[\d.eE+]/.test(text[at - 1] ?? ''))
      return token;
    return `"${token}"`;
  });
  return JSON.parse(/NaN|Infinity/.test(quoted) ? withoutNonNumbers(quoted) : quoted);
}

/** Whether the text may hold an integer that a number can't: a quick look. */
export const mayHoldBigInteger = (text: string): boolean => /(?<![\d.])\d{16,}(?![\d.])/.test(text);

// 1e999 is how JSON can say infinity: it reads as one.
const withoutNonNumbers = (text: string): string =>
  text.replace(/"(?:[^"\\]|\\.)*"|\bNaN\b|\bInfinity\b/g, (token) =>
    token === 'NaN' ? 'null' : token === 'Infinity' ? '1e999' : token,
  );

function faultIn(text: string, error: Error, offset: number, line: number): PayloadError {
  const position = /position (\d+)/.exec(error.message)?.[1];
  const at = position === undefined ? (/end of JSON input/.test(error.message) ? text.length : 0) : Number(position);
  const before = text.slice(0, at);
  const lines = before.split('\n').length - 1;
  const reason = error.message.replace(/ in JSON at position.*| is not valid JSON.*/s, '');
  return new PayloadError(`not JSON: ${reason}`, { line: line + lines, byte: offset + Buffer.byteLength(before) });
}
