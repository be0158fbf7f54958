/** A saved query is tried before it is written, as the command line does. */
import assert from 'node:assert/strict';
import { it, type TestContext } from 'node:test';
import { serveAccounts } from '../support/accounts.ts';

const api = '/api/v1';
const trees = `${api}/namespaces/parks/datasets/trees/`;

async function office(t: TestContext) {
  const server = await serveAccounts(t);
  const { token } = await server.accounts.addToken('bob');
  const write = (method: string, path: string, body: object) => server.send(method, `${api}/${path}`, body, token);
  const publish = (text: string) =>
    server.ask(`${trees}version/`, { method: 'POST', body: text, headers: { 'Content-Type': 'text/csv' } }, token);
  for (const label of ['Trees', 'Empty'])
    assert.equal((await write('POST', 'datasets/', { label, namespace: `${api}/namespaces/parks/` })).status, 201);
  assert.equal((await publish('id,height\n1,2\n')).status, 201);
  return { ...server, write, publish };
}

it('a query whose parameters do not fit the data is refused', async (t) => {
  const { write, ask } = await office(t);
  const parameters = { _nope: '1', id__zz: 3, _limit: -3, height__gt: 1, _filter: 'id = ' };
  const { status, body } = await write('POST', 'queries/', { label: 'Tall', dataset: trees, parameters });
  assert.deepEqual([status, Object.keys(body)], [400, ['parameters']]);
  assert.deepEqual(
    body.parameters.map((message: string) => message.split(':')[0]),
    ['_nope', 'id__zz', '_limit', '_filter'],
  );
  assert.equal((await ask(`${api}/queries/tall/`)).status, 404);
  const dry = await write('POST', 'queries/?dry_run=true', { label: 'Tall', dataset: trees, parameters });
  assert.equal(dry.status, 400);
  for (const right of [{ height__gt: 1 }, { _group_by: ['height'], _aggregate: 'count' }, {}])
    assert.equal(
      (await write('POST', 'queries/?dry_run=true', { label: 'Tall', dataset: trees, parameters: right })).status,
      201,
    );
});

it('is tried when it asks something else, and only then', async (t) => {
  const { write, publish } = await office(t);
  const query = { label: 'Tall', dataset: trees, parameters: { height__gt: 1 } };
  assert.equal((await write('POST', 'queries/', query)).status, 201);
  const wrong = await write('PATCH', 'queries/tall/', { parameters: { hight__gt: 1 } });
  assert.equal(wrong.status, 400);
  assert.match(wrong.body.parameters[0], /^hight__gt: .*"height/);
  assert.equal((await write('PATCH', 'queries/tall/', { parameters: { height__gt: 2 } })).status, 200);
  // The column is gone: the query can be described, but not be set back to that question.
  assert.equal((await publish('id,width\n1,2\n')).status, 201);
  assert.equal((await write('PUT', 'queries/tall/', { ...query, parameters: { height__gt: 2 } })).status, 200);
  assert.equal((await write('PUT', 'queries/tall/', query)).status, 400);
  assert.equal((await write('PATCH', 'queries/tall/', { description: 'Old' })).status, 200);
  // Without rows, there is nothing to try it on.
  const empty = `${api}/namespaces/parks/datasets/empty/`;
  assert.equal((await write('PATCH', 'queries/tall/', { dataset: empty, parameters: { nope: 1 } })).status, 200);
});
