/** Collections and rows as a whole: what the interface answers in pages and in bytes, one by one. */
import type { Catalogue, ListOptions } from './catalogue.ts';
import type { PlainRow } from './difference.ts';
import type { VersionRef } from './ref.ts';
import type { Entities, Kind } from './types.ts';

/**
 * All that a question finds, page after page. Whoever stops early asks for no further page.
 *
 * @example
 * ```ts
 * import { listAll, openCatalogue } from 'catalogue';
 *
 * const catalogue = await openCatalogue('catalogue-data');
 * for await (const { slug, versions } of listAll(catalogue, 'dataset', { namespace: 'datahub' }))
 *   console.log(slug, versions.length);
 * // → gdp 1
 * // → sp500-constituents 5
 * // → top-economies 1
 * await catalogue.close();
 * ```
 * @throws what `list` throws
 */
export async function* listAll<K extends Kind>(
  catalogue: Pick<Catalogue, 'list' | 'settings'>,
  kind: K,
  question: Omit<ListOptions, 'page'> = {},
): AsyncGenerator<Entities[K], void, undefined> {
  const { pageSize = catalogue.settings.max_page_size } = question;
  for (let page = 1, pages = 1; page <= pages; page++) {
    const answer = await catalogue.list(kind, { ...question, page, pageSize });
    yield* answer.items;
    pages = answer.pages;
  }
}

/**
 * The rows of a version as objects, with values by the names of their columns and the geometry as GeoJSON.
 * They are read as they are asked for; stopping early stops the work.
 *
 * @example
 * ```ts
 * import { openCatalogue, parseVersionRef, readRows } from 'catalogue';
 *
 * const catalogue = await openCatalogue('catalogue-data');
 * const newest = parseVersionRef('usgs/earthquakes');
 * for await (const row of readRows(catalogue, newest, { mag__gte: 6, _ordering: '-mag', _limit: 2 }))
 *   console.log(row.mag, row.place);
 * // → 6.4 22km NNE of Hualian, Taiwan
 * // → 6.1 21km NNE of Hualian, Taiwan
 * await catalogue.close();
 * ```
 * @param parameters those of a data address, such as `height__gte`, `_fields` or `_filter`
 * @throws what `rows` throws; Error where the bytes break off
 */
export async function* readRows(
  catalogue: Pick<Catalogue, 'rows'>,
  ref: VersionRef,
  parameters: Readonly<Record<string, string | number | boolean>> = {},
): AsyncGenerator<PlainRow, void, undefined> {
  const asked = Object.entries(parameters).map(([name, value]) => [name, String(value)] as const);
  const rows = await catalogue.rows(ref, { parameters: asked, format: 'ndjson' });
  for await (const line of linesOf(rows.stream())) yield JSON.parse(line);
}

/** The lines of a text, each ended by a line feed. A long one in many pieces costs its length once. */
async function* linesOf(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  let begun: string[] = [];
  for await (const chunk of chunks) {
    const pieces = decoder.decode(chunk, { stream: true }).split('\n');
    const last = pieces.pop() ?? '';
    if (pieces.length) {
      yield begun.join('') + pieces[0];
      yield* pieces.slice(1);
      begun = [];
    }
    begun.push(last);
  }
}
