/** The folder of an export on disks that fill up: no file is cut off, and what a cut journal says is known. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { ExportFolder } from '../../src/export/export-folder.ts';
import { makeFolder } from '../support/folder.ts';
import { compilerFor } from '../support/program.ts';

const folder = makeFolder();
const journal = '.catalogue-export.new';

it('writes the whole of a file, or nothing, where a write takes a part of the bytes only', () => {
  const to = folder.beside('limited');
  const script = fileURLToPath(new URL('write-child.ts', import.meta.url));
  const command = [process.execPath, ...compilerFor(script), script, to].map((word) => `'${word}'`).join(' ');
  // A file may have 1 MiB at most: the kernel writes so much of 2 MiB, and says how much it was.
  const { status, stdout, stderr } = spawnSync('sh', ['-c', `ulimit -f 2048; exec ${command}`], { encoding: 'utf8' });
  assert.equal(status, 0, stderr);
  assert.match(stdout, /^EFBIG The rest is ended\./);
  assert.deepEqual(readdirSync(to), [journal]);
});

it('knows its files after a line of the journal was cut off', () => {
  const to = folder.beside('cut');
  mkdirSync(to);
  writeFileSync(join(to, journal), '{"name":"dataset parks/trees","fingerprint":"","fi');
  const first = new ExportFolder(to);
  first.beginUnit('dataset parks/oaks', ['oaks.json']);
  first.write('oaks.json', Buffer.from('{}'));
  first.close();
  const second = new ExportFolder(to);
  assert.deepEqual(second.filesBefore('dataset parks/oaks'), ['oaks.json']);
  second.finish();
  assert.deepEqual(readdirSync(to), ['.catalogue-export']);
});

it('leaves out lines of a list that can’t be read', () => {
  const to = folder.beside('torn');
  mkdirSync(to);
  const unit = (name: string) => JSON.stringify({ name, fingerprint: '', files: [`${name}.txt`] });
  const torn = unit('a').slice(0, 20) + unit('b');
  for (const name of ['a', 'b', 'c']) writeFileSync(join(to, `${name}.txt`), name);
  writeFileSync(join(to, journal), `${torn}\n${unit('c')}\n`);
  new ExportFolder(to).finish();
  assert.deepEqual(readdirSync(to), ['.catalogue-export', 'a.txt', 'b.txt']);
  assert.equal(readFileSync(join(to, 'a.txt'), 'utf8'), 'a');
});

it('removes nothing outside of its folder, nor in the git repository of the site, whatever its list says', () => {
  const to = folder.beside('planted');
  const victims = [folder.beside('victim.txt'), join(to, '.git', 'config'), join(to, 'own.txt')];
  mkdirSync(join(to, '.git'), { recursive: true });
  for (const path of victims) writeFileSync(path, 'kept');
  const named = ['../victim.txt', victims[0], 'a/../../victim.txt', '.git/config', './.git/config', '.GIT/config', 7];
  const units = [...named.map((file) => [file]), 'own.txt', null, { length: 1 }].map((files, index) =>
    JSON.stringify({ name: `unit ${index}`, fingerprint: '1', files }),
  );
  const wrong = [{ name: 'x', fingerprint: 1, files: ['own.txt'] }, { name: 'y' }].map((unit) => JSON.stringify(unit));
  writeFileSync(join(to, '.catalogue-export'), `${[...units, ...wrong].join('\n')}\n`);
  new ExportFolder(to).finish();
  for (const path of victims) assert.ok(existsSync(path), path);
});

it('refuses to remove a file behind a link', () => {
  const to = folder.beside('linked');
  const others = folder.beside('others');
  for (const path of [to, others]) mkdirSync(path);
  writeFileSync(join(others, 'a.txt'), 'kept');
  symlinkSync(others, join(to, 'link'));
  writeFileSync(join(to, journal), `${JSON.stringify({ name: 'a', fingerprint: '1', files: ['link/a.txt'] })}\n`);
  assert.throws(() => new ExportFolder(to).finish(), /link\/a\.txt is out of date, and lies behind a link/);
  assert.ok(existsSync(join(others, 'a.txt')));
  rmSync(join(others, 'a.txt'));
  new ExportFolder(to).finish();
});
