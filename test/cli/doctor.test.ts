import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { chmodSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, it } from 'node:test';
import { isVersionAtLeast } from '../../src/cli/doctor/environment.ts';
import { watchLimitHealthCheck } from '../../src/cli/doctor/folder.ts';
import type { HealthCheck } from '../../src/cli/doctor/health-check.ts';
import { temporaryName } from '../../src/disk/durable.ts';
import { countWatchesNeeded, isLfsConfigured } from '../../src/files/diagnose.ts';
import { serveAccounts } from '../support/accounts.ts';
import { freePort } from '../support/free-port.ts';
import { makeRoot, type PromptOptions, seed, type } from '../support/prompt.ts';

/** What is found, by its name. */
async function examined(options: PromptOptions = {}) {
  const root = options.root ?? (await makeRoot());
  const env = { XDG_CONFIG_HOME: join(dirname(root), 'config'), ...options.env };
  const { out, err, exitCode } = await type(['doctor', '--json'], { ...options, root, env });
  assert.equal(err, '');
  const { ok, findings } = JSON.parse(out) as { ok: boolean; findings: readonly HealthCheck[] };
  assert.equal(exitCode, ok ? 0 : 1, out);
  return { ok, finding: (name: string) => findings.find((one) => one.name === name) };
}

describe('doctor', () => {
  it('finds all well in a sound catalogue, and changes nothing', async () => {
    const root = await makeRoot();
    const { mtimeMs } = statSync(root);
    const { ok, finding } = await examined({ root });
    assert.ok(ok);
    assert.match(finding('contents')?.message ?? '', /^2 namespaces, 3 datasets, 1 version$/);
    assert.equal(finding('node')?.state, 'ok');
    assert.equal(finding('path')?.message, root);
    assert.equal(statSync(root).mtimeMs, mtimeMs);
  });

  it('finds an object store that can not be reached', async (t) => {
    const keys = { AWS_ACCESS_KEY_ID: 'key', AWS_SECRET_ACCESS_KEY: 'secret' };
    const before = { ...process.env };
    Object.assign(process.env, keys);
    t.after(() => {
      for (const name of Object.keys(keys)) delete process.env[name];
      Object.assign(process.env, before);
    });
    const endpoint = `http://127.0.0.1:${await freePort()}`;
    const root = await makeRoot({ ...seed, settings: { payloads: { store: 's3://bucket/town', endpoint } } });
    const { ok, finding } = await examined({ root });
    const { state, message, advice } = finding('object store') ?? {};
    assert.deepEqual([ok, state], [false, 'problem']);
    assert.match(message ?? '', /^The object store can't be reached at the moment\./);
    assert.match(advice ?? '', /^Check "payloads" in catalogue\.yaml\./);
    assert.equal((await examined()).finding('object store'), undefined);
  });

  it('finds accounts that others may read', async () => {
    const root = await makeRoot();
    const path = join(root, '.catalogue', 'accounts.json');
    mkdirSync(dirname(path));
    writeFileSync(path, '{"passwords": [], "tokens": [], "sessions": []}');
    for (const [mode, state] of [
      [0o600, 'ok'],
      [0o644, 'problem'],
    ] as const) {
      chmodSync(path, mode);
      const { finding } = await examined({ root });
      assert.equal(finding('accounts')?.state, state);
    }
    const { finding } = await examined({ root });
    assert.match(finding('accounts')?.advice ?? '', /chmod 600 .*accounts\.json/);
  });

  it('says to another user that accounts and cache can not be read', { skip: process.getuid?.() !== 0 }, async () => {
    const root = await makeRoot();
    for (const folder of [dirname(dirname(root)), dirname(root), root]) chmodSync(folder, 0o755);
    mkdirSync(join(root, '.catalogue'), { mode: 0o700 });
    writeFileSync(join(root, '.catalogue', 'accounts.json'), '{"passwords": [], "tokens": [], "sessions": []}');
    await examined({ root });
    process.seteuid?.(65534);
    try {
      const { ok, finding } = await examined({ root });
      assert.deepEqual(
        [ok, finding('accounts')?.state, finding('accounts')?.message, finding('cache')?.message],
        [true, 'warning', ".catalogue/ can't be read: it belongs to another user", ".catalogue/ can't be read"],
      );
    } finally {
      process.seteuid?.(0);
    }
  });

  it('finds accounts that are damaged, with which the server does not start', async () => {
    const root = await makeRoot({ ...seed, users: { ann: { id: 1, groups: [] } } });
    await type(['token', 'add', 'ann'], { root });
    const path = join(root, '.catalogue', 'accounts.json');
    const whole = readFileSync(path, 'utf8');
    for (const damaged of [whole.slice(0, 50), '', '{}', whole.replace('"hash"', '"hush"')]) {
      writeFileSync(path, damaged);
      const { ok, finding } = await examined({ root });
      const { state, message } = finding('accounts') ?? {};
      assert.deepEqual([ok, state], [false, 'problem'], damaged);
      assert.match(message ?? '', /^\.catalogue\/accounts\.json is damaged at /);
    }
    assert.equal(statSync(path).mode & 0o777, 0o600);
  });

  it('warns if there are users and nobody can sign in', async () => {
    const users = { ann: { id: 1, groups: [] } };
    const root = await makeRoot({ ...seed, users });
    const accounts = async () => {
      const { state, message, advice } = (await examined({ root })).finding('accounts') ?? {};
      return { state, message, advice };
    };
    const warning = {
      state: 'warning',
      message: 'Nobody can sign in yet.',
      advice:
        'Set a password with: catalogue user passwd NAME. Git does not hold passwords and tokens; to bring them back from a ' +
        'backup: catalogue restore BACKUP --accounts',
    };
    assert.deepEqual(await accounts(), warning);
    const { out } = await type(['token', 'add', 'ann', '--json'], { root });
    assert.equal((await accounts()).state, 'ok');
    await type(['token', 'remove', JSON.parse(out).id, '--yes'], { root });
    assert.deepEqual(await accounts(), warning);
    assert.equal((await examined()).finding('accounts')?.message, 'none yet');
  });

  it('finds a private folder that git would take in, or has', async () => {
    const root = await makeRoot();
    const git = (...args: string[]) =>
      execFileSync('git', ['-C', root, '-c', 'user.name=A', '-c', 'user.email=a@b', ...args]);
    git('init', '-q');
    const found = async () => (await examined({ root })).finding('git');
    const { finding } = await examined({ root });
    assert.equal(finding('git')?.area, 'environment');
    const inFolder = async () => {
      const { out } = await type(['doctor'], { root, env: { XDG_CONFIG_HOME: root } });
      return out.split('\n').find((line) => line.includes('\tfolder\tgit\t')) ?? '';
    };
    assert.match(await inFolder(), /^problem.*isn't ignored by git/);
    writeFileSync(join(root, '.gitignore'), '.catalogue/\n');
    assert.match(await inFolder(), /^ok.*is ignored by git/);
    mkdirSync(join(root, '.catalogue'));
    writeFileSync(join(root, '.catalogue', 'accounts.json'), '{}');
    git('add', '-f', '.catalogue');
    assert.match(await inFolder(), /^problem.*is in git.*git rm -r --cached/);
    assert.equal((await found())?.state, 'ok');
  });

  it('finds what a writer left that was killed', async () => {
    const root = await makeRoot();
    // As of another process that had this one's number.
    const name = temporaryName().replace(/[0-9a-f]{8}(?=\.catalogue-tmp$)/, '00000000');
    writeFileSync(join(root, 'namespaces', 'parks', name), '');
    const { finding } = await examined({ root });
    assert.equal(finding('leftovers')?.state, 'warning');
    assert.match(finding('leftovers')?.message ?? '', /^1 file /);
  });

  it('finds broken files and settings', async () => {
    const broken = { ...seed, files: { ...seed.files, 'namespaces/parks/datasets/ash/dataset.yaml': 'label: [' } };
    const { ok, finding } = await examined({ root: await makeRoot(broken) });
    assert.ok(!ok);
    assert.match(finding('files')?.message ?? '', /^1 file broken$/);
    const settings = await examined({ root: await makeRoot({ ...seed, files: { 'catalogue.yaml': 'title: [' } }) });
    assert.match(settings.finding('settings')?.message ?? '', /catalogue\.yaml is broken at line 1/);
  });

  it('says where there is no catalogue', async () => {
    const { ok, finding } = await examined({ env: { CATALOGUE_DATA: 'nowhere' } });
    assert.ok(ok);
    assert.match(finding('path')?.advice ?? '', /There is no folder nowhere/);
  });

  it('asks remotes, and tells of those that do not answer', async () => {
    const root = await makeRoot();
    const env = { XDG_CONFIG_HOME: join(dirname(root), 'config') };
    await type(['remote', 'add', 'gone', `http://127.0.0.1:${await freePort()}`], { root, env });
    const { ok, finding } = await examined({ root });
    assert.ok(!ok);
    assert.equal(finding('gone')?.state, 'problem');
  });

  it('tests each sign-in, and tells the version of a remote to staff', async (t) => {
    const { base, accounts, ask } = await serveAccounts(t);
    const root = await makeRoot();
    const env = { XDG_CONFIG_HOME: join(dirname(root), 'config') };
    const { version } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8'));
    const done = async (line: string, input = '') => {
      const { err, exitCode } = await type(line.split(' '), { root, env, files: { '-': input } });
      assert.equal(exitCode, 0, err);
    };
    const remotes = async (more: NodeJS.ProcessEnv = {}) => {
      const { out } = await type(['doctor', '--json'], { root, env: { ...env, ...more } });
      const { findings } = JSON.parse(out) as { findings: readonly HealthCheck[] };
      return findings
        .filter(({ area }) => area === 'remotes')
        .map(({ name, state, message }) => `${name} ${state}: ${message.replace(/\d+ ms/, 'N ms')}`);
    };
    await done(`remote add city ${base}`);
    assert.deepEqual(await remotes(), [`city ok: ${base} answers in N ms, 0 datasets`]);
    const [alice, bob] = [await accounts.addToken('alice'), await accounts.addToken('bob')];
    await done('login city --token-stdin', alice.token);
    const facts = `city ok: ${base} answers in N ms, 0 datasets`;
    assert.deepEqual(await remotes(), [`${facts}, version ${version}`, 'city ok: signed in as alice']);
    assert.deepEqual(await remotes({ CATALOGUE_TOKEN: bob.token, CATALOGUE_REMOTE: 'city' }), [
      facts,
      'city ok: signed in as bob, by CATALOGUE_TOKEN',
    ]);
    await accounts.removeToken(alice.id);
    const refused = 'problem: the sign-in as alice is refused: the token was removed, or its user';
    assert.deepEqual(await remotes(), [facts, `city ${refused}`]);
    for (const [token, expected] of [
      [alice.token, null],
      [bob.token, null],
      [(await accounts.addToken('alice')).token, version],
    ]) {
      const { headers } = await ask('/api/v1/', {}, token);
      assert.equal(headers.get('x-catalogue-version'), expected);
    }
    assert.equal((await ask('/api/v1/')).headers.get('x-catalogue-version'), null);
  });

  it('is readable at a terminal, with what to do below', async () => {
    const { out, err } = await type(['doctor'], {
      terminal: true,
      columns: 60,
      env: { XDG_CONFIG_HOME: '/nonexistent', CATALOGUE_DATA: 'nowhere' },
    });
    assert.match(out, /^\nEnvironment\nok +catalogue +\d/);
    assert.match(out, /\nFolder\nwarning +path +no folder\n +There is no folder nowhere/);
    for (const line of out.split('\n')) assert.ok(line.length <= 60, line);
    assert.match(err, /^No problem, \d warnings?\.$/m);
  });
});

describe('what doctor knows', () => {
  it('compares versions by their numbers', () => {
    assert.ok(isVersionAtLeast('20.19.0', '20.19'));
    assert.ok(isVersionAtLeast('22.1.0', '20.19'));
    assert.ok(!isVersionAtLeast('20.9.0', '20.19'));
    assert.ok(!isVersionAtLeast('18.20.0', '20.19'));
  });

  it('says what to raise where too few folders can be watched', { skip: process.platform !== 'linux' }, async () => {
    const [few] = watchLimitHealthCheck(countWatchesNeeded(10, 1));
    assert.equal(few?.state, 'ok');
    const [many] = watchLimitHealthCheck(countWatchesNeeded(10_000_000, 1));
    assert.equal(many?.state, 'warning');
    assert.match(many?.advice ?? '', /more folders|max_user_watches=/);
  });

  it('knows whether payloads are kept in Git LFS', async () => {
    const root = await makeRoot();
    assert.equal(isLfsConfigured(root), false);
    writeFileSync(join(root, '.gitattributes'), '# *.csv filter=lfs\n*.gz filter=lfs diff=lfs\n');
    assert.equal(isLfsConfigured(root), true);
    writeFileSync(join(root, '.gitattributes'), '# *.csv filter=lfs\n');
    assert.equal(isLfsConfigured(root), false);
  });
});
