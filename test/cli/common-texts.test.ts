/** Texts of the last common states with remotes, from which `catalogue check` knows what is a copy. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { it } from 'node:test';
import { findCommonTexts } from '../../src/cli/sync/common-texts.ts';
import { homeOf } from '../support/folder.ts';
import { makeRoot, seed, type } from '../support/prompt.ts';
import { served } from '../support/served.ts';

it('finds the texts of records that a remote had, and none in a folder without one', async (t) => {
  const { base } = await served(seed, t);
  const root = await makeRoot();
  const copy = join(dirname(root), 'copy');
  const { exitCode, err } = await type(['clone', base, 'copy'], { root });
  assert.equal(exitCode, 0, err);
  const trees = `${homeOf('parks/trees')}/dataset.yaml`;
  const texts = await findCommonTexts(copy, [trees, `${homeOf('parks/new')}/dataset.yaml`]);
  assert.deepEqual([...texts], [[trees, readFileSync(join(copy, trees), 'utf8')]]);
  assert.equal((await findCommonTexts(root, [trees])).size, 0);
});
