/** The command, installed from the address of a repository, as README.md says; pack.test.ts installs it from a clone. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import { checkout, install, installCommands, packedNames, runNpm } from './support/checkout.ts';
import { temporaryFolder } from './support/program.ts';

const { version } = JSON.parse(readFileSync(join(checkout, 'package.json'), 'utf8'));

describe('the command', () => {
  const home = temporaryFolder();
  after(home.remove);

  it('is installed from a git address, as README.md says', () => {
    const [, pack = [], fromTarball = []] = installCommands();
    // As a clone is: without dependencies and dist/.
    const repository = join(home.path, 'repository');
    for (const name of packedNames) cpSync(join(checkout, name), join(repository, name), { recursive: true });
    const author = ['-c', 'user.name=Test', '-c', 'user.email=test@example.org', '-c', 'commit.gpgSign=false'];
    for (const args of [
      ['init', '-q'],
      ['add', '.'],
      [...author, 'commit', '-qm', 'x'],
    ])
      assert.equal(spawnSync('git', args, { cwd: repository }).status, 0);
    const [folder, prefix] = [join(home.path, 'from-git'), join(home.path, 'prefix')];
    for (const path of [folder, prefix]) mkdirSync(path);
    runNpm(folder, String(pack[0]), '--prefer-offline', `git+file://${repository}`);
    install(folder, fromTarball, prefix);
    const { status, stdout, stderr } = spawnSync(join(prefix, 'bin/catalogue'), ['--version'], { encoding: 'utf8' });
    assert.deepEqual([stdout, stderr, status], [`${version}\n`, '', 0]);
  });
});
