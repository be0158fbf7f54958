/** Records with odd values: what can't be a file is left out, and all else is exported. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { Readable } from 'node:stream';
import { it } from 'node:test';
import { exportTables } from '../../src/export/export-iceberg.ts';
import { openFileCatalogue } from '../../src/files/file-catalogue.ts';
import { exportCatalogue } from '../../src/index.ts';
import { filesIn } from '../support/exported.ts';
import { makeFolder } from '../support/folder.ts';
import { png } from '../support/images.ts';

const url = 'https://data.example.org';

it('leaves out images whose addresses are no file', async () => {
  const images = [
    '50%.png',
    '%zz',
    '%00.png',
    '',
    'inner',
    'inner/',
    '../catalogue.yaml',
    'a//b.png',
    '?v=%',
    'absent.png',
  ];
  const seed = makeFolder({
    namespaces: { parks: { label: 'Parks' } },
    datasets: Object.fromEntries(
      [
        ...images,
        'tree.png',
        'inner/leaf.png?v=2',
        'old%20oak.png',
        'a b.png',
        'tree.png#top',
        'inner\\leaf.png',
        'oak\ud800.png',
      ].map((image, i) => [`parks/d${i}`, { label: `Number ${i}`, image: `/site_media/${image}` }]),
    ),
    files: Object.fromEntries(
      ['tree.png', 'inner/leaf.png', 'old oak.png', 'a b.png', '50%.png'].map((name) => [
        `site_media/${name}`,
        png(4, 4),
      ]),
    ),
  });
  const to = seed.beside('site');
  // The second one finds the folders of the first.
  for (let times = 0; times < 2; times++) await exportCatalogue({ folder: seed.root, to, url });
  assert.deepEqual(
    filesIn(to).filter((name) => name.startsWith('site_media')),
    ['site_media/a b.png', 'site_media/inner/leaf.png', 'site_media/old oak.png', 'site_media/tree.png'],
  );
  assert.ok(filesIn(to).includes('sitemap.xml'));
});

it('writes the page of a dataset whose contact has half of a surrogate pair', async () => {
  const record = '{ "label": "Trees", "contact": "\\ud800@example.org" }';
  const files = { 'namespaces/parks/datasets/trees/dataset.json': record };
  const seed = makeFolder({ namespaces: { parks: { label: 'Parks' } }, files });
  const to = seed.beside('site');
  await exportCatalogue({ folder: seed.root, to, url });
  assert.ok(filesIn(to).includes('api/v1/namespaces/parks/datasets/trees/index.html'));
});

it('writes rows and tables of a version whose time does not exist', async () => {
  const seed = makeFolder({
    namespaces: { parks: { label: 'Parks' } },
    datasets: { 'parks/trees': { label: 'Trees' } },
  });
  const files = await openFileCatalogue(seed.root, { cache: false });
  const ref = { kind: 'dataset', namespace: 'parks', slug: 'trees' } as const;
  await files.for().publish(ref, { source: Readable.from(['name\nOak\n']), fileName: 'trees.csv' });
  await files.close();
  const [record = ''] = filesIn(seed.root).filter((name) => name.includes('/versions/'));
  const text = readFileSync(seed.path(record), 'utf8').replace(/^datetime:.*\n/m, '');
  seed.write(record, `datetime: "2020-99-99T00:00:00Z"\n${text}`);
  const [site, tables] = [seed.beside('site'), seed.beside('tables')];
  await exportCatalogue({ folder: seed.root, to: site, url });
  assert.ok(filesIn(site).includes('api/v1/namespaces/parks/datasets/trees/data.gpkg'));
  await exportTables({ folder: seed.root, to: tables });
  const metadata = JSON.parse(readFileSync(`${tables}/parks/trees/metadata/v1.metadata.json`, 'utf8'));
  assert.equal(typeof metadata['last-updated-ms'], 'number');
});
