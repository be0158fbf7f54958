/** What the text formats have in common: something before the rows, each row, something after them. */
import type { Row } from '../row.ts';
import type { RowsInput } from './input.ts';
import { TextBuffer } from './text-buffer.ts';

/** A format at work on one answer; all of it writes into the buffer that it was made with. */
export interface TextWriter {
  start(): void;
  row(row: Row): void;
  end(): void;
}

/** Large enough that a chunk's own cost vanishes, small enough that little lies about unread. */
const chunkSize = 1 << 16;

/**
 * The text of the rows, in chunks of 64 kB (more where one row is longer). It reads no further than the chunk that
 * was asked for, so that a slow reader slows the rows down. Leaving early ends the rows' iterator; an error in them
 * is an error here, and what would have followed (the document's end) is never written.
 */
export async function* textChunks(
  rows: RowsInput['rows'],
  format: (out: TextBuffer) => TextWriter,
): AsyncGenerator<Uint8Array, void, undefined> {
  const out = new TextBuffer();
  const writer = format(out);
  writer.start();
  // Awaiting each row of a synchronous iterator would cost more than writing it.
  if (Symbol.iterator in rows) {
    for (const row of rows) {
      writer.row(row);
      if (out.end >= chunkSize) yield out.take();
    }
  } else {
    for await (const row of rows) {
      writer.row(row);
      if (out.end >= chunkSize) yield out.take();
    }
  }
  writer.end();
  if (out.end > 0) yield out.take();
}
