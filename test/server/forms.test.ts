/** Forms say as much as JSON does: lists by repeating a field, what is deeper as JSON in it. */
import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import { serveAccounts } from '../support/accounts.ts';

const api = '/api/v1';
const trees = `${api}/namespaces/parks/datasets/trees/`;

async function office(t: TestContext) {
  const server = await serveAccounts(t);
  const { token } = await server.accounts.addToken('alice');
  const fill = (method: string, path: string, entries: readonly (readonly [string, string])[], multipart: boolean) => {
    const plain = new URLSearchParams(entries.map(([name, value]): [string, string] => [name, value]));
    const data = new FormData();
    for (const [name, value] of entries) data.append(name, value);
    return server.ask(path, { method, body: multipart ? data : plain }, token);
  };
  const made = await fill(
    'POST',
    `${api}/datasets/`,
    [
      ['label', 'Trees'],
      ['namespace', `${api}/namespaces/parks/`],
    ],
    false,
  );
  assert.equal(made.status, 201, made.text);
  const csv = { method: 'POST', body: 'height\n1\n', headers: { 'Content-Type': 'text/csv' } };
  assert.equal((await server.ask(`${trees}version/`, csv, token)).status, 201);
  return { ...server, token, fill };
}

for (const multipart of [false, true])
  describe(multipart ? 'a multipart form' : 'a form', () => {
    it('writes lists, objects, booleans and nothing at all', async (t) => {
      const { fill } = await office(t);
      const say = async (method: string, path: string, ...entries: (readonly [string, string])[]) => {
        const { status, body, text } = await fill(method, path, entries, multipart);
        assert.ok(status < 300, text);
        return body;
      };
      const keywords = async (...entries: (readonly [string, string])[]) =>
        (await say('PATCH', trees, ...entries)).keywords;
      assert.deepEqual(await keywords(['keywords', 'a'], ['keywords', 'b, c']), ['a', 'b, c']);
      assert.deepEqual(await keywords(['description', 'x']), ['a', 'b, c']);
      assert.deepEqual(await keywords(['keywords', '']), []);

      const columns = '[{"name":"height","label":"Height","unit":"m"}]';
      const [column] = (await say('PATCH', trees, ['columns', columns])).columns;
      assert.deepEqual([column.label, column.unit], ['Height', 'm']);

      const groups = ['gardeners'].map((slug) => ['owners', `${api}/groups/${slug}/`] as const);
      assert.equal((await say('PATCH', `${api}/namespaces/water/`, ...groups)).owners.length, 1);
      const members = ['bob', 'eve'].map((name) => ['members', `${api}/users/${name}/`] as const);
      assert.equal((await say('PATCH', `${api}/groups/gardeners/`, ...members)).members.length, 2);
      assert.equal((await say('PATCH', `${api}/users/eve/`, ['staff', 'on'])).staff, true);

      const query = await say(
        'POST',
        `${api}/queries/`,
        ['label', 'Tall'],
        ['dataset', trees],
        ['version', ''],
        ['parameters', '{"height__gt":"5"}'],
      );
      assert.deepEqual([query.version, query.parameters], [null, { height__gt: '5' }]);
    });

    it('takes the items of a list as other programs write them, and no other part of a field', async (t) => {
      const { fill } = await office(t);
      const patch = (...entries: (readonly [string, string])[]) => fill('PATCH', trees, entries, multipart);
      for (const [one, two] of [
        ['keywords[0]', 'keywords[1]'],
        ['keywords[]', 'keywords[]'],
        ['keywords', 'keywords[1]'],
      ] as const)
        assert.deepEqual((await patch([one, one], [two, 'b'])).body.keywords, [one, 'b']);
      for (const [name, remedy] of [
        ['keywords[0][x]', 'Send "keywords", repeated for several values.'],
        ['links[Paper]', 'Send "links" as JSON.'],
        ['columns[0]label', 'Send "columns" as JSON.'],
        ['label[]', 'Send "label".'],
      ] as const) {
        const { status, body } = await patch(['description', 'new'], [name, 'x']);
        assert.deepEqual([status, body], [400, { [name]: [`Unknown field "${name}". ${remedy}`] }]);
      }
      // Others are ignored, as in JSON.
      const { status, body } = await patch(['sensors[0]', 'x'], ['[keywords]', 'x']);
      assert.deepEqual([status, body.description], [200, '']);
    });

    it('is told what is wrong in it, field by field', async (t) => {
      const { fill } = await office(t);
      const { status, body } = await fill(
        'POST',
        `${api}/queries/`,
        [
          ['label', 'x'],
          ['dataset', trees],
          ['parameters', 'no JSON'],
        ],
        multipart,
      );
      assert.deepEqual([status, body], [400, { parameters: ['Expected a dictionary of items but got type "str".'] }]);
      const list = await fill(
        'PATCH',
        trees,
        [
          ['keywords', 'a'],
          ['keywords', ''],
        ],
        multipart,
      );
      assert.deepEqual([list.status, list.body], [400, { keywords: ['This field may not be blank.'] }]);
      // Of a field that is no list, the last counts.
      const last = await fill(
        'PATCH',
        trees,
        [
          ['label', 'One'],
          ['label', 'Two'],
          ['__proto__', 'x'],
        ],
        multipart,
      );
      assert.equal(last.body.label, 'Two');
    });
  });

it('a form in another encoding than UTF-8 is refused as such', async (t) => {
  const { ask, token } = await office(t);
  const headers = { 'Content-Type': 'application/x-www-form-urlencoded; charset=latin-1' };
  const body = Buffer.from('label=B\u00e4ume', 'latin1');
  const answer = await ask(trees, { method: 'PATCH', body, headers }, token);
  assert.deepEqual([answer.status, answer.body], [400, { detail: 'The body is not UTF-8.' }]);
  const json = { 'Content-Type': 'application/json' };
  const { body: refused } = await ask(
    trees,
    { method: 'PATCH', body: Buffer.from([0x22, 0xff]), headers: json },
    token,
  );
  assert.match(refused.detail, /^JSON parse error - /);
});

describe('a form of anybody', () => {
  const addresses = ['/api/v1/auth/token/obtain/', '/auth/login/'];

  it('has 128 kB at most where a user name and a password are sent, whatever its media type', async (t) => {
    const { ask } = await serveAccounts(t);
    const sizes = [127 * 1024, 129 * 1024];
    for (const path of addresses)
      for (const body of [
        (size: number) => new URLSearchParams({ username: 'a', password: 'x'.repeat(size) }),
        (size: number) => JSON.stringify({ username: 'a', password: 'x'.repeat(size) }),
        (size: number) => {
          const form = new FormData();
          form.append('username', 'a');
          form.append('password', 'x'.repeat(size));
          return form;
        },
      ]) {
        const send = (size: number) => {
          const sent = body(size);
          const headers = { ...(typeof sent === 'string' && { 'Content-Type': 'application/json' }) };
          return ask(path, { method: 'POST', body: sent, headers, redirect: 'manual' });
        };
        const [small, large] = await Promise.all(sizes.map(send));
        assert.ok(small?.status === 400 || small?.status === 403, `${path} ${small?.status} ${small?.text}`);
        assert.equal(large?.status, 413, path);
      }
  });

  it('has a thousand fields at most, at any address', async (t) => {
    const { ask, accounts } = await serveAccounts(t);
    const { token } = await accounts.addToken('alice');
    const send = (path: string, count: number) =>
      ask(path, { method: 'POST', body: new URLSearchParams('&a=1'.repeat(count).slice(1)) }, token);
    const message = { detail: 'The form has more than 1000 fields.' };
    for (const path of ['/api/v1/datasets/', addresses[0] ?? '']) {
      assert.notDeepEqual((await send(path, 1000)).body, message);
      const { status, body } = await send(path, 1001);
      assert.deepEqual([status, body], [400, message], path);
    }
  });
});
