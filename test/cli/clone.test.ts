/** `catalogue clone`: what it needs of its surroundings, and clones that were ended. */
import assert from 'node:assert/strict';
import { existsSync, mkdirSync, rmdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { it } from 'node:test';
import { makeRoot, seed, type } from '../support/prompt.ts';
import { served } from '../support/served.ts';

it('writes nothing into the home folder, which may be read-only', async (t) => {
  const { base } = await served(seed, t);
  const root = await makeRoot();
  const XDG_CONFIG_HOME = join(dirname(root), 'no-folder');
  writeFileSync(XDG_CONFIG_HOME, '');
  const { exitCode, err } = await type(['clone', base, 'copy'], { root, env: { XDG_CONFIG_HOME } });
  assert.equal(exitCode, 0, err);
});

it('goes on wherever it was ended', async (t) => {
  const { base } = await served(seed, t);
  const root = await makeRoot();
  const copy = join(dirname(root), 'copy');
  // A folder with the name of a file ends the clone while it makes its first files.
  mkdirSync(join(copy, '.gitignore'), { recursive: true });
  assert.equal((await type(['clone', base, 'copy'], { root })).exitCode, 1);
  rmdirSync(join(copy, '.gitignore'));
  const { exitCode, err } = await type(['clone', base, 'copy'], { root });
  assert.equal(exitCode, 0, err);
  assert.ok(existsSync(join(copy, '.gitignore')));
  assert.ok(existsSync(join(copy, 'namespaces/parks/namespace.yaml')));
});

it('sends CATALOGUE_TOKEN to no other server than that of CATALOGUE_REMOTE', async (t) => {
  const { base, folder } = await served({ ...seed, users: { alice: { id: 1, staff: true } } }, t);
  const token = (await type(['token', 'add', 'alice'], { root: folder.root })).out.trim();
  const namesIn = async (copy: string, env: NodeJS.ProcessEnv) => {
    const { exitCode, err, cwd } = await type(['clone', base, copy], { env: { CATALOGUE_TOKEN: token, ...env } });
    assert.equal(exitCode, 0, err);
    return { users: existsSync(join(cwd, copy, 'users')), err };
  };
  assert.equal((await namesIn('own', {})).users, true);
  assert.equal((await namesIn('same', { CATALOGUE_REMOTE: base })).users, true);
  const other = await namesIn('other', { CATALOGUE_REMOTE: 'https://data.example.org' });
  assert.equal(other.users, false);
  assert.match(other.err, /CATALOGUE_TOKEN isn't sent to http/);
});
