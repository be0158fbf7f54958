/**
 * A payload that can't be taken in: what is wrong with it, and where. The byte counts from 0 in the text as it was read
 * (after inflating and decoding), the line from 1.
 */
export class PayloadError extends Error {
  override readonly name = 'PayloadError';
  readonly reason: string;
  readonly line: number | undefined;
  readonly byte: number | undefined;

  constructor(reason: string, place: { line?: number; byte?: number } = {}) {
    const where = [
      ...(place.line === undefined ? [] : [`line ${place.line}`]),
      ...(place.byte === undefined ? [] : [`byte ${place.byte}`]),
    ].join(', ');
    super(where === '' ? reason : `${where}: ${reason}`);
    this.reason = reason;
    this.line = place.line;
    this.byte = place.byte;
  }
}

/** A text of the asker's that can't be what it should be; the message says why, and where it can what would do. */
export class TextError extends Error {}

/** The payload's bytes are not those that its checksum stands for. */
export class ChecksumMismatchError extends Error {
  override readonly name = 'ChecksumMismatchError';
}

/** A copy is not what was written. It has been deleted: opening the table again makes it anew. */
export class DamagedCopyError extends Error {
  override readonly name = 'DamagedCopyError';
}
