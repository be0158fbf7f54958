/** Pages of tables with hundreds of columns: short enough to be made without holding up others. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { serveAccounts } from '../support/accounts.ts';
import { makeWorkshop, type Workshop } from '../support/published.ts';
import { serveFolder } from '../support/server.ts';

const count = 600;
const namesOf = (columns: number) => Array.from({ length: columns }, (_, i) => `c<${i}>`);
const names = namesOf(count);
/** Rows of numbers; the last ten columns say the same in each. */
function csvOf(columns: number): string {
  const line = (cell: (i: number) => unknown) =>
    `${namesOf(columns)
      .map((_, i) => cell(i))
      .join(',')}\n`;
  const value = (row: number, i: number) => (i >= columns - 10 ? 7 : row * (i + 1) + 0.5);
  return line((i) => `c<${i}>`) + [1, 2, 3, 4].map((row) => line((i) => value(row, i))).join('');
}

const trees = '/api/v1/namespaces/parks/datasets/trees/';
const form = { 'Content-Type': 'application/x-www-form-urlencoded' };

describe('a table of hundreds of columns', () => {
  let workshop: Workshop;
  let server: Awaited<ReturnType<typeof serveFolder>>;
  let dataset: string;
  const page = async (path = '') => {
    const response = await fetch(dataset + path, { headers: { Accept: 'text/html' } });
    assert.equal(response.status, 200);
    return response.text();
  };
  const times = (text: string, part: string) => text.split(part).length - 1;

  before(async () => {
    workshop = await makeWorkshop();
    await workshop.publish('wide', 'wide.csv', csvOf(count));
    await workshop.publish('wider', 'wider.csv', csvOf(1200));
    await workshop.catalogue.edit(
      { kind: 'dataset', namespace: 'lab', slug: 'wide' },
      { columns: [{ name: 'c<300>', label: 'Height & width' }] },
    );
    server = await serveFolder(workshop.root);
    dataset = `${server.base}/api/v1/namespaces/lab/datasets/wide/`;
    for (const path of ['', '../wider/']) await (await fetch(`${dataset}${path}profile/`)).arrayBuffer();
  });
  after(async () => {
    await server.close();
    await workshop.remove();
  });

  it('has the profiles of a hundred on its page, and the names of all, each with its label and page', async () => {
    const text = await page();
    const list = text.slice(text.indexOf('<ol class="profile">'), text.indexOf('id="versions"'));
    assert.equal(times(list, '<div class="vals">'), 100);
    assert.match(list, /<summary>594 more columns<\/summary>/);
    assert.match(list, /<summary>10 columns that say the same in every row, or nothing<\/summary>/);
    for (const name of names) assert.equal(times(list, `/columns/${encodeURIComponent(name)}/"`), 1, name);
    const href = '/api/v1/namespaces/lab/datasets/wide/columns/c%3C300%3E/';
    assert.ok(
      list.includes(
        `<li><a href="${href}" dir="auto"><code>c&lt;300&gt;</code></a> <span dir="auto">Height &amp; width: </span>float</li>`,
      ),
    );
    assert.ok(list.includes('<code>c&lt;599&gt;</code></a> <span dir="auto">C&lt;599&gt;: </span>always 7</li>'));
  });

  it('can have any of its columns chosen and filtered on the page of its rows', async () => {
    const text = await page('data/');
    assert.equal(times(text, '<option value="c&lt;'), count);
    assert.equal(times(text, '<input type="checkbox" name="_show" value="c&lt;'), count);
    assert.match(
      text,
      /value="c&lt;300&gt;"\/?><span dir="auto"><code>c&lt;300&gt;<\/code> <span class="faint">Height/,
    );
    assert.match(await page('data/?_fields=%22c<300>%22'), /value="c&lt;300&gt;" checked/);
  });

  it('has fields to write names into if it has more than a thousand', async () => {
    const text = await page('../wider/?_colour=c<5>');
    const list = text.slice(text.indexOf('<ol class="profile">'), text.indexOf('id="versions"'));
    assert.match(list, /<summary>1,194 more columns<\/summary>/);
    assert.equal(times(list, '<li><a href'), 500 + 10);
    assert.match(list, />590 more columns: <a href="[^"?]*wider\/\?format=json">JSON<\/a>/);
    const rows = await page('../wider/data/?_fields=%22c<1100>%22,%22c<7>%22');
    assert.match(rows, /<input name="_fields" value="c&lt;1100>,c&lt;7>" required\/?>/);
    assert.match(rows, /<input id="filter-column" name="_add" placeholder="Column" required\/?>/);
    const filtered = await page('../wider/data/?_add=c<1100>&_lookup=gte&_value=2500');
    assert.match(filtered, /<bdi>c&lt;1100><\/bdi> at least <bdi>2500<\/bdi>/);
  });

  it('is described anew to a reader who is signed in after each version', async (t) => {
    const { accounts, ask } = await serveAccounts(t);
    const { token } = await accounts.addToken('alice');
    await ask('/api/v1/namespaces/parks/datasets/', { method: 'POST', body: 'label=Trees', headers: form }, token);
    const profile = async (query = '') => (await ask(`${trees}profile/${query}`, {}, token)).body;
    for (const rows of [1, 2, 3]) {
      const headers = { 'Content-Type': 'text/csv' };
      const { status } = await ask(
        `${trees}version/`,
        { method: 'POST', body: `a\n${'7\n'.repeat(rows)}`, headers },
        token,
      );
      assert.equal(status, 201);
      assert.equal((await profile('?a=8')).matched.rows, 0);
      for (const _time of [1, 2]) assert.equal((await profile()).rows, rows);
    }
  });

  it('has the start of its profile on a page', async () => {
    const text = await page('profile/');
    assert.match(text, /The first 30 kB of \d+ kB\. All of it:/);
    assert.match(text, /<b>&quot;name&quot;<\/b>: <i class="text">&quot;c&lt;0&gt;&quot;<\/i>,\n/);
    assert.doesNotMatch(text, /c&lt;599&gt;/);
  });
});
