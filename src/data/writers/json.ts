/** `json`: a bare array of Features, as older clients read it: `data[i].geometry.coordinates`, `data[i].properties`. */
import { arrayWriter } from './array.ts';
import { featureWriter } from './feature.ts';
import type { RowsInput } from './input.ts';
import type { TextBuffer } from './text-buffer.ts';
import type { TextWriter } from './text-writer.ts';

export function json(input: Omit<RowsInput, 'rows'>, out: TextBuffer): TextWriter {
  return arrayWriter(out, featureWriter(input, out));
}
