/** Answers of feature servers that say that they are a part: they are read whole, or stay links with the reason. */
import assert from 'node:assert/strict';
import type { IncomingMessage } from 'node:http';
import { after, before, beforeEach, describe, it } from 'node:test';
import { Portal } from '../support/portal.ts';
import { makeRoot, type } from '../support/prompt.ts';

const portal = new Portal();
before(() => portal.start());
after(() => portal.close());
beforeEach(() => {
  portal.answers.clear();
  portal.asked.length = 0;
});

const features = ['ash', 'elm', 'fir', 'oak', 'yew'].map((name, i) => ({
  type: 'Feature',
  id: `trees.${i + 1}`,
  geometry: { type: 'Point', coordinates: [4 + i, 52] },
  properties: { name },
}));

/** Answers with at most two features, from the one that the address names by a parameter. */
function servePages(path: string, parameter: string, more: (left: number, next: string) => object): void {
  portal.json(path, ({ url }: IncomingMessage) => {
    const own = new URL(url ?? '', portal.base);
    if (own.searchParams.get('request') === 'GetCapabilities') return {};
    const start = Number(own.searchParams.get(parameter) ?? 0);
    const page = features.slice(start, start + 2);
    own.searchParams.set(parameter, String(start + page.length));
    const left = features.length - start - page.length;
    return { type: 'FeatureCollection', features: page, ...more(left, own.href) };
  });
}

const counts = () => ({ totalFeatures: features.length, numberMatched: features.length, numberReturned: 2 });
const nextLink = (left: number, href: string) => ({ links: left ? [{ rel: 'next', href }] : [] });

async function importing(url: string, root?: string) {
  const folder = root ?? (await makeRoot({ settings: { title: 'Empty' } }));
  const argv = ['import', url, '--to', 'city', '--with-data', '--delay', '0', '--json'];
  const { out, err, exitCode } = await type(argv, { root: folder });
  assert.equal(exitCode, 0, err);
  return { root: folder, json: JSON.parse(out) };
}

/** A data.json with one dataset, whose file is at this address. */
function publishLink(address: string): string {
  const distribution = [{ downloadURL: address, mediaType: 'application/geo+json' }];
  const dataset = [{ title: 'Trees', identifier: 'trees', description: 'Trees.', distribution }];
  portal.json('/data.json', { conformsTo: 'dcat', dataset });
  return `${portal.base}/data.json`;
}

async function namesIn(root: string): Promise<readonly string[]> {
  const { out, err } = await type(['data', 'city/trees', '--format', 'ndjson'], { root });
  assert.ok(out, err);
  return out
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line).name);
}
const names = features.map(({ properties }) => properties.name);

async function assertWhole(url: string): Promise<void> {
  const { root, json } = await importing(url);
  assert.deepEqual([json.versions.length, json.links], [1, []]);
  assert.deepEqual(await namesIn(root), names);
  const again = await importing(url, root);
  assert.deepEqual([again.json.versions, again.json.links], [[], []]);
}

async function assertLink(url: string, reason: RegExp): Promise<void> {
  const { json } = await importing(url);
  assert.deepEqual(json.versions, []);
  assert.equal(json.links.length, 1);
  assert.match(json.links[0].reason, reason);
  assert.equal(json.links[0].failed, true);
}

const capabilities = `<wfs:WFS_Capabilities xmlns:wfs="http://www.opengis.net/wfs/2.0" xmlns:ows="http://www.opengis.net/ows/1.1">
  <ows:OperationsMetadata><ows:Operation name="GetFeature"><ows:Parameter name="outputFormat"><ows:AllowedValues>
  <ows:Value>application/json</ows:Value></ows:AllowedValues></ows:Parameter></ows:Operation></ows:OperationsMetadata>
  <wfs:FeatureTypeList><wfs:FeatureType><wfs:Name>city:trees</wfs:Name></wfs:FeatureType></wfs:FeatureTypeList></wfs:WFS_Capabilities>`;

/** The address of a WFS that answers GetFeature like the address `/features`. */
function serveWfs(): string {
  portal.answers.set('/wfs', (request, response) => {
    if (!request.url?.includes('GetCapabilities')) portal.answers.get('/features')?.(request, response);
    else response.setHeader('content-type', 'application/xml').end(capabilities);
  });
  return `${portal.base}/wfs?service=WFS&request=GetCapabilities`;
}

describe('features of which a server gives a part', () => {
  it('are read whole from a WFS, by startIndex', async () => {
    servePages('/features', 'startIndex', counts);
    await assertWhole(serveWfs());
    // The capabilities have no ETag, and are asked for twice.
    assert.equal(portal.asked.filter((path) => path === '/wfs').length, 2 + 3, portal.asked.join(', '));
  });

  it('stay a link of a WFS that has no pages: one that gives the same again, or nothing', async () => {
    servePages('/features', 'unknown', counts);
    await assertLink(serveWfs(), /the server gave 2 of 5 features/);
    portal.json('/features', ({ url }: IncomingMessage) => ({
      type: 'FeatureCollection',
      features: url?.includes('startIndex') ? [] : features.slice(0, 2),
      numberMatched: 5,
    }));
    await assertLink(serveWfs(), /the server gave 2 of 5 features/);
  });

  it('stay a link of an OGC API without a link to the next page', async () => {
    const items = { rel: 'items', href: `${portal.base}/collections/trees/items`, type: 'application/geo+json' };
    portal.json('/collections', { links: [], collections: [{ id: 'trees', links: [items] }] });
    servePages('/collections/trees/items', 'offset', counts);
    await assertLink(`${portal.base}/collections`, /the server gave 2 of 5 features/);
    servePages('/collections/trees/items', 'offset', (...args) => ({ ...counts(), ...nextLink(...args) }));
    await assertWhole(`${portal.base}/collections`);
    // Some give a link to the next page on the last one, too: that is empty.
    servePages('/collections/trees/items', 'offset', (_, next) => nextLink(1, next));
    await assertWhole(`${portal.base}/collections`);
  });

  it('are read whole by a plain link of a portal: by links to next pages, and by those of a WFS and of ArcGIS', async () => {
    const path = '/collections/trees/items';
    servePages(path, 'offset', nextLink);
    await assertWhole(publishLink(`${portal.base}${path}`));
    servePages('/ows', 'startIndex', counts);
    await assertWhole(publishLink(`${portal.base}/ows?service=WFS&request=GetFeature&typeName=trees&maxFeatures=2`));
    servePages('/FeatureServer/0/query', 'resultOffset', (left) => ({ exceededTransferLimit: left > 0 }));
    await assertWhole(publishLink(`${portal.base}/FeatureServer/0/query?where=1%3D1&f=geojson`));
  });

  it('stay a link if the answer says that it is a part, and not where the others are', async () => {
    portal.json('/a.geojson', { type: 'FeatureCollection', features: features.slice(1), numberMatched: 5 });
    await assertLink(publishLink(`${portal.base}/a.geojson`), /the server gave 4 of 5 features/);
    portal.json('/a.geojson', { type: 'FeatureCollection', properties: { exceededTransferLimit: true }, features });
    await assertLink(
      publishLink(`${portal.base}/a.geojson`),
      /the server gave 5 features, and says that there are more/,
    );
  });

  it('are taken as they are if the answer is whole, whatever words its rows have', async () => {
    const words = { ...features[0], properties: { name: 'ash', numberMatched: 9, rel: 'next', totalFeatures: 9 } };
    portal.json('/a.geojson', { type: 'FeatureCollection', features: [words], numberMatched: 1, links: [] });
    const { root, json } = await importing(publishLink(`${portal.base}/a.geojson`));
    assert.deepEqual([json.versions.length, json.links], [1, []]);
    assert.deepEqual(await namesIn(root), ['ash']);
    assert.equal(portal.asked.filter((path) => path === '/a.geojson').length, 1);
  });
});
