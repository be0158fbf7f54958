/** What can be wrong with a JSON text before its items are parsed. */
import { maxDepth } from '../limits.ts';
import { PayloadError } from '../payload-error.ts';

export const tooDeep = (line: number, byte: number) =>
  new PayloadError(`nested deeper than ${maxDepth} levels`, { line, byte });

export const brokenString = (line: number, byte: number) =>
  new PayloadError('a string goes over the end of the line', { line, byte });

export const cutOff = (line: number, byte: number) =>
  new PayloadError('the text breaks off in the middle of a value', { line, byte });

export function misplaced(chunk: Buffer, at: number, line: number, base: number): PayloadError {
  const found = JSON.stringify(chunk.toString('utf8', at, at + 12));
  return new PayloadError(`expected an object, or what ends or separates objects, and found ${found}`, {
    line,
    byte: base + at,
  });
}
