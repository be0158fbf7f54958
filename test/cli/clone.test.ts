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
