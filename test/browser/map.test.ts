/** The moving map, which is OpenLayers, in Chromium: the page of this test has the figure that pages have, and the Content-Security-Policy of pages. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, before, describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import type { Browser, Page } from 'playwright-core';
import { withExactNames } from '../../src/catalogue/row-parameters.ts';
import { lightColours } from '../../src/data/map/picture-style.ts';
import { mapFigure } from '../../src/pages/map-figure.ts';
import { makeWorkshop, type Workshop } from '../support/published.ts';
import { serveFolder } from '../support/server.ts';
import { launchBrowser } from './open-browser.ts';

// biome-ignore lint/suspicious/noExplicitAny: what runs in the page has the browser's types, not Node's
declare const document: any;

const root = fileURLToPath(new URL('../../', import.meta.url));
const assets = `${root}src/pages/assets/map/`;
const policy =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; font-src 'self'; connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'";

const policyOf = (path: string) => (path === '/framed' ? policy.replace(/; frame-ancestors.*/, '') : policy);

const escapeAttribute = (text: string) => text.replaceAll('&', '&amp;').replaceAll('"', '&quot;');
const attributesOf = (values: Readonly<Record<string, string | number>>) =>
  Object.entries(values)
    .map(([name, value]) => `${name}="${escapeAttribute(String(value))}"`)
    .join(' ');

const datasets = '/api/v1/namespaces/lab/datasets/';

/** A page with the map of a dataset of this test. */
function pageOf(dataset: string, query: URLSearchParams): string {
  const parameters = withExactNames(query, [{ name: 'limit' }]);
  const { attributes, picture } = mapFigure({ address: `${datasets}${dataset}/`, parameters });
  return `<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="color-scheme" content="light dark">
    <title>Places</title><link rel="icon" href="data:,"><link rel="stylesheet" href="/page.css"><script type="module" src="/assets/map-start.js"></script></head>
    <body><figure ${attributesOf(attributes)}><div data-map-stage><img ${attributesOf({ ...picture })} alt="Map">
    <button type="button" data-map-open>Explore the map</button></div></figure></body></html>`;
}

describe('the moving map', () => {
  let workshop: Workshop;
  let catalogue: Awaited<ReturnType<typeof serveFolder>>;
  let front: Server;
  let base: string;
  let browser: Browser;

  before(async () => {
    if (!existsSync(`${assets}map.js`)) execFileSync(process.execPath, [`${root}tools/build-browser.js`]);
    workshop = await makeWorkshop();
    const features = [
      ...[
        [0, 0, 'middle'],
        [40, 30, 'east'],
        [-40, -30, 'west'],
      ].map(([x, y, name]) => ({
        ...{ type: 'Feature', properties: { name, size: Number(x), limit: 50 } },
        geometry: { type: 'Point', coordinates: [x, y] },
      })),
    ];
    await workshop.publish('places', 'places.geojson', JSON.stringify({ type: 'FeatureCollection', features }));
    // More than a tile draws one by one: two of them lie in the middle.
    const many = `longitude,latitude\n${'1,5\n'.repeat(20_000)}5.6,5\n5.6,5\n10.2,5\n`;
    await workshop.publish('many', 'many.csv', many);
    await workshop.publish('boxes', 'boxes.csv', 'bbox,longitude,latitude\nsmall,1,2\nlarge,3,4\n');
    catalogue = await serveFolder(workshop.root);
    front = createServer((request, response) => {
      const url = new URL(request.url ?? '/', 'http://localhost');
      const own = (type: string, body: string | Buffer) =>
        response.writeHead(200, { 'Content-Type': type, 'Content-Security-Policy': policyOf(url.pathname) }).end(body);
      const isPage = request.headers.accept?.includes('text/html');
      const [, dataset = 'places'] = /([a-z]+)\/data\/$/.exec(url.pathname) ?? [];
      const frame = '<!doctype html><iframe src="/framed" width="620" height="380"></iframe>';
      if (url.pathname === '/frame') response.writeHead(200, { 'Content-Type': 'text/html' }).end(frame);
      else if (isPage) own('text/html; charset=utf-8', pageOf(dataset, url.searchParams));
      else if (url.pathname === '/page.css')
        own('text/css', 'body,figure{margin:0}[data-map-stage]{width:600px;height:300px}img{width:100%;height:100%}');
      else if (url.pathname.startsWith('/assets/')) {
        const name = url.pathname.slice('/assets/'.length);
        own(name.endsWith('.css') ? 'text/css' : 'text/javascript', readFileSync(`${assets}${name}`));
      } else
        void fetch(`${catalogue.base}${request.url}`).then(async (found) => {
          response.writeHead(found.status, { 'Content-Type': found.headers.get('content-type') ?? 'text/plain' });
          response.end(Buffer.from(await found.arrayBuffer()));
        });
    }).listen(0, '127.0.0.1');
    await new Promise((done) => front.once('listening', done));
    base = `http://127.0.0.1:${(front.address() as AddressInfo).port}`;
    browser = await launchBrowser();
  });
  after(async () => {
    await browser?.close();
    front?.close();
    await catalogue?.close();
    await workshop?.remove();
  });

  /** Opens the page. What must never happen is collected: messages, refusals of the policy, requests to other hosts. */
  async function visit(
    path = '',
    colorScheme: 'light' | 'dark' = 'light',
  ): Promise<{ page: Page; wrong: string[]; asked: string[] }> {
    const page = await browser.newPage({ viewport: { width: 640, height: 400 }, colorScheme });
    const wrong: string[] = [];
    const asked: string[] = [];
    page.on('console', (message) => wrong.push(message.text()));
    page.on('pageerror', (error) => wrong.push(String(error)));
    page.on('request', (request) => {
      asked.push(request.url());
      if (!request.url().startsWith(base) && !request.url().startsWith('data:')) wrong.push(request.url());
    });
    await page.goto(`${base}/${path}`);
    return { page, wrong, asked };
  }
  const ready = (page: Page) => page.waitForSelector('[data-map-ready]', { timeout: 20_000 });
  /** Colour of a pixel of the map. */
  const pixelAt = (page: Page, x: number, y: number) =>
    page.evaluate(
      ([left, top]) => {
        const colours: number[][] = [];
        for (const canvas of document.querySelectorAll('.map-live canvas')) {
          const ratio = canvas.width / canvas.getBoundingClientRect().width;
          const data = canvas
            .getContext('2d')
            ?.getImageData((left as number) * ratio, (top as number) * ratio, 1, 1).data;
          if (data && (data[3] as number) > 0) colours.push([...data]);
        }
        return colours.at(-1) ?? null;
      },
      [x, y],
    );

  it('comes in place of the picture on a click, and shows the row of a feature', async () => {
    const { page, wrong, asked } = await visit();
    assert.ok(!asked.some((url) => /map\.js|tiles/.test(url)), 'nothing is loaded before');
    await page.click('[data-map-open]');
    await ready(page);
    assert.equal(await page.isVisible('[data-map-open]'), false);
    assert.ok(asked.some((url) => url.includes('/tiles/')));
    // The middle of the three places is the middle of the map.
    await page.mouse.click(300, 150);
    await page.waitForSelector('.map-row:not([hidden])');
    assert.match(await page.innerText('.map-row'), /name\s+middle/);
    assert.match((await page.getAttribute('.map-row a', 'href')) ?? '', /\/data\/\?_offset=0&_limit=1$/);
    await page.click('.map-row button');
    assert.equal(await page.isVisible('.map-row'), false);
    assert.deepEqual(wrong, []);
    await page.close();
  });

  it('is used by keyboard: Enter for the row in the middle, Escape, plus and the buttons to zoom', async () => {
    const { page, wrong, asked } = await visit();
    await page.focus('[data-map-open]');
    await page.keyboard.press('Enter');
    await ready(page);
    assert.equal(await page.evaluate(() => document.activeElement?.className), 'map-live');
    await page.keyboard.press('Enter');
    await page.waitForSelector('.map-row:not([hidden])');
    await page.keyboard.press('Escape');
    assert.equal(await page.isVisible('.map-row'), false);
    const before = asked.length;
    await page.keyboard.press('+');
    await page.waitForFunction(() =>
      performance.getEntriesByType('resource').some(({ name }) => name.includes('basemap-50m')),
    );
    assert.ok(asked.length > before);
    await page.keyboard.press('Tab');
    assert.equal(await page.evaluate(() => document.activeElement?.getAttribute('title')), 'Zoom in');
    assert.deepEqual(wrong, []);
    await page.close();
  });

  it('shows the rows of the filters alone, in the colours of their classes, light and dark', async () => {
    for (const scheme of ['light', 'dark'] as const) {
      const { page, wrong } = await visit('?name=middle&_colour=name', scheme);
      await page.click('[data-map-open]');
      await ready(page);
      const [red = 0, green = 0, blue = 0] = (await pixelAt(page, 300, 150)) ?? [];
      assert.ok(green > red && green > blue, `${scheme}: ${[red, green, blue]}`);
      await page.mouse.click(300, 150);
      await page.waitForSelector('.map-row:not([hidden])');
      assert.match((await page.getAttribute('.map-row a', 'href')) ?? '', /\?name=middle&_offset=0&_limit=1$/);
      // The pixels are read by this test.
      assert.deepEqual(
        wrong.filter((text) => !/willReadFrequently/.test(text)),
        [],
      );
      await page.close();
    }
  });

  it('says of a point that stands for two rows that there is one more', async () => {
    const { page } = await visit(`${datasets.slice(1)}many/data/`);
    await page.click('[data-map-open]');
    await ready(page);
    await page.keyboard.press('Enter');
    await page.waitForSelector('.map-row:not([hidden])');
    assert.match(await page.innerText('.map-row'), /and one more row here: zoom in to see it/);
    await page.close();
  });

  it('gets the focus back from the panel of a row that is closed, by its button or by Escape', async () => {
    const { page } = await visit();
    await page.click('[data-map-open]');
    await ready(page);
    for (const key of ['Enter', 'Escape']) {
      await page.focus('.map-live');
      await page.keyboard.press('Enter');
      await page.waitForSelector('.map-row:not([hidden])');
      await page.focus('.map-row button');
      await page.keyboard.press(key);
      assert.equal(await page.isVisible('.map-row'), false, key);
      assert.equal(await page.evaluate(() => document.activeElement?.className), 'map-live', key);
    }
    await page.close();
  });

  it('links to the rows that are seen: all of them, by the filters of the page, in its columns', async () => {
    const { page } = await visit(`${datasets.slice(1)}places/data/?limit=50&_bbox=-60,-60,60,60&_limit=2&_fields=name`);
    await page.click('[data-map-open]');
    await ready(page);
    const href = (await page.getAttribute('.map-view', 'href')) ?? '';
    const [, box = ''] = /^\/api\S+places\/data\/\?limit__exact=50&_fields=name&bbox=(\S+)$/.exec(href) ?? [];
    assert.ok(box, href);
    const { length } = await (await fetch(`${base}${datasets}places/data/?bbox=${box}&_format=objects`)).json();
    assert.equal(length, 3);
    await page.close();
    const other = await visit(`${datasets.slice(1)}boxes/data/?bbox__exact=small`);
    await other.page.click('[data-map-open]');
    await ready(other.page);
    assert.match((await other.page.getAttribute('.map-view', 'href')) ?? '', /\/data\/\?bbox__exact=small&_bbox=/);
    await other.page.close();
  });

  it('opens tabs from the page of another site, which may show no other page in its frame', async () => {
    const { page } = await visit('frame');
    const frame = page.frame({ url: /framed/ });
    assert.ok(frame);
    await frame.click('[data-map-open]');
    await frame.waitForSelector('[data-map-ready]');
    await frame.focus('.map-live');
    await page.keyboard.press('Enter');
    await frame.waitForSelector('.map-row:not([hidden])');
    for (const link of ['.map-view', '.map-row a']) assert.equal(await frame.getAttribute(link, 'target'), '_blank');
    await page.close();
  });

  it('comes once if it is asked for twice, and again after a failure', async () => {
    const { page } = await visit();
    let isBroken = true;
    await page.route(/\/map\.css$/, (route) => (isBroken ? route.abort() : route.continue()));
    await page.click('[data-map-open]');
    await page.waitForFunction(() => /can’t be shown/.test(document.querySelector('[data-map-open]').textContent));
    assert.equal(await page.locator('.map-live').count(), 0);
    isBroken = false;
    let answer = () => {};
    const held = new Promise<void>((done) => {
      answer = done;
    });
    await page.route(/tiles\.json/, async (route) => {
      await held;
      await route.continue();
    });
    await page.click('[data-map-open]');
    await page.click('[data-map-open]');
    answer();
    await ready(page);
    assert.equal(await page.locator('.map-live').count(), 1);
    assert.equal(await page.locator('.map-view').count(), 1);
    assert.ok(((await page.locator('.map-live').boundingBox())?.height ?? 0) > 200);
    await page.close();
  });

  it('keeps its land while one zooms in and out before the detailed one is loaded', async () => {
    const { page } = await visit();
    let answer = () => {};
    const held = new Promise<void>((done) => {
      answer = done;
    });
    await page.route(/basemap-50m/, async (route) => {
      await held;
      await route.continue();
    });
    await page.click('[data-map-open]');
    await ready(page);
    const landPixels = () =>
      page.evaluate((land) => {
        const wanted = [1, 3, 5].map((at) => Number.parseInt(land.slice(at, at + 2), 16));
        let found = 0;
        for (const canvas of document.querySelectorAll('.map-live canvas')) {
          const { data } = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height);
          for (let at = 0; at < data.length; at += 4) if (wanted.every((part, i) => data[at + i] === part)) found++;
        }
        return found;
      }, lightColours.land);
    await page.waitForTimeout(500);
    assert.ok((await landPixels()) > 1000);
    const asked = page.waitForRequest(/basemap-50m/);
    for (let step = 0; step < 3; step++) await page.click('.ol-zoom-in');
    await asked;
    for (let step = 0; step < 4; step++) await page.click('.ol-zoom-out');
    const loaded = page.waitForResponse(/basemap-50m/);
    answer();
    await loaded;
    await page.waitForTimeout(1000);
    assert.ok((await landPixels()) > 1000);
    await page.close();
  });

  it('says that tiles could not be loaded, and loads them again', async () => {
    const { page } = await visit();
    let isBroken = true;
    await page.route(/\/tiles\/.*\.mvt/, (route) => (isBroken ? route.fulfill({ status: 503 }) : route.continue()));
    await page.click('[data-map-open]');
    await page.waitForSelector('.map-note:has-text("could not be loaded")');
    isBroken = false;
    const tile = page.waitForResponse((response) => response.url().includes('/tiles/') && response.ok());
    await page.click('.map-note button');
    await tile;
    await page.waitForTimeout(300);
    assert.equal(await page.innerText('.map-note'), '');
    assert.equal(await page.evaluate(() => document.activeElement?.className), 'map-live');
    await page.close();
  });

  it('leaves the picture where the tiles are missing, and says so', async () => {
    const { page } = await visit('?nothing=1');
    await page.click('[data-map-open]');
    await page.waitForFunction(() =>
      /can’t be shown/.test(document.querySelector('[data-map-open]')?.textContent ?? ''),
    );
    assert.ok(await page.isVisible('img'));
    await page.close();
  });
});
