/** Differences after a column is declared to be another one of before: nothing that was sent or kept says otherwise. */
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { until } from '../support/folder.ts';
import { makeWorkshop } from '../support/published.ts';
import { serveFolder } from '../support/server.ts';

it('a difference is another one once a column is known to be renamed', async (t) => {
  const workshop = await makeWorkshop();
  t.after(() => workshop.remove());
  await workshop.publish('trees', 'trees.csv', 'id,height\n1,2\n2,3\n');
  const ref = { kind: 'dataset', namespace: 'lab', slug: 'trees' } as const;
  // What is described is kept as a missing column.
  await workshop.catalogue.edit<'dataset'>(ref, { columns: [{ name: 'id' }, { name: 'height', unit: 'm' }] });
  const { version } = await workshop.publish('trees', 'trees.csv', 'id,size\n1,2\n2,4\n');
  const server = await serveFolder(workshop.root);
  t.after(() => server.close());
  const trees = `${server.base}/api/v1/namespaces/lab/datasets/trees/`;
  const difference = `${trees}version/${version.slug}/diff/`;
  const pageAt = async (address: string) => {
    const text = await (await fetch(address, { headers: { Accept: 'text/html' } })).text();
    return text.replace(/<[^>]*>/g, ' ').replace(/\s+/g, ' ');
  };
  const before = await fetch(difference);
  assert.equal((await before.json()).counts.changed, 0);
  assert.match(await pageAt(difference), /dropped: height/);
  await until(async () => (await pageAt(trees)).includes('column dropped: height'));

  const columns = [{ name: 'id' }, { name: 'size', former_names: ['height'] }];
  await workshop.catalogue.edit<'dataset'>(ref, { columns });
  await until(async () => (await (await fetch(trees)).json()).columns[1].unit === 'm');

  const again = await fetch(difference, { headers: { 'If-None-Match': before.headers.get('etag') ?? '' } });
  assert.equal(again.status, 200);
  const { columns: found, counts } = await again.json();
  assert.deepEqual([found.dropped, counts.changed], [[], 1]);
  assert.doesNotMatch(await pageAt(difference), /dropped: height/);
  assert.doesNotMatch(await pageAt(trees), /column dropped: height/);
});
