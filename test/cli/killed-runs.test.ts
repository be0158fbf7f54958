/** What a killed command leaves in a folder: later commands that read the whole folder remove it. */
import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import { fileURLToPath } from 'node:url';
import { isTemporaryFile, temporaryPathBeside } from '../../src/disk/durable.ts';
import { homeOf } from '../support/folder.ts';
import { compilerFor } from '../support/program.ts';
import { filesIn, makeRoot, seed, type } from '../support/prompt.ts';
import { served } from '../support/served.ts';

const script = fileURLToPath(new URL('killed-child.ts', import.meta.url));

/** A process that writes in folders under a lock, until it is ended. */
async function startWriter(root: string, ...folders: readonly string[]): Promise<ChildProcess> {
  const child = spawn(process.execPath, [...compilerFor(script), script, root, ...folders], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  await once(child.stdout, 'data');
  return child;
}

const temporariesIn = (root: string) =>
  filesIn(root).filter((path) => path.split('/').some((name) => isTemporaryFile(name)));

const trees = homeOf('parks/trees');

describe('the temporary files of a killed run', () => {
  const runs = {
    pull: async (t: TestContext, root: string) => ['pull', '--remote', (await served(seed, t)).base, '--data', root],
    diff: async (t: TestContext, root: string) => ['diff', '--remote', (await served(seed, t)).base, '--data', root],
    check: async (_: TestContext, root: string) => ['check', '--data', root],
  };
  for (const [name, commandOf] of Object.entries(runs))
    it(`are removed by ${name}, but for those of writers that run`, async (t) => {
      const root = await makeRoot(seed);
      const line = await commandOf(t, root);
      const killed = await startWriter(root, 'namespaces', trees, `${trees}/data`);
      killed.kill('SIGKILL');
      await once(killed, 'exit');
      const running = await startWriter(root, trees);
      t.after(() => running.kill('SIGKILL'));
      const own = temporaryPathBeside(join(root, trees, 'x'));
      writeFileSync(own, '');
      assert.equal(temporariesIn(root).length, 5);
      const { exitCode, err } = await type(line, { root });
      assert.equal(exitCode, 0, err);
      assert.equal(temporariesIn(root).length, 2, temporariesIn(root).join());
    });

  it('are removed by a restore into a folder that is not there, beside it', async (t) => {
    const root = await makeRoot(seed);
    const home = join(root, '..');
    const file = join(home, 'backup.tar.gz');
    assert.equal((await type(['backup', file], { root })).exitCode, 0);
    const killed = await startWriter(home, '.');
    killed.kill('SIGKILL');
    await once(killed, 'exit');
    const running = await startWriter(home, '.');
    t.after(() => running.kill('SIGKILL'));
    const left = () => readdirSync(home).filter(isTemporaryFile);
    assert.equal(left().length, 2);
    const { exitCode, err } = await type(['restore', file, join(home, 'restored')], { root });
    assert.equal(exitCode, 0, err);
    assert.equal(left().length, 1);
  });

  it('are removed by a clone that goes on', async (t) => {
    const { base } = await served(seed, t);
    const root = join(await makeRoot({ settings: { title: 'Other' } }), 'clone');
    mkdirSync(join(root, '.catalogue', 'remotes'), { recursive: true });
    writeFileSync(join(root, '.catalogue', 'remotes', 'origin.json'), JSON.stringify({ url: base, cloning: true }));
    mkdirSync(join(root, trees), { recursive: true });
    const killed = await startWriter(root, 'namespaces', trees);
    killed.kill('SIGKILL');
    await once(killed, 'exit');
    const { err } = await type(['clone', base, root], { root });
    assert.deepEqual(temporariesIn(root), [], err);
  });
});
