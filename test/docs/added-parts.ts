/** The route, the format and the command of src/README.md's recipes: run by `recipes.test.ts` in a copy that has them. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type } from '../support/prompt.ts';
import { served } from '../support/served.ts';
import { serveFolder } from '../support/server.ts';

const content = {
  settings: { title: 'Parks of the town' },
  namespaces: { parks: { id: 1, label: 'Parks' } },
  datasets: { 'parks/trees': { id: 2, label: 'Trees' } },
};
const csv = 'name,height\noak,12\nash,9\n';
const tsv = 'name\theight\r\noak\t12\r\nash\t9\r\n';

describe('what the recipes add', () => {
  it('a route', async (t) => {
    const { base } = await served(content, t);
    const response = await fetch(`${base}/api/v1/settings/`);
    assert.equal(response.status, 200);
    assert.equal(((await response.json()) as { title: string }).title, 'Parks of the town');
    const headers = { 'If-None-Match': response.headers.get('etag') ?? '' };
    assert.equal((await fetch(`${base}/api/v1/settings/`, { headers })).status, 304);
    const options = await fetch(`${base}/api/v1/settings/`, { method: 'OPTIONS' });
    assert.deepEqual([options.status, options.headers.get('allow')], [200, 'GET, HEAD, OPTIONS']);
  });

  it('a format', async (t) => {
    const published = await type(['publish', 'trees.csv', '--to', 'parks/trees'], {
      seed: content,
      files: { 'trees.csv': csv },
    });
    assert.equal(published.exitCode, 0, published.err);
    const { root } = published;
    assert.equal((await type(['data', 'parks/trees', '--format', 'tsv'], { root })).out, tsv);
    assert.match((await type(['data', '--help'], { root })).out, /\btsv\b/);
    const { base, close } = await serveFolder(root);
    t.after(close);
    const rows = `${base}/api/v1/namespaces/parks/datasets/trees/data`;
    assert.equal(await (await fetch(`${rows}.tsv`)).text(), tsv);
    assert.equal(await (await fetch(`${rows}/?_format=tsv`)).text(), tsv);
    const response = await fetch(`${rows}/`, { headers: { Accept: 'text/tab-separated-values' } });
    assert.equal(response.headers.get('content-type'), 'text/tab-separated-values; charset=utf-8');
    assert.equal(await response.text(), tsv);
  });

  it('a command', async () => {
    const { out, root } = await type(['count'], { seed: content });
    assert.equal(out, '1 datasets\n');
    assert.deepEqual(JSON.parse((await type(['count', '--json'], { root })).out), { datasets: 1 });
    assert.match((await type(['--help'], { root })).out, /^ {2}count +Count the datasets\.$/m);
  });
});
