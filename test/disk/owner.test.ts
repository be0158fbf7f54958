/** Owners of what root writes in the folder of another user. Others than root can't give files away: they skip this. */
import assert from 'node:assert/strict';
import { chownSync, lstatSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import { makeFoldersDurably, writeDurably } from '../../src/disk/durable.ts';
import { writeLockFile } from '../../src/disk/lock-file.ts';
import { moveOrCopyFile } from '../../src/disk/move.ts';
import { inheritOwnerOfTree } from '../../src/disk/owner.ts';
import { makeFolderInPrivateFolder } from '../../src/disk/private-folder.ts';
import { foreignIn, group, service } from '../support/owners.ts';

const skip = process.geteuid?.() !== 0;

function makePlace(t: TestContext): string {
  const place = mkdtempSync(join(tmpdir(), 'catalogue-owner-'));
  t.after(() => rmSync(place, { recursive: true }));
  return place;
}

describe('what root writes in the folder of another user', { skip }, () => {
  it('keeps the owner, the group and the mode of a file that is replaced, whatever those of its folder are', async (t) => {
    const root = makePlace(t);
    const path = join(root, 'a');
    writeFileSync(path, 'old', { mode: 0o640 });
    chownSync(path, service, group);
    await writeDurably(path, 'new');
    const { uid, gid, mode } = lstatSync(path);
    assert.deepEqual([uid, gid, mode & 0o777], [service, group, 0o640]);
    await writeDurably(join(root, 'b'), 'new');
    assert.equal(lstatSync(join(root, 'b')).uid, 0);
  });

  it('belongs to that user: folders, locks, and files from another file system; links are left alone', async (t) => {
    const root = join(makePlace(t), 'folder');
    mkdirSync(root);
    chownSync(root, service, group);
    await makeFoldersDurably(join(root, 'x/y'));
    writeLockFile(join(root, 'x/lock'));
    writeLockFile(join(await makeFolderInPrivateFolder(root, 'locks'), 'lock'));
    const from = join(root, '../from');
    mkdirSync(from);
    writeFileSync(join(from, 'file'), '');
    let isMoved = false;
    await moveOrCopyFile(from, join(root, 'to'), {
      async renamed() {
        isMoved = true;
        throw Object.assign(new Error('another file system'), { code: 'EXDEV' });
      },
    });
    assert.ok(isMoved);
    assert.deepEqual(foreignIn(root), []);
    const outside = join(root, '../outside');
    writeFileSync(outside, '');
    symlinkSync(outside, join(root, 'link'));
    await inheritOwnerOfTree(join(root, 'link'));
    assert.deepEqual([lstatSync(outside).uid, lstatSync(join(root, 'link')).uid], [0, 0]);
  });
});
