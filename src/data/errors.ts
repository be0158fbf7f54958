/** Errors in payloads and parameters, and suggestions for their messages. */
import { closest } from '../catalogue/closest.ts';

/**
 * A payload that can't be read. The byte counts from 0 in the text after inflating and decoding, the line from 1; the
 * message begins with them.
 */
export class PayloadError extends Error {
  override readonly name = 'PayloadError';
  /** The message without line and byte. */
  readonly reason: string;
  readonly line: number | undefined;
  readonly byte: number | undefined;

  constructor(reason: string, { line, byte }: { line?: number; byte?: number } = {}) {
    const position = [
      ...(line === undefined ? [] : [`line ${line}`]),
      ...(byte === undefined ? [] : [`byte ${byte}`]),
    ].join(', ');
    super(position === '' ? reason : `${position}: ${reason}`);
    this.reason = reason;
    this.line = line;
    this.byte = byte;
  }
}

/** The text of a parameter or option that can't be parsed. The message says why and, if it can, what to write. */
export class ParameterError extends Error {}

/** The payload's bytes don't have its checksum. */
export class ChecksumMismatchError extends Error {
  override readonly name = 'ChecksumMismatchError';
}

/** A columnar copy is damaged, and has been deleted: opening the table again makes it anew. */
export class DamagedCopyError extends Error {
  override readonly name = 'DamagedCopyError';
}

/** ` Did you mean "…"?`, or nothing if no candidate is near. */
export function didYouMean(word: string, candidates: readonly string[]): string {
  // A name of quite another length is never near: of ten thousand columns, most needn't be compared.
  const maxDifference = Math.max(1, word.length * 0.4);
  const near =
    word.length > 100 ? [] : candidates.filter((name) => Math.abs(name.length - word.length) <= maxDifference);
  const best = closest(word, near);
  return best === undefined ? '' : ` Did you mean "${best}"?`;
}
