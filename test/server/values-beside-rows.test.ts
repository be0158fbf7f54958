/** The values of columns beside a table of rows. */
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { until } from '../support/folder.ts';
import { makeWorkshop } from '../support/published.ts';
import { serveFolder } from '../support/server.ts';

it('all stand there that a column of few values has, the empty text among them', async (t) => {
  const workshop = await makeWorkshop();
  t.after(() => workshop.remove());
  const letters = [...'abcdefghijklmnopqr'];
  const often = ['', null, ...letters].flatMap((kind) => [{ kind }, { kind }]);
  await workshop.publish('trees', 'trees.json', JSON.stringify([...often, { kind: 'rare' }]));
  const server = await serveFolder(workshop.root);
  t.after(() => server.close());
  const address = `${server.base}/api/v1/namespaces/lab/datasets/trees/data/`;
  const aside = await until(async () => {
    const response = await fetch(address, { headers: { Accept: 'text/html' } });
    return /<section class="facet">(.*?)<\/section>/s.exec(await response.text())?.[1] ?? false;
  });
  const values = [...aside.matchAll(/<a [^>]*href="([^"]*)"[^>]*><span[^>]*>([^<]*)<\/span><span>(\d+)</g)];
  assert.deepEqual(new Set(values.map(([, , value]) => value)), new Set(['“”', ...letters, 'rare']));
  assert.match(values.find(([, , value]) => value === '“”')?.[1] ?? '', /\/data\/\?kind=$/);
});
