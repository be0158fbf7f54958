/** Attacks on sign-in: guesses from many places, a stolen token, and cookies that another site sets. */
import assert from 'node:assert/strict';
import crypto from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import type { IncomingMessage } from 'node:http';
import { describe, it, type TestContext } from 'node:test';
import type { Accounts } from '../../src/catalogue/accounts.ts';
import type { Settings } from '../../src/catalogue/types.ts';
import { ThrottledError } from '../../src/server/errors.ts';
import { SignIn } from '../../src/server/sign-in.ts';
import { serveAccounts } from '../support/accounts.ts';
import { replaceBuiltin } from '../support/builtin.ts';
import { type } from '../support/prompt.ts';

const password = 'builder 7305';
const obtain = '/api/v1/auth/token/obtain/';

/** Writes a file whenever a password has been hashed, before it is compared with the stored one. */
function writeDuringVerification(test: TestContext, file: string, text: string): void {
  const { scrypt } = crypto;
  replaceBuiltin(test, crypto, 'scrypt', (...given) => {
    const done = given.pop();
    scrypt(...(given as [string, string, number, object]), (...found) => {
      writeFileSync(file, text);
      done(...found);
    });
  });
}

describe('guesses', () => {
  const accounts = {
    verifyPassword: async (_: string, given: string) => (given === password ? 'hash' : null),
  } as unknown as Accounts;
  const settings = { trust_proxy: true } as Settings;
  const from = (address: string) =>
    ({ headers: { 'x-forwarded-for': address }, socket: {} }) as unknown as IncomingMessage;

  it('from one address keep nobody out elsewhere', async (test) => {
    const { accounts: real, ask } = await serveAccounts(test, { trust_proxy: true });
    await real.setPassword('bob', password);
    const signIn = (given: string, address: string) =>
      ask(obtain, {
        method: 'POST',
        body: JSON.stringify({ username: 'bob', password: given }),
        headers: { 'Content-Type': 'application/json', 'X-Forwarded-For': address },
      });
    for (let n = 0; n < 12; n++) await signIn('wrong', '192.0.2.1');
    assert.equal((await signIn(password, '192.0.2.1')).status, 429);
    assert.equal((await signIn(password, '192.0.2.2')).status, 200);
    // A right password elsewhere is no pardon.
    assert.equal((await signIn(password, '192.0.2.1')).status, 429);
  });

  it('from many addresses of one site are held together', async () => {
    const signIn = new SignIn(accounts);
    const guess = (site: string, n: number) =>
      signIn.verifyPassword(from(`2001:db8:${site}:${n.toString(16)}::1`), settings, `user${n}`, 'wrong');
    for (let n = 0; n < 400; n++) assert.equal(await guess('7', n), null);
    await assert.rejects(guess('7', 400), ThrottledError);
    assert.equal(await guess('8', 400), null);
  });

  it('from many addresses are held by the name, which a right password passes', async () => {
    const signIn = new SignIn(accounts);
    const guess = (n: number, given = 'wrong') => signIn.verifyPassword(from(`192.0.2.${n}`), settings, 'bob', given);
    for (let n = 0; n < 100; n++) assert.equal(await guess(n), null);
    await assert.rejects(guess(100), (error) => error instanceof ThrottledError && error.seconds > 300);
    assert.equal(await guess(101, password), 'hash');
    assert.equal(await guess(101, password), 'hash');
    await assert.rejects(guess(102), ThrottledError);
    assert.equal(await signIn.verifyPassword(from('192.0.2.103'), settings, 'alice', 'wrong'), null);
  });
});

describe('attempts at once', () => {
  const from = (address: string) => ({ headers: {}, socket: { remoteAddress: address } }) as unknown as IncomingMessage;
  const slow = {
    verifyPassword: (_: string, given: string) =>
      new Promise((resolve) => setImmediate(() => resolve(given === password ? 'hash' : null))),
  } as unknown as Accounts;
  const outcomes = async (attempts: readonly Promise<string | null>[]) =>
    (await Promise.allSettled(attempts)).map((one) =>
      one.status === 'fulfilled'
        ? one.value
        : one.reason instanceof ThrottledError
          ? one.reason.seconds > 250
          : 'failed',
    );

  it('with the right password all sign in, however many', async () => {
    const signIn = new SignIn(slow);
    const same = Array.from({ length: 12 }, () =>
      signIn.verifyPassword(from('192.0.2.1'), {} as Settings, 'bob', password),
    );
    assert.deepEqual(await outcomes(same), Array(12).fill('hash'));
    const course = Array.from({ length: 60 }, (_, n) =>
      signIn.verifyPassword(from('192.0.2.2'), {} as Settings, `user${n}`, password),
    );
    assert.deepEqual(await outcomes(course), Array(60).fill('hash'));
  });

  it('with a wrong one wait for those before, and are held', async () => {
    const signIn = new SignIn(slow);
    const guesses = Array.from({ length: 13 }, () =>
      signIn.verifyPassword(from('192.0.2.1'), {} as Settings, 'bob', 'x'),
    );
    assert.deepEqual(await outcomes(guesses), [...Array(10).fill(null), true, true, true]);
  });

  it('of which too many wait are asked to come again in a second', async () => {
    const signIn = new SignIn(slow);
    const many = Array.from({ length: 160 }, () =>
      signIn.verifyPassword(from('192.0.2.1'), {} as Settings, 'bob', password),
    );
    const found = await outcomes(many);
    assert.equal(found.filter((one) => one === 'hash').length, 110);
    const last = signIn.verifyPassword(from('192.0.2.1'), {} as Settings, 'bob', password);
    assert.equal(await last, 'hash');
  });
});

describe('a password', () => {
  it('is not changed with a token or a session alone', async (test) => {
    const { accounts, send, ask } = await serveAccounts(test);
    await accounts.setPassword('bob', password);
    const { token } = await accounts.addToken('bob');
    const change = (body: object, path = '/api/v1/users/me/') =>
      send('PATCH', path, { password: 'mine now 1', ...body }, token);
    for (const path of ['/api/v1/users/me/', '/api/v1/users/bob/']) {
      const alone = await change({}, path);
      assert.deepEqual([alone.status, alone.body], [400, { current_password: ['This field is required.'] }]);
      const wrong = await change({ current_password: 'wrong' }, path);
      assert.deepEqual([wrong.status, wrong.body], [400, { current_password: ['The current password is not right.'] }]);
      assert.equal((await send('PUT', path, { username: 'bob', password: 'mine now 1' }, token)).status, 400);
    }
    const { key } = await accounts.startSession('bob');
    const page = await ask('/auth/logout/', { headers: { Cookie: `sessionid=${key}` } });
    const csrf = /csrftoken=([\w-]+)/.exec(page.headers.getSetCookie().join())?.[1] ?? '';
    const headers = {
      Cookie: `sessionid=${key}; csrftoken=${csrf}`,
      'X-CSRFToken': csrf,
      'Content-Type': 'application/json',
    };
    const bySession = (body: object) =>
      ask('/api/v1/users/me/', { method: 'PATCH', headers, body: JSON.stringify(body) });
    assert.equal((await bySession({ name: 'Bob' })).status, 200);
    assert.equal((await bySession({ password: 'mine now 1' })).status, 400);
    assert.ok(await accounts.verifyPassword('bob', password));
    const right = await change({ current_password: password });
    assert.equal(right.status, 200, right.text);
    assert.ok(!/password|keep_tokens/.test(right.text));
    assert.ok(await accounts.verifyPassword('bob', 'mine now 1'));
  });

  it('is not guessed with a token, either', async (test) => {
    const { accounts, send } = await serveAccounts(test);
    await accounts.setPassword('bob', password);
    const { token } = await accounts.addToken('bob');
    const guess = (n: number) =>
      send('PATCH', '/api/v1/users/me/', { password: 'mine now 1', current_password: `${n}` }, token);
    const answers = await Promise.all(Array.from({ length: 12 }, (_, n) => guess(n)));
    assert.equal(answers.filter(({ status }) => status === 429).length, 2);
  });

  it('that changes ends the tokens of its user, unless they are kept', async (test) => {
    const { accounts, send, ask } = await serveAccounts(test);
    await accounts.setPassword('bob', password);
    const [alice, bob, eve] = await Promise.all(['alice', 'bob', 'eve'].map((name) => accounts.addToken(name)));
    const isValid = async (token = '') => (await ask('/api/v1/', {}, token)).status === 200;
    const mine = { password: 'mine now 1', current_password: password, keep_tokens: true };
    assert.equal((await send('PATCH', '/api/v1/users/me/', mine, bob?.token)).status, 200);
    assert.deepEqual(await Promise.all([isValid(bob?.token), isValid(eve?.token)]), [true, true]);
    // Staff need no other password.
    assert.equal((await send('PATCH', '/api/v1/users/bob/', { password: 'yours now 1' }, alice?.token)).status, 200);
    assert.deepEqual(await Promise.all([isValid(bob?.token), isValid(eve?.token), isValid(alice?.token)]), [
      false,
      true,
      true,
    ]);
    const options = await ask('/api/v1/users/bob/', { method: 'OPTIONS' }, alice?.token);
    const { current_password, keep_tokens } = options.body.actions.PUT;
    assert.deepEqual([current_password.type, keep_tokens.type], ['string', 'boolean']);
  });

  it('that changes while somebody signs in with the former one lets nobody in', async (test) => {
    const { accounts, send, ask, folder } = await serveAccounts(test);
    const file = folder.path('.catalogue/accounts.json');
    const textWith = async (secret: string) => {
      await accounts.setPassword('bob', secret);
      return readFileSync(file, 'utf8');
    };
    const [changed, before] = [await textWith('mine now 1'), await textWith(password)];
    writeDuringVerification(test, file, changed);
    const obtained = await send('POST', obtain, { username: 'bob', password });
    assert.deepEqual(
      [obtained.status, obtained.body],
      [400, { non_field_errors: ['Unable to log in with provided credentials.'] }],
    );
    const page = await ask('/auth/login/');
    const csrf = /csrftoken=([\w-]+)/.exec(page.headers.getSetCookie().join())?.[1] ?? '';
    writeFileSync(file, before);
    const body = new URLSearchParams({ username: 'bob', password, csrfmiddlewaretoken: csrf });
    const headers = { Cookie: `csrftoken=${csrf}` };
    const answer = await ask('/auth/login/', { method: 'POST', body, headers });
    assert.equal(answer.status, 200, answer.text);
    assert.match(answer.text, /correct username and password/);
    assert.doesNotMatch(answer.headers.getSetCookie().join(), /sessionid=/);
    assert.equal(readFileSync(file, 'utf8'), changed);
  });

  it('that changes while its user changes the former one stays as it is', async (test) => {
    const { accounts, send, folder } = await serveAccounts(test);
    const file = folder.path('.catalogue/accounts.json');
    await accounts.setPassword('bob', password);
    const { token } = await accounts.addToken('bob');
    const before = readFileSync(file, 'utf8');
    await accounts.setPassword('bob', 'theirs now 1', { keepTokens: true });
    const changed = readFileSync(file, 'utf8');
    writeFileSync(file, before);
    writeDuringVerification(test, file, changed);
    const mine = { password: 'mine now 1', current_password: password };
    const { status, body } = await send('PATCH', '/api/v1/users/me/', mine, token);
    assert.deepEqual([status, body], [400, { current_password: ['The current password is not right.'] }]);
    const passwords = (text: string) => JSON.parse(text).passwords;
    assert.deepEqual(passwords(readFileSync(file, 'utf8')), passwords(changed));
  });

  it('is changed at the prompt of a remote with the current one', async (test) => {
    const { accounts, base } = await serveAccounts(test);
    await accounts.setPassword('bob', password);
    const { token } = await accounts.addToken('bob');
    const env = { CATALOGUE_TOKEN: token };
    const words = ['user', 'passwd', 'bob', '--remote', base];
    const without = await type([...words, '--password-stdin'], { env, files: { '-': 'mine now 1\n' } });
    assert.deepEqual([without.exitCode, without.err], [2, 'error: current_password: This field is required.\n']);
    const secrets = ['mine now 1', 'mine now 1', 'the answer about tokens', password];
    const typed = await type(words, { env, terminal: true, answer: true, secrets });
    assert.equal(typed.exitCode, 0, typed.err);
    assert.deepEqual(typed.questions.at(-1), 'Current password of bob:');
    const piped = await type([...words, '--password-stdin'], { env, files: { '-': `mine now 2\nmine now 1\n` } });
    assert.match(
      piped.err,
      /1 token of bob has ended\. If you are signed in as bob, sign in again: catalogue login \S+\n$/,
    );
    assert.ok(await accounts.verifyPassword('bob', 'mine now 2'));
    assert.deepEqual(await accounts.tokens('bob'), []);
  });
});

describe('the CSRF token', () => {
  it('is that of the session, and not a cookie that another site has set', async (test) => {
    const { accounts, ask } = await serveAccounts(test);
    await accounts.setPassword('bob', password);
    const { key } = await accounts.startSession('bob');
    const { key: other } = await accounts.startSession('eve');
    const tokenOf = async (session: string) => {
      const page = await ask('/auth/logout/', { headers: { Cookie: `sessionid=${session}` } });
      const cookie = /csrftoken=([\w-]+)/.exec(page.headers.getSetCookie().join())?.[1] ?? '';
      assert.ok(page.text.includes(`value="${cookie}"`));
      return cookie;
    };
    const own = await tokenOf(key);
    assert.equal(await tokenOf(key), own);
    const write = (cookie: string, given: string) =>
      ask('/api/v1/users/me/', {
        method: 'PATCH',
        body: '{"name": "Bob"}',
        headers: {
          Cookie: `sessionid=${key}; csrftoken=${cookie}`,
          'X-CSRFToken': given,
          'Content-Type': 'application/json',
        },
      });
    const logOut = (cookie: string, given: string) =>
      ask('/auth/logout/', {
        method: 'POST',
        body: new URLSearchParams({ csrfmiddlewaretoken: given }),
        headers: { Cookie: `sessionid=${key}; csrftoken=${cookie}` },
      });
    for (const planted of ['x'.repeat(43), await tokenOf(other), '', key]) {
      assert.equal((await write(planted, planted)).status, 403);
      assert.equal((await logOut(planted, planted)).status, 403);
    }
    assert.equal((await write('x'.repeat(43), own)).status, 200);
    assert.equal((await write(own, own)).status, 200);
    assert.equal((await logOut(own, own)).status, 302);
  });
});
