/** Breadcrumbs of the API in a browser. */
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { makeWorkshop } from '../support/published.ts';
import { serveFolder } from '../support/server.ts';

it('lead to pages that there are', async (t) => {
  const workshop = await makeWorkshop();
  t.after(() => workshop.remove());
  const { slug } = (await workshop.publish('trees', 'trees.csv', 'name,height\noak,1\n')).version;
  await workshop.catalogue.create('dataset', { label: 'Columns', slug: 'columns', namespace: 'lab' });
  await workshop.catalogue.create('query', { label: 'All', slug: 'all', dataset: 'lab/trees' });
  const server = await serveFolder(workshop.root);
  t.after(() => server.close());
  const get = (path: string) => fetch(server.base + path, { headers: { Accept: 'text/html' } });
  const wrong: string[] = [];
  const titles = new Map<string, string>();
  const trees = '/api/v1/namespaces/lab/datasets/trees/';
  for (const path of [
    '/api/v1/namespaces/lab/history/',
    `${trees}columns/name/`,
    `${trees}profile/`,
    `${trees}version/`,
    '/api/v1/namespaces/lab/datasets/columns/version/',
    `${trees}embed/`,
    `${trees}version/${slug}/profile/`,
    '/api/v1/namespaces/lab/datasets/columns/history/',
    '/api/v1/queries/all/data/',
    '/api/v1/intrinsecus/',
    '/schemas/dataset.json',
    '/iceberg/v1/config',
    '/iceberg/v1/namespaces',
    '/iceberg/v1/namespaces/lab/tables/trees',
    '/stac/lab/',
  ]) {
    const response = await get(`${path}?format=api`);
    const text = await response.text();
    assert.equal(response.status, 200, path);
    const [, title = ''] = /<title>(.*?)<\/title>/s.exec(text) ?? [];
    if (path.startsWith('/api/'))
      assert.equal(titles.get(title), undefined, `${path} has the title of another page: ${title}`);
    titles.set(title, path);
    const [, crumbs = ''] = /<nav class="crumbs"[^>]*>(.*?)<\/nav>/s.exec(text) ?? [];
    for (const [, href = ''] of crumbs.matchAll(/href="([^"]*)"/g)) {
      const { status } = await get(href.replaceAll('&amp;', '&'));
      if (status !== 200) wrong.push(`${status} ${href} on ${path}`);
    }
  }
  assert.deepEqual(wrong, []);
  const crumbsOf = async (path: string) =>
    /<nav class="crumbs".*?<\/nav>/s.exec(await (await get(path)).text())?.[0] ?? '';
  assert.match(
    await crumbsOf('/api/v1/namespaces/lab/datasets/columns/history/?format=api'),
    /datasets\/columns\/\?format=api"/,
  );
});
