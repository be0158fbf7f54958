/** New datasets that are pushed together: what is known of them without reading their files, and that changes by others are found. */
import assert from 'node:assert/strict';
import { mkdirSync, readdirSync, readFileSync, renameSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { unitKey } from '../../../src/catalogue/layout.ts';
import type { RecordChange } from '../../../src/catalogue/replica.ts';
import { type FileCatalogue, openFileCatalogue } from '../../../src/files/file-catalogue.ts';
import { makeFolder } from '../../support/folder.ts';

const home = (slug: string) => `namespaces/parks/datasets/${slug}`;
const unit = (slug: string) => ({ kind: 'dataset', namespace: 'parks', slug }) as const;

const changesOf = (slug: string, id: number): readonly RecordChange[] => [
  write(`${home(slug)}/dataset.yaml`, `id: ${id}\nlabel: ${slug}\ncolumns: []\n`),
  write(`${home(slug)}/versions/v1.yaml`, `id: ${id}\nlabel: First\n`),
  write(`${home(slug)}/versions/v2.yaml`, `id: ${id + 1000}\nlabel: Second\n`),
];
const write = (path: string, text: string): RecordChange => ({ do: 'write', path, text, ifMatch: null });

async function open(test: TestContext) {
  const folder = makeFolder({ namespaces: { parks: { id: 1, label: 'Parks' } } }, test);
  const files = await openFileCatalogue(folder.root);
  test.after(() => files.close());
  await files.load();
  return { root: folder.root, files };
}

const apply = (files: FileCatalogue, changes: readonly RecordChange[]) => files.for().replica.apply(changes);
const datasetOf = (files: FileCatalogue, slug: string) => files.snapshot.folders.get('parks')?.datasets.get(slug);
const labels = (files: FileCatalogue, slug: string) => {
  const dataset = datasetOf(files, slug);
  return dataset && [dataset.label, ...dataset.versions.map(({ label }) => label)];
};

test('are known as a reader of the files knows them', async (test) => {
  const { root, files } = await open(test);
  const slugs = Array.from({ length: 70 }, (_, i) => `d${i}`);
  const changes = slugs.flatMap((slug, i) => changesOf(slug, 1 + i));
  assert.ok((await apply(files, changes)).every(({ done }) => done));
  const other = await openFileCatalogue(root);
  test.after(() => other.close());
  await other.load();
  for (const slug of slugs) assert.deepEqual(datasetOf(files, slug), datasetOf(other, slug));
  const before = slugs.map((slug) => datasetOf(files, slug));
  await files.refresh([{ folder: '' }]);
  assert.deepEqual(
    slugs.map((slug) => datasetOf(files, slug) === before[slugs.indexOf(slug)]),
    slugs.map(() => true),
  );
});

test('are not read again by a later rescan, as their stamps count', async (test) => {
  const { files } = await open(test);
  const keys = ['a', 'b'].map((slug) => unitKey(unit(slug)));
  await apply(
    files,
    ['a', 'b'].flatMap((slug, i) => changesOf(slug, 1 + i)),
  );
  const states = keys.map((key) => files.store.states.get(key));
  // The folders have got their names just now: until a tick of the clock is over, a rescan trusts no stamp.
  await sleep(50);
  await files.refresh(['a', 'b'].map(unit));
  for (const [i, key] of keys.entries()) {
    assert.ok(states[i]);
    assert.equal(files.store.states.get(key), states[i]);
  }
});

test('new namespaces go together, and the first of two with one id or name is added', async (test) => {
  const { root, files } = await open(test);
  const namespace = (slug: string, id: number) =>
    write(`namespaces/${slug}/namespace.yaml`, `id: ${id}\nlabel: ${slug}\n`);
  const changes = [
    namespace('water', 2),
    namespace('roads', 2),
    namespace('Water', 3),
    namespace('rail', 4),
    namespace('parks', 5),
  ];
  const outcomes = await apply(files, changes);
  assert.deepEqual(
    outcomes.map((outcome) => (outcome.done ? 'done' : outcome.error.constructor.name)),
    ['done', 'ConflictError', 'ConflictError', 'done', 'StaleError'],
  );
  assert.deepEqual([...files.snapshot.folders.keys()].sort(), ['parks', 'rail', 'water']);
  assert.deepEqual(readdirSync(join(root, 'namespaces')).sort(), ['parks', 'rail', 'water']);
});

test('are read again when another program has changed a file of the same size, at once', async (test) => {
  const { root, files } = await open(test);
  await apply(
    files,
    ['a', 'b'].flatMap((slug, i) => changesOf(slug, 1 + i)),
  );
  writeFileSync(join(root, home('a'), 'versions/v1.yaml'), 'id: 1\nlabel: Third\n');
  writeFileSync(join(root, home('b'), 'versions/v3.yaml'), 'id: 3\nlabel: New\n');
  await files.refresh(['a', 'b'].map(unit));
  assert.deepEqual(labels(files, 'a')?.sort(), ['Second', 'Third', 'a']);
  assert.deepEqual(labels(files, 'b')?.sort(), ['First', 'New', 'Second', 'b']);
});

test('a dataset that another program has made meanwhile is not overwritten', async (test) => {
  const { root, files } = await open(test);
  for (const [slug, name] of [
    ['a', 'dataset.yaml'],
    ['B', 'dataset.yaml'],
    ['c', 'versions/v1.yaml'],
  ] as const) {
    mkdirSync(join(root, home(slug), 'versions'), { recursive: true });
    writeFileSync(join(root, home(slug), name), 'id: 77\nlabel: Theirs\n');
  }
  const outcomes = await apply(
    files,
    ['a', 'b', 'c', 'd'].flatMap((slug, i) => changesOf(slug, 1 + i)),
  );
  const refused = outcomes.filter(({ done }) => !done).map(({ path }) => path);
  assert.ok(refused.includes(`${home('a')}/dataset.yaml`));
  assert.ok(refused.includes(`${home('b')}/dataset.yaml`), 'names that differ only in case are the same');
  assert.ok(refused.includes(`${home('c')}/versions/v1.yaml`));
  assert.match(readFileSync(join(root, home('a'), 'dataset.yaml'), 'utf8'), /Theirs/);
  assert.match(readFileSync(join(root, home('c'), 'versions/v1.yaml'), 'utf8'), /Theirs/);
  assert.deepEqual(labels(files, 'd')?.sort(), ['First', 'Second', 'd']);
});

test('are not written where a link leads out of the catalogue', async (test) => {
  const { root, files } = await open(test);
  const elsewhere = makeFolder({}, test).root;
  mkdirSync(join(root, 'namespaces/parks/datasets'), { recursive: true });
  renameSync(join(root, 'namespaces/parks/datasets'), join(elsewhere, 'datasets'));
  symlinkSync(join(elsewhere, 'datasets'), join(root, 'namespaces/parks/datasets'));
  const outcomes = await apply(
    files,
    ['a', 'b'].flatMap((slug, i) => changesOf(slug, 1 + i)),
  );
  assert.ok(outcomes.every(({ done }) => !done));
  assert.match(String(outcomes.find((one) => !one.done)?.error), /leads out of the catalogue folder/);
});
