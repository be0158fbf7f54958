/** Changes of a catalogue since a commit, in real git repositories. */
import assert from 'node:assert/strict';
import { mkdirSync, readdirSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { describe, it } from 'node:test';
import type { EntityChange } from '../../../src/catalogue/changes.ts';
import { computeChecksum } from '../../../src/disk/checksum.ts';
import { openFileCatalogue } from '../../../src/files/file-catalogue.ts';
import { compareGitStates } from '../../../src/files/git/changes-since.ts';
import { homeOf } from '../../support/folder.ts';
import { seed, trees } from '../../support/prompt.ts';
import { makeRepository, repositoryAt } from '../../support/repository.ts';

const home = homeOf('parks/trees');
const brief = ({ kind, change, name, was }: EntityChange) =>
  [change, kind, name, ...(was === null ? [] : [was])].join(' ').trimEnd();
const of = (things: readonly EntityChange[], name: string) => {
  const thing = things.find((one) => one.name === name);
  assert.ok(thing, `${name} is among ${things.map(brief)}`);
  return thing;
};
/** A version of the trees with a payload of its own. */
const versionOf = (file: string, text: string, checksum: string) =>
  `id: 22\nchecksum: ${checksum}\nrows: 2\nfile: {name: ${file}, format: csv, size: ${text.length}}\n`;
const later = 'name,height,longitude,latitude\noak,13,4.5,51.9\nfir,9,4.6,51.8\n';

describe('changes since a commit', () => {
  it('are those of the working tree, staged or not or unknown to git', async (t) => {
    const { root, git, write, remove } = await makeRepository(seed, t);
    write('groups/editors.yaml', 'id: 1\nlabel: Editors\n');
    write('namespaces/water/namespace.yaml', 'id: 2\nlabel: Water\n');
    remove(homeOf('water/wells'));
    git('add', 'data/groups');
    const { things, from, to, unreadable: unread } = await compareGitStates(root, 'main');
    assert.deepEqual(things.map(brief), [
      'changed namespace water',
      'removed dataset water/wells',
      'added group editors',
    ]);
    assert.deepEqual(of(things, 'water').fields, [{ field: 'label', from: 'Water works', to: 'Water' }]);
    assert.deepEqual([from.name, from.commit, to, unread], ['main', git('rev-parse', 'main').trim(), null, []]);
    git('stash', '--include-untracked', '--quiet');
    assert.deepEqual((await compareGitStates(root, 'main')).things, []);
  });

  it('are those between two commits, or since both parted', async (t) => {
    const { root, git, write, commit } = await makeRepository(seed, t);
    git('switch', '--quiet', '--create', 'feature');
    write('users/ann.yaml', 'id: 1\nname: Ann\n');
    commit();
    git('switch', '--quiet', 'main');
    write('groups/editors.yaml', 'id: 1\nlabel: Editors\n');
    commit();
    const told = async (range: string) => (await compareGitStates(root, range)).things.map(brief);
    assert.deepEqual(await told('main..feature'), ['removed group editors', 'added user ann']);
    assert.deepEqual(await told('main...feature'), ['added user ann']);
    assert.deepEqual(await told('..feature'), await told('main..feature'));
    assert.deepEqual(await told('feature...'), ['added group editors']);
    await assert.rejects(told('featur'), /^NotFoundError: Git has no commit featur\. Did you mean feature\?$/);
    await assert.rejects(told('main..zzzzzz'), /Git has no commit zzzzzz\. See: git branch --all/);
    await assert.rejects(told('--output=x'), /Git has no commit/);
  });

  it('know renamed and moved datasets again, and say once that a namespace was renamed', async (t) => {
    const { root } = await makeRepository(seed, t);
    const files = await openFileCatalogue(root);
    const catalogue = files.for();
    await catalogue.edit(
      { kind: 'dataset', namespace: 'parks', slug: 'benches' },
      { namespace: 'water', slug: 'seats' },
    );
    await catalogue.edit({ kind: 'namespace', slug: 'parks' }, { slug: 'green' });
    await catalogue.edit({ kind: 'dataset', namespace: 'green', slug: 'trees' }, { licence: 'MIT' });
    await files.close();
    const { things } = await compareGitStates(root, 'main');
    assert.deepEqual(things.map(brief), [
      'changed namespace green parks',
      'changed dataset green/trees parks/trees',
      'changed dataset water/seats parks/benches',
    ]);
    assert.deepEqual(of(things, 'green/trees').fields, [{ field: 'licence', from: 'CC0-1.0', to: 'MIT' }]);
    assert.deepEqual(of(things, 'water/seats').fields, []);
  });

  it('name columns and versions, and count rows, wherever the payloads are', async (t) => {
    const { root, git, write, remove, commit } = await makeRepository(seed, t);
    const files = await openFileCatalogue(root);
    const ref = { kind: 'dataset', namespace: 'parks', slug: 'trees' } as const;
    write('later.csv', later);
    const { version } = await files.for().publish(ref, { source: join(root, 'later.csv'), fileName: 'later.csv' });
    await files.close();
    remove('later.csv');
    const newest = of((await compareGitStates(root, 'main')).things, 'parks/trees');
    assert.deepEqual(
      newest.versions.map(({ change, slug, rows }) => [change, slug, rows]),
      [['added', version.slug, 2]],
    );
    const counts = { from: 3, to: 2, added: 1, removed: 2, changed: 1, unchanged: 0 };
    assert.deepEqual(newest.rows?.counts, counts);
    assert.deepEqual(newest.rows?.key, { kind: 'columns', columns: ['name'] });
    commit();
    // The older payload is in git only, and then the newer one, too.
    remove(`${home}/data/trees.csv`);
    remove(`${home}/versions/20200102030405000000.yaml`);
    const replaced = of((await compareGitStates(root, 'HEAD~1')).things, 'parks/trees');
    assert.deepEqual(replaced.rows?.counts, counts);
    assert.deepEqual(
      replaced.versions.map(({ change }) => change),
      ['added', 'removed'],
    );
    const commits = git('rev-list', 'HEAD').trim().split('\n').reverse();
    git('checkout', '--quiet', '--orphan', 'empty');
    git('rm', '--quiet', '-r', '--cached', '.');
    remove('namespaces');
    assert.deepEqual(of((await compareGitStates(root, commits.join('..'))).things, 'parks/trees').rows?.counts, counts);
    assert.deepEqual(
      of((await compareGitStates(root, commits.join('..'), { rows: false })).things, 'parks/trees').rows,
      null,
    );
    assert.deepEqual(
      readdirSync(tmpdir()).filter((name) => name.startsWith('catalogue-diff-')),
      [],
    );
  });

  it('count the rows of a payload that was replaced by one of the same size', async (t) => {
    const repository = await makeRepository(seed, t);
    const { root, write, commit } = repository;
    const put = (text: string) => {
      write(`${home}/versions/20300101000000000000.yaml`, versionOf('v.csv', text, computeChecksum(text)));
      write(`${home}/data/v.csv`, text);
    };
    put(later);
    commit();
    put(later.replace('13', '14'));
    const counts = async (range: string) =>
      of((await compareGitStates(root, range)).things, 'parks/trees').rows?.counts;
    const inFolder = await counts('HEAD');
    assert.ok(inFolder, 'the former payload is in git');
    commit();
    assert.deepEqual(await counts('HEAD~1..HEAD'), inFolder);
  });

  it('tell columns of another type or description, and versions that were withdrawn', async (t) => {
    const { root, write } = await makeRepository(seed, t);
    write(
      `${home}/dataset.yaml`,
      'id: 11\nlabel: Trees\nkeywords: [nature, tree]\nlicence: CC0-1.0\ncolumns:\n' +
        '  - {type: string, name: name, description: Species}\n  - {type: geometry, name: geometry}\n' +
        '  - {type: integer, name: height, unit: m}\n  - {type: float, name: longitude}\n  - {type: date, name: felled}\n',
    );
    const version = `${home}/versions/20200102030405000000.yaml`;
    write(version, `${versionOf('trees.csv', trees, 'a'.repeat(64))}ready: false\n`);
    const { columns, fields, versions } = of((await compareGitStates(root, 'main')).things, 'parks/trees');
    assert.deepEqual(
      columns.map(({ change, name, type, fields }) => [change, name, type, ...fields.map(({ field }) => field)]),
      [
        ['changed', 'name', 'string', 'description'],
        ['changed', 'height', 'integer', 'type'],
        ['added', 'felled', 'date'],
        ['dropped', 'latitude', 'float'],
      ],
    );
    assert.deepEqual(
      fields.map(({ field }) => field),
      ['keywords', 'order of columns'],
    );
    assert.deepEqual(
      versions.map(({ change, slug }) => [change, slug]),
      [['withdrawn', '20200102030405000000']],
    );
  });

  it('take a pointer of Git LFS for the payload, and say that its rows are not at hand', async (t) => {
    const { root, git, write, commit } = await makeRepository(seed, t);
    const pointer = (text: string) =>
      `version https://git-lfs.github.com/spec/v1\noid sha256:${'0'.repeat(64)}\nsize ${text.length}\n`;
    write(`${home}/data/trees.csv`, pointer(trees));
    commit('Payload into LFS');
    assert.deepEqual((await compareGitStates(root, 'main~1')).things, [], 'the version is the same');
    write(`${home}/versions/20210102030405000000.yaml`, versionOf('later.csv', later, 'b'.repeat(64)));
    write(`${home}/data/later.csv`, pointer(later));
    const { rows, versions } = of((await compareGitStates(root, 'main')).things, 'parks/trees');
    assert.deepEqual(
      versions.map(({ change }) => change),
      ['added'],
    );
    assert.match(rows?.reason ?? '', /^the payload of 2020\d+ is a Git LFS pointer: run "git lfs pull"$/);
    commit();
    git('checkout', '--quiet', 'main~2');
    assert.match(
      of((await compareGitStates(root, 'main~1..main')).things, 'parks/trees').rows?.reason ?? '',
      /^the payload of 2021\d+ is in Git LFS and was not fetched$/,
    );
  });

  it('leave out what is broken on one side, and say where', async (t) => {
    const { root, write, commit } = await makeRepository(seed, t);
    write(`${home}/dataset.yaml`, 'label: [\nvisibility: private\n');
    write(`${homeOf('parks/benches')}/dataset.yaml`, 'id: 12\nlabel: Seats\n');
    const { things, unreadable: unread } = await compareGitStates(root, 'main');
    assert.deepEqual(things.map(brief), ['changed dataset parks/benches']);
    assert.deepEqual(
      unread.map(({ path, line }) => [path, line]),
      [[`${home}/dataset.yaml`, 2]],
    );
    commit();
    assert.deepEqual((await compareGitStates(root, 'HEAD~1..HEAD')).unreadable.length, 1);
  });

  it('are found in a repository that is the catalogue, in a linked working tree, and across links', async (t) => {
    const { root, git, write, commit, top } = await makeRepository(seed, t, '.');
    write('groups/editors.yaml', 'id: 1\nlabel: Editors\n');
    commit();
    assert.deepEqual((await compareGitStates(root, 'HEAD~1')).things.map(brief), ['added group editors']);
    const other = join(top, '..', `${top.split('/').at(-1)}-linked`);
    git('worktree', 'add', '--quiet', '-b', 'linked', other, 'HEAD~1');
    const linked = repositoryAt(other, other);
    t.after(() => linked.remove('.'));
    linked.write('users/ann.yaml', 'id: 1\n');
    assert.deepEqual((await compareGitStates(other, 'main')).things.map(brief), [
      'removed group editors',
      'added user ann',
    ]);
  });

  it('are found beside links to folders that they are in, and refused where links lead to too many files', async (t) => {
    const { root, git, write, commit } = await makeRepository(seed, t);
    const link = (target: string, path: string) => {
      mkdirSync(dirname(join(root, path)), { recursive: true });
      symlinkSync(target, join(root, path));
    };
    for (let i = 0; i < 40; i++) link('.', `loops/l${i}`);
    write('loops/one.txt', '1\n');
    write('groups/editors.yaml', 'id: 1\nlabel: Editors\n');
    commit();
    assert.deepEqual((await compareGitStates(root, 'HEAD~1..HEAD')).things.map(brief), ['added group editors']);
    write('deep/d00/one.txt', '1\n');
    for (let level = 1; level <= 30; level++)
      for (const name of ['a', 'b'])
        link(`../d${String(level - 1).padStart(2, '0')}`, `deep/d${String(level).padStart(2, '0')}/${name}`);
    commit();
    await assert.rejects(compareGitStates(root, 'HEAD~1..HEAD'), {
      name: 'ConflictError',
      message:
        /^deep\/d\d\d\/\w is a symbolic link to a folder, and with it links lead to more than \d+ files\. Remove it/,
    });
    git('reset', '--quiet', '--hard', 'HEAD~1');
    assert.deepEqual((await compareGitStates(root, 'HEAD')).things, []);
  });

  it('can be had of git only', async (t) => {
    const { root } = await makeRepository(seed, t);
    repositoryAt(root, root).remove('../.git');
    await assert.rejects(compareGitStates(root, 'main'), /is not in a git repository\. Make one with: git init/);
  });
});
