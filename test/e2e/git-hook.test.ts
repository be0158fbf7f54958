/** The pre-commit hook that `init --hook` writes, run by git: with the program installed, and without. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import { fileURLToPath } from 'node:url';
import { homeOf } from '../support/folder.ts';
import { run } from '../support/program.ts';
import { seed } from '../support/prompt.ts';
import { gitEnv, makeRepository } from '../support/repository.ts';

const bin = fileURLToPath(new URL('../../bin/catalogue.js', import.meta.url));
const benches = `${homeOf('parks/benches')}/dataset.yaml`;

/** A repository with the hook, and a program that notes each of its runs. */
async function workshop(t: TestContext) {
  const repository = await makeRepository(seed, t);
  const { top } = repository;
  const { exitCode, err } = await run(['init', '--hook', 'data'], { cwd: top });
  assert.equal(exitCode, 0, err);
  const local = join(top, 'node_modules/.bin');
  mkdirSync(local, { recursive: true });
  writeFileSync(join(top, '.git/info/exclude'), 'node_modules\nruns\n');
  const program = `#!/bin/sh\necho "$@" >> '${top}/runs'\nexec '${process.execPath}' '${bin}' "$@"\n`;
  writeFileSync(join(local, 'catalogue'), program, { mode: 0o755 });
  const runs = () =>
    existsSync(join(top, 'runs')) ? readFileSync(join(top, 'runs'), 'utf8').split('\n').length - 1 : 0;
  return { ...repository, local, runs };
}

/** What git says when it refuses. */
function refusal(work: () => unknown): string {
  try {
    work();
  } catch (error) {
    return String((error as { stderr: unknown }).stderr) + String((error as { stdout: unknown }).stdout);
  }
  throw new assert.AssertionError({ message: 'Git has committed it.' });
}

describe('the pre-commit hook', () => {
  it('lets pass what is right, stops what is wrong, and runs for the catalogue only', async (t) => {
    const { git, write, runs, commit } = await workshop(t);
    write('../notes.txt', 'x');
    commit();
    assert.equal(runs(), 0, 'nothing of the catalogue was staged');
    write(benches, 'id: 12\nlabel: Seats\n');
    commit();
    assert.equal(runs(), 1);
    write(benches, 'id: 11\nlabel: Seats\n');
    git('add', '--all');
    assert.match(
      refusal(() => git('commit', '--message', 'Wrong')),
      /^data\/namespaces\/parks\/datasets\/benches\/dataset\.yaml:1:5: The id 11 is already used by dataset parks\/trees\.$/m,
    );
    write(benches, 'id: 12\nlabel: Seats\n');
    assert.match(
      refusal(() => git('commit', '--message', 'Wrong')),
      /The id 11/,
      'the bytes that are staged count',
    );
    git('commit', '--quiet', '--no-verify', '--message', 'All the same');
  });

  it('looks at what this commit will hold: of some files only, and in another working tree', async (t) => {
    const { top, git, write, runs } = await workshop(t);
    write(benches, 'label: [\n');
    git('add', '--all');
    write('groups/editors.yaml', 'id: 1\nlabel: Editors\n');
    git('add', '--all');
    git('commit', '--quiet', '--message', 'One of them', 'data/groups/editors.yaml');
    assert.equal(runs(), 1);
    assert.match(
      refusal(() => git('commit', '--all', '--message', 'All')),
      /benches\/dataset\.yaml:2:1/,
    );
    const linked = `${top}-linked`;
    t.after(() => rmSync(linked, { recursive: true, force: true }));
    git('worktree', 'add', '--quiet', linked, 'HEAD');
    symlinkSync(join(top, 'node_modules'), join(linked, 'node_modules'));
    writeFileSync(join(linked, 'data', benches), 'label: [\n');
    assert.match(
      refusal(() => git('-C', linked, 'commit', '--all', '--message', 'There')),
      /benches\/dataset\.yaml:2:1/,
    );
  });

  it('goes before the first commit', async (t) => {
    const { git, write } = await workshop(t);
    git('switch', '--quiet', '--orphan', 'fresh');
    write('catalogue.yaml', 'title: [\n');
    git('add', 'data');
    assert.match(
      refusal(() => git('commit', '--message', 'First')),
      /data\/catalogue\.yaml:2:1/,
    );
    write('catalogue.yaml', 'title: Fresh\n');
    git('add', 'data');
    git('commit', '--quiet', '--message', 'First');
  });

  it('finds the program that made it, and says in a sentence if that is gone', async (t) => {
    const { top, git, write, local } = await workshop(t);
    rmSync(local, { recursive: true });
    // A path on which there is git and a shell, and nothing else.
    const tools = join(top, 'node_modules/tools');
    mkdirSync(tools);
    for (const tool of ['git', 'sh']) symlinkSync(which(tool), join(tools, tool));
    const args = ['-C', top, '-c', 'user.name=Test', '-c', 'user.email=test@example.org', 'commit', '-m', 'x'];
    const commit = () => execFileSync('git', args, { stdio: 'pipe', env: { ...gitEnv, PATH: tools } });
    write(benches, 'id: 11\nlabel: Seats\n');
    git('add', '--all');
    assert.match(refusal(commit), /The id 11 is already used/);
    write(benches, 'id: 12\nlabel: Seats\n');
    git('add', '--all');
    commit();
    const hook = join(top, '.git/hooks/pre-commit');
    writeFileSync(hook, readFileSync(hook, 'utf8').replace(/^script=.*/m, 'script=/nowhere/catalogue.js'));
    write(benches, 'id: 12\nlabel: Chairs\n');
    git('add', '--all');
    assert.match(
      refusal(commit),
      /^The catalogue can't be checked: the program catalogue isn't installed\. Install it, or commit with --no-verify\.$/m,
    );
  });

  it('checks from a line in another hook, without an installed command', async (t) => {
    const { top, git, write, local } = await workshop(t);
    rmSync(local, { recursive: true });
    const hook = join(top, '.git/hooks/pre-commit');
    writeFileSync(hook, '#!/bin/sh\ntrue\n');
    const { err } = await run(['init', '--hook', 'data'], { cwd: top });
    writeFileSync(hook, `#!/bin/sh\n${err.trim().split('\n').at(-1)}\ntrue\n`);
    write(benches, 'id: 11\nlabel: Seats\n');
    git('add', '--all');
    assert.match(
      refusal(() => git('commit', '-m', 'x')),
      /The id 11 is already used/,
    );
  });
});

const which = (tool: string) => execFileSync('sh', ['-c', `command -v ${tool}`], { encoding: 'utf8' }).trim();
