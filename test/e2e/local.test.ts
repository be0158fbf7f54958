import assert from 'node:assert/strict';
import { appendFileSync, existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { run, runInto, runUnread, temporaryFolder } from '../support/program.ts';

describe('a catalogue, from its making to its end', () => {
  const home = temporaryFolder();
  after(home.remove);
  const data = (...path: string[]) => join(home.path, 'catalogue-data', ...path);

  /** Runs a command line that has to succeed. */
  const done = async (...args: string[]) => {
    const { exitCode, out, err } = await run(args, { cwd: home.path });
    assert.equal(exitCode, 0, `${args.join(' ')}: ${err}`);
    return { out, err };
  };
  const failed = async (expected: number, ...args: string[]) => {
    const { exitCode, err } = await run(args, { cwd: home.path });
    assert.equal(exitCode, expected, `${args.join(' ')}: ${err}`);
    return err;
  };

  before(async () => {
    assert.match(await failed(1, 'dataset', 'list'), /catalogue init/);
    await done('init', '--title', 'Springfield');
    await done('namespace', 'add', 'parks', '--label', 'Parks department');
    await done('namespace', 'add', 'water', '--label', 'Water works');
  });

  it('has a dataset added, listed, shown, edited, moved and removed', async () => {
    const { out: added } = await done('dataset', 'add', 'parks', '--label', 'Old trees', '--keyword', 'nature');
    assert.equal(added, 'parks/old-trees\n');
    const file = data('namespaces', 'parks', 'datasets', 'old-trees', 'dataset.yaml');
    assert.match(readFileSync(file, 'utf8'), /^id: \d+\nlabel: Old trees\nkeywords:\n {2}- nature\n$/m);

    appendFileSync(file, '# A comment of ours.\nours: 1\n');
    await done('dataset', 'edit', 'parks/old-trees', '--licence', 'CC0-1.0', '--description', 'One\n\nTwo');
    assert.match(readFileSync(file, 'utf8'), /# A comment of ours\.\nours: 1\n/);
    const shown = JSON.parse((await done('dataset', 'show', 'parks/old-trees', '--json')).out);
    assert.deepEqual([shown.licence, shown.description, shown.keywords], ['CC0-1.0', 'One\n\nTwo', ['nature']]);

    await done('dataset', 'edit', 'parks/old-trees', '--slug', 'trees', '--namespace', 'water');
    const moved = await done('dataset', 'show', 'parks/old-trees', '--json');
    assert.equal(JSON.parse(moved.out).id, shown.id);
    assert.match(moved.err, /called water\/trees now/);
    assert.equal((await done('dataset', 'list')).out, 'water/trees\tOld trees\tCC0-1.0\t0\t\n');

    assert.match(await failed(5, 'namespace', 'remove', 'water', '--yes'), /still has/);
    assert.match(await failed(2, 'dataset', 'remove', 'water/trees'), /--yes/);
    await done('dataset', 'remove', 'water/trees', '--yes');
    assert.equal((await done('dataset', 'list')).out, '');
    assert.deepEqual(
      readdirSync(data('namespaces', 'water', 'datasets')).filter((name) => !name.startsWith('.')),
      [],
    );
    assert.equal((await done('check', '--deep')).out, '');
  });

  it('says what is taken, missing or wrong by its exit code', async () => {
    await done('dataset', 'add', 'parks/ponds', '--label', 'Ponds');
    await failed(5, 'dataset', 'add', 'parks/ponds', '--label', 'Ponds');
    await failed(5, 'dataset', 'add', 'parks/PONDS', '--label', 'Ponds');
    await failed(5, 'namespace', 'add', 'parks', '--label', 'Parks');
    await failed(5, 'init');
    await failed(3, 'dataset', 'add', 'forests/oaks', '--label', 'Oaks');
    assert.match(await failed(3, 'dataset', 'show', 'parks/pond'), /Did you mean parks\/ponds\?/);
    await failed(2, 'dataset', 'add', 'parks/x', '--label', '');
    await failed(2, 'dataset', 'shw', 'parks/ponds');
    await failed(1, '--data', 'nowhere', 'dataset', 'list');
  });

  it('changes nothing with --dry-run', async () => {
    const files = () => readdirSync(data('namespaces'), { recursive: true }).sort();
    const earlier = files();
    const { out } = await done('dataset', 'add', 'parks', '--label', 'Play grounds', '--dry-run');
    assert.equal(out, 'Would add dataset parks/play-grounds\n');
    await done('namespace', 'edit', 'water', '--slug', 'wet', '--dry-run');
    await done('namespace', 'remove', 'water', '--dry-run');
    assert.deepEqual(files(), earlier);
  });

  it('keeps all of many datasets that are added at once', async () => {
    const names = Array.from({ length: 5 }, (_, i) => `parks/at-once-${i}`);
    await Promise.all(names.map((name) => done('dataset', 'add', name, '--label', name)));
    const listed = JSON.parse((await done('dataset', 'list', 'parks', '--search', 'at-once', '--json')).out);
    assert.equal(new Set(listed.map(({ id }: { id: number }) => id)).size, 5);
    await Promise.all(names.map((name) => done('dataset', 'remove', name, '--yes')));
  });

  it('checks the files', async () => {
    const file = data('namespaces', 'water', 'namespace.yaml');
    const good = readFileSync(file, 'utf8');
    writeFileSync(file, good.replace('label: Water works', 'label: [1, 2'));
    const { exitCode, out, err } = await run(['check'], { cwd: home.path });
    assert.equal(exitCode, 1);
    assert.match(out, /^catalogue-data\/namespaces\/water\/namespace\.yaml:\d+:\d+: /m);
    assert.match(err, /checked: \d+ errors?/);
    const github = await run(['check', '--format', 'github'], { cwd: home.path });
    assert.match(github.out, /^::error file=catalogue-data\/namespaces\/water\/namespace\.yaml,line=\d+,col=\d+::/m);
    writeFileSync(file, good);
    assert.equal((await done('check')).out, '');
  });

  it('reads a description on stdin', async () => {
    const argv = ['dataset', 'edit', 'parks/ponds', '--description-file', '-'];
    const { exitCode, err } = await run(argv, { cwd: home.path, input: 'Wet.\n' });
    assert.equal(exitCode, 0, err);
    assert.equal(JSON.parse((await done('dataset', 'show', 'parks/ponds', '--json')).out).description, 'Wet.');
  });

  it('ends quietly when nobody reads on', async () => {
    for (const argv of [['--help'], ['dataset', 'list', '--json']])
      assert.deepEqual(await runUnread(argv, { cwd: home.path }), { exitCode: 0, err: '' });
  });

  it('fails when nobody reads a backup to its end: a part of it is no backup', async () => {
    assert.deepEqual(await runUnread(['backup', '-'], { cwd: home.path }), {
      exitCode: 1,
      err: 'error: The reader of the output has stopped before its end.\n',
    });
  });

  it('says that the disk is full when its output goes to a file', async () => {
    const full = await runInto('/dev/full', ['dataset', 'list'], { cwd: home.path });
    assert.deepEqual(full, { exitCode: 1, out: '', err: 'error: The disk is full.\n' });
  });

  it('lies where it is said to lie', async () => {
    const elsewhere = temporaryFolder();
    try {
      const env = { CATALOGUE_DATA: data() };
      const listed = await run(['dataset', 'list', 'parks'], { cwd: elsewhere.path, env });
      assert.match(listed.out, /^parks\/ponds\t/m);
      assert.match((await run(['dataset', 'list'], { cwd: data() })).out, /^parks\/ponds\t/m);
      assert.equal(existsSync(join(elsewhere.path, 'catalogue-data')), false);
    } finally {
      elsewhere.remove();
    }
  });
});
