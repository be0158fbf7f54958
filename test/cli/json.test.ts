/** With --json, stdout has JSON or nothing. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { until } from '../support/folder.ts';
import { makeRoot, seed, type } from '../support/prompt.ts';
import { served } from '../support/served.ts';

const withUser = {
  ...seed,
  users: { bob: { id: 31, groups: [] } },
  groups: { gardeners: { id: 41, label: 'Gardeners' } },
};

describe('--json', () => {
  it('prints in a dry run what the command would print, or nothing; what would be done is a message', async (t) => {
    const { base } = await served(seed, t);
    const root = await makeRoot(withUser);
    await type(['token', 'add', 'bob'], { root });
    const [{ id }] = JSON.parse((await type(['token', 'list', '--json'], { root })).out);
    await type(['remote', 'add', 'prod', base], { root });
    for (const line of [
      'init elsewhere',
      'dataset edit parks/trees --label Oaks',
      'version remove parks/trees@20200102030405000000',
      'dataset remove parks/trees',
      'token add bob --expires 2999-01-01 --label x',
      `token remove ${id}`,
      'group remove gardeners',
      'user remove bob',
      'remote add other https://example.org',
      'remote set-url prod https://example.org',
      `remote set-url prod ${base}`,
      'remote remove prod',
      `clone ${base} copy`,
    ]) {
      const words = [...line.split(' '), ...(/ remove /.test(line) ? ['--yes'] : []), '--json'];
      const { exitCode, out, err } = await type([...words, '--dry-run'], { root });
      assert.equal(exitCode, 0, `${line}: ${err}`);
      assert.match(err, /^(?:Would |Remote prod has this address already)/, line);
      if (line.startsWith('remote set-url prod https')) continue;
      const real = await type(words, { root });
      assert.equal(real.exitCode, 0, `${line}: ${real.err}`);
      if (real.out === '') assert.equal(out, '', line);
      else if (line.startsWith('token add'))
        assert.deepEqual(Object.keys(JSON.parse(out)), Object.keys(JSON.parse(real.out)));
      else assert.deepEqual(JSON.parse(out), JSON.parse(real.out), line);
    }
    const password = await type(['user', 'passwd', 'bob', '--dry-run', '--json'], { root: await makeRoot(withUser) });
    assert.deepEqual([password.exitCode, password.out], [0, ''], password.err);
  });

  it('prints the object that was removed, locally and remotely alike', async (t) => {
    const content = {
      ...withUser,
      users: { ...withUser.users, root: { id: 1, staff: true } },
      queries: { tall: { id: 51, label: 'Tall trees', dataset: 'parks/benches' } },
    };
    const { base, folder } = await served(content, t);
    const CATALOGUE_TOKEN = (await type(['token', 'add', 'root'], { root: folder.root })).out.trim();
    const root = await makeRoot(content);
    for (const line of [
      'query NAME tall',
      'version NAME parks/trees@20200102030405000000',
      'dataset NAME parks/trees',
      'dataset NAME water/wells',
      'namespace NAME water',
      'group NAME gardeners',
      'user NAME bob',
    ]) {
      const run = async (verb: string, ...more: string[]) => {
        const argv = [...line.replace('NAME', verb).split(' '), '--json', ...more];
        const { exitCode, out, err } = await type(argv, { root, env: { CATALOGUE_TOKEN } });
        assert.equal(exitCode, 0, err);
        return JSON.parse(out);
      };
      assert.ok((await run('show')).id, line);
      const local = await run('remove', '--yes');
      const remote = await run('remove', '--yes', '--remote', base);
      assert.ok(local.id, line);
      assert.deepEqual(Object.keys(local), Object.keys(remote), line);
      assert.equal(local.id, remote.id, line);
    }
  });

  it('prints the folder of a new catalogue, and the address of a server', async () => {
    const root = await makeRoot();
    const made = await type(['init', 'new', '--json'], { root });
    assert.deepEqual(JSON.parse(made.out), { folder: 'new' }, made.err);
    const { out } = await type(['serve', '--json'], {
      root,
      interrupted: Promise.resolve(),
      serve: async () => ({ url: 'http://127.0.0.1:8000', title: 'Town', async close() {} }),
    });
    assert.deepEqual(JSON.parse(out), { title: 'Town', url: 'http://127.0.0.1:8000/' });
  });

  it('names what a diff and a pull leave alone in the same way', async (t) => {
    const there = await served(seed, t);
    const root = await makeRoot({ settings: { title: 'Town' } });
    const synchronise = (...argv: string[]) => type([...argv, '--json'], { root });
    assert.equal((await synchronise('pull', '--remote', there.base)).exitCode, 0);
    await type(['dataset', 'edit', 'parks/benches', '--slug', 'seats'], { root: there.folder.root });
    await type(['dataset', 'edit', 'parks/benches', '--slug', 'stools'], { root });
    await until(async () => (await fetch(`${there.base}/api/v1/namespaces/parks/datasets/seats/`)).ok);
    const [diff, pull] = [await synchronise('diff'), await synchronise('pull', '--dry-run')];
    const { held } = JSON.parse(diff.out);
    assert.deepEqual([held[0]?.name, held[0]?.isConflict], ['parks/stools', true], diff.out);
    assert.deepEqual(JSON.parse(pull.out).held, held);
  });
});
