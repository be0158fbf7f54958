/** Descriptions of pages that take long to render. */
import assert from 'node:assert/strict';
import { it } from 'node:test';
import MarkdownIt from 'markdown-it';
import { served } from '../support/served.ts';

const items = 'Trees.\n\n'.concat('- *oak* | `ash`\n'.repeat(6000));
const catalogue = {
  settings: { description: `Catalogue\n\n${items}` },
  namespaces: { parks: { label: 'Parks', description: `Namespace\n\n${items}` } },
  datasets: { 'parks/trees': { label: 'Trees', description: `Dataset\n\n${items}` } },
  queries: { tall: { label: 'Tall', dataset: 'parks/trees', description: `Query\n\n${items}` } },
};

it('a long description is rendered in another thread, so that others needn’t wait for it', async (t) => {
  const { base } = await served(catalogue, t);
  const { mock: parse } = t.mock.method(MarkdownIt.prototype, 'parse');
  for (const [path, first] of [
    ['/', 'Catalogue'],
    ['/ogc/', 'Catalogue'],
    ['/api/v1/namespaces/parks/', 'Namespace'],
    ['/api/v1/namespaces/parks/datasets/trees/', 'Dataset'],
    ['/api/v1/namespaces/parks/datasets/trees/?_colour=x', 'Dataset'],
    ['/api/v1/queries/tall/', 'Query'],
  ] as const) {
    const page = await (await fetch(`${base}${path}`, { headers: { Accept: 'text/html' } })).text();
    assert.ok(page.includes(`<p>${first}</p>`), path);
    assert.equal(page.split('<li><em>oak</em> | <code>ash</code></li>').length, 6001, path);
  }
  assert.ok(parse.callCount() > 0);
  for (const {
    arguments: [text],
  } of parse.calls)
    assert.ok(text.length <= 6000, `${text.length} characters`);
});
