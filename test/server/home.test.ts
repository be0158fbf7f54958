/** What stands at the very beginning of the site. */
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { makeFolder, until } from '../support/folder.ts';
import { serveFolder } from '../support/server.ts';

it('people get a page of what there is, programs are sent to the API', async (t) => {
  const folder = makeFolder(
    {
      settings: { title: 'Data of <b>Springfield</b>' },
      namespaces: { parks: { label: 'Parks' }, secret: { label: 'Secret', visibility: 'private' } },
      datasets: {
        'parks/trees': { label: 'Trees & shrubs' },
        'parks/emoji': { label: 'Emoji' },
        'secret/files': { label: 'Nobody knows' },
      },
    },
    t,
  );
  const server = await serveFolder(folder.root);
  t.after(() => server.close());
  const page = await (await fetch(`${server.base}/`, { headers: { Accept: 'text/html,*/*;q=0.8' } })).text();
  assert.match(page, /<title>Data of &lt;b>Springfield/);
  assert.match(page, /<a href="[^"]*\/api\/v1\/namespaces\/parks\/datasets\/trees\/"[^>]*>Trees &amp; shrubs<\/a>/);
  assert.doesNotMatch(page, /Nobody knows|secret/);
  const near = await fetch(`${server.base}/api/v1/namespaces/parks/datasets/tres/`, {
    headers: { Accept: 'text/html' },
  });
  assert.equal(near.status, 404);
  const text = await near.text();
  assert.match(text, /Did you mean <a href="\/api\/v1\/namespaces\/parks\/datasets\/trees\/"[^>]*>Trees &amp; shrubs/);
  assert.doesNotMatch(text, /Nobody knows|secret/);
  // The name of the namespace doesn't widen what counts as near.
  const far = await fetch(`${server.base}/api/v1/namespaces/parks/datasets/removed/`, {
    headers: { Accept: 'text/html' },
  });
  assert.ok(!(await far.text()).includes('Emoji'));
  const answer = await fetch(`${server.base}/`, { headers: { Accept: 'application/json' }, redirect: 'manual' });
  assert.deepEqual([answer.status, answer.headers.get('location')], [302, '/api/v1/']);
});

it('a search or a filter that nothing matches shows no empty catalogue, but leads on', async (t) => {
  const folder = makeFolder(
    { namespaces: { parks: { label: 'Parks' } }, datasets: { 'parks/trees': { label: 'Trees', keywords: ['oak'] } } },
    t,
  );
  const server = await serveFolder(folder.root);
  t.after(() => server.close());
  const page = async (path: string) => (await fetch(server.base + path, { headers: { Accept: 'text/html' } })).text();
  for (const path of ['/?search=xyz', '/?keyword=elm', '/?keyword=elm&search=']) {
    const text = await page(path);
    assert.doesNotMatch(text, /No datasets yet|catalogue publish/, path);
    assert.match(text, /No dataset (has|matches)/, path);
    assert.match(text, /<form role="search"/, path);
  }
  assert.match(await page('/?keyword=elm'), /Without one of these filters.*<a href="\/">/s);
  assert.match(await page('/?keyword=oak'), /href="\/api\/v1\/datasets\/\?keyword=oak&amp;format=json"/);
});

it('names namespaces by their labels, however short lists are', async (t) => {
  const slugs = ['a', 'b', 'c', 'd'];
  const folder = makeFolder(
    {
      settings: { page_size: 2, max_page_size: 2 },
      namespaces: Object.fromEntries(slugs.map((slug) => [slug, { label: `Label of ${slug}` }])),
      datasets: { 'd/trees': { label: 'Trees' } },
    },
    t,
  );
  const server = await serveFolder(folder.root);
  t.after(() => server.close());
  const page = await (await fetch(`${server.base}/`, { headers: { Accept: 'text/html' } })).text();
  assert.match(page, /<a href="\/api\/v1\/namespaces\/d\/"[^>]*>Label of d</);
  const suggestions = await fetch(`${server.base}/api/v1/suggestions/?search=trees`);
  assert.match(await suggestions.text(), /"namespace":"Label of d"/);
  const unknown = `${server.base}/api/v1/namespaces/d/datasets/birds/`;
  const missing = await (await fetch(unknown, { headers: { Accept: 'text/html' } })).text();
  assert.match(missing, /Did you mean <a href="\/api\/v1\/namespaces\/d\/"/);
});

it('counts the namespaces that the list of namespaces has, with empty ones', async (t) => {
  const namespaces = { parks: { label: 'Parks' }, empty: { label: 'Empty' }, secret: { visibility: 'private' } };
  const folder = makeFolder({ namespaces, datasets: { 'parks/trees': { label: 'Trees', keywords: ['oak'] } } }, t);
  const server = await serveFolder(folder.root);
  t.after(() => server.close());
  const sums = async (path: string) => {
    const page = await (await fetch(server.base + path, { headers: { Accept: 'text/html' } })).text();
    return /<p class="sums dots">(.*?)<\/p>/s.exec(page)?.[1]?.replaceAll(/<[^>]*>/g, '') ?? '';
  };
  assert.match(await sums('/'), /1 dataset\s*2 namespaces/);
  assert.match(await sums('/?keyword=oak'), /1 dataset\s*1 namespace(?!s)/);
  folder.namespace('another');
  await until(async () => /3 namespaces/.test(await sums('/')));
});

it('a table in a description is named in the language of the page', async (t) => {
  const folder = makeFolder({ settings: { description: 'Words.\n\n| a | b |\n|---|---|\n| 1 | 2 |\n' } }, t);
  const server = await serveFolder(folder.root);
  t.after(() => server.close());
  for (const [language, label] of [
    ['en', 'Table'],
    ['de', 'Tabelle'],
    ['fr', 'Tableau'],
  ] as const) {
    const headers = { Accept: 'text/html', 'Accept-Language': language };
    const text = await (await fetch(server.base, { headers })).text();
    assert.match(text, new RegExp(`role="region" aria-label="${label}"><table>`));
  }
});

it('a dataset with many new versions is among the latest changes once', async (t) => {
  const version = (dataset: string, day: number) => ({
    path: `namespaces/parks/datasets/${dataset}/versions/202601${10 + day}000000000000.yaml`,
    text: `label: v${day}\ndatetime: "2026-01-${10 + day}T00:00:00Z"\nready: true\nrows: ${day}\n`,
  });
  const once = ['elms', 'oaks', 'pines', 'yews', 'ferns'];
  const records = [
    ...[9, 8, 7, 6, 5, 4, 3, 2, 1].map((day) => version('daily', day)),
    ...once.map((slug, i) => version(slug, i + 1)),
  ];
  const folder = makeFolder(
    {
      namespaces: { parks: { label: 'Parks' } },
      datasets: Object.fromEntries([...once, 'daily', 'none'].map((slug) => [`parks/${slug}`, { label: slug }])),
      files: Object.fromEntries(records.map(({ path, text }) => [path, text])),
    },
    t,
  );
  const server = await serveFolder(folder.root);
  t.after(() => server.close());
  const lately = async (language: string) => {
    const headers = { Accept: 'text/html', 'Accept-Language': language };
    const page = await (await fetch(server.base, { headers })).text();
    const list = page.slice(page.indexOf('id="news"')).split('</ol>', 1)[0] ?? '';
    return [...list.matchAll(/<li>(.*?)<\/li>/gs)].map(([, item = '']) => item);
  };
  const items = await lately('en');
  const words = items.map((item) => item.replaceAll(/<[^>]*>/g, ' ').replace(/^.*2026/, ''));
  assert.deepEqual(
    words.map((one) => one.trim().split(/\s/, 1)[0]),
    ['daily', 'ferns', 'yews', 'pines', 'oaks'],
  );
  // Of the day of the oldest change in the list, and later.
  assert.match(items[0] ?? '', /<a href="[^"]*\/daily\/#versions">and 7 more versions<\/a>/);
  assert.doesNotMatch(words.slice(1).join(), /more version/);
  assert.match((await lately('fr')).join(), /et 7 autres versions/);
});
