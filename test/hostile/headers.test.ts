/** Responses whose headers could not be sent. In the folder of others, the judge of the OpenAPI document would refuse their status. */
import assert from 'node:assert/strict';
import { it } from 'node:test';
import type { Catalogue } from '../../src/catalogue/catalogue.ts';
import { datasetFromRecord } from '../../src/catalogue/entities.ts';
import { settingsFromRecord } from '../../src/catalogue/settings.ts';
import { createApp } from '../../src/server/app.ts';
import { listenForRequests } from '../../src/server/listen.ts';

it('a response with a header that HTTP does not have is 500, each time, and the server goes on', async (t) => {
  const log: string[] = [];
  const settings = { ...settingsFromRecord({}), base_url: 'https://host.example/данные' };
  const catalogue = {
    revision: {},
    settings,
    get: async () => datasetFromRecord('parks', 'trees', { label: 'Trees' }),
    list: async () => ({ count: 0, page: 1, pages: 1, pageSize: 20, items: [] }),
  } as unknown as Catalogue;
  const listening = await listenForRequests(
    createApp(() => catalogue, { log: (line) => log.push(line) }),
    '127.0.0.1',
    0,
  );
  t.after(() => listening.close(0));
  for (const _ of [1, 2]) {
    const signal = AbortSignal.timeout(5000);
    const response = await fetch(`${listening.url}/api/v1/namespaces/parks/datasets/trees/`, { signal });
    assert.equal(response.status, 500);
    await response.arrayBuffer();
  }
  assert.match(log.join('\n'), /Invalid character in header/);
});
