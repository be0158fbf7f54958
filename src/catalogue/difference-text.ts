/** A difference as JSON, for the server and the command line alike: what is known at once first, then row by row. */
import type { Difference } from './difference.ts';
import { refOf } from './ref.ts';
import { toJson, urlOf } from './represent.ts';
import type { Links } from './urls.ts';

/** Everything but the rows. */
export function representDifference({ from, to, columns, key, counts }: Difference, links: Links) {
  return { from: urlOf(links, refOf(from)), to: urlOf(links, refOf(to)), columns, key, counts };
}

/** Large enough that a chunk's own cost vanishes. */
const chunkLength = 1 << 16;

/**
 * The difference as a document, in pieces: one JSON object whose last member is `rows`, or newline-delimited JSON whose
 * first line is all the rest. Rows are read as pieces are asked for.
 * @param most how many rows
 */
export async function* differenceText(
  difference: Difference,
  links: Links,
  format: 'json' | 'ndjson',
  most = Number.POSITIVE_INFINITY,
): AsyncGenerator<string, void, undefined> {
  const head = toJson(representDifference(difference, links));
  const isLines = format === 'ndjson';
  let text = isLines ? `${head}\n` : `${head.slice(0, -1)},"rows":[`;
  let separator = '';
  let shown = 0;
  for await (const row of most > 0 ? difference.rows() : []) {
    text += isLines ? `${toJson(row)}\n` : separator + toJson(row);
    separator = ',\n';
    if (++shown >= most) break;
    if (text.length < chunkLength) continue;
    yield text;
    text = '';
  }
  yield isLines ? text : `${text}]}`;
}
