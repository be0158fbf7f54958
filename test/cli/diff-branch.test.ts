import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { homeOf } from '../support/folder.ts';
import { type PromptOptions, seed, type } from '../support/prompt.ts';
import { makeRepository } from '../support/repository.ts';

const repository = await makeRepository(seed, { after });

describe('diff of a branch', () => {
  const diff = (args: readonly string[], options: PromptOptions = {}) => {
    const { top: cwd, root } = repository;
    return type(['diff', ...args], { root, cwd, env: { CATALOGUE_DATA: 'data' }, ...options });
  };

  before(async () => {
    const { git, write, remove, root, top: cwd } = repository;
    git('switch', '--quiet', '--create', 'feature');
    const newer = 'name,height,longitude,latitude,crown\noak,13.5,4.5,51.9,2\nelm,9,4.6,51.8,1\n';
    const stdin = { root, cwd, files: { '-': newer } };
    const { exitCode, err } = await type(['version', 'add', 'parks/trees', '-', '--name', 'a.csv'], stdin);
    assert.equal(exitCode, 0, err);
    const about = `${'A long story. '.repeat(9)}\`<b>\` @nobody`;
    write(`${homeOf('parks/benches')}/dataset.yaml`, JSON.stringify({ id: 12, label: 'Seats', description: about }));
    write(`${homeOf('parks/ponds')}/dataset.yaml`, 'id: 14\nlabel: "*Ponds*"\ncolumns: [{type: date, name: dug}]\n');
    remove(homeOf('water/wells'));
    write('catalogue.yaml', 'title: Mine\n');
    write('users/ann.yaml', 'name: [\n');
  });

  it('is told in words', async () => {
    const { out, err, exitCode } = await diff(['main']);
    assert.equal(exitCode, 0, err);
    assert.deepEqual(out.replace(/\b2\d{19}\b/g, (slug) => (slug.startsWith('2020') ? '<old>' : '<new>')).split('\n'), [
      '~ settings',
      '    title: Catalogue → Mine',
      '~ dataset parks/benches',
      '    label: Benches → Seats',
      `    description: To sit on. → ${'A long story. '.repeat(9)}\`<b>\` @nobody`,
      '+ dataset parks/ponds "*Ponds*": 1 column, no version',
      '~ dataset parks/trees',
      '    column crown (integer): added',
      '    version <new>: added (2 rows, 74 B)',
      '    rows: 0 added, 1 removed, 1 changed, 1 unchanged (<old> → <new>; known by name)',
      '- dataset water/wells "井戸": no version',
      '',
    ]);
    assert.match(
      err,
      /^main \([0-9a-f]{7}\) → the working tree: settings changed; 1 dataset added, 1 removed, 2 changed\.\nNot compared.*: data\/users\/ann\.yaml:2:/,
    );
    const seen = await diff(['main'], { terminal: true });
    assert.match(seen.out, /→ A long story\. .{40,50}…$/m);
    assert.doesNotMatch((await diff(['main', '--no-rows'])).out, /^ *rows:/m);
  });

  it('is Markdown in which nothing of the data is markup', async () => {
    const { out, exitCode } = await diff(['main', '--format', 'markdown']);
    assert.equal(exitCode, 0);
    assert.match(out, /^## Changes in the catalogue\n\nSettings changed; .*: `main` → the working tree\.\n\n/);
    assert.match(out, /^### Broken files\n\n- `data\/users\/ann\.yaml:2` /m);
    assert.match(out, /^#### `parks\/trees`\n\n- column `crown` \(integer\): added\n/m);
    assert.match(out, /^- \*\*added\*\* `parks\/ponds` `\*Ponds\*`: 1 column, no version$/m);
    assert.match(out, /^- description: `To sit on\.` → ``A long .*`<b>` @nobody``$/m);
    const columns = Array.from({ length: 12 }, (_, i) => ({ type: 'string', name: `c${i}` }));
    const { write, remove } = repository;
    write(`${homeOf('parks/benches')}/dataset.yaml`, JSON.stringify({ id: 12, label: 'Benches', columns }));
    const long = await diff(['main', '--format', 'markdown']);
    assert.match(long.out, /<details><summary>13 lines<\/summary>\n\n(- .*\n){13}\n<\/details>/);
    remove('users/ann.yaml');
    for (let i = 0; i < 210; i++) write(`groups/g${i}.yaml`, `id: ${i + 1}\nlabel: G\n`);
    const many = await diff(['main', '--format', 'markdown']);
    assert.match(many.out, /^### Groups\n\n<details><summary>200 lines<\/summary>[\s\S]*\nAnd 10 more groups\.$/m);
    remove('groups');
  });

  it('is JSON when asked for', async () => {
    for (const how of [['--json'], ['--format', 'json']]) {
      const { from, to, things } = JSON.parse((await diff(['main', ...how])).out);
      assert.deepEqual([from.name, to], ['main', null]);
      assert.deepEqual(things[0].fields, [{ field: 'title', from: 'Catalogue', to: 'Mine' }]);
    }
  });

  it('is told apart from that of a dataset', async () => {
    const { git } = repository;
    git('branch', 'origin/main', 'main');
    git('branch', 'parks/trees', 'main');
    assert.match((await diff(['origin/main'])).out, /^~ settings$/m);
    assert.match((await diff(['parks/trees'])).out, /^From parks\/trees@/);
    assert.match((await diff(['refs/heads/parks/trees'])).out, /^~ settings$/m);
    const neither = await diff(['parks/treez']);
    assert.deepEqual(
      [neither.exitCode, neither.err],
      [3, 'error: There is no dataset parks/treez. Did you mean parks/trees?\n'],
    );
    const nothing = await diff(['tree']);
    assert.equal(nothing.exitCode, 3);
    assert.match(
      nothing.err,
      /^error: Git has no commit tree\. .*\n *If you mean a dataset, write <namespace>\/<dataset>\.$/m,
    );
  });

  it('says what to type instead', async () => {
    const wrong = async (...args: string[]) => {
      const { exitCode, err } = await diff(args);
      return [exitCode, err];
    };
    assert.deepEqual(await wrong('main', '--key', 'name'), [
      2,
      'error: --key is for the rows of a dataset, and main is a commit.\n',
    ]);
    assert.deepEqual(await wrong('parks/benches', '--format', 'markdown'), [
      2,
      'error: --format markdown is for commits, as in: catalogue diff main\n',
    ]);
    assert.deepEqual(await wrong('parks/benches', '--no-rows'), [
      2,
      'error: --no-rows is for commits, as in: catalogue diff main --no-rows\n',
    ]);
    for (const options of [['--key', 'name'], ['--limit', '3'], ['--no-rows'], ['--format', 'markdown']])
      assert.deepEqual((await wrong(...options))[0], 2, options.join(' '));
    const outside = await type(['diff', 'main'], {});
    assert.equal(outside.exitCode, 3);
    assert.match(outside.err, /^error: The catalogue is not in a git repository\. Make one with: git init/);
  });
});
