/** docs/performance.md shows the figures of bench/results.json, and names benchmarks that exist. */
import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { reachesTarget, rowOfFigure } from '../../bench/support/figures.ts';
import { pageWithResults, readResults } from '../../bench/support/results.ts';

const pathOf = (name: string) => fileURLToPath(new URL(`../../${name}`, import.meta.url));

describe('docs/performance.md', () => {
  const text = readFileSync(pathOf('docs/performance.md'), 'utf8');
  const results = readResults();

  it('shows the saved figures', { skip: results === null && 'no benchmark has been saved' }, () => {
    assert.ok(results);
    assert.equal(text, pageWithResults(text, results));
    for (const name of Object.keys(results.benchmarks)) assert.ok(existsSync(pathOf(`bench/${name}.ts`)), name);
  });
});

describe('a figure', () => {
  const name = 'reads, beside bare node:http';

  it('is shown as the median of its rounds, with spread, target and verdict', () => {
    const figure = { name, values: [0.9, 0.7, 0.82], unit: '×', target: { atLeast: 0.75 } };
    assert.deepEqual(rowOfFigure(figure), [name, '0.82 ×', '0.7 to 0.9', '≥ 0.75 ×', '✓']);
    const slow = { ...figure, values: [1234.5], unit: 'ms', target: { atMost: 1000 } };
    assert.deepEqual(rowOfFigure(slow), [name, '1,235 ms', '', '≤ 1,000 ms', '✗']);
    assert.deepEqual([figure, slow].map(reachesTarget), [true, false]);
  });

  it('without a target has no verdict', () => {
    const figure = { name, values: [1, 2], unit: 's', target: null };
    assert.deepEqual([rowOfFigure(figure)[4], reachesTarget(figure)], ['', true]);
  });
});
