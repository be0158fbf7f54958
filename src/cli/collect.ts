/** A whole collection, page after page. */
import type { Catalogue, ListOptions } from '../catalogue/catalogue.ts';
import type { Entities, Kind } from '../catalogue/types.ts';

/** All that the question finds, or the first so many of it. */
export async function collect<K extends Kind>(
  catalogue: Catalogue,
  kind: K,
  question: ListOptions,
  limit = Number.POSITIVE_INFINITY,
): Promise<readonly Entities[K][]> {
  const pageSize = Math.min(limit, catalogue.settings.max_page_size);
  const items: Entities[K][] = [];
  for (let page = 1; ; page++) {
    const answer = await catalogue.list(kind, { ...question, page, pageSize });
    items.push(...answer.items);
    if (page >= answer.pages || items.length >= limit) return items.slice(0, limit);
  }
}
