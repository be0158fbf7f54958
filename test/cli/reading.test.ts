/** Options for reading a file: given once, remembered for the next version, and used when rows are read again. */
import assert from 'node:assert/strict';
import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { homeOf } from '../support/folder.ts';
import { makeRoot, type } from '../support/prompt.ts';

const german = 'Bericht\nname;wert;datum;hoch;rechts\na;1,5;12/31/2024;5817855,241;391390,731\n';
const options = [
  '--skip',
  '1',
  '--date-format',
  'MM/DD/YYYY',
  '--lat',
  'hoch',
  '--lon',
  'rechts',
  '--crs',
  'EPSG:25833',
];

async function rows(root: string, dataset: string) {
  const { out } = await type(['data', dataset, '--format', 'objects'], { root });
  return JSON.parse(out) as Record<string, unknown>[];
}

describe('options for reading', () => {
  it('are remembered in the record of the dataset, and used for the next version', async () => {
    const root = await makeRoot();
    const first = await type(['publish', 'a.csv', '--to', 'parks/values', '--type', 'name=string', ...options], {
      root,
      files: { 'a.csv': german },
    });
    assert.equal(first.exitCode, 0, first.err);
    assert.match(first.err, /Coordinates: converted from EPSG:25833 to WGS 84\./);
    assert.match(first.err, /Column "wert": read as numbers with decimal commas such as 1,5\./);
    const record = readFileSync(join(root, homeOf('parks/values'), 'dataset.yaml'), 'utf8');
    assert.match(record, /reading:\n {2}types:\n {4}name: string\n {2}date_format: MM\/DD\/YYYY\n/);
    const second = await type(['version', 'add', 'parks/values', 'b.csv'], {
      root,
      files: { 'b.csv': german.replace('1,5', '2,5').replace('\na;', '\n007;') },
    });
    assert.equal(second.exitCode, 0, second.err);
    const [row] = await rows(root, 'parks/values');
    assert.deepEqual([row?.name, row?.wert, row?.datum], ['007', 2.5, '2024-12-31']);
    assert.match(JSON.stringify(row?.geometry), /\[13\.(?:4|3999)\d*,52\.(?:5|4999)\d*\]/);
  });

  it('are those of the version when its rows are read again, as in a fresh clone', async () => {
    const root = await makeRoot();
    const first = ['publish', 'a.csv', '--to', 'parks/values', ...options];
    await type(first, { root, files: { 'a.csv': german } });
    const forgotten = ['--skip', '', '--date-format', '', '--lat', '', '--lon', '', '--crs', ''];
    const again = await type(['version', 'add', 'parks/values', 'b.csv', ...forgotten], {
      root,
      files: { 'b.csv': 'name;wert\na;1\n' },
    });
    assert.equal(again.exitCode, 0, again.err);
    assert.doesNotMatch(readFileSync(join(root, homeOf('parks/values'), 'dataset.yaml'), 'utf8'), /reading/);
    rmSync(join(root, '.catalogue', 'cache'), { recursive: true, force: true });
    const { out } = await type(['version', 'list', 'parks/values'], { root });
    const old = out.trim().split('\n').at(-1)?.split('\t')[0];
    assert.equal((await rows(root, `parks/values@${old}`))[0]?.datum, '2024-12-31');
    const { exitCode, out: checked } = await type(['check', '--deep'], { root });
    assert.equal(exitCode, 0, checked);
  });

  it('that would give the rows a geometry are named when they are missing, and by check --deep', async () => {
    const root = await makeRoot();
    const remark =
      /"lon" and "lat": 1 of 2 values is not a position \(line 3, "13 97"\), so no row has a geometry.*--lon lon --lat lat/;
    const { err } = await type(['publish', 'a.csv', '--to', 'parks/places'], {
      root,
      files: { 'a.csv': 'id,lat,lon\n1,52,13\n2,97,13\n' },
    });
    assert.match(err, remark);
    const { out, exitCode } = await type(['check', '--deep'], { root });
    assert.match(out, remark);
    assert.match(out, /warning: data\//);
    assert.equal(exitCode, 0);
  });

  it('make a new version of the same bytes', async () => {
    const root = await makeRoot();
    await type(['publish', 'a.csv', '--to', 'parks/codes'], { root, files: { 'a.csv': 'plz\n12345\n' } });
    const { exitCode, err } = await type(['publish', 'a.csv', '--to', 'parks/codes', '--type', 'plz=string'], { root });
    assert.equal(exitCode, 0, err);
    assert.deepEqual(await rows(root, 'parks/codes'), [{ plz: '12345' }]);
    const same = await type(['publish', 'a.csv', '--to', 'parks/codes'], { root });
    assert.match(same.err, /No version was added/);
  });

  for (const [what, given, message] of [
    ['no type', ['--type', 'plz'], /--type: "plz" is not COLUMN=TYPE/],
    ['an unknown type', ['--type', 'plz=number'], /--type: .*integer, float/],
    ['an unknown column', ['--type', 'pzl=string'], /--type: There is no column "pzl"\. Did you mean "plz"\?/],
    ['a decimal separator of two characters', ['--decimal', ',,'], /--decimal: It must be a comma or a point/],
    ['a date format without a year', ['--date-format', 'DD.MM.'], /has no year/],
    ['an unknown encoding', ['--encoding', 'klingon'], /There is no encoding "klingon"/],
    ['--strict and a value that does not fit', ['--type', 'plz=integer', '--strict'], /line 3: .*"x" does not fit/],
  ] as const) {
    it(`refuse ${what}`, async () => {
      const { exitCode, err } = await type(['publish', 'a.csv', '--to', 'parks/codes', ...given], {
        files: { 'a.csv': 'plz,b\n12345,1\nx,2\n' },
      });
      assert.equal(exitCode, 2, err);
      assert.match(err, message);
    });
  }

  it('are checked by a dry run, too', async () => {
    const { exitCode, out } = await type(['publish', 'a.csv', '--to', 'parks/values', '--dry-run', ...options], {
      files: { 'a.csv': german },
    });
    assert.equal(exitCode, 0);
    assert.match(out, /Coordinates: converted from EPSG:25833/);
  });

  it('are shown, edited and forgotten with the dataset', async () => {
    const root = await makeRoot();
    const run = (...argv: string[]) => type(argv, { root });
    const reading = async () => JSON.parse((await run('dataset', 'show', 'parks/trees', '--json')).out).reading;
    const edited = await run('dataset', 'edit', 'parks/trees', '--decimal', ',', '--type', 'plz=string', '--no-header');
    assert.equal(edited.exitCode, 0, edited.err);
    assert.deepEqual(await reading(), { types: { plz: 'string' }, decimal: ',', header: false });
    assert.match(
      (await run('dataset', 'show', 'parks/trees')).out,
      /^reading\ttype=plz=string, decimal=,, header=false$/m,
    );
    await run('dataset', 'edit', 'parks/trees', '--delimiter', 'tab', '--type', 'plz=', '--header');
    assert.deepEqual(await reading(), { decimal: ',', delimiter: '\t' });
    const wrong = await run('dataset', 'edit', 'parks/trees', '--encoding', 'klingon');
    assert.deepEqual([wrong.exitCode, /There is no encoding "klingon"/.test(wrong.err)], [2, true]);
    const both = await run('dataset', 'edit', 'parks/trees', '--no-reading', '--decimal', '.');
    assert.deepEqual(
      [both.exitCode, both.err],
      [2, 'error: Give options for reading or --no-reading, and not both.\n'],
    );
    assert.deepEqual(await reading(), { decimal: ',', delimiter: '\t' });
    assert.equal((await run('dataset', 'edit', 'parks/trees', '--no-reading')).exitCode, 0);
    assert.deepEqual(await reading(), {});
    assert.doesNotMatch(readFileSync(join(root, homeOf('parks/trees'), 'dataset.yaml'), 'utf8'), /reading/);
  });

  it('are those of the next version, and an edit says how the newest file is read with them', async () => {
    const root = await makeRoot();
    const run = (...argv: string[]) => type(argv, { root, files: { 'a.csv': 'zip,n\n1,2\n' } });
    const typeOf = async () => JSON.parse((await run('column', 'list', 'parks/values', '--json')).out)[0].type;
    await run('publish', 'a.csv', '--to', 'parks/values');
    const edit = ['dataset', 'edit', 'parks/values', '--type', 'zip=string'];
    const { err } = await run(...edit);
    const [, download = '', publish = ''] =
      /^These are the options of the next version\..*: catalogue (.*), and then catalogue (.*)$/m.exec(err) ?? [];
    assert.equal(await typeOf(), 'integer');
    const { exitCode } = await run(...download.replace('FILE', join(root, 'a.csv')).split(' '));
    assert.equal(exitCode, 0);
    assert.equal((await run(...publish.replace('FILE', 'a.csv').split(' '))).exitCode, 0);
    assert.equal(await typeOf(), 'string');
    assert.doesNotMatch((await run(...edit)).err, /next version/);
    await run('dataset', 'add', 'parks/lawns', '--label', 'Lawns');
    assert.doesNotMatch((await run('dataset', 'edit', 'parks/lawns', '--decimal', ',')).err, /next version/);
  });
});
