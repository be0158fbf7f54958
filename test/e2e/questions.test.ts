/** Ctrl-C at a question, at a terminal. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { CatalogueFolder, homeOf } from '../support/folder.ts';
import { run, temporaryFolder } from '../support/program.ts';
import { seed } from '../support/prompt.ts';
import { programFolder, terminal } from '../support/terminal.ts';

describe('Ctrl-C at a question', () => {
  const home = temporaryFolder();
  const cwd = home.path;
  const root = join(cwd, 'there');
  const skip = spawnSync('script', ['--version']).status !== 0 && !process.env.CI && 'script is not installed';
  after(home.remove);

  before(async () => {
    new CatalogueFolder(root, seed);
    for (const [line, input] of [
      ['user add bob --password-stdin', 'down the rabbit hole\n'],
      ['token add bob', ''],
    ] as const) {
      const { exitCode, err } = await run([...line.split(' '), '--data', 'there'], { cwd, input });
      assert.equal(exitCode, 0, err);
    }
  });

  /** Starts a command of which the exit code is printed in the end. */
  function typing(line: string) {
    const { CATALOGUE_DATA: _data, CATALOGUE_REMOTE: _remote, ...env } = process.env;
    const PATH = [programFolder(cwd), process.env.PATH].join(delimiter);
    const own = { PATH, HOME: cwd, XDG_CONFIG_HOME: join(cwd, 'config'), TERM: 'xterm' };
    return terminal(`catalogue --data there ${line}; echo "ended with $?"`, { cwd, env: { ...env, ...own } });
  }

  it('changes no password and ends no token', { skip }, async () => {
    const accounts = () => readFileSync(join(root, '.catalogue/accounts.json'), 'utf8');
    const before = accounts();
    const questions = ['New password of bob:', 'Repeat the password:', 'bob has 1 token. Keep it valid? [y/N]'];
    for (const answered of questions.keys()) {
      const program = typing('user passwd bob');
      for (const question of questions.slice(0, answered)) {
        await program.until(question);
        program.type('another rabbit hole\r');
      }
      await program.until(questions[answered] ?? '');
      program.type('\x03');
      await program.until(/\nerror: Interrupted\. Nothing was changed\.\nended with 130/);
      await program.end();
      assert.equal(accounts(), before, questions[answered]);
    }
  });

  it('removes nothing', { skip }, async () => {
    const program = typing('dataset remove parks/trees');
    await program.until('? [y/N]');
    program.type('\x03');
    await program.until(/\nerror: Interrupted\. Nothing was changed\.\nended with 130/);
    await program.end();
    assert.ok(existsSync(join(root, homeOf('parks/trees'))));
  });
});
