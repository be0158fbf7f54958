/** /metrics: off unless asked for, and telling nothing that not anybody may see. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { until } from '../support/folder.ts';
import { served } from '../support/served.ts';

const content = {
  namespaces: { parks: { label: 'Parks' }, secret: { label: 'Secret', visibility: 'private' } },
  datasets: { 'parks/trees': { label: 'Trees' }, 'parks/broken': { label: 1 }, 'secret/plans': { label: 'Plans' } },
};
const dataset = '/api/v1/namespaces/parks/datasets/trees/';

describe('/metrics', () => {
  it('is nowhere unless it is asked for', async (t) => {
    const { base } = await served(content, t);
    assert.equal((await fetch(`${base}/metrics`)).status, 404);
  });

  it('counts requests, the response cache and the catalogue', async (t) => {
    const { base, folder } = await served({ ...content, settings: { metrics: true } }, t);
    for (let i = 0; i < 3; i++) await (await fetch(base + dataset)).text();
    await fetch(`${base}/nothing`);
    await fetch(base + dataset, { method: 'DELETE' });
    const look = async () => {
      const answer = await fetch(`${base}/metrics`);
      assert.match(answer.headers.get('content-type') ?? '', /^text\/plain; version=0\.0\.4/);
      return answer.text();
    };
    const text = await look();
    const value = (name: string) =>
      Number(
        text
          .split('\n')
          .find((line) => line.startsWith(`${name} `))
          ?.split(' ')
          .at(-1),
      );
    assert.equal(value('catalogue_requests_total{route="Dataset Instance",method="GET",status="200"}'), 3);
    assert.equal(value('catalogue_requests_total{route="Dataset Instance",method="DELETE",status="401"}'), 1);
    assert.equal(value('catalogue_requests_total{route="none",method="GET",status="404"}'), 1);
    assert.equal(value('catalogue_request_duration_seconds_count{route="Dataset Instance",method="GET"}'), 3);
    assert.equal(value('catalogue_response_cache_total{result="hit"}'), 2);
    assert.equal(value('catalogue_response_cache_total{result="miss"}'), 2);
    assert.equal(value('catalogue_entities{kind="dataset"}'), 1);
    assert.equal(value('catalogue_entities{kind="namespace"}'), 1);
    assert.equal(value('catalogue_invalid_files'), 1);
    assert.ok(value('nodejs_eventloop_lag_seconds') >= 0);
    assert.doesNotMatch(text, /secret|plans/i);
    folder.write('namespaces/parks/datasets/ponds/dataset.yaml', 'label: Ponds\n');
    await until(async () => (await look()).includes('catalogue_entities{kind="dataset"} 2'));
  });

  it('is asked for by an option too, and refused by it', async (t) => {
    const on = await served(content, t, { metrics: true });
    assert.equal((await fetch(`${on.base}/metrics`)).status, 200);
    const off = await served({ ...content, settings: { metrics: true } }, t, { metrics: false });
    assert.equal((await fetch(`${off.base}/metrics`)).status, 404);
  });
});
