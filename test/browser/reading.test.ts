/** How people without a mouse, with large or spaced text, other colours, on paper or in other languages read the pages. */
import assert from 'node:assert/strict';
import { cpSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, before, describe, it } from 'node:test';
import { setTimeout } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import type { Browser, Page } from 'playwright-core';
import { type CatalogueFolder, makeLastingFolder } from '../support/folder.ts';
import { makeWorkshop } from '../support/published.ts';
import { serveFolder } from '../support/server.ts';
import { serveWithSlowProfiles } from '../support/slow-profiles.ts';
import { launchBrowser, visit } from './open-browser.ts';

const example = fileURLToPath(new URL('../../catalogue-data', import.meta.url));
const earthquakes = '/api/v1/namespaces/usgs/datasets/earthquakes/';
const countries = '/api/v1/namespaces/natural-earth/datasets/countries/';

describe('reading pages', () => {
  let browser: Browser;
  let base: string;
  let folder: CatalogueFolder;
  let end: () => Promise<void>;

  before(async () => {
    folder = makeLastingFolder({});
    cpSync(example, folder.root, { recursive: true });
    folder.write(
      'namespaces/usgs/datasets/trees/dataset.yaml',
      JSON.stringify({ label: 'مجموعة بيانات الأشجار في المدينة', description: 'أشجار المدينة' }),
    );
    const server = await serveFolder(folder.root);
    ({ base } = server);
    browser = await launchBrowser();
    end = async () => {
      await browser.close();
      await server.close();
      folder.remove();
    };
    for (const path of ['/', earthquakes, countries, `${earthquakes}data/?mag__gte=6`])
      await fetch(base + path, { headers: { Accept: 'text/html' } });
  });
  after(() => end());

  it('by keyboard alone: search, map, tool, copy, sort, page, filter; the focus is always seen', async () => {
    const { page, context, incidents } = await visit(browser, base, '/');
    await context.grantPermissions(['clipboard-read', 'clipboard-write']);
    await page.keyboard.press('Tab');
    assert.equal(await page.evaluate(() => document.activeElement?.className), 'skip');
    await page.keyboard.press('/');
    await page.keyboard.type('earthquakes');
    await Promise.all([page.waitForURL(/search=earthquakes/), page.keyboard.press('Enter')]);
    await tabTo(page, '.hit h3 a');
    await Promise.all([page.waitForURL(base + earthquakes), page.keyboard.press('Enter')]);

    await tabTo(page, '[data-map-open]');
    await page.keyboard.press('Enter');
    await page.waitForSelector('[data-map-ready]');
    assert.equal(await page.evaluate(() => document.activeElement?.className), 'map-live');
    await page.keyboard.press('+');
    await tabTo(page, '#map-colour');

    await tabTo(page, 'input[name=tool]');
    const tool = await page.evaluate(() => (document.activeElement as HTMLInputElement).value);
    await page.keyboard.press('ArrowRight');
    assert.notEqual(await page.evaluate(() => (document.activeElement as HTMLInputElement).value), tool);
    await tabTo(page, '.use .copy');
    await page.keyboard.press('Enter');
    await page.waitForFunction(() => document.activeElement?.textContent === 'Copied');
    assert.match(await page.evaluate(() => navigator.clipboard.readText()), /earthquakes/);

    await page.goto(`${base}${earthquakes}data/`);
    await tabTo(page, 'tbody th.n a', 150);
    await Promise.all([page.waitForURL(/_limit=1&_offset=0$/), page.keyboard.press('Enter')]);
    await page.goBack();
    await tabTo(page, 'a[rel=next]', 250);
    await Promise.all([page.waitForURL(/_offset=/), page.keyboard.press('Enter')]);
    await tabTo(page, 'thead th a');
    await Promise.all([page.waitForURL(/_ordering=/), page.keyboard.press('Enter')]);
    await tabTo(page, 'select[name=_add]');
    await chooseByArrow(page, 'select[name=_add]', 'mag');
    await tabTo(page, 'select[name=_lookup]');
    await chooseByArrow(page, 'select[name=_lookup]', 'gte');
    await tabTo(page, 'input[name=_value]');
    await page.keyboard.type('6');
    await Promise.all([page.waitForURL(/mag__gte=6/), page.keyboard.press('Enter')]);
    assert.equal(await page.locator('.big-grid tbody tr').count(), 5);
    assert.deepEqual(incidents, []);
    await context.close();
  });

  it('past the list of columns, which lies over nothing that has the focus', async () => {
    for (const ownScript of [true, false]) {
      const { page, context } = await visit(browser, base, `${earthquakes}data/?mag__gte=6`, {
        ...{ width: 1280, height: 720, ownScript },
      });
      const list = page.locator('.picker > div');
      const open = async () => {
        await page.click('.picker summary');
        assert.ok(await list.isVisible());
      };
      await open();
      await tabTo(page, '.picker button');
      await tabTo(page, '.use-rows summary');
      if (ownScript) {
        assert.ok(await list.isHidden());
        await open();
        await tabTo(page, '.picker input:nth-child(1)');
        await page.keyboard.press('Escape');
        assert.ok(await list.isHidden());
        assert.equal(await page.evaluate(() => document.activeElement?.parentElement?.className), 'picker');
        await open();
        await page.click('h1');
        assert.ok(await list.isHidden());
      }
      await context.close();
    }
  });

  it('by a button that copies: it says so, and then what it does, on plain HTTP too', async () => {
    for (const hasClipboard of [true, false]) {
      const { page, context, incidents } = await visit(browser, base, '/');
      await context.grantPermissions(['clipboard-read', 'clipboard-write']);
      if (!hasClipboard)
        await page.addInitScript(() => Object.defineProperty(navigator, 'clipboard', { value: undefined }));
      await page.goto(`${base}${earthquakes}data/?mag__gte=6`);
      const button = page.locator('.address [data-copy]');
      assert.equal(await button.getAttribute('title'), 'Address of these rows');
      await button.click();
      await page.waitForFunction(() => document.querySelector('.address [data-copy]')?.textContent === 'Copied');
      assert.ok((await page.locator('[role=status]').allTextContents()).includes('Copied'));
      await button.click();
      await page.waitForFunction(() => document.querySelector('.address [data-copy]')?.textContent === 'Copy');
      const reader = await context.newPage();
      await reader.goto(`${base}/docs/`);
      assert.match(await reader.evaluate(() => navigator.clipboard.readText()), /data\/\?mag__gte=6$/);
      assert.deepEqual(incidents, []);
      await context.close();
    }
  });

  it('by a pointer over a cell that is cut: all of its text is shown', async () => {
    const { page, context } = await visit(browser, base, `${earthquakes}data/?mag__gte=6`, { width: 1280 });
    const cells = page.locator('td.t:has-text("eventpage")');
    const [cut = -1] = (
      await cells.evaluateAll((all) =>
        all.map((one) => !one.getAttribute('title') && one.scrollWidth > one.clientWidth),
      )
    ).flatMap((isCut, i) => (isCut ? [i] : []));
    assert.notEqual(cut, -1);
    await cells.nth(cut).hover();
    assert.equal(await cells.nth(cut).getAttribute('title'), await cells.nth(cut).textContent());
    await context.close();
  });

  it('back at a list that was narrowed: it still is', async () => {
    const { page, context, incidents } = await visit(browser, base, earthquakes);
    const shown = page.locator('#columns .profile > li:not(.key):visible');
    await page.fill('#columns [data-filter]', 'magnitude');
    const names = await shown.allTextContents();
    assert.ok(names.length > 0 && names.length < 10);
    // Browsers that keep the whole page have nothing to fill in.
    await page.evaluate(() => addEventListener('unload', () => {}));
    await page.goto(`${base}/docs/`);
    await page.goBack();
    assert.equal(await page.inputValue('#columns [data-filter]'), 'magnitude');
    assert.deepEqual(await shown.allTextContents(), names);
    assert.deepEqual(incidents, []);
    await context.close();
  });

  it('of what was still being measured, soon after it is', async (test) => {
    const workshop = await makeWorkshop();
    test.after(() => workshop.remove());
    await workshop.publish('trees', 'trees.csv', 'species,height\noak,12.5\nelm,9\n');
    const slow = await serveWithSlowProfiles(workshop.catalogue, test);
    const { page, context } = await visit(browser, slow.base, '/docs/');
    await page.clock.install();
    await page.goto(`${slow.base}/api/v1/namespaces/lab/datasets/trees/`);
    assert.equal(await page.locator('#columns .hist').count(), 0);
    const answered = page.waitForResponse((response) => response.request().method() === 'HEAD');
    await page.clock.runFor(3000);
    await answered;
    assert.equal(await page.textContent('[data-changed]'), '');
    slow.measure();
    await page.clock.runFor(3000);
    await page.click('[data-changed] a');
    await page.waitForSelector('#columns .hist');
    await context.close();
  });

  it('with few steps of the Tab key on the page of a dataset', async () => {
    const { page, context } = await visit(browser, base, countries);
    const stops = await page.evaluate(() => {
      const groups = new Set<string>();
      return [...document.querySelectorAll<HTMLInputElement>('a[href],button,input,select,textarea,summary,[tabindex]')]
        .filter((one) => one.tabIndex >= 0 && !one.disabled && one.type !== 'hidden')
        .filter((one) => one.checkVisibility({ visibilityProperty: true, contentVisibilityAuto: true }))
        .filter(({ type, name }) => type !== 'radio' || (!groups.has(name) && groups.add(name))).length;
    });
    assert.ok(stops <= 60, `${stops} steps`);
    await context.close();
  });

  it('of at most 60 kB with their map, in at most 6 requests', async () => {
    const { page, context } = await visit(browser, base, countries);
    await page.waitForLoadState('networkidle');
    const urls = await page.evaluate(() => performance.getEntriesByType('resource').map(({ name }) => name));
    assert.ok(urls.length + 1 <= 6, urls.join('\n'));
    const sizes = await Promise.all(
      [base + countries, ...urls.filter((url) => !url.endsWith('.woff2'))].map(async (url) => {
        const answer = await fetch(url, { headers: { Accept: 'text/html, */*;q=0.1' } });
        return gzipSync(Buffer.from(await answer.arrayBuffer()), { level: 9 }).length;
      }),
    );
    const bytes = sizes.reduce((sum, size) => sum + size, 0);
    assert.ok(bytes <= 60_000, `${bytes} bytes`);
    await context.close();
  });

  it('of rows that come in parts: nothing that is seen moves', async () => {
    const relay = createServer(async (request, response) => {
      const headers = { Accept: request.headers.accept ?? '*/*' };
      const answer = await fetch(base + request.url, { headers });
      const body = Buffer.from(await answer.arrayBuffer());
      response.writeHead(answer.status, { 'Content-Type': answer.headers.get('content-type') ?? '' });
      // Widths of columns are known from ten rows; then come wider ones.
      const end = body.toString('latin1').split('</tr>', 11).join('</tr>').length;
      if (request.url?.includes('/data/')) {
        response.write(body.subarray(0, end));
        await setTimeout(300);
        response.end(body.subarray(end));
      } else response.end(body);
    });
    await new Promise<void>((resolve) => relay.listen(0, '127.0.0.1', resolve));
    const relayed = `http://127.0.0.1:${(relay.address() as AddressInfo).port}`;
    try {
      const { page, context } = await visit(browser, relayed, `${countries}data/?_limit=100`);
      const moved = await page.evaluate(
        () =>
          new Promise((resolve) => {
            const moved: string[] = [];
            const observer = new PerformanceObserver((list) => {
              for (const { sources } of list.getEntries() as unknown as { sources: { node: Element | null }[] }[])
                moved.push(...sources.map(({ node }) => node?.nodeName ?? ''));
            });
            observer.observe({ type: 'layout-shift', buffered: true });
            window.setTimeout(() => resolve(moved), 200);
          }),
      );
      assert.deepEqual(moved, []);
      await context.close();
    } finally {
      relay.close();
      relay.closeAllConnections();
    }
  });

  it('by an area that is drawn on the map of the home page', async () => {
    const { page, context, incidents } = await visit(browser, base, '/');
    const box = await page.locator('.front .area').boundingBox();
    assert.ok(box);
    await page.mouse.move(box.x + box.width / 2, box.y + box.height / 4);
    await page.mouse.down();
    await page.mouse.move(box.x + 0.6 * box.width, box.y + box.height / 2, { steps: 3 });
    await Promise.all([page.waitForURL(/bbox=/), page.mouse.up()]);
    const [west, south, east, north] = (new URL(page.url()).searchParams.get('bbox') ?? '').split(',').map(Number);
    for (const [side, degrees] of [west, south, east, north].entries())
      assert.ok(Math.abs((degrees as number) - ([0, 0, 36, 45][side] as number)) < 2, page.url());
    assert.match((await page.textContent('.chips')) ?? '', /Where\s+0.* to 3[567].*\sE/);
    assert.deepEqual(incidents, []);
    await context.close();
  });

  it('in forced colours: what has a colour only is seen, too', async () => {
    const { page, context } = await visit(browser, base, countries);
    await page.emulateMedia({ forcedColors: 'active', colorScheme: 'dark' });
    const styleOf = (selector: string, property: string) =>
      page
        .locator(selector)
        .first()
        .evaluate((one, name) => getComputedStyle(one).getPropertyValue(name), property);
    const seen = {
      bar: await styleOf('.strip .num', 'fill'),
      bed: await styleOf('.strip .bed', 'fill'),
      hist: await styleOf('.hist .all', 'fill'),
      borderTopWidth: await styleOf('.btn.main', 'border-top-width'),
      ground: await styleOf('html', 'background-color'),
    };
    assert.notEqual(seen.bar, seen.bed);
    const key = await page.evaluate(
      () => getComputedStyle(document.querySelector('.legend .num') as Element, '::before').backgroundColor,
    );
    assert.equal(key, seen.bar);
    for (const colour of [seen.bar, seen.hist]) assert.notEqual(colour, seen.ground);
    assert.equal(seen.borderTopWidth, '2px');
    await page.evaluate(() => document.querySelector('#columns')?.scrollIntoView());
    await page.waitForSelector('.toc [aria-current=location][href="#columns"]');
    for (const [selector, what] of [
      ['.toc a', 'the part that is read'],
      ['.use .names label', 'the tool that is chosen'],
    ] as const) {
      const lines = await page.$$eval(selector, (some) =>
        some.map((one) => getComputedStyle(one).borderBottomColor !== getComputedStyle(document.body).backgroundColor),
      );
      assert.equal(lines.filter(Boolean).length, 1, `${what} is underlined, and nothing beside it`);
    }
    await context.close();
  });

  it('in the list of parts: the one that is read or was chosen is marked, at the end of the page, too', async () => {
    const { page, context } = await visit(browser, base, countries, { width: 1280, height: 1000 });
    const marked = (hash: string) => page.waitForSelector(`.toc [aria-current=location][href="${hash}"]`);
    const hashes = await page.$$eval('.toc a', (links) => links.map((one) => one.getAttribute('href') ?? ''));
    assert.equal(await page.locator('.toc [aria-current]').count(), 0, 'before the first part');
    for (const hash of hashes) {
      await page.click(`.toc a[href="${hash}"]`);
      await marked(hash);
      assert.equal(await page.locator('.toc [aria-current]').count(), 1);
    }
    const last = hashes.at(-1) ?? '';
    // What was chosen doesn't matter as soon as it is out of sight.
    await page.goto(`${base}${countries}${hashes[0]}`);
    await marked(hashes[0] ?? '');
    await page.keyboard.press('End');
    await marked(last);
    await page.keyboard.press('Home');
    // The way back takes some frames, which must not go on in the other window.
    await page.waitForFunction(() => scrollY === 0 && !document.querySelector('.toc [aria-current]'));
    await page.setViewportSize({ width: 320, height: 450 });
    for (const hash of [last, hashes[0] ?? '']) {
      await page.goto(`${base}${countries}${hash}`);
      // In sight, though the list of parts is wider than the window.
      await page.waitForFunction((wanted) => {
        const link = document.querySelector('.toc [aria-current]');
        const { left = -1, right = 0 } = link?.getBoundingClientRect() ?? {};
        return link?.getAttribute('href') === wanted && left >= 0 && right <= innerWidth;
      }, hash);
    }
    await context.close();
  });

  it('on paper: all parts unfolded, no controls, black on white', async () => {
    const { page, context } = await visit(browser, base, countries, { scheme: 'dark' });
    await page.emulateMedia({ media: 'print' });
    const controls = ['.bar nav', '.find input', '.toc', '.copy', '.cmp', '[data-map-open]'];
    assert.equal(await page.locator(`${controls.join()} >> visible=true`).count(), 0);
    assert.ok(
      await page.evaluate(() => [...document.querySelectorAll('details > *')].every((one) => one.checkVisibility())),
    );
    assert.ok(
      await page.evaluate(() => [...document.querySelectorAll('.use .panel')].every((one) => one.checkVisibility())),
    );
    assert.equal(await page.evaluate(() => getComputedStyle(document.body).color), 'rgb(0, 0, 0)');
    await context.close();
  });

  it('in other languages and scripts: numbers, dates and directions', async () => {
    for (const [language, pattern] of Object.entries({
      'de-AT': /17\s257 Zeilen.*9 Datensätze.*8\. Aug\. 2026/s,
      fr: /17\s257 lignes.*9 jeux de données.*8 août 2026/s,
      da: /17,257 rows.*9 datasets.*8 Aug 2026/s,
    })) {
      const { page, context } = await visit(browser, base, '/', { language });
      assert.match(await page.innerText('main'), pattern);
      await context.close();
    }
    const { page, context } = await visit(browser, base, '/api/v1/namespaces/usgs/datasets/trees/');
    const direction = await page.evaluate(() => getComputedStyle(document.querySelector('h1') as Element).direction);
    assert.equal(direction, 'rtl');
    const ends = (...selectors: string[]) =>
      page.evaluate(
        (all) =>
          all.map((one) => {
            const range = document.createRange();
            range.selectNodeContents(document.querySelector(one) as Element);
            const { left, right } = range.getBoundingClientRect();
            return [left, right].map(Math.round);
          }),
        selectors,
      );
    const [title, description] = await ends('h1', '.lead .prose p');
    assert.equal(title?.[1], description?.[1], 'a title and its description begin at the same edge');
    await page.goto(`${base}/api/v1/datasets/?search=${encodeURIComponent('أشجار')}`);
    const [listed, described] = await ends('.hit h3', '.hit p');
    assert.equal(listed?.[0], described?.[0], 'in a list, both are on the side of the others');
    await context.close();
  });
});

/** Presses the Tab key until an element has the focus. At each step the focus has to be seen, and nothing may lie upon it. */
async function tabTo(page: Page, selector: string, most = 90): Promise<void> {
  for (let step = 0; step < most; step++) {
    await page.keyboard.press('Tab');
    const found = await page.evaluate((wanted) => {
      const active = document.activeElement as HTMLElement | null;
      if (!active || active === document.body) return { problem: '', isThere: false };
      const isThere = active.matches(wanted);
      const label = active.outerHTML.slice(0, 120);
      const { outlineStyle, outlineWidth, boxShadow } = getComputedStyle(active);
      const isMarked = (outlineStyle !== 'none' && Number.parseFloat(outlineWidth) > 0) || boxShadow !== 'none';
      // A label may be what is seen of a field.
      const labels = [...((active as HTMLInputElement).labels ?? [])];
      const isMarkedByLabel = labels.some((one) => getComputedStyle(one).outlineStyle !== 'none');
      if (!isMarked && !isMarkedByLabel) return { problem: `${label} has no mark`, isThere };
      const rect = (active.getClientRects()[0] ?? active.getBoundingClientRect()) as DOMRect;
      const isInside = rect.bottom > 0 && rect.top < innerHeight && rect.right > 0 && rect.left < innerWidth;
      if (!isInside) return { problem: `${label} is out of sight`, isThere };
      // Its middle and edges may be covered in part.
      const points = [0.1, 0.5, 0.9].flatMap((x) =>
        [0.2, 0.5, 0.8].map((y) => [rect.left + x * rect.width, rect.top + y * rect.height] as const),
      );
      const tops = points.map(([x, y]) => document.elementFromPoint(x, y)).filter((one) => one !== null);
      const isSeen = tops.some(
        (top) => active.contains(top) || top.contains(active) || labels.some((one) => one.contains(top)),
      );
      const over = tops[0]?.outerHTML.slice(0, 120);
      return { problem: isSeen ? '' : `${label} lies under ${over}`, isThere };
    }, selector);
    assert.equal(found.problem, '');
    if (found.isThere) return;
  }
  assert.fail(`${selector} has no focus after ${most} steps`);
}

/** Moves the choice of a list that has the focus downwards until it has a value. */
async function chooseByArrow(page: Page, selector: string, value: string): Promise<void> {
  for (let step = 0; step < 40 && (await page.locator(selector).inputValue()) !== value; step++)
    await page.keyboard.press('ArrowDown');
}
