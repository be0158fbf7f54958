/** Pages of every state: what is there, why something isn't, and what to do. */
import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import { openFileCatalogue } from '../../src/files/file-catalogue.ts';
import { homeOf, makeFolder, makeLastingFolder, until } from '../support/folder.ts';
import { served } from '../support/served.ts';
import { serveFolder } from '../support/server.ts';
import { ownerTexts, stateTexts, writeStates } from '../support/states.ts';

const api = '/api/v1/namespaces/';

const folder = makeLastingFolder({});
writeStates(folder);
const server = await serveFolder(folder.root);
after(async () => {
  await server.close();
  folder.remove();
});
const { base } = server;
const files = await openFileCatalogue(folder.root);
const { token } = await files.accounts.addToken('kim');
await files.close();

describe('the page of a state', () => {
  const ask = async (path: string, headers: Record<string, string> = {}, method = 'GET') => {
    const response = await fetch(base + path, { method, headers: { Accept: 'text/html', ...headers } });
    const text = await response.text();
    return { status: response.status, text, words: text.replaceAll(/<[^>]*>/g, '') };
  };
  const asKim = { Authorization: `Token ${token}` };

  for (const [path, text] of Object.entries(stateTexts))
    it(path, async () => {
      await until(async () => !(await ask(api + path)).words.includes('read for the first time'));
      const page = await ask(api + path);
      assert.equal(page.status, 200, page.words);
      assert.match(page.text + page.words, text);
    });

  for (const [path, text] of Object.entries(ownerTexts))
    it(`${path}, for its owners alone`, async () => {
      assert.equal((await ask(api + path)).status, 404);
      assert.doesNotMatch((await ask(api + path)).words, /The private one|Keepers|dataset\.yaml/);
      const page = await ask(api + path, asKim);
      assert.match(page.words, text);
    });

  it('what is private has lines for tools that send a token, and none for frames on other sites', async () => {
    for (const path of [
      `${api}states/datasets/private/`,
      `${api}states/datasets/private/data/`,
      '/api/v1/queries/private/',
    ]) {
      const { text, words } = await ask(path, asKim);
      assert.match(words, /each request needs a token, as the header Authorization: Token/, path);
      assert.match(text, /<a href="\/docs\/accounts\/">Accounts and permissions<\/a> says how to get one/);
      assert.doesNotMatch(text, /iframe|u-embed/);
    }
    const { text, words } = await ask(`${api}states/datasets/plain/`, asKim);
    assert.match(text, /iframe/);
    assert.doesNotMatch(words, /needs a token/);
  });

  it('the lines to copy are named after their tools, for who hears the page', async () => {
    const { text } = await ask(`${api}states/datasets/plain/`);
    const label = (start: string) => new RegExp(`aria-label="([^"]*)"><code>${start}`).exec(text)?.[1];
    assert.deepEqual(['&lt;iframe', 'catalogue data', 'curl'].map(label), ['Web page', 'Our command line', 'curl']);
  });

  it('names the broken files of a dataset, however many others are broken', async (test) => {
    const slugs = ['a', 'b', 'c', 'z', 'z-2'];
    const many = await served(
      {
        settings: { page_size: 1, max_page_size: 2 },
        namespaces: { parks: { label: 'Parks' } },
        users: { kim: { staff: true } },
        files: Object.fromEntries(
          slugs.map((slug) => [`namespaces/parks/datasets/${slug}/dataset.yaml`, 'label: [\n']),
        ),
      },
      test,
    );
    const own = await openFileCatalogue(many.folder.root);
    const { token: staffToken } = await own.accounts.addToken('kim');
    await own.close();
    const headers = { Accept: 'text/html', Authorization: `Token ${staffToken}` };
    const page = await fetch(`${many.base}${api}parks/datasets/z/`, { headers });
    const found = new Set((await page.text()).match(/datasets\/[^/]*\/dataset\.yaml/g));
    assert.deepEqual([...found], ['datasets/z/dataset.yaml']);
  });

  it('versions of a file without rows: no link to differences, which there are none of', async (test) => {
    const version = (name: string, format: string) => ({ file: { name, format, size: 4 } });
    const folder = makeFolder(
      {
        namespaces: { parks: { label: 'Parks' } },
        datasets: { 'parks/report': { label: 'Report' }, 'parks/trees': { label: 'Trees' } },
        versions: {
          'parks/report@v1': version('a.txt', 'txt'),
          'parks/report@v2': version('a.txt', 'txt'),
          'parks/trees@v1': version('a.csv', 'csv'),
          'parks/trees@v2': version('a.csv', 'csv'),
        },
        files: {
          [`${homeOf('parks/report')}/data/a.txt`]: 'Oak\n',
          [`${homeOf('parks/trees')}/data/a.csv`]: 'a\n1\n',
        },
      },
      test,
    );
    const server = await serveFolder(folder.root);
    test.after(() => server.close());
    const page = async (path: string) =>
      (await fetch(`${server.base}${api}${path}`, { headers: { Accept: 'text/html' } })).text();
    assert.doesNotMatch(await page('parks/datasets/report/'), /\/diff\//);
    assert.match(await page('parks/datasets/trees/'), /\/version\/v2\/diff\//);
  });

  it('a version at another server: a link to its file, and none to rows, which it has there', async (test) => {
    const version = { rows: 2, columns: [{ name: 'a', type: 'integer' }] };
    const file = { url: 'https://example.org/a.csv', format: 'csv' };
    const { base } = await served(
      {
        namespaces: { parks: { label: 'Parks' } },
        datasets: { 'parks/trees': { label: 'Trees', columns: [{ name: 'a', type: 'integer' }] } },
        versions: { 'parks/trees@v1': { ...version, file } },
      },
      test,
    );
    const page = async (path: string) => (await fetch(base + path, { headers: { Accept: 'text/html' } })).text();
    const text = await page(`${api}parks/datasets/trees/`);
    assert.match(text, /datasets\/trees\/download\/"/);
    assert.doesNotMatch(text, /\/data\.|plate\.svg|id="use"/);
    assert.doesNotMatch(await page('/api/v1/datasets/'), /plate\.svg/);
  });

  it('a list of datasets without versions: the number of their links, and no legend of bars', async (test) => {
    const links = { Report: 'https://example.org/report.pdf', Map: 'https://example.org/map' };
    const { base } = await served(
      {
        namespaces: { parks: { label: 'Parks' } },
        datasets: { 'parks/linked': { label: 'Linked', links }, 'parks/bare': { label: 'Bare' } },
      },
      test,
    );
    const text = await (await fetch(`${base}/api/v1/datasets/`, { headers: { Accept: 'text/html' } })).text();
    assert.match(text, /Linked<.*?<div class="dots"><span>2 links<\/span>/);
    assert.match(text, /Bare<.*?<div class="dots"><span>no data yet<\/span>/);
    assert.doesNotMatch(text, /A bar for each column/);
  });

  it('a page behind the end of a list: the first page, with its filters', async () => {
    const { status, text } = await ask('/api/v1/datasets/?search=a&page=99');
    assert.equal(status, 404);
    assert.match(text, /This list has no page 99\. <a href="\/api\/v1\/datasets\/\?search=a">To its first page<\/a>/);
    assert.doesNotMatch(text, /Invalid page/);
  });

  it('an empty catalogue: three commands', async (test) => {
    const empty = await served({}, test);
    const text = await (await fetch(empty.base, { headers: { Accept: 'text/html' } })).text();
    assert.equal(text.match(/\bcatalogue (namespace add|dataset add|publish) /g)?.length, 3);
    assert.match(text, /folder of catalogue\.yaml/);
  });

  it('a namespace without datasets: that there are none yet, unless something was looked for', async (test) => {
    const { base, folder } = await served(
      {
        namespaces: { parks: { label: 'Parks', owners: ['gardeners'] }, roads: { label: 'Roads' } },
        groups: { gardeners: { label: 'Gardeners' } },
        users: { kim: { groups: ['gardeners'] } },
      },
      test,
    );
    const mainOf = async (path: string, more: Record<string, string> = {}) => {
      const text = await (await fetch(base + path, { headers: { Accept: 'text/html', ...more } })).text();
      return text
        .slice(text.indexOf('<main'))
        .replaceAll(/<[^>]*>/g, ' ')
        .replace(/\s+/g, ' ');
    };
    assert.match(await mainOf(`${api}parks/`), /No datasets yet All datasets/);
    assert.match(await mainOf(`${api}parks/?ordering=label`), /No datasets yet/);
    assert.match(await mainOf('/api/v1/datasets/'), /No datasets yet(?! All datasets)/);
    // "Or look at" follows another way out only.
    assert.match(await mainOf(`${api}parks/datasets/?file_format=csv`), /No dataset matches All datasets/);
    assert.match(await mainOf(`${api}parks/datasets/?search=oak`), /No dataset has “oak”/);
    // Owners learn how to publish the first.
    const accounts = await openFileCatalogue(folder.root);
    const owner = { Authorization: `Token ${(await accounts.accounts.addToken('kim')).token}` };
    await accounts.close();
    const hint = /No datasets yet This command.*catalogue publish trees\.csv --to parks\/trees/;
    for (const path of [`${api}parks/`, `${api}parks/datasets/`]) {
      assert.match(await mainOf(path, owner), hint);
      assert.doesNotMatch(await mainOf(path), /catalogue publish/);
    }
    assert.doesNotMatch(await mainOf(`${api}roads/`, owner), /catalogue publish/);
    assert.doesNotMatch(await mainOf(`${api}parks/datasets/?search=oak`, owner), /catalogue publish/);
  });

  const problems: readonly (readonly [path: string, status: number, text: RegExp])[] = [
    ['/api/v1/files/catalogue.yaml?format=html', 404, /There is nothing at this address/],
    ['/api/v1/users/', 401, /Log in to see this/],
    [`${api}states/datasets/plane/`, 404, /Did you mean .*The plain one/],
    [`${api}states/datasets/plain/data/?nam=oak`, 400, /nam.*Did you mean.*Show it without nam/s],
    [`${api}states/datasets/plain/version/v1/diff/`, 404, /There is no version before this one/],
  ];
  for (const [path, status, text] of problems)
    it(`${status} at ${path}`, async () => {
      const page = await ask(path);
      assert.equal(page.status, status, page.words);
      assert.match(page.words, text);
    });

  it('a read-only server: 403 that says so', async (test) => {
    const closed = await served({}, test, { readOnly: true });
    const headers = { Accept: 'text/html', ...asKim, 'Content-Type': 'application/json' };
    const response = await fetch(`${closed.base}/api/v1/namespaces/`, { method: 'POST', headers, body: '{}' });
    const words = (await response.text()).replaceAll(/<[^>]*>/g, '');
    assert.ok([401, 403].includes(response.status));
    assert.match(words, /You may not do this|Log in to see this/);
  });
});
