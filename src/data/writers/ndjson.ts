/** `ndjson`: a plain row on each line, as `pandas.read_json(lines=True)`, DuckDB and jq read it. */
import { objectWriter } from './feature.ts';
import type { RowsInput } from './input.ts';
import { lineWriter } from './lines.ts';
import type { TextBuffer } from './text-buffer.ts';
import type { TextWriter } from './text-writer.ts';

export function ndjson(input: Omit<RowsInput, 'rows'>, out: TextBuffer): TextWriter {
  return lineWriter(out, objectWriter(input, out));
}
