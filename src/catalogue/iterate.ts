/** Iteration over all items of a list and over all rows of a version. */
import type { Catalogue, ListOptions, Page } from './catalogue.ts';
import type { PlainRow } from './difference.ts';
import { LongAnswerError } from './errors.ts';
import type { VersionRef } from './ref.ts';
import type { Entities, Kind } from './types.ts';

/**
 * Iterates over all items of a list. Pages are requested on demand. They follow by cursor, so that none is left out if the
 * catalogue changes meanwhile; of an older server without cursors, by number. If a page is longer than a client reads,
 * smaller ones are requested.
 *
 * @example
 * ```ts
 * import { listAll, openCatalogue } from 'dataset-catalogue';
 *
 * const catalogue = await openCatalogue('catalogue-data');
 * for await (const { slug, versions } of listAll(catalogue, 'dataset', { namespace: 'datahub' }))
 *   console.log(slug, versions.length);
 * // → gdp 1
 * // → sp500-constituents 5
 * // → top-economies 1
 * await catalogue.close();
 * ```
 * @throws the errors of `list`
 */
export async function* listAll<K extends Kind>(
  catalogue: Pick<Catalogue, 'list' | 'settings'>,
  kind: K,
  options: Omit<ListOptions, 'page' | 'cursor'> = {},
): AsyncGenerator<Entities[K], void, undefined> {
  let { pageSize = catalogue.settings.max_page_size } = options;
  for (let next: Pick<ListOptions, 'page' | 'cursor'> | null = { cursor: '' }; next; ) {
    let result: Page<Entities[K]>;
    try {
      result = await catalogue.list(kind, { ...options, ...next, pageSize });
    } catch (error) {
      // Records may be so long that a page of many is more than a client reads. Numbers of pages are of one size.
      if (!(error instanceof LongAnswerError) || pageSize === 1 || next.cursor === undefined) throw error;
      pageSize = Math.ceil(pageSize / 10);
      continue;
    }
    yield* result.items;
    const { nextCursor, page, pages } = result;
    if (nextCursor === undefined) next = page < pages ? { page: page + 1 } : null;
    else next = nextCursor === null ? null : { cursor: nextCursor };
  }
}

/**
 * Iterates over the rows of a version as objects: values keyed by column, the geometry as GeoJSON. Rows are read on
 * demand; ending the iteration early stops reading.
 *
 * @example
 * ```ts
 * import { openCatalogue, parseVersionRef, readRows } from 'dataset-catalogue';
 *
 * const catalogue = await openCatalogue('catalogue-data');
 * const newest = parseVersionRef('usgs/earthquakes');
 * for await (const row of readRows(catalogue, newest, { mag__gte: 6, _ordering: '-mag', _limit: 2 }))
 *   console.log(row.mag, row.place);
 * // → 6.4 22km NNE of Hualian, Taiwan
 * // → 6.1 21km NNE of Hualian, Taiwan
 * await catalogue.close();
 * ```
 * @param parameters of a data URL, such as `height__gte`, `_fields` or `_filter`
 * @throws the errors of `rows`; Error if the response is incomplete
 */
export async function* readRows(
  catalogue: Pick<Catalogue, 'rows'>,
  ref: VersionRef,
  parameters: Readonly<Record<string, string | number | boolean>> = {},
): AsyncGenerator<PlainRow, void, undefined> {
  const asked = Object.entries(parameters).map(([name, value]) => [name, String(value)] as const);
  const rows = await catalogue.rows(ref, { parameters: asked, format: 'ndjson' });
  for await (const line of splitLines(rows.stream())) yield JSON.parse(line);
}

/** Splits chunks of a text at line feeds. The time is linear, even for a long line in many chunks. */
async function* splitLines(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
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
