/** Labels, names and values as people write them: long, or from right to left. */
import assert from 'node:assert/strict';
import { Readable } from 'node:stream';
import { after, before, describe, it } from 'node:test';
import type { Browser, Locator } from 'playwright-core';
import { openFileCatalogue } from '../../src/files/file-catalogue.ts';
import { makeFolder } from '../support/folder.ts';
import { served } from '../support/served.ts';
import { serveFolder } from '../support/server.ts';
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

  it('have bullets and numbers in their lists, and whole words in their tables', async (test) => {
    const names = Array.from({ length: 8 }, (_, i) => `Measurement${i}`);
    const table = [names, names.map(() => '-'), names.map(() => 'value')].map((cells) => `| ${cells.join(' | ')} |`);
    const description = `In short.\n\n- one\n- two\n\n1. first\n2. second\n\n${table.join('\n')}`;
    const { base } = await served(
      { namespaces: { own: { label: 'Own', description } }, datasets: { 'own/one': { label: 'One', description } } },
      test,
    );
    const home = '/api/v1/namespaces/own/';
    for (const path of [home, `${home}datasets/one/`])
      for (const width of [1280, 360]) {
        const { page, context } = await visit(browser, base, path, { width });
        await page.click('.more summary');
        const lists = await page.$$eval('.more :is(ul, ol)', (found) =>
          found.map((one) => {
            const { listStyleType, paddingInlineStart } = getComputedStyle(one);
            return [listStyleType, Number.parseFloat(paddingInlineStart) >= 16];
          }),
        );
        assert.deepEqual(lists, [
          ['disc', true],
          ['decimal', true],
        ]);
        const lines = await page.$$eval('.more th', (cells) =>
          cells.map((one) => {
            const range = document.createRange();
            range.selectNodeContents(one);
            return range.getClientRects().length;
          }),
        );
        assert.deepEqual(
          lines,
          names.map(() => 1),
          `${path} ${width}`,
        );
        assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth), `${path} ${width}`);
        await context.close();
      }
  });

  it('from right to left are whole, and turn nothing else around', async (test) => {
    const description = 'In English.\n\nهذا نص.\n\n- عنصر القائمة';
    const folder = makeFolder(
      { namespaces: { own: { label: 'Own' } }, datasets: { 'own/cities': { label: 'Cities', description } } },
      test,
    );
    const catalogue = await openFileCatalogue(folder.root);
    const source = Readable.from(['السكان,النوع\n5,كبير\n6,كبير\n7,صغير\n']);
    const ref = { kind: 'dataset', namespace: 'own', slug: 'cities' } as const;
    await catalogue.for().publish(ref, { source, fileName: 'cities.csv' });
    await catalogue.close();
    const { base, close } = await serveFolder(folder.root);
    test.after(close);
    const home = '/api/v1/namespaces/own/datasets/cities/';
    const { page, context } = await visit(browser, base, `${home}data/?السكان__gte=5&النوع=كبير`, { width: 1280 });
    const chip = (text: string) => page.locator('.chips a', { hasText: text });
    for (const [words, parts] of [
      [chip('at least'), ['السكان', ' at least ', '5']],
      [chip('is'), ['النوع', ' is ', 'كبير']],
      [page.locator('.address code'), ['data/', '?', 'السكان__gte', '=', '5', '&', 'النوع', '=', 'كبير']],
    ] as const)
      await assertInOrder(words.first(), parts);
    const start = await placeOf(page.locator('thead th:nth-child(3) [dir]').first());
    assert.ok(Math.abs((await placeOf(page.locator('tbody td:nth-child(3)').first())).left - start.left) < 2);

    await page.goto(base + home);
    await page.click('.more summary');
    const [paragraph, item] = [page.locator('.more p'), page.locator('.more li')];
    const { right } =
      (await page
        .locator('.more')
        .boundingBox()
        .then((box) => box && { right: box.x + box.width })) ?? {};
    for (const one of [paragraph, item]) assert.ok(Math.abs((await placeOf(one)).right - (right ?? 0)) < 2);
    await context.close();
  });
});

/** Where the text of an element lies, its box apart. */
const placeOf = (one: Locator) =>
  one.evaluate((element) => {
    const range = document.createRange();
    range.selectNodeContents(element);
    const { left, right } = range.getBoundingClientRect();
    return { left, right };
  });

/** The parts of a text stand from left to right on the page. */
async function assertInOrder(one: Locator, parts: readonly string[]): Promise<void> {
  const places = await one.evaluate((element, wanted) => {
    const walker = document.createTreeWalker(element, NodeFilter.SHOW_TEXT);
    const nodes: Text[] = [];
    while (walker.nextNode()) nodes.push(walker.currentNode as Text);
    let at = 0;
    return wanted.map((part) => {
      at = nodes.findIndex((node, i) => i >= at && node.data.includes(part));
      const range = document.createRange();
      const begin = nodes[at]?.data.indexOf(part) ?? 0;
      range.setStart(nodes[at] as Text, begin);
      range.setEnd(nodes[at] as Text, begin + part.length);
      return range.getBoundingClientRect().left;
    });
  }, parts);
  assert.deepEqual(
    places,
    [...places].sort((a, b) => a - b),
    parts.join('|'),
  );
}
