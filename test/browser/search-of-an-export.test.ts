/** The search of an export behind a plain folder server, in a browser: what it shows while it loads, when it fails, and when it is refused. */
import assert from 'node:assert/strict';
import { Readable } from 'node:stream';
import { after, before, describe, it } from 'node:test';
import type { Browser, Page } from 'playwright-core';
import { exportCatalogue } from '../../src/export/export-catalogue.ts';
import { openFileCatalogue } from '../../src/files/file-catalogue.ts';
import { pageHeaders } from '../../src/server/headers.ts';
import { type CatalogueFolder, makeLastingFolder } from '../support/folder.ts';
import { serveFiles } from '../support/folder-server.ts';
import { serveFolder } from '../support/server.ts';
import { launchBrowser, visit } from './open-browser.ts';

const datasets = '/api/v1/datasets/';

describe('the search of an export in a browser', () => {
  let folder: CatalogueFolder;
  let server: Awaited<ReturnType<typeof serveFolder>>;
  let files: Awaited<ReturnType<typeof serveFiles>>;
  let browser: Browser;

  before(async () => {
    folder = makeLastingFolder({
      settings: { title: 'Open data' },
      namespaces: { city: { label: 'City' }, world: { label: 'World' } },
      datasets: {
        'city/lakes': { label: 'Lakes', keywords: ['water'], description: 'Bathing in *summer*.' },
        'city/rivers': { label: 'Rivers', keywords: ['water'] },
        'world/capitals': { label: 'Capitals' },
      },
    });
    const catalogue = await openFileCatalogue(folder.root);
    for (const [namespace, slug, rows] of [
      ['city', 'lakes', 'name,longitude,latitude\nA,10,40\nB,11,41\n'],
      ['world', 'capitals', 'name,longitude,latitude\nA,-120,-50\nB,120,60\n'],
    ] as const)
      await catalogue
        .for()
        .publish({ kind: 'dataset', namespace, slug }, { source: Readable.from([rows]), fileName: `${slug}.csv` });
    await catalogue.close();
    const site = folder.beside('site');
    await exportCatalogue({ folder: folder.root, to: site, url: 'https://data.example.org/open' });
    files = await serveFiles(site, '/open', Object.fromEntries(pageHeaders));
    server = await serveFolder(folder.root);
    browser = await launchBrowser();
  });
  after(async () => {
    await browser?.close();
    files?.close();
    await server?.close();
    folder?.remove();
  });

  const hits = (page: Page) => page.locator('.hit h3 a').allTextContents();
  const idle = (page: Page) => page.waitForFunction(() => !document.querySelector('[aria-busy]'));

  it('says what is wrong with an address as a server does', async () => {
    for (const query of ['?page=99', '?bbox=abc', '?serach=lake']) {
      const { page, context, incidents } = await visit(browser, files.base, datasets + query);
      await page.waitForSelector('.problem');
      const live = await browser.newPage();
      await live.goto(server.base + datasets + query);
      const problemIn = (one: Page) => one.locator('.problem dl, .problem h1').allTextContents();
      assert.deepEqual(await problemIn(page), await problemIn(live), query);
      assert.equal(await page.title(), await live.title());
      assert.deepEqual(incidents, []);
      await live.close();
      await context.close();
    }
  });

  it('says that nothing is searched if its script doesn’t come', async () => {
    for (const comes of [false, true]) {
      const context = await browser.newContext();
      if (!comes) await context.route('**/page.js', (route) => route.abort());
      const page = await context.newPage();
      await page.goto(`${files.base}${datasets}?search=lakes`);
      const note = page.getByText('without it, nothing is searched or filtered');
      assert.equal(await note.isVisible(), false);
      if (comes) await page.getByText('1 dataset with').waitFor();
      await page.evaluate(() => {
        for (const animation of document.getAnimations()) animation.finish();
      });
      assert.equal(await note.isVisible(), !comes);
      assert.deepEqual((await hits(page)).sort(), comes ? ['Lakes'] : ['Capitals', 'Lakes', 'Rivers']);
      await context.close();
    }
  });

  for (const part of ['labels', 'details'])
    it(`shows no datasets where ${part}.json can’t be loaded, and says so`, async () => {
      const { page, context } = await visit(browser, files.base, datasets);
      await page.route(`**/search/${part}.json`, (route) => route.fulfill({ status: 404, body: 'Not found' }));
      await page.goto(`${files.base}${datasets}?search=lakes`);
      await page.waitForSelector('[role=alert]:has-text("could not be loaded")');
      assert.equal(await page.locator('.hit').count(), 0);
      await page.unroute(`**/search/${part}.json`);
      await page.fill('#q', 'lakes');
      await page.press('#q', 'Enter');
      await page.waitForSelector('.hit');
      await context.close();
    });

  it('suggests again after a part that could not be loaded', async () => {
    const { page, context } = await visit(browser, files.base, datasets);
    await page.route('**/search/labels.json', (route) => route.abort());
    const failed = page.waitForEvent('requestfailed');
    await page.fill('#q', 'lak');
    await failed;
    await page.unroute('**/search/labels.json');
    await page.waitForTimeout(200);
    await page.fill('#q', 'lake');
    await page.waitForSelector('#suggestions li');
    await context.close();
  });

  it('is busy, and finds nothing yet, until all texts are there', async () => {
    const { page, context } = await visit(browser, files.base, datasets);
    let answer = () => {};
    const held = new Promise<void>((done) => {
      answer = done;
    });
    await page.route('**/search/details.json', async (route) => {
      await held;
      await route.continue();
    });
    await page.goto(`${files.base}${datasets}?search=summer`, { waitUntil: 'domcontentloaded' });
    await page.waitForTimeout(500);
    assert.equal(await page.locator('.empty').count(), 0);
    assert.equal(await page.getAttribute('.three', 'aria-busy'), 'true');
    answer();
    await idle(page);
    assert.deepEqual(await hits(page), ['Lakes']);
    await context.close();
  });

  it('keeps the filters, and makes a box of the form of an area', async () => {
    const { page, context, incidents } = await visit(browser, files.base, `${datasets}?keyword=water`);
    await page.waitForFunction(() => document.querySelectorAll('.hit').length === 2);
    await idle(page);
    await page.fill('#q', 'lakes');
    await page.press('#q', 'Enter');
    await page.waitForURL(/search=lakes/);
    await idle(page);
    assert.equal(new URL(page.url()).searchParams.get('keyword'), 'water');
    assert.deepEqual(await hits(page), ['Lakes']);
    await page.fill('#where-west', '9');
    await page.fill('#where-east', '12');
    await page.press('#where-east', 'Enter');
    await page.waitForURL((url) => url.search.endsWith('bbox=9,-90,12,90'));
    await idle(page);
    assert.deepEqual(await hits(page), ['Lakes']);
    assert.deepEqual(incidents, []);
    await context.close();
  });

  it('is drawn on the map of all datasets, after another order too', async () => {
    const { page, context, incidents } = await visit(browser, files.base, `${datasets}?ordering=label`);
    await page.waitForFunction(() => document.querySelector('.hit h3 a')?.textContent === 'Capitals');
    await idle(page);
    const box = await page.locator('.area').boundingBox();
    assert.ok(box);
    await page.mouse.move(box.x + 5, box.y + 5);
    await page.mouse.down();
    await page.mouse.move(box.x + box.width - 5, box.y + box.height - 5, { steps: 3 });
    await Promise.all([page.waitForURL(/bbox=/), page.mouse.up()]);
    await page.goto(`${files.base}/api/v1/namespaces/city/`);
    assert.equal(await page.locator('[data-area]').count(), 0);
    assert.equal(await page.locator('#where-west').count(), 1);
    assert.deepEqual(incidents, []);
    await context.close();
  });

  it('opens no suggestions over the page once the field is left', async () => {
    const { page, context } = await visit(browser, server.base, '/');
    let answer = () => {};
    for (const key of ['Tab', 'Escape']) {
      const held = new Promise<void>((done) => {
        answer = done;
      });
      await page.route('**/suggestions/**', async (route) => {
        await held;
        await route.continue();
      });
      const asked = page.waitForRequest('**/suggestions/**');
      await page.fill('#q', 'lak');
      await asked;
      await page.press('#q', key);
      const answered = page.waitForResponse('**/suggestions/**');
      answer();
      await answered;
      await page.waitForTimeout(200);
      assert.equal(await page.isVisible('#suggestions'), false, key);
      await page.unroute('**/suggestions/**');
    }
    await context.close();
  });

  it('opens a suggestion by the main button of a pointer only', async () => {
    const { page, context } = await visit(browser, server.base, '/');
    await page.fill('#q', 'lake');
    await page.click('#suggestions li', { button: 'right' });
    await page.waitForTimeout(300);
    assert.equal(new URL(page.url()).pathname, '/');
    await page.keyboard.press('Escape');
    await page.fill('#q', 'lakes');
    await Promise.all([page.waitForURL(/lakes\/$/), page.click('#suggestions li')]);
    await context.close();
  });

  it('leaves the keys of an input method alone while it composes a text', async () => {
    const { page, context } = await visit(browser, server.base, '/');
    await page.fill('#q', 'lak');
    await page.waitForSelector('#suggestions li');
    const press = (key: string, init: object) =>
      page.dispatchEvent('#q', 'keydown', { key, bubbles: true, cancelable: true, ...init });
    await press('ArrowDown', { isComposing: true });
    await press('ArrowDown', { keyCode: 229 });
    assert.equal(await page.locator('#suggestions [aria-selected=true]').count(), 0);
    await press('ArrowDown', {});
    assert.equal(await page.locator('#suggestions [aria-selected=true]').count(), 1);
    await press('Enter', { isComposing: true });
    await page.waitForTimeout(100);
    assert.equal(new URL(page.url()).pathname, '/');
    await context.close();
  });
});
