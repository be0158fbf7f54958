/**
 * Takes the screenshots in `docs/screenshots/` with the Chromium of the tests, from the example catalogue:
 *
 *     npm run screenshots
 *
 * Both widths (390 and 1440 pixels) and both schemes occur.
 */
import { cpSync, mkdirSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Page } from 'playwright-core';
import { startServer } from '../src/serve.ts';
import { launchBrowser, visit } from '../test/browser/open-browser.ts';

const root = fileURLToPath(new URL('../', import.meta.url));
const target = join(root, 'docs/screenshots');
const datasets = '/api/v1/namespaces';
const earthquakes = `${datasets}/usgs/datasets/earthquakes/`;

interface Screenshot {
  readonly path: string;
  readonly width: 390 | 1440;
  readonly scheme: 'light' | 'dark';
  /** True for the catalogue in which there is nothing yet. */
  readonly isEmpty?: boolean;
  /** Prepares the page. */
  readonly prepare?: (page: Page) => Promise<void>;
}

const screenshots: Readonly<Record<string, Screenshot>> = {
  home: { path: '/', width: 1440, scheme: 'light' },
  search: { path: '/api/v1/datasets/?search=gdp', width: 390, scheme: 'light' },
  dataset: { path: earthquakes, width: 1440, scheme: 'light' },
  'wide-table': { path: `${datasets}/natural-earth/datasets/countries/data/`, width: 1440, scheme: 'dark' },
  difference: {
    path: `${datasets}/datahub/datasets/sp500-constituents/version/20260808004041000000/diff/`,
    ...{ width: 1440, scheme: 'light' },
  },
  map: { path: `${earthquakes}?_colour=mag#map`, width: 1440, scheme: 'dark', prepare: openMovingMap },
  empty: { path: '/', width: 390, scheme: 'dark', isEmpty: true },
  problem: { path: `${datasets}/usgs/datasets/earthquake/`, width: 390, scheme: 'light' },
};

async function openMovingMap(page: Page): Promise<void> {
  await page.click('[data-map-open]');
  await page.waitForSelector('[data-map-ready]');
  await page.evaluate(() => document.activeElement instanceof HTMLElement && document.activeElement.blur());
  await page.evaluate(() => document.querySelector('#map')?.scrollIntoView());
  await page.waitForLoadState('networkidle');
}

const folder = mkdtempSync(join(tmpdir(), 'catalogue-screenshots-'));
mkdirSync(join(folder, 'empty/namespaces'), { recursive: true });
writeFileSync(
  join(folder, 'empty/catalogue.yaml'),
  'title: City of Springfield\ndescription: Open data of the city.\n',
);
cpSync(join(root, 'catalogue-data'), join(folder, 'example'), { recursive: true });
mkdirSync(target, { recursive: true });

const serve = (name: string) => startServer({ folder: join(folder, name), host: '127.0.0.1', port: 0, log: () => {} });
const [example, empty] = [await serve('example'), await serve('empty')];
const browser = await launchBrowser();
try {
  for (const [name, { path, width, scheme, isEmpty, prepare }] of Object.entries(screenshots)) {
    const { url } = isEmpty ? empty : example;
    // The rows are read for the first time.
    await fetch(url + path, { headers: { Accept: 'text/html' } });
    const { page, context } = await visit(browser, url, path, { width, scheme, height: width === 390 ? 844 : 1000 });
    await page.waitForLoadState('networkidle');
    await prepare?.(page);
    // Chromium writes WebP, which is a fifth of a PNG.
    const session = await context.newCDPSession(page);
    const { data } = await session.send('Page.captureScreenshot', { format: 'webp', quality: 82 });
    const file = join(target, `${name}.webp`);
    writeFileSync(file, Buffer.from(data, 'base64'));
    console.log(`${name}.webp  ${width} ${scheme}  ${Math.round(statSync(file).size / 1000)} kB`);
    await context.close();
  }
} finally {
  await browser.close();
  await Promise.all([example.close(), empty.close()]);
  rmSync(folder, { recursive: true, force: true });
}
