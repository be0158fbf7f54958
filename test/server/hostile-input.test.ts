/** Input that would break what it is written to, or lead somewhere else than it says. */
import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import { serveAccounts } from '../support/accounts.ts';

const trees = '/api/v1/namespaces/parks/datasets/trees/';
const parks = '/api/v1/namespaces/parks/';

async function withTrees(test: TestContext) {
  const server = await serveAccounts(test);
  const { token } = await server.accounts.addToken('alice');
  const made = await server.send('POST', '/api/v1/datasets/', { label: 'Trees', namespace: parks }, token);
  assert.equal(made.status, 201);
  return { ...server, token };
}

describe('what is written', () => {
  it('is never larger than what is read', async (test) => {
    const { send, token } = await withTrees(test);
    const description = 'x'.repeat(1024 * 1024);
    const message = /^This makes a record of \d+ bytes; it may have at most 1048576\.$/;
    const edited = await send('PATCH', trees, { description }, token);
    assert.equal(edited.status, 400);
    assert.match(edited.body.non_field_errors[0], message);
    const made = await send('POST', '/api/v1/datasets/', { label: 'Big', namespace: parks, description }, token);
    assert.equal(made.status, 400);
    assert.match(made.body.non_field_errors[0], message);
    assert.equal((await send('PATCH', trees, { description: 'small' }, token)).status, 200);
  });

  it('is nested no deeper than what is read', async (test) => {
    const { ask, token } = await withTrees(test);
    const headers = { 'Content-Type': 'application/json' };
    const post = (depth: number) => {
      const parameters = `{"a": ${'['.repeat(depth)}${']'.repeat(depth)}}`;
      const body = `{"label": "Q${depth}", "dataset": "${trees}", "parameters": ${parameters}}`;
      return ask('/api/v1/queries/', { method: 'POST', headers, body }, token);
    };
    assert.equal((await post(19)).status, 201);
    for (const depth of [20, 60, 5000, 500_000]) {
      const { status, body } = await post(depth);
      assert.deepEqual([status, body], [400, { parameters: ['The nesting is deeper than 20.'] }]);
    }
    assert.equal((await ask('/api/v1/queries/')).body.count, 1);
  });

  it('is readable for thousands of columns as well', async (test) => {
    const { ask, token } = await withTrees(test);
    const names = Array.from({ length: 9000 }, (_, i) => `a-column-with-a-long-name-number-${i}`);
    const body = `${names.join()}\n${names.map((_, i) => i).join()}\n`;
    const headers = { 'Content-Type': 'text/csv' };
    const upload = await ask(`${trees}version/`, { method: 'POST', headers, body }, token);
    assert.equal(upload.status, 201, upload.text.slice(0, 300));
    assert.deepEqual((await ask('/api/v1/intrinsecus/?status=invalid')).body.results, []);
  });
});

describe('a hyperlink to a former address', () => {
  it('means what is there now, and sends nobody elsewhere', async (test) => {
    const { send, token } = await withTrees(test);
    const old = '/api/v1/namespaces/water/';
    assert.equal((await send('PATCH', old, { slug: 'sea' }, token)).status, 200);
    const made = await send('POST', '/api/v1/datasets/', { label: 'Reefs', namespace: old }, token);
    assert.equal(made.status, 201);
    assert.match(made.body.namespace, /\/namespaces\/sea\/$/);
    const moved = await send('PATCH', trees, { namespace: old }, token);
    assert.equal(moved.status, 200);
    assert.match(moved.body.url, /\/namespaces\/sea\/datasets\/trees\/$/);
    const query = await send('POST', '/api/v1/queries/', { label: 'Tall', dataset: trees }, token);
    assert.equal(query.status, 201);
    assert.match(query.body.dataset, /\/namespaces\/sea\/datasets\/trees\/$/);
  });
});
