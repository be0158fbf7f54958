import assert from 'node:assert/strict';
import fs from 'node:fs';
import {
  chmod,
  lstat,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  readlink,
  rm,
  symlink,
  utimes,
  writeFile,
} from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { afterEach, beforeEach, test } from 'node:test';
import { ConflictError, UnavailableError } from '../../src/catalogue/errors.ts';
import {
  isTemporaryFile,
  makeFoldersDurably,
  removeAbandonedTemporaries,
  removeDurably,
  removeTemporaries,
  temporaryPathBeside,
  writeDurably,
} from '../../src/disk/durable.ts';
import { namePathIn, nameUnwritable, toUnavailableError } from '../../src/disk/not-writable.ts';
import { writerMark } from '../../src/disk/writer.ts';
import { replaceBuiltin } from '../support/builtin.ts';

let folder = '';
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'catalogue-durable-'));
});
afterEach(async () => {
  await rm(folder, { recursive: true, force: true });
});

const mode = async (path: string) => (await lstat(path)).mode & 0o777;

test('writes and replaces a file as a whole, and leaves nothing beside it', async () => {
  const path = join(folder, 'a.yaml');
  await writeDurably(path, 'é\n', { mode: 0o640 });
  assert.equal(await readFile(path, 'utf8'), 'é\n');
  assert.equal(await mode(path), 0o640 & ~process.umask());
  await chmod(path, 0o604);
  const before = (await lstat(path)).ino;
  await writeDurably(path, new Uint8Array([1, 2]), { mode: 0o640 });
  assert.deepEqual([...(await readFile(path))], [1, 2]);
  assert.equal(await mode(path), 0o604, 'an existing file keeps its mode');
  assert.notEqual((await lstat(path)).ino, before, 'readers of the old file are not disturbed');
  assert.deepEqual(await readdir(folder), ['a.yaml']);
});

test('the file that was replaced is closed', { skip: process.platform !== 'linux' }, async () => {
  const path = join(folder, 'a.yaml');
  await writeDurably(path, '0');
  for (let i = 1; i <= 20; i++) await writeDurably(path, String(i));
  const isOpen = async (name: string) =>
    (await readlink(join('/proc/self/fd', name)).catch(() => '')).startsWith(`${path} (deleted)`);
  const openOnes = async () => (await Promise.all((await readdir('/proc/self/fd')).map(isOpen))).filter(Boolean).length;
  for (let tries = 0; (await openOnes()) > 0; tries++) {
    assert.ok(tries < 500, `${await openOnes()} replaced files are still open`);
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
});

test('exclusive: of many writers one wins, and the others are told', async () => {
  const path = join(folder, 'a.yaml');
  const outcomes = await Promise.allSettled(
    Array.from({ length: 20 }, (_, index) => writeDurably(path, String(index), { exclusive: true })),
  );
  const won = outcomes.flatMap(({ status }, index) => (status === 'fulfilled' ? [index] : []));
  assert.equal(won.length, 1);
  for (const outcome of outcomes) if (outcome.status === 'rejected') assert.equal(outcome.reason.code, 'EEXIST');
  assert.equal(await readFile(path, 'utf8'), String(won[0]));
  assert.deepEqual(await readdir(folder), ['a.yaml']);
});

test('a failure leaves the old content and no temporary file', async () => {
  await mkdir(join(folder, 'taken', 'inner'), { recursive: true });
  await assert.rejects(writeDurably(join(folder, 'taken'), 'x'), { code: /EISDIR|ENOTEMPTY|EEXIST/ });
  await assert.rejects(writeDurably(join(folder, 'none', 'a'), 'x'), { code: 'ENOENT' });
  assert.deepEqual(await readdir(folder), ['taken']);
});

test('a symbolic link is refused, whether or not it leads somewhere', async () => {
  await writeFile(join(folder, 'real'), 'old');
  for (const target of ['real', 'nowhere']) {
    const path = join(folder, `to-${target}`);
    await symlink(target, path);
    await assert.rejects(
      writeDurably(path, 'x'),
      (error) => error instanceof ConflictError && /^to-\w+ is a symbolic link/.test(error.message),
    );
  }
  assert.equal(await readFile(join(folder, 'real'), 'utf8'), 'old');
});

test('what the system refuses is told with what to do, and with its cause', () => {
  for (const code of ['ENOSPC', 'EDQUOT', 'EROFS', 'EACCES', 'EPERM', 'EIO']) {
    const cause = Object.assign(new Error(code), { code });
    const error = toUnavailableError(cause, '/srv/somebody/a.yaml');
    assert.ok(error instanceof UnavailableError);
    assert.match(error.message, /^a\.yaml can't be written: .+ again\.$/);
    assert.doesNotMatch(error.message, /srv|somebody/);
    assert.equal(error.cause, cause);
    assert.match(namePathIn('/srv/somebody/', error).message, /^a\.yaml can't/);
    assert.match(namePathIn('/srv', error).message, /^somebody\/a\.yaml can't/);
    for (const folder of ['/srv/some', '/srv/somebody/a.yaml', '/var/x'])
      assert.equal(namePathIn(folder, error), error);
    assert.match(nameUnwritable(error, 'b/a.yaml').message, /^b\/a\.yaml can't/);
  }
  const other = Object.assign(new Error('x'), { code: 'ENOENT' });
  assert.equal(toUnavailableError(other, 'a'), other);
});

test('a folder that may not be written is unavailable', {
  skip: process.getuid?.() === 0 && 'root may write everywhere',
}, async () => {
  await writeFile(join(folder, 'a'), 'old');
  await chmod(folder, 0o500);
  await assert.rejects(writeDurably(join(folder, 'a'), 'x'), UnavailableError);
  await assert.rejects(removeDurably(join(folder, 'a')), UnavailableError);
  await chmod(folder, 0o700);
});

test('removes files and whole folders', async () => {
  await makeFoldersDurably(join(folder, 'a', 'b', 'c'));
  await writeDurably(join(folder, 'a', 'b', 'x'), 'x');
  await removeDurably(join(folder, 'a', 'b', 'x'));
  assert.deepEqual(await readdir(join(folder, 'a', 'b')), ['c']);
  await symlink('b', join(folder, 'a', 'link'));
  await makeFoldersDurably(join(folder, 'a', 'link'));
  await symlink('missing', join(folder, 'a', 'dangling'));
  await assert.rejects(makeFoldersDurably(join(folder, 'a', 'dangling')), { code: 'EEXIST' });
  await removeDurably(join(folder, 'a'));
  assert.deepEqual(await readdir(folder), []);
  await assert.rejects(removeDurably(join(folder, 'a')), { code: 'ENOENT' });
});

test('only what writers left long ago is swept', async () => {
  const old = temporaryPathBeside(join(folder, 'a.yaml'));
  assert.ok(isTemporaryFile(old.slice(folder.length + 1)));
  for (const name of ['a.yaml', '.hidden', '.git', 'x.catalogue-tmp']) assert.ok(!isTemporaryFile(name), name);
  const elsewhere = (number: number) => join(folder, `.${number}123456789abcdef.00000000-1-00000000.catalogue-tmp`);
  await mkdir(join(elsewhere(1), 'part'), { recursive: true });
  await writeFile(elsewhere(2), 'x');
  await writeFile(old, 'of this process');
  await writeFile(join(folder, 'a.yaml'), 'x');
  await utimes(join(folder, 'a.yaml'), 0, 0);
  assert.equal(await removeAbandonedTemporaries(folder, 60_000), 0);
  assert.equal(await removeAbandonedTemporaries(folder, -1000), 2);
  assert.deepEqual(await readdir(folder), [basename(old), 'a.yaml'], 'Its writer runs: it may take more than an hour.');
  assert.equal(await removeTemporaries(folder), 1);
  assert.deepEqual(await readdir(folder), ['a.yaml']);
  assert.equal(await removeAbandonedTemporaries(join(folder, 'none'), 0), 0);
});

test('what a writer left that is gone is swept at once, and nothing of those elsewhere', async () => {
  const [place, number] = writerMark.split('-');
  const name = (mark: string) => join(folder, `.0123456789abcdef.${mark}.catalogue-tmp`);
  const living = [temporaryPathBeside(join(folder, 'a')), name(`00000000-${number}-00000000`)];
  await mkdir(name(`${place}-${number}-00000000`));
  for (const path of living) await writeFile(path, 'x');
  assert.equal(await removeAbandonedTemporaries(folder, 3_600_000), 1);
  assert.deepEqual((await readdir(folder)).map((file) => join(folder, file)).sort(), living.sort());
});

test('on a file system without hard links, a new file still replaces no other', async (t) => {
  const path = join(folder, 'a.yaml');
  replaceBuiltin(t, fs, 'linkSync', () => {
    throw Object.assign(new Error('operation not permitted, link'), { code: 'EPERM' });
  });
  await writeDurably(path, 'first', { exclusive: true });
  await assert.rejects(writeDurably(path, 'second', { exclusive: true }), { code: 'EEXIST' });
  assert.deepEqual([await readFile(path, 'utf8'), await readdir(folder)], ['first', ['a.yaml']]);
});

test("a new file whose folder can't be synced is removed again", async (t) => {
  const open = fs.openSync;
  replaceBuiltin(t, fs, 'openSync', (path: string, ...rest: [number]) => {
    if (path === folder) throw Object.assign(new Error('i/o error'), { code: 'EIO' });
    return open(path, ...rest);
  });
  await assert.rejects(writeDurably(join(folder, 'a.yaml'), 'first', { exclusive: true }));
  assert.deepEqual(await readdir(folder), []);
});
