/** Groups of rows at the prompt: local, remote and in saved queries, with present and former names of columns. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { makeRoot, seed, type } from '../support/prompt.ts';
import { serveFolder } from '../support/server.ts';

const files = {
  'a.csv': 'kind,height\noak,12\nelm,5\noak,20.5\n,1\n',
  'b.csv': 'kind,tallness\noak,12\nelm,5\noak,20.5\n,1\n',
};

describe('data of groups', () => {
  let root: string;
  let server: Awaited<ReturnType<typeof serveFolder>>;

  before(async () => {
    root = await makeRoot(seed);
    for (const argv of [
      ['publish', 'a.csv', '--to', 'parks/oaks'],
      ['query', 'add', 'kinds', '--dataset', 'parks/oaks', '_group_by=kind', '_aggregate=count,max(height) AS top'],
      ['query', 'edit', 'kinds', '_group_by=kind', '_aggregate=count,max(height)', '_ordering=-max(height)'],
    ]) {
      const { exitCode, err } = await type(argv, { root, files });
      assert.equal(exitCode, 0, err);
    }
    server = await serveFolder(root);
  });
  after(() => server.close());

  for (const remote of [false, true])
    describe(remote ? 'on a server' : 'in a folder', () => {
      const env = () => (remote ? { CATALOGUE_REMOTE: server.base, CATALOGUE_DATA: undefined } : {});
      const data = (argv: readonly string[], more = {}) => type(['data', ...argv], { root, env: env(), ...more });
      const grouped = ['parks/oaks', '--group-by', 'kind', '--aggregate', 'count,sum(height),mean(height) AS average'];
      const csv = 'kind,count,sum(height),average\r\nelm,1,5,5\r\noak,2,32.5,16.25\r\n,1,1,1\r\n';

      it('are CSV behind a pipe, and a table at a terminal', async () => {
        assert.deepEqual(await data(grouped).then(({ out, err }) => [out, err]), [csv, '']);
        const { out, err } = await data(grouped, { terminal: true });
        assert.match(out, /^kind +count +sum\(height\) +average\nelm +1 +5 +5\n/);
        assert.equal(err, '');
        const narrow = await data(grouped, { terminal: true, columns: 20 });
        assert.match(narrow.err, /2 of 4 columns\. All of them: -o FILE, or --format csv/);
      });

      it('are in other formats, filtered, ordered and limited', async () => {
        const lines = await data([
          ...grouped,
          'height__gt=1',
          '--ordering',
          '-average',
          '--limit',
          '1',
          '--format',
          'ndjson',
        ]);
        assert.equal(lines.out, '{"kind":"oak","count":2,"sum(height)":32.5,"average":16.25}\n');
        assert.deepEqual(JSON.parse((await data(['parks/oaks', '--aggregate', 'count', '--json'])).out), [
          { count: 4 },
        ]);
        const { exitCode, cwd } = await data([...grouped, '-o', `${remote}.json`]);
        assert.equal(exitCode, 0);
        assert.equal(JSON.parse(readFileSync(join(cwd, `${remote}.json`), 'utf8')).length, 3);
        assert.match((await data(['parks/oaks', '--group-by', 'kind'])).out, /^kind,count\r\nelm,1\r\n/);
      });

      it('are those of a saved query, which other options replace', async () => {
        assert.equal((await data(['@kinds'])).out, 'kind,count,max(height)\r\noak,2,20.5\r\nelm,1,5\r\n,1,1\r\n');
        const { out } = await data(['@kinds', '--aggregate', 'median(height)', '--ordering', 'kind', '--limit', '2']);
        assert.equal(out, 'kind,median(height)\r\nelm,5\r\noak,16.25\r\n');
      });

      it('are refused with what to type instead', async () => {
        for (const [argv, message] of [
          [['--group-by', 'knd'], /^error: --group-by: Unknown column "knd"\. Did you mean "kind"\?/],
          [['--aggregate', 'summ(height)'], /^error: --aggregate: Unknown function "summ" .* Did you mean "sum"\?/],
          [
            ['--aggregate', 'sum(kind)'],
            /^error: --aggregate: "sum" doesn't fit column "kind" .* It takes count, min, max\./,
          ],
          [['--aggregate', 'count', '--fields', 'kind'], /^error: --fields: .*leave out _fields/],
          [['--group-by', 'kind', '--format', 'geojson'], /^error: --format: Groups of rows have no geometry/],
          [['--group-by', 'kind', '--ordering', 'height'], /^error: --ordering: .* Groups have kind, count\./],
        ] as const) {
          const { exitCode, err } = await data(['parks/oaks', ...argv]);
          assert.equal(exitCode, 2, err);
          assert.match(err, message);
        }
      });
    });

  it('understand former names; check finds them in saved queries, and fixes them', async () => {
    const run = (...argv: string[]) => type(argv, { root, files });
    assert.equal((await run('version', 'add', 'parks/oaks', 'b.csv', '--rename', 'height=tallness')).exitCode, 0);
    const expected = 'kind,count,max(tallness)\r\noak,2,20.5\r\nelm,1,5\r\n,1,1\r\n';
    assert.equal((await run('data', '@kinds')).out, expected);
    assert.match((await run('check')).out, /The column "height" of parks\/oaks is called "tallness" now/);
    await run('check', '--fix');
    assert.equal((await run('check')).exitCode, 0);
    const text = readFileSync(join(root, 'queries/kinds.yaml'), 'utf8');
    assert.match(text, /_aggregate: count,max\(tallness\)\n/);
    assert.match(text, /_ordering: -max\(tallness\)/);
    assert.equal((await run('data', '@kinds')).out, expected);
  });
});
