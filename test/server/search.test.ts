/** The search for people: by area, on a map of where the datasets lie, and what is said when nothing is found. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { makeFolder } from '../support/folder.ts';
import { makeWorkshop, type Workshop } from '../support/published.ts';
import { serveFolder } from '../support/server.ts';

const datasets = '/api/v1/datasets/';

describe('the search page', () => {
  let workshop: Workshop;
  let server: Awaited<ReturnType<typeof serveFolder>>;

  before(async () => {
    workshop = await makeWorkshop();
    const collection = (type: string, coordinates: unknown) =>
      JSON.stringify({ type: 'FeatureCollection', features: [feature(type, coordinates), feature(type, coordinates)] });
    const feature = (type: string, coordinates: unknown) => ({
      ...{ type: 'Feature', properties: { name: 'x' }, geometry: { type, coordinates } },
    });
    await workshop.publish('wells', 'wells.geojson', collection('Point', [10, 50]));
    const course = [
      [-60, 0],
      [-50, -3],
    ];
    await workshop.publish('rivers', 'rivers.geojson', collection('LineString', course));
    await workshop.publish('prices', 'prices.csv', 'name,price\na,1\nb,\n');
    server = await serveFolder(workshop.root);
  });
  after(async () => {
    await server.close();
    await workshop.remove();
  });

  const get = (path: string, options: RequestInit = {}) =>
    fetch(server.base + path, { headers: { Accept: 'text/html' }, ...options });
  const page = async (path: string) => (await get(path)).text();
  /** The elements of a picture, without its base map. */
  const marks = async (path: string) => {
    const response = await get(path, { headers: {} });
    assert.equal(response.headers.get('content-type'), 'image/svg+xml', await response.clone().text());
    const svg = await response.text();
    return [...svg.matchAll(/<path class="(\w+)"/g)]
      .map(([, name]) => name)
      .filter((name) => !/sea|land/.test(name ?? ''));
  };

  it('shows where the datasets lie that the filters leave: their rows, and the area that is asked for', async () => {
    assert.deepEqual(await marks(`${datasets}map.svg`), ['line', 'point']);
    assert.deepEqual(await marks(`${datasets}map.svg?search=wells`), ['point']);
    assert.deepEqual(await marks(`${datasets}map.svg?bbox=-70,-10,-40,10`), ['line', 'chosen']);
    assert.deepEqual(await marks(`${datasets}map.svg?search=prices`), []);
    assert.equal((await get(`${datasets}map.svg?bbox=1,2`)).status, 400);
  });

  it('finds by an area of four numbers, and has it as a chip and in the fields', async () => {
    const response = await get(`${datasets}?_west=0&_south=40&_east=20&_north=&search=`, { redirect: 'manual' });
    assert.equal(response.headers.get('location'), `${datasets}?bbox=0,40,20,90`);
    const german = await get(`${datasets}?_west=0,25`, {
      redirect: 'manual',
      headers: { Accept: 'text/html', 'Accept-Language': 'de' },
    });
    assert.equal(german.headers.get('location'), `${datasets}?bbox=0.25,-90,180,90`);
    const found = await page(`${datasets}?bbox=0,40,20,90`);
    assert.match(found, />1 dataset</);
    assert.match(found, /class="chips".*Where<\/span> <span dir="auto">0° to 20°\u00a0E, 40°\u00a0N to 90°\u00a0N/s);
    assert.match(found, /name="_east"[^>]*value="20"/);
    // The picture is of the same area as the rectangle that is drawn on it.
    assert.match(
      found,
      /<div class="area" data-area="[-\d.]+,[-\d.]+,[-\d.]+,[-\d.]+"><img src="[^"]*map\.svg\?bbox=0,40,20,90"/,
    );
    assert.doesNotMatch(await page(`${datasets}?search=prices`), /class="where"/);
  });

  it('has plates drawn from the rows, and what was updated in the last days', async () => {
    const found = await page(datasets);
    assert.equal([...found.matchAll(/<img src="[^"]*\/version\/\d+\/plate\.svg"/g)].length, 3);
    const [, week] =
      /href="[^"]*(\?updated__gte=[\d-]+)"[^>]*><span dir="auto">in the last 7 days<\/span><span>3</.exec(found) ?? [];
    assert.match(
      await page(`${datasets}${week}`),
      /class="chips".*Updated<\/span> <span dir="auto">in the last 7 days/s,
    );
    assert.match(
      await page(`${datasets}?updated__gte=2001-02-03`),
      /Updated<\/span> <span dir="auto">since 3 Feb 2001/,
    );
  });

  it('names the nearest word, and the filters that are in the way, if nothing is found', async () => {
    const found = await page(`${datasets}?search=river&geometry=point&year=1999`);
    assert.match(found, /No dataset matches/);
    assert.doesNotMatch(found, /Without one of these/);
    const one = await page(`${datasets}?search=river&geometry=point`);
    assert.match(
      one,
      /Without one of these.*<a href="[^"]*\?search=river"><span class="soft">What the rows are.*points.*1 dataset/s,
    );
    assert.match(await page(`${datasets}?search=rivrs`), /Did you mean <a [^>]*>rivers<\/a>/);
  });
});

describe('the search in a namespace', () => {
  let server: Awaited<ReturnType<typeof serveFolder>>;
  const own = '/api/v1/namespaces/parks/';
  const page = async (path: string) => (await fetch(server.base + path, { headers: { Accept: 'text/html' } })).text();

  before(async () => {
    const folder = makeFolder({
      namespaces: { parks: { label: 'Parks & gardens' }, earth: { label: 'Earth' } },
      datasets: {
        'parks/trees': { label: 'Trees', keywords: ['green'] },
        'parks/lawns': { label: 'Lawns', keywords: ['grass'] },
        'earth/quakes': { label: 'Quakes' },
      },
    });
    server = await serveFolder(folder.root);
  });
  after(() => server.close());

  it('says in which namespace it looks', async () => {
    const text = await page(`${own}datasets/?keyword=green`);
    assert.match(text, /<title>Datasets – Parks &amp; gardens/);
    assert.match(text, /<h1[^>]*>Parks &amp; gardens<\/h1>/);
    assert.match(text, /<a href="\/api\/v1\/namespaces\/parks\/"[^>]*>parks<\/a>/);
    assert.doesNotMatch(await page(datasets), /<h1[^>]*>Parks/);
  });

  it('leads to the datasets of all namespaces, and suggests words of its own, if nothing is found', async () => {
    const text = await page(`${own}datasets/?search=quakes`);
    assert.doesNotMatch(text, /No dataset has|Did you mean/);
    assert.match(
      text,
      /Without one of these.*<a href="\/api\/v1\/datasets\/\?search=quakes"><span class="soft">Namespace.*Parks &amp; gardens.*1 dataset/s,
    );
    assert.match(await page(`${own}datasets/?search=zzz`), /No dataset has “zzz”/);
    const both = await page(`${own}datasets/?search=trees&keyword=grass`);
    assert.match(both, /<a href="[^"]*\/parks\/datasets\/\?search=trees"><span class="soft">Keyword/);
    assert.doesNotMatch(both, /<span class="soft">Namespace/);
    assert.match(await page(`${own}datasets/?search=tres`), /Did you mean <a [^>]*>Trees<\/a>/);
  });

  it('is at the list of its datasets, to which the namespace leads with all parameters', async () => {
    const response = await fetch(`${server.base}${own}?search=lawns&page=1`, {
      headers: { Accept: 'text/html' },
      redirect: 'manual',
    });
    assert.deepEqual([response.status, response.headers.get('location')], [303, `${own}datasets/?search=lawns&page=1`]);
    assert.match(await page(`${own}?search=lawns`), /1 dataset with “lawns”/);
    assert.match(await page(`${own}?utm_source=x`), /<h2 id="results"[^>]*>2 datasets</);
    const json = await fetch(`${server.base}${own}?search=lawns`);
    assert.equal((await json.json()).slug, 'parks');
  });
});

it('a facet of many values has a field to find one, and says how many are not on the page', async (t) => {
  const keywords = Array.from({ length: 120 }, (_, i) => `word ${i}`);
  const folder = makeFolder(
    {
      namespaces: { a: { label: 'A' }, b: { label: 'B' } },
      datasets: { 'a/one': { label: 'One', keywords }, 'b/two': { label: 'Two', keywords: ['word 7'] } },
    },
    t,
  );
  const server = await serveFolder(folder.root);
  t.after(() => server.close());
  const text = await (await fetch(server.base + datasets, { headers: { Accept: 'text/html' } })).text();
  const facets = [...text.matchAll(/<section class="facet"><h3>([^<]*)<\/h3>(.*?)<\/section>/gs)];
  const of = (title: string) => facets.find(([, name]) => name === title)?.[2] ?? '';
  assert.match(
    of('Keyword'),
    /<label[^>]*for="find-keyword">Find: Keyword<.*<input id="find-keyword"[^>]*data-filter="li"/,
  );
  assert.match(of('Keyword'), /<summary>93 more<.*>and 20 more: /s);
  assert.match(of('Namespace'), />A</);
  assert.doesNotMatch(of('Namespace'), /data-filter/);
});

it('a facet marks the values that are chosen, as the filter compares them', async (t) => {
  const dataset = (licence: string, keyword: string) => ({ label: licence, licence, keywords: [keyword] });
  const folder = makeFolder(
    {
      namespaces: { a: { label: 'A' } },
      datasets: { 'a/one': dataset('Ours', 'Été'), 'a/two': dataset('ours', 'ÉTÉ') },
    },
    t,
  );
  const server = await serveFolder(folder.root);
  t.after(() => server.close());
  const query = '?licence=Ours&keyword=ete';
  const text = await (await fetch(server.base + datasets + query, { headers: { Accept: 'text/html' } })).text();
  const chosen = [...text.matchAll(/<a class="on"[^>]*href="([^"]*)"[^>]*><span dir="auto">([^<]*)</g)];
  assert.deepEqual(
    chosen.map(([, href, value]) => [value, href?.replaceAll('&amp;', '&')]),
    [
      ['Été', `${datasets}?licence=Ours`],
      ['Ours', `${datasets}?keyword=ete`],
    ],
  );
});
