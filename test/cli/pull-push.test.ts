/** `catalogue pull` and `catalogue push`: the origin of a folder, and runs that lose their lock. */
import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync, renameSync, utimesSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { homeOf, until } from '../support/folder.ts';
import { filesIn, makeRoot, seed, type } from '../support/prompt.ts';
import { startProxy } from '../support/proxy.ts';
import { served } from '../support/served.ts';

describe('the origin of a folder', () => {
  it('is the first remote that it is pulled from, but not in a dry run', async (t) => {
    const { base } = await served(seed, t);
    const root = await makeRoot({ settings: { title: 'Town' } });
    const hasOrigin = () => existsSync(join(root, '.catalogue/remotes/origin.json'));
    for (const line of ['pull --dry-run', 'push --dry-run', 'diff']) {
      const { exitCode, err } = await type([...line.split(' '), '--remote', base], { root });
      assert.deepEqual([exitCode, hasOrigin()], [0, false], `${line}: ${err}`);
    }
    assert.match((await type(['pull'], { root })).err, /This catalogue has no remote yet/);
    assert.equal((await type(['pull', '--remote', base], { root })).exitCode, 0);
    assert.equal(hasOrigin(), true);
  });
});

describe('diff without arguments', () => {
  it('compares the folder of --data with the remote of --remote or CATALOGUE_REMOTE, as the user of CATALOGUE_TOKEN', async (t) => {
    const { base, folder } = await served(seed, t);
    const there = { root: folder.root };
    const password = { '-': 'down the rabbit hole\n' };
    await type(['user', 'add', 'ann', '--staff', 'true', '--password-stdin'], { ...there, files: password });
    const CATALOGUE_TOKEN = (await type(['token', 'add', 'ann'], there)).out.trim();
    const root = await makeRoot({ settings: { title: 'Town' } });
    const pulled = async (...argv: string[]) => {
      const { exitCode, out, err } = await type([...argv, '--data', root, '--json'], {
        root,
        env: { CATALOGUE_TOKEN, ...(argv.includes('--remote') ? {} : { CATALOGUE_REMOTE: base }) },
      });
      assert.equal(exitCode, 0, err);
      assert.doesNotMatch(err, /isn't sent/);
      return JSON.stringify(JSON.parse(out).incoming);
    };
    assert.match(await pulled('diff'), /water\/wells/);
    assert.match(await pulled('diff', '--remote', base), /water\/wells/);
  });
});

describe('a dataset that was removed locally and changed remotely', () => {
  it('is one conflict, with its versions', async (t) => {
    const { base, folder } = await served({ ...seed, settings: { title: 'Town' } }, t);
    const root = await makeRoot({ settings: { title: 'Town' } });
    const run = (line: string) => type(line.split(' '), { root, terminal: true });
    await run(`pull --remote ${base}`);
    assert.equal((await run('dataset remove parks/trees --yes')).exitCode, 0);
    await type(['dataset', 'edit', 'parks/trees', '--label', 'Remote'], { root: folder.root });
    const address = `${base}/api/v1/namespaces/parks/datasets/trees/`;
    await until(async () => ((await (await fetch(address)).json()) as { label: string }).label === 'Remote');
    const { exitCode, out, err } = await run('pull');
    assert.equal(exitCode, 5);
    assert.match(out, /^! parks\/trees {2}removed locally, changed remotely, with 1 version\n( {4}.*\n)*$/);
    assert.match(err, /^1 conflict: .*: catalogue pull --ours parks\/trees$/m);
    assert.match((await run('push')).err, /^1 record not sent: changed on both sides/m);
    assert.equal(JSON.parse((await run('pull --json')).out).conflicts.length, 3);
    assert.equal((await run('pull --theirs parks/trees')).exitCode, 0);
    assert.equal(readFileSync(join(root, homeOf('parks/trees'), 'dataset.yaml'), 'utf8').includes('Remote'), true);
    assert.match((await run('pull')).err, /Already up to date/);
  });
});

describe('pull --ours', () => {
  it('counts the records that are kept, without their payloads, and those that stay removed', async (t) => {
    const { base, folder } = await served({ ...seed, settings: { title: 'Town' } }, t);
    const root = await makeRoot({ settings: { title: 'Town' } });
    const local = (line: string) => type(line.split(' '), { root });
    const remote = (line: string) => type(line.split(' '), { root: folder.root });
    const addressOf = (name: string) => `${base}/api/v1/namespaces/${name.replace('/', '/datasets/')}/`;
    await local(`pull --remote ${base}`);
    await local('dataset edit parks/trees --label Local');
    await local('dataset remove parks/benches --yes');
    await remote('dataset remove parks/trees --yes');
    await remote('dataset edit parks/benches --label Remote');
    await until(async () => (await fetch(addressOf('parks/trees'))).status === 404);
    await until(
      async () => ((await (await fetch(addressOf('parks/benches'))).json()) as { label: string }).label === 'Remote',
    );
    assert.match(
      (await local('pull --ours')).err,
      /^Kept 2 local records\. Kept the local removal of 1 record\. To send: /m,
    );
  });
});

describe('an exchange of names that a push does not finish', () => {
  it('leaves a record at a name between: the message has that, and the command that finishes it', async (t) => {
    const { base, folder } = await served({ ...seed, queries: {}, settings: { title: 'Town' } }, t);
    const remote = (line: string) => type(line.split(' '), { root: folder.root });
    await type(['user', 'add', 'ann', '--staff', 'true', '--password-stdin'], {
      root: folder.root,
      files: { '-': 'down the rabbit hole\n' },
    });
    const CATALOGUE_TOKEN = (await remote('token add ann')).out.trim();
    const addressOf = (name: string) => `${base}/api/v1/namespaces/parks/datasets/${name}/`;
    const labelAt = async (name: string) => ((await (await fetch(addressOf(name))).json()) as { label?: string }).label;
    const before = { trees: await labelAt('trees'), benches: await labelAt('benches') };
    let isChanged = false;
    const proxy = await startProxy(t, async ({ method }) => {
      if (method === 'PATCH' && !isChanged) {
        isChanged = true;
        await remote('dataset edit parks/trees --description Meanwhile');
        await until(async () => /Meanwhile/.test(await (await fetch(addressOf('trees'))).text()));
      }
      return base;
    });
    const root = await makeRoot({ settings: { title: 'Town' } });
    const local = (line: string) => type(line.split(' '), { root, env: { CATALOGUE_TOKEN, CATALOGUE_REMOTE: proxy } });
    await local('pull');
    for (const [from, to] of ['benches between', 'trees benches', 'between trees'].map((line) => line.split(' ')))
      await type(['dataset', 'edit', `parks/${from}`, '--slug', to ?? ''], { root });
    const { exitCode, err } = await local('push');
    assert.equal(exitCode, 5, err);
    assert.match(
      err,
      /^parks\/benches is parks\/benches-renamed on the remote now: parks\/trees, its new name, is still taken\. To finish the exchange of names: catalogue push$/m,
    );
    assert.equal(await labelAt('benches-renamed'), before.benches);
    assert.equal((await local('pull')).exitCode, 0);
    const pushed = await local('push');
    assert.equal(pushed.exitCode, 0, pushed.err);
    assert.doesNotMatch(pushed.err, /renamed/);
    assert.deepEqual([await labelAt('trees'), await labelAt('benches')], [before.benches, before.trees]);
  });
});

describe('the commands in the messages of a pull and a push', () => {
  /** A clone, in which the label of each dataset differs from that of the remote. */
  async function start(t: TestContext) {
    const datasets = { ...seed.datasets, 'water/wells': { id: 13, label: 'Wells' } };
    const { base, folder } = await served({ ...seed, datasets, settings: { title: 'Town' } }, t);
    const root = await makeRoot({ settings: { title: 'Town' } });
    const local = (line: string) => type(line.split(' '), { root });
    await local(`pull --remote ${base}`);
    const names = ['parks/trees', 'parks/benches', 'water/wells'];
    const labelOf = (name: string) =>
      /^label: (.*)$/m.exec(readFileSync(join(root, homeOf(name), 'dataset.yaml'), 'utf8'))?.[1];
    const relabel = async (at: string, label: string) => {
      for (const name of names) await type(['dataset', 'edit', name, '--label', label], { root: at });
    };
    await relabel(root, 'Local');
    await relabel(folder.root, 'Remote');
    // The server follows its folder.
    const [namespace, slug] = names.at(-1)?.split('/') ?? [];
    const last = `${base}/api/v1/namespaces/${namespace}/datasets/${slug}/`;
    await until(async () => ((await (await fetch(last)).json()) as { label: string }).label === 'Remote');
    const typedAs = (text: string, what: RegExp) => {
      const [, command = ''] = what.exec(text.replace(/\n {2}/g, '\n')) ?? [];
      assert.match(command, /^catalogue /, text);
      return command.replace('catalogue ', '');
    };
    return { base, folder, root, local, labelOf, typedAs };
  }

  it('resolve the conflicts that were shown, and no others', async (t) => {
    const { local, labelOf, typedAs } = await start(t);
    const { exitCode, err } = await local('pull parks');
    assert.equal(exitCode, 5);
    const typed = typedAs(err, /Take theirs: (.*)/);
    assert.equal(typed, 'pull --theirs parks');
    assert.equal((await local(typed)).exitCode, 0);
    assert.deepEqual(['parks/trees', 'parks/benches', 'water/wells'].map(labelOf), ['Remote', 'Remote', 'Local']);
    assert.match((await local('push water')).err, /Pull first: catalogue pull water$/m);
    const kept = await local('pull --ours water');
    assert.equal(typedAs(kept.err, /To send: (.*)/), 'push water');
    assert.match((await local('pull')).err, /Nothing to pull\. 1 local change to push: catalogue push$/m);
  });

  it('go to the remote and the folder that were named', async (t) => {
    const { base, local, root, folder } = await start(t);
    await local(`remote add city ${base}`);
    const suffix = ` --remote city --data ${root}`;
    const ends = (...commands: string[]) =>
      new RegExp(commands.map((text) => `: catalogue ${text}${suffix}\n[^]*`).join(''));
    const { err } = await local(`pull${suffix}`);
    assert.match(err, ends('pull --ours', 'pull --theirs'));
    assert.match((await local(`push${suffix}`)).err, ends('pull'));
    assert.match((await local(`pull --ours parks${suffix}`)).err, ends('push parks'));
    assert.match((await local(`pull parks${suffix}`)).err, ends('push parks'));
    const other = await served({ namespaces: { roads: { id: 71, label: 'Roads' } } }, t);
    await local(`remote set-url city ${other.base}`);
    assert.match((await local(`push${suffix}`)).err, ends('pull --force', 'push --force'));
    const { exitCode, err: without } = await type(['pull', '--data', folder.root], { root });
    assert.deepEqual(
      [exitCode, without.includes(`catalogue pull --remote URL --data ${folder.root}`)],
      [2, true],
      without,
    );
  });
});

describe('a push of an alias in a namespace that the remote lacks', () => {
  it('is refused with the command by which the alias is removed', async (t) => {
    const groups = { gardeners: { id: 1, label: 'Gardeners' } };
    const namespaces = { parks: { id: 1, label: 'Parks', owners: ['gardeners'] } };
    const { base, folder } = await served({ namespaces, groups }, t);
    const password = { '-': 'down the rabbit hole\n' };
    const there = { root: folder.root, files: password };
    await type(['user', 'add', 'bob', '--group', 'gardeners', '--password-stdin'], there);
    const CATALOGUE_TOKEN = (await type(['token', 'add', 'bob'], { root: folder.root })).out.trim();
    const root = await makeRoot({ settings: { title: 'Town' } });
    const VISUAL = `sed -i '/aliases/d; /scratch/d'`;
    const local = (line: string, terminal = false) =>
      type([...line.split(' '), '--data', root], {
        root,
        terminal,
        env: { CATALOGUE_TOKEN, CATALOGUE_REMOTE: base, VISUAL },
      });
    await local('pull');
    await local('namespace add scratch --label Scratch');
    await local('dataset add scratch/oaks --label Oaks');
    await local('dataset edit scratch/oaks --namespace parks');
    await local('namespace remove scratch --yes');
    const { exitCode, err } = await local('push');
    assert.equal(exitCode, 4, err);
    const [, command = ''] = /in an editor: catalogue (.*) --data/.exec(err.replace(/\n {2}/g, '\n')) ?? [];
    assert.equal(command, 'dataset edit parks/oaks', err);
    const edited = await local(command, true);
    assert.equal(edited.exitCode, 0, edited.err);
    const pushed = await local('push');
    assert.deepEqual([pushed.exitCode, /Pushed 1 record/.test(pushed.err)], [0, true], pushed.err);
  });
});

describe('push --json', () => {
  it('has the records that were not tried, because one that they need was refused', async (t) => {
    const { base, folder } = await served(seed, t);
    const password = { '-': 'down the rabbit hole\n' };
    await type(['user', 'add', 'bob', '--password-stdin'], { root: folder.root, files: password });
    const CATALOGUE_TOKEN = (await type(['token', 'add', 'bob'], { root: folder.root })).out.trim();
    const root = await makeRoot({ settings: { title: 'Town' } });
    const env = { CATALOGUE_TOKEN };
    await type(['pull', '--remote', base], { root, env });
    await type(['dataset', 'add', 'parks/oaks', '--label', 'Oaks'], { root });
    await type(['version', 'add', 'parks/oaks', 'oaks.csv'], { root, files: { 'oaks.csv': 'a\n1\n' } });
    const { exitCode, out } = await type(['push', '--remote', base, '--json'], { root, env });
    const { outgoing, failed, skipped } = JSON.parse(out);
    assert.deepEqual([exitCode, outgoing, failed.map(({ name }: { name: string }) => name)], [4, [], ['parks/oaks']]);
    const names = skipped.map(({ name, path }: { name: string; path: string }) => `${name} ${path}`);
    assert.match(names.join('\n'), /^parks\/oaks@\d+ namespaces\/parks\/datasets\/oaks\/versions\/\d+\.yaml$/m);
    const { err } = await type(['push', '--remote', base], { root, env });
    assert.match(err, /^1 record not sent: it needs those first\.$/m);
  });
});

describe('a pull and a push of a record that can’t be read', () => {
  it('do the rest, say which one it is, and fail', async (t) => {
    const { base } = await served(seed, t);
    const root = await makeRoot({ settings: { title: 'Town' } });
    const run = (line: string) => type([...line.split(' '), '--remote', base], { root });
    assert.equal((await run('pull')).exitCode, 0);
    const record = join(root, 'namespaces/parks/namespace.yaml');
    renameSync(record, `${record}.orig`);
    for (const line of ['push', 'pull', 'pull --dry-run']) {
      const { exitCode, err } = await run(line);
      assert.match(err, /^parks: left alone\. The local namespace\.yaml is missing or can't be read/m, line);
      assert.equal(exitCode, 1, line);
      const { held } = JSON.parse((await run(`${line} --json`)).out);
      assert.deepEqual(
        held.map((one: { path: string; isUnreadable: boolean }) => [one.path, one.isUnreadable]),
        [['namespaces/parks/namespace.yaml', true]],
      );
    }
    assert.equal((await run('pull water')).exitCode, 0, 'other records were named');
    renameSync(`${record}.orig`, record);
    assert.equal((await run('push')).exitCode, 0);
  });
});

describe('Ctrl-C', () => {
  for (const [line, method] of [
    ['pull', 'GET'],
    ['push', 'GET'],
    ['push', 'PATCH'],
    ['push --dry-run', 'PATCH'],
  ] as const)
    it(`ends a ${line} that waits for the answer to a ${method}`, async (t) => {
      const { base, folder } = await served({ namespaces: {} }, t);
      await type(['user', 'add', 'zoe', '--staff', 'true'], { root: folder.root });
      const CATALOGUE_TOKEN = (await type(['token', 'add', 'zoe'], { root: folder.root })).out.trim();
      const headers = { Authorization: `Token ${CATALOGUE_TOKEN}` };
      await until(async () => (await fetch(`${base}/api/v1/users/`, { headers })).ok);
      let press = () => {};
      const interrupted = new Promise<void>((resolve) => {
        press = resolve;
      });
      const url = await startProxy(t, (incoming) => {
        if (incoming.method !== method || !incoming.url?.startsWith('/api/v1/files/')) return base;
        press();
        return new Promise(() => {});
      });
      const env = { CATALOGUE_TOKEN };
      const late = sleep(20_000, 'late', { ref: false });
      const result = await Promise.race([type([...line.split(' '), '--remote', url], { env, interrupted }), late]);
      assert.ok(typeof result === 'object', 'it goes on waiting');
      assert.equal(result.exitCode, 130);
      assert.match(result.err, /^error: Interrupted\. What was done until then stays/);
    });
});

describe('a pull', () => {
  it('changes nothing after it has lost its lock', async (t) => {
    const { base } = await served(seed, t);
    const root = await makeRoot({ settings: { title: 'Town' } });
    const locks = join(root, '.catalogue/locks');
    let isLost = false;
    const url = await startProxy(t, async (incoming) => {
      if (isLost || !incoming.url?.startsWith('/api/v1/files/')) return base;
      isLost = true;
      // As if another had taken over: the next sign of life, after 2.5 seconds, finds a time that isn't its own.
      for (const name of readdirSync(locks)) utimesSync(join(locks, name), new Date(5000), new Date(5000));
      await sleep(3500);
      return base;
    });
    const before = filesIn(root);
    const { exitCode, err } = await type(['pull', '--remote', url], { root });
    assert.equal(isLost, true);
    assert.notEqual(exitCode, 0);
    assert.match(err, /The lock of \S+ was lost because this process was paused\. Try again\./);
    assert.deepEqual(filesIn(root), before);
  });
});
