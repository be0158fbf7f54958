/**
 * Figures of pages for people: first bytes beside the JSON of a dataset, a search of 10,000 datasets with its facets, and in Chromium
 * what a page weighs and when its content is there.
 */
import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import type { Browser } from 'playwright-core';
import { request } from 'undici';
import { launchBrowser } from '../../test/browser/open-browser.ts';
import { report } from './figures.ts';
import { generate } from './generate.ts';
import { median, percentile, settled, startProgram } from './load.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));
const dataset = '/api/v1/namespaces/natural-earth/datasets/countries/';
const pages = { home: '/', search: '/api/v1/datasets/?search=gdp', 'dataset page': dataset };
const rows = `${dataset}data/?_limit=100`;
const html = { Accept: 'text/html' };

/** Milliseconds until the first bytes of the body of a response have arrived, and until all have. */
async function timesOf(url: string, headers: Readonly<Record<string, string>>) {
  const start = performance.now();
  const { statusCode, body } = await request(url, { headers: { 'Accept-Encoding': 'gzip, deflate', ...headers } });
  let first: number | undefined;
  for await (const _ of body) first ??= performance.now() - start;
  const last = performance.now() - start;
  if (statusCode !== 200) throw new Error(`${url}: ${statusCode}`);
  return { first: first ?? last, last };
}

/** Serves a folder in a process of its own: a client in the same process would see a first byte only when the server is idle. */
async function inServer(folder: string, measure: (base: string) => Promise<void>): Promise<void> {
  const server = await startProgram([join(root, 'bin/catalogue.js'), 'serve', '--data', folder, '--port', '0']);
  try {
    await measure(server.url);
  } finally {
    await server.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}

/** First bytes of pages beside those of the dataset's JSON, in turns: made anew (the cookie of a session keeps them out of the cache), and ready. */
async function measureFirstBytes(base: string): Promise<void> {
  for (const [state, target, more] of [
    ['made anew', 1.5, { Cookie: 'sessionid=anew' }],
    ['ready', 1.1, {}],
  ] as const)
    for (const [name, path] of Object.entries(pages)) {
      const times: Record<'page' | 'whole' | 'json', number[]> = { page: [], whole: [], json: [] };
      for (let round = 0; round < 120; round++) {
        const page = await timesOf(base + path, { ...html, ...more });
        const json = await timesOf(base + dataset, { Accept: 'application/json', ...more });
        // The first rounds warm up.
        if (round < 20) continue;
        times.page.push(page.first);
        times.whole.push(page.last);
        times.json.push(json.first);
      }
      const [page, whole, json] = [median(times.page), median(times.whole), median(times.json)];
      report({
        name: `first byte of ${name}, ${state}, beside the JSON of a dataset`,
        values: [page / json],
        unit: '×',
        target: { atMost: target },
        details: `${page.toFixed(2)} ms beside ${json.toFixed(2)} ms`,
      });
      report({
        name: `whole page of ${name}, ${state}, beside the JSON of a dataset`,
        values: [whole / json],
        unit: '×',
        target: null,
      });
    }
}

/** Searches of 10,000 datasets, each for something else, with the counts of all facets: while the server begins to watch its files, and later. */
async function measureSearch(base: string): Promise<void> {
  const facets = 'facets=true&page_size=20&';
  for (const [name, most, first, path, headers] of [
    ['search of 10,000 datasets with facets, just after a start, 95 of 100 within', null, 1000, facets, {}],
    ['search of 10,000 datasets with facets, 95 of 100 within', 15, 0, facets, {}],
    ['page of a search of 10,000 datasets, 95 of 100 within', 30, 0, '', html],
  ] as const) {
    const times: number[] = [];
    // A response that is kept says nothing: each search is another one.
    for (let i = first; i < first + 220; i++) {
      const search = [`tree ${i}`, `ete ${i}`, `nothing-${i}`, `p ${i % 10} ${i}`][i % 4] as string;
      const url = `${base}/api/v1/datasets/?${path}ordering=relevance&search=${encodeURIComponent(search)}`;
      const { last } = await timesOf(url, headers);
      if (i >= first + 20) times.push(last);
    }
    report({ name, values: [percentile(times, 0.95)], unit: 'ms', target: most && { atMost: most } });
    if (most === null) await settled();
  }
}

/** Weight of a page without its fonts, as it comes, gzipped; and with which requests. @param isList true for a page with a picture for each dataset */
async function measureWeight(
  browser: Browser,
  base: string,
  name: string,
  path: string,
  isList = false,
): Promise<void> {
  const page = await browser.newPage({ viewport: { width: 1440, height: 900 } });
  const urls: string[] = [];
  page.on('request', (request) => urls.push(request.url()));
  await page.goto(base + path, { waitUntil: 'networkidle' });
  await page.close();
  let [bytes, scripts] = [0, 0];
  for (const url of urls.filter((one) => !/\.woff2$/.test(one))) {
    const response = await fetch(url, { headers: { Accept: url === base + path ? 'text/html' : '*/*' } });
    const size = gzipSync(Buffer.from(await response.arrayBuffer()), { level: 9 }).length;
    bytes += size;
    if (url.endsWith('.js')) scripts += size;
  }
  const most = (atMost: number) => (isList ? null : { atMost });
  report({ name: `weight of ${name}, gzipped`, values: [bytes / 1000], unit: 'kB', target: most(60) });
  report({ name: `requests of ${name}, fonts included`, values: [urls.length], unit: '', target: most(6) });
  report({ name: `scripts of ${name}, gzipped`, values: [scripts / 1000], unit: 'kB', target: { atMost: 20 } });
}

/** Largest contentful paint and layout shifts with a processor of a quarter of the speed, five times. */
async function measurePaint(browser: Browser, base: string, name: string, path: string): Promise<void> {
  const paints: number[] = [];
  const shifts: number[] = [];
  for (let round = 0; round < 5; round++) {
    const context = await browser.newContext({ viewport: { width: 1440, height: 900 } });
    const page = await context.newPage();
    const session = await context.newCDPSession(page);
    await session.send('Emulation.setCPUThrottlingRate', { rate: 4 });
    await page.addInitScript(`
      window.paints = { lcp: 0, cls: 0 };
      new PerformanceObserver((list) => { for (const one of list.getEntries()) window.paints.lcp = one.startTime; })
        .observe({ type: 'largest-contentful-paint', buffered: true });
      new PerformanceObserver((list) => { for (const one of list.getEntries()) window.paints.cls += one.value; })
        .observe({ type: 'layout-shift', buffered: true });`);
    await page.goto(base + path, { waitUntil: 'networkidle' });
    const { lcp, cls } = (await page.evaluate('window.paints')) as { lcp: number; cls: number };
    paints.push(lcp / 1000);
    shifts.push(cls);
    await context.close();
  }
  report({
    name: `largest contentful paint of ${name}, CPU 4 × slower`,
    values: paints,
    unit: 's',
    target: { atMost: 1 },
  });
  report({ name: `layout shift of ${name}`, values: shifts, unit: '', target: { atMost: 0.01 } });
}

/** Measures and reports all of them. */
export async function measurePages(): Promise<void> {
  const large = mkdtempSync(join(tmpdir(), 'catalogue-bench-'));
  generate(large, 10_000);
  await inServer(large, measureSearch);
  const example = mkdtempSync(join(tmpdir(), 'catalogue-bench-'));
  cpSync(join(root, 'catalogue-data'), example, { recursive: true });
  await inServer(example, async (base) => {
    await measureFirstBytes(base);
    const browser = await launchBrowser();
    try {
      await measureWeight(browser, base, 'home', pages.home, true);
      await measureWeight(browser, base, 'a search', pages.search, true);
      await measureWeight(browser, base, 'the page of a dataset', dataset);
      await measureWeight(browser, base, 'the page of 100 rows', rows);
      for (const [name, path] of Object.entries({ ...pages, 'rows page': rows }))
        await measurePaint(browser, base, name, path);
    } finally {
      await browser.close();
    }
  });
  const bundle = ['map.js', 'map.css', 'map-start.js'].map((name) => join(root, 'src/pages/assets/map', name));
  const bytes = bundle
    .filter(existsSync)
    .reduce((sum, path) => sum + gzipSync(readFileSync(path), { level: 9 }).length, 0);
  report({
    name: 'the moving map’s scripts and style, gzipped',
    values: [bytes / 1000],
    unit: 'kB',
    target: { atMost: 120 },
  });
}
