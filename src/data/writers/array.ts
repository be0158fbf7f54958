/** A JSON array of what is written for each row, a line each. */
import type { Row } from '../row.ts';
import type { TextBuffer } from './text-buffer.ts';
import type { TextWriter } from './text-writer.ts';

/** `before[…]after`, with `item` writing each row's element. */
export function arrayWriter(
  out: TextBuffer,
  item: (row: Row) => void,
  { before = '', after = '' }: { before?: string; after?: string } = {},
): TextWriter {
  let first = true;
  return {
    start: () => out.text(`${before}[`),
    row(row) {
      if (!first) out.byte(44);
      first = false;
      out.byte(10);
      item(row);
    },
    end: () => out.text(`\n]${after}\n`),
  };
}
