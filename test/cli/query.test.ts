import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { representQuery } from '../../src/catalogue/represent.ts';
import { makeRoot, type } from '../support/prompt.ts';

const tall = ['query', 'add', 'tall-trees', '--dataset', 'parks/trees', 'height__gte=10', 'name=oak', 'name=ash'];

describe('query', () => {
  it('keeps lists of columns whose names have commas', async () => {
    const root = await makeRoot();
    const files = { 'a.csv': '"a, b",c,d\n1,2,3\n4,5,6\n' };
    await type(['publish', 'a.csv', '--to', 'parks/commas'], { root, files });
    const add = ['query', 'add', 'commas', '--dataset', 'parks/commas'];
    await type([...add, '_fields="a, b"', '_fields=d,c', '_ordering="-a, b"'], { root });
    const text = readFileSync(join(root, 'queries/commas.yaml'), 'utf8');
    assert.match(text, /_fields:\n +- a, b\n +- d\n +- c\n/);
    const { out, err } = await type(['data', '@commas', '--format', 'csv'], { root });
    assert.equal(out, '"a, b",d,c\r\n4,6,5\r\n1,3,2\r\n', err);
  });

  it('is named when its dataset or version is removed', async () => {
    const root = await makeRoot();
    const version = 'parks/trees@20200102030405000000';
    await type(tall, { root });
    const quiet = await type(['version', 'remove', version, '--dry-run'], { root });
    assert.doesNotMatch(quiet.err, /Warning/);
    await type(['query', 'add', 'old', '--dataset', 'parks/trees', '--version', '20200102030405000000'], { root });
    const one = await type(['version', 'remove', version, '--dry-run'], { root });
    assert.match(one.err, new RegExp(`^Warning: without ${version}, these saved queries fail: old\\. `, 'm'));
    for (const option of ['--dry-run', '--yes']) {
      const { err, exitCode } = await type(['dataset', 'remove', 'parks/trees', option], { root });
      assert.equal(exitCode, 0, err);
      assert.match(err, /saved queries fail: old, tall-trees\. .*: catalogue query remove old$/m);
    }
    // What the program has allowed, its check allows, so that commits go on. New queries need their dataset.
    const check = await type(['check'], { root });
    assert.match(`${check.out}${check.err}`, /tall-trees\.yaml:\d+:\d+: warning: There is no dataset parks\/trees/);
    assert.equal(check.exitCode, 0, check.err);
    assert.equal((await type(['query', 'edit', 'old', '--label', 'Older'], { root })).exitCode, 0);
    const another = await type(['query', 'add', 'new', '--dataset', 'parks/trees'], { root });
    assert.match(another.err, /There is no dataset parks\/trees/);
    assert.notEqual(another.exitCode, 0);
  });

  it('is saved, listed, shown, edited and removed', async () => {
    const root = await makeRoot();
    const run = async (...argv: string[]) => {
      const { out, err, exitCode } = await type(argv, { root });
      assert.equal(exitCode, 0, err);
      return out;
    };
    assert.equal(await run(...tall), 'tall-trees\n');
    const text = readFileSync(join(root, 'queries/tall-trees.yaml'), 'utf8');
    assert.match(text, /label: Tall trees\ndataset: parks\/trees\n/);
    assert.match(text, /height__gte: 10\n +name:\n +- oak\n +- ash\n/);
    assert.equal(await run('query', 'list'), 'tall-trees\tTall trees\tparks/trees\theight__gte=10 name=oak name=ash\n');
    assert.equal(await run('query', 'list', '--dataset', 'parks/benches'), '');
    await run('query', 'edit', 'tall-trees', '--description', 'High ones', '--slug', 'high');
    assert.match(
      await run('query', 'show', 'high'),
      /^query\thigh\nlabel\tTall trees\n(.*\n)+filters\theight__gte=10 name=oak/,
    );
    await run('query', 'edit', 'high', 'height__lt=5', '--version', '20200102030405000000');
    const shown = JSON.parse(await run('query', 'show', 'high', '--json'));
    assert.deepEqual(shown.parameters, { height__lt: 5 });
    assert.match(shown.version, /version\/20200102030405000000\/$/);
    await run('query', 'edit', 'high', '--no-filters', '--version', 'latest');
    const { catalogue } = await type(['query', 'list'], { root });
    const query = await catalogue.get<'query'>({ kind: 'query', slug: 'high' });
    assert.deepEqual([query.parameters, query.version], [{}, null]);
    assert.deepEqual(JSON.parse(await run('query', 'list', '--json')), [
      representQuery(query, { base: '', suffix: '' }),
    ]);
    assert.equal(await run('query', 'remove', 'high', '--yes'), '');
    assert.equal(await run('query', 'list'), '');
  });

  it('gets its name from its label', async () => {
    const argv = ['query', 'add', 'height__gte=10', '--label', 'Høye trær', '--dataset', 'parks/trees'];
    assert.equal((await type(argv)).out, 'hoye-traer\n');
  });

  it('can be answered, or is not saved', async () => {
    const cases: readonly [argv: string[], exitCode: number, message: RegExp][] = [
      [
        ['tall', '--dataset', 'parks/trees', 'heigth__gte=10'],
        2,
        /heigth__gte: Unknown column .* Did you mean "height"/,
      ],
      [['tall', '--dataset', 'parks/tres'], 3, /Did you mean parks\/trees\?/],
      [
        ['tall', '--dataset', 'parks/trees', '--version', '2020'],
        3,
        /Did you mean parks\/trees@20200102030405000000\?/,
      ],
      [['tall'], 2, /Name the dataset: --dataset/],
      [['--dataset', 'parks/trees'], 2, /Give the query a name: catalogue query add <query>/],
      [['tall', '--dataset', 'parks/trees', 'height'], 2, /"height" is not a filter/],
    ];
    for (const dry of [[], ['--dry-run']])
      for (const [argv, expected, message] of cases) {
        const { exitCode, err, files } = await type(['query', 'add', ...argv, ...dry]);
        assert.equal(exitCode, expected, err);
        assert.match(err, message);
        assert.ok(!files().some((path) => path.startsWith('queries/')));
      }
    const untried = await type(['query', 'add', 'x', '--dataset', 'parks/benches', 'a=1']);
    assert.equal(untried.exitCode, 0);
    assert.match(untried.err, /The query was not tried: parks\/benches@latest has no rows/);
  });

  it('that is taken or missing is said', async () => {
    const { root } = await type(tall);
    const taken = await type([...tall, '--dry-run'], { root });
    assert.equal(taken.exitCode, 5);
    assert.match(taken.err, /There is a query tall-trees already.*catalogue query edit tall-trees/);
    assert.equal((await type(tall, { root })).exitCode, 5);
    for (const argv of [['show'], ['edit', '--label', 'X'], ['remove', '--yes']]) {
      const [verb = '', ...rest] = argv;
      const { exitCode, err } = await type(['query', verb, 'tall-tree', ...rest], { root });
      assert.deepEqual([exitCode, err], [3, 'error: There is no query tall-tree. Did you mean tall-trees?\n']);
    }
    assert.equal((await type(['query', 'edit', 'tall-trees'], { root })).exitCode, 2);
    const dry = await type(['query', 'edit', 'tall-trees', '--slug', 'x', '--dry-run'], { root });
    assert.equal(dry.out, 'Would change query tall-trees, now x\n');
  });
});
