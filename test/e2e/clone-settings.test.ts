/** What a clone takes over of the settings there: not how that catalogue is reached. */
import assert from 'node:assert/strict';
import { existsSync, readFileSync, rmSync, statfsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { it } from 'node:test';
import { makeFolder } from '../support/folder.ts';
import { run } from '../support/program.ts';
import { served } from '../support/served.ts';
import { smallDisk } from '../support/small-disk.ts';

it('a copy believes no proxy that stands before the original', async (test) => {
  const text =
    'title: Ours # and nobody else’s\nbase_url: https://data.example.org\ntrust_proxy: true\npage_size: 7\npeople: public\n';
  const { base } = await served({ namespaces: {}, files: { 'catalogue.yaml': text } }, test);
  const { root } = makeFolder({}, test);
  const { exitCode, err } = await run(['clone', base, 'copy'], { cwd: root });
  assert.equal(exitCode, 0, err);
  assert.equal(
    readFileSync(join(root, 'copy/catalogue.yaml'), 'utf8'),
    'title: Ours # and nobody else’s\npage_size: 7\npeople: public\n',
  );
});

it('a copy whose disk was full has the whole settings in the end', async (test) => {
  const disk = smallDisk(test);
  if (disk === null) return;
  const text = `title: Ours\n${'# A long comment.\n'.repeat(3000)}people: public\n`;
  const { base } = await served({ namespaces: {}, files: { 'catalogue.yaml': text } }, test);
  const { root } = makeFolder({}, test);
  const clone = () => run(['clone', base, join(disk, 'copy')], { cwd: root });
  const filler = join(disk, 'filler');
  writeFileSync(filler, '');
  const { bavail, bsize } = statfsSync(disk);
  writeFileSync(filler, Buffer.alloc(bavail * bsize - 90_000));
  const full = await clone();
  assert.match(full.err, /catalogue\.yaml can't be written: the disk is full/);
  assert.equal(full.exitCode, 1);
  assert.equal(existsSync(join(disk, 'copy/catalogue.yaml')), false);
  rmSync(filler);
  const { exitCode, err } = await clone();
  assert.equal(exitCode, 0, err);
  assert.equal(readFileSync(join(disk, 'copy/catalogue.yaml'), 'utf8'), text);
});
