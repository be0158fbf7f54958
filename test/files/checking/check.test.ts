/** `catalogue check`: each rule on a catalogue that breaks it on purpose, and the fixes of `--fix`. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { chmod, cp, mkdir, readFile, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { setTimeout } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { type CheckOptions, checkCatalogueFiles } from '../../../src/files/checking/check.ts';
import { openFileCatalogue } from '../../../src/files/file-catalogue.ts';
import { type CatalogueFolder, type FolderContent, homeOf, makeFolder } from '../../support/folder.ts';
import { gitEnv } from '../../support/repository.ts';

const gitSettings = ['-c', 'user.name=x', '-c', 'user.email=x@x.example'];
const slug = '20200101000000000000';
const sum = (text: string) => createHash('sha256').update(text).digest('hex');
const bytes = 'a,b\n1,2\n';
const trees = `${homeOf('parks/trees')}/dataset.yaml`;
const version = `${homeOf('parks/trees')}/versions/${slug}.yaml`;

/** A catalogue in which nothing is wrong. */
const clean: FolderContent = {
  settings: { title: 'x' },
  namespaces: { parks: { id: 1, label: 'Parks', owners: ['editors'] } },
  datasets: { 'parks/trees': { id: 1, label: 'Trees', thumbnail_image: '/site_media/a.png', aliases: ['woods'] } },
  versions: { [`parks/trees@${slug}`]: { id: 1, checksum: sum(bytes), file: { name: 'a.csv', size: bytes.length } } },
  groups: { editors: { id: 1, label: 'Editors' } },
  users: { ann: { id: 1, groups: ['editors'] } },
  queries: { tall: { id: 1, label: 'Tall', dataset: 'parks/trees', version: slug } },
  files: { 'site_media/a.png': '', [`${homeOf('parks/trees')}/data/a.csv`]: bytes },
};

type Line = readonly [place: string, severity: 'error' | 'warning', message: RegExp, fixable?: boolean];
type Case = readonly [
  why: string,
  files: Record<string, string>,
  expected: readonly Line[],
  options?: { deep: boolean },
];
const benches = `${homeOf('parks/benches')}/dataset.yaml`;
/** Behind all others, by its age and by its path. */
const zoo = `${homeOf('parks/zoo')}/dataset.yaml`;
const cases: readonly Case[] = [
  ['text', { [benches]: 'id: 1\nlabel: [\n' }, [[`${benches}:3:1`, 'error', /./]]],
  ['schema', { [benches]: 'id: 1\nlabel: 7\n' }, [[`${benches}:2:8`, 'error', /Write it in quotes: "7"/]]],
  [
    'texts without quotes',
    { [benches]: 'id: 2\nlabel: 1.10 # new\ndescription: 012\npublisher: 1e3\nkeywords: [0x1F, .5, True]\n' },
    [
      [`${benches}:2:8`, 'error', /^label must be text, but reads as 1\.1\. Write it in quotes: "1\.10"\.$/],
      [`${benches}:3:14`, 'error', /: "012"\.$/],
      [`${benches}:4:12`, 'error', /: "1e3"\.$/],
      [`${benches}:5:12`, 'error', /: "0x1F"\.$/],
      [`${benches}:5:18`, 'error', /: "\.5"\.$/],
      [`${benches}:5:22`, 'error', /: "True"\.$/],
    ],
  ],
  [
    'name of a server that no server has',
    {
      [`${homeOf('parks/trees')}/versions/v2.yaml`]: `id: 2\nfile: { url: "https://a${'\\u0301'.repeat(400)}/a.csv" }\n`,
    },
    [[`${homeOf('parks/trees')}/versions/v2.yaml:2:14`, 'error', /^url doesn't have the form that is expected/]],
  ],
  [
    'merge keys',
    {
      [benches]:
        'x-base: &base\n  licence: MIT\nx-column: &column\n  type: float\nid: 2\nlabel: x\n<<: *base\ncolumns:\n  - {name: a, type: float}\n  - name: b\n    <<: *column\n',
    },
    [
      [`${benches}:7:1`, 'warning', /^"<<" merges nothing here: YAML 1\.2 has no merge keys\. Write the fields out\.$/],
      [`${benches}:10:5`, 'error', /"type" is missing/],
      [`${benches}:11:5`, 'warning', /^"<<" merges nothing here/],
    ],
  ],
  [
    'files that a merge has left in a former folder',
    {
      [`${homeOf('parks/seats')}/dataset.yaml`]: 'id: 2\nlabel: Seats\naliases: [benches]\n',
      [`${homeOf('parks/seats')}/versions/20200101000000000000.yaml`]: 'id: 20\n',
      [`${homeOf('parks/benches')}/versions/20210101000000000000.yaml`]: 'id: 21\n',
      [`${homeOf('parks/benches')}/data/a.csv`]: bytes,
      'namespaces/gardens/namespace.yaml': 'id: 9\nlabel: Gardens\naliases: [lawns]\n',
      [`${homeOf('lawns/grass')}/dataset.yaml`]: 'id: 3\nlabel: Grass\n',
    },
    [
      ['namespaces/lawns:1:1', 'error', /lawns is called gardens now, and .* Move them to namespaces\/gardens\.$/],
      [
        `${homeOf('parks/benches')}:1:1`,
        'error',
        new RegExp(
          (
            '^dataset\\.yaml is missing: parks/benches is called parks/seats now, and a merge has left files in its former folder\\. ' +
            'Move them to D/seats\\. In the folder of the catalogue: git mv D/benches/data D/seats/ && ' +
            'git mv D/benches/versions/\\* D/seats/versions/ && rmdir D/benches/versions D/benches$'
          ).replaceAll('D/', 'namespaces/parks/datasets/'),
        ),
      ],
    ],
  ],
  [
    'merge key by which a record was to be hidden',
    { [benches]: 'x-base: &base { visibility: private }\nid: 2\nlabel: x\n<<: *base\nlicense: MIT\n' },
    [
      [`${benches}:4:5`, 'error', /^"<<" merges nothing here/],
      [`${benches}:5:1`, 'warning', /Did you mean "licence"/],
    ],
  ],
  [
    'misspelled key by which a record was to be hidden',
    { [benches]: 'id: 2\nlabel: x\nVisibility: private\n' },
    [[`${benches}:3:13`, 'error', /Did you mean "visibility"/]],
  ],
  [
    'misspelled',
    { [benches]: 'id: 2\nlabel: x\nlicense: MIT\n' },
    [[`${benches}:3:1`, 'warning', /Did you mean "licence"/]],
  ],
  [
    'names that Windows reserves',
    {
      [`${homeOf('parks/aux')}/dataset.yaml`]: 'id: 2\nlabel: x\n',
      [`${homeOf('parks/auxiliary')}/dataset.yaml`]: 'id: 3\nlabel: x\n',
      'groups/con.yaml': 'id: 4\nlabel: x\n',
      'users/nul.yaml': 'id: 5\n',
    },
    [
      ['groups/con.yaml:1:1', 'warning', /^slug "con" is not allowed as a name on Windows/],
      [`${homeOf('parks/aux')}/dataset.yaml:1:1`, 'warning', /^slug "aux" is not allowed/],
      ['users/nul.yaml:1:1', 'warning', /^username "nul" is not allowed/],
    ],
  ],
  [
    'same source of two datasets of a namespace',
    Object.fromEntries(
      [
        ['parks/benches', 'id: 2', 'a'],
        ['parks/old', 'id: 3', 'a'],
        ['parks/other', 'id: 4', 'b'],
      ].map(([name = '', id, record]) => [
        `${homeOf(name)}/dataset.yaml`,
        `${id}\nlabel: x\nsource:\n  from: https://data.example\n  id: ${record}\n`,
      ]),
    ),
    [[`${homeOf('parks/old')}/dataset.yaml:3:1`, 'warning', /^The dataset parks\/benches comes from the same record/]],
  ],
  [
    'user as reader of a public dataset',
    { [benches]: 'id: 2\nlabel: x\nreaders: [editors, user:ann]\n' },
    [[`${benches}:3:20`, 'warning', /everybody can read in its file that ann is a reader\. Name a group instead/]],
  ],
  [
    'user as reader of a private dataset',
    { [benches]: 'id: 2\nlabel: x\nvisibility: private\nreaders: [user:ann]\n' },
    [],
  ],
  [
    'user as reader where people are public',
    { [benches]: 'id: 2\nlabel: x\nreaders: [user:ann]\n', 'catalogue.yaml': 'title: x\npeople: public\n' },
    [],
  ],
  [
    'no id',
    { [benches]: '# Seats\nlabel: x\n' },
    [[`${benches}:1:1`, 'warning', /^There is no id: (\d+) is derived from the address.*Write "id: \1"\.$/, true]],
  ],
  [
    'an id twice',
    { [zoo]: 'label: x\nid: 1\n' },
    [[`${zoo}:2:5`, 'error', /^The id 1 is already used by dataset parks\/trees\.$/, true]],
  ],
  [
    'accounts',
    { '.catalogue/accounts.json': '{ "passwords": [], secret\n}' },
    [
      [
        '.catalogue/accounts.json:1:20',
        'error',
        /^(?!.*secret).*is damaged at line 1, column 20, and was not changed\. Fix it/,
      ],
    ],
  ],
  ['an id of another kind', { 'groups/readers.yaml': 'id: 2\nlabel: x\n' }, []],
  [
    'owners',
    { 'namespaces/parks/namespace.yaml': 'id: 1\nlabel: x\nowners:\n  - editors\n  - nobody\n' },
    [['namespaces/parks/namespace.yaml:5:5', 'error', /^There is no group nobody\. Add groups\/nobody\.yaml/]],
  ],
  [
    'membership',
    { 'users/ann.yaml': 'id: 1\ngroups: [nobody]\n' },
    [['users/ann.yaml:2:10', 'error', /no group nobody/]],
  ],
  [
    'images',
    { [benches]: 'id: 2\nlabel: x\nimage: /site_media/none.png\nshowcase_image: https://x.example/a.png\n' },
    [[`${benches}:3:8`, 'warning', /^There is no file site_media\/none\.png\.$/]],
  ],
  [
    'a query of nothing',
    { 'queries/tall.yaml': 'id: 1\nlabel: x\ndataset: parks/none\n' },
    [
      [
        'queries/tall.yaml:3:10',
        'warning',
        /^There is no dataset parks\/none, so the query fails\. .*: catalogue query remove tall, or catalogue query edit tall --dataset …$/,
      ],
    ],
  ],
  [
    'a query of what was renamed',
    { 'queries/tall.yaml': 'id: 1\nlabel: x\ndataset: parks/woods # old\n' },
    [
      [
        'queries/tall.yaml:3:10',
        'warning',
        /parks\/woods is parks\/trees now\. Write "dataset: parks\/trees"\.$/,
        true,
      ],
    ],
  ],
  [
    'a query of no version',
    { 'queries/tall.yaml': 'id: 1\nlabel: x\ndataset: parks/trees\nversion: "1"\n' },
    [
      [
        'queries/tall.yaml:4:10',
        'warning',
        /has no version 1, so the query fails\. .*: catalogue query remove tall, or catalogue query edit tall --version …$/,
      ],
    ],
  ],
  [
    'a former address of two',
    { [benches]: 'id: 2\nlabel: x\naliases:\n  - woods\n' },
    [[`${benches}:4:5`, 'error', /^The former address parks\/woods is claimed by .*trees/, true]],
  ],
  [
    'a former name of two queries',
    {
      'queries/high.yaml': 'id: 2\nlabel: High\ndataset: parks/trees\naliases: [old, big]\n',
      'queries/large.yaml': 'id: 3\nlabel: Large\ndataset: parks/trees\naliases: [big]\n',
    },
    [['queries/high.yaml:4:16', 'error', /^The former address big is claimed by queries\/large/, true]],
  ],
  [
    'a former address of what is there',
    { [benches]: 'id: 2\nlabel: x\naliases: [parks/trees]\n' },
    [[`${benches}:3:11`, 'warning', /^There is a dataset at parks\/trees: the alias has no effect/]],
  ],
  [
    'two columns of a name',
    { [benches]: 'id: 2\nlabel: x\ncolumns:\n  - {type: integer, name: a}\n  - {type: float, name: a}\n' },
    [[`${benches}:5:25`, 'error', /^There are two columns named "a"/]],
  ],
  [
    'a column without a key in a private dataset',
    { [benches]: 'id: 2\nlabel: x\nvisibility: private\ncolumns:\n  -\n  - {type: float, name: a}\n' },
    [[`${benches}:5:3`, 'error', /^Item 1 of columns must be a group of "key: value" lines/]],
  ],
  [
    'a payload that nobody names',
    { [`${homeOf('parks/trees')}/data/b.csv`]: '' },
    [[`${homeOf('parks/trees')}/data/b.csv:1:1`, 'warning', /^No version names this payload/]],
  ],
  [
    'a payload without checksum',
    { [version]: 'id: 1\nfile: {name: a.csv}\n' },
    [[`${version}:1:1`, 'warning', /^There is no checksum/]],
  ],
  [
    'a payload of another size',
    { [version]: `id: 1\nchecksum: ${sum(bytes)}\nfile: {name: a.csv, size: 9}\n` },
    [[`${version}:3:1`, 'error', /has 8 bytes, not 9/]],
  ],
  ['a payload of other bytes, not looked at', { [`${homeOf('parks/trees')}/data/a.csv`]: 'x,y\n1,2\n' }, []],
  [
    'a payload of other bytes',
    { [`${homeOf('parks/trees')}/data/a.csv`]: 'x,y\n1,2\n' },
    [
      [
        `${version}:2:11`,
        'error',
        /^The payload data\/a\.csv has the checksum [0-9a-f]{64}: it is not the published file/,
      ],
    ],
    { deep: true },
  ],
  ['settings', { 'catalogue.yaml': 'page_size: many\n' }, [['catalogue.yaml:1:12', 'error', /whole number/]]],
  [
    'a password in the base URL',
    { 'catalogue.yaml': 'base_url: https://u:p@data.example.org\n' },
    [['catalogue.yaml:1:11', 'error', /doesn't have the form/]],
  ],
];

describe('check', () => {
  it('finds nothing where nothing is wrong', async (t) => {
    const folder = makeFolder(clean, t);
    assert.deepEqual(await checkCatalogueFiles(folder.root, { deep: true }), { problems: [], fixed: [], files: 7 });
  });

  for (const [why, files, expected, options] of cases)
    it(`${why}: says where and what, and fixes only what is certain`, async (t) => {
      const folder = makeFolder({ ...clean, files: { ...clean.files, ...files } }, t);
      const { problems } = await checkCatalogueFiles(folder.root, options);
      assert.deepEqual(
        problems.map(({ path, line, column, severity, fixable }) => [`${path}:${line}:${column}`, severity, fixable]),
        expected.map(([place, severity, , fixable = false]) => [place, severity, fixable]),
        JSON.stringify(problems),
      );
      for (const [i, [, , message]] of expected.entries()) assert.match(problems[i]?.message ?? '', message);

      const { problems: left, fixed } = await checkCatalogueFiles(folder.root, { ...options, fix: true });
      assert.deepEqual(
        fixed,
        problems.filter(({ fixable }) => fixable),
      );
      assert.deepEqual(
        left,
        problems.filter(({ fixable }) => !fixable),
      );
    });

  it('says it by path and line', async (t) => {
    const folder = makeFolder(
      {
        ...clean,
        files: {
          ...clean.files,
          [benches]: 'lable: x\nlabel: x\nimage: /site_media/none\nid: 2\nlicense: x\n',
          [zoo]: 'id: 1\nlabel: x\n',
        },
      },
      t,
    );
    const { problems } = await checkCatalogueFiles(folder.root);
    assert.deepEqual(
      problems.map(({ path, line }) => `${path}:${line}`),
      [`${benches}:3`, `${benches}:5`, `${zoo}:1`],
    );
  });

  it('counts every record, also broken ones', async (t) => {
    const folder = makeFolder({ ...clean, files: { ...clean.files, [benches]: 'label: [' } }, t);
    assert.equal((await checkCatalogueFiles(folder.root)).files, 8);
  });

  it('mends with a light hand', async (t) => {
    const text = '# Seats\nlabel: x # called so\nours: 1\n';
    const query = 'id: 1\nlabel: x\ndataset: parks/woods # old\n';
    const folder = makeFolder({ ...clean, files: { ...clean.files, [benches]: text, 'queries/tall.yaml': query } }, t);
    const { fixed, problems } = await checkCatalogueFiles(folder.root, { fix: true });
    assert.deepEqual([fixed.length, problems.length], [2, 0]);
    assert.match(await readFile(folder.path(benches), 'utf8'), /^# Seats\nid: \d+\nlabel: x # called so\nours: 1\n$/);
    assert.equal(await readFile(folder.path('queries/tall.yaml'), 'utf8'), query.replace('woods', 'trees'));
  });

  it('gives new ids to the copy of a dataset, whatever its name, where git, a remote or a start knew the original', async (t) => {
    const ways: Record<string, (folder: CatalogueFolder) => CheckOptions | Promise<CheckOptions>> = {
      'a commit': ({ root }) => {
        const git = (...args: string[]) => execFileSync('git', ['-C', root, ...gitSettings, ...args], { env: gitEnv });
        git('init', '--quiet');
        git('add', '--all');
        git('commit', '--quiet', '--message', 'x');
        return {};
      },
      'the index': ({ root }) => {
        execFileSync('git', ['-C', root, 'init', '--quiet'], { env: gitEnv });
        execFileSync('git', ['-C', root, 'add', '--all'], { env: gitEnv });
        return {};
      },
      'a remote': async (folder) => {
        const texts = new Map<string, string>();
        for (const one of [trees, version]) texts.set(one, await readFile(folder.path(one), 'utf8'));
        return { findCommonTexts: async () => texts };
      },
      'the last start': async ({ root }) => {
        const catalogue = await openFileCatalogue(root);
        await catalogue.load();
        await catalogue.close();
        return {};
      },
      'the age of the files': async () => {
        await setTimeout(50);
        return {};
      },
    };
    for (const [why, prepare] of Object.entries(ways)) {
      const folder = makeFolder(clean, t);
      const before = await readFile(folder.path(trees), 'utf8');
      const beforeVersion = await readFile(folder.path(version), 'utf8');
      const options = await prepare(folder);
      await cp(folder.path(homeOf('parks/trees')), folder.path(homeOf('parks/aaa')), { recursive: true });
      // The program that edited the original may have made its file anew.
      folder.write(trees, before.replace('Trees', 'Old trees'));
      const { problems } = await checkCatalogueFiles(folder.root, options);
      assert.match(
        problems.map(({ path, message }) => `${path}: ${message}`).join('\n'),
        /parks\/datasets\/aaa\/dataset\.yaml: The id 1 is already used by dataset parks\/trees\.$/m,
        why,
      );
      const { fixed, problems: left } = await checkCatalogueFiles(folder.root, { ...options, fix: true });
      assert.ok(!fixed.some(({ path, code }) => code === 'id' && path.includes('/trees/')), why);
      assert.deepEqual(
        left.filter(({ severity }) => severity === 'error'),
        [],
        why,
      );
      assert.match(await readFile(folder.path(trees), 'utf8'), /^id: 1$/m, why);
      assert.equal(await readFile(folder.path(version), 'utf8'), beforeVersion, why);
      assert.doesNotMatch(await readFile(folder.path(`${homeOf('parks/aaa')}/dataset.yaml`), 'utf8'), /^id: 1$/m, why);
    }
  });

  it('gives no new id to a record that a merge has kept at its former address, too', async (t) => {
    const folder = makeFolder(clean, t);
    const git = (...args: string[]) =>
      execFileSync('git', [...gitSettings, ...args], { cwd: folder.root, env: gitEnv, stdio: 'pipe' });
    const former = homeOf('parks/woods');
    await cp(folder.path(homeOf('parks/trees')), folder.path(former), { recursive: true });
    const text = 'id: 1\nlabel: Trees, as a branch has changed them\n';
    folder.write(`${former}/dataset.yaml`, text);
    // Neither the age of the files nor what git has says which of the two is the record.
    git('init', '-q');
    for (const known of [homeOf('parks/trees'), former]) {
      git('add', known);
      git('commit', '-qm', known);
      const { fixed, problems } = await checkCatalogueFiles(folder.root, { fix: true });
      assert.deepEqual(
        [fixed, problems.filter(({ code }) => code === 'id').map(({ path, fixable }) => [path, fixable])],
        [
          [],
          [
            [`${former}/dataset.yaml`, false],
            [`${former}/versions/${slug}.yaml`, false],
          ],
        ],
      );
      assert.match(
        problems.find(({ path }) => path === `${former}/dataset.yaml`)?.message ?? '',
        /^The id 1 is already used by dataset parks\/trees\. That one had this address before, .* move there what is new here/,
      );
      assert.equal(await readFile(folder.path(`${former}/dataset.yaml`), 'utf8'), text);
      git('update-ref', '-d', 'HEAD');
      git('rm', '-rq', '--cached', '.');
    }
  });

  it('leaves out the accounts of another user', { skip: process.getuid?.() !== 0 }, async (t) => {
    const path = '.catalogue/accounts.json';
    const folder = makeFolder({ ...clean, files: { ...clean.files, [path]: '{}' } }, t);
    for (const [one, mode] of [
      ['..', 0o755],
      ['.', 0o755],
      ['.catalogue', 0o700],
      [path, 0o600],
    ] as const)
      await chmod(join(folder.root, one), mode);
    const check = async () =>
      (await checkCatalogueFiles(folder.root)).problems.map(({ path, severity, message }) => [path, severity, message]);
    assert.equal((await check())[0]?.[1], 'error');
    process.seteuid?.(65534);
    try {
      assert.deepEqual(await check(), [
        [path, 'warning', 'It is not checked: only the user of the folder may read it.'],
      ]);
    } finally {
      process.seteuid?.(0);
    }
  });

  it('goes on where a file can only be fixed by hand', async (t) => {
    const folder = makeFolder({ ...clean, files: { ...clean.files, [benches]: 'label: x\n' } }, t);
    folder.write(`${homeOf('parks/linked')}/real.yaml`, 'label: x\n');
    await symlink('real.yaml', folder.path(`${homeOf('parks/linked')}/dataset.yaml`));
    const { fixed, problems } = await checkCatalogueFiles(folder.root, { fix: true });
    assert.deepEqual(
      fixed.map(({ path }) => path),
      [benches],
    );
    assert.deepEqual(
      problems.map(({ path }) => path),
      [`${homeOf('parks/linked')}/dataset.yaml`],
    );
  });

  it('gives no new id to a dataset because a link leads to its folder', async (t) => {
    const text = 'id: 4711\nlabel: x\n';
    const folder = makeFolder({ ...clean, files: { ...clean.files, [benches]: text } }, t);
    await symlink('benches', folder.path(homeOf('parks/also')));
    const { fixed, problems } = await checkCatalogueFiles(folder.root, { fix: true });
    assert.equal(await readFile(folder.path(benches), 'utf8'), text);
    assert.deepEqual(fixed, []);
    assert.deepEqual(
      problems.map(({ path, fixable, message }) => [path, fixable, message]),
      [
        [
          benches,
          false,
          'The id 4711 is already used by dataset parks/also. A link makes both one file: replace it by a copy with another id.',
        ],
      ],
    );
  });

  it('is stopped by nothing that lies in a payload’s or an image’s place', { timeout: 20_000 }, async (t) => {
    const { [`${homeOf('parks/trees')}/data/a.csv`]: _, ...files } = clean.files ?? {};
    const record = (name: string) => ({ id: 2, checksum: sum(bytes), file: { name } });
    const home = homeOf('parks/trees');
    const folder = makeFolder(
      {
        ...clean,
        files,
        datasets: { 'parks/trees': { id: 1, label: 'x', image: '/site_media/out.png' } },
        versions: Object.fromEntries(['link', 'folder', 'pipe'].map((name) => [`parks/trees@${name}`, record(name)])),
      },
      t,
    );
    await mkdir(folder.path(`${home}/data/folder`), { recursive: true });
    execFileSync('mkfifo', [folder.path(`${home}/data/pipe`)]);
    await symlink(tmpdir(), folder.path(`${home}/data/link`));
    await symlink(tmpdir(), folder.path('site_media/out.png'));
    const { problems } = await checkCatalogueFiles(folder.root, { deep: true });
    for (const name of ['link', 'folder', 'pipe'])
      assert.ok(
        problems.some(
          ({ path, severity }) => path.endsWith(`versions/${name}.yaml`) || (path.includes(name) && severity),
        ),
        name,
      );
    assert.ok(problems.some(({ message }) => message === 'There is no file site_media/out.png.'));
  });

  it('is stopped by no folder of payloads that can’t be read', async (t) => {
    const { [`${homeOf('parks/trees')}/data/a.csv`]: _, ...files } = clean.files ?? {};
    const folder = makeFolder(
      {
        ...clean,
        files: { ...files, [benches]: 'id: 2\nlabel: 7\n' },
        datasets: { ...clean.datasets, 'parks/paths': { id: 3, label: 'Paths' } },
      },
      t,
    );
    await symlink(tmpdir(), folder.path(`${homeOf('parks/trees')}/data`));
    await symlink('data', folder.path(`${homeOf('parks/paths')}/data`));
    const { problems } = await checkCatalogueFiles(folder.root);
    assert.deepEqual(
      problems.map(({ path, message }) => `${path}: ${message}`),
      [
        `${benches}: label must be text, but reads as 7. Write it in quotes: "7".`,
        `${homeOf('parks/paths')}/data: It is a link to itself.`,
        `${homeOf('parks/trees')}/data: It is a link that leaves the catalogue folder; links are followed within it only.`,
        `${version}: The payload data/a.csv is missing: put it there, or write "ready: false".`,
      ],
    );
  });

  it('parses a record once, for the places of all of its problems', async (t) => {
    const folder = makeFolder(clean, t);
    const columns = Array.from({ length: 4000 }, (_, i) => `  - {type: string, name: c${i},\n    lable: C}\n`).join('');
    folder.write(benches, `id: 2\nlabel: Benches\ncolumns:\n${columns}`);
    const { problems } = await checkCatalogueFiles(folder.root);
    const places = problems.map(({ path, line, column, excerpt }) => [path, line, column, excerpt?.text]);
    assert.deepEqual(
      places,
      Array.from({ length: 4000 }, (_, i) => [benches, 2 * i + 5, 5, '    lable: C}']),
    );
  });

  it('finds nothing in the example catalogue', async () => {
    const example = fileURLToPath(new URL('../../../catalogue-data', import.meta.url));
    assert.deepEqual((await checkCatalogueFiles(example, { deep: true })).problems, []);
  });
});
