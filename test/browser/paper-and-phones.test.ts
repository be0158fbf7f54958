/** Pages on paper and in the narrow windows of phones: what is there for the reader has the width. */
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

  it('print all rows of a page, and no number on two lines', async () => {
    const rows = `${earthquakes}data/?mag__gte=4.5&_fields=mag,place,time`;
    for (const path of [rows, earthquakes]) {
      const { page, context } = await visit(browser, server.base, path, paper);
      await page.emulateMedia({ media: 'print' });
      const hidden = await page.$$eval('.scroll', (tables) => tables.map((one) => one.scrollHeight - one.clientHeight));
      assert.deepEqual(hidden, [0], path);
      const lines = await page.$$eval('.grid td.num', (cells) =>
        cells.map((one) => {
          const range = document.createRange();
          range.selectNodeContents(one);
          return range.getClientRects().length;
        }),
      );
      assert.ok(lines.length > 0 && Math.max(...lines) === 1, `${path}: ${lines}`);
      assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth), path);
      await context.close();
    }
  });

  it('print every column of a table that is wider than paper, below its name', async () => {
    const countries = '/api/v1/namespaces/natural-earth/datasets/countries/';
    for (const path of [
      `${earthquakes}data/?mag__gte=6`,
      `${countries}data/?_limit=5`,
      `${earthquakes}data/?_limit=2&_fields=mag,place,url`,
    ]) {
      const { page, context } = await visit(browser, server.base, path, paper);
      // On a screen, the table is as wide as its cells.
      const padding = await page.$eval('.grid', (table) => getComputedStyle(table).paddingInlineStart);
      assert.equal(padding, '0px', path);
      await page.emulateMedia({ media: 'print' });
      const rows = await page.$$eval('.grid tr', (all) =>
        all.map((row) =>
          [...row.querySelectorAll('th, td')].map((cell) => {
            const { left, right } = cell.getBoundingClientRect();
            return { left, right, isCut: cell.scrollWidth > cell.clientWidth + 1 };
          }),
        ),
      );
      const [head = []] = rows;
      assert.ok(rows.length > 1 && head.length > 3, path);
      for (const cells of rows) {
        assert.deepEqual(
          cells.map(({ left }) => left),
          head.map(({ left }) => left),
          path,
        );
        assert.deepEqual(
          cells.filter(({ right, isCut }) => isCut || right > paper.width),
          [],
          path,
        );
      }
      await context.close();
    }
  });

  it('have the links of the head in whole words, and titles no wider than the window', async () => {
    const title = 'Offene Geodaten und Statistiken der Landeshauptstadt Springfield';
    const entitled = makeLastingFolder({ settings: { title } });
    const long = await serveFolder(entitled.root);
    for (const language of ['en', 'de', 'fr'])
      for (const { base } of [server, long]) {
        // A page with a search in its head.
        const visited = await visit(browser, base, '/api/v1/namespaces/', { language, script: false });
        for (const width of [320, 360, 641, 700, 820, 1025]) {
          await visited.page.setViewportSize({ width, height: 700 });
          const { links, wide } = await visited.page.evaluate(() => ({
            links: [...document.querySelectorAll('.bar nav a, .bar .in')]
              .filter((one) => one.checkVisibility())
              .map((one) => {
                const range = document.createRange();
                range.selectNodeContents(one);
                return { lines: range.getClientRects().length, end: range.getBoundingClientRect().right };
              }),
            wide: document.documentElement.scrollWidth,
          }));
          // In narrow windows, a link leads to the search.
          assert.equal(links.length, width <= 640 ? 6 : 5);
          for (const { lines, end } of links) assert.ok(lines === 1 && end <= width, `${language}, ${width}: ${lines}`);
          assert.ok(wide <= width, `${language}, ${width}: ${wide} pixels wide`);
        }
        await visited.context.close();
      }
    await long.close();
    entitled.remove();
  });

  it('have labels beside their fields, and lines of which all words stand on one line', async () => {
    const path = '/api/v1/namespaces/datahub/datasets/sp500-constituents/';
    for (const width of [1280, 360]) {
      const { page, context } = await visit(browser, server.base, path, { width });
      const { gaps, starts, bases } = await page.evaluate(() => {
        const box = (one: Element) => one.getBoundingClientRect();
        const fields = [...document.querySelectorAll('.cmp select')];
        const bottomOfText = (one: Element) => {
          const range = document.createRange();
          range.selectNodeContents(one);
          return range.getBoundingClientRect().bottom;
        };
        return {
          gaps: fields.map((one) => box(one).left - box(one.previousElementSibling ?? one).right),
          starts: fields.map((one) => box(one).left),
          bases: ['.foot .wide > :first-child', '.foot a'].map((one) => {
            const found = document.querySelector(one);
            return found ? bottomOfText(found) : Number.NaN;
          }),
        };
      });
      assert.equal(gaps.length, 2);
      assert.ok(Math.max(...gaps) < 60, `${width}: ${gaps}`);
      if (width === 360) assert.equal(starts[0], starts[1]);
      else assert.ok(Math.abs((bases[0] ?? 0) - (bases[1] ?? 9)) < 2, `${width}: ${bases}`);
      await context.close();
    }
  });

  it('show the values of one row in at least half of a phone', async () => {
    const { page, context } = await visit(browser, server.base, `${earthquakes}data/?_limit=1&_offset=3`, {
      ...{ width: 360, script: false },
    });
    const shares = await page.$$eval('.single dd', (values) =>
      values.map((one) => one.clientWidth / (one.closest('dl')?.clientWidth ?? 0)),
    );
    assert.ok(shares.length > 0 && Math.min(...shares) >= 0.5, `${shares}`);
    const space = await page.$eval('.single dd', (value) => getComputedStyle(value).whiteSpace);
    assert.equal(space, 'pre-wrap');
    await context.close();
  });

  it('lead from rows to the page of one row', async () => {
    for (const path of [`${earthquakes}data/?mag__gte=6`, earthquakes]) {
      const { page, context } = await visit(browser, server.base, path, { width: 320, script: false });
      const link = page.locator('tbody th a').first();
      await page.$eval('.grid', (table) => table.parentElement?.scrollTo(300, 0));
      await link.focus();
      const isOnTop = await link.evaluate((one) => {
        const { x, y, width, height } = one.getBoundingClientRect();
        return document.elementFromPoint(x + width / 2, y + height / 2) === one;
      });
      assert.ok(isOnTop, path);
      await link.click();
      assert.match(page.url(), /_limit=1&_offset=0$/);
      await context.close();
    }
  });

  it('lead to the search, by a field or a link', async () => {
    const list = '/api/v1/datasets/';
    for (const path of [
      '/',
      list,
      earthquakes,
      `${earthquakes}data/?mag__gte=6`,
      '/api/v1/queries/',
      '/docs/',
      '/nothing/',
    ])
      for (const script of [true, false]) {
        const { page, context } = await visit(browser, server.base, path, { width: 390, script });
        if (!(await page.locator('form[role=search] input').first().isVisible())) {
          await page.click('.bar a:text-is("Search")');
          await page.waitForSelector('form[role=search] input:focus');
          assert.equal(new URL(page.url()).pathname, list);
          await page.keyboard.type('lakes');
          await Promise.all([page.waitForURL(/search=lakes/), page.keyboard.press('Enter')]);
        }
        await context.close();
      }
  });

  it('leave the key of the search to the browser where no search is seen', async () => {
    for (const [path, width, isOurs] of [
      [earthquakes, 390, false],
      [`${earthquakes}embed/?_view=table`, 1440, false],
      [earthquakes, 1440, true],
    ] as const) {
      const { page, context } = await visit(browser, server.base, path, { width });
      const isPrevented = await page.evaluate(
        () => !dispatchEvent(new KeyboardEvent('keydown', { key: '/', cancelable: true })),
      );
      assert.equal(isPrevented, isOurs, `${path} ${width}`);
      await context.close();
    }
  });
});
