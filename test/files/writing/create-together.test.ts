/** New records that are written together, with and without the program that syncs a file system. */
import assert from 'node:assert/strict';
import { mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { syncFileSystem } from '../../../src/disk/sync-file-system.ts';
import { nameAsides, planAsides, writeAsides } from '../../../src/files/writing/asides.ts';
import { writeNewRecordsTogether } from '../../../src/files/writing/create-together.ts';
import { makeFolder } from '../../support/folder.ts';
import { filesIn } from '../../support/prompt.ts';

const home = (slug: string) => `namespaces/parks/datasets/${slug}`;
const recordsOf = (slug: string) =>
  ['dataset.yaml', 'versions/v1.yaml', 'versions/v2.yaml'].map((name) => ({
    path: `${home(slug)}/${name}`,
    text: `label: ${slug} ${name}\n`,
  }));

async function writeMany(test: TestContext): Promise<void> {
  const folder = makeFolder({ namespaces: { parks: { label: 'Parks' } } }, test);
  const others = filesIn(folder.root);
  // So many that a thread writes them.
  const slugs = Array.from({ length: 60 }, (_, i) => `d${i}`);
  // Datasets first, as in a push.
  const records = slugs
    .flatMap(recordsOf)
    .sort((a, b) => Number(a.path.includes('/v')) - Number(b.path.includes('/v')));
  const taken = { path: 'namespaces/parks/namespace.yaml', text: 'label: Other\n' };
  const errors = await writeNewRecordsTogether(folder.root, [...records, taken], new AbortController().signal);
  assert.deepEqual([...errors.keys()], [taken]);
  assert.match(String(errors.get(taken)), /exists already/);
  for (const { path, text } of records) assert.equal(readFileSync(folder.path(path), 'utf8'), text);
  assert.deepEqual([...filesIn(folder.root)].sort(), [...others, ...records.map(({ path }) => path)].sort());
}

test('many files', writeMany);

test('many files, whose lock is lost before they get their names', async (test) => {
  const folder = makeFolder({ namespaces: { parks: { label: 'Parks' } } }, test);
  const before = filesIn(folder.root);
  const records = Array.from({ length: 60 }, (_, i) => recordsOf(`d${i}`)).flat();
  const lost = new AbortController();
  const writing = writeNewRecordsTogether(folder.root, records, lost.signal);
  lost.abort(new Error('The lock was lost.'));
  const errors = await writing;
  assert.equal(errors.size, records.length);
  for (const error of errors.values()) assert.match(String(error), /lock was lost/);
  assert.deepEqual(filesIn(folder.root), before);
});

test('an aside that a thread named before it died has its name', (test) => {
  const { root } = makeFolder({ namespaces: { parks: { label: 'Parks' } } }, test);
  mkdirSync(join(root, 'namespaces/parks/datasets'));
  const asides = planAsides(root, [...recordsOf('a'), ...recordsOf('b')]);
  const go = new Int32Array(1);
  assert.deepEqual(writeAsides(root, asides), [true, true]);
  assert.deepEqual(nameAsides(root, asides.slice(0, 1), false, go), [{ stamps: null }]);
  const again = nameAsides(root, asides, true, go);
  assert.equal(again[0]?.stamps, null, 'it has to be read');
  assert.equal(again[1]?.stamps?.[0]?.[0], home('b'));
});

test('a dataset whose folder another program has made, with a file in it', async (test) => {
  const { root } = makeFolder({ namespaces: { parks: { label: 'Parks' } } }, test);
  const records = [...recordsOf('a'), ...recordsOf('b')];
  const lost = new AbortController();
  // While the files are synced.
  const errors = writeNewRecordsTogether(root, records, lost.signal);
  mkdirSync(join(root, home('a'), 'dataset.yaml'), { recursive: true });
  assert.deepEqual([...(await errors).keys()], recordsOf('a'));
  for (const error of (await errors).values()) assert.match(String(error), /dataset.yaml exists already/);
});

test('without the program, files are synced one by one', async (test) => {
  const { PATH } = process.env;
  process.env.PATH = '';
  test.after(() => {
    process.env.PATH = PATH;
  });
  const { root } = makeFolder({}, test);
  assert.deepEqual(await Promise.all([syncFileSystem(root), syncFileSystem(root)]), [false, false]);
  await writeMany(test);
});
