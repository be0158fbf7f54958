/** `objects`: an array of plain rows, the geometry being one more column. */
import { arrayWriter } from './array.ts';
import { objectWriter } from './feature.ts';
import type { RowsInput } from './input.ts';
import type { TextBuffer } from './text-buffer.ts';
import type { TextWriter } from './text-writer.ts';

export function objects(input: Omit<RowsInput, 'rows'>, out: TextBuffer): TextWriter {
  return arrayWriter(out, objectWriter(input, out));
}
