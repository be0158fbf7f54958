/** The addresses of a site: in time that grows with their number. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Dataset, Version } from '../../src/catalogue/types.ts';
import { datasetAddresses } from '../../src/export/site-addresses.ts';

describe('the addresses of a dataset', () => {
  it('have what changed in each version that has a ready one before it, with a few looks at each', () => {
    const count = 500;
    let looks = 0;
    const versions = Array.from({ length: count }, (_, i) => ({
      ...{ kind: 'version', namespace: 'lab', dataset: 'daily', columns: [], rows: null, href: '' },
      ...{ file: `v${i}.csv`, format: 'csv' },
      get slug() {
        looks++;
        return `v${i}`;
      },
      get ready() {
        looks++;
        return i !== 3 && i < count - 2;
      },
    }));
    const dataset = { kind: 'dataset', namespace: 'lab', slug: 'daily', columns: [], versions } as unknown as Dataset;
    const files = [...datasetAddresses(dataset, 100, new Set())].map(({ file }) => file);
    const differences = files.filter((file) => file.endsWith('/diff/index.html'));
    const expected = versions.slice(0, count - 3).filter((_, i) => i !== 3) as unknown as Version[];
    assert.deepEqual(
      differences,
      expected.map(({ slug }) => `api/v1/namespaces/lab/datasets/daily/version/${slug}/diff/index.html`),
    );
    assert.ok(looks < 100 * count, String(looks));
  });
});
