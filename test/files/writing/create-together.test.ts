/** New records that are written together, with and without the program that syncs a file system. */
import assert from 'node:assert/strict';
import { mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { syncFileSystem } from '../../../src/disk/sync-file-system.ts';
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
  const slugs = Array.from({ length: 40 }, (_, i) => `d${i}`);
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
