/** `edit` without a field, with editors that are programs: what somebody would type, they write. */
import assert from 'node:assert/strict';
import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, it } from 'node:test';
import { makeRoot, type PromptOptions, seed, type } from '../support/prompt.ts';

const record = 'namespaces/parks/datasets/trees/dataset.yaml';
const text = `# Ours.
id: 11
label: "Trees"   # as people say
x-team: green
keywords: [nature]
`;

const content = {
  ...seed,
  groups: { gardeners: { label: 'Gardeners' } },
  users: { alice: { id: 1, name: 'Alice' } },
  queries: { tall: { label: 'Tall', dataset: 'parks/trees' } },
  datasets: { 'parks/benches': { id: 12, label: 'Benches' } },
  files: { ...seed.files, [record]: text },
};

/** A catalogue, and an editor that writes one text after the other, and keeps what it was shown. */
async function desk(...texts: readonly string[]) {
  const root = await makeRoot(content);
  const home = join(dirname(root), 'my "own" editor');
  const TMPDIR = join(dirname(root), 'tmp');
  mkdirSync(home);
  mkdirSync(TMPDIR);
  for (const [n, typed] of texts.entries()) writeFileSync(join(home, `write-${n + 1}`), typed);
  const script = `for file; do :; done
cd "$(dirname "$0")" || exit 1
n=$(( $(ls | grep -c '^seen-') + 1 ))
cp "$file" "seen-$n"
stat -c '%a %n' "$file" > "mode-$n"
if [ -f "write-$n" ]; then cat "write-$n" > "$file"; fi
`;
  writeFileSync(join(home, 'edit.sh'), script);
  const VISUAL = `sh '${home}/edit.sh' --wait`;
  return {
    root,
    read: (path = record) => readFileSync(join(root, path), 'utf8'),
    seen: (n: number) => readFileSync(join(home, `seen-${n}`), 'utf8'),
    mode: (n: number) => readFileSync(join(home, `mode-${n}`), 'utf8').trim(),
    times: () => readdirSync(home).filter((name) => name.startsWith('seen-')).length,
    edit: (argv: readonly string[], options: PromptOptions = {}) =>
      type(argv, { root, terminal: true, ...options, env: { VISUAL, TMPDIR, ...options.env } }),
    left: () => readdirSync(TMPDIR, { recursive: true }).map(String),
  };
}
const trees = ['dataset', 'edit', 'parks/trees'];

describe('edit without a field', () => {
  it('opens the editor on the record, and keeps what is typed as it is typed', async () => {
    const typed = text.replace('"Trees"', "'Old trees'").replace('green', 'blue');
    const { edit, read, seen, mode, times, left } = await desk(typed);
    const { exitCode, err, catalogue } = await edit(trees);
    assert.deepEqual([exitCode, err], [0, 'Changed dataset parks/trees.\n']);
    assert.equal(seen(1), text);
    assert.equal(read(), typed);
    assert.equal(times(), 1);
    const { label } = await catalogue.get<'dataset'>({ kind: 'dataset', namespace: 'parks', slug: 'trees' });
    assert.equal(label, 'Old trees');
    assert.match(mode(1), /^600 .*\/trees\.yaml$/);
    assert.deepEqual(left(), [], 'the file that was edited is gone');
  });

  it('keeps comments that look like those of the program', async () => {
    const typed = `#> By hand.\n${text}`;
    const { edit, read } = await desk(typed);
    assert.equal((await edit(trees)).exitCode, 0);
    assert.equal(read(), typed);
    const { edit: correct, read: corrected } = await desk('label: [', `#> The text was not saved:\n#>\n#>\n${typed}`);
    assert.equal((await correct(trees)).exitCode, 0);
    assert.equal(corrected(), typed);
  });

  it('changes no id', async () => {
    const { edit, read, seen } = await desk(text.replace('id: 11', 'id: 12'), text.replace('id: 11\n', ''));
    const { exitCode, err } = await edit(trees);
    assert.equal(exitCode, 1, err);
    assert.match(seen(2), /^#> id: The id can't be changed\. Write again: id: 11$/m);
    assert.match(seen(3), /^#> id: The id can't be changed/m);
    assert.equal(read(), text);
    const { edit: repair, read: now } = await desk(text.replace('id: 11', 'id: 12'), text.replace('green', 'blue'));
    assert.equal((await repair(trees)).exitCode, 0);
    assert.match(now(), /id: 11\n/);
  });

  it('is there for every kind of record', async () => {
    const targets: readonly [argv: string, path: string][] = [
      ['namespace edit parks', 'namespaces/parks/namespace.yaml'],
      ['group edit gardeners', 'groups/gardeners.yaml'],
      ['user edit alice', 'users/alice.yaml'],
      ['query edit tall', 'queries/tall.yaml'],
      ['version edit parks/trees', 'namespaces/parks/datasets/trees/versions/20200102030405000000.yaml'],
    ];
    for (const [argv, path] of targets) {
      const { edit, read } = await desk();
      const before = read(path);
      const { exitCode, err } = await edit(argv.split(' '), { env: { VISUAL: '', EDITOR: 'echo "# Mine." >>' } });
      assert.equal(exitCode, 0, err);
      assert.match(err, /^Changed /);
      assert.equal(read(path), `${before}# Mine.\n`);
    }
  });

  it('says that nothing changed', async () => {
    const { edit, read } = await desk();
    const { exitCode, err } = await edit(trees);
    assert.deepEqual([exitCode, err], [0, 'Nothing was changed in dataset parks/trees.\n']);
    assert.equal(read(), text);
  });

  it('opens it again with what is wrong at the top, at the line where it stands', async () => {
    const good = text.replace('Trees', 'Oaks');
    const { edit, read, seen } = await desk(text.replace('label', 'visibility'), 'label: [', `#> to go\n${good}`);
    const { exitCode, err } = await edit(trees);
    assert.equal(exitCode, 0, err);
    const shown = seen(2).split('\n');
    assert.equal(shown[0], '#> The text was not saved:');
    const at = shown.findIndex((line) => line.startsWith('visibility:')) + 1;
    assert.ok(
      shown.some((line) => line.startsWith(`#> Line ${at}, column `)),
      seen(2),
    );
    assert.ok(seen(2).endsWith(text.replace('label', 'visibility')));
    assert.equal(seen(3).match(/The text was not saved/g)?.length, 1);
    assert.equal(read(), good);
  });

  it('leaves the record as it is where somebody gives up, and says where the text is', async () => {
    const wrong = text.replace('label', 'visibility');
    const { edit, read, times } = await desk(wrong);
    const { exitCode, err } = await edit(trees);
    assert.equal(exitCode, 1);
    assert.equal(times(), 2);
    const [, kept = ''] = /the one that was refused\. Your text is kept in (.+)\n$/.exec(err) ?? [];
    assert.equal(readFileSync(kept, 'utf8'), wrong);
    assert.equal(statSync(kept).mode & 0o777, 0o600);
    assert.equal(read(), text);
  });

  it('takes an empty file as no', async () => {
    const { edit, read } = await desk('\n\n');
    const { exitCode, err } = await edit(trees);
    assert.deepEqual([exitCode, err], [1, 'error: The text is empty. Nothing was changed.\n']);
    assert.equal(read(), text);
  });

  it('writes nothing over what changed meanwhile', async () => {
    const { edit, root } = await desk();
    const own = `sh -c 'echo "# By another." >> "${join(root, record)}"; echo "# Mine." >> "$0"'`;
    const { exitCode, err } = await edit(trees, { env: { VISUAL: own } });
    assert.equal(exitCode, 5, err);
    const [, kept = ''] = /changed since you read it.* Your text is kept in (.+)\n$/.exec(err) ?? [];
    assert.equal(readFileSync(kept, 'utf8'), `${text}# Mine.\n`);
    assert.equal(readFileSync(join(root, record), 'utf8'), `${text}# By another.\n`);
  });

  it('fixes a record that is broken', async () => {
    const { edit, read, root } = await desk(text);
    writeFileSync(join(root, record), 'label: [');
    const { exitCode, err } = await edit(trees);
    assert.equal(exitCode, 0, err);
    assert.equal(read(), text);
  });

  it('says what is wrong with the editor', async () => {
    const { edit, read } = await desk();
    const missing = await edit(trees, { env: { VISUAL: 'no-such-editor' } });
    assert.equal(missing.exitCode, 1);
    assert.match(missing.err, /The editor no-such-editor was not found\. Set VISUAL or EDITOR/);
    const failing = await edit(trees, { env: { VISUAL: 'sh -c "exit 3"' } });
    assert.match(failing.err, /ended with an error \(3\)/);
    assert.equal(read(), text);
  });

  it('is for a terminal: behind a pipe, and with --dry-run, a field is asked for', async () => {
    const { edit, times } = await desk();
    for (const [argv, terminal] of [
      [trees, false],
      [[...trees, '--dry-run'], true],
    ] as const) {
      const { exitCode, err } = await edit(argv, { terminal });
      assert.equal(exitCode, 2);
      assert.match(err, /Nothing to change: give at least one field/);
    }
    assert.equal(times(), 0);
    const missing = await edit(['dataset', 'edit', 'parks/tree']);
    assert.equal(missing.exitCode, 3);
    assert.match(missing.err, /Did you mean parks\/trees\?/);
  });
});
