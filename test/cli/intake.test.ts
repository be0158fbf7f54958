/** Files that are refused, and what their messages name; rows behind a pipe and at a terminal. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { trees, type } from '../support/prompt.ts';

const refusals: readonly (readonly [name: string, content: string | Buffer, message: RegExp])[] = [
  ['err.csv', 'a,b\n1,2\n3,"4\n', /^error: err\.csv: line 3: a quoted cell is never closed/],
  ['leer.csv', '', /^error: leer\.csv: the file is empty/],
  [
    'down.csv',
    '<html><title>502 Bad Gateway</title>',
    /^error: down\.csv: it is an HTML page, not csv: "502 Bad Gateway"/,
  ],
  [
    'trees.shp',
    Buffer.from('0000270a'.padEnd(200, '0'), 'hex'),
    /^error: trees\.shp: .*trees\.dbf and trees\.prj are missing/,
  ],
];

describe('a file that is refused', () => {
  for (const [name, content, message] of refusals) {
    for (const more of [[], ['--dry-run']]) {
      it(`${name} ${more.join('')} is named`, async () => {
        const { exitCode, err } = await type(['publish', name, '--to', 'parks/new', ...more], {
          files: { [name]: content },
        });
        assert.equal(exitCode, 2, err);
        assert.match(err, message);
      });
    }
  }
});

describe('rows', () => {
  it('without geometry, behind a pipe, are CSV', async () => {
    const { root } = await type(['publish', 'a.csv', '--to', 'parks/plain'], { files: { 'a.csv': 'a,b\n1,x\n' } });
    assert.equal((await type(['data', 'parks/plain'], { root })).out, 'a,b\r\n1,x\r\n');
    assert.match((await type(['data', 'parks/plain', '--json'], { root })).out, /^\{"type":"FeatureCollection"/);
    assert.match((await type(['data', 'parks/plain', '--format', 'geojson'], { root })).out, /^\{"type"/);
    assert.match((await type(['data', 'parks/trees'], { root })).out, /^\{"type":"FeatureCollection"/);
  });

  it('as JSON at a terminal end in a line feed', async () => {
    for (const format of ['geojson', 'json', 'objects', 'ndjson']) {
      const { out } = await type(['data', 'parks/trees', '--format', format], { terminal: true });
      assert.match(out, /[^\n]\n$/, format);
    }
  });
});

it('a source that was saved is imported again by the command that is printed', async () => {
  const argv = ['import', 'trees.csv', '--to', 'parks', '--save', 'my city', '--data', 'catalogue-data'];
  const { exitCode, err } = await type(argv, { files: { 'trees.csv': trees } });
  assert.equal(exitCode, 0, err);
  assert.match(err, /Import it again with: catalogue refresh 'my city' --data catalogue-data$/m);
});
