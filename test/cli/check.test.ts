import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { CheckDiagnostic } from '../../src/files/folder.ts';
import { type PromptOptions, seed, type as typed } from '../support/prompt.ts';
import { makeRepository } from '../support/repository.ts';

const problem = (path: string, line: number, rest: Partial<CheckDiagnostic> = {}): CheckDiagnostic => ({
  path,
  line,
  column: 3,
  pointer: '/label',
  message: 'label must be text.',
  severity: 'error',
  code: 'schema',
  fixable: false,
  ...rest,
});
const report = {
  files: 12,
  fixed: [],
  problems: [
    problem('namespaces/b/namespace.yaml', 2),
    problem('namespaces/a/namespace.yaml', 10),
    problem('namespaces/a/namespace.yaml', 9, {
      severity: 'warning',
      fixable: true,
      message: 'Two\nlines\x1b[2J, 100 %.',
    }),
  ],
};
const clean = { files: 12, fixed: [], problems: [] };

/** Types a command line where the catalogue's folder is the current one. */
const type = (argv: readonly string[], options: PromptOptions) =>
  typed(argv, { cwd: '/', env: { CATALOGUE_DATA: '/' }, ...options });

describe('check', () => {
  it('says what is wrong, where, and how much', async () => {
    const { out, err, exitCode } = await type(['check'], { report });
    assert.equal(
      out,
      [
        'namespaces/a/namespace.yaml:9:3: warning: Two lines\\u001b[2J, 100 %.',
        'namespaces/a/namespace.yaml:10:3: label must be text.',
        'namespaces/b/namespace.yaml:2:3: label must be text.',
        '',
      ].join('\n'),
    );
    assert.equal(err, '12 files checked: 2 errors, 1 warning. catalogue check --fix can fix 1 of them.\n');
    assert.equal(exitCode, 1);
  });

  it('is content with what is right', async () => {
    const { out, err, exitCode } = await type(['check'], { report: clean });
    assert.deepEqual([out, err, exitCode], ['', '12 files checked: no errors.\n', 0]);
  });

  it('is content with warnings', async () => {
    const { err, exitCode } = await type(['check'], { report: { ...report, problems: report.problems.slice(2) } });
    assert.deepEqual([err, exitCode], ['12 files checked: 1 warning. catalogue check --fix can fix 1 of them.\n', 0]);
  });

  it('names the folder in the command that fixes it, and quotes the commit', async () => {
    const changed = { ...report, since: "o'clock" };
    const { err } = await type(['check', '--data', '.'], { report: changed });
    assert.match(err, /\. catalogue check --changed 'o'\\''clock' --fix --data \. can fix 1 of them\.$/m);
  });

  it('says what it has fixed', async () => {
    const fixed = [problem('namespaces/a/namespace.yaml', 1, { message: 'id was used twice.' })];
    const { out, err, exitCode, checks } = await type(['check', '--fix', '--deep'], { report: { ...clean, fixed } });
    assert.equal(out, 'namespaces/a/namespace.yaml:1:3: fixed: id was used twice.\n');
    assert.equal(err, '12 files checked: no errors, 1 fixed.\n');
    assert.equal(exitCode, 0);
    assert.deepEqual(checks, [{ folder: '/', fix: true, deep: true }]);
  });

  it('shows at a terminal how far it is', async () => {
    const { err } = await type(['check'], { report: clean, terminal: true });
    const [steps, rest] = err.split(`\r${' '.repeat('Checking: 100 %'.length)}\r`);
    assert.equal(steps, '\rChecking: 0 %\rChecking: 50 %\rChecking: 100 %');
    assert.equal(rest, '12 files checked: no errors.\n');
  });

  it('fits what it shows into the terminal of stderr, also when that becomes narrower', async () => {
    const columnsOfMessages = [14, 14, 11];
    const { err } = await type(['check'], { report: clean, terminal: true, columnsOfMessages });
    const widths =
      err
        .split('\n')[0]
        ?.split('\r')
        .map((line) => line.length) ?? [];
    assert.deepEqual([widths[1], Math.max(...widths.slice(2, -1))], [13, 10], JSON.stringify(err));
  });

  it('annotates for GitHub, with paths from the current folder', async () => {
    const { out, exitCode } = await type(['check', '--format', 'github'], { report, cwd: '/work' });
    assert.equal(
      out,
      [
        '::error file=../namespaces/b/namespace.yaml,line=2,col=3::label must be text.',
        '::error file=../namespaces/a/namespace.yaml,line=10,col=3::label must be text.',
        '::warning file=../namespaces/a/namespace.yaml,line=9,col=3::Two%0Alines\\u001b[2J, 100 %25.',
        '',
      ].join('\n'),
    );
    assert.equal(exitCode, 1);
    const odd = { ...clean, problems: [problem('site_media/a,b:c%.png', 1)] };
    const named = await type(['check', '--format', 'github'], { report: odd });
    assert.match(named.out, /^::error file=site_media\/a%2Cb%3Ac%25\.png,line=1/);
  });

  it('is JSON when asked for', async () => {
    for (const argv of [
      ['check', '--format', 'json'],
      ['check', '--json'],
    ]) {
      const { out, err, exitCode } = await type(argv, { report });
      // Codes of diagnostics stay in the program: a remote doesn't send them.
      const problems = report.problems.map(({ code, ...diagnostic }) => diagnostic);
      assert.deepEqual([JSON.parse(out), err, exitCode], [{ ...report, problems }, '', 1]);
    }
  });
});

describe('check after a merge', () => {
  it('names the conflicts that git left, and both sides', async (t) => {
    const { root, git, write, commit } = await makeRepository(seed, t);
    const path = 'namespaces/parks/namespace.yaml';
    git('switch', '--quiet', '-c', 'feature');
    write(path, 'id: 1\nlabel: Green\n');
    commit();
    git('switch', '--quiet', 'main');
    write(path, 'id: 1\nlabel: Parks and gardens\n');
    commit();
    assert.throws(() => git('merge', 'feature'));
    const { out, exitCode } = await typed(['check'], { root });
    assert.match(
      out,
      new RegExp(`${path}:2:1: Unresolved merge conflict in lines 2 to 6 \\(HEAD and feature\\): keep `),
    );
    assert.equal(exitCode, 1);
    const edited = await typed(['namespace', 'edit', 'parks', '--label', 'x'], { root });
    assert.match(edited.err, /Unresolved merge conflict in lines 2 to 6/);
  });
});
