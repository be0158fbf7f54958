/** Filters that a row refuses: an error if nothing was sent yet, else a response that is seen to break off. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { makeWorkshop, type Workshop } from '../support/published.ts';
import { serveFolder } from '../support/server.ts';

const zigzag = (count: number, isTurned: boolean) =>
  Array.from({ length: count }, (_, i) => {
    const [x, y] = [Number(((i * 37) % 89.3).toFixed(3)), (i % 2) * 80];
    return isTurned ? `${y} ${x}` : `${x} ${y}`;
  }).join(',');

describe('a filter that a row refuses', () => {
  let workshop: Workshop;
  let server: Awaited<ReturnType<typeof serveFolder>>;
  const filter = encodeURIComponent(`i = 1 OR S_CROSSES(geometry, LINESTRING(${zigzag(100, false)}))`);
  const table = (rowsBefore: number) =>
    `i,geometry\n${'1,"LINESTRING(0 1,80 2)"\n'.repeat(rowsBefore)}2,"LINESTRING(${zigzag(4000, true)})"\n`;

  before(async () => {
    workshop = await makeWorkshop();
    await workshop.publish('early', 'lines.csv', table(3));
    await workshop.publish('late', 'lines.csv', table(5000));
    server = await serveFolder(workshop.root);
  });
  after(async () => {
    await server.close();
    await workshop.remove();
  });
  const ask = (slug: string, format: string, coding = 'identity') =>
    fetch(`${server.base}/api/v1/namespaces/lab/datasets/${slug}/data.${format}?_filter=${filter}`, {
      headers: { 'Accept-Encoding': coding },
    });

  for (const format of ['geojson', 'csv', 'ndjson', 'parquet', 'gpkg'])
    it(`is 400 as ${format} if nothing was sent yet`, async () => {
      const response = await ask('early', format);
      const { _filter } = await response.json();
      assert.equal(response.status, 400);
      assert.match(String(_filter), /^The geometry and that of a row cross, or come near each other, too often/);
      assert.equal(response.headers.get('content-disposition'), null);
    });

  it('breaks off a response that has begun, in every coding, and is logged', async () => {
    for (const coding of ['identity', 'gzip']) {
      const response = await ask('late', 'geojson', coding);
      assert.deepEqual([response.status, response.headers.get('content-length')], [200, null]);
      await assert.rejects(response.text(), coding);
      assert.match(server.log.at(-1) ?? '', /^response: _filter: The geometry and that of a row cross/);
    }
  });
});
