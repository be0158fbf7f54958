import assert from 'node:assert/strict';
import { tmpdir } from 'node:os';
import { it } from 'node:test';
import { GitError, runGit } from '../../../src/files/git/git.ts';

it('git that takes too long is ended, and so is what it started', async () => {
  const start = Date.now();
  // What goes on in the background is ended with the group only.
  const alias = 'alias.x=!sleep 60 & wait';
  await assert.rejects(runGit(tmpdir(), ['-c', alias, 'x'], { timeout: 700 }), (error: Error) => {
    assert.ok(error instanceof GitError);
    assert.match(error.message, /^git x: it took longer than 0\.7 s$/);
    return true;
  });
  assert.ok(Date.now() - start < 10_000);
});

it('git is deaf to what was set for another repository', async () => {
  process.env.GIT_DIR = '/nowhere';
  try {
    await assert.rejects(runGit('/', ['rev-parse', '--git-dir']), /not a git repository \(or any/);
  } finally {
    delete process.env.GIT_DIR;
  }
});
