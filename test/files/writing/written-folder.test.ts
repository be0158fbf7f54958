/** Stamps of new folders: the wait before they are taken. */
import assert from 'node:assert/strict';
import { lstatSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { stampFrom } from '../../../src/files/tree/stamps.ts';
import { passTickSince } from '../../../src/files/writing/written-folder.ts';
import { makeFolder } from '../../support/folder.ts';

test('after the wait, the stamp of a file that was written before counts', async (test) => {
  const path = join(makeFolder({}, test).root, 'file');
  writeFileSync(path, 'x');
  const stats = lstatSync(path);
  for (let i = 0; i < 40; i++) {
    const writtenAt = Date.now();
    // A clock of a finer resolution than this one may have had it at the end of this millisecond.
    stats.mtimeMs = stats.ctimeMs = writtenAt + 0.999;
    assert.equal(stampFrom(stats).mtime, -1);
    await passTickSince(writtenAt);
    assert.equal(stampFrom(stats).mtime, stats.mtimeMs);
  }
});
