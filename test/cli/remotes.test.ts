/** Remotes at a prompt: their names, who one is there, which catalogue is meant, and what is said where none answers. */
import assert from 'node:assert/strict';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readFileSync,
  renameSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import { parseCatalogueUrl } from '../../src/catalogue/urls.ts';
import { isUnencrypted } from '../../src/cli/remote/remotes.ts';
import { changeRemotes, configurationFolder } from '../../src/cli/remote/remotes-file.ts';
import { openRemoteCatalogue } from '../../src/remote/remote-catalogue.ts';
import { serveAccounts } from '../support/accounts.ts';
import { freePort } from '../support/free-port.ts';
import { makeRoot, type PromptOptions, type Result, type } from '../support/prompt.ts';
import { serveStranger } from '../support/stranger.ts';

/** Somebody with a configuration of their own, and a catalogue in a folder. */
async function person() {
  const root = await makeRoot();
  const file = join(dirname(root), '.config', 'catalogue', 'remotes.json');
  const at = (line: string, options: PromptOptions = {}): Promise<Result> =>
    type(line.split(' '), { root, ...options });
  const done = async (line: string, options: PromptOptions = {}) => {
    const result = await at(line, options);
    assert.equal(result.exitCode, 0, `${line}: ${result.err}`);
    return result;
  };
  const env: NodeJS.ProcessEnv = { XDG_CONFIG_HOME: join(dirname(root), '.config') };
  return { root, file, at, done, env, text: () => (existsSync(file) ? readFileSync(file, 'utf8') : '') };
}

/** A server with users, of whom bob has a password. */
async function withServer(test: TestContext) {
  const server = await serveAccounts(test);
  await server.accounts.setPassword('bob', 'builder 7305');
  const someone = await person();
  await someone.done(`remote add prod ${server.base}`);
  return { ...server, ...someone };
}
const signIn: PromptOptions = { terminal: true, secrets: ['bob', 'builder 7305'] };

describe('the configuration', () => {
  it('lies where the system has such things', () => {
    const at = (env: NodeJS.ProcessEnv, platform: NodeJS.Platform = 'linux') => configurationFolder(env, platform);
    assert.equal(at({ XDG_CONFIG_HOME: '/x', HOME: '/h' }), '/x/catalogue');
    assert.equal(at({ XDG_CONFIG_HOME: 'x', HOME: '/h' }), '/h/.config/catalogue');
    assert.equal(at({ XDG_CONFIG_HOME: '', HOME: '/h' }), '/h/.config/catalogue');
    assert.equal(at({ APPDATA: '/roaming', XDG_CONFIG_HOME: '/x' }, 'win32'), '/roaming/catalogue');
    assert.ok(at({}).endsWith('/.config/catalogue'));
  });

  it('is for its owner’s eyes only, and closed again where it was opened', async () => {
    const { done, file } = await person();
    await done('remote add prod https://data.example.org');
    const modes = () => [file, dirname(file)].map((path) => statSync(path).mode & 0o777);
    assert.deepEqual(modes(), [0o600, 0o700]);
    for (const command of ['remote list', 'remote add other https://other.example.org']) {
      chmodSync(file, 0o644);
      chmodSync(dirname(file), 0o755);
      await done(command);
      assert.deepEqual(modes(), [0o600, 0o700], command);
    }
  });

  it('that is a symbolic link is named with its whole path, and left as it is', async () => {
    const { at, done, file } = await person();
    await done('remote add prod https://data.example.org');
    renameSync(file, `${file}.real`);
    symlinkSync(`${file}.real`, file);
    const { exitCode, err } = await at('remote add other https://other.example.org');
    assert.equal(exitCode, 5);
    assert.equal(
      err,
      `error: ${file} is a symbolic link, which a write would replace: put a copy of the file in its place.\n`,
    );
    assert.doesNotMatch(readFileSync(file, 'utf8'), /other/);
  });

  it('that is damaged is named, and left as it is; nothing of it is shown', async () => {
    const { at, file } = await person();
    mkdirSync(dirname(file), { recursive: true });
    const secret = 'f'.repeat(40);
    for (const text of [
      `{"token": "${secret}`,
      'null',
      '[]',
      '{}',
      `{"remotes":[{"name":"a"}],"logins":[]}`,
      `{"remotes":[],"logins":[{"url":"https://a","token":"${secret}"}]}`,
    ]) {
      writeFileSync(file, text);
      for (const line of ['remote list', 'remote add a https://a.example', 'dataset list --remote a']) {
        const { exitCode, out, err } = await at(line);
        assert.deepEqual([exitCode, out], [1, ''], text);
        assert.ok(err.startsWith(`error: ${file} is damaged`) && !err.includes(secret), err);
        assert.equal(readFileSync(file, 'utf8'), text);
      }
    }
  });

  it('loses nothing where several write at once', async () => {
    const { env, done } = await person();
    const names = Array.from({ length: 12 }, (_, i) => `r${i}`);
    await Promise.all(
      names.map((name) =>
        changeRemotes(env, (data) => ({
          ...data,
          remotes: [...data.remotes, { name, url: `https://${name}.example` }],
        })),
      ),
    );
    const { out } = await done('remote list --json');
    assert.deepEqual(
      JSON.parse(out)
        .map(({ name }: { name: string }) => name)
        .sort(),
      [...names].sort(),
    );
  });
});

describe('an address', () => {
  it('has one spelling, which is that of programs too', async () => {
    const spellings = {
      'https://data.example.org': [
        'https://data.example.org/',
        'HTTPS://Data.Example.org:443',
        'https://data.example.org/api/v1/',
        'https://data.example.org/api/v1',
      ],
      'http://localhost:8000': ['http://localhost:8000/', 'http://localhost:8000/api/v1/'],
      'https://example.org/data': ['https://example.org/data/', 'https://example.org/data/api/v1/'],
    };
    for (const [url, others] of Object.entries(spellings))
      for (const text of [url, ...others]) {
        assert.equal(parseCatalogueUrl(text), url, text);
        const catalogue = await openRemoteCatalogue(text);
        assert.equal(catalogue.settings.base_url, url, text);
        await catalogue.close();
      }
  });

  it('that is none is told with what it might be', () => {
    const told = (text: string) => {
      try {
        return parseCatalogueUrl(text);
      } catch (error) {
        return (error as Error).message;
      }
    };
    assert.match(
      told('data.example.org'),
      /^data\.example\.org isn't an address\. .*Is it https:\/\/data\.example\.org\?$/,
    );
    assert.match(told('localhost:8000'), /^localhost:8000 isn't an address\. Is it http:\/\/localhost:8000\?$/);
    assert.match(told('ftp://data.example.org'), /^ftp:\/\/ is no web address/);
    for (const text of [
      'https://',
      'http://a b/',
      'https://a.example?x=1',
      'https://a.example#x',
      'https://u:pa@ss word@a',
    ])
      assert.match(told(text), /address/, text);
    for (const text of ['https://bob:sesame@a.example', 'https://sesame@a.example', 'https://bob:sesame@a b/']) {
      assert.match(told(text), /address/);
      assert.ok(!told(text).includes('sesame'), text);
    }
  });

  it('may be one to which tokens go unencrypted', () => {
    const http = [
      'http://localhost:1',
      'http://127.0.0.1',
      'http://127.8.8.8:80',
      'http://[::1]:9',
      'http://a.localhost',
    ];
    for (const url of [...http, 'https://data.example.org']) assert.equal(isUnencrypted(url), false, url);
    for (const url of ['http://data.example.org', 'http://localhost.example.org', 'http://10.0.0.1'])
      assert.equal(isUnencrypted(url), true, url);
  });
});

describe('remote', () => {
  it('is added, listed and removed', async () => {
    const { at, done, text } = await person();
    assert.equal(
      (await done('remote list', { terminal: true })).err,
      'No remotes. Add one with: catalogue remote add NAME URL\n',
    );
    assert.equal((await done('remote list --json')).out, '[]\n');
    const dry = await done('remote add prod https://data.example.org --dry-run');
    assert.deepEqual([dry.out, text()], ['Would add remote prod: https://data.example.org\n', '']);
    const added = await done('remote add prod https://data.example.org/api/v1/');
    assert.deepEqual([added.out, added.err], ['', 'Added remote prod: https://data.example.org\n']);
    const json = await done('remote add test https://test.example.org --json');
    const test = { name: 'test', url: 'https://test.example.org', user: null, expires: null };
    assert.deepEqual(JSON.parse(json.out), test);
    assert.equal(
      (await done('remote list')).out,
      'prod\thttps://data.example.org\t\ntest\thttps://test.example.org\t\n',
    );
    assert.match((await done('remote list', { terminal: true })).out, /^NAME +URL +SIGNED IN AS\n/);

    const again = await at('remote add prod https://other.example.org');
    assert.equal(again.exitCode, 5);
    assert.match(
      again.err,
      /There is a remote prod already: https:\/\/data\.example\.org\. Remove it first: catalogue remote remove prod/,
    );
    assert.equal((await at('remote remove prod')).exitCode, 2);
    assert.equal(
      (await done('remote remove prod --dry-run')).out,
      'Would remove remote prod: https://data.example.org\n',
    );
    const { questions, err } = await done('remote remove prod', { terminal: true, answer: true });
    assert.deepEqual([questions, err], [['Remove remote prod?'], 'Removed remote prod: https://data.example.org\n']);
    const gone = await at('remote remove prod --yes');
    assert.equal(gone.exitCode, 3);
    assert.match(
      gone.err,
      /There is no remote prod\. Known remotes: test\. Add it with: catalogue remote add prod URL/,
    );
    assert.deepEqual(JSON.parse((await done('remote list --json')).out), [test]);
  });

  it('has a name that is one, and an address that is one', async () => {
    const { at, text } = await person();
    for (const name of ['a/b', '.a', '-', 'https://a.example', 'ä'])
      assert.equal(
        (await type(['remote', 'add', '--', name, 'https://a.example'], { root: (await person()).root })).exitCode,
        2,
        name,
      );
    for (const url of ['data.example.org', 'https://bob:sesame@data.example.org']) {
      const { exitCode, out, err } = await at(`remote add prod ${url}`);
      assert.equal(exitCode, 2);
      assert.ok(!`${out}${err}`.includes('sesame'));
    }
    assert.equal(text(), '');
    assert.match(
      (await at('remote add prod http://data.example.org')).err,
      /tokens can be read on the way\. Use https/,
    );
    assert.doesNotMatch((await at('remote add here http://localhost:8000')).err, /on the way/);
  });
});

describe('login', () => {
  it('asks for name and password, keeps a token and shows it nowhere', async (t) => {
    const { done, text, base, accounts } = await withServer(t);
    const result = await done('login prod', signIn);
    const { host } = new URL(base);
    assert.deepEqual(result.questions, [`User name at ${host}:`, `Password of bob at ${host}:`]);
    assert.match(result.err, /^Signed in to prod as bob until \d{4}-\d\d-\d\d\.\n$/);
    const [{ token, user, id, expires }] = JSON.parse(text()).logins;
    assert.equal((await accounts.viewerByToken(token))?.username, 'bob');
    assert.deepEqual([user, id], ['bob', (await accounts.tokens('bob'))[0]?.id]);
    assert.ok(!text().includes('builder'));
    const lines = [
      'remote list',
      'remote list --json',
      'dataset list --remote prod --verbose',
      'token list --remote prod --json',
    ];
    const said = [result, ...(await Promise.all(lines.map((line) => done(line))))];
    for (const { out, err } of said) assert.ok(!`${out}${err}`.includes(token), out);
    assert.equal(said[1]?.out, `prod\t${base}\tbob\n`);
    assert.deepEqual(JSON.parse(said[2]?.out ?? ''), [{ name: 'prod', url: base, user: 'bob', expires }]);
    // The name is an alias: at the address one is the same.
    assert.match((await done(`namespace list --remote ${base}`)).out, /secret/);
  });

  it('reads the password or a token from stdin, where nobody can be asked', async (t) => {
    const { at, done, text, accounts, base } = await withServer(t);
    for (const line of ['login prod', 'login prod --username bob', 'login prod --password-stdin']) {
      const { exitCode, err } = await at(line);
      assert.equal(exitCode, 2, line);
      assert.match(err, /--username NAME with --password-stdin, or --token-stdin/);
    }
    await done('login prod --username bob --password-stdin', { files: { '-': 'builder 7305\n' } });
    const { token } = await accounts.addToken('eve', { scope: 'read' });
    const { err } = await done(`login ${base}/api/v1/ --token-stdin`, { files: { '-': `${token}\n` } });
    assert.equal(err, 'Signed in to prod as eve.\n');
    assert.deepEqual(JSON.parse(text()).logins, [{ url: base, user: 'eve', token, id: null, expires: null }]);
    const json = await done('login prod --username bob --password-stdin --json', { files: { '-': 'builder 7305' } });
    assert.deepEqual(Object.keys(JSON.parse(json.out)), ['name', 'url', 'user', 'expires']);
  });

  it('at an address needs no name, and is listed all the same', async (t) => {
    const { base, accounts } = await serveAccounts(t);
    const { done } = await person();
    const { token } = await accounts.addToken('eve');
    assert.equal(
      (await done(`login ${base} --token-stdin`, { files: { '-': token } })).err,
      `Signed in to ${base} as eve.\n`,
    );
    assert.deepEqual((await done('remote list')).out, `\t${base}\teve\n`);
    await done(`logout ${base}`);
    assert.equal((await done('remote list')).out, '');
  });

  it('is refused with what is wrong, and keeps nothing', async (t) => {
    const { at, text, accounts } = await withServer(t);
    const before = text();
    const wrong = await at('login prod', { terminal: true, secrets: ['bob', 'wrong'] });
    assert.deepEqual([wrong.exitCode, wrong.err], [4, 'error: The user name or the password is not right.\n']);
    const { token } = await accounts.addToken('bob', { expires: new Date(Date.now() + 1) });
    for (const [given, exitCode, said] of [
      [token, 4, 'error: Invalid token.\n'],
      ['two words', 2, 'error: The text in stdin is not a token: a token has no blanks or line breaks.\n'],
      ['\n', 2, 'error: There is no token in stdin.\n'],
    ] as const) {
      const { exitCode: code, err } = await at('login prod --token-stdin', { files: { '-': given } });
      assert.deepEqual([code, err], [exitCode, said]);
    }
    for (const secrets of [[''], ['bob', '']])
      assert.equal((await at('login prod', { terminal: true, secrets })).exitCode, 1);
    assert.equal((await at('login prod --token-stdin --username bob')).exitCode, 2);
    assert.equal((await at('login nowhere')).exitCode, 3);
    assert.equal((await at('login')).exitCode, 2);
    assert.equal(text(), before);
  });

  it('is over with logout: here, and there where the token was obtained', async (t) => {
    const { at, done, text, accounts } = await withServer(t);
    assert.equal((await done('logout prod')).err, 'You are not signed in to prod.\n');
    await done('login prod', signIn);
    assert.equal((await done('logout prod')).err, 'Signed out of prod.\n');
    assert.deepEqual([JSON.parse(text()).logins, await accounts.tokens()], [[], []]);

    const { token } = await accounts.addToken('eve');
    await done('login prod --token-stdin', { files: { '-': token } });
    assert.match(
      (await done('logout prod')).err,
      /^Signed out of prod\. The token was given with --token-stdin and stays valid\. To remove it, sign in and type: catalogue token remove ID --remote prod\n$/,
    );
    assert.equal((await accounts.tokens()).length, 1);
    assert.equal((await at('logout nowhere')).exitCode, 3);
  });

  it('is over here even where the server is gone, or has revoked the token itself', async (t) => {
    const { done, text, accounts, close } = await withServer(t);
    await done('login prod', signIn);
    for (const { id } of await accounts.tokens()) await accounts.removeToken(id);
    assert.equal((await done('logout prod')).err, 'Signed out of prod.\n');
    await done('login prod', signIn);
    await close();
    const { err } = await done('logout prod');
    assert.match(
      err,
      /^Signed out of prod\. The token was removed from this computer, but stays valid on the server until \d{4}-\d\d-\d\d: Nobody answers/,
    );
    assert.deepEqual(JSON.parse(text()).logins, []);
  });

  it('goes with the last remote that has the address', async (t) => {
    const { done, text, base } = await withServer(t);
    await done(`remote add same ${base}`);
    await done('login prod', signIn);
    await done('remote remove prod --yes');
    assert.equal(JSON.parse(text()).logins.length, 1);
    await done('remote remove same --yes');
    assert.deepEqual(JSON.parse(text()), { remotes: [], logins: [] });
  });
});

describe('what is meant', () => {
  it('is an option before the environment, and a remote before a folder there', async (t) => {
    const { done, at, base } = await withServer(t);
    const remote = 'parks\nwater\n';
    const names = async (line: string, env: NodeJS.ProcessEnv = {}) => {
      const { out, opened } = await done(line, { env });
      return [out.replace(/\t.*$/gm, ''), opened.length];
    };
    assert.deepEqual(await names('namespace list --remote prod'), [remote, 0]);
    assert.deepEqual(await names(`--remote ${base} namespace list`), [remote, 0]);
    assert.deepEqual(await names('namespace list', { CATALOGUE_REMOTE: 'prod' }), [remote, 0]);
    assert.deepEqual(await names('namespace list --remote prod', { CATALOGUE_REMOTE: 'nowhere' }), [remote, 0]);
    const here = await names('namespace list', { CATALOGUE_REMOTE: '' });
    assert.equal(here[1], 1);
    assert.deepEqual(await names('namespace list --data catalogue-data', { CATALOGUE_REMOTE: 'prod' }), here);
    const unknown = await at('namespace list --remote pord');
    assert.equal(unknown.exitCode, 3);
    assert.equal(
      unknown.err,
      'error: There is no remote pord. Did you mean prod? Add it with: catalogue remote add pord URL\n',
    );
    for (const [address, url] of [
      ['data.example.org/open-data', 'https://data.example.org/open-data'],
      ['localhost:8000', 'http://localhost:8000'],
      ['127.0.0.1:8000', 'http://127.0.0.1:8000'],
    ])
      assert.match((await at(`clone ${address}`)).err, new RegExp(`There is no remote .*\\. Is it ${url}\\?\n$`));
    assert.doesNotMatch((await at('clone http:/data.example.org')).err, /Is it/);
    const none = await (await person()).at('namespace list --remote prod');
    assert.match(
      none.err,
      /There is no remote prod\. There are no remotes yet\. Add it with: catalogue remote add prod URL/,
    );
  });

  it('is a folder only, for what works on files', async (t) => {
    const { at, done } = await withServer(t);
    for (const line of [
      'serve --remote prod',
      'init x --remote prod',
      'check --remote prod --fix',
      'check --remote prod --deep',
    ]) {
      const { exitCode, out, err } = await at(line);
      assert.deepEqual([exitCode, out, err.trim().split('\n').length], [2, '', 1], `${line}: ${err}`);
    }
    const environment = { env: { CATALOGUE_REMOTE: 'prod' } };
    assert.equal((await at('check --fix', environment)).exitCode, 2);
    // What can only mean a folder means it whatever the environment says.
    await done('init new', environment);
  });

  it('is asked as the one who is signed in, or as CATALOGUE_TOKEN says', async (t) => {
    const { done, at, accounts } = await withServer(t);
    const isSeen = async (env: NodeJS.ProcessEnv = {}) =>
      (await done('namespace list --remote prod', { env })).out.includes('secret');
    const { token: eve } = await accounts.addToken('eve');
    const { token: bob } = await accounts.addToken('bob');
    assert.equal(await isSeen(), false);
    assert.equal(await isSeen({ CATALOGUE_TOKEN: bob }), true);
    await done('login prod', signIn);
    assert.equal(await isSeen(), true);
    assert.equal(await isSeen({ CATALOGUE_TOKEN: ` ${eve}\n` }), false);
    assert.match(
      (await done('login prod', { ...signIn, env: { CATALOGUE_TOKEN: eve } })).err,
      /CATALOGUE_TOKEN is set and wins over this sign-in/,
    );
    const broken = await at('namespace list --remote prod', { env: { CATALOGUE_TOKEN: `${bob} ${bob}` } });
    assert.deepEqual([broken.exitCode, broken.err.includes(bob)], [2, false]);
  });

  it('may want to know who asks: exit code 4, and how to say it', async (t) => {
    const { at, done, accounts, base } = await withServer(t);
    const edit = 'namespace edit parks --label Green --remote';
    const anonymous = await at(`${edit} prod`);
    assert.deepEqual(
      [anonymous.exitCode, anonymous.err],
      [4, 'error: Authentication credentials were not provided. Sign in with: catalogue login prod\n'],
    );
    const { token, id } = await accounts.addToken('bob');
    await done('login prod --token-stdin', { files: { '-': token } });
    await accounts.removeToken(id);
    assert.equal((await at(`${edit} prod`)).err, 'error: Invalid token. Sign in again with: catalogue login prod\n');
    const { err, exitCode } = await at(`${edit} prod`, { env: { CATALOGUE_TOKEN: token } });
    assert.equal(exitCode, 4);
    assert.equal(
      err,
      'error: Invalid token. The token in CATALOGUE_TOKEN is refused. Unset it, and sign in with: catalogue login prod\n',
    );
    await done('logout prod');
    await done('remote remove prod --yes');
    assert.ok((await at(`${edit} ${base}`)).err.endsWith(`Sign in with: catalogue login ${base}\n`));
    const { token: eve } = await accounts.addToken('eve');
    const refused = await at(`${edit} ${base}`, { env: { CATALOGUE_TOKEN: eve } });
    assert.deepEqual(
      [refused.exitCode, refused.err],
      [4, 'error: You do not have permission to perform this action.\n'],
    );
  });
});

describe('where no catalogue answers', () => {
  it('one sentence says why and what to do: exit code 6', async (t) => {
    const { at } = await person();
    const port = await freePort();
    const page = await serveStranger(t, 'text/html', '<h1>It works!</h1>');
    const json = await serveStranger(t, 'application/json', '{"hello":"world"}');
    const list = await serveStranger(t, 'application/json', '[1,2,3]');
    const secure = await serveStranger(t, 'application/json', '{}', { tls: true });
    const cases: readonly (readonly [string, RegExp])[] = [
      [`http://127.0.0.1:${port}`, /Nobody answers at 127\.0\.0\.1:\d+: is the server running/],
      ['https://nowhere.invalid', /nowhere\.invalid.*(check the address|is this machine connected)/],
      [page, /There is no catalogue at .*Check the address/],
      [json, /Check the address/],
      [list, /Check the address/],
      [secure, /The certificate of .* isn't trusted .*NODE_EXTRA_CA_CERTS/],
      [page.replace('http', 'https'), /check the port, and whether it is http/],
    ];
    for (const [url, said] of cases)
      for (const line of ['dataset list', 'dataset show parks/trees', 'login --username bob --password-stdin']) {
        const { exitCode, out, err } = await at(`${line} --remote ${url}`, { files: { '-': 'wrong' } });
        assert.deepEqual([exitCode, out], [6, ''], `${line} ${url}: ${err}`);
        assert.match(err, said, `${line} ${url}`);
        assert.equal(err.trim().split('\n').length, 1);
      }
  });
});

it('an origin that can’t be read is an error, and not a catalogue without a remote', async () => {
  const { root, at } = await person();
  mkdirSync(join(root, '.catalogue/remotes/origin.json'), { recursive: true });
  const { exitCode, err } = await at('push');
  assert.equal(exitCode, 1);
  assert.match(err, /^error: \.catalogue\/remotes\/origin\.json can't be read \(EISDIR\)/);
});
