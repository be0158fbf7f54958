/** The ways to install the command that README.md names. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import { checkout, copyCheckout, runNpm } from './support/checkout.ts';
import { temporaryFolder } from './support/program.ts';

const { version } = JSON.parse(readFileSync(join(checkout, 'package.json'), 'utf8'));

describe('the command', () => {
  const home = temporaryFolder();
  after(home.remove);

  it('is installed from a clone, a git address and a tarball, as README.md says', async () => {
    const readme = readFileSync(join(checkout, 'README.md'), 'utf8');
    const [, section = ''] = /^## Install the command\n(.*?)^## /ms.exec(readme) ?? [];
    const commands = [...section.matchAll(/^npm (.+)$/gm)].map(([, args = '']) => args.split(' '));
    assert.deepEqual(
      commands.map((args) => [args[0], args.at(-1)]),
      [
        ['install', '.'],
        ['pack', 'git+https://example.org/dataset-catalogue.git'],
        ['install', 'dataset-catalogue-0.1.0.tgz'],
      ],
    );
    copyCheckout(join(home.path, 'checkout'));
    // As a clone is: without dependencies and dist/.
    const repository = join(home.path, 'repository');
    cpSync(join(home.path, 'checkout'), repository, {
      recursive: true,
      filter: (path) => !/\/(node_modules|dist)$/.test(path),
    });
    const author = ['-c', 'user.name=Test', '-c', 'user.email=test@example.org', '-c', 'commit.gpgSign=false'];
    for (const args of [
      ['init', '-q'],
      ['add', '.'],
      [...author, 'commit', '-qm', 'x'],
    ])
      assert.equal(spawnSync('git', args, { cwd: repository }).status, 0);
    mkdirSync(join(home.path, 'from-git'));
    for (const [i, args] of commands.entries()) {
      if (args[0] === 'pack') {
        runNpm(join(home.path, 'from-git'), 'pack', '--prefer-offline', `git+file://${repository}`);
        continue;
      }
      const prefix = join(home.path, `prefix${i}`);
      mkdirSync(prefix);
      const folder = args.at(-1) === '.' ? 'checkout' : 'from-git';
      runNpm(
        join(home.path, folder),
        ...args.slice(0, -1),
        '--prefix',
        prefix,
        '--prefer-offline',
        String(args.at(-1)),
      );
      const { status, stdout, stderr } = spawnSync(join(prefix, 'bin/catalogue'), ['--version'], { encoding: 'utf8' });
      assert.deepEqual([stdout, stderr, status], [`${version}\n`, '', 0], args.join(' '));
    }
  });
});
