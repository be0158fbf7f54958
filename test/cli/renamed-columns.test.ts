/** Former names of columns in filters and in saved queries: local, remote and over HTTP. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { openFileCatalogue } from '../../src/files/file-catalogue.ts';
import { makeRoot, seed, type } from '../support/prompt.ts';
import { makeRepository } from '../support/repository.ts';
import { serveFolder } from '../support/server.ts';

const queries = {
  tall: {
    id: 61,
    label: 'Tall',
    dataset: 'parks/oaks',
    parameters: {
      height__gte: 10,
      _fields: 'name,height',
      _ordering: '-height',
      _filter: "height > 1 AND name <> 'height'",
    },
  },
};

describe('a former name of a column', () => {
  let root: string;
  let server: Awaited<ReturnType<typeof serveFolder>>;
  const run = (line: string, more = {}) => type(line.split(' '), { root, ...more });
  const isDone = async (line: string, more = {}) => {
    const result = await run(line, more);
    assert.equal(result.exitCode, 0, result.err);
    return result;
  };
  const rows = (line: string, remote = false) => {
    const env = remote ? { CATALOGUE_REMOTE: server.base, CATALOGUE_DATA: undefined } : {};
    return run(`data ${line} --format csv`, { env });
  };

  before(async () => {
    root = await makeRoot({ ...seed, queries });
    const files = {
      'a.csv': 'name,height,girth\noak,12,3\nelm,5,2\n',
      'b.csv': 'name,tallness,girth\noak,13,3\nelm,6,2\n',
    };
    await isDone('publish a.csv --to parks/oaks', { files });
    await isDone('version add parks/oaks b.csv --rename height=tallness', { files });
    server = await serveFolder(root);
  });
  after(() => server.close());

  for (const remote of [false, true])
    it(`is understood in filters, fields and orders${remote ? ' on a server' : ''}; the answer has the present one`, async () => {
      for (const [line, expected] of [
        ['parks/oaks height__gte=10', 'name,tallness,girth\r\noak,13,3\r\n'],
        ['parks/oaks height=6 --fields name,height', 'name,tallness\r\nelm,6\r\n'],
        ['parks/oaks --ordering height --fields height', 'tallness\r\n6\r\n13\r\n'],
        ['parks/oaks --filter height>10 --fields name', 'name\r\noak\r\n'],
        ['@tall', 'name,tallness\r\noak,13\r\n'],
      ] as const) {
        const { out, err } = await rows(line, remote);
        assert.equal(out, expected, `${line}: ${err}`);
      }
    });

  it('is one of the older version, too, by its present name', async () => {
    const { out } = await run('version list parks/oaks');
    const old = out.trim().split('\n').at(-1)?.split('\t')[0];
    assert.equal((await rows(`parks/oaks@${old} tallness__gte=10 --fields tallness`)).out, 'height\r\n12\r\n');
  });

  it('is understood over HTTP, and in the page of a query', async () => {
    const path = `${server.base}/api/v1/namespaces/parks/datasets/oaks/data.json`;
    const ask = async (query: string) => (await fetch(`${path}?${query}`)).json();
    assert.deepEqual(
      await ask('height__lt=10&_fields=height&_ordering=-height'),
      await ask('tallness__lt=10&_fields=tallness'),
    );
    assert.deepEqual(await ask('hieght=1'), { hieght: ['Unknown column "hieght".'] });
    assert.equal((await fetch(`${server.base}/api/v1/queries/tall/data/`)).status, 200);
  });

  it('in a saved query is found by check, which fixes it', async () => {
    const found = await run('check');
    assert.match(
      found.out,
      /queries\/tall\.yaml:\d+:\d+: warning: The column "height" of parks\/oaks is called "tallness" now\. Write "tallness"\./,
    );
    await run('check --fix');
    assert.equal((await run('check')).exitCode, 0);
    const text = readFileSync(join(root, 'queries/tall.yaml'), 'utf8');
    assert.match(text, /tallness__gte: 10/);
    assert.match(text, /_fields: name,tallness/);
    assert.match(text, /_ordering: -tallness/);
    assert.match(text, /_filter: "?'?\\?"tallness\\?" > 1 AND name <> '+height'/);
    assert.equal((await rows('@tall')).out, 'name,tallness\r\noak,13\r\n');
  });

  for (const remote of [false, true])
    it(`is no other column in a difference${remote ? ' on a server' : ''}, in both directions`, async () => {
      const env = remote ? { CATALOGUE_REMOTE: server.base, CATALOGUE_DATA: undefined } : {};
      const versions = JSON.parse((await run('version list parks/oaks --json', { env })).out) as { slug: string }[];
      const [now, then] = versions.map(({ slug }) => `parks/oaks@${slug}`);
      for (const [line, renamed] of [
        [`diff ${then} ${now} --key name --json`, [{ from: 'height', to: 'tallness' }]],
        [`diff ${now} ${then} --key name --json`, [{ from: 'tallness', to: 'height' }]],
      ] as const) {
        const difference = JSON.parse((await isDone(line, { env })).out);
        assert.deepEqual(difference.columns, { added: [], dropped: [], retyped: [], renamed });
        assert.deepEqual([difference.counts.changed, difference.rows[0].columns], [2, [renamed[0].to]]);
      }
      const { out } = await run(`diff ${then} ${now}`, { env });
      assert.match(out, / {2}~ height is tallness now\nRows: 0 added, 0 removed, 2 changed, 0 unchanged/);
    });

  it('is no other column in the difference of two branches, in both directions', async (t) => {
    const { git, commit, root: data, top: cwd } = await makeRepository(seed, t);
    const catalogue = { root: data, cwd, env: { CATALOGUE_DATA: 'data' } };
    const publish = (line: string, file: string) => isDone(line, { ...catalogue, files: { 'a.csv': file } });
    await publish('publish a.csv --to parks/oaks', 'name,height\noak,12\nelm,5\n');
    commit();
    git('switch', '--quiet', '--create', 'feature');
    await publish('version add parks/oaks a.csv --rename height=tallness', 'name,tallness\noak,13\nelm,5\n');
    commit();
    for (const [range, ...columns] of [
      ['main..feature', 'column tallness: renamed from height', 'column tallness, label: Height → Tallness'],
      ['feature..main', 'column height: renamed from tallness', 'column height, label: Tallness → Height'],
    ] as const) {
      const { out } = await isDone(`diff ${range}`, catalogue);
      assert.deepEqual(
        out.match(/^ {4}(column .*|rows: .* unchanged)/gm)?.map((line) => line.trim()),
        [...columns, 'rows: 0 added, 0 removed, 1 changed, 1 unchanged'],
        out,
      );
    }
  });

  it('is refused if several columns have had it', async () => {
    await isDone('version add parks/oaks c.csv --rename tallness=top', {
      files: { 'c.csv': 'name,top,girth\noak,13,3\n' },
    });
    const files = await openFileCatalogue(root);
    const catalogue = files.for();
    const ref = { kind: 'dataset', namespace: 'parks', slug: 'oaks' } as const;
    const path = join(root, 'namespaces/parks/datasets/oaks/dataset.yaml');
    await catalogue.replica.apply([
      {
        do: 'write',
        path: 'namespaces/parks/datasets/oaks/dataset.yaml',
        text: readFileSync(path, 'utf8').replace(/name: girth\n/, 'name: girth\n    former_names: [height]\n'),
        ifMatch: (await catalogue.replica.entry('namespaces/parks/datasets/oaks/dataset.yaml')).checksum,
      },
    ]);
    assert.deepEqual((await catalogue.get<'dataset'>(ref)).former_names.height?.length, 2);
    await files.close();
    const { exitCode, err } = await rows('parks/oaks height=1');
    assert.deepEqual(
      [exitCode, err],
      [2, 'error: height: The name "height" is ambiguous: "top" and "girth" were called so. Write one of them.\n'],
    );
    assert.match((await rows('parks/oaks --filter height>1')).err, /"height" is ambiguous/);
  });
});
