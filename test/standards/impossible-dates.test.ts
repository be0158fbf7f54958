/** Dates that don't exist stay in the record, and are left out of documents for portals. */
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { openFileCatalogue } from '../../src/files/file-catalogue.ts';
import { catalogueFacts, datasetFacts } from '../../src/standards/facts.ts';
import { makeFolder } from '../support/folder.ts';

it('documents leave out dates that don’t exist', async (t) => {
  const folder = makeFolder(
    {
      namespaces: { a: { label: 'A' } },
      datasets: {
        'a/b': { label: 'B', issued: '2020-13-01', modified: '2021-02-29' },
        'a/c': { label: 'C', issued: '2020-02-29', modified: '2021-12-31T12:00:00Z' },
      },
    },
    t,
  );
  const files = await openFileCatalogue(folder.root);
  t.after(() => files.close());
  const real = files.for();
  const catalogue = catalogueFacts(real.settings, 'https://example.org');
  const dates = async (slug: string) => {
    const dataset = await real.get({ kind: 'dataset', namespace: 'a', slug });
    const { issued, modified } = datasetFacts(catalogue, dataset, undefined);
    return [dataset.issued, issued, modified];
  };
  assert.deepEqual(await dates('b'), ['2020-13-01', undefined, undefined]);
  assert.deepEqual(await dates('c'), ['2020-02-29', '2020-02-29T00:00:00.000Z', '2021-12-31T12:00:00Z']);
});
