/** Rows of an export behind a plain folder server, with the policy of the pages: filtered, sorted, paged and saved in a browser. */
import assert from 'node:assert/strict';
import { cpSync, readFileSync } from 'node:fs';
import { Readable } from 'node:stream';
import { after, before, describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { isDeepStrictEqual } from 'node:util';
import type { Browser, Page } from 'playwright-core';
import { exportCatalogue } from '../../src/export/export-catalogue.ts';
import { openFileCatalogue } from '../../src/files/file-catalogue.ts';
import { pageHeaders } from '../../src/server/headers.ts';
import { type CatalogueFolder, makeLastingFolder, until } from '../support/folder.ts';
import { serveFiles } from '../support/folder-server.ts';
import { serveFolder } from '../support/server.ts';
import { findViolations, launchBrowser, leaveOutRepetitions, visit } from './open-browser.ts';

const example = fileURLToPath(new URL('../../catalogue-data', import.meta.url));
const datasets = '/api/v1/namespaces/usgs/datasets';
const rows = `${datasets}/earthquakes/data/`;
const strong = '/api/v1/queries/strong-earthquakes/data/';
const large = `${datasets}/readings/`;

describe('rows of an export in a browser', () => {
  let folder: CatalogueFolder;
  let server: Awaited<ReturnType<typeof serveFolder>>;
  let files: Awaited<ReturnType<typeof serveFiles>>;
  let browser: Browser;
  /** A window for pages of the server. */
  let live: Page;

  before(async () => {
    folder = makeLastingFolder({});
    for (const path of ['catalogue.yaml', 'namespaces/usgs', 'queries/strong-earthquakes.yaml'])
      cpSync(`${example}/${path}`, `${folder.root}/${path}`, { recursive: true });
    const catalogue = await openFileCatalogue(folder.root);
    await catalogue.for().create('dataset', { label: 'Readings', slug: 'readings', namespace: 'usgs' });
    // Few rows, which are long: more than 2 MB of them.
    const station = 'station '.repeat(40);
    const lines = Array.from({ length: 8_000 }, (_, n) => `${n},${(n * 7919) % 1000},${station}${n % 12}\n`);
    const source = Readable.from([`number,level,station\n${lines.join('')}`]);
    const ref = { kind: 'dataset', namespace: 'usgs', slug: 'readings' } as const;
    await catalogue.for().publish(ref, { source, fileName: 'readings.csv' });
    await catalogue.close();
    const site = folder.beside('site');
    await exportCatalogue({ folder: folder.root, to: site, url: 'http://127.0.0.1:8080/open' });
    files = await serveFiles(site, '/open', Object.fromEntries(pageHeaders));
    server = await serveFolder(folder.root);
    browser = await launchBrowser();
    live = await browser.newPage();
  });
  after(async () => {
    await browser?.close();
    files?.close();
    await server?.close();
    folder?.remove();
  });

  /** The cells of the table, and the sentence with the number of rows. */
  const shownIn = async (page: Page) => ({
    rows: await page
      .locator('.big-grid table tr')
      .evaluateAll((all) => all.map((row) => row.textContent?.replace(/\s+/g, ' '))),
    count: await page.textContent('.titles [aria-live] span'),
  });
  /** The table of the page has the same cells as a server's page of the same parameters. */
  async function assertAsServer(page: Page, path: string) {
    await page.waitForFunction(() => !document.querySelector('[aria-busy]'));
    const { search } = new URL(page.url());
    await live.goto(server.base + path + search);
    const wanted = await shownIn(live);
    // The page isn't busy before its script begins either.
    await until(async () => isDeepStrictEqual(await shownIn(page), wanted)).catch(() => {});
    assert.deepEqual(await shownIn(page), wanted, search);
  }

  it('lead from home to earthquakes above 6 as CSV, and to any order and back', async () => {
    const { page, context, incidents } = await visit(browser, files.base, '/');
    await page.fill('#q', 'earthquake');
    await page.click('button:has-text("Search")');
    await page.click('h3 a:has-text("Earthquakes")');
    await page.click('a:has-text("All rows, with filters")');
    const asked: string[] = [];
    page.on('request', (request) => asked.push(new URL(request.url()).pathname));
    await page.reload();
    assert.ok(
      !asked.some((path) => /rows\.js|search\.js|ndjson|search\/|profile/.test(path)),
      'nothing is loaded before',
    );
    await page.selectOption('select[name=_add]', 'mag');
    await page.selectOption('select[name=_lookup]', 'gte');
    await page.fill('input[name=_value]', '6');
    await page.keyboard.press('Enter');
    await page.waitForURL((url) => url.search === '?mag__gte=6');
    await assertAsServer(page, rows);
    assert.equal(await page.locator('.big-grid tbody tr').count(), 5);
    assert.equal(await page.textContent('[role=status]'), '5 of 1,707 rows match');
    assert.equal(await page.evaluate(() => document.activeElement?.id), 'filter-value');
    for (const [name, format] of [
      ['CSV', 'csv'],
      ['JSON', 'objects'],
    ] as const) {
      const [download] = await Promise.all([
        page.waitForEvent('download'),
        page.click(`[data-save=${format}]:has-text("${name}")`),
      ]);
      assert.match(download.suggestedFilename(), /^earthquakes-\d+\.(csv|json)$/);
      const wanted = await (await fetch(`${server.base}${rows}?mag__gte=6&_format=${format}`)).text();
      assert.equal(readFileSync(await download.path(), 'utf8'), wanted);
    }
    await page.click('th a:has-text("place")');
    await page.waitForURL((url) => url.search === '?mag__gte=6&_ordering=place');
    await assertAsServer(page, rows);
    assert.match((await page.evaluate(() => document.activeElement?.textContent)) ?? '', /^place/);
    await page.click('aside .facet a:has-text("mww")');
    await page.waitForURL(/magType=mww/);
    await assertAsServer(page, rows);
    await page.goBack();
    await page.goBack();
    await page.waitForURL((url) => url.search === '?mag__gte=6');
    await assertAsServer(page, rows);
    await page.goBack();
    await page.waitForURL((url) => url.search === '');
    await assertAsServer(page, rows);
    assert.deepEqual(incidents, []);
    await context.close();
  });

  it('are shown by their address, page by page, and say what is wrong with it as a server does', async () => {
    const { page, context, incidents } = await visit(browser, files.base, `${rows}?_ordering=-mag&_limit=30`);
    await assertAsServer(page, rows);
    await page.click('.pager a[rel=next]');
    await page.waitForURL(/_offset=30/);
    await assertAsServer(page, rows);
    await page.goto(`${files.base}${rows}?bbox=-125,32,-114,42&_fields=place,mag`);
    await assertAsServer(page, rows);
    await page.goto(`${files.base}${rows}?_group_by=magType&_aggregate=count`);
    await assertAsServer(page, rows);
    await page.goto(`${files.base}${strong}?magType=mww&_limit=3`);
    await assertAsServer(page, strong);
    const problemIn = (one: Page) => one.locator('.problem dl, .problem h1').allTextContents();
    for (const query of ['?magn__gte=6', '?mag__gte=six', '?_ordering=nowhere', '?_filter=mag+is']) {
      await page.goto(files.base + rows + query);
      await page.waitForSelector('.problem');
      await live.goto(server.base + rows + query);
      assert.deepEqual(await problemIn(page), await problemIn(live), query);
    }
    await page.goto(`${files.base}${rows}?geometry__within=POLYGON((0 0,9 0,9 9,0 0))`);
    await page.waitForSelector('.problem');
    assert.match(await page.innerText('.problem'), /compared by a server only/);
    assert.deepEqual(incidents, []);
    await context.close();
  });

  it('are found by the bars and values of profiles, in a browser that refuses storage, too', async () => {
    const { page, context, incidents } = await visit(browser, files.base, `${datasets}/earthquakes/`);
    await page.addInitScript(() =>
      Object.defineProperty(window, 'localStorage', {
        get: () => {
          throw new DOMException('Access is denied for this document.', 'SecurityError');
        },
      }),
    );
    const bar = page.locator('#columns .hist a[data-rows]').nth(5);
    await bar.evaluate((link) => link.dispatchEvent(new MouseEvent('click', { bubbles: true })));
    await page.waitForURL(/data\/\?\w+__gte=/);
    await assertAsServer(page, rows);
    await page.goto(`${files.base}${datasets}/earthquakes/columns/magType/`);
    await page.click('a[data-rows]:has-text("mww")');
    await page.waitForURL(/\?magType=mww$/);
    await assertAsServer(page, rows);
    await page.goto(`${files.base}${datasets}/earthquakes/`);
    await page.keyboard.press('/');
    assert.equal(await page.evaluate(() => document.activeElement?.id), 'q');
    await page.click('.use .names label:has-text("Python")');
    assert.ok(await page.isVisible('.use .p-python'));
    assert.deepEqual(incidents, []);
    await context.close();
  });

  it('are not filtered above 2 MB: the page says so, and leads to the file', async () => {
    const { page, context, incidents } = await visit(browser, files.base, `${large}data/`);
    assert.match(await page.innerText('main'), /larger than 2 MB/);
    assert.equal(await page.locator('main form, main [data-rows], #rows').count(), 0);
    const file = await page.getAttribute('p:has-text("larger than 2 MB") a', 'href');
    assert.equal((await fetch(new URL(file ?? '', files.base))).status, 200);
    await page.goto(`${files.base}${large}columns/level/`);
    assert.match(await page.innerText('main'), /larger than 2 MB/);
    assert.deepEqual(incidents, []);
    await context.close();
  });

  it('say when they could not be loaded or saved, until they are', async () => {
    const { page, context } = await visit(browser, files.base, rows);
    await page.route('**/data.ndjson', (route) => route.abort());
    await page.click('th a:has-text("place")');
    // The second one says what has been copied.
    const status = page.locator('[role=status]').first();
    await page.waitForFunction(() =>
      /could not be loaded/.test(document.querySelector('[role=status]')?.textContent ?? ''),
    );
    assert.equal(await status.getAttribute('class'), '');
    await page.unroute('**/data.ndjson');
    await page.click('th a:has-text("mag")');
    await assertAsServer(page, rows);
    assert.equal(await status.getAttribute('class'), 'vh');
    await page.route('**/data.csv', (route) => route.abort());
    await page.click('[data-save=csv]');
    await page.waitForFunction(() => document.querySelector('[role=status]')?.className === '');
    assert.match(await status.innerText(), /could not be loaded/);
    await context.close();
  });

  it('say that they could not be loaded where their script could not', async () => {
    const { page, context } = await visit(browser, files.base, '/');
    await page.route('**/rows-start.js', (route) => route.abort());
    await page.goto(`${files.base}${rows}?mag__gte=6`);
    await page.waitForSelector('main [role=alert]');
    assert.match(await page.innerText('[role=alert]'), /could not be loaded/);
    assert.equal(await page.locator('[aria-busy]').count(), 0);
    // Without parameters, the rows are there.
    await page.goto(files.base + rows);
    await page.waitForTimeout(300);
    assert.equal(await page.locator('[role=alert]').count(), 0);
    await context.close();
  });

  it('are those of the last address, also if a form was sent before they were loaded', async () => {
    const { page, context, incidents } = await visit(browser, files.base, rows);
    let load = () => {};
    const isLoading = new Promise<void>((resolve) => {
      load = resolve;
    });
    await page.route('**/data.ndjson', async (route) => {
      await isLoading;
      await route.continue();
    });
    await page.fill('input[name=_value]', '6');
    await page.keyboard.press('Enter');
    await page.waitForURL(/_add=/);
    await page.click('th a:has-text("place")');
    await page.waitForURL((url) => url.search === '?_ordering=place');
    load();
    await assertAsServer(page, rows);
    assert.equal(new URL(page.url()).search, '?_ordering=place');
    assert.deepEqual(incidents, []);
    await context.close();
  });

  it('promise nothing without script, as lists of datasets', async () => {
    const { page, context, incidents } = await visit(browser, files.base, rows, { script: false });
    assert.equal(await page.locator('.big-grid tbody tr').count(), 100);
    assert.ok(!/is a link that filters/.test(await page.innerText('main')));
    for (const path of [rows, `${large}data/`, '/', '/api/v1/datasets/?search=lakes', '/api/v1/namespaces/usgs/']) {
      await page.goto(files.base + path);
      assert.equal(await page.locator('form:visible, details.picker:visible').count(), 0, path);
      assert.equal(await page.locator('main a[href*="?"], .bar a:text-is("Search"):visible').count(), 0, path);
      assert.deepEqual(await page.locator('h3:text-is("Where"):visible, .open:visible').all(), [], path);
      const note = page.getByText('Search and filters need JavaScript');
      assert.equal(await note.isVisible(), !path.startsWith(large), path);
    }
    assert.deepEqual(incidents, []);
    await context.close();
  });

  it('are accessible when they are filtered', async () => {
    const { page, context, incidents } = await visit(browser, files.base, `${rows}?mag__gte=5`);
    await page.waitForSelector('[data-save]');
    await page.evaluate(leaveOutRepetitions);
    assert.deepEqual(await findViolations(page), []);
    assert.deepEqual(incidents, []);
    await context.close();
  });
});
