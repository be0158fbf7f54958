/** Objects that nothing names: what of a folder and its repository is read to find them. */
import assert from 'node:assert/strict';
import { mkdirSync, readdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import { objectKey } from '../../../src/catalogue/payload-store.ts';
import { computeChecksum } from '../../../src/disk/checksum.ts';
import {
  findUnreferencedObjects,
  removeUnreferencedObjects,
} from '../../../src/files/payloads/unreferenced-objects.ts';
import { removeFolder } from '../../support/folder.ts';
import { makeRepository } from '../../support/repository.ts';
import { startSmallObjectStore } from '../../support/small-object-store.ts';

const s3 = await startSmallObjectStore();
const checksum = computeChecksum('oak');
s3.objects.set(objectKey('', checksum), Buffer.from('oak'));

/** A catalogue whose store has an object, in a repository. */
const start = (t: TestContext) =>
  makeRepository({ settings: { payloads: s3.settings('') }, namespaces: { parks: { label: 'Parks' } } }, t);
const find = async (root: string) => (await findUnreferencedObjects(root, 0)).objects.map((object) => object.checksum);

describe('an object of the store', () => {
  it('is named by nothing, or by the trash of a private folder that is a link', async (t) => {
    const { root, top } = await start(t);
    assert.deepEqual(await find(root), [checksum]);
    renameSync(join(root, '.catalogue'), join(top, 'private'));
    symlinkSync('../private', join(root, '.catalogue'));
    mkdirSync(join(top, 'private/trash'));
    writeFileSync(join(top, 'private/trash/version.yaml'), `checksum: ${checksum}\n`);
    assert.deepEqual(await find(root), []);
    renameSync(join(top, 'private/trash'), join(top, 'trash'));
    symlinkSync('../trash', join(top, 'private/trash'));
    assert.deepEqual(await find(root), []);
    renameSync(join(top, 'trash'), join(top, 'elsewhere'));
    await assert.rejects(find(root), { name: 'ConflictError', message: /trash is a link that leads nowhere/ });
  });

  it('is removed with its copy', async (t) => {
    const { root } = await start(t);
    const pine = computeChecksum('pine');
    s3.objects.set(objectKey('', pine), Buffer.from('pine'));
    const copies = join(root, '.catalogue/cache/payloads');
    mkdirSync(copies, { recursive: true });
    for (const name of [checksum, pine]) writeFileSync(join(copies, name), '');
    const found = await findUnreferencedObjects(root, 0);
    const objects = found.objects.filter((object) => object.checksum === pine);
    assert.equal(await removeUnreferencedObjects(root, { ...found, objects }, 0), 1);
    assert.deepEqual([readdirSync(copies), s3.objects.size], [[checksum], 1]);
  });

  it('may be named by the history of a repository that git cannot read', async (t) => {
    const { root, top, git, write, commit, remove } = await start(t);
    write('notes.txt', `${checksum}\n`);
    commit();
    remove('notes.txt');
    commit();
    assert.deepEqual(await find(root), []);
    // A working tree whose repository has moved.
    const other = `${top}-other`;
    t.after(() => removeFolder(other));
    git('worktree', 'add', '--quiet', '--detach', other);
    renameSync(join(top, '.git'), join(top, 'moved'));
    const refusal = (entry: string) => ({
      name: 'ConflictError',
      message: new RegExp(
        `^Git can't read the repository of ${entry}, .*not a git repository.*Repair it, or remove ${entry}\\.$`,
      ),
    });
    await assert.rejects(find(join(other, 'data')), refusal(join(other, '.git')));
    // A repository without its parts.
    mkdirSync(join(root, '.git'));
    await assert.rejects(find(root), refusal(join(root, '.git')));
    assert.equal(dirname(root), top);
    rmSync(join(root, '.git'), { recursive: true });
    assert.deepEqual(await find(root), [checksum]);
  });

  it('may be named by the history of a repository with settings that git refuses', async (t) => {
    const { root, git } = await start(t);
    git('config', 'core.repositoryFormatVersion', '99');
    const message = /^Git can't read the history, which may name more payloads \(git rev-parse: .*version/;
    await assert.rejects(find(root), { name: 'ConflictError', message });
  });
});
