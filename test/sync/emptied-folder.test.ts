/** A local folder whose namespaces are all gone, as if a disk weren't mounted. */
import assert from 'node:assert/strict';
import { mkdirSync, renameSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { EmptiedFolderError } from '../../src/sync/emptied-folder.ts';
import { makeFolder } from '../support/folder.ts';
import { filesIn, seed } from '../support/prompt.ts';
import { contentOf, failuresOf, makeEmpty, pullFrom, pushTo } from './pair.ts';

describe('a push from a folder without any of the namespaces that both sides had', () => {
  for (const how of ['missing', 'empty'] as const)
    it(`changes nothing if namespaces/ is ${how}, unless it is forced`, async (test) => {
      const there = makeFolder(seed, test).root;
      const here = makeFolder({ namespaces: {} }, test).root;
      await makeEmpty(here);
      assert.deepEqual(failuresOf(await pullFrom(here, there)), []);
      const before = contentOf(there);
      renameSync(join(here, 'namespaces'), join(here, '..', 'unmounted'));
      if (how === 'empty') mkdirSync(join(here, 'namespaces'));
      const isRefused = (error: Error) =>
        error instanceof EmptiedFolderError &&
        /^The local namespaces\/ has none of the \d+ records/.test(error.message);
      for (const dryRun of [true, false]) await assert.rejects(pushTo(here, there, { dryRun }), isRefused);
      assert.deepEqual(contentOf(there), before);
      assert.deepEqual(failuresOf(await pushTo(here, there, { force: true })), []);
      assert.equal(
        filesIn(there).some((path) => path.startsWith('namespaces/')),
        false,
      );
    });
});
