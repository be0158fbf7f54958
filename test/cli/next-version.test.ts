/** Versions at the prompt that would lose data, drafts, and renames of columns: local and remote alike. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Catalogue } from '../../src/catalogue/catalogue.ts';
import { openFileCatalogue } from '../../src/files/file-catalogue.ts';
import { makeRoot, type Result, seed, type } from '../support/prompt.ts';
import { serveFolder } from '../support/server.ts';

const ref = { kind: 'dataset', namespace: 'parks', slug: 'trees' } as const;

/** Runs the same on a folder and on a server. */
function onBoth(
  work: (run: (line: string, more?: object) => Promise<Result>, catalogue: () => Promise<Catalogue>) => Promise<void>,
) {
  return async (test: { after(end: () => Promise<void>): void }) => {
    for (const isRemote of [false, true]) {
      const root = await makeRoot();
      const open = async () => {
        const files = await openFileCatalogue(root);
        test.after(() => files.close());
        return files.for();
      };
      const env: Record<string, string | undefined> = {};
      if (isRemote) {
        await (await open()).create('user', { username: 'ann', staff: true });
        const files = await openFileCatalogue(root);
        const { token } = await files.accounts.addToken('ann');
        await files.close();
        const server = await serveFolder(root);
        test.after(() => server.close());
        Object.assign(env, { CATALOGUE_TOKEN: token, CATALOGUE_REMOTE: server.base, CATALOGUE_DATA: undefined });
      }
      await work((line, more = {}) => type(line.split(' '), { root, env, ...more }), open);
    }
  };
}

const heights = 'name,height\noak,12\n';
const without = 'name,girth\noak,3\n';
const inCase = 'name,Height\noak,12.5\n';

describe('version add', () => {
  it(
    'refuses what would lose data, and says what to type',
    onBoth(async (run) => {
      for (const [name, text, flag] of [
        ['empty.csv', 'name,height\n', '--force'],
        ['other.csv', 'a,b\n1,2\n', '--force'],
        ['trees.ods', 'PK nothing', '--replace'],
        ['oaks.txt', 'name,height\noak,1\n', '--replace'],
      ] as const) {
        const refused = await run(`version add parks/trees ${name}`, { files: { [name]: text } });
        assert.equal(refused.exitCode, 5, refused.err);
        assert.ok(refused.err.endsWith(`To publish it all the same, add ${flag}.\n`), refused.err);
        // An option with a value ends its line, so that it can be copied.
        if (name === 'oaks.txt') assert.match(refused.err, /name it so: --name oaks\.csv\n/);
        const tried = await run(`version add parks/trees ${name} ${flag} --dry-run`, { files: { [name]: text } });
        assert.equal(tried.exitCode, 0, tried.err);
      }
    }),
  );

  it(
    'warns about a description without data, which comes back',
    onBoth(async (run, open) => {
      const { err } = await run('version add parks/trees a.csv', { files: { 'a.csv': without } });
      assert.match(err, /Warning: The column "height" is without data now\. Its description is kept/);
      const shown = await run('dataset show parks/trees', { terminal: true });
      assert.match(shown.out, /Columns without data \(1\)\n.*\n *height +float +m/);
      assert.match((await run('column list parks/trees', { terminal: true })).err, /without data: height\./);
      await run('column edit parks/trees height --label Tall');
      await run('version add parks/trees b.csv', { files: { 'b.csv': heights } });
      const [, height] = (await (await open()).get<'dataset'>(ref)).columns;
      assert.deepEqual([height?.name, height?.unit, height?.label], ['height', 'm', 'Tall']);
    }),
  );

  it(
    'asks at a terminal whether a column in another case is the same',
    onBoth(async (run, open) => {
      const files = { 'a.csv': inCase };
      const piped = await run('version add parks/trees a.csv --dry-run', { files });
      assert.equal(piped.exitCode, 0, piped.err);
      const asked = await run('version add parks/trees a.csv', { files, terminal: true, answer: true });
      assert.deepEqual(asked.questions, ['Is the column Height the former column height, in another case?']);
      assert.match(asked.err, /Renamed column height of dataset parks\/trees to Height\./);
      const [, height] = (await (await open()).get<'dataset'>(ref)).columns;
      assert.deepEqual([height?.name, height?.unit], ['Height', 'm']);
    }),
  );

  it(
    'quotes names of columns in the line to type',
    onBoth(async (run) => {
      const publish = (name: string) =>
        run('version add parks/trees a.csv', { files: { 'a.csv': `name,${name}\noak,12.5\n` } });
      await publish('height;x');
      await run('column edit parks/trees height;x --unit m');
      const hinted = await publish('Height;x');
      assert.match(hinted.err, /type: catalogue column rename parks\/trees 'height;x' 'Height;x'\n/);
    }),
  );

  it(
    'takes a rename with it, or afterwards',
    onBoth(async (run, open) => {
      const unit = async () =>
        (await (await open()).get<'dataset'>(ref)).columns.find(({ name }) => /height/i.test(name))?.unit;
      const hinted = await run('version add parks/trees a.csv', { files: { 'a.csv': inCase } });
      assert.match(hinted.err, /type: catalogue column rename parks\/trees height Height\n/);
      assert.equal(await unit(), '');
      const dry = await run('column rename parks/trees height Height --dry-run');
      assert.equal(dry.out, 'Would rename column height to Height of dataset parks/trees\n');
      const renamed = await run('column rename parks/trees height Height');
      assert.equal(renamed.err, 'Renamed column height to Height of dataset parks/trees.\n');
      assert.equal(await unit(), 'm');
      const back = await run('version add parks/trees b.csv --rename Height=height', { files: { 'b.csv': heights } });
      assert.equal(back.exitCode, 0, back.err);
      assert.equal(await unit(), 'm');
      assert.equal((await run('version add parks/trees b.csv --rename Height')).exitCode, 2);
      assert.equal((await run('column rename parks/trees hieght x')).exitCode, 3);
    }),
  );

  it(
    'adds a draft, which is made ready and withdrawn',
    onBoth(async (run) => {
      const dry = await run('version add parks/trees a.csv --draft --dry-run', { files: { 'a.csv': heights } });
      assert.match(dry.out + dry.err, /\nWhen it is made ready, columns: .*dropped/);
      const added = await run('version add parks/trees a.csv --draft', { files: { 'a.csv': heights } });
      assert.match(added.err, /\nWhen it is made ready, columns: .*dropped/);
      assert.doesNotMatch(added.err, /^Columns/m);
      const name = added.out.trim();
      assert.match(
        added.err,
        new RegExp(`It is a draft\\. To publish it, type: catalogue version edit ${name} --ready true`),
      );
      assert.match((await run('data parks/trees --format csv')).out, /longitude/);
      assert.equal((await run(`version edit ${name} --ready true`)).exitCode, 0);
      assert.doesNotMatch((await run('data parks/trees --format csv')).out, /longitude/);
      assert.equal((await run(`version edit ${name} --ready false`)).exitCode, 0);
      assert.match((await run('data parks/trees --format csv')).out, /longitude/);
    }),
  );
});

it(
  'a draft renames a column when it is made ready, and warns of one that it lacks',
  onBoth(async (run, open) => {
    const files = { 'a.csv': inCase, 'b.csv': without };
    const added = await run('version add parks/trees a.csv --draft --rename height=Height', { files });
    await run(`version edit ${added.out.trim()} --ready true`);
    const [, height] = (await (await open()).get<'dataset'>(ref)).columns;
    assert.deepEqual([height?.name, height?.unit], ['Height', 'm']);
    const { err } = await run('version add parks/trees b.csv --draft', { files });
    assert.match(err, /Warning: The column "Height" is without data once the version is ready\./);
  }),
);

describe('publish', () => {
  it('takes no file of another format for a version by its name alone', async () => {
    const root = await makeRoot();
    const files = { 'places.csv': 'name\na\n', 'places.geojson': '{"type":"FeatureCollection","features":[]}' };
    assert.equal((await type(['publish', 'places.csv', '--to', 'parks'], { root, files })).exitCode, 0);
    const refused = await type(['publish', 'places.geojson', '--to', 'parks'], { root, files });
    assert.equal(refused.exitCode, 5, refused.err);
    assert.match(
      refused.err,
      /its newest version is csv, not geojson\. To add places\.geojson to it, type: --to parks\/places\./,
    );
    const rows = '{"type":"Feature","geometry":null,"properties":{"name":"b"}}';
    const argv = ['publish', 'places.geojson', '--to', 'parks', '--replace'];
    const taken = await type(argv, { root, files: { 'places.geojson': rows } });
    assert.equal(taken.exitCode, 0, taken.err);
  });
});

describe('data', () => {
  it('prints the rows of a saved query', async () => {
    const queries = { tall: { id: 61, label: 'Tall', dataset: 'parks/trees', parameters: { height__gte: 10 } } };
    const root = await makeRoot({ ...seed, queries });
    const { out } = await type(['data', '@tall', '--format', 'csv', '--fields', 'name'], { root });
    assert.equal(out, 'name\r\noak\r\nash\r\n');
    const fewer = await type(['data', '@tall', 'name=oak', '--format', 'csv', '--fields', 'name'], { root });
    assert.equal(fewer.out, 'name\r\noak\r\n');
    const missing = await type(['data', '@tal'], { root });
    assert.deepEqual([missing.exitCode, missing.err], [3, 'error: There is no query tal. Did you mean tall?\n']);
  });
});
