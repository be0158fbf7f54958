/** Pages on paper: what is there for the reader has the width. */
import assert from 'node:assert/strict';
import { cpSync } from 'node:fs';
import { after, before, describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import type { Browser } from 'playwright-core';
import { type CatalogueFolder, makeLastingFolder } from '../support/folder.ts';
import { serveFolder } from '../support/server.ts';
import { launchBrowser, visit } from './open-browser.ts';

const example = fileURLToPath(new URL('../../catalogue-data', import.meta.url));
const earthquakes = '/api/v1/namespaces/usgs/datasets/earthquakes/';
/** Width of A4 within its margins. */
const paper = { width: 688, script: false };

describe('pages on paper and on phones', () => {
  let browser: Browser;
  let folder: CatalogueFolder;
  let server: Awaited<ReturnType<typeof serveFolder>>;

  before(async () => {
    folder = makeLastingFolder({});
    cpSync(example, folder.root, { recursive: true });
    server = await serveFolder(folder.root);
    browser = await launchBrowser();
  });
  after(async () => {
    await browser.close();
    await server.close();
    folder.remove();
  });

  it('print lists of datasets as wide as the paper', async () => {
    for (const path of ['/', '/api/v1/datasets/?search=country', '/api/v1/namespaces/natural-earth/']) {
      const { page, context } = await visit(browser, server.base, path, paper);
      await page.emulateMedia({ media: 'print' });
      const widths = await page.$$eval('.hit > :first-child', (texts) => texts.map((one) => one.clientWidth));
      assert.ok(widths.length > 0 && Math.min(...widths) > 400, `${path}: ${widths}`);
      await context.close();
    }
  });

  it('print no controls, and code to its end', async () => {
    const difference = '/api/v1/namespaces/datahub/datasets/sp500-constituents/version/20260808004041000000/diff/';
    for (const path of ['/', earthquakes, `${earthquakes}data/?mag__gte=6`, difference]) {
      const { page, context } = await visit(browser, server.base, path, paper);
      await page.emulateMedia({ media: 'print' });
      const controls = await page.$$eval('button, select, input, .picker', (found) =>
        found.filter((one) => one.checkVisibility()).map((one) => one.outerHTML),
      );
      assert.deepEqual(controls, [], path);
      const cut = await page.$$eval('pre', (blocks) =>
        blocks.filter((one) => one.scrollWidth > one.clientWidth).map((one) => one.textContent),
      );
      assert.deepEqual(cut, [], path);
      await context.close();
    }
  });
});
