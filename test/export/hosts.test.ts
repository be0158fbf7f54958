/** An export behind nginx with its snippet, and in a plain folder server: the addresses, the answers and the rows of a live server. */
import assert from 'node:assert/strict';
import { execFile, spawnSync } from 'node:child_process';
import { cpSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { promisify } from 'node:util';
import type { Browser } from 'playwright-core';
import { exportCatalogue } from '../../src/export/export-catalogue.ts';
import { launchBrowser, visit } from '../browser/open-browser.ts';
import { type Answer, fixture, headerOf, judge, loadExchanges, send, singles } from '../conformance/replay.ts';
import { filesIn } from '../support/exported.ts';
import { type CatalogueFolder, makeLastingFolder } from '../support/folder.ts';
import { serveFiles } from '../support/folder-server.ts';
import { freePort } from '../support/free-port.ts';
import { images } from '../support/images.ts';
import { startNginx, withoutNginx } from '../support/nginx.ts';
import { serveFolder } from '../support/server.ts';

const run = promisify(execFile);
const withoutGdal =
  spawnSync('ogrinfo', ['--version']).error !== undefined &&
  !process.env.CI &&
  'ogrinfo is not installed (Debian: gdal-bin)';

/** Reads that an export promises: no lists of people, and no parameters but a page and a format. */
const promised = singles(loadExchanges()).filter(({ auth, request: { method, path, headers } }) => {
  const [address = '', query = ''] = path.split('?');
  return (
    auth === null &&
    ['GET', 'HEAD'].includes(method) &&
    !headers.Authorization &&
    !/^\/auth\/|^\/api\/v1\/$|\/(users|intrinsecus|auth|download)\//.test(address) &&
    /^(|format=(json|api)|page=2)$/.test(query)
  );
});

/** JSON as a server gives it: further pages of lists are files. */
const withPages = (text: string) => text.replace(/\/page\/(\d+)\/index\.json/g, '/?page=$1');
/** The bytes, without the time at which a server answers. */
const bodyOf = ({ raw }: Answer) => withPages(raw.toString('latin1')).replace(/"timeStamp":"[^"]*"/, '');
/** JSON as it was recorded: at the root of a host, with one message for each address that isn't there, and addresses that keep a format. */
const asRecorded = (text: string) =>
  withPages(text)
    .replace(/"\/open\/site_media/g, '"/site_media')
    .replace('Invalid page.', 'Not found.')
    .replaceAll('/?format=json"', '/"');

/** A page of each kind that has scripts of its own, or pictures. */
const trees = '/api/v1/namespaces/harbour-city/datasets/street-trees/';
const visited = [
  '/',
  trees,
  `${trees}data/`,
  `${trees}columns/height_m/`,
  `${trees}embed/`,
  `${trees}version/20200518093015987654/`,
  '/api/v1/namespaces/harbour-city/',
  '/api/v1/queries/',
  '/docs/',
  '/docs/openapi/',
  '/ogc/collections/harbour-city.street-trees/items/',
];

const editors = 'groups/editors.yaml';
const city = 'namespaces/harbour-city/';
/** Former names by record. */
const formerNames: Readonly<Record<string, string>> = {
  [editors]: 'former-editors',
  [`${city}namespace.yaml`]: 'former-city',
  [`${city}datasets/street-trees/dataset.yaml`]: 'former-trees',
};

describe('an export behind nginx', { skip: withoutNginx }, () => {
  let folder: CatalogueFolder;
  let site: string;
  let base: string;
  let server: Awaited<ReturnType<typeof serveFolder>>;
  let files: Awaited<ReturnType<typeof serveFiles>>;
  let browser: Browser;
  let endNginx: () => Promise<void>;

  before(async () => {
    folder = makeLastingFolder({});
    cpSync(fixture, folder.root, { recursive: true });
    // The records name images that the fixture doesn't have.
    for (const file of filesIn(fixture).filter((path) => path.endsWith('.yaml')))
      for (const [, path = ''] of readFileSync(join(fixture, file), 'utf8').matchAll(/"\/(site_media\/[^"]+)"/g))
        folder.write(path, path.endsWith('png') ? images.png : images.jpg);
    for (const [record, alias] of Object.entries(formerNames))
      writeFileSync(folder.path(record), `${readFileSync(folder.path(record), 'utf8')}\naliases: [${alias}]\n`);
    const port = await freePort();
    base = `http://127.0.0.1:${port}/open`;
    site = folder.beside('site');
    await exportCatalogue({ folder: folder.root, to: site, url: base, gzip: true });
    const snippet = readFileSync(`${site}/_nginx.conf`, 'utf8')
      .replace('listen 8080', `listen 127.0.0.1:${port}`)
      .replace('/srv/site', site);
    endNginx = await startNginx(folder.beside('nginx'), snippet, `${base}/`);
    server = await serveFolder(folder.root, { baseUrl: base });
    files = await serveFiles(site, '/open');
    browser = await launchBrowser();
  });
  after(async () => {
    await browser?.close();
    files?.close();
    await endNginx?.();
    await server?.close();
    folder?.remove();
  });

  for (const exchange of promised)
    it(`answers ${exchange.group}/${exchange.name} as recorded`, async () => {
      const answer = await send(base, exchange);
      // Files have no methods; and no body is told from an empty one.
      const { allow: _, ...headers } = exchange.response.headers;
      const location = headers.location && { location: `/open${headers.location}` };
      const body = JSON.parse(asRecorded(JSON.stringify(exchange.response.body)));
      const text = answer.raw.toString('utf8');
      const raw = /^[{[]/.test(text) ? Buffer.from(asRecorded(text)) : answer.raw;
      const response = { ...exchange.response, headers: { ...headers, ...location }, body };
      const differences = judge({ ...exchange, response }, { ...answer, raw }, base);
      assert.deepEqual(differences, [], `${exchange.request.path} ${exchange.why}`);
    });

  it('gives status, media type and body of the server at each address of its files', async () => {
    const different: string[] = [];
    for (const file of filesIn(site)) {
      const [, folderPath = '', type] = /^(.*?)index\.(html|json)$/.exec(file) ?? [];
      // Files for the browser and for hosts, and what docs/exporting.md names as different.
      if (/^(search|static|_|\.|404|index.json)|\/page\/|download\/index|\.gz$/.test(file)) continue;
      // One namespace has all kinds of them.
      if (/field-survey|lac-leman/.test(file)) continue;
      // Pages at former addresses are for hosts that can't redirect.
      if (file.includes('/former-')) continue;
      const address = type ? folderPath.replace(/^(ogc\/.+)\/$/, '$1') : file;
      const path = `/${address}`.split('/').map(encodeURIComponent).join('/');
      const Accept = type === 'html' ? 'text/html' : type && !file.startsWith('ogc/') ? 'application/json' : '*/*';
      const request = { method: 'GET', path, headers: { Accept } };
      const [ours, wanted] = await Promise.all([send(base, { request }), send(server.base, { request })]);
      const headOf = (answer: Answer) => `${answer.status} ${headerOf(answer, 'content-type')?.split(';')[0]}`;
      if (headOf(ours) !== headOf(wanted)) different.push(`${path}: ${headOf(ours)}, not ${headOf(wanted)}`);
      else if (type !== 'html' && !/^api\/v1\/index|feed\.atom$/.test(file) && bodyOf(ours) !== bodyOf(wanted))
        different.push(path);
    }
    assert.deepEqual(different, []);
  });

  it('brings all rows of all collections to GDAL', { skip: withoutGdal }, async () => {
    const layersAt = async (address: string) => {
      const { stdout } = await run('ogrinfo', ['-ro', '-al', '-so', `OAPIF:${address}/ogc/`]);
      return [...stdout.matchAll(/^Layer name: (.*)|^Feature Count: .*/gm)].map(([line]) => line);
    };
    const layers = await layersAt(base);
    assert.equal(layers.length, 2 * 23);
    assert.deepEqual(layers, await layersAt(server.base));
  });

  it('refuses what it would not apply, and says so', async () => {
    const dataset = '/api/v1/namespaces/harbour-city/datasets/street-trees/';
    for (const [path, Accept, status, type] of [
      [`${dataset}data/?height_m__gte=3`, 'application/json', 400, 'application/json'],
      [`${dataset}data.csv?height_m__gte=3`, 'text/html', 400, 'application/json'],
      ['/api/v1/datasets/?search=tree', '*/*', 400, 'application/json'],
      ['/ogc/collections/harbour-city.street-trees/items?bbox=1,2,3,4', '*/*', 400, 'application/json'],
      ['/ogc/collections/harbour-city.street-trees/items?limit=10', '*/*', 200, 'application/geo+json'],
      [`${dataset}data/?_format=csv`, '*/*', 200, 'text/csv'],
      [`${dataset}data/`, 'text/csv', 200, 'text/csv'],
      [`${dataset}data/?height_m__gte=3`, 'text/html,*/*', 200, 'text/html'],
      ['/api/v1/datasets/?search=tree', 'text/html,*/*', 200, 'text/html'],
      [dataset, 'text/turtle', 200, 'text/turtle'],
      ['/api/v1/nowhere/', 'text/html', 404, 'text/html'],
    ] as const) {
      const answer = await send(base, { request: { method: 'GET', path, headers: { Accept } } });
      assert.deepEqual([answer.status, headerOf(answer, 'content-type')?.split(';')[0]], [status, type], path);
    }
  });

  it('redirects former names of all records, with what is below them, as the server does', async () => {
    const cityPath = '/api/v1/namespaces/former-city/';
    const treesPath = '/api/v1/namespaces/harbour-city/datasets/former-trees/';
    for (const path of [
      '/api/v1/groups/former-editors/',
      cityPath,
      `${cityPath}datasets/street-trees/`,
      `${cityPath}datasets/street-trees/version/20200518093015987654/`,
      treesPath,
      `${treesPath}data.csv`,
      `${treesPath}data/?_format=csv`,
      `${treesPath}columns/height_m/`,
      `${treesPath}version/20200518093015987654/`,
      `${treesPath}download/former-trees.geojson`,
      `${trees}download/former-trees.geojson`,
      `${trees}download/former-trees-20200518093015987654.geojson`,
      `${trees}version/20200518093015987654/download/former-trees-20200518093015987654.geojson`,
    ]) {
      const request = { method: 'GET', path, headers: { Accept: 'application/json' } };
      const [ours, wanted] = await Promise.all([send(base, { request }), send(server.base, { request })]);
      const headOf = (answer: Answer) => [answer.status, headerOf(answer, 'location')];
      assert.equal(wanted.status, 308, path);
      assert.deepEqual(headOf(ours), headOf(wanted), path);
      const found = await fetch(new URL(headerOf(ours, 'location') ?? '', base), { headers: request.headers });
      assert.equal(found.status, 200, path);
      await found.arrayBuffer();
    }
    const page = readFileSync(join(site, 'api/v1/groups/former-editors/index.html'), 'utf8');
    assert.match(page, /http-equiv="refresh" content="0; url=http:[^"]+\/open\/api\/v1\/groups\/editors\/"/);
  });

  it('sends the compressed copies, with their length', async () => {
    const request = { method: 'GET', path: trees, headers: { Accept: 'application/json', 'Accept-Encoding': 'gzip' } };
    const answer = await send(base, { request });
    const copy = readFileSync(`${site}${trees}index.json.gz`);
    const headers = ['content-encoding', 'content-length', 'content-type'].map((name) => headerOf(answer, name));
    assert.deepEqual(headers, ['gzip', `${copy.length}`, 'application/json']);
    assert.ok(answer.raw.equals(copy));
  });

  for (const host of ['nginx', 'a folder server'])
    it(`is searched and read in a browser at ${host}, in silence`, async () => {
      const address = host === 'nginx' ? base : files.base;
      const { page, context, incidents } = await visit(browser, address, '/');
      await page.fill('#q', 'street tr');
      await page.waitForSelector('#suggestions li');
      await page.fill('#q', 'tree height');
      await page.click('button:has-text("Search")');
      await page.waitForFunction(() => /tree height/.test(document.title) && document.querySelector('h3 a'));
      assert.match(page.url(), /\/open\/api\/v1\/datasets\/\?search=tree\+height$/);
      const found = await page.locator('h3 a').allTextContents();
      const { results } = await (await fetch(`${server.base}/api/v1/datasets/?search=tree+height`)).json();
      assert.deepEqual(
        found,
        results.map(({ label }: { label: string }) => label),
      );
      await page.click('h3 a >> nth=0');
      assert.equal(await page.textContent('h1'), found[0]);
      // A click waits for the next page, not for its pictures.
      await page.waitForLoadState('load');
      assert.ok(
        await page.evaluate(() => [...document.images].every((image) => image.complete && image.naturalWidth > 0)),
      );
      for (const path of visited) {
        const response = await page.goto(address + path);
        assert.equal(response?.status(), 200, path);
      }
      assert.deepEqual(incidents, []);
      await page.goto(`${address}/api/v1/nowhere/`);
      assert.match(await page.innerText('main'), /404/);
      await context.close();
    });

  it('is read without script', async () => {
    const { page, context, incidents } = await visit(browser, files.base, '/', { script: false });
    await page.click('h3 a >> nth=0');
    assert.match(page.url(), /\/datasets\/[^/]+\/$/);
    for (const path of visited) {
      assert.equal((await page.goto(files.base + path))?.status(), 200, path);
      assert.equal(await page.locator('h1').count(), 1, path);
    }
    assert.deepEqual(incidents, []);
    await context.close();
  });
});
