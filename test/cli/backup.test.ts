import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, it } from 'node:test';
import { openFileCatalogue } from '../../src/files/file-catalogue.ts';
import { filesIn, makeRoot, type PromptOptions, seed, type } from '../support/prompt.ts';
import { serveFolder } from '../support/server.ts';

const withUsers = { ...seed, users: { ann: { id: 1, staff: true, groups: [] } } };

/** A catalogue with accounts, and a way to type commands beside it. */
async function place() {
  const root = await makeRoot(withUsers);
  const cwd = dirname(root);
  const at = (line: string, options: PromptOptions = {}) =>
    type(line.split(' '), { root, cwd, env: { CATALOGUE_DATA: '' }, ...options });
  const done = async (line: string) => {
    const result = await at(line);
    assert.equal(result.exitCode, 0, `${line}: ${result.err}`);
    return result;
  };
  const { out } = await done('token add ann');
  return { root, cwd, at, done, token: out.trim(), path: (name: string) => join(cwd, name) };
}

async function usernameOf(root: string, token: string): Promise<string | null> {
  const files = await openFileCatalogue(root);
  const viewer = await files.accounts.viewerByToken(token);
  await files.close();
  return viewer?.username ?? null;
}

describe('backup and restore', () => {
  it('bring a catalogue back from one file, with its accounts and its trash', async () => {
    const { root, done, token, path } = await place();
    await done('dataset remove parks/benches --yes');
    mkdirSync(join(root, '.catalogue/cache'), { recursive: true });
    writeFileSync(join(root, '.catalogue/cache/x'), 'x');
    mkdirSync(join(root, '.git'));
    writeFileSync(join(root, '.git/HEAD'), 'x');
    const payload = 'namespaces/parks/datasets/trees/data/trees.csv';
    utimesSync(join(root, payload), 1e9, 1e9);
    const { err } = await done('backup a.tar.gz');
    assert.match(err, /^Wrote \d+ files to a\.tar\.gz\.\n$/);
    assert.equal(statSync(path('a.tar.gz')).mode & 0o777, 0o600);

    assert.equal((await done('restore a.tar.gz copy')).err, 'Restored copy.\n');
    assert.deepEqual(
      filesIn(path('copy')),
      filesIn(root).filter((name) => !name.startsWith('.git/')),
    );
    for (const name of filesIn(path('copy')))
      assert.deepEqual(readFileSync(join(path('copy'), name)), readFileSync(join(root, name)), name);
    assert.equal(statSync(join(path('copy'), payload)).mtimeMs, 1e12);
    assert.ok(!existsSync(join(path('copy'), '.catalogue/cache')));
    assert.equal(statSync(join(path('copy'), '.catalogue/accounts.json')).mode & 0o777, 0o600);
    assert.equal(statSync(join(path('copy'), '.catalogue')).mode & 0o777, 0o700);
    assert.equal(await usernameOf(path('copy'), token), 'ann');
    assert.match((await done('trash restore parks/benches --data copy')).err, /Restored/);
    assert.equal((await done('check --deep --data copy')).exitCode, 0);
  });

  it('overwrite nothing unless told to, and leave nothing behind', async () => {
    const { root, at, done, path, cwd } = await place();
    await done('backup a.tar.gz');
    const before = readFileSync(path('a.tar.gz'));
    const again = await at('backup a.tar.gz');
    assert.deepEqual([again.exitCode, readFileSync(path('a.tar.gz')).equals(before)], [5, true]);
    assert.match(again.err, /exists already\. Name another file, or replace it with --force\./);
    await done('backup a.tar.gz --force');
    assert.match((await at('backup catalogue-data/a.tar.gz')).err, /must not lie in the catalogue folder/);
    assert.match((await at('backup nowhere/a.tar.gz')).err, /^error: /);

    writeFileSync(join(root, 'own.txt'), 'mine');
    writeFileSync(join(root, 'namespaces/parks/namespace.yaml'), 'id: 1\nlabel: Changed\n');
    const refused = await at('restore a.tar.gz');
    assert.equal(refused.exitCode, 5);
    assert.match(
      refused.err,
      /catalogue-data isn't empty \(.* is in it\)\. Name a new folder, or restore into this one with --force/,
    );
    await done('restore a.tar.gz --force');
    assert.match(readFileSync(join(root, 'namespaces/parks/namespace.yaml'), 'utf8'), /Parks department/);
    assert.equal(readFileSync(join(root, 'own.txt'), 'utf8'), 'mine');

    writeFileSync(path('text.txt'), 'no archive');
    for (const name of ['text.txt', 'nothing.tar.gz']) {
      const { err, exitCode } = await at(`restore ${name} other`);
      assert.equal(exitCode, name === 'text.txt' ? 1 : 3, err);
      assert.match(err, name === 'text.txt' ? /is not a backup of a catalogue/ : /There is no file /);
    }
    const changed = Buffer.from(before).fill(0, before.length >> 1, (before.length >> 1) + 50);
    for (const bytes of [before.subarray(0, -200), before.subarray(0, before.length >> 1), changed]) {
      writeFileSync(path('cut.tar.gz'), bytes);
      assert.match((await at('restore cut.tar.gz other')).err, /cut\.tar\.gz ends too early or is damaged/);
    }
    assert.ok(!existsSync(path('other')));
    assert.deepEqual(
      readdirSync(cwd).filter((name) => name.includes('tmp')),
      [],
    );
  });

  it('give a clone from git its passwords and tokens back, which the server has missed', async (t) => {
    const { root, at, done, token } = await place();
    await done('backup a.tar.gz');
    const before = filesIn(root);
    rmSync(join(root, '.catalogue'), { recursive: true });
    const warned = await serveFolder(root);
    t.after(warned.close);
    assert.match(
      warned.startLog.join('\n'),
      /^Nobody can sign in yet\. Set a password with: catalogue user passwd NAME\. .*catalogue restore BACKUP --accounts$/m,
    );
    assert.equal(await usernameOf(root, token), null);
    assert.equal(
      (await done('restore a.tar.gz --accounts')).err,
      'Restored the passwords and tokens of catalogue-data.\n',
    );
    assert.equal(await usernameOf(root, token), 'ann');
    const inside = await type(['restore', '../a.tar.gz', '--accounts'], {
      root,
      cwd: root,
      env: { CATALOGUE_DATA: '' },
    });
    assert.equal(inside.err, 'Restored the passwords and tokens of catalogue-data.\n');
    assert.deepEqual(filesIn(root), before);
    const { log, close } = await serveFolder(root);
    t.after(close);
    assert.deepEqual(log, []);
    assert.equal((await at('restore a.tar.gz nowhere --accounts')).exitCode, 1);
  });

  it('restores into a folder that is there, such as a volume, and keeps that folder', async (t) => {
    const { done, at, path, token } = await place();
    await done('backup a.tar.gz');
    mkdirSync(path('empty'), { mode: 0o750 });
    const before = statSync(path('empty'));
    // What a restore that was killed has left is no file of a catalogue.
    mkdirSync(path('empty/.0123456789abcdef.catalogue-tmp'));
    utimesSync(path('empty/.0123456789abcdef.catalogue-tmp'), 1, 1);
    await done('restore a.tar.gz empty');
    const after = statSync(path('empty'));
    assert.deepEqual([after.ino, after.mode], [before.ino, before.mode]);
    assert.equal(await usernameOf(path('empty'), token), 'ann');
    writeFileSync(path('file'), 'mine');
    assert.match((await at('restore a.tar.gz file')).err, /file: It is a file, not a folder\.\n$/);
    assert.equal(readFileSync(path('file'), 'utf8'), 'mine');

    mkdirSync(path('volume'));
    if (spawnSync('mount', ['-t', 'tmpfs', 'none', path('volume')]).status !== 0) return;
    t.after(() => spawnSync('umount', ['-l', path('volume')]));
    await done('restore a.tar.gz volume');
    rmSync(path('volume/.catalogue'), { recursive: true });
    await done('restore a.tar.gz volume --force');
    assert.equal(statSync(path('volume/.catalogue')).mode & 0o777, 0o700);
    assert.equal(await usernameOf(path('volume'), token), 'ann');
    assert.equal((await done('check --data volume')).exitCode, 0);
  });

  it('writes to stdout', async () => {
    const { at } = await place();
    const { exitCode, out, err } = await at('backup -');
    assert.equal(exitCode, 0, err);
    assert.match(err, /to stdout\.\n$/);
    assert.equal(out.charCodeAt(0), 0x1f, 'gzip');
  });
});
