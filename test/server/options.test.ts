/** OPTIONS of a browser: what may be written is described, and no page is made. */
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { serveAccounts } from '../support/accounts.ts';

it('OPTIONS that accepts a page describes the fields, and leads to no other address', async (t) => {
  const { accounts, ask } = await serveAccounts(t);
  const { token } = await accounts.addToken('alice');
  const page = { method: 'OPTIONS', headers: { Accept: 'text/html' } };
  const { status, headers, text } = await ask('/api/v1/namespaces/parks/?search=x', page, token);
  assert.deepEqual([status, headers.get('location')], [200, null]);
  assert.match(text, /actions/);
});
