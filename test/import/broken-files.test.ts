/** Local files and records that can't be read: their datasets are not missing, and the others are taken. */
import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { it } from 'node:test';
import { workbookOf } from '../data/support/zip.ts';
import { makeFiles } from './support/local-files.ts';

const sheet = (value: string) =>
  `<row><c t="inlineStr"><is><t>name</t></is></c></row><row><c t="inlineStr"><is><t>${value}</t></is></c></row>`;
const registry = (name: string) => `Name: ${name}\nDescription: d\nManagedBy: m\n`;
const failed = JSON.stringify({ success: false, help: '', error: { message: 'Too many requests' } });
const packages = JSON.stringify(['a', 'b'].map((name) => ({ id: name, name, title: name, resources: [] })));

for (const [what, source, path, good, bad] of [
  ['a record in a folder', 'registry', 'registry/b.yaml', registry('B'), 'Name: B\n  bad: [\n'],
  ['a dump that breaks off', 'dump.json', 'dump.json', packages, packages.slice(0, 50)],
  ['a file in an unknown format', 'dump.json', 'dump.json', packages, '{}'],
  ['an answer of CKAN that is an error', 'dump.json', 'dump.json', packages, failed],
  ['a record without a title', 'dump.json', 'dump.json', packages, packages.replace(/"name":"b","title":"b",/, '')],
] as const)
  it(`has its datasets still, as far as is known: ${what}`, async () => {
    const { importing, write } = await makeFiles({ 'registry/a.yaml': registry('A'), [path]: good });
    await importing(source);
    write(path, bad);
    const { skipped, missing } = await importing(source);
    assert.equal(skipped.length, 1);
    assert.deepEqual(missing, []);
  });

it('has its datasets still, as far as is known: a workbook', async () => {
  const book = workbookOf({ Trees: sheet('oak'), Shrubs: sheet('ivy') });
  const { importing, write } = await makeFiles({ 'tables/a.csv': 'a\n1\n', 'tables/b.xlsx': book });
  assert.equal((await importing('tables')).created.length, 3);
  write('tables/b.xlsx', 'nonsense');
  const { skipped, missing } = await importing('tables');
  assert.deepEqual([skipped.length, missing], [1, []]);
});

it('is the capabilities of a WFS: the address to import is asked for', async () => {
  const capabilities = '<WFS_Capabilities><FeatureType><Name>ms:roads</Name></FeatureType></WFS_Capabilities>';
  const { importing } = await makeFiles({ 'ogc/wfs.xml': capabilities, 'ogc/b.yaml': registry('B') });
  const { created, skipped } = await importing('ogc');
  assert.equal(created.length, 1);
  assert.match(skipped[0].reason, /Import its address/);
});

it('has an identifier that only contains that of another dataset, which is taken', async () => {
  const { root, importing, write } = await makeFiles({ 'tables/street-trees.csv': 'a\n1\n' });
  await importing('tables');
  const path = join(root, 'namespaces/city/datasets/street-trees/dataset.yaml');
  writeFileSync(path, `${readFileSync(path, 'utf8')}label: again\n`);
  write('tables/trees.csv', 'a\n2\n');
  const { created, skipped } = await importing('tables');
  assert.deepEqual(
    created.map(({ dataset }: { dataset: string }) => dataset),
    ['city/trees'],
  );
  assert.deepEqual(
    skipped.map(({ id }: { id: string }) => id),
    ['street-trees.csv'],
  );
});
