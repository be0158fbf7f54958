/** Sitemap, robots.txt and feeds in Atom. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { it } from 'node:test';
import { openRemoteCatalogue } from '../../src/remote/remote-catalogue.ts';
import { createApp } from '../../src/server/app.ts';
import { served } from '../support/served.ts';

const records = {
  settings: { title: 'Data & more', publisher: 'Town', base_url: 'https://example.org/data' },
  namespaces: { parks: { label: 'Parks' } },
  datasets: {
    'parks/trees': { id: 1001, label: 'Trees <old>', description: '# About\n\nAll\u0007 *trees*' },
    'parks/lawns': { id: 1002, label: 'Lawns' },
  },
  versions: {
    'parks/trees@20240131': {
      id: 2001,
      label: 'January',
      notes: '**First** & last',
      datetime: '2024-01-31T12:00:00Z',
      file: { url: 'https://example.org/t.csv' },
    },
    'parks/trees@20240228': { id: 2002, datetime: '2024-02-28T12:00:00Z', file: { url: 'https://example.org/u.csv' } },
    'parks/lawns@20240301': { id: 2003, datetime: '2024-03-01T12:00:00Z', ready: false },
  },
};

/** The values of an element in each entry of a feed. */
function valuesIn(feed: string, pattern: RegExp): readonly string[] {
  return feed
    .split('<entry>')
    .slice(1)
    .map((entry) => pattern.exec(entry)?.[1] ?? '');
}

it('sitemap.xml has every page once, with the time of the newest data', async (t) => {
  const { base } = await served(records, t);
  const response = await fetch(`${base}/sitemap.xml`);
  assert.equal(response.headers.get('content-type'), 'application/xml');
  const text = await response.text();
  const urls = [...text.matchAll(/<loc>([^<]*)<\/loc>/g)].map(([, url]) => url);
  assert.equal(new Set(urls).size, urls.length);
  const home = 'https://example.org/data/api/v1/namespaces/parks/';
  for (const url of [home, `${home}datasets/trees/`, `${home}datasets/lawns/`]) assert.ok(urls.includes(url), url);
  assert.match(text, /datasets\/trees\/<\/loc><lastmod>2024-02-28T12:00:00.000Z<\/lastmod>/);
  for (const part of ['2', '0', '01', 'x']) assert.equal((await fetch(`${base}/sitemap-${part}.xml`)).status, 404);
  assert.equal(await (await fetch(`${base}/sitemap-1.xml`)).text(), text);
});

it('robots.txt keeps crawlers out of filters and files, below the prefix of the site', async (t) => {
  const { base } = await served(records, t);
  const text = await (await fetch(`${base}/robots.txt`)).text();
  assert.match(text, /^User-agent: \*\nDisallow: \/data\/\*\?\n/);
  assert.match(text, /^Sitemap: https:\/\/example\.org\/data\/sitemap\.xml$/m);
});

it('feeds tell new data from changed descriptions, and keep their ids through a rename', async (t) => {
  const { base, folder } = await served(records, t);
  const feedOf = async (path: string) => (await fetch(`${base}${path}`)).text();
  const dataset = '/api/v1/namespaces/parks/datasets/trees/';
  // A change is listed after a second, when no other can have the same time.
  let feed = '';
  for (let tries = 0; tries < 100 && !feed.includes('term="description"'); tries++) {
    await new Promise((resolve) => setTimeout(resolve, 50));
    feed = await feedOf(`${dataset}feed.atom`);
  }
  assert.deepEqual(valuesIn(feed, /term="([^"]*)"/), ['description', 'data', 'data']);
  assert.deepEqual(valuesIn(feed, /<title>([^<]*)</), [
    'Trees &lt;old&gt;',
    'Trees &lt;old&gt;: 20240228',
    'Trees &lt;old&gt;: January',
  ]);
  // Feed readers show no Markdown.
  assert.deepEqual(valuesIn(feed, /<summary>([^<]*)</), ['All trees', '', 'First &amp; last']);
  const ids = valuesIn(feed, /<id>([^<]*)</);
  assert.equal(new Set(ids).size, 3);
  for (const path of ['/feed.atom', '/api/v1/namespaces/parks/feed.atom']) {
    const listed = valuesIn(await feedOf(path), /<id>([^<]*)</);
    for (const id of ids) assert.ok(listed.includes(id), path);
    assert.ok(!listed.some((id) => id.endsWith('7d3')), 'a version that is not ready');
  }
  folder.write('namespaces/parks/datasets/oaks/dataset.yaml', 'id: 1001\nlabel: Oaks\naliases: [trees]\n');
  folder.write(
    'namespaces/parks/datasets/oaks/versions/20240131.yaml',
    'id: 2001\ndatetime: "2024-01-31T12:00:00Z"\nfile:\n  url: https://example.org/t.csv\n',
  );
  let renamed = '';
  for (let tries = 0; tries < 100 && !renamed.includes('term="description"'); tries++) {
    await new Promise((resolve) => setTimeout(resolve, 50));
    renamed = await feedOf('/api/v1/namespaces/parks/datasets/oaks/feed.atom');
  }
  const [description = '', , first = ''] = ids;
  assert.deepEqual(valuesIn(renamed, /<id>([^<]*)</), [description, first]);
});

it('feeds have the newest data, however many versions are withdrawn and however short lists are', async (t) => {
  const at = (day: number) => new Date(Date.UTC(2024, 0, day)).toISOString();
  const file = { url: 'https://example.org/t.csv' };
  const versions = Object.fromEntries(
    Array.from({ length: 130 }, (_, i) => [`parks/trees@v${i}`, { datetime: at(i), ready: i < 20, file }]),
  );
  const settings = { page_size: 5, max_page_size: 5 };
  const { base } = await served({ ...records, settings, versions }, t);
  for (const path of ['/feed.atom', '/api/v1/namespaces/parks/feed.atom']) {
    const slugs = valuesIn(await (await fetch(base + path)).text(), /\/version\/(v\d+)\//);
    assert.deepEqual(
      slugs.filter(Boolean),
      Array.from({ length: 20 }, (_, i) => `v${19 - i}`),
      path,
    );
  }
});

it('feeds of a catalogue on another server tell changed descriptions, too', async (t) => {
  const { base } = await served(records, t);
  const remote = await openRemoteCatalogue(base);
  const server = createServer(createApp(() => remote)).listen(0, '127.0.0.1');
  t.after(async () => {
    server.closeAllConnections();
    server.close();
    await remote.close();
  });
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const namespace = '/api/v1/namespaces/parks/';
  for (const path of ['/feed.atom', `${namespace}feed.atom`, `${namespace}datasets/trees/feed.atom`]) {
    const feedOf = async (url: string) => (await fetch(`${url}${path}`)).text();
    let feed = '';
    for (let tries = 0; tries < 100 && !feed.includes('term="description"'); tries++) {
      await new Promise((resolve) => setTimeout(resolve, 50));
      feed = await feedOf(base);
    }
    const [ids, remoteIds] = [feed, await feedOf(`http://127.0.0.1:${port}`)].map((text) =>
      valuesIn(text, /<id>([^<]*)</),
    );
    assert.deepEqual(remoteIds, ids, path);
  }
});
