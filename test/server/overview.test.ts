/** The picture of where all datasets of a list lie. */
import assert from 'node:assert/strict';
import { it } from 'node:test';
import type { Catalogue, ListOptions } from '../../src/catalogue/catalogue.ts';
import { overviewHandler } from '../../src/server/overview.ts';
import type { RequestContext } from '../../src/server/route.ts';

it('asks for all datasets at once, whatever the page and the facets of the list around it', async () => {
  const asked: ListOptions[] = [];
  const list = async (_: string, options: ListOptions) => {
    asked.push(options);
    return { items: [], count: 50, page: 1, pages: 50, nextCursor: asked.length < 50 ? 'next' : null };
  };
  const catalogue = { list, settings: { max_page_size: 1000, title: 'Test' } } as unknown as Catalogue;
  const query = new URLSearchParams('page_size=1&page=7&facets=true&search=e');
  await overviewHandler({ catalogue, query, ctx: {}, app: { staticExport: null } } as unknown as RequestContext);
  assert.equal(asked[0]?.search, 'e');
  for (const { pageSize, page, facets } of asked)
    assert.deepEqual({ pageSize, page, facets }, { pageSize: 1000, page: undefined, facets: undefined });
});
