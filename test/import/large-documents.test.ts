/** Documents whose format is told by their beginning: long first records, long lists, and byte order marks. */
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { it } from 'node:test';
import { gzipSync } from 'node:zlib';
import { detectSourceFormat } from '../../src/import/detect.ts';
import { openLocalDocument, readDocumentHead } from '../../src/import/documents.ts';
import { until } from '../support/folder.ts';
import { openFilesIn } from '../support/open-files.ts';
import { makeRoot, type } from '../support/prompt.ts';

async function importing(name: string, text: string) {
  const root = await makeRoot();
  writeFileSync(join(root, '..', name), text);
  const { out, err } = await type(['import', name, '--to', 'city', '--json'], { root });
  assert.equal(err, '');
  const { created, skipped } = JSON.parse(out);
  assert.deepEqual(skipped, []);
  return created.map(({ dataset }: { dataset: string }) => dataset);
}

const named = (name: string, notes = '') => ({ id: name, name, title: name, notes, resources: [] });

it('are a package a line, also if the first is long', async () => {
  const lines = [named('a', 'x'.repeat(100_000)), named('b')].map((one) => `${JSON.stringify(one)}\n`);
  assert.deepEqual(await importing('dump.jsonl', lines.join('')), ['city/a', 'city/b']);
});

it('are a collection with many links, and an answer with many items', async () => {
  const long = 'x'.repeat(1000);
  const stac = { stac_version: '1.0.0', id: 'c' };
  const links = Array.from({ length: 5000 }, (_, i) => ({ rel: 'item', href: `./${long}${i}.json` }));
  assert.deepEqual(await importing('collection.json', JSON.stringify({ type: 'Collection', ...stac, links })), [
    'city/c',
  ]);
  const item = { type: 'Feature', ...stac, collection: 'c', properties: { long } };
  const answer = { type: 'FeatureCollection', features: Array(5000).fill(item) };
  const path = join(await makeRoot(), '..', 'search.json');
  writeFileSync(path, JSON.stringify(answer));
  assert.equal((await detectSourceFormat(await openLocalDocument(path))).format, 'stac-items');
});

it('are a list behind a byte order mark', async () => {
  const text = JSON.stringify([named('a'), named('b')]);
  assert.deepEqual(await importing('dump.json', `\ufeff${text}`), ['city/a', 'city/b']);
});

it('are closed, also if only the beginning of a compressed one is read', async () => {
  const path = join(await makeRoot(), '..', 'dump.json.gz');
  writeFileSync(path, gzipSync(JSON.stringify([named(randomBytes(1_000_000).toString('hex'))])));
  const document = await openLocalDocument(path);
  assert.match(await readDocumentHead(document), /^\[\{"id":"/);
  await until(() => openFilesIn(path).length === 0);
});

it('a dataset has 10,000 links at most, and those with one title are numbered in time for their number', async () => {
  const resources = Array.from({ length: 20_000 }, (_, i) => ({ name: 'Data', url: `https://example.org/${i}.zip` }));
  const root = await makeRoot();
  writeFileSync(join(root, '..', 'package.json'), JSON.stringify({ ...named('trees'), resources }));
  const { user } = process.cpuUsage();
  const { out, err } = await type(['import', 'package.json', '--to', 'city', '--json'], { root });
  // The numbers alone took a minute.
  assert.ok(process.cpuUsage().user - user < 20e6);
  assert.equal(err, '');
  assert.equal(JSON.parse(out).created.length, 1);
  const shown = await type(['dataset', 'show', 'city/trees', '--json'], { root });
  const links = Object.entries(JSON.parse(shown.out).links);
  assert.deepEqual([links.length, links.at(-1)], [10_000, ['Data 10000', 'https://example.org/9999.zip']]);
});
