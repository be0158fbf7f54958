/** OGC API - Features: which features the parameters select, their ids, and who sees what. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { findTimeColumns } from '../../src/catalogue/feature-parameters.ts';
import type { ColumnType } from '../../src/catalogue/types.ts';
import { homeOf } from '../support/folder.ts';
import { publishHostileRows } from '../support/hostile-rows.ts';
import { makeWorkshop, type Workshop } from '../support/published.ts';
import { resolvedLinks } from '../support/raw.ts';
import { served } from '../support/served.ts';
import { serveFolder } from '../support/server.ts';

interface Features {
  readonly numberMatched: number;
  readonly features: readonly {
    readonly id: string | number;
    readonly geometry: unknown;
    readonly properties: Readonly<Record<string, unknown>>;
  }[];
  readonly links: readonly { readonly rel: string; readonly href: string }[];
}

describe('OGC API - Features', () => {
  let workshop: Workshop;
  let server: Awaited<ReturnType<typeof serveFolder>>;
  let root: string;
  let token: string;

  before(async () => {
    workshop = await makeWorkshop();
    await publishHostileRows(workshop);
    await workshop.publish('ends', 'ends.csv', 'id,at\n1,2023-12-31 23:59:59.9999999\n2,2024-01-01 00:00:00\n');
    await workshop.publish(
      'crowd',
      'crowd.csv',
      `id,lon,lat\n${Array.from({ length: 250 }, (_, i) => `${i},5,5`).join('\n')}\n`,
    );
    await workshop.catalogue.create('user', { username: 'ann', staff: true });
    ({ token } = await workshop.files.accounts.addToken('ann'));
    server = await serveFolder(workshop.root);
    root = `${server.base}/ogc`;
  });
  after(async () => {
    await server.close();
    await workshop.remove();
  });

  const ask = (path: string, headers: Record<string, string> = {}) => fetch(root + path, { headers });
  const asAnn = () => ({ Authorization: `Token ${token}` });
  const items = async (slug: string, parameters: Record<string, string> = {}) => {
    const response = await ask(`/collections/lab.${slug}/items?${new URLSearchParams(parameters)}`);
    assert.equal(response.status, 200, await response.clone().text());
    return (await response.json()) as Features;
  };
  const valuesOf = async (slug: string, column: string, parameters: Record<string, string>) =>
    (await items(slug, parameters)).features.map(({ properties }) => properties[column]);
  const problemOf = async (slug: string, parameters: Record<string, string>) => {
    const response = await ask(`/collections/lab.${slug}/items?${new URLSearchParams(parameters)}`);
    assert.equal(response.status, 400);
    return (await response.json()) as Record<string, string[]>;
  };

  it('has a hundred features in a page at most, and the rest in the next', async () => {
    const pages: number[] = [];
    const first = '/collections/lab.crowd/items?limit=10000&f=html';
    for (let next: string | undefined = first; next && pages.length < 5; ) {
      const text: string = (await (await ask(next)).text()).replaceAll('&quot;', '"').replaceAll('&amp;', '&');
      pages.push(Number(/numberReturned[^\d]{1,60}(\d+)/.exec(text)?.[1]));
      const after = new RegExp(
        `href="[^"]*/ogc(/collections/lab.crowd/items\\?[^"]*offset=${pages.length}00[^"]*f=html)"`,
      );
      const path: string | undefined = after.exec(text)?.[1];
      next = path;
    }
    assert.deepEqual(pages, [100, 100, 50]);
    assert.equal((await items('crowd', { limit: '10000' })).features.length, 250);
    assert.equal((await ask('/collections/lab.crowd/items?limit=x&f=html')).status, 400);
    const offset = '9'.repeat(20);
    assert.deepEqual(await problemOf('crowd', { offset }), {
      offset: [`"${offset}" is not a whole number of at least 0 and at most 9007199254740991.`],
    });
  });

  it('bbox may cross the antimeridian, and matches features without a geometry', async () => {
    assert.deepEqual(await valuesOf('antimeridian', 'name', { bbox: '178,-5,-179,5' }), ['Fiji', 'nowhere']);
    assert.deepEqual(await valuesOf('antimeridian', 'name', { bbox: '.5,.5,1.5,1.5' }), ['zero', 'nowhere']);
    assert.deepEqual(await valuesOf('antimeridian', 'name', { bbox: '10,10,-100,20,20,100' }), ['nowhere']);
    assert.equal((await items('plain', { bbox: '0,0,1,1' })).numberMatched, 2);
    assert.deepEqual(Object.keys(await problemOf('antimeridian', { bbox: '0,5,1,1' })), ['bbox']);
  });

  it('datetime compares instants, days and intervals, and matches features without a time', async () => {
    const at = (datetime: string) => valuesOf('plain', 'country', { datetime });
    assert.deepEqual(await at('2020-01-01T12:00:00Z'), ['Fiji']);
    assert.deepEqual(await at('2020-01-01'), ['Fiji']);
    assert.deepEqual(await at('2020-06-01T00:00:00Z/..'), ['Tonga']);
    assert.deepEqual(await at('../2020-06-01T00:00:00Z'), ['Fiji']);
    assert.deepEqual(await at('2020-01-01T00:00:00Z/2021-01-01T00:00:00Z'), ['Fiji', 'Tonga']);
    const moments = (datetime: string) => valuesOf('quoted', 'id', { datetime });
    assert.deepEqual(await moments('2020-02-29T10:00:00Z'), [2, 3]);
    assert.deepEqual(await moments('2020-02-29T11:00:00+01:00'), [2, 3]);
    assert.deepEqual(await moments('../2020-01-01T00:00:00Z'), [1, 3]);
    assert.deepEqual(await valuesOf('ends', 'id', { datetime: '2023-12-31' }), [1]);
    assert.deepEqual(await valuesOf('ends', 'id', { datetime: '2024-01-01' }), [2]);
    const during = (datetime: string) => valuesOf('spans', 'name', { datetime });
    assert.deepEqual(await during('2005-06-01T00:00:00Z'), ['old', 'always']);
    assert.deepEqual(await during('2009-01-01T00:00:00Z/2011-01-01T00:00:00Z'), ['old', 'new', 'always']);
    assert.deepEqual(await during('2020-01-01T00:00:00Z/..'), ['new', 'always', 'later']);
    assert.deepEqual(await during('2009-11-30T00:00:00Z/P1M'), ['old', 'always']);
    assert.deepEqual(await during('2009-12-31/P1D'), ['old', 'new', 'always']);
    assert.deepEqual(await during('P1Y2DT3H/2010-06-01T00:00:00Z'), ['old', 'new', 'always']);
    assert.deepEqual(await moments('2016-12-31T23:59:60Z/2020-01-01T00:00:00Z'), [1, 3]);
    for (const wrong of [
      '2020',
      'P1M',
      'P1M/P1M',
      'P/2020-01-01',
      '2020-01-01/PT',
      '../P1D',
      '2020-01-01/P9999Y9999999D',
      '../..',
      '/',
      '2020-02-30',
      '2021-01-01/2020-01-01',
      '2020-01-01/2020-02-01/..',
    ])
      assert.deepEqual(Object.keys(await problemOf('plain', { datetime: wrong })), ['datetime'], wrong);
  });

  it('columns, properties, order and filters', async () => {
    assert.deepEqual(await valuesOf('quoted', 'id', { 'a "b" & c': 'x "y"' }), [1]);
    assert.deepEqual(await valuesOf('quoted', 'id', { open: 'false' }), [2]);
    assert.deepEqual(await valuesOf('quoted', 'id', { sortby: '-id', filter: '"limit" > 5' }), [3, 2]);
    const { properties } = (await (await ask('/collections/lab.quoted/queryables')).json()) as Features['features'][0];
    assert.ok('id' in properties && !('limit' in properties), 'a program would send it as the parameter of that name');
    const json = JSON.stringify({ op: '=', args: [{ property: 'id' }, 2] });
    assert.deepEqual(await valuesOf('quoted', 'id', { filter: json, 'filter-lang': 'cql2-json' }), [2]);
    assert.deepEqual(await problemOf('quoted', { filter: json, 'filter-lang': 'cql2-text' }), {
      'filter-lang': ['The filter is not cql2-text.'],
    });
    const { features } = await items('quoted', { properties: 'id,"a ""b"" & c"', limit: '1' });
    assert.deepEqual(features[0]?.properties, { id: 1, 'a "b" & c': 'x "y"' });
    assert.deepEqual(features[0]?.geometry, { type: 'Point', coordinates: [1, 2] });
    assert.deepEqual(await problemOf('quoted', { nam: 'x', id__gt: '1' }), {
      nam: ['Unknown parameter "nam". Did you mean "name"?'],
      id__gt: ['Unknown parameter "id__gt".'],
    });
  });

  it('limit is 1,000 by default; next keeps the other parameters', async () => {
    const first = await items('many', { even: 'true' });
    assert.equal(first.features.length, 1000);
    assert.equal(first.numberMatched, 1250);
    const next = first.links.find(({ rel }) => rel === 'next')?.href ?? '';
    assert.equal(next, `${root}/collections/lab.many/items?even=true&limit=1000&offset=1000`);
    const second = (await (await fetch(next)).json()) as Features;
    assert.equal(second.features[0]?.properties.n, 2000);
    assert.deepEqual(
      second.links.map(({ rel }) => rel),
      ['self', 'alternate', 'prev', 'collection'],
    );
  });

  it('ids are those of the payload if each names one feature in a path, else numbers of rows', async () => {
    const idsOf = async (slug: string) => (await items(slug, { limit: '5' })).features.map(({ id }) => id);
    assert.deepEqual(await idsOf('ids'), ['a b', 'é?#%', '7', 'x+y&z=1', '..a']);
    assert.deepEqual(await idsOf('slashes'), [1, 2]);
    assert.deepEqual(await idsOf('twice'), [1, 2, 3]);
    assert.deepEqual(await idsOf('many'), [1, 2, 3, 4, 5]);
    assert.deepEqual(await idsOf('plain'), [1, 2]);
    const feature = await ask(`/collections/lab.ids/items/${encodeURIComponent('é?#%')}`);
    assert.equal(feature.headers.get('content-type'), 'application/geo+json');
    const page = await (await ask(`/collections/lab.ids/items/${encodeURIComponent('a b')}?f=html`)).text();
    assert.match(page, /<span aria-current="page" dir="auto">a b<\/span>/);
    assert.equal(((await feature.json()) as Features['features'][number]).properties.n, 1);
    for (const id of ['0', '3', '01', '1.0', '-1', '99999999999999999999'])
      assert.equal((await ask(`/collections/lab.plain/items/${id}`)).status, 404, id);
    // It is the feature with this id, and not the first one of some order.
    for (const query of ['sortby=-n', 'n=2', 'limit=1']) {
      const refused = await ask(`/collections/lab.plain/items/1?${query}`);
      assert.deepEqual([refused.status, Object.keys((await refused.json()) as object)], [400, [query.split('=')[0]]]);
    }
  });

  it('private collections are for those who may see them, and not kept by shared caches', async () => {
    for (const path of ['/collections', '/api', '/collections?f=html']) {
      assert.doesNotMatch(await (await ask(path)).text(), /lab\.secret/, path);
      const seen = await ask(path, asAnn());
      assert.match(await seen.text(), /lab\.secret/, path);
      assert.equal(seen.headers.get('cache-control'), 'private, no-cache', path);
    }
    for (const below of ['', '/items', '/items/1', '/schema', '/queryables', '/sortables']) {
      assert.equal((await ask(`/collections/lab.secret${below}`)).status, 404, below);
      const seen = await ask(`/collections/lab.secret${below}`, asAnn());
      assert.equal(seen.status, 200, below);
      assert.equal(seen.headers.get('cache-control'), 'private, no-cache', below);
    }
  });

  it('datasets without rows are no collections', async () => {
    const { collections } = (await (await ask('/collections')).json()) as { collections: { id: string }[] };
    const ids = collections.map(({ id }) => id);
    assert.ok(ids.includes('lab.empty') && ids.includes('lab.plain'));
    for (const slug of ['report', 'nothing', 'no-such']) {
      assert.ok(!ids.includes(`lab.${slug}`));
      assert.equal((await ask(`/collections/lab.${slug}`)).status, 404);
    }
  });

  it('a renamed dataset redirects, and unchanged features are not sent again', async () => {
    await workshop.catalogue.create('dataset', { label: 'Old', slug: 'old', namespace: 'lab' });
    await workshop.publish('old', 'old.csv', 'n\n1\n');
    await workshop.catalogue.edit({ kind: 'dataset', namespace: 'lab', slug: 'old' }, { slug: 'new' });
    for (let tries = 0; (await ask('/collections/lab.new')).status !== 200; tries++) assert.ok(tries < 2000);
    const moved = await fetch(`${root}/collections/lab.old/items?n=1`, { redirect: 'manual' });
    assert.equal(moved.status, 308);
    assert.equal(moved.headers.get('location'), '/ogc/collections/lab.new/items?n=1');
    const etag = (await ask('/collections/lab.new/items')).headers.get('etag') ?? '';
    assert.match(etag, /^W\//);
    assert.equal((await ask('/collections/lab.new/items', { 'If-None-Match': etag })).status, 304);
    const page = '/collections/lab.new/items?f=html';
    const ofPage = (await ask(page)).headers.get('etag') ?? '';
    assert.equal((await ask(page, { 'If-None-Match': ofPage })).status, 304);
  });

  it('is linked from the root of the other API, and from each dataset with rows', async () => {
    const linkOf = async (path: string) => {
      const { headers, url } = await fetch(`${server.base}/api/v1/${path}`);
      return resolvedLinks(headers.get('link'), url);
    };
    assert.ok((await linkOf('')).includes(`<${root}/>; rel="related"`));
    const dataset = 'namespaces/lab/datasets/';
    assert.ok((await linkOf(`${dataset}plain/`)).includes(`<${root}/collections/lab.plain/items>; rel="items"`));
    assert.doesNotMatch(await linkOf(`${dataset}report/`), /ogc/);
  });

  it('every media type that clients get is in the definition', async () => {
    interface Declared {
      readonly paths: Readonly<Record<string, { get: { responses: { 200: { $ref: string } } } }>>;
      readonly components: { responses: Record<string, { content: object }> };
    }
    const { paths, components } = (await (await ask('/api')).json()) as Declared;
    const ofPlain = Object.entries(paths).filter(([path]) => /^\/(?!collections\/)|\/lab\.plain(?:\/|$)/.test(path));
    assert.equal(ofPlain.length, 11);
    for (const [path, { get }] of ofPlain) {
      const name = get.responses[200].$ref.split('/').at(-1) ?? '';
      const declared = Object.keys(components.responses[name]?.content ?? {});
      assert.ok(declared.includes('application/json'), path);
      for (const accept of ['*/*', ...declared]) {
        const { status, headers } = await ask(path.replace('{featureId}', '1'), { Accept: accept });
        const type = headers.get('content-type')?.replace('; charset=utf-8', '') ?? '';
        assert.equal(status, 200, `${path} ${accept}`);
        assert.ok(accept === '*/*' ? declared.includes(type) : type === accept, `${path} ${accept}: ${type}`);
      }
    }
  });

  it('f wins over Accept', async () => {
    const typeOf = async (path: string, accept: string) =>
      (await ask(path, { Accept: accept })).headers.get('content-type');
    const path = '/collections/lab.plain/items';
    assert.equal(await typeOf(path, 'text/html'), 'text/html; charset=utf-8');
    assert.equal(await typeOf(`${path}?f=json`, 'text/html'), 'application/geo+json');
    assert.equal(await typeOf(`${path}?f=html`, 'application/geo+json'), 'text/html; charset=utf-8');
    assert.equal(await typeOf(path, '*/*'), 'application/geo+json');
    assert.equal(await typeOf(path, 'application/json'), 'application/json');
    assert.equal(
      await typeOf('/api', 'application/vnd.oai.openapi+json;version=3.0'),
      'application/vnd.oai.openapi+json;version=3.0',
    );
  });
});

it('time columns are a pair for an interval, else the first datetime, else the first date', () => {
  const timesOf = (columns: Record<string, ColumnType>) => {
    const found = findTimeColumns(Object.entries(columns).map(([name, type]) => ({ name, type })));
    return found && Object.values(found).map(({ name }) => name);
  };
  assert.deepEqual(timesOf({ start: 'date', end: 'date' }), ['start', 'end']);
  assert.deepEqual(timesOf({ valid_to: 'datetime', valid_from: 'datetime', seen: 'date' }), ['valid_from', 'valid_to']);
  assert.deepEqual(timesOf({ Start_Date: 'date', End_Date: 'date' }), ['Start_Date', 'End_Date']);
  assert.deepEqual(timesOf({ start: 'date', end: 'string' }), ['start']);
  assert.deepEqual(timesOf({ start: 'date', end: 'datetime' }), ['end'], 'as precise');
  assert.deepEqual(timesOf({ day: 'date', moment: 'datetime' }), ['moment']);
  assert.deepEqual(timesOf({ name: 'string', clock: 'time' }), undefined);
  assert.deepEqual(timesOf({ restart: 'date', weekend: 'date' }), ['restart']);
});

it('documents about many datasets are streamed, and not sent again to those who have them', async (test) => {
  const names = Array.from({ length: 501 }, (_, n) => `lab/d${n}`);
  const version = {
    checksum: '0'.repeat(64),
    rows: 1,
    columns: [{ name: 'n', type: 'integer' }],
    file: { name: 'a.csv' },
  };
  const content = {
    namespaces: { lab: { label: 'Lab' } },
    datasets: Object.fromEntries(names.map((name) => [name, { label: name }])),
    versions: Object.fromEntries(names.slice(0, 30).map((name) => [`${name}@20240131`, version])),
    files: Object.fromEntries(names.slice(0, 30).map((name) => [`${homeOf(name)}/data/a.csv`, 'n\n1\n'])),
  };
  const { base } = await served(content, test);
  const response = await fetch(`${base}/ogc/collections`);
  const { collections } = (await response.json()) as { collections: { id: string }[] };
  assert.equal(collections.length, 30);
  const etag = response.headers.get('etag') ?? '';
  assert.equal((await fetch(`${base}/ogc/collections`, { headers: { 'If-None-Match': etag } })).status, 304);
  const { paths } = (await (await fetch(`${base}/ogc/api`)).json()) as { paths: Record<string, object> };
  assert.equal(Object.keys(paths).filter((path) => path.endsWith('/items')).length, 30);
});
