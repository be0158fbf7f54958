import assert from 'node:assert/strict';
import { existsSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import { fileURLToPath } from 'node:url';
import { parse } from 'yaml';
import { npmInstallAddress } from '../../src/cli/setup/installation.ts';
import { temporaryName } from '../../src/disk/durable.ts';
import { filesIn, type } from '../support/prompt.ts';
import { makeRepository, repositoryAt } from '../support/repository.ts';
import { serveFolder } from '../support/server.ts';

const bin = fileURLToPath(new URL('../../bin/catalogue.js', import.meta.url));
const content = { namespaces: { parks: { id: 1, label: 'Parks' } } };

/** A repository with a catalogue, and the words `init …` typed in it. */
async function workshop(t: TestContext, within = 'data', cwd?: string) {
  const repository = await makeRepository(content, t, within);
  const { top, root } = repository;
  const env = { CATALOGUE_DATA: cwd ? '' : root };
  const init = (...argv: string[]) => type(['init', ...argv], { root, cwd: cwd ? join(top, cwd) : top, env });
  const read = (path: string) => readFileSync(join(top, path), 'utf8');
  return { ...repository, init, read };
}

describe('init', () => {
  it('lets git ignore what a killed writer leaves', async (t) => {
    const { top, root, init, git } = await workshop(t, 'data');
    await init(join(top, 'new'));
    const file = (folder: string) => join(top, 'new', folder, temporaryName());
    mkdirSync(file('namespaces/parks/datasets'), { recursive: true });
    writeFileSync(join(file('namespaces'), '..', 'kept.yaml'), '');
    for (const path of [file('namespaces/parks/datasets'), file('namespaces/parks')]) {
      mkdirSync(path, { recursive: true });
      writeFileSync(join(path, 'dataset.yaml'), 'label: x\n');
    }
    writeFileSync(`${file('')}.lock`, '');
    git('add', '.');
    assert.deepEqual(
      git('ls-files', 'new')
        .split('\n')
        .filter((path) => path.includes('catalogue-tmp')),
      [],
    );
    assert.match(git('ls-files', 'new'), /kept\.yaml/);
    assert.ok(existsSync(root));
  });
});

describe('init --hook', () => {
  it('adds a pre-commit hook to the repository, and nothing to the catalogue', async (t) => {
    const { top, root, init, read, git } = await workshop(t);
    const before = filesIn(root);
    assert.equal((await init('--hook', '--dry-run')).out, 'Would add .git/hooks/pre-commit\n');
    assert.ok(!existsSync(join(top, '.git/hooks/pre-commit')));
    const { out, err, exitCode } = await init('--hook');
    assert.deepEqual([out, err, exitCode], ['', 'Added .git/hooks/pre-commit.\n', 0]);
    assert.ok(statSync(join(top, '.git/hooks/pre-commit')).mode & 0o100, 'it can be run');
    assert.match(read('.git/hooks/pre-commit'), /^#!\/bin\/sh\n[\s\S]*\nfolder=data\n/);
    assert.deepEqual(filesIn(root), before);
    assert.equal(git('status', '--porcelain'), '');
    const again = await init('--hook');
    assert.deepEqual([again.err, again.exitCode], ['The hook exists already: .git/hooks/pre-commit\n', 0]);
    assert.deepEqual(JSON.parse((await init('--hook', '--json')).out), { folder: root });
  });

  it('leaves a hook alone that is somebody’s, and says what to add to it', async (t) => {
    const { top, init, read } = await workshop(t, "Bob's data");
    mkdirSync(join(top, '.git/hooks'), { recursive: true });
    writeFileSync(join(top, '.git/hooks/pre-commit'), '#!/bin/sh\nmake lint\n');
    const { err, exitCode } = await init('--hook', '--ci');
    assert.equal(exitCode, 5);
    assert.match(err, /^error: \.git\/hooks\/pre-commit exists and was not changed\. Add this line/);
    assert.equal(read('.git/hooks/pre-commit'), '#!/bin/sh\nmake lint\n');
    assert.ok(!existsSync(join(top, '.github')), 'all or nothing');
    const [, line = ''] = err.trimEnd().split('\n');
    assert.equal(
      line.trim(),
      `git --literal-pathspecs diff --cached --quiet -- 'Bob'\\''s data' || "$(PATH="node_modules/.bin:$PATH" command -v catalogue || echo ${bin})" --data 'Bob'\\''s data' check --staged || exit 1`,
    );
    writeFileSync(join(top, '.git/hooks/pre-commit'), `#!/bin/sh\n${line}\nmake lint\n`);
    assert.match((await init('--hook')).err, /^The hook exists already/);
  });

  it('goes where core.hooksPath says, unless other repositories have their hooks there too', async (t) => {
    const { top, init, git } = await workshop(t);
    git('config', 'core.hooksPath', '.githooks');
    assert.equal((await init('--hook')).err, 'Added .githooks/pre-commit.\n');
    assert.ok(existsSync(join(top, '.githooks/pre-commit')));
    git('config', 'core.hooksPath', join(top, '..'));
    const shared = await init('--hook');
    assert.equal(shared.exitCode, 5);
    assert.match(shared.err, /core\.hooksPath\) isn't in this repository, so others may use it, too\. Add this line/);
    assert.ok(!existsSync(join(top, '../pre-commit')));
  });

  it('finds the repository from a linked working tree, from within the catalogue, and from a folder below', async (t) => {
    const { top, git } = await workshop(t);
    const linked = `${top}-linked`;
    git('worktree', 'add', '--quiet', linked);
    t.after(() => repositoryAt(linked, linked).remove('.'));
    const there = await type(['init', '--hook'], { root: join(linked, 'data'), cwd: linked });
    assert.equal(there.err, `Added ${relative(linked, top).replaceAll('\\', '/')}/.git/hooks/pre-commit.\n`);
    const within = await workshop(t, 'deep/data', 'deep/data');
    assert.equal((await within.init('--hook')).err, 'Added ../../.git/hooks/pre-commit.\n');
    assert.match(within.read('.git/hooks/pre-commit'), /^folder=deep\/data$/m);
    const atTop = await workshop(t, '.', '.');
    assert.equal((await atTop.init('--hook')).exitCode, 0);
    assert.match(atTop.read('.git/hooks/pre-commit'), /^folder=\.$/m);
  });

  it('comes with a new catalogue, in a repository only', async (t) => {
    const { top } = await workshop(t);
    const made = await type(['init', '--hook', 'new/one'], { cwd: top });
    assert.equal(made.out, 'new/one\n');
    assert.match(made.err, /^Added \.git\/hooks\/pre-commit\.\nMade a catalogue in new\/one\./);
    assert.match(readFileSync(join(top, '.git/hooks/pre-commit'), 'utf8'), /^folder=new\/one$/m);
    const outside = await type(['init', '--hook', 'new'], {});
    assert.equal(outside.exitCode, 3);
    assert.match(
      outside.err,
      /A hook or a workflow needs a git repository, and the folder is in none\. Run first: git init/,
    );
    assert.ok(!existsSync(join(outside.cwd, 'new')));
  });
});

describe('init --ci', () => {
  it('adds a workflow that checks what a pull request changes', async (t) => {
    const { init, read, top } = await workshop(t);
    const { err, exitCode } = await init('--ci');
    assert.equal(exitCode, 0);
    assert.match(err, /^Added \.github\/workflows\/catalogue\.yml\.\n/);
    const workflow = parse(read('.github/workflows/catalogue.yml'));
    assert.deepEqual(workflow.on.pull_request.paths, ['data/**', '.github/workflows/catalogue.yml']);
    assert.deepEqual(workflow.permissions, { contents: 'read' });
    const { steps, env } = workflow.jobs.check;
    assert.equal(env.BASE, `origin/\${{ github.base_ref }}`);
    const used = steps.flatMap(({ uses }: { uses?: string }) => uses ?? []);
    assert.deepEqual(
      used.map((action: string) => action.replace(/\d+$/, '<n>')),
      ['actions/checkout@v<n>', 'actions/setup-node@v<n>'],
    );
    assert.equal(steps[0].with['fetch-depth'], 0);
    const commands = steps.flatMap(({ run }: { run?: string }) => run ?? []);
    assert.match(commands[0], /^npm (ci$|install --no-save --no-package-lock .)/);
    assert.deepEqual(commands.slice(1), [
      'node_modules/.bin/catalogue --data data check --changed "$BASE" --format github',
      'node_modules/.bin/catalogue --data data diff "$BASE...HEAD" --format markdown | tee -a "$GITHUB_STEP_SUMMARY"',
    ]);
    assert.match((await init('--ci')).err, /^The workflow exists already/);
    writeFileSync(join(top, '.github/workflows/catalogue.yml'), 'name: Mine\n');
    const mine = await init('--ci');
    assert.deepEqual([mine.exitCode, read('.github/workflows/catalogue.yml')], [5, 'name: Mine\n']);
    assert.match(mine.err, /was not changed\. For a new one, remove it first\./);
  });

  it('is YAML whatever the folder is called, and says nothing of package.json where that names the program', async (t) => {
    const { init, read, top } = await workshop(t, 'it: is #1 "data"');
    writeFileSync(join(top, 'package.json'), '{"devDependencies": {"dataset-catalogue": "*"}}');
    assert.equal((await init('--ci')).err, 'Added .github/workflows/catalogue.yml.\n');
    const { on, jobs } = parse(read('.github/workflows/catalogue.yml'));
    assert.equal(on.pull_request.paths[0], 'it: is #1 "data"/**');
    assert.equal(jobs.check.steps[2].run, 'npm ci');
    assert.match(jobs.check.steps[3].run, /--data 'it: is #1 "data"' check /);
    const atTop = await workshop(t, '.', '.');
    await atTop.init('--ci');
    assert.equal(parse(atTop.read('.github/workflows/catalogue.yml')).on.pull_request, null);
  });

  it('accepts its own workflow, whatever address that installs the program from', async (t) => {
    const { init, read, top } = await workshop(t);
    await init('--ci');
    const path = '.github/workflows/catalogue.yml';
    const other = read(path).replace(/- run: npm .*/, '- run: npm install --no-save x.tgz');
    writeFileSync(join(top, path), other);
    assert.deepEqual([(await init('--ci')).exitCode, read(path)], [0, other]);
  });
});

describe('the address of the program', () => {
  it('is the origin of a clone, at its commit, without a password', async (t) => {
    const { top, root, git } = await makeRepository(content, t);
    assert.equal(await npmInstallAddress(top), null);
    const commit = git('rev-parse', 'HEAD').trim();
    for (const [origin, address] of [
      ['https://bob:secret@example.org/a/b.git', `git+https://example.org/a/b.git#${commit}`],
      ['git@example.org:a/b.git', `git+https://example.org/a/b.git#${commit}`],
      ['ssh://git@example.org/a/b.git', `git+ssh://git@example.org/a/b.git#${commit}`],
      [top, null],
    ] as const) {
      git('config', 'remote.origin.url', origin);
      assert.equal(await npmInstallAddress(top), address);
    }
    git('config', 'remote.origin.url', 'https://example.org/a/b.git');
    assert.equal(await npmInstallAddress(root), null, 'a folder in another repository');
  });

  it('is the one that npm installed the package from', async (t) => {
    const { top } = await makeRepository(content, t);
    const folder = join(top, 'node_modules/dataset-catalogue');
    mkdirSync(folder, { recursive: true });
    for (const [resolved, address] of [
      ['git+ssh://git@example.org/a/b.git#abc', 'git+ssh://git@example.org/a/b.git#abc'],
      ['https://bob:secret@example.org/x.tgz', 'https://example.org/x.tgz'],
      ['https://registry.npmjs.org/dataset-catalogue/-/x-1.2.3.tgz', 'dataset-catalogue@1.2.3'],
      ['file:../x.tgz', null],
    ] as const) {
      const packages = { 'node_modules/dataset-catalogue': { version: '1.2.3', resolved } };
      writeFileSync(join(folder, '../.package-lock.json'), JSON.stringify({ packages }));
      assert.equal(await npmInstallAddress(folder), address);
    }
  });
});

describe('the schemas for editors', () => {
  it('are in a clone of git after any command that opens the folder', async (t) => {
    const { top } = await makeRepository(content, t);
    for (const line of [
      'namespace list',
      'dataset list',
      'check',
      'check --changed HEAD',
      'diff HEAD',
      `backup ${top}.tar.gz`,
    ]) {
      t.after(() => rmSync(`${top}.tar.gz`, { force: true }));
      const clone = join(top, line.replaceAll(/[ /]/g, '-'));
      repositoryAt(top, top).git('clone', '--quiet', top, clone);
      const root = join(clone, 'data');
      const { err, exitCode } = await type(line.split(' '), { root });
      assert.equal(exitCode, 0, err);
      const schema = JSON.parse(readFileSync(join(root, '.catalogue/schemas/dataset.json'), 'utf8'));
      assert.equal(schema.properties.label.type, 'string');
      assert.equal(statSync(join(root, '.catalogue')).mode & 0o777, 0o700);
      assert.equal(repositoryAt(clone, root).git('status', '--porcelain'), '');
    }
  });

  it('are not made by a server that writes nothing', async (t) => {
    const { root } = await makeRepository(content, t);
    const { close } = await serveFolder(root, { readOnly: true });
    await close();
    assert.ok(!existsSync(join(root, '.catalogue')));
  });
});
