/** Items of a STAC API, over HTTP, from a server that pages as stac-fastapi does. */
import assert from 'node:assert/strict';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { join } from 'node:path';
import { json } from 'node:stream/consumers';
import { after, before, beforeEach, describe, it } from 'node:test';
import { filesIn } from '../support/exported.ts';
import { Portal } from '../support/portal.ts';
import { makeRoot, type } from '../support/prompt.ts';

const portal = new Portal();
before(() => portal.start());
after(() => portal.close());
beforeEach(() => {
  portal.answers.clear();
  portal.asked.length = 0;
});

type Body = Readonly<Record<string, unknown>>;

const items = Array.from({ length: 7 }, (_, i) => ({
  type: 'Feature',
  stac_version: '1.0.0',
  id: `scene-${i}`,
  collection: i < 5 ? 'scenes' : 'others',
  geometry: { type: 'Point', coordinates: [i, 50] },
  properties: { datetime: `2026-01-0${i + 1}T00:00:00Z`, cloud: i * 10 },
  links: [],
  assets: {},
}));

/** What was asked for: the parameters of a GET, the body of a POST. */
const searches: { readonly method: string; readonly asked: Body; readonly header: string }[] = [];

async function asked(request: IncomingMessage): Promise<Body> {
  const { searchParams } = new URL(request.url ?? '', portal.base);
  const body = request.method === 'POST' ? ((await json(request)) as Body) : {};
  const collections = searchParams.get('collections')?.split(',');
  return { ...Object.fromEntries(searchParams), ...(collections && { collections }), ...body };
}

/** Two items a page. @param next the link to the next page, made of the token and what was asked for */
function serveSearch(next: (token: string, asked: Body) => object, extra: object = {}): void {
  searches.length = 0;
  portal.answers.set('/search', (request, response) => {
    void answer(request, response, next, extra);
  });
}

async function answer(
  request: IncomingMessage,
  response: ServerResponse,
  next: (token: string, asked: Body) => object,
  extra: object,
): Promise<void> {
  const body = await asked(request);
  searches.push({ method: request.method ?? '', asked: body, header: String(request.headers['search-after'] ?? '') });
  const wanted = body.collections as readonly string[] | undefined;
  const found = items.filter(({ collection }) => !wanted || wanted.includes(collection));
  const start = Number(String(body.token ?? 'next:0').slice(5));
  const features = found.slice(start, start + 2);
  const links = start + 2 < found.length ? [{ rel: 'next', ...next(`next:${start + 2}`, body) }] : [];
  response.writeHead(200, { 'content-type': 'application/geo+json' });
  response.end(JSON.stringify({ type: 'FeatureCollection', features, links, ...extra }));
}

/** A landing page with one collection without a list of items of its own. */
function serveApi(search: readonly object[]): void {
  portal.json('/', {
    type: 'Catalog',
    stac_version: '1.0.0',
    id: 'api',
    conformsTo: ['https://api.stacspec.org/v1.0.0/item-search'],
    links: [{ rel: 'data', href: '/collections' }, ...search],
  });
  portal.json('/collections', {
    collections: [
      { type: 'Collection', stac_version: '1.0.0', id: 'scenes', title: 'Scenes', license: 'CC0-1.0', links: [] },
    ],
    links: [],
  });
}

async function importing(...argv: string[]) {
  const root = await makeRoot();
  const result = await type(['import', ...argv, '--to', 'sat', '--with-data', '--delay', '0', '--json'], { root });
  return { ...result, root, json: result.out ? JSON.parse(result.out) : null };
}

/** Values of a column of the newest version. */
async function rows(root: string, dataset: string): Promise<readonly number[]> {
  const { out, err } = await type(['data', dataset, '--format', 'ndjson'], { root });
  assert.ok(out, err);
  return out
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line).cloud);
}

describe('the item search of a STAC API', () => {
  it('is paged by GET from the address of a search', async () => {
    serveSearch((token) => ({ method: 'GET', href: `${portal.base}/search?collections=scenes&token=${token}` }));
    const { json, root, err } = await importing(`${portal.base}/search?collections=scenes`);
    assert.deepEqual(json?.links, [], err);
    assert.equal(json.created[0].label, 'Items of scenes');
    assert.deepEqual(await rows(root, json.created[0].dataset), [0, 10, 20, 30, 40]);
    const kept = filesIn(join(root, '.catalogue/import'));
    assert.ok(
      kept.length > 0 && kept.every((path) => /\.(?:json|body)$/.test(path)),
      'pages, and no file made of them',
    );
  });

  it('is paged by POST, with the whole body of the next page', async () => {
    serveApi([{ rel: 'search', method: 'POST', href: '/search' }]);
    serveSearch((token, asked) => ({ method: 'POST', href: '/search', body: { ...asked, token } }));
    const { json, root, err } = await importing(`${portal.base}/`);
    assert.deepEqual(json?.links, [], err);
    assert.deepEqual(await rows(root, 'sat/scenes'), [0, 10, 20, 30, 40]);
    assert.deepEqual(
      searches.map(({ method, asked: { collections, token } }) => [method, collections, token]),
      [
        ['POST', ['scenes'], undefined],
        ['POST', ['scenes'], 'next:2'],
        ['POST', ['scenes'], 'next:4'],
      ],
    );
  });

  it('merges the body of a link with that of the first page where it says so, and sends its headers', async () => {
    serveApi([{ rel: 'search', method: 'POST', href: '/search' }]);
    serveSearch((token) => ({
      method: 'POST',
      href: '/search',
      headers: { 'Search-After': token },
      body: { token },
      merge: true,
    }));
    const { json, root, err } = await importing(`${portal.base}/`);
    assert.deepEqual(json?.links, [], err);
    assert.deepEqual(await rows(root, 'sat/scenes'), [0, 10, 20, 30, 40]);
    assert.deepEqual(searches.at(-1)?.asked.collections, ['scenes']);
    assert.deepEqual(
      searches.map(({ header }) => header),
      ['', 'next:2', 'next:4'],
    );
  });

  it('prefers GET, and follows what a GET says about POST', async () => {
    serveApi([
      { rel: 'search', method: 'POST', href: '/search' },
      { rel: 'search', method: 'GET', href: '/search' },
    ]);
    serveSearch((token) => ({ method: 'POST', href: '/search', body: { collections: ['scenes'], token } }));
    const { json, root, err } = await importing(`${portal.base}/`);
    assert.deepEqual(json?.links, [], err);
    assert.deepEqual(
      searches.map(({ method }) => method),
      ['GET', 'POST', 'POST'],
    );
    assert.deepEqual(await rows(root, 'sat/scenes'), [0, 10, 20, 30, 40]);
    const link = (await type(['dataset', 'show', 'sat/scenes', '--json'], { root })).out;
    assert.match(link, /\/search\?collections=scenes/);
  });

  for (const [what, next, reason] of [
    ['a loop', () => ({ href: '/search?collections=scenes' }), /the pages never end/],
    [
      'a loop of POST',
      () => ({ method: 'POST', href: '/search', body: { collections: ['scenes'] } }),
      /the pages never end/,
    ],
    ['another host', () => ({ href: 'http://127.0.0.2:9/search' }), /leads to another server, 127\.0\.0\.2:9/],
    ['another scheme', () => ({ href: 'file:///etc/passwd' }), /leads to another server|has the scheme/],
    [
      'a password in the address',
      () => ({ href: `${portal.base.replace('://', '://a:b@')}/search` }),
      /has a user name or a password/,
    ],
    [
      'credentials in the body',
      () => ({ method: 'POST', href: '/search', body: { api_key: 'x' } }),
      /asks to send "api_key"/,
    ],
    [
      'credentials in a header',
      () => ({ href: '/search?token=next:2', headers: { Authorization: 'Bearer x' } }),
      /asks to send the header "Authorization"/,
    ],
    ['a method that changes', () => ({ method: 'DELETE', href: '/search' }), /has the method DELETE/],
    [
      'a huge body',
      () => ({ method: 'POST', href: '/search', body: { token: 'x'.repeat(70_000) } }),
      /has a body of more than/,
    ],
  ] as const)
    it(`refuses ${what} in the link to the next page, with a sentence`, async () => {
      serveSearch(next);
      const { json, err } = await importing(`${portal.base}/search?collections=scenes`);
      assert.equal(json.versions.length, 0, err);
      assert.equal(json.links[0].failed, true);
      assert.match(json.links[0].reason, reason);
      assert.ok(searches.length <= 5, `${searches.length} requests`);
    });

  it('refuses a search redirected to another server, and one that finds too many items', async () => {
    serveApi([{ rel: 'search', method: 'POST', href: '/search' }]);
    portal.answers.set('/search', (_, response) =>
      response.writeHead(307, { location: 'http://127.0.0.2:9/search' }).end(),
    );
    const redirected = await importing(`${portal.base}/`);
    assert.match(redirected.json.links[0].reason, /redirects a search to/);
    serveSearch((token) => ({ href: `/search?token=${token}` }), { numberMatched: 2_000_000 });
    const large = await importing(`${portal.base}/search?collections=scenes`);
    assert.match(large.json.links[0].reason, /It has 2000000 items or more, and at most 100000 are taken.*bbox=/);
  });
});
