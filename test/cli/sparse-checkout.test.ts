/** What git leaves out of a folder (sparse checkout) is missing there, and was not removed. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { it, type TestContext } from 'node:test';
import { serveAccounts } from '../support/accounts.ts';
import { homeOf, until } from '../support/folder.ts';
import { filesIn, makeRoot, type } from '../support/prompt.ts';

const [trees, benches] = ['parks/trees', 'parks/benches'].map((name) => `${homeOf(name)}/dataset.yaml`) as [
  string,
  string,
];

/** A clone by alice, in git. */
async function start(t: TestContext) {
  const { base, accounts, folder } = await serveAccounts(
    t,
    {},
    {
      datasets: { 'parks/trees': { id: 11, label: 'Trees' }, 'parks/benches': { id: 12, label: 'Benches' } },
      queries: { q: { id: 13, label: 'Q', dataset: 'parks/benches' } },
    },
  );
  const { token } = await accounts.addToken('alice');
  const root = await makeRoot();
  const cwd = dirname(root);
  const copy = join(cwd, 'copy');
  const env = { CATALOGUE_DATA: '', CATALOGUE_REMOTE: base, CATALOGUE_TOKEN: token };
  const run = (line: string, at = copy) => type(line.split(' '), { root, cwd: at, env });
  assert.equal((await run(`clone ${base} copy`, cwd)).exitCode, 0);
  const git = (...args: readonly string[]) =>
    execFileSync('git', ['-c', 'user.name=A', '-c', 'user.email=a@example.org', ...args], { cwd: copy, stdio: 'pipe' });
  git('init', '-q');
  git('add', '-A');
  git('commit', '-qm', 'All');
  const answer = async (path: string) => (await fetch(`${base}/api/v1/${path}/`)).json() as Promise<{ label?: string }>;
  return { there: folder, copy, run, git, answer };
}

it('a push and a pull leave alone what git leaves out, until it is there again', async (t) => {
  const { there, copy, run, git, answer } = await start(t);
  const before = filesIn(there.root);
  git('sparse-checkout', 'set', '--cone', homeOf('parks/trees'));
  assert.equal(existsSync(join(copy, benches)), false);
  const line =
    /^(\d+) records left alone: git leaves them out of this folder \(sparse checkout\)\. To have all: git sparse-checkout disable\n$/;
  const pushed = await run('push');
  assert.deepEqual([pushed.out, pushed.exitCode], ['', 0]);
  const [, count] = line.exec(pushed.err) ?? assert.fail(pushed.err);
  assert.deepEqual(filesIn(there.root), before);

  // Changes of what is there are sent and fetched; those of the rest are no conflicts.
  writeFileSync(join(copy, trees), 'id: 11\nlabel: Old trees\n');
  assert.match((await run('push')).err, /^Pushed 1 record /m);
  there.write(benches, 'id: 12\nlabel: New benches\n');
  await until(async () => (await answer('namespaces/parks/datasets/benches')).label === 'New benches');
  const pulled = await run('pull');
  assert.deepEqual([pulled.out, line.exec(pulled.err)?.[1]], ['', count]);
  const { held } = JSON.parse((await run('pull --json')).out);
  assert.equal(held.length, Number(count));
  assert.ok(held.every(({ reason }: { reason: string }) => /sparse checkout/.test(reason)));

  // What the remote removes meanwhile is removed later, and not sent as new.
  rmSync(there.path('queries/q.yaml'));
  await until(async () => (await answer('queries/q')).label === undefined);
  await run('pull');
  git('sparse-checkout', 'disable');
  assert.match((await run('pull')).err, /^Pulled 2 records /m);
  assert.deepEqual(
    [existsSync(join(copy, 'queries/q.yaml')), readFileSync(join(copy, benches), 'utf8')],
    [false, 'id: 12\nlabel: New benches\n'],
  );
  assert.match((await run('push')).err, /^Already up to date/);
});

it('a push still removes what was removed by hand', async (t) => {
  const { there, copy, run, git } = await start(t);
  git('sparse-checkout', 'set', '--cone', homeOf('parks/trees'));
  rmSync(join(copy, homeOf('parks/trees')), { recursive: true });
  assert.match((await run('push')).err, /^Pushed 1 record /m);
  assert.deepEqual([existsSync(there.path(trees)), existsSync(there.path(benches))], [false, true]);
});

it('a push doesn’t remove the user who is signed in, unless it names that user', async (t) => {
  const { there, copy, run } = await start(t);
  rmSync(join(copy, 'users/alice.yaml'));
  rmSync(dirname(join(copy, benches)), { recursive: true });
  rmSync(join(copy, 'queries/q.yaml'));
  for (const line of ['push', 'push --dry-run', 'push --force']) {
    const { exitCode, err } = await run(line);
    assert.equal(exitCode, 5, err);
    assert.match(
      err,
      /^error: This push would remove users\/alice from the remote: you are signed in as alice, and could do nothing there any more\. Nothing was changed\./,
    );
    assert.match(err, /To remove alice all the same: catalogue push users\/alice\n$/);
  }
  assert.ok(existsSync(there.path(benches)));
  assert.match((await run('push parks')).err, /^Pushed 1 record /m);
  assert.match((await run('push users/alice')).err, /^Pushed 1 record /m);
  assert.equal(existsSync(there.path('users/alice.yaml')), false);
});
