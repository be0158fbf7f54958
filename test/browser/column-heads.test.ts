/** Datasets whose columns have long names, such as the questions of a survey: all columns can be read, and reached by keyboard. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { Browser } from 'playwright-core';
import { makeWorkshop, type Workshop } from '../support/published.ts';
import { serveFolder } from '../support/server.ts';
import { launchBrowser, visit } from './open-browser.ts';

const question = (number: number) =>
  `${number}. To what extent do you agree that the paths and the benches of the park nearest to your home were kept clean, ` +
  'safe and in good repair in the last twelve months, in all weathers? [Before the works]';
const names = [question(1), 'answer'.repeat(35), ...[3, 4, 5].map(question), 'n'];
const csv = (last: number) =>
  `${names.map((name) => `"${name}"`).join(',')}\n${[1, 2, 3].map((row) => `yes ${row},no,a,b,c,${row === 3 ? last : row}\n`).join('')}`;
const dataset = '/api/v1/namespaces/lab/datasets/survey/';

describe('datasets with long names of columns', () => {
  let workshop: Workshop;
  let server: Awaited<ReturnType<typeof serveFolder>>;
  let browser: Browser;
  let difference: string;

  before(async () => {
    workshop = await makeWorkshop();
    await workshop.publish('survey', 'survey.csv', csv(3));
    const { version } = await workshop.publish('survey', 'survey.csv', csv(4));
    difference = `${dataset}version/${version.slug}/diff/?_key=n&_columns=all`;
    server = await serveFolder(workshop.root);
    await (await fetch(`${server.base}${dataset}profile/`)).arrayBuffer();
    browser = await launchBrowser();
  });
  after(async () => {
    await browser.close();
    await server.close();
    await workshop.remove();
  });

  it('have no head of a table wider than 24rem', async () => {
    for (const path of [dataset, `${dataset}data/`, `${dataset}embed/?_view=table`, difference])
      for (const width of [1440, 360]) {
        const { page, context } = await visit(browser, server.base, path, { width, script: false });
        const widths = await page.$$eval('.grid thead th[scope=col]:not(.n, .sign)', (heads) =>
          heads.map((head) => head.getBoundingClientRect().width),
        );
        assert.ok(widths.length >= 5, `${path}: ${widths.length}`);
        for (const one of widths) assert.ok(one <= 24 * 16, `${path}, ${width}: ${one}`);
        await context.close();
      }
  });

  it('have the ends of a range below the bars, in a column that is wider than these, too', async () => {
    await workshop.publish('pair', 'pair.csv', 'word,n\na,1\nb,2\nc,9\n');
    await (await fetch(`${server.base}/api/v1/namespaces/lab/datasets/pair/profile/`)).arrayBuffer();
    const path = '/api/v1/namespaces/lab/datasets/pair/data/';
    const { page, context } = await visit(browser, server.base, path, { script: false });
    const [bars, from, to, head] = await page.$$eval(
      'thead th:last-child .hist, thead th:last-child .ends span, thead th:last-child',
      (found) => {
        const box = (selector: string) =>
          found.filter((one) => one.matches(selector)).map((one) => one.getBoundingClientRect().toJSON());
        return [...box('.hist'), ...box('.ends span'), ...box('th')];
      },
    );
    assert.ok(head.width > 2 * bars.width, `${head.width}`);
    assert.ok(Math.abs(from.left - bars.left) <= 1 && Math.abs(to.right - bars.right) <= 1, JSON.stringify([bars, to]));
    assert.ok(head.right - bars.right < 20, 'at the side of the numbers');
    await context.close();
  });

  it('have their strip off the title, if there is no description', async () => {
    const { page, context } = await visit(browser, server.base, dataset, { script: false });
    const gap = await page.$eval('.lead .strip', (strip) => {
      const title = document.querySelector('h1') as HTMLElement;
      return strip.getBoundingClientRect().top - title.getBoundingClientRect().bottom;
    });
    assert.ok(gap >= 8, `${gap}`);
    await context.close();
  });

  it('have a first column, which stays in sight, of at most half of the table', async () => {
    for (const width of [1440, 360]) {
      const { page, context } = await visit(browser, server.base, `${dataset}data/`, { width, script: false });
      const share = await page.$eval('.big-grid .scroll', (table) => {
        const key = table.querySelector('thead th.key') as HTMLElement;
        const number = table.querySelector('thead th.n') as HTMLElement;
        // On phones, the numbers of the rows scroll away.
        const staying = [key, number].filter((head) => getComputedStyle(head).position === 'sticky');
        return staying.reduce((sum, { offsetWidth }) => sum + offsetWidth, 0) / table.clientWidth;
      });
      assert.ok(share <= 0.5, `${width}: ${share}`);
      await context.close();
    }
  });

  it('show the head that has the focus, forwards and backwards', async () => {
    for (const width of [1440, 360]) {
      const { page, context } = await visit(browser, server.base, `${dataset}data/`, { width, script: false });
      const links = '.big-grid thead th a[title]';
      const count = await page.locator(links).count();
      assert.equal(count, names.length);
      /** True if at least a fifth of the focused link is seen, and nothing covers it. */
      const isSeen = () =>
        page.evaluate(() => {
          const focused = document.activeElement as HTMLElement;
          const { left, right, top } = focused.getBoundingClientRect();
          const places = Array.from({ length: 20 }, (_, i) => left + ((i + 0.5) / 20) * (right - left));
          return places.filter((x) => focused.contains(document.elementFromPoint(x, top + 8))).length >= 4;
        });
      await page.locator(links).first().focus();
      for (const key of ['Tab', 'Shift+Tab'])
        for (let i = 1; i < count; i++) {
          await page.keyboard.press(key);
          // Other parts of a head, such as its bars, have no stop of the Tab key.
          assert.ok(await isSeen(), `${width}, ${key}, ${i}`);
        }
      await context.close();
    }
  });
});
