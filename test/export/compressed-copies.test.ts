/** Compressed copies in an export folder: right at any moment, made once, gone with their files. */
import assert from 'node:assert/strict';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, it } from 'node:test';
import { gunzipSync } from 'node:zlib';
import { ExportFolder } from '../../src/export/export-folder.ts';

const root = mkdtempSync(join(tmpdir(), 'copies-'));
after(() => rmSync(root, { recursive: true }));
const copyOf = (name: string) => gunzipSync(readFileSync(join(root, `${name}.gz`))).toString();
const long = (text: string) => text.repeat(2000);

/** One export of these texts. @returns the number of files that it wrote */
async function write(texts: Readonly<Record<string, string>>, options: { gzip?: boolean; mayReplace?: boolean }) {
  const folder = new ExportFolder(root, options);
  const names = Object.keys(texts);
  folder.beginUnit('unit', names);
  for (const [name, text] of Object.entries(texts))
    if (name.startsWith('large')) await folder.writeStream(name, [Buffer.from(text)], [][Symbol.iterator]() as never);
    else folder.write(name, Buffer.from(text));
  folder.endUnit('unit', '', names);
  folder.finish();
  return folder.written;
}

it('are written with their files, and again only if these change', async () => {
  const texts = {
    'a.html': long('a'),
    'b.csv': long('b'),
    'large.json': long('c'),
    'small.txt': 'd',
    'e.png': long('e'),
  };
  // With the list of the folder.
  assert.equal(await write(texts, { gzip: true }), 5 + 3 + 1);
  for (const name of ['a.html', 'b.csv', 'large.json'] as const) assert.equal(copyOf(name), texts[name]);
  assert.equal(await write(texts, { gzip: true }), 0);
  assert.equal(await write({ ...texts, 'a.html': long('x'), 'large.json': long('y') }, { gzip: true }), 4);
  assert.deepEqual([copyOf('a.html'), copyOf('large.json')], [long('x'), long('y')]);
});

it('go with their files, and when they are no longer wanted', async () => {
  await write({ 'a.html': long('a'), 'b.csv': 'short' }, { gzip: true });
  assert.deepEqual(
    ['a.html', 'b.csv', 'large.json'].map((name) => existsSync(join(root, `${name}.gz`))),
    [true, false, false],
  );
  await write({ 'a.html': long('b') }, {});
  assert.equal(existsSync(join(root, 'a.html.gz')), false);
});

it('of others are not trusted, and files of the name of a copy are kept', async () => {
  writeFileSync(join(root, 'a.html.gz'), 'old');
  for (const _ of ['once', 'again'])
    await assert.rejects(write({ 'a.html': long('b') }, { gzip: true }), /a\.html\.gz is there already/);
  await write({ 'a.html': long('b') }, { gzip: true, mayReplace: true });
  assert.equal(copyOf('a.html'), long('b'));
  await write({ 'b.csv': long('b'), 'b.csv.gz': 'payload' }, { gzip: true });
  assert.equal(readFileSync(join(root, 'b.csv.gz'), 'utf8'), 'payload');
});
