import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { makeRoot, type } from '../support/prompt.ts';
import { serveFolder } from '../support/server.ts';

describe('diff', () => {
  const first = '20200102030405000000';
  let root: string;
  let second: string;

  before(async () => {
    root = await makeRoot();
    const newer = 'name,height,longitude,latitude,crown\noak,13.5,4.5,51.9,2\nelm,9,4.6,51.8,1\nfir,3,4.8,51.6,1\n';
    const { out } = await type(['version', 'add', 'parks/trees', '-', '--name', 'a.csv'], {
      root,
      files: { '-': newer },
    });
    second = out.trim().slice('parks/trees@'.length);
  });

  it('says what changed, counts first', async () => {
    const ways = [['parks/trees'], ['parks/trees@latest'], [`parks/trees@${first}`, '@latest']];
    for (const way of [...ways, [`parks/trees@${first}`, `parks/trees@${second}`]]) {
      const { out, err, exitCode } = await type(['diff', ...way], { root });
      assert.equal(exitCode, 0, err);
      assert.deepEqual(out.split('\n'), [
        `From parks/trees@${first} (rows: 3) to parks/trees@${second} (rows: 3)`,
        'Columns: 1 added.',
        '  + crown (integer)',
        'Rows: 1 added, 1 removed, 1 changed, 1 unchanged; rows are known by name.',
        ...out.split('\n').slice(4, 7),
        '',
      ]);
      assert.match(out, /^-\t.*name=ash\theight=10/m);
      assert.match(out, /^~\tname=oak\theight: 12\.5 → 13\.5$/m);
      assert.match(out, /^\+\t.*name=fir\theight=3/m);
    }
  });

  it('says which columns seem to have another name, local and remote', async () => {
    const { root: own } = await type(['dataset', 'add', 'parks/shrubs', '--label', 'Shrubs']);
    const rows = (name: string) => `id,${name}\n${Array.from({ length: 40 }, (_, n) => `${n},${n * 7}\n`).join('')}`;
    for (const name of ['height', 'tallness']) {
      const files = { 'a.csv': rows(name) };
      const { err, exitCode } = await type(['publish', 'a.csv', '--to', 'parks/shrubs', '--force'], {
        root: own,
        files,
      });
      assert.equal(exitCode, 0, err);
    }
    const server = await serveFolder(own);
    try {
      for (const way of [[], ['--remote', server.base]]) {
        const { out, err } = await type(['diff', 'parks/shrubs', ...way], { root: own });
        assert.match(out, /^ {2}height has become tallness, it seems/m, err);
      }
    } finally {
      await server.close();
    }
  });

  it('is JSON when asked for, with the key that is given', async () => {
    const { out } = await type(['diff', 'parks/trees', '--json', '--key', 'name'], { root });
    const told = JSON.parse(out);
    assert.deepEqual([told.counts.added, told.counts.removed, told.counts.changed, told.rows.length], [1, 1, 1, 3]);
    assert.deepEqual(told.key, { kind: 'columns', columns: ['name'] });
    const wrong = await type(['diff', 'parks/trees', '--key', 'nam'], { root });
    assert.equal(wrong.exitCode, 2);
    assert.match(wrong.err, /^error: --key: Unknown column "nam"\. Did you mean "name"\?/);
  });

  it('shows as many rows as asked, and says how many there are', async () => {
    const { out, err } = await type(['diff', 'parks/trees', '--limit', '1'], { root });
    assert.equal(out.trimEnd().split('\n').length, 5);
    assert.equal(err, '1 of 3 different rows. All of them: --limit 3\n');
    assert.equal((await type(['diff', 'parks/trees', '--limit', '0'], { root })).out.trimEnd().split('\n').length, 4);
    for (const [limit, rows] of [
      ['0', 0],
      ['2', 2],
      ['9', 3],
    ] as const) {
      const { out } = await type(['diff', 'parks/trees', '--json', '--limit', limit], { root });
      assert.equal(JSON.parse(out).rows.length, rows);
    }
  });

  it('says what is missing', async () => {
    const none = await type(['diff', `parks/trees@${first}`], { root });
    assert.equal(none.exitCode, 3);
    assert.match(none.err, /There is no version before parks\/trees@\d+ to compare it with\. Name another/);
    assert.match((await type(['diff', 'parks/trees', '@2020'], { root })).err, /Did you mean parks\/trees@2020/);
  });
});
