/** Documents in the standards at the addresses of what they describe: by Accept, and linked in headers and pages. */
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { describe, it } from 'node:test';
import { homeOf, until } from '../support/folder.ts';
import { resolvedLinks } from '../support/raw.ts';
import { served } from '../support/served.ts';

const csv = 'a\n1\n';
const checksum = createHash('sha256').update(csv).digest('hex');
const slug = '20200101000000000000';
const { base } = await served({
  settings: { title: 'Green', description: 'Parks', publisher: 'City', contact: 'mailto:a@example.org' },
  namespaces: { parks: { label: 'Parks' } },
  datasets: {
    'parks/trees': {
      label: 'Trees',
      description: 'All of them',
      licence: 'CC-BY-4.0',
      columns: [{ name: 'a', type: 'integer' }],
    },
    'parks/none': { label: 'None' },
  },
  versions: {
    [`parks/trees@${slug}`]: { checksum, file: { name: 'a.csv', format: 'csv', media_type: 'text/csv', size: 4 } },
  },
  files: { [`${homeOf('parks/trees')}/data/a.csv`]: csv },
});
const trees = '/api/v1/namespaces/parks/datasets/trees/';
const none = '/api/v1/namespaces/parks/datasets/none/';
const get = (path: string, accept: string, more: Record<string, string> = {}) =>
  fetch(base + path, { headers: { Accept: accept, ...more } });
const stac = 'https://schemas.stacspec.org/v1.1.0/collection-spec/json-schema/collection.json';

describe('a document in a standard', () => {
  it('answers at the address of the dataset, if Accept prefers it', async () => {
    const wanted: readonly (readonly [accept: string, type: string, name: string])[] = [
      ['text/turtle', 'text/turtle', 'dcat.ttl'],
      ['application/ld+json', 'application/ld+json', 'dcat.jsonld'],
      ['application/ld+json;profile="http://data.europa.eu/r5r/"', 'application/ld+json', 'dcat.jsonld'],
      ['application/ld+json;profile="https://schema.org/"', 'application/ld+json', 'schema.jsonld'],
      [
        'application/ld+json;profile="http://mlcommons.org/croissant/1.1";q=0.1, application/ld+json;profile="https://schema.org/"',
        'application/ld+json',
        'schema.jsonld',
      ],
      [
        'application/ld+json;profile="https://schema.org/";q=0.1, application/ld+json',
        'application/ld+json',
        'dcat.jsonld',
      ],
      [
        'application/ld+json, application/ld+json;profile="https://schema.org/"',
        'application/ld+json',
        'schema.jsonld',
      ],
      [
        'application/ld+json; profile=https://schema.org/, application/json;q=0.5',
        'application/ld+json',
        'schema.jsonld',
      ],
      [
        'application/ld+json;profile="urn:x http://mlcommons.org/croissant/1.1"',
        'application/ld+json',
        'croissant.json',
      ],
      ['application/ld+json;profile="urn:unknown"', 'application/ld+json', 'dcat.jsonld'],
      ['application/vnd.datapackage+json', 'application/vnd.datapackage+json', 'datapackage.json'],
      [`application/json;profile="${stac}"`, 'application/json', 'stac.json'],
      ['application/atom+xml', 'application/atom+xml; charset=utf-8', 'feed.atom'],
      ['text/html;q=0.1, text/turtle;q=0.2', 'text/turtle', 'dcat.ttl'],
    ];
    const tags = new Set<string>();
    for (const [accept, type, name] of wanted) {
      const answer = await get(trees, accept);
      assert.equal(answer.status, 200, accept);
      assert.equal(answer.headers.get('Content-Type')?.split(';')[0], type.split(';')[0], accept);
      assert.equal(answer.headers.get('Content-Location'), `${base}${trees}${name}`, accept);
      assert.match(answer.headers.get('Vary') ?? '', /\bAccept\b/);
      const own = await get(trees + name, '*/*');
      assert.equal(await answer.text(), await own.text(), accept);
      const etag = answer.headers.get('ETag') ?? '';
      tags.add(`${name} ${etag}`);
      assert.equal((await get(trees, accept, { 'If-None-Match': etag })).status, 304, accept);
    }
    assert.equal(tags.size, 7);
    assert.equal(new Set([...tags].map((tag) => tag.split(' ')[1])).size, 7);
  });

  it('never takes the place of JSON or the page', async () => {
    for (const accept of [
      '',
      '*/*',
      'application/json',
      'application/*',
      'application/json;profile="urn:x"',
      'text/turtle;q=0, */*',
    ])
      assert.equal((await get(trees, accept)).headers.get('Content-Type'), 'application/json', accept);
    for (const accept of ['text/*', 'text/html, text/turtle'])
      assert.match((await get(trees, accept)).headers.get('Content-Type') ?? '', /^text\/html/, accept);
    assert.equal((await get(`${trees}?format=json`, 'text/turtle')).headers.get('Content-Type'), 'application/json');
    assert.equal((await get(`${trees}data/`, 'text/turtle')).status, 406);
    assert.equal((await get('/api/v1/datasets/', 'text/turtle')).status, 406);
    const written = await fetch(base + trees, { method: 'DELETE', headers: { Accept: 'text/turtle' } });
    assert.equal(written.status, 401);
    const options = await (await fetch(base + trees, { method: 'OPTIONS' })).json();
    assert.deepEqual((options as { renders: unknown }).renders, ['application/json', 'text/html']);
  });

  it('is not the answer to those who prefer the resource itself', async () => {
    const response = await get(trees, `application/json;profile="${stac}";q=0.5, application/json`);
    assert.equal(response.headers.get('content-location'), null);
    assert.equal(((await response.json()) as { slug: string }).slug, 'trees');
  });

  it('is the same at its own address for those who want indented JSON, unless it is JSON', async () => {
    const accept = 'application/json; indent=2, */*;q=0.1';
    for (const path of [`${trees}dcat.ttl`, `${trees}feed.atom`, '/catalog.ttl', '/sitemap.xml', '/robots.txt']) {
      const [answer, plain] = await Promise.all([get(path, accept), get(path, '*/*')]);
      assert.equal(answer.status, 200, path);
      assert.equal(await answer.text(), await plain.text(), path);
    }
    assert.match(await (await get(`${trees}stac.json`, accept)).text(), /^\{\n {2}"/);
  });

  it('is 406 with the reason and what there is, if the dataset lacks facts that the standard demands', async () => {
    const croissant = 'application/ld+json;profile="http://mlcommons.org/croissant/1.1"';
    const stacType = `application/json;profile="${stac}"`;
    for (const [accept, name] of [
      [croissant, 'Croissant'],
      [stacType, 'STAC'],
      ['application/vnd.datapackage+json', 'Data Package'],
      [`${croissant}, ${stacType};q=0.5`, 'Croissant'],
    ] as const) {
      const answer = await get(none, accept);
      assert.equal(answer.status, 406, accept);
      const { detail } = (await answer.json()) as { detail: string };
      assert.match(detail, new RegExp(`^This dataset has no .*, which ${name}`));
      assert.match(
        detail,
        /There are application\/json, text\/html, .*application\/ld\+json; profile="https:\/\/schema\.org\/"/,
      );
      assert.doesNotMatch(detail.split('There are')[1] ?? '', /croissant|stacspec|datapackage/);
      assert.equal(answer.headers.get('Content-Location'), null);
    }
    for (const [accept, type, location] of [
      [`${croissant}, application/json;q=0.5`, 'application/json', null],
      [`${stacType}, text/turtle;q=0.1`, 'text/turtle', 'dcat.ttl'],
      ['application/vnd.datapackage+json, */*;q=0.1', 'application/json', null],
      [`${croissant}, text/html;q=0.5`, 'text/html', null],
      [
        'application/ld+json;profile="http://mlcommons.org/croissant/1.1 https://schema.org/"',
        'application/ld+json',
        'schema.jsonld',
      ],
    ] as const) {
      const answer = await get(none, accept);
      assert.equal(answer.headers.get('Content-Type')?.split(';')[0], type, accept);
      assert.equal(answer.headers.get('Content-Location'), location && `${base}${none}${location}`, accept);
    }
    const own = await get(`${none}croissant.json`, '*/*');
    assert.equal(own.status, 404);
    assert.match(((await own.json()) as { detail: string }).detail, /^This dataset has no .*, which Croissant/);
  });

  it('answers for the whole catalogue and for a namespace', async () => {
    // The feed lists a change only once no other may be written at the same moment: one version, and the two datasets.
    await until(async () => (await (await get('/feed.atom', '*/*')).text()).split('<entry>').length === 4);
    const tags = new Set<string | null>();
    for (const path of ['/', '/api/v1/'])
      for (const [type, name] of [
        ['text/turtle', 'catalog.ttl'],
        ['application/ld+json', 'catalog.jsonld'],
        ['application/atom+xml', 'feed.atom'],
      ] as const) {
        const answer = await get(path, type);
        assert.equal(answer.headers.get('Content-Type')?.split(';')[0], type);
        assert.equal(answer.headers.get('Content-Location'), `${base}/${name}`);
        assert.match(answer.headers.get('Vary') ?? '', /\bAccept\b/);
        tags.add(answer.headers.get('ETag'));
        assert.equal(await answer.text(), await (await get(`/${name}`, '*/*')).text());
      }
    assert.equal(tags.size, 3);
    const feed = await get('/api/v1/namespaces/parks/', 'application/atom+xml');
    assert.match(feed.headers.get('Content-Type') ?? '', /^application\/atom\+xml/);
  });

  it('is linked in the header of JSON and in the head of the page', async () => {
    const linksOf = (answer: Response) => resolvedLinks(answer.headers.get('Link'), answer.url);
    const link = linksOf(await get(trees, 'application/json'));
    const page = await get(trees, 'text/html');
    const html = await page.text();
    const dcat = `type="application/ld+json"; profile="http://data.europa.eu/r5r/"`;
    for (const part of [
      `<${base}${trees}dcat.ttl>; rel="alternate"; type="text/turtle"`,
      `<${base}${trees}dcat.jsonld>; rel="alternate"; ${dcat}`,
      `<${base}${trees}stac.json>; rel="alternate"; type="application/json"; profile="${stac}"`,
      `<${base}${trees}dcat.jsonld>; rel="describedby"; ${dcat}`,
      `<${base}/api/v1/namespaces/parks/>; rel="collection"`,
      '<https://spdx.org/licenses/CC-BY-4.0.html>; rel="license"',
    ]) {
      assert.ok(link.includes(part), part);
      assert.ok(linksOf(page).includes(part), part);
    }
    for (const part of [
      `<link rel="alternate" type="text/turtle" href="${trees}dcat.ttl"`,
      `<link rel="describedby" type="application/ld+json" href="${trees}dcat.jsonld"`,
      '<link rel="collection" href="/api/v1/namespaces/parks/"',
      '<link rel="license" href="https://spdx.org/licenses/CC-BY-4.0.html"',
    ])
      assert.ok(html.includes(part), part);
    const version = linksOf(await get(`${trees}version/${slug}/`, 'application/json'));
    assert.ok(version.includes(`<${base}${trees}>; rel="collection"`), version);
    for (const path of ['data/', 'download/']) {
      const rows = linksOf(await get(trees + path, '*/*'));
      assert.ok(rows.includes(`<${base}${trees}>; rel="collection"`), path + rows);
      assert.ok(rows.includes(`<${base}${trees}dcat.jsonld>; rel="describedby"`), rows);
    }
    const bare = (await get(none, 'application/json')).headers.get('Link') ?? '';
    assert.match(bare, /dcat\.ttl/);
    assert.doesNotMatch(bare, /croissant|stac|datapackage/);
    const root = linksOf(await get('/api/v1/', 'application/json'));
    assert.ok(root.includes(`<${base}/catalog.ttl>; rel="alternate"; type="text/turtle"`));
  });
});
