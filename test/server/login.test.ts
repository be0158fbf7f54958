/** Signing in and out with a browser: forms, cookies, and what pages of others can't do. */
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { describe, it } from 'node:test';
import type { Answer } from '../support/accounts.ts';
import { browse, password } from '../support/browse.ts';
import { serveFolder } from '../support/server.ts';

const login = '/auth/login/';
const logout = '/auth/logout/';

describe('the login page', () => {
  it('is a form, whatever is accepted, that nobody keeps or frames', async (t) => {
    const { ask } = await browse(t);
    for (const accept of ['text/html', 'application/json', 'image/png']) {
      const { status, headers, text } = await ask(login, { headers: { accept } });
      assert.deepEqual([status, headers.get('content-type')], [200, 'text/html; charset=utf-8']);
      assert.match(text, /<form method="post"/);
      assert.deepEqual([headers.get('cache-control'), headers.get('x-frame-options')], ['no-store', 'DENY']);
    }
    assert.equal((await ask(login, { method: 'HEAD' })).status, 200);
    assert.equal((await ask(login, { method: 'OPTIONS' })).status, 204);
    const deleted = await ask(login, { method: 'DELETE' });
    assert.deepEqual([deleted.status, deleted.headers.get('allow')], [405, 'GET, POST, HEAD, OPTIONS']);
    const { status, headers } = await ask('/auth/login?next=/api/v1/');
    assert.deepEqual([status, headers.get('location')], [301, '/auth/login/?next=/api/v1/']);
  });

  it('signs in with the right pair, for as long as the cookie is good', async (t) => {
    const { visit, signIn, cookies, accounts, folder, log } = await browse(t);
    assert.equal((await visit('/api/v1/users/me/')).status, 401);
    const { status, headers } = await signIn();
    assert.deepEqual([status, headers.get('location')], [302, '/']);
    const [session = ''] = headers.getSetCookie().filter((line) => line.startsWith('sessionid='));
    assert.match(session, /^sessionid=[\w-]{43}; Max-Age=1209\d{3}; HttpOnly; Path=\/; SameSite=Lax$/);
    assert.equal((await visit('/api/v1/users/me/')).body.username, 'bob');
    assert.equal((await visit('/api/v1/namespaces/secret/')).status, 200);
    const key = cookies.get('sessionid') ?? '';
    assert.ok(!(await readFile(folder.path('.catalogue/accounts.json'), 'utf8')).includes(key));
    assert.ok(!log.join('\n').includes(key));
    // Neither is a session a token, nor does it outlive its password.
    assert.equal((await visit('/api/v1/', { headers: { Authorization: `Token ${key}` } })).status, 401);
    await accounts.setPassword('bob', 'another one');
    assert.equal((await visit('/api/v1/users/me/')).status, 401);
    assert.equal((await visit('/api/v1/')).status, 200);
  });

  it('says who is signed in already', async (t) => {
    const { visit, signIn } = await browse(t);
    assert.match((await visit(login)).text, /Log in<\/a>/);
    await signIn();
    const { text } = await visit(login);
    assert.match(text, /href="[^"]*\/auth\/logout\/[^"]*"[^>]*>Log out bob</);
    assert.doesNotMatch(text, /Log in<\/a>/);
  });

  it('leads to the page that was wanted from its own link in the head, too', async (t) => {
    const { visit, signIn } = await browse(t);
    const { text } = await visit('/auth/login/?next=/api/v1/queries/%3Fpage%3D1');
    const [, path = ''] = /href="([^"]*\/auth\/login\/[^"]*)"/.exec(text) ?? [];
    assert.equal((await signIn(path)).headers.get('location'), '/api/v1/queries/?page=1');
  });

  it('says that a pair is wrong, and not which half', async (t) => {
    const { fill, cookies } = await browse(t);
    const texts = [];
    for (const fields of [
      { username: 'bob', password: 'no' },
      { username: 'x<b>', password },
      { username: '', password: '' },
    ]) {
      const { status, headers, text } = await fill(login, fields);
      assert.deepEqual([status, headers.get('content-type')], [200, 'text/html; charset=utf-8']);
      texts.push(/<p role="alert"[^>]*>.*?<\/p>/.exec(text)?.[0]);
      assert.ok(!text.includes('x<b>'));
    }
    assert.equal(new Set(texts).size, 1);
    assert.match(texts[0] ?? '', /correct username and password/);
    assert.ok(!cookies.has('sessionid'));
  });

  it('says in the language of the reader why it failed', async (t) => {
    const { fill } = await browse(t);
    const guess = (language: string) =>
      fill(login, { username: 'bob', password: 'no' }, { 'Accept-Language': language });
    assert.match((await guess('de')).text, /<p role="alert"[^>]*>Benutzername und Passwort passen nicht zusammen/);
    assert.match((await guess('fr')).text, /<p role="alert"[^>]*>Ce nom d’utilisateur/);
    for (let n = 0; n < 8; n++) await guess('en');
    assert.match((await guess('de')).text, /<p role="alert"[^>]*>Zu viele Versuche. In \d+ Sekunden geht es wieder/);
  });

  it('goes on to paths of this site, and nowhere else', async (t) => {
    const { signIn } = await browse(t);
    const targets = {
      '/api/v1/datasets/?a=b': '/api/v1/datasets/?a=b',
      'https://evil.example/': '/',
      '//evil.example/': '/',
      '/\\evil.example/': '/',
      '/\t/evil.example/': '/',
      '/.//evil.example/': '/',
      'javascript:alert(1)': '/',
      '/"><script>': '/%22%3E%3Cscript%3E',
    };
    for (const [next, location] of Object.entries(targets)) {
      const { headers } = await signIn(`${login}?next=${encodeURIComponent(next)}`);
      assert.equal(headers.get('location'), location, next);
    }
  });

  it('is held after too many guesses', async (t) => {
    const { fill } = await browse(t);
    let last: Answer | undefined;
    for (let n = 0; n < 11; n++) last = await fill(login, { username: 'bob', password: `guess ${n}` });
    assert.equal(last?.status, 429);
    assert.ok(Number(last?.headers.get('retry-after')) > 0);
    assert.match(last?.text ?? '', /Request was throttled/);
    // Whoever guessed here can't go on at the other door.
    const other = await fill(login, { username: 'bob', password });
    assert.equal(other.status, 429);
  });

  it('marks its cookies as secure where the site is', async (t) => {
    for (const settings of [{ base_url: 'https://data.example.org' }, { trust_proxy: true }]) {
      const { ask } = await browse(t, settings);
      const { headers } = await ask(login, { headers: { 'X-Forwarded-Proto': 'https' } });
      for (const line of headers.getSetCookie()) assert.match(line, /; Secure$/);
    }
  });
});

describe('cookies', () => {
  it('are those of the path of the catalogue, and sign-out ends sessions of other paths as well', async (t) => {
    const { signIn, visit, cookies, fill } = await browse(t, { base_url: 'https://data.example.org/open-data' });
    const { headers } = await signIn();
    const set = headers.getSetCookie();
    assert.equal(set.length, 2);
    for (const line of set) assert.match(line, /^(sessionid|csrftoken)=.*; Path=\/open-data\/; SameSite=Lax; Secure$/);
    // Of another program, or of this one before it had this path: browsers send the one with the longer path first.
    const before = cookies.get('sessionid') ?? '';
    cookies.delete('sessionid');
    await signIn();
    const both = `${cookies.get('sessionid')}; sessionid=${before}; sessionid=${'x'.repeat(43)}`;
    const me = async (key: string) =>
      (await visit('/api/v1/users/me/', { headers: { Cookie: `sessionid=${key}` } })).status;
    const statuses = async () => [await me(both), await me(before)];
    assert.deepEqual(await statuses(), [200, 200]);
    cookies.set('sessionid', both);
    const { status, headers: ended } = await fill(logout, {});
    assert.deepEqual([status, await statuses()], [302, [401, 401]]);
    const [forgotten] = ended.getSetCookie().filter((line) => line.startsWith('sessionid='));
    assert.match(forgotten ?? '', /^sessionid=; Max-Age=0; HttpOnly; Path=\/open-data\/;/);
  });
});

describe('a form', () => {
  it('of somebody else signs nobody in', async (t) => {
    const { visit, cookies, fill, base } = await browse(t);
    const body = () => new URLSearchParams({ username: 'bob', password, csrfmiddlewaretoken: 'x'.repeat(43) });
    const refused = async (answer: Answer) => {
      assert.deepEqual([answer.status, answer.headers.get('content-type')], [403, 'text/html; charset=utf-8']);
      assert.match(answer.text, /CSRF Failed/);
      assert.ok(!cookies.has('sessionid'));
    };
    await refused(await visit(login, { method: 'POST', body: body() }));
    await visit(login);
    await refused(await visit(login, { method: 'POST', body: body() }));
    await refused(await visit(login, { method: 'POST' }));
    for (const origin of ['https://evil.example', 'null'])
      await refused(await fill(login, { username: 'bob', password }, { Origin: origin }));
    assert.equal((await fill(login, { username: 'bob', password }, { Origin: new URL(base).origin })).status, 302);
  });
});

describe('a form that is older than the session', () => {
  it('comes again, and signs in when it is sent once more', async (t) => {
    const { visit, fieldOf, signIn, cookies } = await browse(t);
    const path = `${login}?next=/api/v1/namespaces/`;
    const send = (page: Answer) => {
      const hidden = { csrfmiddlewaretoken: fieldOf(page, 'csrfmiddlewaretoken'), next: fieldOf(page, 'next') };
      return visit(path, { method: 'POST', body: new URLSearchParams({ ...hidden, username: 'bob', password }) });
    };
    const otherTab = await visit(path);
    await signIn();
    const again = await send(otherTab);
    assert.equal(again.status, 403);
    assert.match(again.text, /<p role="alert"[^>]*>This form was out of date.*Send it once more.*allow cookies/);
    assert.equal(fieldOf(again, 'next'), '/api/v1/namespaces/');
    assert.match(again.text, /name="username" value="bob"/);
    const { status, headers } = await send(again);
    assert.deepEqual([status, headers.get('location')], [302, '/api/v1/namespaces/']);
    // Without cookies there is no end, but a reason.
    cookies.clear();
    const page = await visit(path);
    cookies.clear();
    assert.match((await send(page)).text, /<p role="alert"[^>]*>.*allow cookies for this site/);
  });

  it('comes again, and signs out when it is sent once more', async (t) => {
    const { visit, fieldOf, signIn, cookies } = await browse(t);
    await signIn();
    const path = `${logout}?next=/api/v1/namespaces/`;
    const send = (page: Answer) =>
      visit(path, {
        method: 'POST',
        body: new URLSearchParams({ csrfmiddlewaretoken: fieldOf(page, 'csrfmiddlewaretoken'), next: '/api/v1/' }),
      });
    const otherTab = await visit(path);
    await signIn();
    const again = await send(otherTab);
    assert.equal(again.status, 403);
    assert.match(again.text, /<p role="alert"[^>]*>This form was out of date.*logged in as bob/);
    assert.equal((await send(again)).status, 302);
    assert.ok(!cookies.has('sessionid'));
  });
});

describe('the logout page', () => {
  it('makes the browser forget its session on a read-only server, too', async (t) => {
    const { signIn, cookies, folder } = await browse(t);
    await signIn();
    const closed = await serveFolder(folder.root, { readOnly: true });
    t.after(() => closed.close());
    const headers = { Cookie: [...cookies].map(([name, value]) => `${name}=${value}`).join('; ') };
    const page = await (await fetch(closed.base + logout, { headers })).text();
    const [, csrfmiddlewaretoken = ''] = /name="csrfmiddlewaretoken" value="([^"]*)"/.exec(page) ?? [];
    const answer = await fetch(closed.base + logout, {
      method: 'POST',
      body: new URLSearchParams({ csrfmiddlewaretoken }),
      headers: { ...headers, Origin: closed.base },
      redirect: 'manual',
    });
    assert.equal(answer.status, 302);
    assert.ok(answer.headers.getSetCookie().some((line) => /^sessionid=;.*Max-Age=0/.test(line)));
  });

  it('asks, and ends the session for good', async (t) => {
    const { visit, signIn, fill, cookies } = await browse(t);
    const nobody = await visit(logout);
    assert.deepEqual([nobody.status, nobody.headers.get('location')], [302, '/api/v1/']);
    const ended = await visit(`${logout}?next=/api/v1/datasets/`);
    assert.equal(ended.headers.get('location'), '/api/v1/datasets/', 'the session has ended in another tab');
    await signIn();
    const key = cookies.get('sessionid') ?? '';
    assert.match((await visit(logout)).text, /logged in as bob/);
    assert.equal((await visit('/api/v1/users/me/')).status, 200, 'a look at the page ends nothing');
    assert.equal((await visit(logout, { method: 'POST' })).status, 403);
    const { status, headers } = await fill(logout, {});
    assert.deepEqual([status, headers.get('location')], [302, '/']);
    assert.ok(!cookies.has('sessionid'));
    cookies.set('sessionid', key);
    assert.equal((await visit('/api/v1/users/me/')).status, 401);
  });
});

describe('a session', () => {
  it('writes with the header that only pages of ours can send', async (t) => {
    const { visit, signIn, cookies } = await browse(t);
    await signIn();
    const write = (headers: Record<string, string>) =>
      visit('/api/v1/namespaces/parks/', {
        method: 'PATCH',
        body: '{"description":"Green"}',
        headers: { 'Content-Type': 'application/json', ...headers },
      });
    const csrf = cookies.get('csrftoken') ?? '';
    for (const headers of [{}, { 'X-CSRFToken': '' }, { 'X-CSRFToken': 'x'.repeat(43) }]) {
      const { status, body } = await write(headers);
      assert.deepEqual([status, body], [403, { detail: 'CSRF Failed: CSRF token missing or incorrect.' }]);
    }
    assert.equal((await write({ 'X-CSRFToken': csrf, Origin: 'https://evil.example' })).status, 403);
    assert.equal((await write({ 'X-CSRFToken': csrf })).status, 200);
  });

  it('that never was counts as none', async (t) => {
    const { visit, cookies } = await browse(t);
    cookies.set('sessionid', 'x'.repeat(43));
    assert.equal((await visit('/api/v1/')).status, 200);
    assert.equal((await visit('/api/v1/namespaces/secret/')).status, 404);
    assert.equal((await visit('/api/v1/users/me/')).status, 401);
  });

  it('of before ends when somebody signs in anew, and forms of before count no more', async (t) => {
    const { visit, signIn, cookies } = await browse(t);
    await signIn();
    const [key, csrf] = [cookies.get('sessionid') ?? '', cookies.get('csrftoken')];
    await signIn();
    assert.notEqual(cookies.get('csrftoken'), csrf);
    cookies.set('sessionid', key);
    assert.equal((await visit('/api/v1/users/me/')).status, 401);
  });
});
