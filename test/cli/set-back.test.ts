/** Pull and push with a server that was restored from a backup. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { it, type TestContext } from 'node:test';
import { openFileCatalogue } from '../../src/files/file-catalogue.ts';
import { homeOf, until } from '../support/folder.ts';
import { filesIn, makeRoot, seed, type } from '../support/prompt.ts';
import { startProxy } from '../support/proxy.ts';
import { served } from '../support/served.ts';
import { serveFolder } from '../support/server.ts';

/**
 * A clone that has the work of today, of a server that was restored from the backup of last night.
 * @param inPlace true if it was restored into the folder of the server, where what is not in the backup stays
 */
async function start(t: TestContext, inPlace = false) {
  const content = { ...seed, users: { zoe: { id: 72, staff: true, groups: [] } } };
  const { base, folder } = await served(content, t);
  let target = base;
  const url = await startProxy(t, () => target);
  const root = await makeRoot();
  const copy = join(dirname(root), 'copy');
  const run = async (line: string, env = {}) => type(line.split(' '), { root, env });
  const done = async (line: string, env = {}) => {
    const result = await run(line, env);
    assert.equal(result.exitCode, 0, `${line}: ${result.err}`);
    return result;
  };
  await done(`--data ${folder.root} backup night.tar.gz`);
  await done(`clone ${url} copy`);
  folder.write(`${homeOf('parks/trees')}/dataset.yaml`, 'id: 2\nlabel: Trees of today\n');
  folder.write(`${homeOf('parks/new')}/dataset.yaml`, 'id: 77\nlabel: New\n');
  await until(async () => (await (await fetch(`${base}/api/v1/files/?texts=true`)).text()).includes('label: New'));
  await until(async () => (await (await fetch(`${base}/api/v1/files/?texts=true`)).text()).includes('of today'));
  await done('pull --data copy');
  const restored = inPlace ? folder.root : join(dirname(root), 'restored');
  await done(inPlace ? `restore night.tar.gz ${restored} --force` : 'restore night.tar.gz restored');
  const server = await serveFolder(restored);
  t.after(() => server.close());
  target = server.base;
  const files = await openFileCatalogue(restored);
  const { token } = await files.accounts.addToken('zoe');
  await files.close();
  const label = () => readFileSync(join(copy, homeOf('parks/trees'), 'dataset.yaml'), 'utf8');
  return { run, done, copy, label, env: { CATALOGUE_TOKEN: token }, url };
}

it('a pull replaces nothing if the backup was restored into the folder itself', async (t) => {
  const { run, copy, label } = await start(t, true);
  const before = filesIn(copy);
  const { exitCode, err } = await run('pull --data copy');
  assert.match(err, /^error: The remote was set back .* would remove or replace 1 record /);
  assert.equal(exitCode, 5);
  assert.deepEqual([filesIn(copy), /today/.test(label())], [before, true]);
});

it('a pull takes nothing away, and a forced push sends it again', async (t) => {
  const { run, done, copy, label, env, url } = await start(t);
  const before = filesIn(copy);
  const { exitCode, out, err } = await run('pull --data copy');
  assert.deepEqual([exitCode, out], [5, '']);
  assert.equal(
    err,
    'error: The remote was set back to an earlier state, as from a backup, or its folder .catalogue was removed: a pull would ' +
      'remove or replace 2 records that both sides had in common. Nothing was changed.\n' +
      '       To see them: catalogue pull --force --dry-run --data copy\n' +
      '       To send the local ones to the remote again: catalogue push --force --data copy\n' +
      '       To take the state of the remote: catalogue pull --force --data copy\n',
  );
  assert.match((await done('pull --force --dry-run --data copy')).out, /remove\tparks\/new/);
  assert.deepEqual([filesIn(copy), /today/.test(label())], [before, true]);
  const planned = JSON.parse((await done(`push --force --dry-run --json --data copy --remote ${url}`, env)).out);
  assert.deepEqual(
    planned.outgoing.map(({ name, fields }: { name: string; fields?: string[] }) => [name, fields]),
    [
      ['parks/new', undefined],
      ['parks/trees', undefined],
    ],
  );
  assert.match((await done(`push --force --data copy --remote ${url}`, env)).err, /^Pushed 2 records/m);
  assert.equal((await done('pull --data copy')).err, 'Already up to date.\n');
  assert.match(label(), /today/);
});

it('a forced pull takes the state of the server', async (t) => {
  const { done, copy, label } = await start(t);
  await done('pull --force --data copy');
  assert.doesNotMatch(label(), /today/);
  assert.ok(!filesIn(copy).some((path) => path.startsWith(homeOf('parks/new'))));
});
