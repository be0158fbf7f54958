/** The pages in Chromium: without script, accessible in every scheme and width, safe with hostile texts, silent. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { cpSync, readdirSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { createRequire } from 'node:module';
import type { AddressInfo } from 'node:net';
import { after, before, describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import type { Browser, Page } from 'playwright-core';
import { openFileCatalogue } from '../../src/files/file-catalogue.ts';
import { type CatalogueFolder, homeOf, makeLastingFolder, until } from '../support/folder.ts';
import { hostileTexts } from '../support/hostile-texts.ts';
import { served } from '../support/served.ts';
import { serveFolder } from '../support/server.ts';
import { ownerTexts, stateTexts, writeStates } from '../support/states.ts';
import { findViolations, launchBrowser, leaveOutRepetitions, type VisitedPage, visit } from './open-browser.ts';

const example = fileURLToPath(new URL('../../catalogue-data', import.meta.url));
const { resolve } = createRequire(import.meta.url);
/** The Nu HTML checker. */
const vnu = resolve('vnu-jar/build/dist/vnu.jar');

const datasets = '/api/v1/namespaces';
const earthquakes = `${datasets}/usgs/datasets/earthquakes/`;
const countries = `${datasets}/natural-earth/datasets/countries/`;
/** A page of each kind, and the states that the example catalogue has. */
const pages: Readonly<Record<string, string>> = {
  home: '/',
  search: '/api/v1/datasets/?search=gdp',
  'nothing found': '/api/v1/datasets/?search=rainfal&namespace=usgs',
  dataset: countries,
  chart: `${datasets}/datahub/datasets/top-economies/?_lines=country`,
  column: `${earthquakes}columns/mag/`,
  'column of texts': `${countries}columns/CONTINENT/`,
  version: `${countries}version/20170106015605000000/`,
  'map for frames': `${earthquakes}embed/?mag__gte=5&_colour=magType`,
  'table for frames': `${countries}embed/?_view=table`,
  'all columns': `${countries}data/?_limit=10`,
  rows: `${earthquakes}data/?mag__gte=4.5&_ordering=-mag&_limit=10`,
  'no rows': `${earthquakes}data/?mag__gte=99`,
  row: `${earthquakes}data/?_limit=1&_offset=3`,
  groups: `${earthquakes}data/?_group_by=magType&_aggregate=count`,
  namespace: `${datasets}/natural-earth/`,
  namespaces: `${datasets}/`,
  query: '/api/v1/queries/strong-earthquakes/',
  api: '/api/v1/queries/strong-earthquakes/?format=api',
  differences: `${datasets}/datahub/datasets/sp500-constituents/version/20260808004041000000/diff/`,
  'differences in a column': `${datasets}/datahub/datasets/sp500-constituents/version/20260808004041000000/diff/?_column=Security&_columns=all`,
  'differences on a map': `${countries}version/20171109141839000000/diff/`,
  history: `${countries}history/`,
  schema: '/schemas/dataset.json',
  'reference of the API': '/docs/openapi/',
  documentation: '/docs/',
  'page of the documentation': '/docs/publishing/',
  'log in': '/auth/login/',
};
/** The names of its columns and its keys are hostile texts, too. */
const hostileDifferences = `${datasets}/hostile/datasets/d0/version/v1/diff/?_columns=all`;
const documentation = readdirSync(fileURLToPath(new URL('../../docs', import.meta.url)))
  .filter((name) => name.endsWith('.md') && name !== 'README.md')
  .map((name) => `/docs/${name.slice(0, -'.md'.length)}/`);
const problems: Readonly<Record<string, string>> = {
  'not found': `${datasets}/usgs/datasets/earthquake/`,
  'bad parameter': `${earthquakes}data/?magn__gte=3`,
};

/** Text of twice the size (SC 1.4.4), and with the spaces that SC 1.4.12 asks for. */
const largeText = 'html{font-size:200%!important}';
const spacedText =
  '*{line-height:1.5!important;letter-spacing:.12em!important;word-spacing:.16em!important}p{margin-block-end:2em!important}';

/**
 * Runs axe in windows of some widths and schemes. The page is left without its repetitions.
 * @param windows widths and schemes in turns
 */
async function assertAccessible(page: Page, windows: readonly (number | 'light' | 'dark')[], label: string) {
  await page.evaluate(leaveOutRepetitions);
  for (let i = 0; i < windows.length; i += 2) {
    const [width, colorScheme] = windows.slice(i, i + 2) as [number, 'light' | 'dark'];
    await page.setViewportSize({ width, height: 900 });
    await page.emulateMedia({ colorScheme });
    assert.deepEqual(await findViolations(page), [], `${label} ${width} ${colorScheme}`);
  }
}

/** The elements of a page, each with what axe judges it by, but for its search and what is there for script only, such as buttons that copy. One text: thousands of short ones would take long to leave the browser. */
const shapeOfPage = `JSON.stringify([...document.querySelectorAll(
  'body *:not(#q, #suggestions, #suggestions *, .only-js, .only-js *, [type=hidden])',
)].map((element) => {
  const { display, visibility, color, backgroundColor, opacity } = getComputedStyle(element);
  const attributes = element.getAttributeNames().map((name) => name + '=' + element.getAttribute(name));
  return [element.tagName, display, visibility, color, backgroundColor, opacity, ...attributes];
}))`;

async function assertNoWiderThanWindow(page: Page, label: string) {
  const wide = await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);
  assert.ok(wide <= 0, `${label} is ${wide} px too wide`);
}

/** Does something while the page has further rules. */
async function withStyle(page: Page, rules: string, act: () => Promise<void>) {
  await page.evaluate((text) => {
    const sheet = new CSSStyleSheet();
    sheet.replaceSync(text);
    document.adoptedStyleSheets = [sheet];
  }, rules);
  await act();
  await page.evaluate(() => {
    document.adoptedStyleSheets = [];
  });
}

describe('pages in a browser', () => {
  let browser: Browser;
  let base: string;
  let folder: CatalogueFolder;
  let end: () => Promise<void>;

  before(async () => {
    folder = makeLastingFolder({});
    cpSync(example, folder.root, { recursive: true });
    writeHostileRecords(folder);
    writeStates(folder);
    const server = await serveFolder(folder.root);
    ({ base } = server);
    browser = await launchBrowser();
    end = async () => {
      await browser.close();
      await server.close();
      folder.remove();
    };
    // The rows are read for the first time.
    const states = Object.keys(stateTexts).map((path) => `/api/v1/namespaces/${path}`);
    const readRows = async (path: string) => (await fetch(base + path, { headers: { Accept: 'text/html' } })).text();
    for (const path of Object.values(pages)) await readRows(path);
    for (const path of states) await until(async () => !(await readRows(path)).includes('read for the first time'));
  });
  after(() => end());

  describe('are accessible, silent and no wider than the window', () => {
    /** One window for all of them: it starts each page at the same width and scheme. */
    let visited: VisitedPage;
    before(async () => {
      visited = await visit(browser, base, '/docs/');
    });
    after(() => visited.context.close());

    for (const [name, path] of Object.entries({ ...pages, ...problems }))
      it(name, async () => {
        const { page, incidents } = visited;
        await page.setViewportSize({ width: 1440, height: 900 });
        await page.emulateMedia({ colorScheme: 'light' });
        const earlier = incidents.length;
        await page.goto(base + path);
        for (const width of [320, 390, 768, 1440, 2560, 3840]) {
          await page.setViewportSize({ width, height: 900 });
          await assertNoWiderThanWindow(page, `${name} ${width}`);
        }
        for (const width of [3840, 1280, 768, 360, 320]) {
          await page.setViewportSize({ width, height: 900 });
          await withStyle(page, largeText, () => assertNoWiderThanWindow(page, `${name} ${width} with text of 200 %`));
        }
        await page.setViewportSize({ width: 320, height: 900 });
        await withStyle(page, spacedText, () => assertNoWiderThanWindow(page, `${name} with spaced text`));
        await assertAccessible(page, [320, 'dark', 1440, 'light'], name);
        const isProblem = name in problems;
        const unexpected = incidents
          .slice(earlier)
          .filter((one) => !(isProblem && /console: .*status of 40[04]/.test(one)));
        assert.deepEqual(unexpected, []);
      });
  });

  it('are accessible without their script', async () => {
    const open = (ownScript: boolean) => visit(browser, base, '/docs/', { ownScript, width: 390, scheme: 'dark' });
    const [scripted, plain] = await Promise.all([open(true), open(false)]);
    for (const [name, path] of Object.entries(pages)) {
      const shapes = await Promise.all(
        [scripted, plain].map(async ({ page }) => {
          await page.goto(base + path);
          return page.evaluate(shapeOfPage);
        }),
      );
      // A page without other differences was looked at with script.
      if (shapes[0] === shapes[1] && name !== 'home') continue;
      await assertAccessible(plain.page, [390, 'dark'], `${name} without script`);
    }
    await Promise.all([scripted.context.close(), plain.context.close()]);
  });

  it('name tables that scroll, figures and parts beside a table for screen readers', async () => {
    const { page, context } = await visit(browser, base, pages.dataset as string);
    assert.equal(await page.getByRole('region', { name: 'Rows: the first of 177', exact: true }).count(), 1);
    assert.equal(await page.getByRole('figure', { name: 'Map', exact: true }).count(), 1);
    await page.goto(base + pages.column);
    assert.equal(await page.getByRole('figure', { name: 'Values', exact: true }).count(), 1);
    await page.goto(base + pages['map for frames']);
    assert.equal(await page.getByRole('figure', { name: 'Map', exact: true }).count(), 1);
    await page.goto(base + pages.rows);
    assert.equal(await page.getByRole('figure', { name: 'Where they are', exact: true }).count(), 1);
    const headings = await page
      .locator('main')
      .getByRole('heading')
      .evaluateAll((all) => all.map((one) => `${one.tagName} ${one.textContent}`));
    assert.deepEqual(headings.slice(1, 5), ['H2 Filters', 'H2 Rows', 'H2 Values', 'H3 Where they are']);
    await context.close();
  });

  it('of the documentation are all accessible, and no wider than the window', async () => {
    const { page, context, incidents } = await visit(browser, base, '/docs/', { width: 320 });
    for (const path of documentation) {
      await page.goto(base + path);
      await assertNoWiderThanWindow(page, path);
      await assertAccessible(page, [320, 'dark'], path);
    }
    assert.deepEqual(incidents, []);
    await context.close();
  });

  it('are valid HTML', async () => {
    const hostile = Object.keys(hostileTexts).map((_, i) => `${datasets}/hostile/datasets/d${i}/`);
    const paths = [
      ...new Set([...Object.values({ ...pages, ...problems }), ...documentation]),
      ...hostile,
      `${datasets}/hostile/datasets/d0/data/`,
      hostileDifferences,
    ];
    for (const [i, path] of paths.entries()) {
      const html = await (await fetch(base + path, { headers: { Accept: 'text/html' } })).text();
      writeFileSync(folder.beside(`${i}.html`), html);
    }
    const files = paths.map((_, i) => folder.beside(`${i}.html`));
    // Its optimizing compiler would take more time than it saves, and the checker needs a large stack without it.
    const args = ['-XX:TieredStopAtLevel=1', '-Xss8m', '-jar', vnu, '--stdout', ...files];
    const { error, stdout, stderr } = spawnSync('java', args, { encoding: 'utf8' });
    assert.ifError(error);
    const messages = `${stdout}${stderr}`
      .split('\n')
      .filter((line) => !/info: Trailing slash|appears to be written in/.test(line));
    const named = messages.map((line) => line.replace(/^"?file:.*?\/(\d+)\.html/, (_, i) => `${paths[Number(i)]} `));
    assert.deepEqual(named.filter(Boolean), []);
  });

  it('lead from home to earthquakes above 6 as CSV in five clicks, without script', async () => {
    const { page, context, incidents } = await visit(browser, base, '/', { script: false });
    await page.fill('#q', 'earthquake');
    await page.click('button:has-text("Search")');
    assert.match(page.url(), /\/api\/v1\/datasets\/\?search=earthquake$/);
    await page.click('h3 a >> nth=0');
    assert.equal(new URL(page.url()).pathname, earthquakes);
    assert.equal(await page.textContent('h1'), 'Earthquakes, 31 January to 7 February 2018');
    await page.click('a:has-text("All rows, with filters")');
    await page.selectOption('select[name=_add]', 'mag');
    await page.selectOption('select[name=_lookup]', 'gte');
    await page.fill('input[name=_value]', '6');
    await page.click('button:has-text("Add filter")');
    assert.equal(new URL(page.url()).search, '?mag__gte=6');
    assert.equal(await page.locator('.big-grid tbody tr').count(), 5);
    const csv = await page.getAttribute('.kinds a:has-text("CSV")', 'href');
    const rows = (await (await fetch(new URL(csv ?? '', base))).text()).trim().split('\r\n');
    assert.equal(rows.length, 6);
    assert.deepEqual(incidents, []);
    await context.close();
  });

  it('suggest datasets while a search is typed, by keyboard alone', async () => {
    const { page, context, incidents } = await visit(browser, base, '/');
    await page.keyboard.press('/');
    await page.keyboard.type('lakes');
    await page.waitForSelector('#suggestions li');
    assert.equal(await page.getAttribute('#q', 'aria-expanded'), 'true');
    await page.keyboard.press('ArrowDown');
    assert.equal(await page.getAttribute('#q', 'aria-activedescendant'), 'suggestion-0');
    await Promise.all([page.waitForURL(/lakes\/$/), page.keyboard.press('Enter')]);
    assert.deepEqual(incidents, []);
    await context.close();
  });

  it('of rows show how the matching rows are distributed; bars and values filter by them', async () => {
    const { page, context, incidents } = await visit(browser, base, `${earthquakes}data/?mag__gte=4.5`);
    assert.match(await page.innerText('main'), /light, all 1,707 rows; dark, the 85 that match/);
    await page.click('th:has-text("mag") .hist a >> nth=-1', { position: { x: 2, y: 20 } });
    assert.match(new URL(page.url()).search, /^\?mag__gte=6&mag__lte=6.5$/);
    assert.equal(await page.locator('.big-grid tbody tr').count(), 5);
    await page.click('aside .facet a:has-text("mww")');
    assert.match(page.url(), /magType=mww/);
    assert.deepEqual(incidents, []);
    await context.close();
  });

  it('of rows keep the head and the first columns in sight', async () => {
    const { page, context } = await visit(browser, base, `${countries}data/`);
    assert.equal(await page.locator('.big-grid thead th').count(), 31);
    const place = async (selector: string) => {
      const { x = NaN, y = NaN } = (await page.locator(selector).first().boundingBox()) ?? {};
      return [Math.round(x), Math.round(y)];
    };
    const before = await place('.big-grid thead th.key');
    await page.evaluate(() => document.querySelector('.big-grid .scroll')?.scrollTo(600, 300));
    assert.deepEqual(await place('.big-grid thead th.key'), before);
    assert.equal((await place('.big-grid tbody td.key'))[0], before[0]);
    await page.click('.picker summary');
    const [kept, ...others] = await page.locator('.picker input:checked').elementHandles();
    for (const input of others) await input.uncheck();
    const name = await kept?.inputValue();
    await Promise.all([page.waitForURL(`**/?_fields=${name}`), page.click('.picker button')]);
    await context.close();
  });

  it('for frames are shown on another site, and there alone', async () => {
    const src = (path: string) => `<iframe src="${base}${path}" title="x" width="600" height="400"></iframe>`;
    const other = createServer((_, response) => {
      response.setHeader('Content-Type', 'text/html');
      response.end(`<!doctype html>${src(`${earthquakes}embed/?mag__gte=6`)}${src(earthquakes)}`);
    });
    await new Promise<void>((done) => other.listen(0, '127.0.0.1', done));
    const address = `http://localhost:${(other.address() as AddressInfo).port}`;
    const { page, context } = await visit(browser, address, '/');
    const [, framed, refused] = page.frames();
    assert.equal(await framed?.textContent('h1'), 'Earthquakes, 31 January to 7 February 2018');
    await framed?.click('[data-map-open]');
    await framed?.waitForSelector('.map-live canvas');
    assert.equal(await refused?.locator('h1', { hasText: 'Earthquakes' }).count(), 0);
    await context.close();
    await new Promise((done) => other.close(done));
  });

  it('of a dataset put the moving map in place of its picture, when asked', async () => {
    const { page, context, incidents } = await visit(browser, base, earthquakes, { language: 'de' });
    const sentence = await page.innerText('.undermap span');
    assert.match(sentence, /^[\d\u00a0]+ Punkte von 1\u00a0707 gezeigt/);
    assert.equal(
      await page.getAttribute('[data-map-stage] img', 'alt'),
      `Karte. ${sentence} Die Zeilen darunter sagen dasselbe in Worten.`,
    );
    const tile = page.waitForResponse((response) => /\/tiles\/\d+\/\d+\/\d+\.mvt/.test(response.url()));
    await page.click('[data-map-open]');
    assert.equal((await tile).status(), 200);
    await page.waitForSelector('.map-live canvas');
    const box = async () =>
      /\/data\/\?bbox=(.*)/.exec((await page.getAttribute('.map-view', 'href')) ?? '')?.[1]?.split(',');
    await page.waitForFunction(() => document.querySelector('[data-map-ready]'));
    for (let step = 0; step < 3; step++) await page.click('.ol-zoom-in');
    await page.waitForFunction(() => /bbox=/.test(document.querySelector('.map-view')?.getAttribute('href') ?? ''));
    assert.equal(await page.textContent('.map-view'), 'Zeilen in diesem Ausschnitt');
    assert.ok((await box())?.every((degrees) => Math.abs(Number(degrees)) <= 180));
    assert.match((await page.getAttribute('.map-live', 'aria-label')) ?? '', /^Karte\. Pfeiltasten/);
    await page.click('.map-view');
    await page.waitForURL(/\/data\/\?bbox=/);
    assert.ok((await page.textContent('main'))?.includes('1\u00a0707'));
    assert.deepEqual(incidents, []);
    await context.close();
  });

  for (const script of [true, false])
    it(`of every state are complete and accessible, ${script ? 'with' : 'without'} script`, async () => {
      const files = await openFileCatalogue(folder.root);
      const { token } = await files.accounts.addToken('kim');
      await files.close();
      const { page, context, incidents } = await visit(browser, base, '/', { script, width: 390 });
      const see = async (path: string, text: RegExp) => {
        // On a busy machine, a page may ask to be loaded again.
        const response = await until(async () => {
          const answer = await page.goto(base + path);
          return !(await page.content()).includes('read for the first time') && answer;
        });
        assert.equal(await page.locator('h1').count(), 1, path);
        const found = `${await page.content()}\n${await page.locator('main').textContent()}`;
        assert.match(found, text, path);
        if (script) {
          assert.deepEqual(await findViolations(page), [], path);
          assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= window.innerWidth), path);
        }
        return response?.status();
      };
      for (const [path, text] of Object.entries(stateTexts)) await see(`/api/v1/namespaces/${path}`, text);
      await context.setExtraHTTPHeaders({ Authorization: `Token ${token}` });
      for (const [path, text] of Object.entries(ownerTexts)) await see(`/api/v1/namespaces/${path}`, text);
      assert.equal(await see('/api/v1/trash/', /You may not do this/), 403);
      assert.deepEqual(
        incidents.filter((one) => !/status of 40[34]/.test(one)),
        [],
      );
      await context.close();
    });

  it('with the form that edits a dataset are accessible as it is opened and after an error, and save without script', async () => {
    const files = await openFileCatalogue(folder.root);
    const { token } = await files.accounts.addToken('kim');
    await files.close();
    const path = '/api/v1/namespaces/states/datasets/nothing/';
    for (const script of [true, false]) {
      const { page, context, incidents } = await visit(browser, base, '/', { script });
      await context.setExtraHTTPHeaders({ Authorization: `Token ${token}` });
      await page.goto(base + path);
      await page.getByRole('link', { name: 'Edit', exact: true }).click();
      await page.getByLabel('Label').waitFor();
      const check = async (label: string) => {
        if (script) await assertAccessible(page, [320, 'light', 1440, 'dark'], label);
        await page.setViewportSize({ width: 320, height: 900 });
        if (script) await assertNoWiderThanWindow(page, label);
      };
      await check('form');
      await page.goto(`${base + path}?_edit`);
      await page.getByLabel('Issued').fill('yesterday');
      await page.getByLabel('Description').fill('First.\n\nSecond.');
      await page.getByRole('button', { name: 'Save' }).click();
      await page.getByRole('alert').getByRole('link', { name: 'Issued' }).click();
      assert.equal(await page.getByLabel('Description').inputValue(), 'First.\n\nSecond.');
      await page.getByLabel('Issued').fill('');
      await page.getByLabel('Keywords').fill(`bark, ${script ? 'leaf' : 'root'}`);
      await page.getByRole('button', { name: 'Save' }).click();
      await page.waitForURL(base + path);
      assert.match((await page.textContent('main')) ?? '', script ? /leaf/ : /root/);
      await page.goto(`${base + path}?_edit`);
      await page.getByLabel('Issued').fill('yesterday');
      await page.getByRole('button', { name: 'Save' }).click();
      await page.getByRole('alert').waitFor();
      await check('form with an error');
      assert.deepEqual(
        incidents.filter((one) => !/status of 400/.test(one)),
        [],
      );
      await context.close();
    }
  });

  it('of a request that has to wait say for how long', async (test) => {
    const busy = await served({}, test, { work: { capacity: -1, refill: 1e-9 } });
    writeStates(busy.folder);
    const path = '/api/v1/namespaces/states/datasets/plain/data/?name=oak';
    const statusOf = async () => (await fetch(busy.base + path)).status;
    await until(async () => (await statusOf()) === 429);
    const { page, context, incidents } = await visit(browser, busy.base, path);
    assert.match((await page.textContent('main')) ?? '', /429.*Try again in [\d,]+ s\./s);
    await assertAccessible(page, [320, 'light', 1440, 'dark'], '429');
    assert.deepEqual(
      incidents.filter((one) => !/status of 429/.test(one)),
      [],
    );
    await context.close();
  });

  it('of differences are filtered, paged and compared by another key', async () => {
    const { page, context, incidents } = await visit(browser, base, pages.differences ?? '', { script: false });
    assert.equal(await page.textContent('.tally .chg b'), '~32');
    await page.click('.bycol a:has-text("Headquarters Location")');
    assert.equal(new URL(page.url()).searchParams.get('_column'), 'Headquarters Location');
    assert.equal(await page.locator('#changed tbody tr').count(), 12);
    assert.match((await page.innerHTML('#changed tr:has-text("AON")')) ?? '', /London, <b>UK<\/b>/);
    await page.click('.chips a');
    assert.equal(await page.locator('#changed tbody tr').count(), 32);
    await page.selectOption('select[name=_from]', { index: 4 });
    await page.click('button:has-text("Compare")');
    assert.match(page.url(), /\/diff\/\?_from=\d+$/);
    assert.match((await page.textContent('.colchanges')) ?? '', /added: Founded/);
    await page.goBack();
    assert.equal(await page.locator('#changed tbody tr').count(), 32);
    assert.deepEqual(incidents, []);
    await context.close();
  });

  it('say that they have changed meanwhile, or are gone, and stay as they are', async () => {
    const path = `${datasets}/states/datasets/plain/`;
    const { page, context, incidents } = await visit(browser, base, path);
    const { page: other } = await visit(browser, base, path, { script: false });
    const lookAgain = () => page.evaluate(() => document.dispatchEvent(new Event('visibilitychange')));
    const home = homeOf('states/plain');
    // It is looked at for the first time when it has changed, as a page that was opened in the background.
    folder.write(`${home}/dataset.yaml`, yaml({ label: 'Anew' }));
    await until(async () => (await (await fetch(base + path)).text()).includes('Anew'));
    await lookAgain();
    await page.waitForSelector('[role=status] a');
    assert.equal(await page.textContent('h1'), 'The plain one');
    await page.click('[role=status] a');
    await page.waitForSelector('h1:has-text("Anew")');
    const answered = page.waitForResponse((response) => response.request().method() === 'HEAD');
    await lookAgain();
    assert.equal((await answered).status(), 200);
    folder.clear(home);
    await until(async () => (await fetch(base + path)).status === 404);
    assert.equal(await page.textContent('[role=status]'), '', 'nothing had changed');
    await lookAgain();
    await page.waitForSelector('[role=status]:has-text("This page is no longer there.")');
    await lookAgain();
    assert.equal(await page.textContent('h1'), 'Anew');
    assert.equal(await other.locator('[role=status]:visible').count(), 0);
    assert.deepEqual(
      incidents.filter((one) => !/status of 404/.test(one)),
      [],
    );
    await context.close();
    await other.context().close();
  });

  for (const script of [true, false])
    it(`do nothing but show hostile texts, ${script ? 'with' : 'without'} script`, async () => {
      const paths = [
        `${datasets}/hostile/datasets/?page_size=100`,
        `${datasets}/hostile/`,
        '/api/v1/queries/?page_size=100',
        ...Object.keys(hostileTexts).flatMap((_, i) =>
          script || i === 0 ? [`${datasets}/hostile/datasets/d${i}/`] : [],
        ),
        `${datasets}/hostile/datasets/d0/data/`,
        `${datasets}/hostile/datasets/d0/data/?_limit=1&_offset=1`,
        hostileDifferences,
        `${datasets}/hostile/datasets/d0/?format=api`,
        `/api/v1/datasets/?search=${encodeURIComponent(hostileTexts.script ?? '')}`,
        `${datasets}/hostile/datasets/d0/data/?${encodeURIComponent('<script>alert(1)</script>')}=1`,
      ];
      const context = await browser.newContext({ viewport: { width: 390, height: 800 }, javaScriptEnabled: script });
      const page = await context.newPage();
      const incidents: string[] = [];
      page.on('dialog', (dialog) => incidents.push(dialog.message()));
      page.on('console', (message) => incidents.push(message.text()));
      page.on('request', (request) => {
        if (!request.url().startsWith(base)) incidents.push(request.url());
      });
      for (const path of paths) {
        const response = await page.goto(base + path);
        assert.ok([200, 400].includes(response?.status() ?? 0), `${response?.status()} ${path}`);
        assert.equal(await page.locator('h1').count(), 1, path);
        assert.notEqual(await page.textContent('h1'), 'Owned', path);
        if (script) {
          for (const folded of await page.locator('details.more').all())
            await folded.evaluate((one) => one.setAttribute('open', ''));
          const wide = await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);
          const widest = await page.evaluate(() =>
            [...document.querySelectorAll('body *')]
              .filter((e) => e.getBoundingClientRect().right > innerWidth && !e.closest('.scroll, pre'))
              .slice(0, 6)
              .map((e) => e.outerHTML.slice(0, 120)),
          );
          assert.ok(wide <= 0, `${path} is ${wide} px too wide: ${widest.join('\n')}`);
        }
      }
      assert.deepEqual(
        incidents.filter((one) => !/status of 400/.test(one)),
        [],
      );
      await context.close();
    });
});

/** A namespace of datasets that have a hostile text in every field. */
function writeHostileRecords(folder: CatalogueFolder): void {
  folder.write(
    'namespaces/hostile/namespace.yaml',
    yaml({ label: hostileTexts.script, description: hostileTexts.style }),
  );
  for (const [i, text] of Object.values(hostileTexts).entries()) {
    const label = text.slice(0, 200);
    const column = { name: label, type: 'string', label: text, description: text, unit: text.slice(0, 60) };
    const dataset = { label, description: text, keywords: [text.slice(0, 100)], licence: label, homepage: label };
    const people = { publisher: text, contact: text };
    const home = homeOf(`hostile/d${i}`);
    folder.write(`${home}/dataset.yaml`, yaml({ ...dataset, ...people, columns: [column] }));
    const version = { datetime: '2024-01-31T12:00:00Z', label, notes: text, ready: false };
    const payload = i === 0 ? hostilePayload(folder, home, 'v1', '') : {};
    folder.write(`${home}/versions/v1.yaml`, yaml({ ...version, ...payload }));
    const before = { ...version, datetime: '2023-01-31T12:00:00Z' };
    if (i === 0)
      folder.write(`${home}/versions/v0.yaml`, yaml({ ...before, ...hostilePayload(folder, home, 'v0', 'x ') }));
    folder.write(
      `queries/q${i}.yaml`,
      yaml({ label, description: text, dataset: `hostile/d${i}`, parameters: { x: text } }),
    );
  }
}

/**
 * Writes a payload whose columns and cells are hostile texts.
 * @param more text before the cells of each second column
 * @returns the parts of its version's record
 */
function hostilePayload(folder: CatalogueFolder, home: string, slug: string, more: string): object {
  const texts = Object.values(hostileTexts).map((text) => text.toWellFormed());
  const cell = (text: string) => `"${text.replaceAll('"', '""')}"`;
  const names = texts.slice(0, 35).map((text, i) => cell(`${i} ${text.slice(0, 100)}`));
  const rows = texts.map((text, row) =>
    names
      .map((_, i) => cell(i === 0 ? `${row} ${text.slice(0, 20)}` : i % 2 ? more + text : text.slice(0, 20)))
      .join(','),
  );
  const bytes = Buffer.from([names.join(','), ...rows, ''].join('\n'));
  folder.write(`${home}/data/${slug}.csv`, bytes);
  const checksum = createHash('sha256').update(bytes).digest('hex');
  return { ready: true, checksum, rows: rows.length, file: { name: `${slug}.csv`, format: 'csv', size: bytes.length } };
}

/** JSON is YAML. */
const yaml = (value: unknown): string => JSON.stringify(value);
