/** Moves that the file system refuses. */
import assert from 'node:assert/strict';
import { chmod, mkdir, mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { UnavailableError } from '../../src/catalogue/errors.ts';
import { moveDurably } from '../../src/disk/move.ts';

const isRoot = process.getuid?.() === 0;

test('a folder that may not be written is unavailable, and what lies in it stays', {
  skip: isRoot && 'root may write everywhere',
}, async (context) => {
  const root = await mkdtemp(join(tmpdir(), 'catalogue-test-'));
  context.after(() => rm(root, { recursive: true, force: true }));
  await mkdir(join(root, 'a'));
  await mkdir(join(root, 'b/c'), { recursive: true });
  await chmod(join(root, 'b'), 0o500);
  for (const [from, to] of [
    ['a', 'b/a'],
    ['a', 'b/d/a'],
    ['b/c', 'a/c'],
  ] as const)
    await assert.rejects(
      moveDurably(join(root, from), join(root, to)),
      (error) => error instanceof UnavailableError && !error.message.includes(root),
    );
  await chmod(join(root, 'b'), 0o700);
  assert.deepEqual(await readdir(root), ['a', 'b']);
  assert.deepEqual(await readdir(join(root, 'b')), ['c']);
});
