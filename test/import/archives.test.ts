/** ZIP archives of portals: the table in them is taken in as the file that it is. */
import assert from 'node:assert/strict';
import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { after, before, beforeEach, describe, it } from 'node:test';
import { workbookOf, zipOf } from '../data/support/zip.ts';
import { Portal } from '../support/portal.ts';
import { makeRoot, type } from '../support/prompt.ts';

const portal = new Portal();
before(() => portal.start());
after(() => portal.close());
beforeEach(() => portal.answers.clear());

const trees = 'name,height\nOak,12\nAsh,9\n';

async function makeFolder(files: Readonly<Record<string, Buffer>>) {
  const root = await makeRoot();
  const folder = join(dirname(root), 'sources');
  mkdirSync(folder);
  for (const [name, bytes] of Object.entries(files)) writeFileSync(join(folder, name), bytes);
  const importing = async (...argv: string[]) => {
    const result = await type(['import', ...argv, '--to', 'city', '--delay', '0', '--json'], { root });
    return { ...result, json: result.out ? JSON.parse(result.out) : null };
  };
  return { root, importing };
}

/** A data.json with one dataset, whose file is at an address. */
function serveDataset(address: string, more: object = {}): void {
  portal.json('/data.json', {
    conformsTo: 'https://project-open-data.cio.gov/v1.1/schema',
    dataset: [
      { identifier: 'trees', title: 'Trees', distribution: [{ downloadURL: `${portal.base}${address}`, ...more }] },
    ],
  });
}

/** Marks all files of an archive as encrypted (bit 0 of the flags). */
function encrypted(archive: Buffer): Buffer {
  const copy = Buffer.from(archive);
  for (const [signature, offset] of [
    ['PK\u0003\u0004', 6],
    ['PK\u0001\u0002', 8],
  ] as const)
    for (let at = copy.indexOf(signature); at >= 0; at = copy.indexOf(signature, at + 4))
      copy.writeUInt16LE(1, at + offset);
  return copy;
}

describe('a ZIP archive', () => {
  it('with one table is that table, beside texts about it', async () => {
    const archive = zipOf({ 'export/trees.csv': trees, 'export/README.txt': 'Read me', 'meta.json': '{"a": 1}' });
    const { root, importing } = await makeFolder({ 'trees.zip': archive });
    const { json, err } = await importing('sources/trees.zip');
    assert.deepEqual(
      json?.versions.map(({ dataset, file }: Record<string, string>) => [dataset, file]),
      [['city/trees', 'trees.csv']],
      err,
    );
    assert.match((await type(['data', 'city/trees', '--format', 'csv'], { root })).out, /Oak,12/);
    assert.equal((await importing('sources/trees.zip')).json.versions.length, 0, 'the same bytes are no new version');
    const kept = readdirSync(join(root, '.catalogue', 'import'), { recursive: true, encoding: 'utf8' });
    assert.deepEqual(
      kept.filter((name) => name.endsWith('catalogue-tmp')),
      [],
    );
  });

  it('of a portal is unpacked, whether the portal says ZIP, CSV or nothing', async () => {
    const { root, importing } = await makeFolder({});
    portal.answers.set('/trees.zip', (_, response) => response.end(zipOf({ 'trees.csv': trees })));
    for (const more of [{ format: 'CSV' }, { format: 'ZIP' }, {}]) {
      serveDataset('/trees.zip', more);
      const { json, err } = await importing(`${portal.base}/data.json`, '--with-data');
      assert.deepEqual(json?.links, [], err);
    }
    const { json } = await importing(`${portal.base}/data.json`, '--with-data');
    assert.equal(json.versions.length, 0);
    const versions = JSON.parse((await type(['version', 'list', 'city/trees', '--json'], { root })).out);
    assert.equal(versions.length ?? versions.results.length, 1);
  });

  it('with several tables is a dataset for each in a folder, and a link with their names at a portal', async () => {
    const archive = zipOf({ 'b/parks.csv': 'name\nNorth\n', 'trees.geojson': point });
    const { importing } = await makeFolder({ 'city.zip': archive });
    const { json } = await importing('sources/city.zip');
    assert.deepEqual(
      json.versions.map(({ file }: { file: string }) => file),
      ['parks.csv', 'trees.geojson'],
    );
    portal.answers.set('/city.zip', (_, response) => response.end(archive));
    serveDataset('/city.zip');
    const remote = await importing(`${portal.base}/data.json`, '--with-data');
    assert.match(
      remote.json.links[0].reason,
      /it has 2 files, and a version is one of them: "b\/parks\.csv", trees\.geojson/,
    );
  });

  it('that is a workbook stays one; one within an archive is unpacked', async () => {
    const workbook = workbookOf({
      Trees: '<row><c t="inlineStr"><is><t>name</t></is></c></row><row><c><v>1</v></c></row>',
    });
    const { importing } = await makeFolder({ 'a.xlsx': workbook, 'b.zip': zipOf({ 'inner.xlsx': workbook }) });
    const { json, err } = await importing('sources');
    assert.deepEqual(json.versions.map(({ file }: { file: string }) => file).sort(), ['a.xlsx', 'inner.xlsx'], err);
  });

  it('with a password, a bomb, a name that leads out of it, or no table is refused with a sentence', async () => {
    const { importing, root } = await makeFolder({
      'bomb.zip': zipOf({ 'bomb.csv': Buffer.alloc(80 * 1024 * 1024, 'a') }),
      'broken.zip': zipOf({ 'a.csv': trees }).subarray(0, 40),
      'liar.zip': zipOf({ 'a.csv': trees }, { 'a.csv': 5 }),
      'out.zip': zipOf({ '../../evil.csv': trees }),
      'secret.zip': encrypted(zipOf({ 'a.csv': trees })),
      'texts.zip': zipOf({ 'a.txt': 'a', 'b.pdf': 'b' }),
    });
    const { json, err } = await importing('sources');
    assert.deepEqual(json.versions, [], err);
    const reasons: Readonly<Record<string, string>> = Object.fromEntries(
      [...json.skipped, ...json.links].map(({ id, reason }: { id: string; reason: string }) => [id, reason]),
    );
    assert.match(reasons['bomb.zip'] ?? '', /inflates to more than 250 times its size/);
    assert.match(reasons['broken.zip'] ?? '', /the ZIP archive can't be read/);
    assert.match(reasons['city/liar'] ?? '', /the ZIP archive can't be read/);
    assert.match(
      reasons['out.zip'] ?? '',
      /the ZIP archive can't be read: invalid relative path: \.\.\/\.\.\/evil\.csv/,
    );
    assert.match(reasons['secret.zip'] ?? '', /the file a\.csv in the ZIP archive has a password/);
    assert.match(reasons['texts.zip'] ?? '', /the ZIP archive has no file whose rows can be read/);
    assert.ok(!readdirSync(dirname(root), { recursive: true, encoding: 'utf8' }).some((name) => name.includes('evil')));
  });
});

const point = JSON.stringify({
  type: 'FeatureCollection',
  features: [{ type: 'Feature', properties: { name: 'Oak' }, geometry: { type: 'Point', coordinates: [1, 2] } }],
});

describe('a new file of an imported dataset', () => {
  it('that lacks a described column, or has another type in one, is taken with a sentence', async () => {
    const { root, importing } = await makeFolder({});
    serveDataset('/trees.csv', { format: 'CSV' });
    portal.file('/trees.csv', trees, 'text/csv');
    const first = await importing(`${portal.base}/data.json`, '--with-data');
    assert.deepEqual(first.json.versions[0].columns, [], 'nothing vanished from the first version');
    const described = await type(['column', 'edit', 'city/trees', 'height', '--unit', 'm'], { root });
    assert.equal(described.exitCode, 0, described.err);
    portal.file('/trees.csv', 'name,species\n1,Quercus\n2,Fraxinus\n', 'text/csv');
    const second = await importing(`${portal.base}/data.json`, '--with-data');
    assert.deepEqual(second.json.versions[0].columns, [
      'The file lacks the column "height" of the version before.',
      'What was written about the column "height" is kept, and comes back with the data.',
      'The type of the column "name" changed from string to integer.',
    ]);
    const shown = JSON.parse((await type(['dataset', 'show', 'city/trees', '--json'], { root })).out);
    assert.deepEqual(
      shown.missing_columns.map(({ name, unit }: Record<string, string>) => [name, unit]),
      [['height', 'm']],
    );
    portal.file('/trees.csv', 'species\nQuercus\n', 'text/csv');
    const address = `${portal.base}/data.json`;
    const third = await type(['import', address, '--to', 'city', '--with-data', '--delay', '0', '-q'], { root });
    assert.match(third.out, /columns\s+city\/trees@\S+\s+The file lacks the column "name" of the version before\./);
  });
});
