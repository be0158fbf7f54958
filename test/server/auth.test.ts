/** Who asks, over real HTTP: tokens, their spellings and scopes, what only some may see, and how often one may guess. */
import '../support/judged.ts';
import assert from 'node:assert/strict';
import { readFile, stat } from 'node:fs/promises';
import { describe, it } from 'node:test';
import { Throttle } from '../../src/server/sign-in.ts';
import { filesWithPasswords, serveAccounts } from '../support/accounts.ts';

const obtain = '/api/v1/auth/token/obtain/';
const datasets = '/api/v1/datasets/';
const newDataset = (namespace: string, label = 'Trees') => ({ label, namespace: `/api/v1/namespaces/${namespace}/` });
const pair = { username: 'bob', password: 'builder 7305' };

describe('a token', () => {
  it('is obtained with a password, and is good for reading and writing', async (t) => {
    const { accounts, ask, send, folder, log } = await serveAccounts(t);
    await accounts.setPassword(pair.username, pair.password);
    const form = new FormData();
    for (const [name, value] of Object.entries(pair)) form.set(name, value);
    for (const body of [new URLSearchParams(pair), form])
      assert.equal((await ask(obtain, { method: 'POST', body })).status, 200);

    const { status, body, headers } = await send('POST', obtain, { ...pair, username: ' bob ' });
    assert.equal(status, 200);
    assert.match(headers.get('cache-control') ?? '', /no-store/);
    assert.deepEqual(Object.keys(body), ['token', 'expires', 'url']);
    assert.match(body.token, /^[0-9a-f]{40}$/);
    assert.ok(Date.parse(body.expires) > Date.now());

    assert.equal((await ask('/api/v1/namespaces/secret/')).status, 404);
    const secret = await ask('/api/v1/namespaces/secret/', {}, body.token);
    assert.equal(secret.status, 200);
    assert.match(secret.headers.get('cache-control') ?? '', /private/);
    assert.equal((await send('POST', datasets, newDataset('parks'), body.token)).status, 201);
    assert.equal((await send('POST', datasets, newDataset('water'), body.token)).status, 403);

    const path = folder.path('.catalogue/accounts.json');
    assert.equal((await stat(path)).mode & 0o777, 0o600);
    for (const text of [await readFile(path, 'utf8'), log.join('\n')])
      for (const secret of [body.token, pair.password]) assert.ok(!text.includes(secret));
  });

  it('is presented in three spellings', async (t) => {
    const { accounts, ask } = await serveAccounts(t);
    const { token } = await accounts.addToken('bob');
    const me = (authorization: string) => ask('/api/v1/users/me/', { headers: { authorization } });
    for (const header of [
      `Token ${token}`,
      `token   ${token} `,
      `Bearer ${token}`,
      `bearer ${token}`,
      `JWT ${token}`,
    ]) {
      const { status, body } = await me(header);
      assert.deepEqual([status, body.username], [200, 'bob'], header);
    }
    const refusals = {
      [`Basic ${token}`]: 'Authentication credentials were not provided.',
      [token]: 'Authentication credentials were not provided.',
      'Bearer nope': 'Invalid token.',
      Bearer: 'Invalid token header. No credentials provided.',
      'JWT a b': 'Invalid token header. Token string should not contain spaces.',
    };
    for (const [header, detail] of Object.entries(refusals)) {
      const { status, body, headers } = await me(header);
      assert.deepEqual([status, body, headers.get('www-authenticate')], [401, { detail }, 'Token'], header);
    }
  });

  it('that is stale blocks everything but asking for a new one', async (t) => {
    const files = filesWithPasswords({ [pair.username]: pair.password });
    const { accounts, ask, send } = await serveAccounts(t, {}, { files });
    const { token } = await accounts.addToken('bob', { expires: new Date(Date.now() + 300) });
    assert.equal((await ask('/api/v1/', {}, token)).status, 200);
    await new Promise((done) => setTimeout(done, 350));
    const { status, body } = await ask('/api/v1/', {}, token);
    assert.deepEqual([status, body], [401, { detail: 'Invalid token.' }]);
    assert.equal((await send('POST', obtain, pair, token)).status, 200);
    assert.equal((await ask(obtain, { method: 'OPTIONS' }, 'nope')).status, 200);
  });

  it('means what its user is now', async (t) => {
    const { accounts, ask, send } = await serveAccounts(t);
    const { token } = await accounts.addToken('bob');
    const { token: staff } = await accounts.addToken('alice');
    assert.equal((await send('PATCH', '/api/v1/users/bob/', { groups: [] }, staff)).status, 200);
    assert.equal((await ask('/api/v1/namespaces/secret/', {}, token)).status, 404);
    assert.equal((await send('PATCH', '/api/v1/users/bob/', { staff: true }, staff)).status, 200);
    assert.equal((await ask('/api/v1/namespaces/secret/', {}, token)).status, 200);
    assert.equal((await ask('/api/v1/users/bob/', { method: 'DELETE' }, staff)).status, 204);
    assert.equal((await ask('/api/v1/', {}, token)).status, 401);
    assert.deepEqual(
      (await accounts.tokens()).map(({ user }) => user),
      ['alice'],
    );
  });

  it('of scope "read" sees what its user may see, and writes nothing', async (t) => {
    const { accounts, ask, send } = await serveAccounts(t);
    const { token } = await accounts.addToken('alice', { scope: 'read' });
    assert.equal((await ask('/api/v1/namespaces/secret/', {}, token)).status, 200);
    const writes = [
      send('POST', datasets, newDataset('parks'), token),
      send('PATCH', '/api/v1/namespaces/parks/', { label: 'x' }, token),
      send('PATCH', '/api/v1/users/me/', { name: 'x' }, token),
      ask('/api/v1/namespaces/water/', { method: 'DELETE' }, token),
      ask('/api/v1/nothing-at-all/', { method: 'GET' }, token),
    ];
    const answers = await Promise.all(writes);
    assert.deepEqual(
      answers.map(({ status }) => status),
      [403, 403, 403, 403, 404],
    );
    assert.deepEqual(answers[0]?.body, { detail: 'You do not have permission to perform this action.' });
  });

  it('is made by its owner, and by staff for anybody, but not by one who only reads', async (t) => {
    const { accounts, ask, send, log } = await serveAccounts(t);
    const [alice, bob] = [await accounts.addToken('alice'), await accounts.addToken('bob')];
    const list = '/api/v1/auth/tokens/';
    assert.equal((await send('POST', list, {})).status, 401);
    const made = await send('POST', list, { label: 'laptop', scope: 'read', expires: null }, bob.token);
    assert.equal(made.status, 201, made.text);
    assert.match(made.headers.get('cache-control') ?? '', /no-store/);
    const { token, ...rest } = made.body;
    assert.match(token, /^[0-9a-f]{40}$/);
    assert.deepEqual([rest.label, rest.scope, rest.expires], ['laptop', 'read', null]);
    assert.match(rest.user, /\/users\/bob\/$/);
    const again = await ask(new URL(made.headers.get('location') ?? '').pathname, {}, bob.token);
    assert.deepEqual([again.status, again.body], [200, rest]);
    // One that only reads makes none, whatever it asks for.
    for (const scope of ['read', 'write']) assert.equal((await send('POST', list, { scope }, token)).status, 403);

    const usual = await send('POST', list, {}, bob.token);
    const days = (Date.parse(usual.body.expires) - Date.now()) / 86_400_000;
    assert.ok(days > 364 && days <= 365, usual.body.expires);
    assert.equal(usual.body.scope, 'write');

    for (const user of ['eve', '/api/v1/users/eve/']) {
      assert.equal((await send('POST', list, { user }, bob.token)).status, 403);
      const forEve = await send('POST', list, { user, expires: '2100-01-01T00:00:00Z' }, alice.token);
      assert.equal(forEve.status, 201, forEve.text);
      assert.equal((await ask('/api/v1/users/me/', {}, forEve.body.token)).body.username, 'eve');
    }
    assert.ok(!log.join('\n').includes(token));
  });

  it('is not made of what is no token', async (t) => {
    const { accounts, send } = await serveAccounts(t);
    const { token } = await accounts.addToken('alice');
    const refused = {
      label: ['x'.repeat(201), {}, null],
      scope: ['all', 1, null, ''],
      expires: ['soon', '', 5, '2001-01-01', '2100-13-01', '2100-01-01T00:00:00'],
      user: ['nobody', null, '', '/api/v1/groups/gardeners/', 7],
    };
    for (const [field, values] of Object.entries(refused))
      for (const value of values) {
        const { status, body } = await send('POST', '/api/v1/auth/tokens/', { [field]: value }, token);
        assert.deepEqual([status, Object.keys(body)], [400, [field]], `${field}: ${JSON.stringify(value)}`);
      }
    assert.equal((await accounts.tokens()).length, 1);
  });

  it('is listed and revoked by its owner, and by staff', async (t) => {
    const { accounts, ask } = await serveAccounts(t);
    const [bob, eve, alice] = [
      await accounts.addToken('bob', { label: 'laptop' }),
      await accounts.addToken('eve'),
      await accounts.addToken('alice'),
    ];
    const list = '/api/v1/auth/tokens/';
    assert.equal((await ask(list)).status, 401);
    const { body, text } = await ask(list, {}, bob.token);
    assert.equal(body.count, 1);
    assert.deepEqual(Object.keys(body.results[0]), [
      'id',
      'user',
      'label',
      'scope',
      'created',
      'expires',
      'last_used',
      'url',
    ]);
    assert.ok(!text.includes(bob.token));
    assert.equal((await ask(list, {}, alice.token)).body.count, 3);
    assert.equal((await ask(`${list}${bob.id}/`, { method: 'DELETE' }, eve.token)).status, 404);
    assert.equal((await ask(`${list}${eve.id}/`, { method: 'DELETE' }, alice.token)).status, 204);
    assert.equal((await ask(list, {}, eve.token)).status, 401);
    assert.equal((await ask(new URL(body.results[0].url).pathname, { method: 'DELETE' }, bob.token)).status, 204);
    assert.equal((await ask(list, {}, bob.token)).status, 401);
  });
});

describe('a user', () => {
  it('is shown to others without what is personal, whoever asked before', async (t) => {
    const { accounts, ask } = await serveAccounts(t);
    const [alice, bob, eve] = [
      await accounts.addToken('alice'),
      await accounts.addToken('bob'),
      await accounts.addToken('eve'),
    ];
    const seen = async (token?: string) => {
      const { body } = await ask('/api/v1/users/bob/', {}, token);
      const { body: list } = await ask('/api/v1/users/?username=bob', {}, token);
      assert.deepEqual(list.results, [body]);
      return [body.email, body.staff];
    };
    for (let round = 0; round < 2; round++) {
      assert.deepEqual(await seen(bob.token), ['bob@example.org', false]);
      assert.deepEqual(await seen(alice.token), ['bob@example.org', false]);
      assert.deepEqual(await seen(eve.token), [undefined, undefined]);
    }
  });

  it('"me" is whoever asks', async (t) => {
    const { accounts, ask } = await serveAccounts(t);
    const { token } = await accounts.addToken('bob');
    assert.deepEqual([(await ask('/api/v1/users/me/')).status], [401]);
    const { headers, body } = await ask('/api/v1/users/me/', {}, token);
    assert.equal(body.email, 'bob@example.org');
    const etag = headers.get('etag') ?? '';
    const change = (match: string) =>
      ask(
        '/api/v1/users/me/',
        {
          method: 'PATCH',
          body: '{"name":"Bob","staff":true}',
          headers: { 'Content-Type': 'application/json', 'If-Match': match },
        },
        token,
      );
    const changed = await change(etag);
    assert.deepEqual([changed.status, changed.body.name, changed.body.staff], [200, 'Bob', false]);
    assert.equal((await change(etag)).status, 412);
    assert.equal((await ask('/api/v1/users/me/', { method: 'DELETE' }, token)).status, 405);
  });

  it('is written by staff alone, and by nobody who is not signed in', async (t) => {
    const { accounts, ask, send } = await serveAccounts(t);
    const [alice, bob] = [await accounts.addToken('alice'), await accounts.addToken('bob')];
    const dora = { username: 'dora', password: 'explorer', groups: ['/api/v1/groups/gardeners/'] };
    assert.equal((await send('POST', '/api/v1/users/', dora)).status, 401);
    assert.equal((await send('POST', '/api/v1/users/', dora, bob.token)).status, 403);
    assert.equal((await send('PATCH', '/api/v1/users/eve/', { name: 'x' }, bob.token)).status, 403);
    const made = await send('POST', '/api/v1/users/', dora, alice.token);
    assert.equal(made.status, 201);
    assert.ok(made.headers.get('location')?.endsWith('/api/v1/users/dora/'));
    assert.ok(!made.text.includes('explorer'));
    assert.ok(await accounts.verifyPassword('dora', 'explorer'));
    const again = await send('POST', '/api/v1/users/', dora, alice.token);
    assert.deepEqual(again.body, { username: ['A user with that username already exists.'] });
    const { headers } = await ask('/api/v1/users/', { method: 'OPTIONS' }, alice.token);
    assert.equal(headers.get('allow'), 'GET, POST, HEAD, OPTIONS');
    const own = await ask('/api/v1/users/me/', { method: 'OPTIONS' }, alice.token);
    const named = await ask('/api/v1/users/alice/', { method: 'OPTIONS' }, alice.token);
    assert.ok('PUT' in own.body.actions);
    assert.deepEqual(own.body.actions, named.body.actions);
  });

  it('who reads a dataset of a private namespace is refused a write, and not told that it is nowhere', async (t) => {
    const { accounts, ask, send } = await serveAccounts(
      t,
      {},
      { datasets: { 'secret/plans': { label: 'Plans', readers: ['user:eve'] } } },
    );
    const eve = await accounts.addToken('eve');
    const plans = '/api/v1/namespaces/secret/datasets/plans/';
    assert.equal((await ask(plans, {}, eve.token)).status, 200);
    for (const [method, body] of [
      ['PATCH', { label: 3 }],
      ['PUT', {}],
      ['PATCH', { label: 'Mine' }],
    ] as const)
      assert.equal((await send(method, plans, body, eve.token)).status, 403);
  });

  it('and a group go together', async (t) => {
    const { accounts, ask, send } = await serveAccounts(t);
    const { token } = await accounts.addToken('alice');
    const made = await send('POST', '/api/v1/groups/', { label: 'Divers', members: ['/api/v1/users/eve/'] }, token);
    assert.equal(made.status, 201);
    assert.deepEqual(
      made.body.members.map((url: string) => new URL(url).pathname),
      ['/api/v1/users/eve/'],
    );
    assert.equal((await send('PATCH', '/api/v1/groups/divers/', { slug: 'swimmers' }, token)).status, 200);
    const moved = await ask('/api/v1/groups/divers/');
    assert.deepEqual([moved.status, moved.headers.get('location')], [308, '/api/v1/groups/swimmers/']);
    const [group] = (await ask('/api/v1/users/eve/', {}, token)).body.groups;
    assert.equal(new URL(group).pathname, '/api/v1/groups/swimmers/');
    assert.equal((await ask('/api/v1/groups/swimmers/', { method: 'DELETE' }, token)).status, 204);
    assert.deepEqual((await ask('/api/v1/users/eve/', {}, token)).body.groups, []);
  });
});

describe('accounts', () => {
  it('are found nowhere', async (t) => {
    const { accounts, ask } = await serveAccounts(t);
    const { token } = await accounts.addToken('alice');
    for (const path of [
      '.catalogue/accounts.json',
      'site_media/../.catalogue/accounts.json',
      'site_media/..%2f.catalogue%2faccounts.json',
      'site_media/%2e%2e/.catalogue/accounts.json',
    ])
      assert.equal((await ask(`/${path}`, {}, token)).status, 404, path);
    const { text } = await ask('/api/v1/intrinsecus/?page_size=1000', {}, token);
    assert.ok(text.includes('users/alice.yaml') && !text.includes('accounts'));
  });

  it('that are damaged turn away those who show credentials, and nobody else', async (t) => {
    const { accounts, ask, send, folder, log } = await serveAccounts(t);
    const { token } = await accounts.addToken('alice');
    folder.write('.catalogue/accounts.json', '{"tokens": [ s3cret');
    assert.equal((await ask('/api/v1/')).status, 200);
    for (const { status, text } of [await ask('/api/v1/', {}, token), await send('POST', obtain, pair)]) {
      assert.equal(status, 503);
      assert.ok(!text.includes('s3cret'));
    }
    const told = log.filter((line) => line.includes('accounts.json'));
    assert.equal(told.length, 1);
    assert.match(told[0] ?? '', /is damaged at line 1, column \d+/);
  });
});

describe('guessing', () => {
  it('is held by address and user name, without a word of whether there is one', async (t) => {
    const files = filesWithPasswords({ [pair.username]: pair.password });
    const { send } = await serveAccounts(t, {}, { files });
    for (const username of ['bob', 'nobody']) {
      const answers = await Promise.all(
        Array.from({ length: 13 }, (_, n) => send('POST', obtain, { username, password: `guess ${n}` })),
      );
      const wrong = answers.filter(({ status }) => status === 400);
      const held = answers.filter(({ status }) => status === 429);
      assert.deepEqual([wrong.length, held.length], [10, 3]);
      for (const { body, headers } of held) {
        const seconds = Number(headers.get('retry-after'));
        assert.ok(seconds > 0 && seconds <= 300);
        assert.deepEqual(body, { detail: `Request was throttled. Expected available in ${seconds} seconds.` });
      }
    }
    // Even the right pair has to wait now; other names needn't.
    assert.equal((await send('POST', obtain, pair)).status, 429);
    assert.equal((await send('POST', obtain, { ...pair, username: 'eve' })).status, 400);
    assert.equal((await send('POST', obtain, { username: '', password: '' })).status, 400);
  });

  it('of many names is held by the address, which only a trusted proxy may tell', async (t) => {
    // Their hashes are quick to compute: with those of passwords that are set, this takes half a minute.
    const names = Array.from({ length: 42 }, (_, n) => `user${n}`);
    const hash = `$scrypt$ln=1,r=1,p=1$${'A'.repeat(22)}$${'A'.repeat(43)}`;
    const passwords = names.map((user) => ({ user, hash }));
    for (const trust_proxy of [false, true]) {
      const users = Object.fromEntries(names.map((name, n) => [name, { id: n + 1 }]));
      const { ask, folder } = await serveAccounts(t, { trust_proxy }, { users, namespaces: {} });
      folder.write('.catalogue/accounts.json', JSON.stringify({ passwords, tokens: [], sessions: [] }));
      const guess = (n: number, address: string) =>
        ask(obtain, {
          method: 'POST',
          body: JSON.stringify({ username: `user${n}`, password: 'x' }),
          headers: { 'Content-Type': 'application/json', 'X-Forwarded-For': `10.0.0.${n}, ${address}` },
        });
      const answers = await Promise.all(Array.from({ length: 42 }, (_, n) => guess(n, `2001:db8::${n}`)));
      assert.equal(answers.filter(({ status }) => status === 429).length, 2);
      assert.equal((await guess(50, '2001:db8:1::1')).status, trust_proxy ? 400 : 429);
    }
  });
});

describe('a throttle', () => {
  it('lets through so many in a window that slides', () => {
    let moment = 0;
    const throttle = new Throttle({ limit: 2, window: 1000, now: () => moment });
    const attempt = () => {
      const wait = throttle.wait('a');
      if (wait === 0) throttle.count('a');
      return wait;
    };
    assert.deepEqual([attempt(), attempt(), attempt()], [0, 0, 1000]);
    moment = 400;
    assert.equal(attempt(), 600);
    assert.equal(throttle.wait('b'), 0);
    moment = 1000;
    assert.deepEqual([attempt(), attempt(), attempt()], [0, 0, 1000]);
    throttle.forgive('a');
    assert.deepEqual([attempt(), attempt()], [0, 1000]);
    throttle.forgive('a', true);
    assert.equal(attempt(), 0);
  });

  it('forgets the key that was used least recently when there are more than 20,000', () => {
    const throttle = new Throttle({ limit: 1, window: 1000, now: () => 0 });
    for (let n = 0; n < 20_000; n++) throttle.count(String(n));
    assert.deepEqual([throttle.wait('0'), throttle.wait('1')], [1000, 1000]);
    for (const key of ['a', 'b']) throttle.count(key);
    assert.deepEqual(
      ['0', '1', '2', '3', 'b'].map((key) => throttle.wait(key)),
      [1000, 1000, 0, 0, 1000],
    );
  });
});
