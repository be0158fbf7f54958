/** Addresses of remotes: which of them get CATALOGUE_TOKEN, and what stays when a server moves. */
import assert from 'node:assert/strict';
import { mkdirSync, readdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import { openFileCatalogue } from '../../src/files/file-catalogue.ts';
import { serveAccounts } from '../support/accounts.ts';
import { until } from '../support/folder.ts';
import { filesIn, makeRoot, seed, type } from '../support/prompt.ts';
import { startProxy } from '../support/proxy.ts';
import { served } from '../support/served.ts';

/** A server at an address of its own that records requests, and forwards them if there is another behind it. */
async function listener(t: TestContext, target: string | (() => string) = '') {
  const tokens: (string | undefined)[] = [];
  const url = await startProxy(t, (incoming) => {
    tokens.push(incoming.headers.authorization);
    return typeof target === 'string' ? target : target();
  });
  return { url, tokens };
}

const token = 'f'.repeat(40);

describe('CATALOGUE_TOKEN', () => {
  it('is sent to the address of --remote or CATALOGUE_REMOTE, and not to that in a folder', async (t) => {
    const root = await makeRoot();
    const { url, tokens } = await listener(t);
    mkdirSync(join(root, '.catalogue/remotes'), { recursive: true });
    writeFileSync(join(root, '.catalogue/remotes/origin.json'), JSON.stringify({ url }));
    for (const command of ['pull', 'push', 'diff']) {
      const { err } = await type([command], { root, env: { CATALOGUE_TOKEN: token } });
      assert.match(
        err,
        new RegExp(`^CATALOGUE_TOKEN isn't sent to ${url}: add --remote ${url}, or set CATALOGUE_REMOTE`),
      );
      assert.ok(tokens.length > 0);
      assert.deepEqual(
        tokens.splice(0).filter((sent) => sent !== undefined),
        [],
        command,
      );
    }
    await type(['pull', '--remote', url], { root, env: { CATALOGUE_TOKEN: token } });
    assert.deepEqual([...new Set(tokens.splice(0))], [`Token ${token}`]);
    await type(['pull'], { root, env: { CATALOGUE_TOKEN: token, CATALOGUE_REMOTE: `${url}/api/v1/` } });
    assert.deepEqual([...new Set(tokens.splice(0))], [`Token ${token}`]);
    await type(['clone', url, 'copy'], { root, env: { CATALOGUE_TOKEN: token } });
    assert.deepEqual([...new Set(tokens.splice(0))], [`Token ${token}`]);
  });

  it('is sent by doctor to the selected remote only', async (t) => {
    const root = await makeRoot();
    const [one, other] = [await listener(t), await listener(t)];
    await type(['remote', 'add', 'one', one.url], { root });
    await type(['remote', 'add', 'other', other.url], { root });
    await type(['doctor'], { root, env: { CATALOGUE_TOKEN: token, CATALOGUE_REMOTE: 'other' } });
    assert.deepEqual([...new Set(one.tokens)], [undefined]);
    assert.deepEqual([...new Set(other.tokens)], [`Token ${token}`]);
  });
});

describe('a server that moved', () => {
  it('keeps its sign-in and the common state; the old address is not asked', async (t) => {
    const { base, accounts } = await serveAccounts(t);
    const [old, renewed] = [await listener(t, base), await listener(t, base)];
    const root = await makeRoot();
    const at = (line: string, files = {}) => type(line.split(' '), { root, files });
    const done = async (line: string, files = {}) => {
      const result = await at(line, files);
      assert.equal(result.exitCode, 0, `${line}: ${result.err}`);
      return result;
    };
    const signIn = await accounts.addToken('bob');
    await done(`remote add prod ${old.url}`);
    await done('login prod --token-stdin', { '-': signIn.token });
    const { cwd } = await done('clone prod copy');
    const copy = join(cwd, 'copy');
    const states = () => readdirSync(join(copy, '.catalogue/remotes')).filter((name) => name.endsWith('.ndjson'));
    const [before] = states();
    old.tokens.length = 0;

    const planned = await done(`remote set-url prod ${renewed.url} --dry-run`);
    assert.equal(planned.out, `Would change the address of remote prod from ${old.url} to ${renewed.url}\n`);
    const { err } = await done(`remote set-url prod ${renewed.url}`);
    assert.equal(err, `Changed the address of remote prod from ${old.url} to ${renewed.url}\n`);
    assert.match((await done('remote list')).out, new RegExp(`^prod\t${renewed.url}\tbob$`, 'm'));
    for (const command of ['diff', 'pull', 'push'])
      assert.equal((await done(`${command} --data copy`)).err, 'Already up to date.\n', command);
    assert.deepEqual(old.tokens, [], 'requests to the old address');
    assert.deepEqual([...new Set(renewed.tokens)], [`Token ${signIn.token}`]);
    assert.equal(states().length, 1);
    assert.notEqual(states()[0], before);
    assert.equal(JSON.parse(readFileSync(join(copy, '.catalogue/remotes/origin.json'), 'utf8')).url, renewed.url);
  });

  it('is the origin of a folder: by "origin", in the folder and with --data, or by its address', async (t) => {
    const { base } = await serveAccounts(t);
    const [one, two, three] = [await listener(t, base), await listener(t, base), await listener(t, base)];
    const root = await makeRoot();
    const cwd = dirname(root);
    const copy = join(cwd, 'copy');
    const run = (line: string, at = copy) =>
      type(line.split(' '), { root, cwd: at, env: { CATALOGUE_DATA: '', XDG_CONFIG_HOME: join(cwd, '.config') } });
    const done = async (line: string, at?: string) => {
      const result = await run(line, at);
      assert.equal(result.exitCode, 0, `${line}: ${result.err}`);
      return result;
    };
    const states = () => readdirSync(join(copy, '.catalogue/remotes')).filter((name) => name.endsWith('.ndjson'));
    await done(`clone ${one.url} copy`, cwd);
    assert.equal(
      (await done(`remote set-url origin ${two.url}`)).err,
      `Changed the address of remote origin from ${one.url} to ${two.url}\n`,
    );
    one.tokens.length = 0;
    assert.equal(JSON.parse(readFileSync(join(copy, '.catalogue/remotes/origin.json'), 'utf8')).url, two.url);
    for (const command of ['diff', 'pull']) assert.equal((await done(command)).err, 'Already up to date.\n', command);
    assert.equal(states().length, 1);
    const listed = JSON.parse((await done('doctor --json')).out).findings as { name: string; message: string }[];
    assert.match(listed.find(({ name }) => name === 'origin')?.message ?? '', new RegExp(`^${two.url} answers in `));
    await done(`remote set-url origin ${three.url} --data copy`, cwd);
    two.tokens.length = 0;
    assert.equal((await done('pull')).err, 'Already up to date.\n');
    await done(`remote set-url ${three.url} ${one.url}`, cwd);
    three.tokens.length = 0;
    assert.equal((await done('diff')).err, 'Already up to date.\n');
    assert.deepEqual([two.tokens, three.tokens], [[], []]);
    assert.equal(states().length, 1);
    // A remote that a person named so wins, and is not tested twice.
    await done(`remote add origin ${one.url}`);
    assert.equal((await done('doctor')).out.match(/answers in/g)?.length, 1);
    assert.match((await run(`remote set-url origin ${two.url}`, root)).err, /^Changed the address/);
    const { exitCode, err } = await run(`remote set-url orign ${two.url}`);
    assert.deepEqual([exitCode, /There is no remote orign\. Did you mean origin\?/.test(err)], [3, true]);
    await done('remote remove origin --yes');
    // The new address was given that name first.
    await done(`remote add origin ${three.url}`);
    assert.match((await done(`remote set-url origin ${three.url}`)).err, new RegExp(`from ${two.url} to ${three.url}`));
    await done('remote remove origin --yes');
    assert.equal((await run(`remote set-url origin ${two.url}`, root)).exitCode, 3);
  });

  it('that has no name, has moved twice, or has moved back', async (t) => {
    const { base } = await serveAccounts(t);
    const [one, two, three] = [await listener(t, base), await listener(t, base), await listener(t, base)];
    const root = await makeRoot();
    const done = async (line: string) => {
      const result = await type(line.split(' '), { root });
      assert.equal(result.exitCode, 0, `${line}: ${result.err}`);
      return result;
    };
    await done(`clone ${one.url} copy`);
    await done(`remote set-url ${one.url} ${two.url}`);
    await done(`remote set-url ${two.url} ${three.url}`);
    one.tokens.length = 0;
    assert.equal((await done('diff --data copy')).err, 'Already up to date.\n');
    assert.deepEqual([one.tokens, two.tokens], [[], []]);
    await done(`remote set-url ${three.url} ${one.url}`);
    three.tokens.length = 0;
    assert.equal((await done('pull --data copy')).err, 'Already up to date.\n');
    assert.deepEqual([two.tokens, three.tokens], [[], []]);
    // Another server at a former address is that server.
    await done(`clone ${two.url} other`);
    two.tokens.length = 0;
    assert.equal((await done('diff --data other')).err, 'Already up to date.\n');
    assert.notEqual(two.tokens.length, 0);
  });
});

describe('a pull as another user', () => {
  it('leaves local records alone that this user may not see', async (t) => {
    const { base, accounts, send } = await serveAccounts(
      t,
      {},
      { datasets: { 'secret/oaks': { id: 9, label: 'Oaks' } } },
    );
    const root = await makeRoot();
    const copy = join(dirname(root), 'copy');
    const at = async (line: string, user?: string) => {
      const files = user === undefined ? {} : { '-': (await accounts.addToken(user)).token };
      const result = await type(line.split(' '), { root, files });
      assert.equal(result.exitCode, 0, `${line}: ${result.err}`);
      return result;
    };
    const pull = async () => {
      const { err } = await at('pull --data copy');
      return err
        .trimEnd()
        .split('\n')
        .map((line) => line.replace(/: left alone\. .*hidden from (\w+),.*/, ' may be hidden from $1'))
        .sort();
    };
    await at(`login ${base} --token-stdin`, 'alice');
    await at(`clone ${base} copy`);
    const before = filesIn(copy);
    await at(`login ${base} --token-stdin`, 'eve');
    const hidden = ['secret', 'secret/oaks', 'users/alice', 'users/bob'];
    assert.deepEqual(await pull(), [...hidden.map((name) => `${name} may be hidden from eve`)]);
    await at(`login ${base} --token-stdin`, 'bob');
    assert.deepEqual(await pull(), ['users/alice may be hidden from bob', 'users/eve may be hidden from bob']);
    assert.deepEqual(filesIn(copy), before);
    await at(`login ${base} --token-stdin`, 'alice');
    assert.deepEqual(await pull(), ['Already up to date.']);

    // Nothing that was pulled is visible any more: neither direction has anything to do, and the common state stays.
    const { base: closed, accounts: others } = await serveAccounts(
      t,
      {},
      { namespaces: { closed: { id: 7, label: 'Closed', visibility: 'private' } } },
    );
    await type(['clone', closed, 'closed'], { root, env: { CATALOGUE_TOKEN: (await others.addToken('alice')).token } });
    for (const line of ['push', 'pull', 'push']) {
      const { out, err } = await at(`${line} --data closed`);
      assert.deepEqual([out, /^closed: left alone\. .* not signed in/m.test(err)], ['', true], line);
    }

    // A user who has left the group that owns a namespace.
    await at(`login ${base} --token-stdin`, 'bob');
    await at(`clone ${base} own`);
    await send('PATCH', '/api/v1/users/bob/', { groups: [] }, (await accounts.addToken('alice')).token);
    const { err } = await at('pull --data own');
    assert.match(err, /^secret: left alone.*hidden from bob.*\nsecret\/oaks: left alone/m);
  });
});

describe('a remote that has become another catalogue, or an empty one', () => {
  const content = {
    namespaces: { roads: { id: 71, label: 'Roads' } },
    users: { zoe: { id: 72, staff: true, groups: [] } },
  };

  /** A clone, and the address of a remote that is an empty catalogue, and then another one. */
  async function start(t: TestContext) {
    const [{ base }, empty, other] = [
      await served(seed, t),
      await served({ users: content.users }, t),
      await served(content, t),
    ];
    let target = base;
    const front = await listener(t, () => target);
    const root = await makeRoot();
    const copy = join(dirname(root), 'copy');
    const at = (line: string) => type([...line.split(' '), '--data', 'copy'], { root });
    await type(['clone', front.url, 'copy'], { root });
    return {
      at,
      copy,
      url: front.url,
      base,
      empty,
      other,
      become(url: string) {
        target = url;
      },
      before: filesIn(copy),
    };
  }
  const lost = (found: string, names = '') =>
    new RegExp(
      `^error: Of 5 records that both sides had in common, the remote shows none, and ${found}: it may be another catalogue,` +
        ' or lack its files\\. Nothing was changed\\.\\n' +
        `.*: catalogue pull --force${names} --data copy\\n.*: catalogue push --force${names} --data copy\\n`,
    );

  it('is pulled from and pushed to only with --force', async (t) => {
    const { at, copy, become, before, empty, other } = await start(t);
    for (const [{ base }, found] of [
      [empty, 'no others'],
      [other, '1 other'],
    ] as const) {
      become(base);
      for (const line of ['pull', 'pull --dry-run', 'pull parks/trees', 'pull --theirs', 'push', 'push --dry-run']) {
        const { exitCode, out, err } = await at(line);
        assert.deepEqual([exitCode, out], [5, ''], line);
        assert.match(err, lost(found, line === 'pull parks/trees' ? ' parks/trees' : ''));
      }
    }
    assert.deepEqual(filesIn(copy), before);
    const pulled = await at('pull --force');
    assert.equal(pulled.exitCode, 0, pulled.err);
    assert.deepEqual(
      filesIn(copy).filter((path) => /^namespaces/.test(path)),
      ['namespaces/roads/namespace.yaml'],
    );
  });

  it('gets all local records back', async (t) => {
    const { at, become, before, copy, empty } = await start(t);
    become(empty.base);
    const files = await openFileCatalogue(empty.folder.root);
    const { token } = await files.accounts.addToken('zoe');
    await files.close();
    const { url } = JSON.parse(readFileSync(join(copy, '.catalogue/remotes/origin.json'), 'utf8'));
    const push = ['push', '--force', '--data', 'copy', '--remote', url];
    const pushed = await type(push, { root: join(copy, '../catalogue-data'), env: { CATALOGUE_TOKEN: token } });
    assert.deepEqual([pushed.exitCode, /^Pushed 5 records and /m.test(pushed.err)], [0, true], pushed.err);
    assert.deepEqual(filesIn(copy), before);
    assert.equal((await at('pull')).err, 'Already up to date.\n');
  });

  it('is noticed after a wrong set-url, and forgotten after the right one', async (t) => {
    const { at, copy, before, other, base } = await start(t);
    await at(`remote set-url origin ${other.base}`);
    for (const line of ['pull', 'push']) assert.match((await at(line)).err, lost('1 other'));
    await at(`remote set-url origin ${base}`);
    assert.equal((await at('pull')).err, 'Already up to date.\n');
    assert.deepEqual(filesIn(copy), before);
  });

  it('is the same one if its records have changed or moved', async (t) => {
    const { base, folder } = await served({ namespaces: { parks: { id: 1, label: 'Parks' } } }, t);
    const root = await makeRoot();
    await type(['clone', base, 'copy'], { root });
    const pull = () => type(['pull', '--data', 'copy'], { root });
    folder.write('namespaces/parks/namespace.yaml', 'id: 1\nlabel: Gardens\n');
    const changed = async (label: string) => (await (await fetch(`${base}/api/v1/namespaces/`)).text()).includes(label);
    await until(() => changed('Gardens'));
    assert.match((await pull()).out, /change\tparks/);
    renameSync(join(folder.root, 'namespaces/parks'), join(folder.root, 'namespaces/gardens'));
    await until(() => changed('/gardens/'));
    assert.match((await pull()).out, /move\tparks\tgardens/);
  });
});

describe('the origin of a clone', () => {
  it('is what "origin" means to every command, and what login means without a name', async (t) => {
    const { base, accounts } = await serveAccounts(t);
    const root = await makeRoot();
    const cwd = dirname(root);
    const { token } = await accounts.addToken('bob');
    const run = (line: string, at = join(cwd, 'copy'), env = {}) =>
      type(line.split(' '), {
        root,
        cwd: at,
        env: { CATALOGUE_DATA: '', XDG_CONFIG_HOME: join(cwd, '.config'), ...env },
        files: { '-': token },
      });
    const done = async (line: string, at?: string) => {
      const result = await run(line, at);
      assert.equal(result.exitCode, 0, `${line}: ${result.err}`);
      return result;
    };
    await done(`clone ${base} copy`, cwd);
    assert.equal((await done('remote list')).out, `origin\t${base}\t\n`);
    for (const line of ['login origin --token-stdin', 'login --token-stdin']) {
      assert.equal((await done(line)).err, `Signed in to ${base} as bob.\n`);
      assert.equal((await done('remote list')).out, `origin\t${base}\tbob\n`);
      assert.match((await done(line.replace('login', 'logout').replace(' --token-stdin', ''))).err, /^Signed out of /);
    }
    for (const line of ['pull --remote origin', 'push --remote origin', 'diff --remote origin'])
      assert.equal((await done(line)).err, 'Already up to date.\n', line);
    assert.match((await done('namespace list --remote origin')).out, /^parks\t/);
    assert.equal((await run('pull --remote origin', root)).exitCode, 3);
    assert.equal((await run('login --token-stdin', root)).exitCode, 2);
    // What another person has written into a folder doesn't get the token of the environment.
    const { err } = await run('pull --remote origin', undefined, { CATALOGUE_TOKEN: token });
    assert.match(err, new RegExp(`^CATALOGUE_TOKEN isn't sent to ${base}: add --remote ${base},`));
    const listed = await run('namespace list --remote origin', undefined, { CATALOGUE_TOKEN: token });
    assert.deepEqual([listed.exitCode, /^parks\t/m.test(listed.out), /secret/.test(listed.out)], [0, true, false]);

    // A remote with that name wins; the clone keeps its own.
    await done('remote add origin https://data.example.org');
    assert.equal((await done('remote list')).out, 'origin\thttps://data.example.org\t\n');
    assert.equal((await done('pull')).err, 'Already up to date.\n');
    await done('remote remove origin --yes');
    assert.match((await done('remote remove origin --yes')).err, new RegExp(`^Removed remote origin: ${base}`));
    assert.match((await run('pull')).err, /This catalogue has no remote yet\./);
  });
});
