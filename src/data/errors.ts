/** Errors in payloads and parameters. */

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

/** A payload whose rows take too much memory or time to read. */
export class ExhaustingPayloadError extends PayloadError {}

/** The text of a parameter or option that can't be parsed. The message says why and, if it can, what to write. */
export class ParameterError extends Error {}

/** The payload's bytes don't have its checksum. */
export class ChecksumMismatchError extends Error {
  override readonly name = 'ChecksumMismatchError';
}

/** A columnar copy was deleted, because it was damaged or to make room: opening the table again makes it anew. */
export class DamagedCopyError extends Error {
  override readonly name = 'DamagedCopyError';
}

/** True for an error of the system, such as that of a full disk. */
export const isSystemError = (error: unknown): error is NodeJS.ErrnoException =>
  error instanceof Error && 'syscall' in error;
