/** Git commits of writes: contents, authors, order, and failures of git. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { chmod, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { describe, it, type TestContext } from 'node:test';
import { ConflictError } from '../../../src/catalogue/errors.ts';
import type { Viewer } from '../../../src/catalogue/permissions.ts';
import { openFileCatalogue } from '../../../src/files/file-catalogue.ts';
import { createGitCommit } from '../../../src/files/git/commit.ts';
import { type FolderContent, homeOf, makeFolder, until } from '../../support/folder.ts';

const content: FolderContent = {
  settings: { git: { commit: true } },
  namespaces: { parks: { id: 1, label: 'Parks', owners: ['gardeners'] } },
  datasets: { 'parks/trees': { id: 2, label: 'Trees' }, 'parks/lawns': { id: 3, label: 'Lawns' } },
  groups: { gardeners: { id: 1, label: 'Gardeners' } },
  users: {
    ann: { id: 1, name: 'Ann <b> Olsen\n', email: 'ann@example.org', staff: true },
    bob: { id: 2, groups: ['gardeners'] },
    'eve@example.org': { id: 3, groups: ['gardeners'] },
  },
  files: { '.gitignore': '.catalogue/\n', 'notes.txt': 'one\n' },
};
const ann: Viewer = { username: 'ann', staff: true, groups: [] };
const bob: Viewer = { username: 'bob', staff: false, groups: ['gardeners'] };
const eve: Viewer = { ...bob, username: 'eve@example.org' };
const dataset = (slug: string) => ({ kind: 'dataset', namespace: 'parks', slug }) as const;
const trees = dataset('trees');

/** No identity, no system's settings, no hooks of whoever runs the tests. */
const alone: NodeJS.ProcessEnv = { ...process.env, GIT_CONFIG_GLOBAL: '/dev/null', GIT_CONFIG_NOSYSTEM: '1' };

/** A catalogue in a folder of a repository, all of it committed. */
async function workshop(t: TestContext, { within = 'data', more = {} as FolderContent, init = true } = {}) {
  const home = makeFolder({}, t);
  await rm(home.path('catalogue.yaml'));
  const inner = makeFolder({ ...content, ...more }, t);
  const root = join(home.root, within);
  await rm(root, { recursive: true, force: true });
  execFileSync('cp', ['-R', inner.root, root]);
  const before = { ...process.env };
  Object.assign(process.env, { GIT_CONFIG_GLOBAL: '/dev/null', GIT_CONFIG_NOSYSTEM: '1' });
  t.after(() => {
    for (const name of ['GIT_CONFIG_GLOBAL', 'GIT_CONFIG_NOSYSTEM', 'PATH'])
      if (before[name] === undefined) delete process.env[name];
      else process.env[name] = before[name];
  });
  const as = ['-c', 'user.name=Test', '-c', 'user.email=test@example.org'];
  const git = (...args: string[]) =>
    execFileSync('git', ['-C', home.root, ...as, ...args], { encoding: 'utf8', stdio: 'pipe', env: alone });
  if (init) {
    git('init', '--quiet', '--initial-branch=main');
    git('add', '-A');
    git('commit', '--quiet', '-m', 'Start');
  }
  const log: string[] = [];
  const files = await openFileCatalogue(root, { log: (line) => log.push(line) });
  await files.load();
  t.after(() => files.close());
  /** Message, author and paths of the commits since the start, the oldest first. */
  const commits = async () => {
    await files.commits.idle();
    return git('log', '--reverse', '--no-renames', '--name-only', '--format=%x01%s|%an <%ae>', 'HEAD')
      .split('\x01')
      .slice(init ? 2 : 1)
      .map((text) => {
        const [head = '', ...paths] = text.split('\n').filter(Boolean);
        const [message, author] = head.split('|');
        return { message, author, paths: paths.map((path) => path.replace(`${within}/`, '')).sort() };
      });
  };
  const status = () => git('status', '--porcelain', '--untracked-files=all').split('\n').filter(Boolean);
  return { root, home, git, files, log, commits, status, as: (viewer: Viewer) => files.for(viewer) };
}

const bytes = (text: string) => ({ source: Readable.from([Buffer.from(text)]), fileName: 'trees.csv' });
const recordOf = (slug: string) => `${homeOf(`parks/${slug}`)}/dataset.yaml`;

describe('each write is a commit', () => {
  it('of any number of records in the same number of git processes, with what was written of each', async (t) => {
    const { root, home, git } = await workshop(t);
    const trace = home.path('.git/trace');
    const commit = async (texts: ReadonlyMap<string, string>) => {
      process.env.GIT_TRACE = trace;
      t.after(() => delete process.env.GIT_TRACE);
      const change = { author: { name: 'A', email: 'a@example.org' }, date: new Date(), message: 'Many', paths: [] };
      await createGitCommit(root, { ...change, texts }, 1000);
      delete process.env.GIT_TRACE;
      const processes = (await readFile(trace, 'utf8')).match(/built-in: git \S+/g) ?? [];
      await rm(trace);
      return processes.length;
    };
    const texts = new Map(Array.from({ length: 50 }, (_, i) => [`groups/g${i}.yaml`, `label: G${i}\n`]));
    await mkdir(join(root, 'groups'), { recursive: true });
    for (const [path, text] of texts) await writeFile(join(root, path), text);
    const first = await commit(texts);
    const one = new Map([['groups/g1.yaml', 'label: One\n']]);
    await writeFile(join(root, 'groups/g1.yaml'), 'label: One\n');
    assert.equal(await commit(one), first);
    // Of a file that was saved since, what was written; it stays as a change of the person who saved it.
    await writeFile(join(root, 'groups/g2.yaml'), 'label: By hand\n');
    await writeFile(join(root, 'groups/g3.yaml'), 'label: Three\n');
    await commit(
      new Map([
        ['groups/g2.yaml', 'label: Two\n'],
        ['groups/g3.yaml', 'label: Three\n'],
      ]),
    );
    assert.equal(git('show', 'HEAD:data/groups/g2.yaml'), 'label: Two\n');
    assert.equal(git('show', 'HEAD:data/groups/g3.yaml'), 'label: Three\n');
    assert.equal(git('status', '--porcelain').trim(), 'M data/groups/g2.yaml');
  });

  it('says why a rename is refused, and commits nothing', async (t) => {
    const { root, as, commits } = await workshop(t);
    await writeFile(join(root, homeOf('parks/trees'), 'dataset.yaml'), 'label: [\n');
    await assert.rejects(as(bob).edit<'dataset'>(trees, { slug: 'elms' }), ConflictError);
    assert.deepEqual(await commits(), []);
  });

  it('leaves out the folders that others are still writing', async (t) => {
    const { root, as, commits, git } = await workshop(t);
    // As another process makes it: a new dataset gets its name when all of its files are written.
    const aside = join(root, 'namespaces/parks/datasets/.0123456789abcdef.catalogue-tmp');
    await mkdir(aside);
    await writeFile(join(aside, 'dataset.yaml'), 'id: 9\nlabel: Ponds\n');
    await as(ann).edit<'namespace'>({ kind: 'namespace', slug: 'parks' }, { slug: 'gardens' });
    const [commit] = await commits();
    assert.ok(commit?.paths.includes('namespaces/gardens/namespace.yaml'));
    assert.doesNotMatch(git('ls-files'), /catalogue-tmp/);
  });

  it('of its paths alone, by the user who wrote, with a message that says what changed', async (t) => {
    const { as, commits, status, git, log } = await workshop(t);
    await as(ann).create('namespace', { label: 'Water' });
    await as(bob).edit(trees, { label: 'Bäume', licence: 'CC0-1.0' });
    const { version } = await as(eve).publish(trees, bytes('name\noak\n'));
    await as(bob).edit(trees, { slug: 'plants' });
    await as(bob).edit(dataset('plants'), { slug: 'flora', label: 'Flora' });
    await as(ann).edit({ kind: 'group', slug: 'gardeners' }, { slug: 'growers' });
    await as(ann).edit({ kind: 'user', slug: 'bob' }, { name: 'Bob', password: 'builder 7305' });
    await as(ann).remove({ ...dataset('flora'), kind: 'version', dataset: 'flora', slug: version.slug });
    await as(ann).remove(dataset('lawns'));
    const [annIs, bobIs] = ['Ann b Olsen <ann@example.org>', 'bob <bob@localhost>'];
    const [was, is, last] = ['trees', 'plants', 'flora'].map((slug) => homeOf(`parks/${slug}`));
    const parts = ['dataset.yaml', `data/${version.file}`, `versions/${version.slug}.yaml`];
    const all = (home = '') => parts.map((part) => `${home}/${part}`);
    assert.deepEqual(await commits(), [
      { message: 'Add namespace water', author: annIs, paths: ['namespaces/water/namespace.yaml'] },
      { message: 'Edit dataset parks/trees: label, licence', author: bobIs, paths: [recordOf('trees')] },
      {
        message: `Add version parks/trees@${version.slug}`,
        author: 'eve@example.org <eve@example.org>',
        paths: all(was).sort(),
      },
      {
        message: 'Rename dataset parks/trees to parks/plants',
        author: bobIs,
        paths: [...all(was), ...all(is)].sort(),
      },
      {
        message: 'Rename dataset parks/plants to parks/flora: label',
        author: bobIs,
        paths: [...all(is), ...all(last)].sort(),
      },
      {
        message: 'Rename group gardeners to growers',
        author: annIs,
        paths: [
          'groups/gardeners.yaml',
          'groups/growers.yaml',
          'namespaces/parks/namespace.yaml',
          'users/bob.yaml',
          'users/eve@example.org.yaml',
        ],
      },
      { message: 'Edit user bob: name', author: annIs, paths: ['users/bob.yaml'] },
      {
        message: `Remove version parks/flora@${version.slug}`,
        author: annIs,
        paths: all(last).slice(1).sort(),
      },
      { message: 'Remove dataset parks/lawns', author: annIs, paths: [recordOf('lawns')] },
    ]);
    assert.deepEqual(status(), []);
    assert.equal(git('log', '-1', '--format=%cn <%ce>'), 'catalogue <catalogue@localhost>\n');
    assert.deepEqual(log, []);
  });

  it('in the folder that is the repository itself, with the committer that git knows', async (t) => {
    const { as, commits, git, status } = await workshop(t, { within: '.' });
    git('config', 'user.name', 'Server');
    git('config', 'user.email', 'server@example.org');
    await as(bob).edit(trees, { label: 'Bäume' });
    assert.deepEqual(
      (await commits()).map(({ paths }) => paths),
      [[recordOf('trees')]],
    );
    assert.equal(git('log', '-1', '--format=%cn <%ce>'), 'Server <server@example.org>\n');
    assert.deepEqual(status(), []);
  });

  it('in UTF-8, and so does the history, whatever encodings are set for commits and their output', async (t) => {
    const { as, commits, files, git } = await workshop(t);
    for (const name of ['commitEncoding', 'logOutputEncoding']) git('config', `i18n.${name}`, 'ISO-8859-1');
    await as(bob).edit({ kind: 'user', slug: 'bob' }, { name: 'Zoë' });
    await as(bob).edit(trees, { label: 'Bäume' });
    await commits();
    const commit = git('cat-file', 'commit', 'HEAD');
    assert.match(commit, /^author Zoë </m);
    assert.doesNotMatch(commit, /^encoding/m);
    assert.equal((await files.for().history(trees)).items[0]?.author, 'Zoë');
  });

  it('but not where the settings say nothing of it, nothing changes, or the folder is in hand', async (t) => {
    const { as, files, commits, git } = await workshop(t);
    await files.for().edit(trees, { label: 'By hand' });
    await as(bob).edit(dataset('lawns'), { label: 'Lawns' });
    assert.deepEqual(await commits(), []);
    const off = await workshop(t, { more: { settings: {} } });
    await off.as(bob).edit(trees, { label: 'x' });
    assert.deepEqual(await off.commits(), []);
    assert.match(git('status', '--porcelain'), /dataset\.yaml/);
  });

  it('and what git is told to ignore stays out of it', async (t) => {
    const { as, commits, home, log } = await workshop(t);
    await home.write('.gitignore', 'users/\n*.csv\n');
    await as(ann).create('user', { username: 'new' });
    const { version } = await as(bob).publish(trees, bytes('name\noak\n'));
    const [only, ...none] = await commits();
    assert.deepEqual(none, []);
    assert.deepEqual(only?.paths, [recordOf('trees'), `${homeOf('parks/trees')}/versions/${version.slug}.yaml`].sort());
    assert.deepEqual(log, []);
  });

  it('the first one too', async (t) => {
    const { as, commits, git, status } = await workshop(t, { init: false });
    git('init', '--quiet');
    await as(bob).edit(trees, { label: 'Bäume' });
    assert.deepEqual(
      (await commits()).map(({ paths }) => paths),
      [[recordOf('trees')]],
    );
    assert.ok(status().every((line) => line.startsWith('??')));
  });
});

describe('what others are at', () => {
  it('what is staged stays staged, what is edited stays edited', async (t) => {
    const { as, commits, git, home, status } = await workshop(t);
    await home.write('data/notes.txt', 'two\n');
    await home.write('staged.txt', 'new\n');
    git('add', 'data/notes.txt', 'staged.txt');
    git('rm', '--quiet', `data/${recordOf('lawns')}`);
    await home.write('data/notes.txt', 'three\n');
    await home.write('data/loose.txt', 'loose\n');
    const before = status();
    await as(bob).edit(trees, { label: 'Bäume' });
    await as(bob).create('dataset', { label: 'Ponds', namespace: 'parks' });
    assert.deepEqual(
      (await commits()).map(({ paths }) => paths),
      [[recordOf('trees')], [recordOf('ponds')]],
    );
    assert.deepEqual(status(), before);
    assert.equal(git('show', ':data/notes.txt'), 'two\n');
  });

  it('twenty at once come in the order in which they were written, each with its own text', async (t) => {
    const { as, commits, git, files, status } = await workshop(t);
    const numbers = Array.from({ length: 20 }, (_, i) => i);
    const written: string[] = [];
    await Promise.all(
      numbers.map(async (i) => {
        await as(i % 2 ? ann : bob).edit(trees, { label: `Trees ${i}` });
        written.push(`${i}`);
      }),
    );
    const all = await commits();
    assert.equal(all.length, 20);
    assert.ok(all.every(({ message, paths }) => /label$/.test(message ?? '') && paths.length === 1));
    const labels = git('log', '--reverse', '-p', '--format=%an', '--', `data/${recordOf('trees')}`)
      .split('\n')
      .filter((line) => /^\+label/.test(line))
      .slice(1);
    assert.equal(new Set(labels).size, 20);
    assert.deepEqual([...labels].sort(), numbers.map((i) => `+label: Trees ${i}`).sort());
    const last = await as(ann).get<'dataset'>(trees);
    assert.equal(labels.at(-1), `+label: ${last.label}`);
    assert.deepEqual([files.commits.made, files.commits.failed], [20, 0]);
    assert.deepEqual(status(), []);
  });

  it('two writers, and a person who commits meanwhile', async (t) => {
    const { root, as, git, home, files, status } = await workshop(t);
    const other = await openFileCatalogue(root);
    t.after(() => other.close());
    await other.load();
    await Promise.all(
      Array.from({ length: 5 }, async (_, i) => {
        await as(ann).edit(trees, { label: `Trees ${i}` });
        await other.for(bob).edit(dataset('lawns'), { label: `Lawns ${i}` });
      }),
    );
    await home.write('mine.txt', 'mine\n');
    for (let left = 50; ; left--)
      try {
        git('add', 'mine.txt');
        git('commit', '--quiet', '-m', 'Mine', '--', 'mine.txt');
        break;
      } catch (error) {
        if (left === 0) throw error;
        await new Promise((done) => setTimeout(done, 20));
      }
    await Promise.all([files.commits.idle(), other.commits.idle()]);
    assert.deepEqual([files.commits.made, other.commits.made], [5, 5]);
    assert.deepEqual(status(), []);
  });
});

describe('where git fails, the write stands and it is said', () => {
  const attempts: Readonly<
    Record<string, { break(w: Awaited<ReturnType<typeof workshop>>): Promise<unknown>; says: RegExp }>
  > = {
    'the index is locked': {
      break: ({ home }) => writeFile(home.path('.git/index.lock'), ''),
      says: /another git process is running\. If none is, remove .*index\.lock/,
    },
    'a hook refuses': {
      async break({ home }) {
        await mkdir(home.path('.git/hooks'), { recursive: true });
        await writeFile(home.path('.git/hooks/pre-commit'), '#!/bin/sh\necho "not on a Sunday" >&2\nexit 1\n');
        await chmod(home.path('.git/hooks/pre-commit'), 0o755);
      },
      says: /not on a Sunday/,
    },
    'git is missing': {
      break: async () => {
        process.env.PATH = '/nowhere';
      },
      says: /git isn't installed/,
    },
    'the folder is in no repository': {
      break: ({ home }) => rm(home.path('.git'), { recursive: true }),
      says: /not a git repository/,
    },
    'the committer has no name that git takes': {
      break: async ({ git }) => git('config', 'user.name', '<>'),
      says: /disallowed characters|empty ident/,
    },
    'a merge is under way': {
      break: async ({ git, home }) => {
        git('checkout', '--quiet', '-b', 'side');
        await home.write('data/notes.txt', 'side\n');
        git('commit', '--quiet', '-am', 'Side');
        git('checkout', '--quiet', 'main');
        await home.write('data/notes.txt', 'main\n');
        git('commit', '--quiet', '-am', 'Main');
        assert.throws(() => git('merge', '--quiet', 'side'));
      },
      says: /in the middle of a merge/,
    },
    'no branch is checked out': {
      break: async ({ git }) => git('checkout', '--quiet', '--detach'),
      says: /no branch is checked out/,
    },
  };
  for (const [name, { break: spoil, says }] of Object.entries(attempts))
    it(name, async (t) => {
      const shop = await workshop(t);
      const { as, files, log, root, git } = shop;
      files.commits.patience = 500;
      await spoil(shop);
      const path = process.env.PATH;
      const { label } = await as(bob).edit<'dataset'>(trees, { label: 'Bäume' });
      await files.commits.idle();
      if (name === 'git is missing') process.env.PATH = process.env.PATH === path ? alone.PATH : path;
      assert.equal(label, 'Bäume');
      assert.match(await readFile(join(root, recordOf('trees')), 'utf8'), /label: Bäume/);
      assert.deepEqual([files.commits.made, files.commits.failed], [0, 1]);
      assert.equal(log.length, 1, log.join('\n'));
      assert.match(log[0] ?? '', /^Not committed to git: Edit dataset parks\/trees: label \(.*dataset\.yaml\)/);
      assert.match(log[0] ?? '', says);
      if (name === 'the folder is in no repository') return;
      assert.ok(!git('log', '--format=%s').includes('Edit dataset'));
      // Nothing of the attempt is left, neither staged nor beside.
      assert.doesNotMatch(git('diff', '--cached', '--name-only'), /dataset\.yaml/);
      assert.doesNotMatch(execFileSync('ls', [join(shop.home.root, '.git')], { encoding: 'utf8' }), /catalogue-/);
    });

  it('and is committed after the next one, when git works again', async (t) => {
    const { as, files, home, commits, git, log, root } = await workshop(t);
    await writeFile(home.path('.git/MERGE_HEAD'), git('rev-parse', 'HEAD'));
    await as(bob).edit(trees, { label: 'One' });
    await as(bob).edit(dataset('lawns'), { label: 'Green' });
    await as(ann).create('dataset', { label: 'Ponds', namespace: 'parks' });
    await as(eve).publish(dataset('lawns'), bytes('a,b\n1,2\n'));
    await files.commits.idle();
    assert.deepEqual([files.commits.made, files.commits.failed], [0, 4]);
    // A hand is at work on what was made.
    await writeFile(join(root, recordOf('ponds')), 'label: By hand\n');
    await rm(home.path('.git/MERGE_HEAD'));
    await as(bob).edit(trees, { label: 'Two' });
    const made = await commits();
    assert.deepEqual(
      made.map(({ message, author }) => `${message?.replace(/@\d+/, '')}, ${author}`),
      [
        'Edit dataset parks/trees: label, bob <bob@localhost>',
        // What was written of trees first is in the commit of what was written last.
        'Add version parks/lawns, eve@example.org <eve@example.org>',
      ],
    );
    assert.deepEqual(files.commits.failed, 0);
    assert.match(log.at(-1) ?? '', /^Committed to git after a failed attempt: Add version/);
    assert.ok(!git('show', `HEAD:data/${recordOf('lawns')}`).includes('By hand'));
  });

  it('and one that git always refuses holds up later ones of the same files only', async (t) => {
    const { as, files, home, commits, status } = await workshop(t);
    const hook = async (name: string, text: string) => {
      await mkdir(home.path('.git/hooks'), { recursive: true });
      await writeFile(home.path(`.git/hooks/${name}`), `#!/bin/sh\n${text}\n`);
      await chmod(home.path(`.git/hooks/${name}`), 0o755);
    };
    await hook('pre-commit', 'exit 1');
    const lawns = dataset('lawns');
    const { version } = await as(eve).publish(lawns, bytes('a,b\n1,2\n'));
    const ref = { ...lawns, kind: 'version', dataset: 'lawns', slug: version.slug } as const;
    await as(bob).edit(ref, { label: 'First' });
    await as(bob).edit(trees, { label: 'Bäume' });
    await files.commits.idle();
    assert.equal(files.commits.failed, 3);
    await rm(home.path('.git/hooks/pre-commit'));
    await hook('commit-msg', 'if grep -q "^Add version" "$1"; then exit 1; fi');
    const made = async () => (await commits()).map(({ message }) => message?.replace(/@\d+/, ''));
    await as(ann).create('dataset', { label: 'Ponds', namespace: 'parks' });
    const first = ['Add dataset parks/ponds', 'Edit dataset parks/trees: label'];
    assert.deepEqual(await made(), first);
    assert.equal(files.commits.failed, 2);
    await rm(home.path('.git/hooks/commit-msg'));
    await as(ann).create('dataset', { label: 'Wells', namespace: 'parks' });
    const rest = ['Add dataset parks/wells', 'Add version parks/lawns', 'Edit version parks/lawns: label'];
    assert.deepEqual(await made(), [...first, ...rest]);
    assert.deepEqual([files.commits.failed, status()], [0, []]);
  });

  it('and many that git always refuses leave others their turn', async (t) => {
    const { as, files, home, commits } = await workshop(t);
    files.commits.retryAfter = 50;
    await mkdir(home.path('.git/hooks'), { recursive: true });
    const hook = (text: string) => writeFile(home.path('.git/hooks/commit-msg'), `#!/bin/sh\n${text}\n`);
    await hook('exit 1');
    await chmod(home.path('.git/hooks/commit-msg'), 0o755);
    for (let i = 0; i < 12; i++) await as(ann).create('group', { label: `Group ${i}` });
    await as(bob).edit(trees, { label: 'Bäume' });
    await files.commits.idle();
    await hook('if grep -q "group" "$1"; then exit 1; fi');
    await until(() => files.commits.failed === 12);
    assert.deepEqual(
      (await commits()).map(({ message }) => message),
      ['Edit dataset parks/trees: label'],
    );
  });

  it('and many that git always refuses are not tried again after each commit that succeeds', async (t) => {
    const { as, files, home } = await workshop(t);
    await mkdir(home.path('.git/hooks'), { recursive: true });
    const calls = home.path('calls');
    const text = `#!/bin/sh\nif grep -q "group" "$1"; then echo >> '${calls}'; exit 1; fi\n`;
    await writeFile(home.path('.git/hooks/commit-msg'), text, { mode: 0o755 });
    for (let i = 0; i < 12; i++) await as(ann).create('group', { label: `Group ${i}` });
    for (let i = 0; i < 3; i++) await as(bob).edit(trees, { label: `Trees ${i}` });
    await files.commits.idle();
    assert.deepEqual([files.commits.made, files.commits.failed], [3, 12]);
    // Each once, and then ten of them again.
    assert.equal((await readFile(calls, 'utf8')).length, 12 + 10);
  });

  it('and is committed by itself when git works again', async (t) => {
    const { as, files, home, commits, git, log } = await workshop(t);
    files.commits.retryAfter = 50;
    await writeFile(home.path('.git/MERGE_HEAD'), git('rev-parse', 'HEAD'));
    await as(bob).edit(trees, { label: 'One' });
    await files.commits.idle();
    await rm(home.path('.git/MERGE_HEAD'));
    await until(() => files.commits.failed === 0);
    assert.deepEqual(
      (await commits()).map(({ message }) => message),
      ['Edit dataset parks/trees: label'],
    );
    assert.match(log.at(-1) ?? '', /^Committed to git after a failed attempt: Edit dataset/);
  });

  it('and the log has the command for it when the server ends before', async (t) => {
    const { as, files, home, log, git } = await workshop(t);
    await writeFile(home.path('.git/MERGE_HEAD'), git('rev-parse', 'HEAD'));
    await as(bob).edit(trees, { label: 'One' });
    await files.commits.idle();
    await files.close();
    await rm(home.path('.git/MERGE_HEAD'));
    const [, command = ''] = /To commit them: (.*)$/.exec(log.at(-1) ?? '') ?? [];
    git('config', 'user.name', 'Admin');
    git('config', 'user.email', 'admin@example.org');
    execFileSync('sh', ['-c', `${command} --quiet -m Later`]);
    assert.equal(
      git('log', '-1', '--format=%s', '--name-only').trim().split(/\s+/).at(-1),
      `data/${recordOf('trees')}`,
    );
    assert.equal(git('status', '--porcelain'), '');
  });

  it('and leaves the lock of the index to a rebase that is under way', async (t) => {
    const { as, files, home, log } = await workshop(t);
    await mkdir(home.path('.git/rebase-merge'));
    await writeFile(home.path('.git/index.lock'), '');
    await as(bob).edit(trees, { label: 'One' });
    await files.commits.idle();
    assert.match(log[0] ?? '', /the repository is in the middle of a rebase$/);
  });
});
