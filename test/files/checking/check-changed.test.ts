/** `catalogue check --changed` and `--staged`: they find the problems of a whole check, without those that existed before. */
import assert from 'node:assert/strict';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import type { GitChanges } from '../../../src/files/checking/changed-records.ts';
import { type CheckDiagnostic, checkCatalogueFiles } from '../../../src/files/checking/check.ts';
import { homeOf } from '../../support/folder.ts';
import { seed, trees } from '../../support/prompt.ts';
import { makeRepository, type Repository } from '../../support/repository.ts';

const version = `${homeOf('parks/trees')}/versions/20200102030405000000.yaml`;
const payload = `${homeOf('parks/trees')}/data/trees.csv`;
const record = (name: string) => `${homeOf(name)}/dataset.yaml`;

/** Things that name each other, and faults that nobody is to be told of who didn't make them. */
const content = {
  ...seed,
  namespaces: {
    ...seed.namespaces,
    parks: { id: 1, label: 'Parks', owners: ['editors'] },
    water: { id: 2, label: 'Water', aliases: ['rivers'], visibility: 'private', readers: ['editors', 'user:ann'] },
  },
  datasets: {
    ...seed.datasets,
    'water/ponds': { id: 14, label: 'Ponds', aliases: ['pools'], image: '/site_media/pond.png', readers: ['user:ann'] },
    'water/lakes': { id: 15, label: 'Lakes', licnce: 'MIT', image: '/site_media/none.png' },
  },
  groups: { editors: { id: 1, label: 'Editors' } },
  users: { ann: { id: 1, groups: ['editors'] }, bob: { id: 1, groups: ['nobody'] } },
  queries: {
    tall: {
      id: 1,
      label: 'Tall',
      dataset: 'parks/trees',
      version: '20200102030405000000',
      parameters: { height__gt: '3' },
    },
    lost: { id: 2, label: 'Lost', dataset: 'parks/none' },
    old: { id: 4, label: 'Old', dataset: 'water/pools' },
    older: { id: 5, label: 'Older', dataset: 'rivers/ponds' },
  },
  files: { ...seed.files, 'site_media/pond.png': '', [record('water/broken')]: 'label: [\n' },
};

type Change = (repository: Repository) => void;
/** By what they do: how many errors and warnings more there are. */
const changes: Readonly<Record<string, readonly [found: number, change: Change]>> = {
  nothing: [0, () => {}],
  'adds a dataset': [0, ({ write }) => write(record('parks/paths'), 'id: 99\nlabel: Paths\n')],
  'takes an id': [1, ({ write }) => write(record('parks/paths'), 'label: Paths\nid: 14 # free, is it not?\n')],
  'takes an id in JSON': [
    1,
    ({ write }) => write(record('parks/paths').replace('.yaml', '.json'), '{"label": "Paths", "id": 14}'),
  ],
  'takes the id of a version': [1, ({ write }) => write(`${homeOf('parks/benches')}/versions/v1.yaml`, 'id: 21\n')],
  'has no id': [1, ({ write }) => write(record('parks/paths'), 'label: Paths\n')],
  'is broken': [1, ({ write }) => write(record('parks/benches'), 'label: [\n')],
  'misspells a key': [1, ({ write }) => write(record('parks/benches'), 'id: 12\nlabel: x\nlicnce: MIT\n')],
  'removes an owner': [3, ({ remove }) => remove('groups/editors.yaml')],
  'removes a reader': [2, ({ remove }) => remove('users/ann.yaml')],
  'edits a dataset with readers': [
    0,
    ({ write }) =>
      write(record('water/ponds'), 'id: 14\nlabel: Pools\naliases: [pools]\nreaders: [editors, user:ann]\n'),
  ],
  'edits a namespace with readers': [
    0,
    ({ write }) =>
      write(
        'namespaces/water/namespace.yaml',
        'id: 2\nlabel: Wet\naliases: [rivers]\nvisibility: private\nreaders: [editors, user:ann]\n',
      ),
  ],
  'takes a user for a group': [1, ({ write }) => write(record('parks/benches'), 'id: 12\nlabel: x\nreaders: [ann]\n')],
  'names a reader in a public dataset': [
    1,
    ({ write }) => write(record('parks/benches'), 'id: 12\nlabel: x\nreaders: [user:ann]\n'),
  ],
  'publishes a namespace with readers': [
    2,
    ({ write }) =>
      write(
        'namespaces/water/namespace.yaml',
        'id: 2\nlabel: Water\naliases: [rivers]\nreaders: [editors, user:ann]\n',
      ),
  ],
  'names a group that there is not': [
    1,
    ({ write }) =>
      write(
        'namespaces/water/namespace.yaml',
        'id: 2\nlabel: Water\naliases: [rivers]\nvisibility: private\nowners: [editor]\n',
      ),
  ],
  'removes a dataset that a query asks': [1, ({ remove }) => remove(homeOf('parks/trees'))],
  'removes a version that a query asks': [2, ({ remove }) => remove(version)],
  'renames a dataset that a query asks': [
    1,
    ({ git, write }) => {
      git('mv', `data/${homeOf('parks/trees')}`, `data/${homeOf('parks/woods')}`);
      write(record('parks/woods'), 'id: 11\nlabel: Trees\naliases: [trees]\n');
    },
  ],
  'asks a dataset by a former name': [
    1,
    ({ write }) => write('queries/new.yaml', 'id: 3\nlabel: New\ndataset: water/pools\n'),
  ],
  'asks a dataset by a former name of its namespace': [
    1,
    ({ write }) => write('queries/new.yaml', 'id: 3\nlabel: New\ndataset: rivers/wells\n'),
  ],
  'has line breaks in names': [
    2,
    ({ write }) => {
      write('queries/new.yaml', 'id: 3\nlabel: New\ndataset: |\n  parks/nothere\n');
      write(record('parks/benches'), 'id: 12\nlabel: x\naliases: ["old\\n", ""]\n');
    },
  ],
  'forgets the former name of a dataset': [1, ({ write }) => write(record('water/ponds'), 'id: 14\nlabel: Ponds\n')],
  'forgets the former name of a namespace': [
    1,
    ({ write }) => write('namespaces/water/namespace.yaml', 'id: 2\nlabel: Water\nvisibility: private\n'),
  ],
  'renames a column that a query asks': [
    1,
    ({ write }) =>
      write(
        record('parks/trees'),
        'id: 11\nlabel: Trees\ncolumns:\n  - name: Height\n    type: float\n    former_names: [height]\n',
      ),
  ],
  'takes a former name': [1, ({ write }) => write(record('water/pools'), 'id: 98\nlabel: Pools\n')],
  'claims a former name': [
    1,
    ({ write }) => write(record('parks/benches'), 'id: 12\nlabel: x\naliases:\n  - "water/pools"\n'),
  ],
  'removes an image': [1, ({ remove }) => remove('site_media/pond.png')],
  'removes a payload': [1, ({ remove }) => remove(payload)],
  'cuts a payload': [1, ({ write }) => write(payload, trees.slice(9))],
  'adds a payload that nobody names': [1, ({ write }) => write(payload.replace('trees.csv', 'more.csv'), trees)],
  'has two names that differ in case': [1, ({ write }) => write(record('parks/Trees'), 'id: 97\nlabel: Trees\n')],
  'forgets the namespace': [2, ({ remove }) => remove('namespaces/water/namespace.yaml')],
  'puts a record where none can be': [1, ({ write }) => write('namespaces/parks/datasets/trees.yaml', 'label: x\n')],
  'breaks the settings': [1, ({ write }) => write('catalogue.yaml', 'page_size: many\n')],
  'mends a fault': [0, ({ remove }) => remove('users/bob.yaml')],
};

const told = (problems: readonly CheckDiagnostic[]) =>
  problems.map(({ path, line, column, severity, message }) => `${path}:${line}:${column}: ${severity}: ${message}`);

async function workshop(t: Parameters<typeof makeRepository>[1], within?: string) {
  const repository = await makeRepository(content, t, within);
  const before = (await checkCatalogueFiles(repository.root)).problems;
  assert.equal(before.length, 8, told(before).join('\n'));
  return { ...repository, before: new Set(before.map(({ path, message }) => path + message)) };
}

const check = async (root: string, changed: GitChanges) => (await checkCatalogueFiles(root, { changed })).problems;

/** Of all changes: each begins on main, where nothing changed. */
const shared = await workshop({ after });

describe('check of what changed', () => {
  for (const [what, [found, change]] of Object.entries(changes))
    it(`finds what a branch does that ${what}`, async (t) => {
      const { root, git, before } = shared;
      t.after(() => {
        git('add', '--all');
        git('switch', '--quiet', '--discard-changes', 'main');
      });
      change(shared);
      const whole = (await checkCatalogueFiles(root)).problems.filter(
        ({ path, message }) => !before.has(path + message),
      );
      // Of two with one id, the one that came is wrong; a whole check can't know which that is.
      const normal = (problems: readonly CheckDiagnostic[]) =>
        told(problems)
          .map((line) => (line.includes('The id ') ? 'a clash of ids' : line))
          .sort();
      const part = await check(root, { since: undefined });
      assert.equal(part.length, found, told(part).join('\n'));
      assert.deepEqual(normal(part), normal(whole));
      git('add', '--all');
      assert.deepEqual(told(await check(root, { staged: true })), told(part), 'what is staged');
      git('switch', '--quiet', '--force-create', 'feature');
      git('commit', '--quiet', '--allow-empty', '--message', 'Change');
      assert.deepEqual(told(await check(root, { since: 'main' })), told(part), 'what was committed');
      assert.deepEqual(await check(root, { since: 'HEAD' }), []);
    });

  it('searches records in which git looks for no differences', async (t) => {
    const { root, git, write, commit } = await workshop(t);
    write('.gitattributes', '*.yaml -diff\n');
    commit();
    git('switch', '--quiet', '--create', 'feature');
    write(record('parks/a-first'), 'id: 14\nlabel: First\n');
    assert.match(String(told(await check(root, { since: 'main' }))), /The id 14 /);
  });

  it('looks at the bytes that are staged, and not at those in the folder', async (t) => {
    const { root, git, write, remove } = await workshop(t);
    write(record('parks/benches'), 'label: [\n');
    git('add', '--all');
    write(record('parks/benches'), 'id: 12\nlabel: Seats\n');
    assert.match(String(told(await check(root, { staged: true }))), /benches\/dataset\.yaml:2:1: error: /);
    assert.deepEqual(await check(root, { since: 'HEAD' }), []);
    git('add', '--all');
    write(record('parks/benches'), 'label: [\n');
    remove('groups/editors.yaml');
    assert.deepEqual(await check(root, { staged: true }), []);
    assert.equal((await check(root, { since: 'HEAD' })).length, 4);
  });

  it('heeds the settings, whether they changed or not', async (t) => {
    const { root, write, commit } = await workshop(t);
    const publish = (label: string) =>
      write('namespaces/water/namespace.yaml', `id: 2\nlabel: ${label}\naliases: [rivers]\nreaders: [user:ann]\n`);
    write('catalogue.yaml', 'people: public\n');
    publish('Water');
    commit();
    publish('Wet');
    assert.deepEqual(await check(root, { staged: true }), []);
    assert.deepEqual(told(await check(root, { since: 'HEAD' })), []);
    commit();
    write('catalogue.yaml', 'people: members\n');
    assert.equal((await check(root, { since: 'HEAD' })).length, 2);
  });

  it('looks at another index where it is told to, and says which file is in conflict', async (t) => {
    const { top, root, git, write, commit } = await workshop(t);
    const other = join(top, '.git', 'other');
    write(record('parks/benches'), 'label: [\n');
    git('stash', '--quiet');
    git('read-tree', `--index-output=${other}`, 'stash@{0}');
    git('reset', '--quiet', '--hard');
    assert.equal((await check(root, { staged: true, index: other })).length, 1);
    assert.deepEqual(await check(root, { staged: true }), []);
    git('switch', '--quiet', '--create', 'feature');
    write(record('parks/benches'), 'id: 12\nlabel: Seats\n');
    commit();
    git('switch', '--quiet', 'main');
    write(record('parks/benches'), 'id: 12\nlabel: Banks\n');
    commit();
    assert.throws(() => git('merge', 'feature'));
    await assert.rejects(
      check(root, { staged: true }),
      /benches\/dataset\.yaml is in conflict: resolve it, then "git add"/,
    );
  });

  it('takes for the beginning of a branch where it left the main one', async (t) => {
    const { root, git, write, commit } = await workshop(t);
    const since = async () => {
      const { problems, since } = await checkCatalogueFiles(root, { changed: { since: undefined } });
      return [since, problems.length];
    };
    write(record('parks/benches'), 'label: [\n');
    assert.deepEqual(await since(), ['HEAD', 1], 'main itself, without an upstream');
    git('switch', '--quiet', '--create', 'feature');
    commit();
    assert.deepEqual(await since(), ['main', 1]);
    git('switch', '--quiet', 'main');
    write('groups/more.yaml', 'label: [\n');
    commit();
    git('switch', '--quiet', 'feature');
    assert.deepEqual(await since(), ['main', 1], 'what main did since is not the branch’s');
    git('update-ref', 'refs/remotes/origin/main', 'main');
    git('config', 'remote.origin.url', root);
    git('config', 'remote.origin.fetch', '+refs/heads/*:refs/remotes/origin/*');
    assert.deepEqual(await since(), ['origin/main', 1]);
    git('branch', '--quiet', 'release', 'HEAD');
    git('branch', '--quiet', '--set-upstream-to', 'release');
    assert.deepEqual(await since(), ['release', 0]);
    git('update-ref', 'refs/remotes/origin/feature', 'HEAD');
    git('branch', '--quiet', '--set-upstream-to', 'origin/feature');
    assert.deepEqual(await since(), ['origin/main', 1], 'the branch itself elsewhere is no beginning');
    await assert.rejects(check(root, { since: 'origin/mian' }), /Did you mean origin\/main\?/);
  });

  it('mends what is new, and not what it clashes with', async (t) => {
    const { root, git, write } = await workshop(t);
    write(record('parks/a-first'), 'id: 14\nlabel: First\n');
    const { fixed, problems } = await checkCatalogueFiles(root, { changed: { since: 'main' }, fix: true });
    assert.deepEqual([fixed.length, problems], [1, []]);
    assert.equal(git('status', '--porcelain').trim(), `?? data/${homeOf('parks/a-first')}/`);
  });

  it('reads payloads with --deep, those of versions that changed', async (t) => {
    const { root, write } = await workshop(t);
    const deep = async () =>
      told((await checkCatalogueFiles(root, { changed: { since: 'main' }, deep: true })).problems);
    write(record('parks/benches'), 'id: 12\nlabel: Seats\n');
    assert.deepEqual(await deep(), []);
    write(payload, trees.replace('oak', 'yew'));
    assert.match(String(await deep()), /it is not the published file/);
  });

  it('finds hashes of passwords that git takes or has', async (t) => {
    const { root, git, write, commit } = await workshop(t);
    write('.gitignore', '');
    write('.catalogue/.gitignore', '');
    write('.catalogue/accounts.json', '{"passwords": [], "tokens": [], "sessions": []}\n');
    const error = /^\.catalogue\/accounts\.json:1:1: error: It has hashes of .*: git rm -r --cached \.catalogue$/;
    const both = async () =>
      [await check(root, { since: 'HEAD' }), await check(root, { staged: true })].map((found) =>
        told(found).join('\n'),
      );
    const [untracked, unstaged] = await both();
    assert.match(untracked ?? '', error);
    assert.equal(unstaged, '');
    git('add', '--all');
    for (const found of await both()) assert.match(found, error);
    commit();
    for (const found of await both()) assert.match(found, /accounts\.json:1:1: warning: It has hashes/);
    write('.gitignore', '.catalogue/\n');
    git('rm', '-r', '--cached', '--quiet', 'data/.catalogue');
    assert.deepEqual(await both(), ['', '']);
    commit();
    assert.deepEqual(await both(), ['', '']);
  });

  it('goes before the first commit, at the top of a repository, and with pointers of Git LFS', async (t) => {
    const { top, root, git, write, remove } = await workshop(t, '.');
    rmSync(join(top, '.git'), { recursive: true });
    await assert.rejects(check(root, { since: undefined }), /The catalogue is not in a git repository/);
    git('init', '--quiet');
    const all = (await checkCatalogueFiles(root)).problems;
    assert.deepEqual(told(await check(root, { since: undefined })), told(all));
    git('add', '--all');
    assert.deepEqual(told(await check(root, { staged: true })), told(all));
    const lfs = `version https://git-lfs.github.com/spec/v1\noid sha256:${'0'.repeat(64)}\nsize ${trees.length}\n`;
    write(payload, lfs);
    git('add', '--all');
    assert.deepEqual(told(await check(root, { staged: true })), told(all), 'the commit is right with a pointer');
    remove('.git');
  });
});
