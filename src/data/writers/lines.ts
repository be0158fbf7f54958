/** What is written for each row, ended by a newline. */
import type { Row } from '../row.ts';
import type { TextBuffer } from './text-buffer.ts';
import type { TextWriter } from './text-writer.ts';

export function lineWriter(out: TextBuffer, item: (row: Row) => void): TextWriter {
  return {
    start() {},
    row(row) {
      item(row);
      out.byte(10);
    },
    end() {},
  };
}
