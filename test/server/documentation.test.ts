/** The pages of the documentation under /docs/: HTML and Markdown, links, navigation, files, what isn't there. */
import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { it } from 'node:test';
import { headingId } from '../../src/pages/documentation-markdown.ts';
import { served } from '../support/served.ts';

const folder = new URL('../../docs/', import.meta.url);
const names = readdirSync(folder)
  .filter((name) => name.endsWith('.md') && name !== 'README.md')
  .map((name) => name.slice(0, -'.md'.length));
const prefix = '/open-data';
const { base } = await served({ settings: { base_url: `https://host.example${prefix}` } });

const ask = async (path: string, headers: Record<string, string> = { Accept: 'text/html' }) => {
  const response = await fetch(base + path, { headers, redirect: 'manual' });
  return { status: response.status, headers: response.headers, text: await response.text() };
};
const linksIn = (html: string) => [...html.matchAll(/<a (?:[^>]* )?href="([^"]*)"/g)].map(([, href = '']) => href);
const idsIn = (html: string) => new Set([...html.matchAll(/ id="([^"]*)"/g)].map(([, id]) => id));

it('every page is HTML with a list of all pages; its links lead to pages and headings, with the prefix', async () => {
  const pages = new Map<string, string>();
  for (const path of ['', ...names.map((name) => `${name}/`)]) {
    const { status, headers, text } = await ask(`/docs/${path}`);
    assert.equal(status, 200, path);
    assert.match(headers.get('content-type') ?? '', /^text\/html/);
    assert.ok(text.includes(`<link rel="canonical" href="https://host.example${prefix}/docs/${path}"/>`), path);
    assert.equal(text.match(/<h1\b/g)?.length, 1, path);
    pages.set(`${prefix}/docs/${path}`, text);
  }
  for (const [path, text] of pages) {
    for (const href of linksIn(text.slice(text.indexOf('<main'), text.indexOf('<footer')))) {
      assert.match(href, /^(https?:\/\/|\/open-data\/|#)/, `${path}: ${href}`);
      const [target = '', hash] = href.split('#');
      const page = target ? pages.get(target) : text;
      if (page && hash) assert.ok(idsIn(page).has(hash), `${path}: ${href}`);
      if (/\/docs\/(?!openapi)[\w-]*\/?$/.test(target)) assert.ok(page, `${path}: ${href}`);
    }
    for (const other of pages.keys()) assert.ok(linksIn(text).includes(other), `${path} doesn't list ${other}`);
  }
});

it('a page is its source, if Accept prefers Markdown; the source has an address, too', async () => {
  const source = readFileSync(new URL('filters.md', folder), 'utf8');
  const preferred = await ask('/docs/filters/', { Accept: 'text/markdown' });
  const own = await ask('/docs/filters.md', { Accept: '*/*' });
  for (const { text, headers } of [preferred, own]) {
    assert.equal(text, source);
    assert.equal(headers.get('content-type'), 'text/markdown; charset=utf-8');
  }
  assert.match(
    (await ask('/docs/filters/')).headers.get('link') ?? '',
    /docs\/filters\.md>; rel="alternate"; type="text\/markdown"/,
  );
});

it('a page has an ETag', async () => {
  const etag = (await ask('/docs/filters/')).headers.get('etag') ?? '';
  assert.equal((await ask('/docs/filters/', { Accept: 'text/html', 'If-None-Match': etag })).status, 304);
});

it('files beside the pages are served and shown, and no others', async () => {
  assert.match(
    (await ask('/docs/pages/')).text,
    /<img src="\/open-data\/docs\/screenshots\/dataset.webp" alt="[^"]+">/,
  );
  const unit = await ask('/docs/deploy/catalogue.service');
  assert.match(unit.text, /^ExecStart=/m);
  assert.equal(unit.headers.get('content-type'), 'text/plain; charset=utf-8');
  assert.equal((await ask('/docs/screenshots/home.webp')).headers.get('content-type'), 'image/webp');
  for (const path of [
    'decisions/0001-yaml-parser.md',
    'deploy/none',
    'deploy/..%2fpackage.json',
    'constructor/name',
    'README/',
  ])
    assert.equal((await ask(`/docs/${path}`)).status, 404, path);
});

it('an address without a page says which one was probably meant', async () => {
  const { status, text } = await ask('/docs/filtres/');
  assert.equal(status, 404);
  assert.match(text, /<a href="\/open-data\/docs\/filters\/"/);
  assert.match(text, /<a href="\/open-data\/docs\/"/);
});

it('headings have the ids of GitHub', () => {
  assert.equal(headingId('What is `refused`, and why?'), 'what-is-refused-and-why');
  assert.equal(headingId('Größe & Form'), 'größe--form');
});
