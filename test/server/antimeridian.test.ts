/** A dataset on both sides of the antimeridian: its box is narrow in the API, in searches, on pages and in the standards. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { makeWorkshop, type Workshop } from '../support/published.ts';
import { serveFolder } from '../support/server.ts';

describe('a dataset on both sides of the antimeridian', () => {
  let workshop: Workshop;
  let server: Awaited<ReturnType<typeof serveFolder>>;

  before(async () => {
    workshop = await makeWorkshop();
    await workshop.publish('fiji', 'fiji.csv', 'name,lon,lat\na,179.5,-17\nb,179.9,-16.5\nc,-179.9,-16\n');
    server = await serveFolder(workshop.root);
  });
  after(async () => {
    await server.close();
    await workshop.remove();
  });

  const text = async (path: string, accept = 'application/json') => {
    const response = await fetch(server.base + path, { headers: { Accept: accept } });
    assert.equal(response.status, 200, path);
    return response.text();
  };
  const home = '/api/v1/namespaces/lab/datasets/fiji/';
  const box = [179.5, -17, -179.9, -16];
  const found = async (bbox: string) =>
    (JSON.parse(await text(`/api/v1/datasets/?bbox=${bbox}`)) as { count: number }).count;

  it('has a box that crosses it', async () => {
    assert.deepEqual(JSON.parse(await text(`${home}version/latest/`)).bbox, box);
    assert.deepEqual(JSON.parse(await text('/ogc/collections/lab.fiji?f=json')).extent.spatial.bbox, [box]);
    assert.ok((await text(home, 'text/html')).includes('179.5° E to 179.9° W'.replaceAll('° ', '°\u00a0')));
  });

  it('is found where its rows are, and not on the other side of the world', async () => {
    assert.equal(await found('178,-20,-178,-10'), 1);
    assert.equal(await found('-180,-20,-179,-10'), 1);
    assert.equal(await found('0,-20,10,-10'), 0);
    assert.equal(await found('-60,-17,-50,-16'), 0);
  });

  it('has its rows on maps and in boxes on both sides', async () => {
    const rows = async (bbox: string) => JSON.parse(await text(`${home}data.objects?bbox=${bbox}`)).length;
    assert.deepEqual([await rows('-180,-20,-179,-10'), await rows('178,-20,-178,-10')], [1, 3]);
    assert.match(await text('/api/v1/datasets/map.svg', 'image/svg+xml'), /class="point"/);
  });
});
