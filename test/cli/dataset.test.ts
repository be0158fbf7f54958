import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { representDataset, representNamespace } from '../../src/catalogue/represent.ts';
import { filesIn, makeRoot, seed, type } from '../support/prompt.ts';

const trees = { kind: 'dataset', namespace: 'parks', slug: 'trees' } as const;
const links = { base: '', suffix: '' };

/** What every file says. */
const contents = (root: string) => filesIn(root).map((path) => [path, readFileSync(join(root, path), 'utf8')]);

describe('dataset add', () => {
  it('takes every field', async () => {
    const { catalogue, exitCode, out, err } = await type([
      ...[
        'dataset',
        'add',
        'parks/lawns',
        '--label',
        'Lawns',
        '--description',
        'Green.',
        '--image',
        '/site_media/a.png',
      ],
      ...[
        '--showcase-image',
        'https://example.org/b.png',
        '--thumbnail-image',
        '',
        '--keyword',
        'grass',
        '--keyword',
        'green',
      ],
      ...[
        '--licence',
        'CC0-1.0',
        '--homepage',
        'https://example.org',
        '--publisher',
        'P',
        '--contact',
        'c@example.org',
      ],
      ...['--visibility', 'private', '--links', 'Map of all=https://example.org/?a=b'],
      ...['--issued', '2020-01-31', '--modified', '2024-02-29T12:00:00Z'],
    ]);
    assert.equal(exitCode, 0, err);
    assert.equal(out, 'parks/lawns\n');
    assert.equal(err, 'Added dataset parks/lawns.\n');
    const { id: _id, ...fields } = await catalogue.get<'dataset'>({
      kind: 'dataset',
      namespace: 'parks',
      slug: 'lawns',
    });
    assert.deepEqual(fields, {
      kind: 'dataset',
      namespace: 'parks',
      slug: 'lawns',
      label: 'Lawns',
      description: 'Green.',
      image: '/site_media/a.png',
      showcase_image: 'https://example.org/b.png',
      thumbnail_image: '',
      keywords: ['grass', 'green'],
      licence: 'CC0-1.0',
      former_names: {},
      missing_columns: [],
      homepage: 'https://example.org',
      publisher: 'P',
      contact: 'c@example.org',
      issued: '2020-01-31',
      modified: '2024-02-29T12:00:00Z',
      links: { 'Map of all': 'https://example.org/?a=b' },
      source: {},
      visibility: 'private',
      readers: [],
      reading: {},
      columns: [],
      aliases: [],
      versions: [],
    });
  });

  it('derives the name from the label, and says it', async () => {
    const piped = await type(['dataset', 'add', 'parks', '--label', 'Straße Ørsted']);
    assert.equal(piped.out, 'parks/strasse-orsted\n');
    const seen = await type(['dataset', 'add', 'parks', '--label', 'Straße Ørsted'], { terminal: true });
    assert.equal(seen.out, '');
    assert.equal(seen.err, 'Added dataset parks/strasse-orsted.\n');
  });

  it('reads the description from a file or stdin', async () => {
    const files = {
      'about.md': '\ufeffFirst.\n\nSecond.\n',
      'crlf.md': '\ufeffFirst.\r\n\r\nSecond.\r\n',
      'cr.md': 'First.\r\rSecond.\r',
      '-': 'Piped.',
    };
    for (const [name, text] of [
      ['about.md', 'First.\n\nSecond.'],
      ['crlf.md', 'First.\n\nSecond.'],
      ['cr.md', 'First.\n\nSecond.'],
      ['-', 'Piped.'],
    ] as const) {
      const argv = ['dataset', 'edit', 'parks/trees', '--description-file', name];
      const { catalogue, err } = await type(argv, { files });
      assert.equal((await catalogue.get<'dataset'>(trees)).description, text, err);
    }
    const missing = await type(['dataset', 'edit', 'parks/trees', '--description-file', 'no.md'], { files });
    assert.equal(missing.err, 'error: no.md: There is no such file or folder.\n');
    assert.equal(missing.exitCode, 1);
  });

  it('says that a name is taken', async () => {
    for (const name of ['parks/trees', 'parks/Trees']) {
      const { exitCode, err } = await type(['dataset', 'add', name, '--label', 'Trees', '--dry-run']);
      assert.equal(exitCode, 5);
      assert.match(err, /There is a dataset parks\/trees already.*catalogue dataset edit parks\/trees/);
    }
    const { exitCode } = await type(['dataset', 'add', 'parks', '--label', 'Trees']);
    assert.equal(exitCode, 5);
  });

  it('says how to add the namespace that is missing', async () => {
    for (const dry of [[], ['--dry-run']]) {
      const { exitCode, err } = await type(['dataset', 'add', 'prks/x', '--label', 'X', ...dry]);
      assert.equal(exitCode, 3);
      assert.match(err, /no namespace prks\. Did you mean parks\? Add it with: catalogue namespace add prks --label …/);
    }
  });

  it('prints what the API would answer', async () => {
    const { catalogue, out } = await type(['dataset', 'add', 'parks/x', '--label', 'X', '--json']);
    const added = await catalogue.get<'dataset'>({ kind: 'dataset', namespace: 'parks', slug: 'x' });
    assert.deepEqual(JSON.parse(out), representDataset(added, links));
  });
});

describe('dataset list', () => {
  it('is tab-separated behind a pipe', async () => {
    const { out } = await type(['dataset', 'list']);
    assert.equal(
      out,
      [
        'parks/benches\tBenches\t\t0\t',
        'parks/trees\tTrees\tCC0-1.0\t1\t2020-01-02T03:04:05.000Z',
        'water/wells\t井戸\t\t0\t',
        '',
      ].join('\n'),
    );
  });

  it('is a table at a terminal', async () => {
    const { out } = await type(['dataset', 'list'], { terminal: true });
    assert.equal(
      out,
      [
        'DATASET        LABEL    LICENCE  VERSIONS  UPDATED',
        'parks/benches  Benches           0',
        'parks/trees    Trees    CC0-1.0  1         2020-01-02',
        'water/wells    井戸              0',
        '',
      ].join('\n'),
    );
  });

  it('is the objects of the API as JSON', async () => {
    const { out, catalogue } = await type(['dataset', 'list', 'parks', '--json']);
    const { items } = await catalogue.list('dataset', { namespace: 'parks' });
    assert.deepEqual(
      JSON.parse(out),
      items.map((dataset) => representDataset(dataset, links)),
    );
    const settings = { base_url: 'https://data.example.org/' };
    const [first] = JSON.parse((await type(['dataset', 'list', '--json'], { seed: { ...seed, settings } })).out);
    assert.equal(first.url, 'https://data.example.org/api/v1/namespaces/parks/datasets/benches/');
  });

  it('filters, searches, orders and limits', async () => {
    const names = async (...argv: string[]) => {
      const { out, err, exitCode } = await type(['dataset', 'list', ...argv]);
      assert.equal(exitCode, 0, err);
      return out
        .split('\n')
        .filter(Boolean)
        .map((line) => line.split('\t')[0]);
    };
    assert.deepEqual(await names('water'), ['water/wells']);
    assert.deepEqual(await names('--namespace', 'water'), ['water/wells']);
    assert.deepEqual(await names('--search', 'SIT'), ['parks/benches']);
    assert.deepEqual(await names('--keyword', 'nature', '--keyword', 'other'), ['parks/trees']);
    assert.deepEqual(await names('--licence', 'CC0-1.0'), ['parks/trees']);
    assert.deepEqual(await names('--type', 'geometry'), ['parks/trees']);
    assert.deepEqual(await names('--visibility', 'private'), ['water/wells']);
    assert.deepEqual(await names('--ready', 'true'), ['parks/trees']);
    assert.deepEqual(await names('--ordering', '-slug', '--limit', '2'), ['water/wells', 'parks/trees']);
  });

  it('follows all pages', async () => {
    const datasets = Object.fromEntries(
      Array.from({ length: 25 }, (_, i) => [`parks/d${i}`, { id: i + 1, label: `D ${i}` }]),
    );
    const { namespaces = {} } = seed;
    const root = await makeRoot({ namespaces, settings: { page_size: 5, max_page_size: 10 }, datasets });
    const listed = async (...argv: string[]) =>
      JSON.parse((await type(['dataset', 'list', '--json', ...argv], { root })).out) as unknown[];
    assert.equal((await listed()).length, 25);
    assert.equal((await listed('--limit', '12')).length, 12);
  });

  it('says that there is nothing to people only', async () => {
    const nothing = ['dataset', 'list', '--search', 'nonesuch'];
    const seen = await type(nothing, { terminal: true });
    assert.deepEqual([seen.out, seen.err, seen.exitCode], ['', 'No datasets.\n', 0]);
    const piped = await type(nothing);
    assert.deepEqual([piped.out, piped.err, piped.exitCode], ['', '', 0]);
    assert.equal((await type([...nothing, '--json'])).out, '[]\n');
  });

  it('knows an unknown namespace', async () => {
    const { exitCode, err } = await type(['dataset', 'list', 'watr']);
    assert.equal(exitCode, 3);
    assert.match(err, /no namespace watr\. Did you mean water\?/);
  });
});

describe('dataset show', () => {
  it('shows fields, columns and versions', async () => {
    const seen = await type(['dataset', 'show', 'parks/trees'], { terminal: true });
    assert.match(seen.out, /^dataset {5}parks\/trees\nlabel {7}Trees\nid/);
    assert.match(seen.out, /\nColumns \(5\)\nNAME +TYPE.*\ngeometry +geometry\n(.*\n)*height +float +m\n/);
    assert.match(seen.out, /\nVersions \(1\)\nVERSION.*\n20200102030405000000 +\d+ years ago +yes +csv +3 +80 B\n/);
    const piped = await type(['dataset', 'show', 'parks/trees']);
    assert.match(piped.out, /^dataset\tparks\/trees\nlabel\tTrees\nid\t11\n/);
    assert.match(
      piped.out,
      /\ncolumn\tgeometry\tgeometry\t\t\t\n(column.*\n)+version\t20200102030405000000\t2020-01-02T03/,
    );
  });

  it('prints the object of the API', async () => {
    const { out, catalogue } = await type(['dataset', 'show', 'parks/trees', '--json']);
    assert.deepEqual(JSON.parse(out), representDataset(await catalogue.get<'dataset'>(trees), links));
  });

  it('suggests what was probably meant', async () => {
    const { exitCode, err } = await type(['dataset', 'show', 'parks/tres']);
    assert.equal(exitCode, 3);
    assert.equal(err, 'error: There is no dataset parks/tres. Did you mean parks/trees?\n');
    assert.match((await type(['dataset', 'show', 'parks/quarries'])).err, /See: catalogue dataset list parks/);
    assert.match((await type(['dataset', 'show', 'forests/quarries'])).err, /There is no namespace forests/);
  });
});

describe('dataset edit', () => {
  it('changes what is given and leaves the rest', async () => {
    const { catalogue, err } = await type(['dataset', 'edit', 'parks/trees', '--label', 'Oaks', '--keyword', '']);
    assert.equal(err, 'Changed dataset parks/trees.\n');
    const { label, keywords, licence } = await catalogue.get<'dataset'>(trees);
    assert.deepEqual({ label, keywords, licence }, { label: 'Oaks', keywords: [], licence: 'CC0-1.0' });
  });

  it('says that nothing was changed where what is given is there already', async () => {
    const edit = ['dataset', 'edit', 'parks/trees', '--label', 'Trees', '--licence', 'CC0-1.0'];
    const { err, out, exitCode, root } = await type(edit);
    assert.deepEqual([err, out, exitCode], ['Nothing was changed in dataset parks/trees.\n', 'parks/trees\n', 0]);
    const asJson = await type([...edit, '--json'], { root });
    assert.equal(asJson.err, err);
    assert.equal(JSON.parse(asJson.out).label, 'Trees');
    const planned = await type([...edit, '--dry-run'], { root });
    assert.equal(planned.out, 'Nothing would change in dataset parks/trees\n');
    const column = ['column', 'edit', 'parks/trees', 'height', '--unit', 'cm'];
    assert.equal((await type(column, { root })).err, 'Changed column height of dataset parks/trees.\n');
    assert.equal((await type(column, { root })).err, 'Nothing was changed in column height of dataset parks/trees.\n');
  });

  it('writes nothing where what is given is what goes without it', async () => {
    const root = await makeRoot({ ...seed, users: { ann: { id: 1 } } });
    const texts = () => Object.fromEntries(filesIn(root).map((path) => [path, readFileSync(join(root, path), 'utf8')]));
    const before = texts();
    for (const [name, ...options] of [
      ['dataset parks/trees', '--visibility', 'public', '--description', '', '--reader', ''],
      ['namespace water', '--visibility', 'public', '--owner', ''],
      ['user ann', '--name', '', '--email', '', '--staff', 'false'],
      ['version parks/trees@20200102030405000000', '--notes', '', '--ready', 'true'],
    ] as const) {
      const [noun = '', ref = ''] = name.split(' ');
      const { err, exitCode } = await type([noun, 'edit', ref, ...options], { root });
      assert.deepEqual([err, exitCode], [`Nothing was changed in ${name}.\n`, 0]);
      const planned = await type([noun, 'edit', ref, ...options, '--dry-run'], { root });
      assert.equal(planned.out, `Nothing would change in ${name}\n`);
    }
    assert.deepEqual(texts(), before);
    // A value that is there is replaced, and what stands in the file as given stays.
    await type(['dataset', 'edit', 'parks/trees', '--visibility', 'private'], { root });
    await type(['dataset', 'edit', 'parks/trees', '--visibility', 'public'], { root });
    assert.match(
      readFileSync(join(root, 'namespaces/parks/datasets/trees/dataset.yaml'), 'utf8'),
      /^visibility: public$/m,
    );
  });

  it('renames and moves; the old name leads to the new one', async () => {
    const argv = ['dataset', 'edit', 'parks/trees', '--slug', 'oaks', '--namespace', 'water'];
    const { root, out, err } = await type(argv);
    assert.equal(out, 'water/oaks\n');
    assert.equal(err, 'Changed dataset parks/trees, now water/oaks.\n');
    const shown = await type(['dataset', 'show', 'parks/trees', '--json'], { root });
    assert.equal(JSON.parse(shown.out).slug, 'oaks');
    assert.equal(shown.err, 'parks/trees is called water/oaks now.\n');
    const edited = await type(['dataset', 'edit', 'parks/trees', '--label', 'X'], { root });
    assert.equal(edited.exitCode, 3);
    assert.match(edited.err, /parks\/trees is called water\/oaks now\. Use that name\./);
  });

  it('refuses a name that is taken, and a namespace that is not there', async () => {
    for (const dry of [[], ['--dry-run']]) {
      const taken = await type(['dataset', 'edit', 'parks/trees', '--slug', 'benches', ...dry]);
      assert.equal(taken.exitCode, 5);
      assert.match(taken.err, /There is a dataset parks\/benches already/);
      const nowhere = await type(['dataset', 'edit', 'parks/trees', '--namespace', 'watr', ...dry]);
      assert.equal(nowhere.exitCode, 3);
      assert.match(nowhere.err, /Did you mean water\?/);
      const invalid = await type(['dataset', 'edit', 'parks/trees', '--label', '', ...dry]);
      assert.equal(invalid.exitCode, 2);
      assert.match(invalid.err, /--label: This field may not be blank/);
    }
  });
});

describe('removing', () => {
  it('asks at a terminal', async () => {
    const yes = await type(['dataset', 'remove', 'parks/trees'], { terminal: true, answer: true });
    assert.deepEqual(yes.questions, ['Remove dataset parks/trees with its version and the data?']);
    assert.deepEqual([yes.exitCode, yes.err], [0, 'Removed dataset parks/trees.\n']);
    await assert.rejects(yes.catalogue.get<'dataset'>(trees));
    const no = await type(['dataset', 'remove', 'parks/trees'], { terminal: true, answer: false });
    assert.deepEqual([no.exitCode, no.err], [1, 'error: Nothing was removed.\n']);
    assert.ok(await no.catalogue.get<'dataset'>(trees));
  });

  it("doesn't ask with --yes", async () => {
    const { catalogue, exitCode, questions } = await type(['dataset', 'remove', 'parks/trees', '--yes']);
    assert.deepEqual([exitCode, questions], [0, []]);
    await assert.rejects(catalogue.get<'dataset'>(trees));
  });

  it("doesn't ask about what isn't there", async () => {
    const { exitCode, questions } = await type(['dataset', 'remove', 'parks/tres'], { terminal: true });
    assert.deepEqual([exitCode, questions], [3, []]);
    assert.equal((await type(['dataset', 'remove', 'parks/tres', '--yes'])).exitCode, 3);
  });

  it('keeps a namespace that has datasets', async () => {
    for (const last of ['--yes', '--dry-run']) {
      const { exitCode, err } = await type(['namespace', 'remove', 'parks', last]);
      assert.equal(exitCode, 5);
      assert.match(err, /still has/);
    }
  });
});

describe('--dry-run', () => {
  const changes: readonly [argv: string[], said: string][] = [
    [['namespace', 'add', 'forests', '--label', 'Forests'], 'Would add namespace forests'],
    [['namespace', 'edit', 'parks', '--slug', 'gardens'], 'Would change namespace parks, now gardens'],
    [['dataset', 'add', 'parks', '--label', 'Play grounds'], 'Would add dataset parks/play-grounds'],
    [['dataset', 'edit', 'parks/trees', '--label', 'Oaks'], 'Would change dataset parks/trees'],
    [['dataset', 'edit', 'parks/trees', '--slug', 'TREES'], 'Would change dataset parks/trees, now parks/TREES'],
    [['dataset', 'remove', 'parks/trees'], 'Would remove dataset parks/trees'],
  ];
  for (const [argv, said] of changes)
    it(`changes nothing: ${argv.join(' ')}`, async () => {
      const root = await makeRoot();
      const before = contents(root);
      const { out, err, exitCode } = await type([...argv, '--dry-run'], { root });
      assert.deepEqual([out, err, exitCode], [`${said}\n`, '', 0]);
      assert.deepEqual(contents(root), before);
    });
});

describe('a dataset that is moved', () => {
  it('out of a private namespace is said to be visible to everybody, if it is', async () => {
    const root = await makeRoot();
    const run = async (...argv: string[]) => {
      const { err, exitCode } = await type(argv, { root });
      assert.equal(exitCode, 0, err);
      return err;
    };
    await run('namespace', 'add', 'secret', '--label', 'Secret', '--visibility', 'private');
    const sentence = /^The namespace parks is public, and secret is not: everybody may see the dataset there\.$/m;
    assert.doesNotMatch(await run('dataset', 'edit', 'parks/trees', '--namespace', 'secret'), sentence);
    assert.doesNotMatch(await run('dataset', 'edit', 'secret/trees', '--label', 'Oaks'), sentence);
    const move = ['dataset', 'edit', 'secret/trees', '--namespace', 'parks'];
    assert.match(await run(...move, '--dry-run'), sentence);
    assert.doesNotMatch(await run(...move, '--visibility', 'private', '--dry-run'), sentence);
    assert.match(await run(...move), sentence);
    assert.doesNotMatch(await run('dataset', 'edit', 'parks/trees', '--namespace', 'water'), sentence);
  });
});

describe('namespace', () => {
  it('is added, listed, shown, edited and removed', async () => {
    const groups = Object.fromEntries(['a', 'b', 'c'].map((slug, i) => [slug, { id: i + 1, label: slug }]));
    const root = await makeRoot({ groups });
    const run = async (...argv: string[]) => {
      const { out, err, exitCode } = await type(['namespace', ...argv], { root });
      assert.equal(exitCode, 0, err);
      return out;
    };
    assert.equal(await run('add', '--label', 'Parks department', '--owner', 'a', '--owner', 'b'), 'parks-department\n');
    assert.equal(await run('list'), 'parks-department\tParks department\tpublic\ta, b\n');
    await run('edit', 'parks-department', '--slug', 'parks', '--visibility', 'private', '--owner', 'c');
    assert.match(await run('show', 'parks'), /^namespace\tparks\nlabel\tParks department\n(.*\n)+owners\tc\n/);
    const { catalogue } = await type(['namespace', 'list'], { root });
    const parks = await catalogue.get<'namespace'>({ kind: 'namespace', slug: 'parks' });
    assert.deepEqual(JSON.parse(await run('list', '--json')), [representNamespace(parks, links)]);
    assert.deepEqual(JSON.parse(await run('show', 'parks', '--json')), representNamespace(parks, links));
    assert.equal(await run('remove', 'parks', '--yes'), '');
    assert.equal(await run('list'), '');
  });
});
