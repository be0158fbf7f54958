import assert from 'node:assert/strict';
import { existsSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { readFile, rename } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { listTrash } from '../../src/files/writing/trash.ts';
import { homeOf } from '../support/folder.ts';
import { makeRoot, type } from '../support/prompt.ts';
import { served } from '../support/served.ts';

/** A catalogue from which something was removed. */
async function withTrash(): Promise<string> {
  const root = await makeRoot();
  for (const argv of [
    ['dataset', 'remove', 'parks/benches'],
    ['version', 'remove', 'parks/trees@latest'],
  ]) {
    const { exitCode, err } = await type([...argv, '--yes'], { root });
    assert.equal(exitCode, 0, err);
  }
  return root;
}

const trees = 'parks/trees@20200102030405000000';

/** Moves the time at which an entry was removed into the past. */
async function grow(root: string, days: number): Promise<void> {
  const [entry] = (await listTrash(root)).slice(-1);
  const moment = new Date(Date.now() - days * 86_400_000).toISOString().replace(/\D/g, '');
  const folder = join(root, '.catalogue/trash');
  await rename(join(folder, entry?.id ?? ''), join(folder, `${moment}-0123abcd`));
}

describe('trash list', () => {
  it('says what there is, the newest first', async () => {
    const root = await withTrash();
    const { out, exitCode } = await type(['trash', 'list'], { root });
    assert.equal(exitCode, 0);
    const rows = out.split('\n').map((line) => line.split('\t'));
    assert.deepEqual(
      rows.slice(0, 2).map(([, kind, name]) => [kind, name]),
      [
        ['version', trees],
        ['dataset', 'parks/benches'],
      ],
    );
    const { out: json } = await type(['trash', 'list', '--json'], { root });
    const [newest] = JSON.parse(json);
    assert.deepEqual(Object.keys(newest), ['id', 'kind', 'name', 'paths', 'removed', 'by', 'url']);
    assert.deepEqual(newest.paths, [
      `${homeOf('parks/trees')}/versions/20200102030405000000.yaml`,
      `${homeOf('parks/trees')}/data/trees.csv`,
    ]);
    const seen = await type(['trash', 'list'], { root, terminal: true });
    assert.match(seen.out, /^ENTRY +KIND +NAME/);
  });

  it('tells people that it is empty', async () => {
    assert.equal((await type(['trash', 'list'], { terminal: true })).err, 'The trash is empty.\n');
    const piped = await type(['trash', 'list']);
    assert.deepEqual([piped.out, piped.err], ['', '']);
  });
});

describe('trash restore', () => {
  it('finds what it was in under its new name', async () => {
    const root = await withTrash();
    const run = async (...argv: string[]) => {
      const { exitCode, out, err } = await type(argv, { root });
      assert.equal(exitCode, 0, err);
      return out + err;
    };
    await run('namespace', 'edit', 'parks', '--slug', 'green');
    await run('dataset', 'edit', 'green/trees', '--slug', 'oaks');
    const [dataset, version] = [
      'dataset parks/benches as green/benches',
      `version ${trees} as ${trees.replace('parks/trees', 'green/oaks')}`,
    ];
    assert.equal(await run('trash', 'restore', 'parks/benches', '--dry-run'), `Would restore ${dataset}\n`);
    assert.equal(await run('trash', 'restore', 'parks/benches'), `green/benches\nRestored ${dataset}.\n`);
    assert.match(await run('trash', 'restore', trees), new RegExp(`Restored ${version}\\.`));
    assert.match(await run('dataset', 'list', '--namespace', 'green'), /green\/benches/);
    assert.match(await run('check'), /no errors/);
  });

  it('names a group or user again where they were named', async () => {
    const root = await makeRoot();
    const run = async (...argv: string[]) => {
      const { exitCode, out, err } = await type(argv, { root });
      assert.equal(exitCode, 0, err);
      return out;
    };
    const lists = async () => {
      const { catalogue } = await type(['check'], { root });
      const namespaces = (await catalogue.list('namespace', {})).items;
      const datasets = (await catalogue.list('dataset', {})).items;
      const users = (await catalogue.list('user', {})).items;
      return [
        ...namespaces.map(({ slug, owners, readers }) => [slug, ...owners, ...readers]),
        ...datasets.map(({ slug, readers }) => [slug, ...readers]),
        ...users.map(({ slug, groups }) => [slug, ...groups]),
      ].sort();
    };
    await run('group', 'add', 'gardeners', '--label', 'Gardeners');
    await run('group', 'add', 'others', '--label', 'Others');
    await run('user', 'add', 'bob', '--group', 'gardeners', '--group', 'others');
    await run('namespace', 'edit', 'parks', '--owner', 'gardeners', '--reader', 'others');
    await run('namespace', 'edit', 'water', '--owner', 'others', '--reader', 'gardeners');
    await run('dataset', 'edit', 'water/wells', '--reader', 'gardeners', '--reader', 'user:bob');
    const before = await lists();
    await run('group', 'remove', 'gardeners', '--yes');
    await run('user', 'remove', 'bob', '--yes');
    assert.doesNotMatch(JSON.stringify(await lists()), /gardeners|bob/);
    // Of several, it is the same one that is named again, also under a new name.
    await run('dataset', 'edit', 'water/wells', '--slug', 'springs');
    await run('trash', 'restore', 'bob');
    await run('trash', 'restore', 'gardeners', '--dry-run');
    assert.match(await run('trash', 'list'), /gardeners/);
    await run('trash', 'restore', 'gardeners');
    const restored = JSON.stringify(await lists());
    const sorted = (text: string) => text.split(/\W+/).sort().join(' ');
    assert.equal(sorted(restored.replace('springs', 'wells')), sorted(JSON.stringify(before)));
    assert.match(await run('check'), /^$/);
  });

  it('warns of groups and users that were removed meanwhile, with what to type', async () => {
    const done = async (line: string, root?: string) => {
      const result = await type(line.split(' '), root === undefined ? {} : { root });
      assert.equal(result.exitCode, 0, `${line}: ${result.err}`);
      return result;
    };
    const { root } = await done('user add ann');
    for (const line of [
      'group add foresters --label Foresters --member ann',
      'group add walkers --label Walkers',
      'dataset edit parks/benches --reader foresters --reader walkers --reader user:ann',
      'dataset remove parks/benches --yes',
      'user remove ann --yes',
      'group remove foresters --yes',
    ])
      await done(line, root);
    const { err } = await done('trash restore parks/benches', root);
    assert.match(
      err,
      /^Restored dataset parks\/benches\.\nWarning: readers of it that were removed meanwhile: foresters, user:ann\. /,
    );
    const [, edit = '', ...restore] = /: (catalogue .+), or to restore them: (.+) and (.+)\n$/.exec(err) ?? [];
    assert.equal(edit, 'catalogue dataset edit parks/benches --reader walkers');
    for (const command of restore) await done(command.replace('catalogue ', ''), root);
    await done('dataset remove parks/benches --yes', root);
    assert.equal((await done('trash restore parks/benches', root)).err, 'Restored dataset parks/benches.\n');
  });

  it('does not put a version into a namesake of its dataset, while that is in the trash', async () => {
    const root = await withTrash();
    const run = (...argv: string[]) => type(argv, { root });
    await run('dataset', 'remove', 'parks/trees', '--yes');
    await run('dataset', 'add', 'parks/trees', '--label', 'Other trees');
    const refused = await run('trash', 'restore', trees);
    assert.equal(refused.exitCode, 5);
    assert.match(refused.err, /in another dataset than the present parks\/trees\. .* Restore that entry first/);

    await run('dataset', 'edit', 'parks/trees', '--slug', 'others');
    await run('trash', 'restore', 'parks/trees');
    const { exitCode, catalogue, err } = await run('trash', 'restore', trees);
    assert.equal(exitCode, 0, err);
    const dataset = await catalogue.get<'dataset'>({ kind: 'dataset', namespace: 'parks', slug: 'trees' });
    assert.equal(dataset.label, 'Trees');
    assert.ok(dataset.versions.some(({ slug }) => trees.endsWith(slug)));
  });

  it('puts back by name or by entry', async () => {
    const root = await withTrash();
    const restored = await type(['trash', 'restore', 'parks/benches'], { root });
    assert.deepEqual([restored.out, restored.err], ['parks/benches\n', 'Restored dataset parks/benches.\n']);
    assert.match(await readFile(join(root, homeOf('parks/benches'), 'dataset.yaml'), 'utf8'), /Benches/);
    const [entry] = await listTrash(root);
    const { exitCode, catalogue } = await type(['trash', 'restore', entry?.id ?? ''], { root });
    assert.equal(exitCode, 0);
    const dataset = await catalogue.get<'dataset'>({ kind: 'dataset', namespace: 'parks', slug: 'trees' });
    assert.equal(dataset.versions[0]?.ready, true);
    assert.deepEqual(await listTrash(root), []);
  });

  it('says what is in the way, also when it only tries', async () => {
    const root = await withTrash();
    const dry = await type(['trash', 'restore', 'parks/benches', '--dry-run'], { root });
    assert.equal(dry.out, 'Would restore dataset parks/benches\n');
    const json = await type(['trash', 'restore', 'parks/benches', '--dry-run', '--json'], { root });
    assert.equal(JSON.parse(json.out).name, 'parks/benches');
    assert.equal((await listTrash(root)).length, 2);
    await type(['dataset', 'add', 'parks/benches', '--label', 'Other benches'], { root });
    for (const more of [[], ['--dry-run']]) {
      const { exitCode, err } = await type(['trash', 'restore', 'parks/benches', ...more], { root });
      assert.equal(exitCode, 5);
      assert.match(err, /The dataset parks\/benches can't be restored: .* exists\./);
    }
    const missing = await type(['trash', 'restore', 'parks/nothing'], { root });
    assert.equal(missing.exitCode, 3);
    assert.match(missing.err, /Nothing in the trash is called parks\/nothing\. See: catalogue trash list/);
  });

  it('asks which, where things of two kinds had the name', async () => {
    const root = await makeRoot({
      namespaces: { tall: { id: 1, label: 'Tall' }, parks: { id: 2, label: 'Parks' } },
      datasets: { 'parks/trees': { id: 1, label: 'Trees' } },
      queries: { tall: { id: 1, label: 'Tall', dataset: 'parks/trees' } },
    });
    for (const noun of ['namespace', 'query']) await type([noun, 'remove', 'tall', '--yes'], { root });
    const { exitCode, err } = await type(['trash', 'restore', 'tall', '--data', 'catalogue-data'], { root });
    assert.equal(exitCode, 2);
    assert.match(err, /A query and a namespace had that name\. Say which: catalogue trash restore \d/);
    assert.match(err, /, or catalogue trash restore [\w-]+ --data catalogue-data$/m);
  });
});

describe('trash empty', () => {
  it('asks, and deletes for good', async () => {
    const root = await withTrash();
    const refused = await type(['trash', 'empty'], { root });
    assert.equal(refused.exitCode, 2);
    const no = await type(['trash', 'empty'], { root, terminal: true, answer: false });
    assert.deepEqual([no.exitCode, no.questions], [1, ['Remove 2 things in the trash for good?']]);
    assert.equal((await listTrash(root)).length, 2);
    const yes = await type(['trash', 'empty'], { root, terminal: true, answer: true });
    assert.deepEqual([yes.exitCode, yes.err], [0, 'Deleted 2 things.\n']);
    assert.deepEqual(await listTrash(root), []);
    assert.equal((await type(['trash', 'empty'], { root })).err, 'Nothing to delete.\n');
  });

  it('keeps what it can not list, and doctor names it', async () => {
    const root = await withTrash();
    const [{ id } = { id: '' }] = await listTrash(root);
    const folder = join(root, '.catalogue/trash', id);
    writeFileSync(join(folder, 'entry.json'), '{bad');
    const files = readdirSync(folder, { recursive: true });
    const { exitCode, err } = await type(['trash', 'empty', '--yes'], { root });
    assert.deepEqual([exitCode, err], [0, 'Deleted 1 thing.\n']);
    assert.deepEqual(readdirSync(folder, { recursive: true }), files);
    const { out } = await type(['doctor'], { root, env: { XDG_CONFIG_HOME: root } });
    assert.match(
      out,
      new RegExp(`^warning\\tfolder\\ttrash\\tthe entry\\.json of \\.catalogue/trash/${id} is damaged`, 'm'),
    );
    // Of a removal that was interrupted before it began, nothing is kept.
    for (const path of files)
      if (String(path) !== 'entry.json') rmSync(join(folder, String(path)), { recursive: true, force: true });
    assert.equal((await type(['trash', 'empty', '--yes'], { root })).err, 'Nothing to delete.\n');
    assert.equal(existsSync(folder), false);
  });

  it('ends, with links to folders around them in what it keeps', async () => {
    const root = await withTrash();
    const [{ id } = { id: '' }] = await listTrash(root);
    const folder = join(root, '.catalogue/trash', id);
    writeFileSync(join(folder, 'entry.json'), '{bad');
    // Two of them double the paths at each level, if they are followed.
    for (const name of ['a', 'b']) symlinkSync('.', join(folder, name));
    const { exitCode, err } = await type(['trash', 'empty', '--yes'], { root });
    assert.deepEqual([exitCode, err], [0, 'Deleted 1 thing.\n']);
    assert.ok(existsSync(join(folder, 'entry.json')));
  });

  it('only what is older', async () => {
    const root = await withTrash();
    await grow(root, 31);
    const dry = await type(['trash', 'empty', '--older-than', '30d', '--dry-run'], { root });
    assert.match(dry.out, /^Would delete dataset parks\/benches, removed .*\n$/);
    const listed = JSON.parse((await type(['trash', 'list', '--json'], { root })).out);
    const json = await type(['trash', 'empty', '--older-than', '30d', '--dry-run', '--json'], { root });
    assert.deepEqual(JSON.parse(json.out), listed.slice(-1));
    const { exitCode, err } = await type(['trash', 'empty', '--older-than', '30d', '--yes'], { root });
    assert.deepEqual([exitCode, err], [0, 'Deleted 1 thing.\n']);
    assert.deepEqual(
      (await listTrash(root)).map(({ ref }) => ref.kind),
      ['version'],
    );
    for (const age of ['30', '5y', '-1d', ''])
      assert.equal((await type(['trash', 'empty', `--older-than=${age}`, '--yes'], { root })).exitCode, 2, age);
  });
});

it('trash empty takes any age, also of a remote', async (t) => {
  const { base, folder } = await served({ users: { alice: { id: 1, staff: true } } }, t);
  const CATALOGUE_TOKEN = (await type(['token', 'add', 'alice'], { root: folder.root })).out.trim();
  const argv = ['trash', 'empty', '--older-than', '999999w', '--yes', '--remote', base];
  const { exitCode, err } = await type(argv, { env: { CATALOGUE_TOKEN } });
  assert.deepEqual([exitCode, err], [0, 'Nothing to delete.\n']);
});
