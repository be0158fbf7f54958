/** Git commits of several servers on one folder: their order, and the text that the last of them has. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { chmod, mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import type { Viewer } from '../../../src/catalogue/permissions.ts';
import { openFileCatalogue } from '../../../src/files/file-catalogue.ts';
import { createGitCommit } from '../../../src/files/git/commit.ts';
import { beginNote, completeNote, makeNotesFolder } from '../../../src/files/git/noted-commits.ts';
import { makeFolder, until } from '../../support/folder.ts';
import { gitEnv } from '../../support/repository.ts';

const [ann, bob]: readonly Viewer[] = ['ann', 'bob'].map((username) => ({ username, staff: true, groups: [] }));
const fzg = { kind: 'group', slug: 'fzg' } as const;
const path = 'groups/fzg.yaml';

/** A repository that is a catalogue folder, and two servers in it. */
async function makeServers(t: TestContext) {
  const { root } = makeFolder(
    {
      settings: { git: { commit: true } },
      groups: { fzg: { id: 1, label: 'Start' }, other: { id: 2, label: 'Other' } },
      users: { ann: { id: 1, staff: true }, bob: { id: 2, staff: true } },
      files: { '.gitignore': '.catalogue/\n' },
    },
    t,
  );
  const as = ['-c', 'user.name=Test', '-c', 'user.email=test@example.org'];
  const git = (...args: string[]) =>
    execFileSync('git', ['-C', root, ...as, ...args], { encoding: 'utf8', env: { ...process.env, ...gitEnv } });
  git('init', '--quiet');
  git('add', '-A');
  git('commit', '--quiet', '-m', 'Start');
  const open = async () => {
    const files = await openFileCatalogue(root, {});
    t.after(() => files.close());
    await files.load();
    return files;
  };
  const [first, second] = [await open(), await open()];
  /** Lets no commit of the first server be made until the function that it returns is called. */
  const hold = async () => {
    let release = () => {};
    const released = new Promise<void>((resolve) => {
      release = resolve;
    });
    let began = () => {};
    const begun = new Promise<void>((resolve) => {
      began = resolve;
    });
    first.commits.runAndCommit(
      'ann',
      async (context) => {
        context.touched('nothing.txt');
        began();
        await released;
      },
      () => null,
    );
    await begun;
    return release;
  };
  const edit = async (server: typeof first, label: string) =>
    server.for(server === first ? ann : bob).edit<'group'>(fzg, { label });
  const idle = () => Promise.all([first.commits.idle(), second.commits.idle()]);
  /** Authors and labels of the commits since the start, the oldest first. */
  const history = () =>
    git('log', '--reverse', '-p', '--format=@%an', '--', path)
      .split('\n')
      .flatMap((line) => /^(?:@(?!@)|\+label: )(.*)/.exec(line)?.[1] ?? [])
      .slice(2)
      .join(' ');
  const committed = () => git('show', `HEAD:${path}`).match(/label: (.*)/)?.[1];
  const status = () => git('status', '--porcelain', '--untracked-files=all');
  return { root, git, first, second, hold, edit, idle, history, committed, status };
}

describe('two servers on one folder commit a file', () => {
  it('in the order of the writes, though the first has others to commit before', async (t) => {
    const { first, second, hold, edit, idle, history, status, root } = await makeServers(t);
    const release = await hold();
    await edit(first, 'Old');
    await edit(second, 'New');
    await new Promise((done) => setTimeout(done, 300));
    release();
    await idle();
    assert.equal(history(), 'ann Old bob New');
    assert.equal(status(), '');
    assert.deepEqual(readdirSync(join(root, '.catalogue/commits')), []);
  });

  it('in the order of the writes, when they write by turns', async (t) => {
    const { first, second, edit, idle, history, status } = await makeServers(t);
    for (let n = 1; n <= 10; n++) await edit(n % 2 ? first : second, `N${n}`);
    await idle();
    assert.equal(history(), 'ann N1 bob N2 ann N3 bob N4 ann N5 bob N6 ann N7 bob N8 ann N9 bob N10');
    assert.equal(status(), '');
  });

  it('each as it was written, when they write at once', async (t) => {
    const { root, first, second, edit, idle, git, history, committed, status } = await makeServers(t);
    const numbers = Array.from({ length: 16 }, (_, n) => n);
    await Promise.all(numbers.map((n) => edit(n % 2 ? first : second, `N${n}`)));
    await idle();
    const labels = numbers.map((n) => `${n % 2 ? 'ann' : 'bob'} N${n}`);
    assert.deepEqual(
      history()
        .match(/\w+ N\d+/g)
        ?.sort(),
      labels.sort(),
    );
    assert.equal(`label: ${committed()}`, (await readFile(join(root, path), 'utf8')).match(/label: .*/)?.[0]);
    assert.equal(git('log', '--format=%s').trim().split('\n').length, 17);
    assert.equal(status(), '');
  });

  it('and other files meanwhile', async (t) => {
    const { first, second, hold, edit, idle, git } = await makeServers(t);
    const release = await hold();
    await edit(first, 'Old');
    await second.for(bob).edit<'group'>({ kind: 'group', slug: 'other' }, { label: 'Changed' });
    await second.commits.idle();
    assert.match(git('show', 'HEAD:groups/other.yaml'), /Changed/);
    release();
    await idle();
  });

  it('without an old text in the end, when the second could not wait longer', async (t) => {
    const { first, second, hold, edit, idle, history, committed, status } = await makeServers(t);
    second.commits.patience = 100;
    const release = await hold();
    await edit(first, 'Old');
    await edit(first, 'Older than new');
    await edit(second, 'New');
    await second.commits.idle();
    assert.equal(committed(), 'New');
    release();
    await idle();
    assert.equal(history(), 'bob New');
    assert.equal(status(), '');
    assert.deepEqual([first.commits.failed, second.commits.failed], [0, 0]);
  });

  it('without waiting for one that git refuses', async (t) => {
    const { root, first, second, edit, idle, committed, status } = await makeServers(t);
    const hook = join(root, '.git/hooks/pre-commit');
    await mkdir(join(root, '.git/hooks'), { recursive: true });
    await writeFile(hook, '#!/bin/sh\n! git diff --cached | grep -q Refused\n');
    await chmod(hook, 0o755);
    await edit(first, 'Refused');
    await first.commits.idle();
    assert.equal(first.commits.failed, 1);
    second.commits.patience = 60_000;
    await edit(second, 'New');
    await second.commits.idle();
    assert.equal(committed(), 'New');
    first.commits.retryAfter = 1;
    await first.for(ann).edit<'group'>({ kind: 'group', slug: 'other' }, { label: 'Changed' });
    await until(() => first.commits.failed === 0);
    await idle();
    assert.equal(committed(), 'New');
    assert.equal(status(), '');
  });
});

describe('a text that was replaced before its commit', () => {
  const commitOf = (text: string) => ({
    author: { name: 'Ann', email: 'ann@example.org' },
    date: new Date(),
    message: 'Edit',
    paths: [],
    texts: new Map([[path, text]]),
  });

  it('is in no commit if a person has committed what replaced it', async (t) => {
    const { root, git, committed, status } = await makeServers(t);
    await writeFile(join(root, path), 'id: 1\nlabel: By hand\n');
    git('commit', '--quiet', '-am', 'By hand');
    assert.equal(await createGitCommit(root, commitOf('id: 1\nlabel: Old\n'), 1000), false);
    assert.equal(committed(), 'By hand');
    assert.equal(status(), '');
  });

  it('is in its commit if the edit of a person that replaced it is in none, which stays an edit', async (t) => {
    const { root, committed, status } = await makeServers(t);
    await writeFile(join(root, path), 'id: 1\nlabel: By hand\n');
    assert.equal(await createGitCommit(root, commitOf('id: 1\nlabel: Old\n'), 1000), true);
    assert.equal(committed(), 'Old');
    assert.equal(status(), ` M ${path}\n`);
  });

  it('is in its commit if another write brings the committed text back', async (t) => {
    const { root, committed, status, history } = await makeServers(t);
    const start = await readFile(join(root, path), 'utf8');
    await makeNotesFolder(root);
    const [there, back] = [commitOf('id: 1\nlabel: There\n'), commitOf(start)];
    const note = beginNote(root, back.date, path);
    await completeNote(`${note}`, back);
    assert.equal(await createGitCommit(root, there, 1000), true);
    assert.equal(committed(), 'There');
    assert.equal(await createGitCommit(root, back, 1000, note), true);
    assert.equal(history(), 'Ann There Ann Start');
    assert.equal(status(), '');
  });
});
