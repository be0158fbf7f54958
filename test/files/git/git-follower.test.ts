/** A folder that follows the branch of a git remote: what it takes, what it doesn't, and what it says. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { describe, it, type TestContext } from 'node:test';
import { openFileCatalogue } from '../../../src/files/file-catalogue.ts';
import { GitFollower } from '../../../src/files/git/git-follower.ts';
import { removeFolder, until } from '../../support/folder.ts';
import { countSnapshots, served } from '../../support/followed.ts';
import { makeRepository, repositoryAt } from '../../support/repository.ts';

const benches = 'namespaces/parks/datasets/benches/dataset.yaml';
const content = {
  settings: { title: 'Test' },
  namespaces: { parks: { id: 1, label: 'Parks', visibility: 'public' } },
  datasets: { 'parks/trees': { id: 11, label: 'Trees' }, 'parks/benches': { id: 12, label: 'Benches' } },
};

/** A writer's repository, the bare one that it pushes to, and a followed clone of that. */
async function workshop(t: TestContext) {
  const writer = await makeRepository(content, t);
  const top = mkdtempSync(join(tmpdir(), 'catalogue-follow-'));
  t.after(() => removeFolder(top));
  const bare = join(top, 'remote.git');
  writer.git('clone', '--quiet', '--bare', '.', bare);
  writer.git('remote', 'add', 'origin', bare);
  writer.git('clone', '--quiet', bare, join(top, 'clone'));
  const clone = repositoryAt(join(top, 'clone'), join(top, 'clone', 'data'));
  const log: string[] = [];
  const catalogue = await openFileCatalogue(clone.root, { watch: true });
  t.after(() => catalogue.close());
  const follower = await GitFollower.open(catalogue, { interval: 3600, log: (line) => log.push(line) });
  t.after(() => follower.close());
  const push = (...args: string[]) => {
    writer.commit();
    writer.git('push', '--quiet', ...args, 'origin', 'main');
    return writer.git('rev-parse', 'HEAD').trim();
  };
  const labelOf = (slug: string) => served(catalogue, 'parks', slug)?.label;
  return { writer, bare, clone, catalogue, follower, log, push, labelOf };
}

describe('a folder that follows a git remote', () => {
  it('is updated for a request also after the clock was set back', async (t) => {
    const { writer, follower, push, labelOf } = await workshop(t);
    await follower.update();
    const now = Date.now;
    t.mock.method(Date, 'now', () => now() - 86_400_000);
    writer.write(benches, 'id: 12\nlabel: Seats\n');
    push();
    assert.equal(await follower.hasReached((follower.position ?? 0) + 1, 20_000), true);
    assert.equal(labelOf('benches'), 'Seats');
  });

  it('takes a commit as a whole, and knows which one is served', async (t) => {
    const { writer, catalogue, follower, log, push, labelOf } = await workshop(t);
    await follower.update();
    assert.deepEqual(log, []);
    const { position } = follower;
    const start = follower.report;
    assert.deepEqual({ ...start, fetched: '' }, { ...start, remote: 'origin/main', state: 'current', fetched: '' });
    for (let i = 0; i < 60; i++)
      writer.write(`namespaces/parks/datasets/d${i}/dataset.yaml`, `id: ${100 + i}\nlabel: D${i}\n`);
    writer.write(benches, 'id: 12\nlabel: Seats\n');
    const commit = push();
    await until(() => catalogue.following === 'watching');
    const snapshots = countSnapshots(catalogue);
    await follower.update();
    assert.equal(labelOf('benches'), 'Seats');
    assert.equal(labelOf('d59'), 'D59');
    assert.equal(snapshots(), 1);
    assert.equal(follower.report.commit, commit);
    assert.equal(follower.report.state, 'current');
    assert.equal(follower.position, (position ?? 0) + 1);
    assert.deepEqual(log, [`Serving commit ${commit.slice(0, 10)} of origin/main.`]);
    // Later changes in the folder are followed as before.
    writer.write(benches, 'id: 12\nlabel: Chairs\n');
    push();
    await Promise.all([follower.update(), follower.update()]);
    assert.equal(labelOf('benches'), 'Chairs');
  });

  it('takes payloads in Git LFS', async (t) => {
    const { writer, clone, catalogue, follower, push } = await workshop(t);
    for (const { git } of [writer, clone]) git('lfs', 'install', '--local');
    writer.write('.gitattributes', '*.csv filter=lfs diff=lfs merge=lfs -text\n');
    const files = await openFileCatalogue(writer.root);
    const ref = { kind: 'dataset', namespace: 'parks', slug: 'trees' } as const;
    await files.for().publish(ref, { source: Readable.from(['height\n12\n']), fileName: 'trees.csv' });
    await files.close();
    push();
    assert.equal(writer.git('lfs', 'ls-files', '--name-only').split('\n').length, 2);
    await follower.update();
    assert.equal(follower.report.state, 'current');
    const [version] = served(catalogue, 'parks', 'trees')?.versions ?? [];
    assert.deepEqual([version?.ready, version?.rows], [true, 1]);
  });

  it('does not take a commit with errors, says which once, and takes the one that fixes them', async (t) => {
    const { writer, follower, log, push, labelOf } = await workshop(t);
    const good = follower.report.commit;
    // The id of another record, in a file that is right by itself.
    writer.write(benches, 'id: 11\nlabel: Seats\n');
    const bad = push();
    await follower.update();
    await follower.update();
    assert.equal(labelOf('benches'), 'Benches');
    const { state, commit, refused } = follower.report;
    assert.deepEqual(
      { state, commit, refused },
      { state: 'refused', commit: good, refused: { commit: bad, errors: 1 } },
    );
    assert.equal(log.length, 1);
    assert.match(
      log[0] ?? '',
      /^Commit \w{10} of origin\/main is not taken; \w{10} is served\. Fix there.*\nnamespaces\/parks\/datasets\/benches\/dataset\.yaml:1:5: The id 11 is already used/,
    );
    writer.write(benches, 'id: 12\nlabel: [\n');
    push();
    await follower.update();
    assert.equal(log.length, 2);
    assert.equal(labelOf('benches'), 'Benches');
    writer.write(benches, 'id: 12\nlabel: Seats\n');
    const fixed = push();
    await follower.update();
    assert.equal(follower.report.commit, fixed);
    assert.equal(follower.report.refused, undefined);
    assert.equal(labelOf('benches'), 'Seats');
  });

  it('does not take a commit whose links lead to too many files, and serves on', async (t) => {
    const { writer, follower, log, push, labelOf } = await workshop(t);
    writer.write('links/d0/one.txt', '1\n');
    for (let level = 1; level <= 30; level++) {
      mkdirSync(join(writer.root, `links/d${level}`));
      for (const name of ['a', 'b']) symlinkSync(`../d${level - 1}`, join(writer.root, `links/d${level}/${name}`));
    }
    const bad = push();
    await follower.update();
    const { state, refused } = follower.report;
    assert.deepEqual({ state, refused }, { state: 'refused', refused: { commit: bad, errors: 1 } });
    assert.match(log[0] ?? '', /^Commit \w{10} of origin\/main is not taken; .* links lead to more than \d+ files/);
    writer.remove('links');
    writer.write(benches, 'id: 12\nlabel: Seats\n');
    push();
    await follower.update();
    assert.equal(labelOf('benches'), 'Seats');
  });

  it('does not take a commit without the catalogue, nor a rewritten history', async (t) => {
    const { writer, clone, follower, log, push, labelOf } = await workshop(t);
    writer.git('rm', '-r', '--quiet', 'data');
    writer.write('../notes.txt', 'x');
    push();
    await follower.update();
    assert.match(log[0] ?? '', /The commit has no catalogue in this folder\.$/);
    writer.git('reset', '--hard', '--quiet', 'HEAD~1');
    writer.write(benches, 'id: 12\nlabel: Seats\n');
    writer.git('add', '--all');
    writer.git('commit', '--quiet', '--amend', '--message', 'Rewritten');
    writer.git('push', '--quiet', '--force', 'origin', 'main');
    await follower.update();
    assert.equal(follower.report.state, 'diverged');
    assert.match(log[1] ?? '', /The folder has commits that origin\/main lacks\..*git reset --hard origin\/main$/);
    assert.equal(labelOf('benches'), 'Benches');
    clone.git('reset', '--hard', '--quiet', 'origin/main');
    await follower.update();
    assert.equal(log[2], `Serving commit ${follower.report.commit.slice(0, 10)} of origin/main.`);
    assert.equal(follower.report.state, 'current');
  });

  it('takes no commit that changes a submodule, whose files git would leave as they are', async (t) => {
    const { writer, clone, follower, log, push } = await workshop(t);
    const path = 'namespaces/parks/datasets/inner';
    const inner = repositoryAt(join(writer.root, path), join(writer.root, path));
    inner.write('dataset.yaml', 'id: 13\nlabel: Inner\n');
    inner.git('init', '--quiet');
    inner.commit();
    push();
    const { commit } = follower.report;
    await follower.update();
    const merge = 'Run in the folder: git merge --ff-only origin/main && git submodule update --init';
    const words = `The commit changes the git submodule ${path}, whose files the server does not check out. ${merge}`;
    assert.deepEqual([follower.report.state, follower.report.commit], ['blocked', commit]);
    assert.ok(log.at(-1)?.endsWith(words), log.at(-1));
    clone.git('merge', '--quiet', '--ff-only', 'origin/main');
    await follower.update();
    assert.equal(follower.report.state, 'current');

    rmSync(inner.top, { recursive: true });
    push();
    await follower.update();
    assert.ok(log.at(-1)?.endsWith(`${words}\nThen remove ${path}.`), log.at(-1));
  });

  it('keeps its private folder and ignored files, whatever a commit has at their paths', async (t) => {
    const { writer, clone, catalogue, follower, log, push, labelOf } = await workshop(t);
    writer.write('users/ann.yaml', 'id: 1\n');
    writer.write('.gitignore', '.catalogue/\nnotes.txt\n');
    push();
    await follower.update();
    const { token } = await catalogue.accounts.addToken('ann');
    const hasToken = async () => (await catalogue.accounts.viewerByToken(token))?.username;
    const accounts = '.catalogue/accounts.json';
    const own = readFileSync(join(clone.root, accounts));
    writer.write(accounts, '{"version": 1, "users": {}, "tokens": {}}');
    writer.git('add', '--force', 'data/.catalogue');
    const bad = push();
    await follower.update();
    assert.equal(await hasToken(), 'ann');
    assert.deepEqual(follower.report.refused, { commit: bad, errors: 1 });
    assert.match(log.at(-1) ?? '', /The commit has files in \.catalogue\/, .*: git rm -r --cached \.catalogue$/);
    // On a file system that ignores case, it is the same folder.
    writer.git('mv', 'data/.catalogue', 'data/.Catalogue');
    const alsoBad = push();
    await follower.update();
    assert.deepEqual(follower.report.refused, { commit: alsoBad, errors: 1 });
    writer.git('mv', 'data/.Catalogue', 'data/.catalogue');
    writer.git('rm', '-r', '--quiet', '--cached', 'data/.catalogue');
    writer.write(benches, 'id: 12\nlabel: Seats\n');
    push();
    await follower.update();
    assert.equal(labelOf('benches'), 'Seats');
    // In a clone of a repository that had them before.
    writer.write(accounts, own);
    writer.git('add', '--force', 'data/.catalogue/accounts.json');
    writer.commit();
    clone.git('pull', '--quiet', writer.top, 'main');
    writer.git('rm', '-r', '--quiet', '--cached', 'data/.catalogue');
    push();
    await follower.update();
    assert.equal(follower.report.state, 'blocked');
    assert.match(log.at(-1) ?? '', /The commit takes \.catalogue\/ out of git, .*"git merge --ff-only origin\/main"/);
    assert.equal(await hasToken(), 'ann');
    clone.git('merge', '--quiet', '--ff-only', 'origin/main');
    clone.write(accounts, own);
    await follower.update();
    assert.equal(follower.report.state, 'current');
    clone.write('notes.txt', 'mine');
    writer.write('notes.txt', 'theirs');
    writer.git('add', '--force', 'data/notes.txt');
    push();
    await follower.update();
    assert.equal(follower.report.state, 'blocked');
    assert.equal(readFileSync(join(clone.root, 'notes.txt'), 'utf8'), 'mine');
  });

  it('keeps what a person changed in the folder, and goes on once it is out of the way', async (t) => {
    const { writer, clone, follower, log, push, labelOf } = await workshop(t);
    clone.write(benches, 'id: 12\nlabel: Mine\n');
    writer.write(benches, 'id: 12\nlabel: Seats\n');
    push();
    await follower.update();
    assert.equal(follower.report.state, 'blocked');
    assert.match(log[0] ?? '', /local changes/);
    await until(() => labelOf('benches') === 'Mine');
    clone.git('checkout', '--quiet', '--', '.');
    await follower.update();
    assert.equal(labelOf('benches'), 'Seats');
    clone.git('checkout', '--quiet', '-b', 'other');
    await follower.update();
    assert.match(log.at(-1) ?? '', /^origin\/main is not followed; .*git checkout main$/);
  });

  it('serves on while the remote is away, and says so once', async (t) => {
    const { writer, bare, follower, log, push, labelOf } = await workshop(t);
    renameSync(bare, `${bare}-away`);
    await follower.update();
    await follower.update();
    assert.equal(follower.report.state, 'unreachable');
    assert.equal(follower.report.fetched, null);
    assert.equal(log.length, 1);
    renameSync(`${bare}-away`, bare);
    writer.write(benches, 'id: 12\nlabel: Seats\n');
    push();
    assert.equal(await follower.hasReached((follower.position ?? 0) + 1, 20_000), true);
    assert.equal(labelOf('benches'), 'Seats');
    // A number of another history is not waited for.
    assert.equal(await follower.hasReached((follower.position ?? 0) + 1, 20_000), true);
    renameSync(bare, `${bare}-away`);
    assert.equal(await follower.hasReached((follower.position ?? 0) + 1, 20_000), false);
    // Nor is one so far ahead that it can be of no commit to come.
    for (const position of [999_999_999, 1e300, Number.POSITIVE_INFINITY])
      assert.equal(await follower.hasReached(position, 0), true);
    renameSync(`${bare}-away`, bare);
    await follower.update();
    assert.match(log.at(-1) ?? '', /^origin\/main is followed again\.$/);
  });

  it('gives up a remote that takes the connection and is silent', async (t) => {
    const { clone, follower } = await workshop(t);
    const server = createServer(() => {}).listen(0, '127.0.0.1');
    await once(server, 'listening');
    t.after(() => server.close());
    clone.git('remote', 'set-url', 'origin', `http://127.0.0.1:${(server.address() as AddressInfo).port}/parks.git`);
    process.env.GIT_HTTP_LOW_SPEED_TIME = '1';
    t.after(() => delete process.env.GIT_HTTP_LOW_SPEED_TIME);
    await follower.update();
    assert.equal(follower.report.state, 'unreachable');
  });

  it('fetches for requests once a second at most, also while the remote is away', async (t) => {
    const { clone, follower } = await workshop(t);
    const [script, tries] = [join(clone.top, '.git/upload-pack'), join(clone.top, '.git/tries')];
    writeFileSync(script, `#!/bin/sh\necho >> '${tries}'\nexit 1\n`, { mode: 0o755 });
    clone.git('config', 'remote.origin.uploadpack', script);
    const start = performance.now();
    for (let i = 0; i < 5; i++) {
      const asked = [1, 2].map((ahead) => follower.hasReached((follower.position ?? 0) + ahead, 100));
      assert.deepEqual(await Promise.all(asked), [false, false]);
    }
    const seconds = (performance.now() - start) / 1000;
    await follower.close();
    assert.equal(follower.report.state, 'unreachable');
    const count = readFileSync(tries, 'utf8').length;
    assert.ok(count <= 1 + seconds, `${count} in ${seconds} s`);
  });

  it('says what git lacks before it starts', async (t) => {
    const { writer, clone, catalogue } = await workshop(t);
    const open = (remote?: string) => GitFollower.open(catalogue, { remote, interval: 60, log: () => {} });
    await assert.rejects(open('upstream'), /There is no git remote upstream\. The remotes are: origin/);
    clone.git('checkout', '--quiet', '--detach');
    await assert.rejects(open(), /No branch is checked out/);
    clone.git('checkout', '--quiet', 'main');
    clone.git('remote', 'remove', 'origin');
    await assert.rejects(open(), /git remote add origin/);
    rmSync(join(clone.top, '.git'), { recursive: true });
    await assert.rejects(open(), /not in a git repository/);
    assert.ok(writer);
  });
});
