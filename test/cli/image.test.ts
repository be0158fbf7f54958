import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { maxImageBytes } from '../../src/catalogue/image.ts';
import { images } from '../support/images.ts';
import { type } from '../support/prompt.ts';

const trees = { kind: 'dataset', namespace: 'parks', slug: 'trees' } as const;
const edit = ['dataset', 'edit', 'parks/trees'];

describe('--image', () => {
  it('takes a file of this machine in', async () => {
    const argv = [...edit, '--image', 'photo.png', '--thumbnail-image', './small.gif', '--label', 'Trees'];
    const files = { 'photo.png': images.png, 'small.gif': images.gif };
    const { catalogue, exitCode, err, root } = await type(argv, { files });
    assert.equal(exitCode, 0, err);
    const { image, thumbnail_image } = await catalogue.get<'dataset'>(trees);
    assert.match(image, /^\/site_media\/images\/[0-9a-f]{32}\.png$/);
    assert.match(thumbnail_image, /\.gif$/);
    assert.deepEqual(readFileSync(join(root, image)), images.png);
  });

  it('shows beforehand where it would lie, and keeps nothing', async () => {
    const files = { 'photo.png': images.png };
    const {
      out,
      err,
      catalogue,
      files: kept,
    } = await type([...edit, '--image', 'photo.png', '--dry-run', '--json'], { files });
    assert.match(JSON.parse(out).image, /^\/site_media\/images\/[0-9a-f]{32}\.png$/, err);
    assert.equal((await catalogue.get<'dataset'>(trees)).image, '');
    assert.ok(!kept().some((path) => path.startsWith('site_media')));
    const added = await type(
      ['dataset', 'add', 'parks/lawns', '--label', 'x', '--image', 'photo.png', '--dry-run', '--json'],
      { files },
    );
    assert.equal(JSON.parse(added.out).image, JSON.parse(out).image);
  });

  it('says what is wrong with it, and what to give instead', async () => {
    const files = { 'notes.png': 'Not a picture.', 'huge.png': Buffer.alloc(maxImageBytes + 1) };
    for (const [value, message] of [
      ['no.png', 'There is no file no.png. Give a local file, a path below /site_media/, or a URL.'],
      ['notes.png', 'Upload a valid image. The file you uploaded was either not an image or a corrupted image.'],
      ['huge.png', `huge.png has ${maxImageBytes + 1} bytes; it may have at most ${maxImageBytes}.`],
    ] as const) {
      const { exitCode, err, catalogue } = await type([...edit, '--image', value], { files });
      assert.deepEqual([exitCode, err], [2, `error: --image: ${message}\n`]);
      assert.equal((await catalogue.get<'dataset'>(trees)).image, '');
    }
  });

  it('comes with a publication', async () => {
    const files = { 'a.csv': 'a\n1\n', 'photo.png': images.png };
    const { catalogue, err } = await type(['publish', 'a.csv', '--to', 'parks/new', '--image', 'photo.png'], { files });
    const { image } = await catalogue.get<'dataset'>({ ...trees, slug: 'new' });
    assert.match(image, /\.png$/, err);
  });
});
