/** Edges of histograms as pages write them: each as it is, so that bins can be told apart. */
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { edgeTexts } from '../../src/pages/histogram.tsx';
import { localeFor } from '../../src/pages/locale.ts';

const textsOf = (name: string, edges: readonly (number | string)[], language: 'en' | 'de' = 'en') =>
  edgeTexts(localeFor(language), name, edges);

it('numbers have all of their digits', () => {
  assert.deepEqual(textsOf('id', [100_000, 100_001, 100_002]), ['100,000', '100,001', '100,002']);
  assert.deepEqual(textsOf('lat', [48.1371, 48.1372, -0.5], 'de'), ['48,1371', '48,1372', '−0,5']);
  assert.deepEqual(textsOf('x', [1_000_000_000, 1_000_000_001]), ['1E9', '1.000000001E9']);
});

it('years have no groups of digits', () => {
  assert.deepEqual(textsOf('year', [1990, 2000, 2010]), ['1990', '2000', '2010']);
  assert.deepEqual(textsOf('height', [1990, 2000]), ['1,990', '2,000']);
});

it('times within a day have the time of day, and others don’t', () => {
  const day = ['2021-01-01T00:00:00Z', '2021-01-01T12:30:00Z'];
  assert.deepEqual(textsOf('t', day), ['1 Jan 2021, 00:00', '1 Jan 2021, 12:30']);
  assert.deepEqual(textsOf('t', ['2021-01-01T10:00:05', '2021-01-01T10:00:10']), [
    ...['1 Jan 2021, 10:00:05', '1 Jan 2021, 10:00:10'],
  ]);
  assert.deepEqual(textsOf('t', ['2021-01-01T00:00:00Z', '2021-01-02T00:00:00Z']), ['1 Jan 2021', '2 Jan 2021']);
  assert.deepEqual(textsOf('t', ['2021-01-01', '2021-02-01']), ['1 Jan 2021', '1 Feb 2021']);
});
