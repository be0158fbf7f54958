/** Accounts in a folder: the contents of the file, its permissions, and errors. */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { chmod, mkdir, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import {
  ConflictError,
  NotFoundError,
  NotPermittedError,
  UnavailableError,
  UnusableCatalogueError,
} from '../../../src/catalogue/errors.ts';
import { hashPassword, verifyPassword } from '../../../src/files/accounts/password.ts';
import { openFileCatalogue } from '../../../src/files/file-catalogue.ts';
import { makeFolder } from '../../support/folder.ts';
import { compilerFor } from '../../support/program.ts';
import { makeRepository } from '../../support/repository.ts';

const content = {
  users: { alice: { id: 1, staff: true, groups: ['editors'] }, bob: { id: 2, groups: [] } },
  groups: { editors: { id: 1, label: 'Editors' } },
};

async function accountsIn(test: TestContext, options = {}) {
  const folder = makeFolder(content, test);
  const files = await openFileCatalogue(folder.root, options);
  test.after(() => files.close());
  const path = folder.path('.catalogue/accounts.json');
  return { folder, files, accounts: files.accounts, path, text: () => readFile(path, 'utf8') };
}

const modeOf = async (path: string) => (await stat(path)).mode & 0o777;

describe('passwords', () => {
  it('are hashed with a salt of their own, and the cost is written down', async () => {
    const [one, two] = [await hashPassword('wonderland'), await hashPassword('wonderland')];
    assert.match(one, /^\$scrypt\$ln=\d+,r=\d+,p=\d+\$[^$]+\$[^$]+$/);
    assert.notEqual(one, two);
    assert.ok(await verifyPassword('wonderland', one));
    assert.ok(!(await verifyPassword('Wonderland', one)));
  });

  it('hashed at another cost are still known', async () => {
    // RFC 7914, section 12: scrypt("pleaseletmein", "SodiumChloride", N=16384, r=8, p=1).
    const hash =
      '7023bdcb3afd7348461c06cd81fd38ebfda8fbba904f8e3ea9b543f6545da1f2d5432955613f0fcf62d49705242a9af9e61e85dc0d651e40dfcf017b45575887';
    const [salt, key] = [Buffer.from('SodiumChloride'), Buffer.from(hash, 'hex')].map((bytes) =>
      bytes.toString('base64').replace(/=+$/, ''),
    );
    const stored = `$scrypt$ln=14,r=8,p=1$${salt}$${key}`;
    assert.equal(await verifyPassword('pleaseletmein', stored), true);
    assert.equal(await verifyPassword('pleaseletmeout', stored), false);
  });

  it('wait for each other, but not without end', async () => {
    const hash = `$scrypt$ln=1,r=1,p=1$${'A'.repeat(22)}$${'A'.repeat(43)}`;
    const verified = Array.from({ length: 101 }, () => verifyPassword('x', hash));
    // The record of its user is written already.
    const added = hashPassword('wonderland');
    const found = await Promise.allSettled(verified);
    assert.ok(await verifyPassword('wonderland', await added));
    const refused = found.map((one) => one.status === 'rejected' && one.reason instanceof UnavailableError);
    assert.deepEqual(refused, [...Array(100).fill(false), true]);
    assert.equal(await verifyPassword('x', hash), false);
  });

  it('that were never set, or are no hash at all, match nothing', async () => {
    for (const stored of [
      null,
      '',
      'wonderland',
      '$scrypt$ln=40,r=8,p=1$AAAAAAAAAAAAAAAAAAAAAA$AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA',
    ])
      assert.equal(await verifyPassword('wonderland', stored), false, String(stored));
  });

  it('take as long to refuse for somebody unknown', async (t) => {
    const { accounts } = await accountsIn(t);
    await accounts.setPassword('alice', 'wonderland');
    /** Processor time, in ms: others on the machine don't change it. */
    const time = async (username: string) => {
      const start = process.cpuUsage();
      assert.equal(await accounts.verifyPassword(username, 'wrong'), null);
      const { user, system } = process.cpuUsage(start);
      return (user + system) / 1000;
    };
    await time('alice');
    const [known, without, unknown] = [await time('alice'), await time('bob'), await time('nobody')];
    for (const other of [without, unknown]) assert.ok(other > known / 4, `${known} ms, but ${other} ms`);
  });

  it('are the same however the keyboard spells a letter, and are set for users only', async (t) => {
    const { accounts, text } = await accountsIn(t);
    await accounts.setPassword('alice', 'une fore\u0302t');
    assert.ok(await accounts.verifyPassword('alice', 'une for\u00eat'));
    assert.ok(!(await accounts.verifyPassword('Alice', 'une for\u00eat')));
    assert.ok(!(await text()).includes('for'));
    await assert.rejects(accounts.setPassword('nobody', 'x'), NotFoundError);
    for (const name of ['../users/alice', '__proto__', 'constructor', '.', ''])
      assert.equal(await accounts.verifyPassword(name, 'une for\u00eat'), null, name);
    await assert.rejects(accounts.setPassword('alice', ''), { fields: { password: ['This field may not be blank.'] } });
  });
});

describe('the private folder', () => {
  for (const isThere of [false, true])
    it(`is not in git, whatever its settings say${isThere ? ', if another program made it' : ''}`, async (t) => {
      const { root, git } = await makeRepository({ ...content, files: { '.gitignore': '' } }, t);
      if (isThere) await mkdir(join(root, '.catalogue/locks'), { recursive: true });
      const files = await openFileCatalogue(root);
      t.after(() => files.close());
      await files.accounts.setPassword('alice', 'wonderland');
      await files.accounts.addToken('bob');
      git('add', '--all');
      assert.equal(git('ls-files', '--', 'data/.catalogue'), '');
      assert.equal(git('status', '--porcelain'), '');
    });
});

describe('tokens', () => {
  it('are shown once, and kept as a hash', async (t) => {
    const { accounts, text } = await accountsIn(t);
    const { token, id, ...rest } = await accounts.addToken('alice', { label: 'laptop', scope: 'read' });
    assert.match(token, /^[0-9a-f]{40}$/);
    assert.deepEqual(
      { ...rest, created: '' },
      { user: 'alice', label: 'laptop', scope: 'read', created: '', expires: null, lastUsed: null },
    );
    const kept = await text();
    assert.ok(!kept.includes(token));
    assert.ok(kept.includes(createHash('sha256').update(token).digest('hex')));
    assert.deepEqual(await accounts.tokens(), [{ id, ...rest }]);
    assert.deepEqual(await accounts.tokens('bob'), []);
  });

  it('stand for their user as the catalogue says now', async (t) => {
    const { accounts, folder, files } = await accountsIn(t, { watch: true });
    const { token } = await accounts.addToken('alice');
    const { token: reading } = await accounts.addToken('alice', { scope: 'read' });
    assert.deepEqual(await accounts.viewerByToken(token), { username: 'alice', staff: true, groups: ['editors'] });
    assert.deepEqual(await accounts.viewerByToken(reading), {
      username: 'alice',
      staff: true,
      groups: ['editors'],
      readOnly: true,
    });
    assert.equal(await accounts.viewerByToken(`${token}0`), null);
    folder.write('users/alice.yaml', 'staff: false\n');
    await files.refresh([{ kind: 'user', slug: 'alice' }]);
    assert.deepEqual(await accounts.viewerByToken(token), { username: 'alice', staff: false, groups: [] });
    await rm(folder.path('users/alice.yaml'));
    await files.refresh([{ kind: 'user', slug: 'alice' }]);
    assert.equal(await accounts.viewerByToken(token), null);
  });

  it('end with a change of the password, unless they are kept', async (t) => {
    const { accounts } = await accountsIn(t);
    const [alice, bob] = [await accounts.addToken('alice'), await accounts.addToken('bob')];
    await accounts.setPassword('alice', 'wonderland', { keepTokens: true });
    assert.ok(await accounts.viewerByToken(alice.token));
    await accounts.setPassword('alice', 'looking-glass');
    assert.equal(await accounts.viewerByToken(alice.token), null);
    assert.ok(await accounts.viewerByToken(bob.token));
  });

  it('expire, and go with the next change', async (t) => {
    const { accounts } = await accountsIn(t);
    const { token } = await accounts.addToken('alice', { expires: new Date(Date.now() + 60_000) });
    const over = await accounts.addToken('alice', { expires: new Date(Date.now() - 1) });
    assert.ok(await accounts.viewerByToken(token));
    assert.equal(await accounts.viewerByToken(over.token), null);
    await accounts.setPassword('alice', 'wonderland', { keepTokens: true });
    assert.equal((await accounts.tokens()).length, 1);
  });

  it('expire in a year of four digits, as clients read it', async (t) => {
    const { accounts } = await accountsIn(t);
    const { expires } = await accounts.addToken('alice', { expires: new Date('+012026-01-01T00:00:00Z') });
    assert.equal(expires, '9999-12-31T23:59:59.999Z');
  });

  it('are removed by their id', async (t) => {
    const { accounts } = await accountsIn(t);
    const { token, id } = await accounts.addToken('alice');
    await accounts.removeToken(id);
    assert.equal(await accounts.viewerByToken(token), null);
    await assert.rejects(accounts.removeToken(id), NotFoundError);
  });

  it('remember when they were last used, and do not write it down every time', async (t) => {
    const { accounts, files, text } = await accountsIn(t);
    const { token } = await accounts.addToken('alice');
    await accounts.viewerByToken(token);
    await accounts.close();
    const [{ lastUsed } = { lastUsed: null }] = await accounts.tokens();
    assert.ok(Math.abs(Date.parse(lastUsed ?? '') - Date.now()) < 60_000);
    const before = await text();
    await accounts.viewerByToken(token);
    await files.close();
    assert.equal(await text(), before);
  });

  it('of one label are as many as wanted', async (t) => {
    const { accounts } = await accountsIn(t);
    const other = await accounts.addToken('alice', { label: 'other' });
    const added = [];
    for (let n = 0; n < 4; n++) added.push((await accounts.addToken('alice', { label: 'same', keep: 2 })).id);
    assert.deepEqual(
      (await accounts.tokens()).map(({ id }) => id),
      [other.id, ...added.slice(2)],
    );
  });

  it('added by several processes at once are all there', async (t) => {
    const { accounts, folder } = await accountsIn(t);
    const child = fileURLToPath(new URL('accounts-child.ts', import.meta.url));
    const run = (user: string) =>
      promisify(execFile)(process.execPath, [...compilerFor(child), child, folder.root, user, '15']);
    const ended = await Promise.all([run('alice'), run('bob'), run('alice')]);
    const tokens = ended.flatMap(({ stdout }) => stdout.trim().split('\n'));
    assert.equal(new Set(tokens).size, 45);
    // Heard by a catalogue that has been open all the time.
    for (const token of tokens) assert.ok(await accounts.viewerByToken(token), token);
    assert.equal((await accounts.tokens()).length, 45);
  });
});

describe('sessions', () => {
  it('last until they are ended, or the password changes', async (t) => {
    const { accounts, text } = await accountsIn(t);
    await accounts.setPassword('alice', 'wonderland');
    const [one, two] = [await accounts.startSession('alice'), await accounts.startSession('alice')];
    assert.ok(!(await text()).includes(one.key));
    assert.deepEqual(await accounts.viewerBySession(one.key), { username: 'alice', staff: true, groups: ['editors'] });
    assert.equal(await accounts.viewerByToken(one.key), null, 'a session is no token');
    await accounts.endSession(one.key);
    assert.equal(await accounts.viewerBySession(one.key), null);
    assert.ok(await accounts.viewerBySession(two.key));
    await accounts.setPassword('alice', 'looking-glass');
    assert.equal(await accounts.viewerBySession(two.key), null);
  });
});

describe('the accounts of a user', () => {
  it('are forgotten as a whole, and those of others are not', async (t) => {
    const { accounts } = await accountsIn(t);
    for (const user of ['alice', 'bob']) await accounts.setPassword(user, 'wonderland');
    const [alice, bob] = [await accounts.addToken('alice'), await accounts.addToken('bob')];
    const { key } = await accounts.startSession('alice');
    await accounts.removeCredentials('alice');
    assert.equal(await accounts.verifyPassword('alice', 'wonderland'), null);
    assert.equal(await accounts.viewerByToken(alice.token), null);
    assert.equal(await accounts.viewerBySession(key), null);
    assert.ok(await accounts.verifyPassword('bob', 'wonderland'));
    assert.ok(await accounts.viewerByToken(bob.token));
  });
});

describe('.catalogue/accounts.json', () => {
  it('is for nobody else to read, whatever the umask says', async (t) => {
    const before = process.umask(0);
    t.after(() => process.umask(before));
    const { accounts, path } = await accountsIn(t);
    await accounts.addToken('alice');
    assert.equal(await modeOf(path), 0o600);
    assert.equal(await modeOf(join(path, '..')), 0o700);
  });

  it('that was opened to others is closed again when it is read', async (t) => {
    const { accounts, files, path } = await accountsIn(t);
    const { token } = await accounts.addToken('alice');
    await files.close();
    await chmod(path, 0o644);
    await chmod(join(path, '..'), 0o755);
    assert.ok(await accounts.viewerByToken(token));
    assert.equal(await modeOf(path), 0o600);
    assert.equal(await modeOf(join(path, '..')), 0o700);
    await accounts.addToken('alice');
    assert.equal(await modeOf(path), 0o600);
  });

  it('that is damaged is never overwritten, and what stands in it is not told', async (t) => {
    const { accounts, path, text } = await accountsIn(t);
    const { token } = await accounts.addToken('alice');
    const good = await text();
    const damages = [
      '',
      '[]',
      '{"passwords": []}',
      good.slice(0, -20),
      good.replace('"read"', '').replace(/"hash": "\w+"/, '"hash": "s3cret"'),
      `${good}s3cret`,
    ];
    for (const damage of damages) {
      await writeFile(path, damage);
      const works = [
        () => accounts.verifyPassword('alice', 'x'),
        () => accounts.viewerByToken(token),
        () => accounts.addToken('alice'),
        () => accounts.setPassword('alice', 'wonderland'),
        () => accounts.removeCredentials('alice'),
      ];
      for (const work of works)
        await assert.rejects(work, (error: Error) => {
          assert.ok(error instanceof UnusableCatalogueError, String(error));
          assert.match(error.message, /^\.catalogue\/accounts\.json is damaged at /);
          assert.doesNotMatch(error.message, /s3cret|[0-9a-f]{8}/);
          return true;
        });
      assert.equal(await text(), damage);
    }
    await writeFile(path, good);
    assert.ok(await accounts.viewerByToken(token));
  });

  it('keeps what nobody here knows', async (t) => {
    const { accounts, path, text } = await accountsIn(t);
    await accounts.addToken('alice');
    await writeFile(path, JSON.stringify({ ...JSON.parse(await text()), more: 1 }));
    await accounts.addToken('alice');
    assert.equal(JSON.parse(await text()).more, 1);
  });

  it('that is a link is not written through', async (t) => {
    const { accounts, folder, path } = await accountsIn(t);
    await mkdir(join(path, '..'), { recursive: true });
    folder.write('elsewhere.json', '{"passwords":[],"tokens":[],"sessions":[]}');
    await symlink(folder.path('elsewhere.json'), path);
    await assert.rejects(accounts.addToken('alice'), ConflictError);
  });

  it('is not written where nothing may be', async (t) => {
    const { folder, accounts } = await accountsIn(t);
    await accounts.setPassword('alice', 'wonderland');
    const { token } = await accounts.addToken('alice');
    const files = await openFileCatalogue(folder.root, { readOnly: true });
    const before = await readFile(folder.path('.catalogue/accounts.json'), 'utf8');
    assert.ok(await files.accounts.viewerByToken(token));
    assert.ok(await files.accounts.verifyPassword('alice', 'wonderland'));
    await assert.rejects(files.accounts.addToken('alice'), NotPermittedError);
    await files.close();
    assert.equal(await readFile(folder.path('.catalogue/accounts.json'), 'utf8'), before);
  });

  it('is no file of the catalogue', async (t) => {
    const { accounts, files } = await accountsIn(t);
    await accounts.addToken('alice');
    const catalogue = files.for();
    const { items } = await catalogue.list('file', { pageSize: 1000 });
    assert.ok(items.length > 0);
    assert.deepEqual(
      items.filter(({ path }) => path.includes('.catalogue')),
      [],
    );
    for (const path of ['../.catalogue/accounts.json', '.catalogue/accounts.json', 'x/../../.catalogue/accounts.json'])
      await assert.rejects(catalogue.media(path), NotFoundError, path);
  });
});
