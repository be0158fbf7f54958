/** Labels, names and values as people write them: long, or from right to left. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { Browser } from 'playwright-core';
import { served } from '../support/served.ts';
import { launchBrowser, visit } from './open-browser.ts';

describe('texts that people wrote', () => {
  let browser: Browser;
  before(async () => {
    browser = await launchBrowser();
  });
  after(() => browser.close());

  it('leave the numbers beside them in one line', async (test) => {
    const label = 'Own data with a long label: Gesellschaft für Donaudampfschifffahrt';
    const datasets = Object.fromEntries(Array.from({ length: 12 }, (_, i) => [`own/d${i}`, { label: `Dataset ${i}` }]));
    const { base } = await served(
      {
        namespaces: { own: { label }, other: { label: 'Other' } },
        datasets: { ...datasets, 'other/one': { label: 'One' } },
      },
      test,
    );
    const { page, context } = await visit(browser, base, '/', { width: 1280 });
    const lines = await page.$$eval('.facet li span:last-child', (counts) =>
      counts.map((one) => {
        const range = document.createRange();
        range.selectNodeContents(one);
        return [one.textContent, range.getClientRects().length];
      }),
    );
    assert.ok(lines.some(([text]) => text === '12'));
    for (const [text, count] of lines) assert.equal(count, 1, `${text}`);
    await context.close();
  });
});
