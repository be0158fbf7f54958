/** Folders of kept files: they are measured when they may be full, and not for each file. */
import assert from 'node:assert/strict';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { it } from 'node:test';
import { bytesToKeep, CacheRoom } from '../../src/data/cache-room.ts';
import { DerivedFileStore } from '../../src/data/derived/derived-file-store.ts';

it('a folder is measured first, when its room may be used up, and when the limit changes', () => {
  const room = new CacheRoom();
  assert.equal(room.add(1, 1000), true);
  room.noteMeasured(100, 1000);
  // Others write, too: no more than a tenth is taken for granted.
  for (let i = 0; i < 10; i++) assert.equal(room.add(10, 1000), false);
  assert.equal(room.add(10, 1000), true);
  room.noteMeasured(995, 1000);
  assert.deepEqual([room.add(5, 1000), room.add(1, 1000)], [false, true]);
  room.noteMeasured(10, 1000);
  assert.equal(room.add(1, 500), true);
});

it('a folder of few files is filled to its limit, one of many is emptied by more than it needs', () => {
  assert.equal(bytesToKeep(10, 2000, 1000), 1000);
  assert.equal(bytesToKeep(5000, 900, 1000), 1000);
  assert.equal(bytesToKeep(5000, 2000, 1000), 900);
});

it('a store of many files stays below its limit', async (context) => {
  const folder = mkdtempSync(join(tmpdir(), 'catalogue-test-'));
  context.after(() => rmSync(folder, { recursive: true }));
  const store = new DerivedFileStore({ folder: async () => folder, maxBytes: () => 3000 });
  for (let i = 0; i < 400; i++) {
    const chunks = async function* () {
      yield Buffer.alloc(10);
    };
    assert.equal(await store.make({ key: `k${i}`, extension: 'csv', chunks }), true);
  }
  assert.ok(readdirSync(folder).length <= 300);
  assert.ok(readdirSync(folder).length > 250);
  assert.ok(
    await store.open({ key: 'k399', extension: 'csv', chunks: async function* () {} }).then(async (stored) => {
      await stored?.file.close();
      return stored;
    }),
  );
});
