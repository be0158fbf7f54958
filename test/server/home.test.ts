/** What stands at the very beginning of the site. */
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { makeFolder } from '../support/folder.ts';
import { serveFolder } from '../support/server.ts';

it('people get a page of what there is, programs are sent to the API', async (t) => {
  const folder = makeFolder(
    {
      settings: { title: 'Data of <b>Springfield</b>' },
      namespaces: { parks: { label: 'Parks' }, secret: { label: 'Secret', visibility: 'private' } },
      datasets: { 'parks/trees': { label: 'Trees & shrubs' }, 'secret/files': { label: 'Nobody knows' } },
    },
    t,
  );
  const server = await serveFolder(folder.root);
  t.after(() => server.close());
  const page = await (await fetch(`${server.base}/`, { headers: { Accept: 'text/html,*/*;q=0.8' } })).text();
  assert.match(page, /<title>Data of &lt;b>Springfield/);
  assert.match(page, /<a href="[^"]*\/api\/v1\/namespaces\/parks\/datasets\/trees\/"[^>]*>Trees &amp; shrubs<\/a>/);
  assert.doesNotMatch(page, /Nobody knows|secret/);
  const near = await fetch(`${server.base}/api/v1/namespaces/parks/datasets/tres/`, {
    headers: { Accept: 'text/html' },
  });
  assert.equal(near.status, 404);
  const text = await near.text();
  assert.match(text, /Did you mean <a href="\/api\/v1\/namespaces\/parks\/datasets\/trees\/"[^>]*>Trees &amp; shrubs/);
  assert.doesNotMatch(text, /Nobody knows|secret/);
  const answer = await fetch(`${server.base}/`, { headers: { Accept: 'application/json' }, redirect: 'manual' });
  assert.deepEqual([answer.status, answer.headers.get('location')], [302, '/api/v1/']);
});
