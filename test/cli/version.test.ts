import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { describe, it } from 'node:test';
import { UnreachableError } from '../../src/catalogue/errors.ts';
import { representVersion } from '../../src/catalogue/represent.ts';
import { homeOf } from '../support/folder.ts';
import { images } from '../support/images.ts';
import { makeRoot, seed, trees, type } from '../support/prompt.ts';

const first = '20200102030405000000';
const ref = { kind: 'dataset', namespace: 'parks', slug: 'trees' } as const;
const links = { base: '', suffix: '' };
const more = 'name,height,crown\noak,13,2\nelm,nine,3\n';

describe('version add', () => {
  it('takes a file in, names the version, and says what changed', async () => {
    const argv = ['version', 'add', 'parks/trees', 'more.csv', '--notes', 'Counted again', '--label', 'Spring'];
    const { catalogue, out, err, exitCode, files } = await type(argv, { files: { 'more.csv': more } });
    assert.equal(exitCode, 0, err);
    const [version] = (await catalogue.get<'dataset'>(ref)).versions;
    assert.equal(out, `parks/trees@${version?.slug}\n`);
    assert.equal(
      err,
      [
        `Added version parks/trees@${version?.slug}.`,
        'csv, 2 rows, 38 B',
        'Columns: 1 added, 3 dropped, 1 retyped.',
        '  + crown (integer)',
        '  - geometry (geometry)',
        '  - longitude (float)',
        '  - latitude (float)',
        '  ~ height (float → string)',
        '',
      ].join('\n'),
    );
    assert.deepEqual([version?.notes, version?.label, version?.rows], ['Counted again', 'Spring', 2]);
    const { columns } = await catalogue.get<'dataset'>(ref);
    assert.equal(columns.find(({ name }) => name === 'height')?.unit, 'm', 'words stay');
    assert.ok(files().includes(`namespaces/parks/datasets/trees/data/${version?.slug}.csv`));
  });

  it('names a hundred of the columns that a wide table adds, and all that it drops', async () => {
    const names = Array.from({ length: 150 }, (_, n) => `c${n}`);
    const wide = `${names}\n${names.map(() => 1)}\n`;
    const { err } = await type(['version', 'add', 'parks/trees', 'wide.csv', '--force'], {
      files: { 'wide.csv': wide },
    });
    const [, , counts, ...lines] = err.trimEnd().split('\n');
    assert.equal(counts, 'Columns: 150 added, 5 dropped.');
    assert.deepEqual([lines[0], lines[99], lines[100]], ['  + c0 (integer)', '  + c99 (integer)', '    … and 50 more']);
    assert.deepEqual(
      lines.slice(101, 106).map((line) => line.slice(0, 4)),
      Array(5).fill('  - '),
    );
  });

  it('takes its label and notes as an edit and a remote take them', async () => {
    const given = (...options: string[]) =>
      type(['version', 'add', 'parks/trees', 'more.csv', ...options], { files: { 'more.csv': more } });
    const blank = await given('--label', '');
    assert.deepEqual([blank.exitCode, blank.err], [2, 'error: --label: This field may not be blank.\n']);
    const { catalogue } = await given('--label', 'Spring ', '--notes', ' Counted again');
    const [version] = (await catalogue.get<'dataset'>(ref)).versions;
    assert.deepEqual([version?.label, version?.notes], ['Spring', 'Counted again']);
  });

  it('reads stdin, under the name that is given', async () => {
    const rows = '{"type":"FeatureCollection","features":[]}';
    const { catalogue, exitCode, err } = await type(['version', 'add', 'parks/benches', '-', '--name', 'b.geojson'], {
      files: { '-': rows },
    });
    assert.equal(exitCode, 0, err);
    const [version] = (await catalogue.get<'dataset'>({ ...ref, slug: 'benches' })).versions;
    assert.deepEqual([version?.format, version?.size], ['geojson', rows.length]);
  });

  it('makes no version of the same bytes', async () => {
    const before = (await type(['check'])).files();
    const { out, err, exitCode, files } = await type(['version', 'add', 'parks/trees', 'trees.csv'], {
      files: { 'trees.csv': trees },
    });
    assert.deepEqual([exitCode, out], [0, `parks/trees@${first}\n`]);
    assert.equal(err, `No version was added: the newest, parks/trees@${first}, has the same bytes.\n`);
    assert.deepEqual(files(), before);
  });

  it('says of the same bytes that their version is withdrawn, or that they were missing', async () => {
    const root = await makeRoot();
    await type(['version', 'edit', `parks/trees@${first}`, '--ready', 'false'], { root });
    const argv = ['version', 'add', 'parks/trees', '-'];
    const same = `No version was added: the newest, parks/trees@${first}, has the same bytes.\n`;
    const withdrawn = `It is a draft, or was withdrawn. To publish it, type: catalogue version edit parks/trees@${first} --ready true\n`;
    assert.equal((await type(argv, { root, files: { '-': trees } })).err, same + withdrawn);
    // As typed, it is for the folder that was named.
    const named = await type([...argv, '--data', root], { root, files: { '-': trees } });
    assert.equal(named.err, same + withdrawn.replace('\n', ` --data ${root}\n`));
    await type(['version', 'edit', `parks/trees@${first}`, '--ready', 'true'], { root });
    rmSync(join(root, homeOf('parks/trees'), 'data/trees.csv'));
    const missing = 'Its payload was missing: these bytes take its place.\n';
    const dry = await type([...argv, '--dry-run'], { root, files: { '-': trees } });
    assert.equal(dry.out, same.replace('No version was added', 'Would add no version').replace('.\n', '\n') + missing);
    const { err, catalogue } = await type(argv, { root, files: { '-': trees } });
    assert.equal(err, same + missing);
    assert.deepEqual(
      (await catalogue.get<'dataset'>(ref)).versions.map(({ ready }) => ready),
      [true],
    );
  });

  it('leaves nothing of what is refused', async () => {
    const root = await makeRoot();
    const { files: before } = await type(['check'], { root });
    const cases: readonly [content: string | Buffer, options: string[], exitCode: number, message: RegExp][] = [
      ['{"type":"FeatureCollection","features":[{', [], 2, /^error: x\.geojson: /],
      ['a,b\n1,2\n', ['--checksum', '0'.repeat(64)], 2, /^error: --checksum: The bytes have the checksum/],
      [`version https://git-lfs.github.com/spec/v1\noid sha256:${'a'.repeat(64)}\nsize 1\n`, [], 2, /Git LFS pointer/],
      ['a,b\n', ['--checksum', 'abc'], 2, /must be 64 hexadecimal digits/],
    ];
    for (const dry of [[], ['--dry-run']])
      for (const [content, options, expected, message] of cases) {
        const name = String(content).startsWith('{') ? 'x.geojson' : 'x.csv';
        const argv = ['version', 'add', 'parks/trees', name, ...options, ...dry];
        const { exitCode, out, err, files } = await type(argv, { root, files: { [name]: content } });
        assert.equal(exitCode, expected, err);
        assert.match(err, message);
        assert.equal(out, '');
        assert.deepEqual(files(), before());
      }
  });

  it('says which file or dataset is missing', async () => {
    const missing = await type(['version', 'add', 'parks/trees', 'no.csv']);
    assert.deepEqual([missing.exitCode, missing.err], [1, 'error: no.csv: There is no such file or folder.\n']);
    const folder = await type(['version', 'add', 'parks/trees', '.']);
    assert.deepEqual([folder.exitCode, folder.err], [1, 'error: .: It is a folder, not a file.\n']);
    const dataset = await type(['version', 'add', 'parks/tres', 'no.csv']);
    assert.deepEqual(
      [dataset.exitCode, dataset.err],
      [3, 'error: There is no dataset parks/tres. Did you mean parks/trees?\n'],
    );
  });

  it('of a new dataset that can not be removed again says so', async () => {
    const lost = () => Promise.reject(new UnreachableError('The connection was cut off.'));
    const argv = ['publish', 'x.csv', '--to', 'parks/new'];
    const files = { 'x.csv': 'a\n1\n' };
    const cut = await type(argv, { files, faults: { publish: lost, remove: lost } });
    const kept = 'The dataset parks/new was added, and could not be removed again.';
    assert.deepEqual([cut.exitCode, cut.err], [6, `${kept}\nerror: The connection was cut off.\n`]);
    const interrupted = Promise.resolve();
    const stopped = await type(argv, { files, faults: { publish: lost, remove: lost }, interrupted });
    assert.deepEqual([stopped.exitCode, stopped.err], [130, `error: Interrupted. ${kept}\n`]);
  });

  it('is stopped by Ctrl-C, though no more bytes come', async () => {
    const root = await makeRoot();
    const { files: before } = await type(['check'], { root });
    const started = Date.now();
    const stdin = new Readable({ read() {} });
    stdin.push('name,height\noak,3\n');
    const interrupted = new Promise<void>((resolve) => setTimeout(resolve, 100));
    const argv = ['version', 'add', 'parks/trees', '-', '--name', 'x.csv'];
    const { exitCode, out, err, files } = await type(argv, { root, stdin, interrupted });
    assert.deepEqual([exitCode, out, err], [130, '', 'error: Interrupted. Nothing was kept.\n']);
    assert.deepEqual(files(), before());
    assert.ok(Date.now() - started < 5000);
  });

  it('leaves nothing where the source breaks off', async () => {
    const root = await makeRoot();
    const { files: before } = await type(['check'], { root });
    const failure = Object.assign(new Error('EIO: input/output error'), { code: 'EIO' });
    let reads = 0;
    const stdin = new Readable({
      read() {
        if (reads++ === 0) this.push('name,height\noak,3\n');
        else this.destroy(failure);
      },
    });
    const { exitCode, files } = await type(['version', 'add', 'parks/trees', '-', '--name', 'x.csv'], { root, stdin });
    assert.equal(exitCode, 1);
    assert.deepEqual(files(), before());
  });

  it('says what it would be with --dry-run', async () => {
    const root = await makeRoot();
    const { files: before } = await type(['check'], { root });
    const argv = ['version', 'add', 'parks/trees', 'more.csv', '--dry-run'];
    const { out, err, exitCode, files } = await type(argv, { root, files: { 'more.csv': more } });
    assert.deepEqual([exitCode, err], [0, '']);
    assert.match(out, /^Would add a version to dataset parks\/trees: csv, 2 rows, 38 B\nColumns: 1 added/);
    assert.deepEqual(files(), before());
    const same = await type(['version', 'add', 'parks/trees', '-', '--dry-run'], { root, files: { '-': trees } });
    assert.equal(same.out, `Would add no version: the newest, parks/trees@${first}, has the same bytes\n`);
    const json = await type([...argv, '--json'], { root });
    const told = JSON.parse(json.out);
    assert.deepEqual([told.created, told.rows, told.changes.added.length], [true, 2, 1]);
    assert.equal(told.checksum, createHash('sha256').update(more).digest('hex'));
  });

  it('shows a bar at a terminal only', async () => {
    const files = { 'more.csv': more };
    const seen = await type(['version', 'add', 'parks/trees', 'more.csv'], { files, terminal: true });
    assert.match(seen.err, /^\rUploading more\.csv {2}\[#+\] 100 % {2}38 B\r +\rAdded version/);
    assert.equal(seen.out, '');
    const piped = await type(['version', 'add', 'parks/trees', '-', '--name', 'a.csv'], {
      files: { '-': more },
      terminal: true,
    });
    assert.match(piped.err, /^\rUploading a\.csv {2}38 B\r/, 'bytes where nobody knows how many there will be');
  });

  it('prints what the API would answer', async () => {
    const { out, catalogue } = await type(['version', 'add', 'parks/trees', '-', '--name', 'a.csv', '--json'], {
      files: { '-': more },
    });
    const [version] = (await catalogue.get<'dataset'>(ref)).versions;
    assert.deepEqual(JSON.parse(out), version && representVersion(version, links));
  });
});

describe('version', () => {
  it('is listed, with sizes that people can read', async () => {
    const piped = await type(['version', 'list', 'parks/trees']);
    assert.equal(piped.out, `${first}\t2020-01-02T03:04:05.000Z\tcsv\t3\t80\tyes\n`);
    const seen = await type(['version', 'list', 'parks/trees'], { terminal: true });
    assert.equal(
      seen.out,
      [
        'VERSION               DATETIME          FORMAT  ROWS  SIZE  READY',
        '20200102030405000000  2020-01-02 03:04  csv     3     80 B  yes',
        '',
      ].join('\n'),
    );
    const none = await type(['version', 'list', 'parks/benches'], { terminal: true });
    assert.equal(none.err, 'No versions. Add one with: catalogue version add parks/benches FILE\n');
  });

  it('is shown, the newest where none is named', async () => {
    for (const name of ['parks/trees', 'parks/trees@latest', `parks/trees@${first}`]) {
      const { out, catalogue } = await type(['version', 'show', name, '--json']);
      const version = await catalogue.get<'version'>({
        kind: 'version',
        namespace: 'parks',
        dataset: 'trees',
        slug: first,
      });
      assert.deepEqual(JSON.parse(out), representVersion(version, links));
    }
    assert.match(
      (await type(['version', 'show', 'parks/trees'])).out,
      /^version\tparks\/trees@2020.*\n(.*\n)+rows\t3\n/,
    );
  });

  it('that is not there is guessed from its first digits', async () => {
    const cases: readonly [name: string, message: RegExp][] = [
      ['parks/trees@2020', new RegExp(`Did you mean parks/trees@${first}\\?`)],
      ['parks/trees@x', /There is no version parks\/trees@x\. See: catalogue version list parks\/trees/],
      ['parks/benches', /parks\/benches has no version yet\. Add one with: catalogue version add parks\/benches FILE/],
      ['parks/tres@latest', /There is no dataset parks\/tres\. Did you mean parks\/trees\?/],
    ];
    for (const [name, message] of cases)
      for (const verb of ['show', 'remove']) {
        const { exitCode, err } = await type(['version', verb, name, ...(verb === 'remove' ? ['--yes'] : [])]);
        assert.equal(exitCode, 3, err);
        assert.match(err, message);
      }
  });

  it('is withdrawn and brought back', async () => {
    const root = await makeRoot();
    const edited = await type(['version', 'edit', 'parks/trees@latest', '--ready', 'false', '--notes', 'Wrong'], {
      root,
    });
    assert.equal(edited.err, `Changed version parks/trees@${first}.\n`);
    const { err, exitCode } = await type(['version', 'show', 'parks/trees'], { root });
    assert.deepEqual(
      [exitCode, err],
      [3, 'error: No version of parks/trees is ready. See: catalogue version list parks/trees\n'],
    );
    assert.match((await type(['version', 'list', 'parks/trees'], { root })).out, /\tno\n$/);
    const back = await type(['version', 'edit', `parks/trees@${first}`, '--ready', 'true', '--json'], { root });
    assert.deepEqual([JSON.parse(back.out).ready, JSON.parse(back.out).notes], [true, 'Wrong']);
    const nothing = await type(['version', 'edit', `parks/trees@${first}`], { root });
    assert.equal(nothing.exitCode, 2);
    const dry = await type(['version', 'edit', 'parks/trees', '--label', 'X', '--dry-run', '--json'], { root });
    assert.equal(JSON.parse(dry.out).label, 'X');
  });

  it('is removed with its data, after a question', async () => {
    const { exitCode, questions, root, files } = await type(['version', 'remove', 'parks/trees@latest'], {
      terminal: true,
      answer: true,
    });
    assert.equal(exitCode, 0);
    assert.deepEqual(questions, [`Remove version parks/trees@${first} and its data?`]);
    assert.deepEqual(
      files().filter((path) => path.includes(first) || path.endsWith('trees.csv')),
      [],
    );
    assert.deepEqual(readdirSync(join(root, 'namespaces/parks/datasets/trees/data')), []);
    const kept = await type(['version', 'remove', 'parks/trees', '--dry-run']);
    assert.equal(kept.out, `Would remove version parks/trees@${first}\n`);
    assert.ok(existsSync(join(kept.root, 'namespaces/parks/datasets/trees/data/trees.csv')));
  });
});

describe('publish', () => {
  const files = { 'street_trees.csv': trees };

  it('makes dataset and version in one go', async () => {
    const argv = ['publish', 'street_trees.csv', '--to', 'parks/street', '--licence', 'CC0-1.0', '--notes', 'First'];
    const { out, err, exitCode, catalogue } = await type(argv, { files });
    assert.equal(exitCode, 0, err);
    assert.match(out, /^parks\/street@\d{20}\n$/);
    assert.match(
      err,
      /^Added dataset parks\/street\.\nAdded version parks\/street@\d+\.\ncsv, 3 rows, 80 B\nColumns: 5 added/,
    );
    const dataset = await catalogue.get<'dataset'>({ ...ref, slug: 'street' });
    assert.deepEqual([dataset.label, dataset.licence, dataset.versions[0]?.notes], ['Street', 'CC0-1.0', 'First']);
  });

  it('derives the label from the name that is given, unless the file has the same in other letters', async () => {
    for (const [file, slug, label] of [
      ['export_2024-05-01.csv', 'old-oaks', 'Old oaks'],
      ['Bäume.csv', 'baume', 'Bäume'],
      ['-', 'old_oaks', 'Old oaks'],
    ] as const) {
      const { catalogue } = await type(['publish', file, '--to', `parks/${slug}`], { files: { [file]: more } });
      assert.equal((await catalogue.get<'dataset'>({ ...ref, slug })).label, label);
    }
  });

  it('derives the name from the label, or from the file', async () => {
    const labelled = await type(['publish', 'street_trees.csv', '--to', 'parks', '--label', 'Old oaks'], { files });
    assert.match(labelled.out, /^parks\/old-oaks@/);
    const { out, root } = await type(['publish', 'street_trees.csv', '--to', 'parks'], { files });
    assert.match(out, /^parks\/street-trees@/);
    const again = await type(['publish', '-', '--name', 'street_trees.csv', '--to', 'parks'], {
      root,
      files: { '-': more },
    });
    assert.match(again.out, /^parks\/street-trees@/);
    assert.doesNotMatch(again.err, /Added dataset/);
    const nameless = await type(['publish', '-', '--to', 'parks'], { files: { '-': more } });
    assert.equal(nameless.exitCode, 2);
    assert.match(nameless.err, /The dataset needs a name: give --label …, or --to <namespace>\/<dataset>/);
  });

  it('keeps the hyphens of a date in a label that is made of the file’s name, or of the dataset’s', async () => {
    for (const [file, to, name, label] of [
      ['export_2024-05-01.csv', 'parks', 'export-2024-05-01', 'Export 2024-05-01'],
      ['a.csv', 'parks/counts_2024-05', 'counts_2024-05', 'Counts 2024-05'],
      ['trees-2020-2021_v2.csv', 'parks', 'trees-2020-2021-v2', 'Trees 2020 2021 v2'],
    ] as const) {
      const { err, out, catalogue } = await type(['publish', file, '--to', to], { files: { [file]: more } });
      assert.match(out, new RegExp(`^parks/${name}@`), err);
      assert.equal((await catalogue.get<'dataset'>({ ...ref, slug: name })).label, label);
    }
  });

  it('changes the dataset that is there, when the version is in', async () => {
    const argv = ['publish', 'more.csv', '--to', 'parks/trees', '--label', 'Oaks', '--keyword', 'old'];
    const { err, catalogue, exitCode } = await type(argv, { files: { 'more.csv': more } });
    assert.equal(exitCode, 0, err);
    const { label, keywords, licence, versions } = await catalogue.get<'dataset'>(ref);
    assert.deepEqual([label, keywords, licence, versions.length], ['Oaks', ['old'], 'CC0-1.0', 2]);
    assert.match(err, /^Changed dataset parks\/trees\.\nAdded version/);
  });

  it('says nothing of the dataset where the fields that are given are there already', async () => {
    const argv = ['publish', 'more.csv', '--to', 'parks/trees', '--label', 'Trees', '--visibility', 'public'];
    const root = await makeRoot();
    const files = { 'more.csv': more };
    const planned = await type([...argv, '--dry-run'], { root, files });
    assert.match(planned.out, /^Would add a version to dataset parks\/trees/);
    assert.match((await type(argv, { root, files })).err, /^Added version/);
    assert.match((await type(argv, { root, files })).err, /^No version was added/);
  });

  it('closes a dataset before the new version is in, and opens it afterwards', async () => {
    const refused = ['--checksum', '0'.repeat(64)];
    const cases: readonly [dataset: string, options: string[], fields: object][] = [
      ['parks/trees', ['--visibility', 'private'], { visibility: 'private', readers: [] }],
      ['parks/trees', ['--reader', 'gardeners'], { visibility: 'public', readers: ['gardeners'] }],
      ['water/wells', ['--visibility', 'public'], { visibility: 'private', readers: [] }],
    ];
    for (const [dataset, options, fields] of cases) {
      const argv = ['publish', 'more.csv', '--to', dataset, ...options, ...refused];
      const withGroup = { ...seed, groups: { gardeners: { id: 41, label: 'Gardeners', members: [] } } };
      const { err, catalogue, exitCode } = await type(argv, { seed: withGroup, files: { 'more.csv': more } });
      assert.equal(exitCode, 2, err);
      const [namespace = '', slug = ''] = dataset.split('/');
      const { visibility, readers } = await catalogue.get<'dataset'>({ ...ref, namespace, slug });
      assert.deepEqual({ visibility, readers }, fields, options.join(' '));
      assert.equal(err.startsWith(`Changed dataset ${dataset}.\n`), options[1] !== 'public', err);
    }
  });

  it('leaves no dataset of what is refused', async () => {
    const root = await makeRoot();
    const before = readdirSync(join(root, 'namespaces/parks/datasets'));
    const cases: readonly [argv: string[], exitCode: number, message: RegExp][] = [
      [['--to', 'parks/x', '--checksum', '0'.repeat(64)], 2, /The bytes have the checksum/],
      [['--to', 'prks/x'], 3, /no namespace prks\. Did you mean parks\? Add it with: catalogue namespace add prks/],
      [['--to', 'parks/trees', '--label', ''], 2, /--label: This field may not be blank/],
      [['--to', 'parks/x', '--visibility', 'secret'], 2, /Allowed choices/],
      [['--to', 'parks/x', '--image', 'photo.png', '--checksum', '0'.repeat(64)], 2, /The bytes have the checksum/],
      [['--to', 'parks/x', '--image', 'more.csv'], 2, /--image: Upload a valid image/],
    ];
    for (const [options, expected, message] of cases) {
      const files = { 'more.csv': more, 'photo.png': images.png };
      const { exitCode, err } = await type(['publish', 'more.csv', ...options], { root, files });
      assert.equal(exitCode, expected, err);
      assert.match(err, message);
    }
    const stopped = await type(['publish', '-', '--to', 'parks/y'], {
      root,
      stdin: new Readable({ read() {} }),
      interrupted: new Promise((resolve) => setTimeout(resolve, 50)),
    });
    assert.equal(stopped.exitCode, 130);
    assert.deepEqual(
      readdirSync(join(root, 'namespaces/parks/datasets')).filter((name) => !name.startsWith('.')),
      before,
    );
    assert.equal(
      readFileSync(join(root, 'namespaces/parks/datasets/trees/dataset.yaml'), 'utf8').includes('Trees'),
      true,
    );
    assert.equal((await type(['version', 'list', 'parks/trees'], { root })).out.split('\n').length, 2);
    assert.equal((await type(['trash', 'list'], { root })).out, '');
    assert.ok(!existsSync(join(root, 'site_media')));
  });

  it('says what it would do with --dry-run', async () => {
    const root = await makeRoot();
    const { files: before } = await type(['check'], { root });
    const made = await type(['publish', 'street_trees.csv', '--to', 'parks', '--dry-run'], { root, files });
    assert.match(
      made.out,
      /^Would add dataset parks\/street-trees\nWould add a version to dataset parks\/street-trees: csv, 3 rows, 80 B\n/,
    );
    const changed = await type(['publish', 'more.csv', '--to', 'parks/trees', '--licence', 'X', '--dry-run'], {
      root,
      files: { 'more.csv': more },
    });
    assert.match(changed.out, /^Would change dataset parks\/trees\nWould add a version/);
    assert.deepEqual(changed.files(), before());
  });
});
