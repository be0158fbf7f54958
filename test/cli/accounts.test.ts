/** Users, groups and tokens at the prompt. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { representGroup, representUser } from '../../src/catalogue/represent.ts';
import { openFileCatalogue } from '../../src/files/file-catalogue.ts';
import { makeRoot, type PromptOptions, type } from '../support/prompt.ts';
import { served } from '../support/served.ts';

const seed = {
  namespaces: { parks: { id: 1, label: 'Parks', owners: ['gardeners'] } },
  groups: { gardeners: { id: 1, label: 'Gardeners' }, divers: { id: 2, label: 'Divers', aliases: ['swimmers'] } },
  users: {
    alice: { id: 1, name: 'Alice', email: 'alice@example.org', staff: true, groups: ['gardeners'] },
    bob: { id: 2, groups: ['gardeners'] },
  },
};

const at = (words: string, options: PromptOptions = {}) => type(words.split(' '), { seed, ...options });
const accountsIn = async (root: string) => (await openFileCatalogue(root)).accounts;
const links = { base: '', suffix: '' };

describe('user add', () => {
  it('takes every field, and a password from stdin', async () => {
    const words = 'user add eve --name Eve --email eve@example.org --staff true --group divers --password-stdin';
    const { exitCode, out, err, catalogue, root } = await at(words, { files: { '-': 'par adise\n' } });
    assert.deepEqual([exitCode, out, err], [0, 'eve\n', 'Added user eve.\n']);
    const eve = await catalogue.get<'user'>({ kind: 'user', slug: 'eve' });
    assert.deepEqual(
      { ...eve, id: 0 },
      { kind: 'user', slug: 'eve', id: 0, name: 'Eve', email: 'eve@example.org', staff: true, groups: ['divers'] },
    );
    assert.ok(await (await accountsIn(root)).verifyPassword('eve', 'par adise'));
  });

  it('refuses names that are taken, or are none', async () => {
    const taken = await at('user add Bob');
    assert.equal(taken.exitCode, 5);
    assert.match(taken.err, /There is a user bob already/);
    assert.equal((await at('user add a/b')).exitCode, 2);
    assert.equal((await at('user add me')).exitCode, 2);
    for (const [words, message] of [
      [
        'user add eve --group nobody',
        '--group: There is no group nobody. Add it with: catalogue group add nobody --label …',
      ],
      [
        'user add eve --group gardner',
        '--group: There is no group gardner. Did you mean gardeners? Add it with: catalogue group add gardner --label …',
      ],
      ['user add eve --group swimmers', '--group: swimmers is called divers now. Use that name.'],
      ['group add x --label x --member eve', '--member: There is no user eve. Add it with: catalogue user add eve'],
      [
        'namespace edit parks --owner alice --owner divers',
        '--owner: There is no group alice: that is a user. Name a group of that user, or add one with: ' +
          'catalogue group add GROUP --label … --member alice',
      ],
      ['namespace edit parks --reader alice', '--reader: There is no group alice. For the user, write user:alice.'],
    ] as const) {
      const { exitCode, err } = await at(words);
      assert.deepEqual([exitCode, err], [2, `error: ${message}\n`]);
    }
    const { exitCode, err, catalogue } = await at('user add eve --password-stdin', { files: { '-': '\n' } });
    assert.notEqual(exitCode, 0);
    assert.match(err, /No password was given/);
    assert.equal((await catalogue.list('user', {})).count, 2);
  });

  it('has a dry run', async () => {
    const { exitCode, out, catalogue } = await at('user add eve --dry-run');
    assert.deepEqual([exitCode, out], [0, 'Would add user eve\n']);
    assert.equal((await catalogue.list('user', {})).count, 2);
  });
});

describe('user list, show, edit and remove', () => {
  it('leave out the fields of a remote that only the user and staff see', async (t) => {
    const { base, folder } = await served(seed, t);
    const CATALOGUE_TOKEN = (await type(['token', 'add', 'bob'], { root: folder.root })).out.trim();
    const seen = async (...argv: string[]) => {
      const { out } = await type(['user', ...argv, '--json', '--remote', base], { env: { CATALOGUE_TOKEN } });
      return JSON.parse(out);
    };
    const { url, ...alice } = await seen('show', 'alice');
    assert.deepEqual(Object.keys(alice).sort(), ['groups', 'id', 'name', 'username']);
    assert.equal((await seen('show', 'bob')).staff, false);
    const listed: readonly object[] = await seen('list');
    assert.deepEqual(
      listed.map((user) => 'staff' in user),
      [false, true],
    );
  });

  it('lists and shows, for people and programs', async () => {
    assert.equal(
      (await at('user list')).out,
      'alice\tAlice\talice@example.org\tyes\tgardeners\nbob\t\t\t\tgardeners\n',
    );
    assert.match((await at('user list', { terminal: true })).out, /^USER {3}NAME {3}EMAIL/);
    assert.equal((await at('user list --search alice')).out.split('\n').length, 2);
    assert.equal((await at('user list --group divers')).out, '');
    const { out, catalogue } = await at('user show alice --json');
    const alice = await catalogue.get<'user'>({ kind: 'user', slug: 'alice' });
    assert.deepEqual(JSON.parse(out), representUser(alice, links, true));
    assert.match((await at('user show alice')).out, /^user\talice\n/);
    const missing = await at('user show alise');
    assert.deepEqual([missing.exitCode, missing.err], [3, 'error: There is no user alise. Did you mean alice?\n']);
  });

  it('changes what is given', async () => {
    const { exitCode, catalogue } = await at('user edit alice --staff false --group gardeners --group divers');
    assert.equal(exitCode, 0);
    const alice = await catalogue.get<'user'>({ kind: 'user', slug: 'alice' });
    assert.deepEqual([alice.name, alice.staff, alice.groups], ['Alice', false, ['gardeners', 'divers']]);
    assert.equal((await at('user edit alice')).exitCode, 2);
    assert.equal((await at('user edit nobody --name X')).exitCode, 3);
  });

  it('removes after a question, with all there is to sign in with', async () => {
    const root = await makeRoot(seed);
    await (await accountsIn(root)).addToken('bob');
    assert.equal((await at('user remove bob', { root, terminal: true, answer: false })).exitCode, 1);
    assert.equal((await at('user remove bob', { root })).exitCode, 2);
    const { exitCode, err } = await at('user remove bob --yes', { root });
    assert.deepEqual([exitCode, err], [0, 'Removed user bob.\n']);
    assert.deepEqual(await (await accountsIn(root)).tokens(), []);
    assert.equal((await at('user remove bob --yes', { root })).exitCode, 3);
  });
});

describe('user passwd', () => {
  it('asks twice and shows nothing', async () => {
    const { exitCode, out, err, questions, root } = await at('user passwd bob', {
      terminal: true,
      secrets: ['looking-glass', 'looking-glass'],
    });
    assert.deepEqual([exitCode, out], [0, '']);
    assert.deepEqual(questions, ['New password of bob:', 'Repeat the password:']);
    assert.equal(err, 'Changed the password of user bob.\n');
    assert.ok(await (await accountsIn(root)).verifyPassword('bob', 'looking-glass'));
  });

  it('reads stdin where it is told to, and asks nobody who is not there', async () => {
    const { exitCode, root } = await at('user passwd bob --password-stdin', { files: { '-': ' pass word \r\n' } });
    assert.equal(exitCode, 0);
    assert.ok(await (await accountsIn(root)).verifyPassword('bob', ' pass word '));
    const alone = await at('user passwd bob');
    assert.equal(alone.exitCode, 2);
    assert.match(alone.err, /--password-stdin/);
  });

  it('changes nothing where the two differ, there is none, or there is no such user', async () => {
    const root = await makeRoot(seed);
    for (const [secrets, code] of [
      [['one', 'two'], 2],
      [[''], 1],
    ] as const)
      assert.equal((await at('user passwd bob', { root, terminal: true, secrets })).exitCode, code);
    assert.equal((await at('user passwd nobody', { root, terminal: true })).exitCode, 3);
    assert.equal(await (await accountsIn(root)).verifyPassword('bob', 'one'), null);
  });

  it('refuses a password that is soon guessed, and says that tokens end or stay', async () => {
    const root = await makeRoot(seed);
    await (await accountsIn(root)).addToken('bob');
    const passwd = (password: string) => at('user passwd bob --password-stdin', { root, files: { '-': password } });
    const added = await at('user add zoe --password-stdin', { root, files: { '-': 'zoe' } });
    const similar = await at('user add margarethe --password-stdin', { root, files: { '-': 'Margarethe1' } });
    assert.match(similar.err, /too similar to the username/);
    assert.doesNotMatch((await at('user list', { root })).out, /margarethe/);
    assert.deepEqual([added.exitCode, (await at('user list', { root })).out.includes('zoe')], [2, false]);
    assert.match(added.err, /too short\. It must contain at least 8 characters/);
    assert.match((await passwd('Passw0rd!')).err, /This password is too common/);
    const { exitCode, err } = await passwd('looking-glass');
    assert.equal(exitCode, 0);
    assert.equal(err, 'Changed the password of user bob.\n1 token of bob has ended.\n');
    assert.deepEqual(await (await accountsIn(root)).tokens('bob'), []);
    for (const _ of [1, 2]) await (await accountsIn(root)).addToken('bob');
    const words = 'user passwd bob --password-stdin --keep-tokens';
    const kept = await at(words, { root, files: { '-': 'looking-glass 2' } });
    assert.match(kept.err, /\n2 tokens stay valid\. See: catalogue token list bob\n$/);
    const typed = { root, terminal: true, secrets: ['looking-glass 3', 'looking-glass 3'] };
    const asked = await at('user passwd bob', { ...typed, answer: true });
    assert.equal(asked.questions.at(-1), 'bob has 2 tokens. Keep them valid?');
    assert.equal((await (await accountsIn(root)).tokens('bob')).length, 2);
    assert.match((await at('user passwd bob', { ...typed, answer: false })).err, /\n2 tokens of bob have ended\.\n$/);
    assert.deepEqual(await (await accountsIn(root)).tokens('bob'), []);
  });
});

describe('group', () => {
  it('is added with members, listed and shown', async () => {
    const root = await makeRoot(seed);
    const added = await type(['group', 'add', '--label', 'Water works', '--member', 'bob'], { root });
    assert.deepEqual([added.exitCode, added.out], [0, 'water-works\n']);
    assert.equal(
      (await at('group list', { root })).out,
      'divers\tDivers\t\ngardeners\tGardeners\talice, bob\nwater-works\tWater works\tbob\n',
    );
    assert.match((await at('group show gardeners', { root })).out, /namespaces\tparks\n/);
    const { out, catalogue } = await at('group show gardeners --json', { root });
    assert.deepEqual(
      JSON.parse(out),
      representGroup(await catalogue.get<'group'>({ kind: 'group', slug: 'gardeners' }), links),
    );
    assert.equal((await at('group add gardeners --label x', { root })).exitCode, 5);
    assert.equal((await at('group add x --label x --member nobody', { root })).exitCode, 2);
    assert.equal(
      (await at('group show gardner', { root })).err,
      'error: There is no group gardner. Did you mean gardeners?\n',
    );
  });

  it('is edited and renamed wherever it stands', async () => {
    const root = await makeRoot(seed);
    const dry = await at('group edit gardeners --slug keepers --dry-run', { root });
    assert.deepEqual([dry.exitCode, dry.out], [0, 'Would change group gardeners, now keepers\n']);
    const { exitCode, catalogue, err } = await at('group edit gardeners --slug keepers --member bob', { root });
    assert.equal(exitCode, 0, err);
    assert.deepEqual((await catalogue.get<'namespace'>({ kind: 'namespace', slug: 'parks' })).owners, ['keepers']);
    assert.deepEqual((await catalogue.get<'group'>({ kind: 'group', slug: 'keepers' })).members, ['bob']);
    const none = await type(['group', 'edit', 'keepers', '--member', ''], { root });
    assert.deepEqual((await none.catalogue.get<'group'>({ kind: 'group', slug: 'keepers' })).members, []);
    assert.match((await at('group show gardeners', { root })).err, /is called keepers now/);
  });

  it('is removed after a question', async () => {
    const { exitCode, catalogue } = await at('group remove gardeners', { terminal: true, answer: true });
    assert.equal(exitCode, 0);
    assert.deepEqual((await catalogue.get<'user'>({ kind: 'user', slug: 'bob' })).groups, []);
    assert.deepEqual((await catalogue.get<'namespace'>({ kind: 'namespace', slug: 'parks' })).owners, []);
  });
});

describe('token', () => {
  it('is printed alone on stdout, and only once', async () => {
    const { exitCode, out, err, root } = await type(
      ['token', 'add', 'bob', '--scope', 'read', '--label', 'Nightly', '--expires', '30d'],
      { seed },
    );
    assert.equal(exitCode, 0);
    assert.match(out, /^[0-9a-f]{40}\n$/);
    assert.match(err, /^Added token [0-9a-f]{12} of user bob\. It expires on \d{4}-\d\d-\d\d\. Keep it safe/);
    const accounts = await accountsIn(root);
    assert.equal((await accounts.viewerByToken(out.trim()))?.readOnly, true);
    const [token] = await accounts.tokens();
    const days = (Date.parse(token?.expires ?? '') - Date.now()) / 86_400_000;
    assert.ok(days > 29.9 && days <= 30);
    const list = await at('token list', { root });
    assert.match(list.out, /^[0-9a-f]{12}\tbob\tNightly\tread\t/);
    assert.ok(!list.out.includes(out.trim()));
  });

  it('as JSON is the object of the API, and the token', async () => {
    const { out, root } = await at('token add bob --json --expires never');
    const { token, ...rest } = JSON.parse(out);
    assert.match(token, /^[0-9a-f]{40}$/);
    assert.equal(rest.expires, null);
    assert.deepEqual(JSON.parse((await at('token list bob --json', { root })).out), [rest]);
    assert.equal((await at('token list alice --json', { root })).out, '[]\n');
  });

  it('is refused for nobody, and for moments that are none', async () => {
    assert.equal((await at('token add nobody')).exitCode, 3);
    assert.equal((await at('token list nobody')).exitCode, 3);
    for (const when of ['soon', '0d', '30', '2001-01-01', '2030-13-01', '2100-02-31']) {
      const { exitCode, out } = await at(`token add bob --expires ${when}`);
      assert.deepEqual([exitCode, out], [2, ''], when);
    }
    assert.equal((await at('token add bob --scope all')).exitCode, 2);
    const dry = await at('token add bob --dry-run');
    assert.equal(dry.out, 'Would add a token of user bob\n');
    assert.deepEqual(await (await accountsIn(dry.root)).tokens(), []);
  });

  it('is removed by its id, after a question', async () => {
    const root = await makeRoot(seed);
    const { id } = await (await accountsIn(root)).addToken('bob');
    assert.equal((await at(`token remove ${id} --dry-run`, { root })).out, `Would remove token ${id} of user bob\n`);
    const { questions, err } = await at(`token remove ${id}`, { root, terminal: true, answer: true });
    assert.deepEqual(questions, [`Remove token ${id} of user bob?`]);
    assert.equal(err, `Removed token ${id} of user bob.\n`);
    const again = await at(`token remove ${id} --yes`, { root });
    assert.deepEqual([again.exitCode, again.err], [3, `error: There is no token ${id}. See: catalogue token list\n`]);
  });
});
