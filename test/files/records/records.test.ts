/** Creating, editing, renaming, moving and removing: the files afterwards, and errors. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import fs from 'node:fs';
import { mkdir, readdir, readFile } from 'node:fs/promises';
import { describe, it, type TestContext } from 'node:test';
import { fileURLToPath } from 'node:url';
import {
  ConflictError,
  MovedError,
  NotFoundError,
  NotPermittedError,
  ValidationError,
} from '../../../src/catalogue/errors.ts';
import { anonymous, type Viewer } from '../../../src/catalogue/permissions.ts';
import { type DatasetRef, formatRef } from '../../../src/catalogue/ref.ts';
import { openFileCatalogue } from '../../../src/files/file-catalogue.ts';
import { replaceBuiltin } from '../../support/builtin.ts';
import { type FolderContent, homeOf, makeFolder } from '../../support/folder.ts';
import { compilerFor } from '../../support/program.ts';

const content: FolderContent = {
  namespaces: { parks: { id: 1, label: 'Parks' }, water: { id: 2, label: 'Water' } },
  datasets: { 'parks/trees': { id: 3, label: 'Trees' } },
  versions: { 'parks/trees@20200101000000000000': { id: 4, file: { name: 'a.csv' } } },
  files: { [`${homeOf('parks/trees')}/data/a.csv`]: 'a\n1\n' },
};

async function open(t: TestContext, viewer?: Viewer, more: FolderContent = {}) {
  const folder = makeFolder({ ...content, ...more, files: { ...content.files, ...more.files } }, t);
  const catalogue = await openFileCatalogue(folder.root);
  t.after(() => catalogue.close());
  const text = (path: string) => readFile(folder.path(path), 'utf8');
  return { folder, catalogue, view: catalogue.for(viewer), text };
}

const dataset = (name: string): DatasetRef => {
  const [namespace = '', slug = ''] = name.split('/');
  return { kind: 'dataset', namespace, slug };
};
const namespace = (slug: string) => ({ kind: 'namespace', slug }) as const;
const trees = dataset('parks/trees');
const refused = (fields: Record<string, RegExp>) => (error: unknown) => {
  assert.ok(error instanceof ValidationError, String(error));
  assert.deepEqual(Object.keys(error.fields), Object.keys(fields));
  for (const [field, message] of Object.entries(fields)) assert.match(error.fields[field]?.join() ?? '', message);
  return true;
};
const unique = refused({ non_field_errors: /must make a unique set/ });

describe('creating', () => {
  it('a dataset writes one file, in a fixed order, and nothing that says nothing', async (t) => {
    const { view, text, folder } = await open(t);
    const made = await view.create('dataset', {
      keywords: ['b', 'a'],
      description: 'Two lines,\nand: the second.',
      namespace: 'parks',
      label: ' Benches & more ',
      licence: '',
      image: '',
      visibility: 'private',
    });
    assert.equal(made.slug, 'benches-more');
    assert.equal(
      await text(`${homeOf('parks/benches-more')}/dataset.yaml`),
      `# yaml-language-server: $schema=../../../../.catalogue/schemas/dataset.json
id: ${made.id}
label: Benches & more
description: |-
  Two lines,
  and: the second.
keywords:
  - b
  - a
visibility: private
`,
    );
    assert.deepEqual(await readdir(folder.path(homeOf('parks/benches-more'))), ['dataset.yaml']);
    assert.ok(made.id > 0 && made.id !== 3);
    assert.equal(await view.get(dataset('parks/benches-more')), made);
  });

  it('a namespace writes one file; its schema is where the catalogue is', async (t) => {
    const more = { settings: { base_url: 'https://data.example/' }, groups: { editors: { id: 1, label: 'Editors' } } };
    const { view, text } = await open(t, undefined, more);
    const made = await view.create('namespace', { label: 'Straße', owners: ['editors'] });
    assert.equal(
      await text('namespaces/strasse/namespace.yaml'),
      `# yaml-language-server: $schema=https://data.example/schemas/namespace.json
id: ${made.id}
label: Straße
owners:
  - editors
`,
    );
  });

  it('is refused where the name is taken, in whichever case', async (t) => {
    const { view } = await open(t);
    for (const slug of ['trees', 'Trees', 'TREES'])
      await assert.rejects(view.create('dataset', { label: 'x', slug, namespace: 'parks' }), unique);
    for (const slug of ['parks', 'Parks'])
      await assert.rejects(view.create('namespace', { label: 'x', slug }), refused({ slug: /already exists/ }));
    assert.equal((await view.create('dataset', { label: 'x', slug: 'Trees', namespace: 'water' })).slug, 'Trees');
  });

  it('is refused where there is no such namespace, or no name', async (t) => {
    const { view, folder } = await open(t);
    await assert.rejects(
      view.create('dataset', { label: 'x', namespace: 'none' }),
      refused({ namespace: /does not exist/ }),
    );
    for (const odd of ['../water', 'a/b', {}, 7, { toString: 1 }])
      await assert.rejects(
        view.create('dataset', { label: 'x', namespace: odd }),
        refused({ namespace: /./ }),
        String(typeof odd),
      );
    await assert.rejects(view.create('namespace', { label: 'x', slug: '../up' }), refused({ slug: /valid "slug"/ }));
    assert.deepEqual((await readdir(folder.path('namespaces'))).sort(), ['parks', 'water']);
  });

  it('is not for everybody', async (t) => {
    const { view } = await open(t, anonymous);
    await assert.rejects(view.create('dataset', { label: 'x', namespace: 'parks' }), NotPermittedError);
    await assert.rejects(view.create('namespace', { label: 'x' }), NotPermittedError);
    await assert.rejects(view.edit(trees, { label: 'x' }), NotPermittedError);
    await assert.rejects(view.edit(trees, { namespace: { toString: 1 } }), NotPermittedError);
    await assert.rejects(view.remove(trees), NotPermittedError);
  });

  it('takes the place of what a crash left behind', async (t) => {
    const { view, folder } = await open(t);
    await mkdir(folder.path(homeOf('parks/benches')), { recursive: true });
    folder.write(`${homeOf('parks/benches')}/.0123456789abcdef.catalogue-tmp`, 'label: half');
    folder.write('namespaces/parks/datasets/.0123456789abcdef.catalogue-tmp/dataset.yaml', 'label: removed');
    assert.equal((await view.create('dataset', { label: 'Benches', namespace: 'parks' })).slug, 'benches');
    folder.write(`${homeOf('parks/full')}/README.md`, 'mine');
    await assert.rejects(view.create('dataset', { label: 'Full', namespace: 'parks' }), unique);
  });

  for (const [kind, slugs] of [
    ['dataset', ['same', 'same', 'same', 'same']],
    ['dataset', ['same', 'Same', 'SAME', 'sAmE']],
    ['namespace', ['same', 'Same', 'SAME', 'sAmE']],
  ] as const)
    it(`a ${kind} by several processes at once (${new Set(slugs).size} spellings): one wins`, {
      timeout: 60_000,
    }, async (t) => {
      const { folder } = await open(t);
      const child = fileURLToPath(new URL('create-child.ts', import.meta.url));
      const children = slugs.map((slug) => {
        const process_ = spawn(process.execPath, [...compilerFor(child), child, folder.root, kind, slug], {
          stdio: ['pipe', 'pipe', 'inherit'],
        });
        t.after(() => process_.kill());
        const state = { process: process_, out: '' };
        process_.stdout.on('data', (chunk) => {
          state.out += chunk;
        });
        return state;
      });
      await Promise.all(children.map((one) => once(one.process.stdout, 'data')));
      for (const one of children) one.process.stdin.write('go\n');
      await Promise.all(children.map((one) => once(one.process, 'exit')));
      const said = children.map(({ out }) => out.replace('ready\n', '').trim()).sort();
      assert.deepEqual(said.filter((line) => line === 'created').length, 1, said.join());
      assert.ok(
        said.every((line) => ['created', 'ConflictError', 'ValidationError'].includes(line)),
        said.join(),
      );
      const parent = kind === 'dataset' ? 'namespaces/parks/datasets' : 'namespaces';
      const found = (await readdir(folder.path(parent))).filter((name) => name.toLowerCase() === 'same');
      assert.equal(found.length, 1);
    });
});

describe('editing', () => {
  const path = `${homeOf('parks/trees')}/dataset.yaml`;
  const text_ = `# All trees
id: 3   # keep
label: "Trees"
ours: [1, 2]   # unknown to you
columns:
  - name: height # in metres
    type: integer
  - {name: kind, type: string, note: x}
`;

  it('changes the characters it is about, and no others', async (t) => {
    const { view, text } = await open(t, undefined, { files: { [path]: text_ } });
    const edited = await view.edit<'dataset'>(trees, {
      label: 'Bäume',
      description: 'All of them',
      licence: 'CC0-1.0',
    });
    assert.equal(edited.label, 'Bäume');
    const expected = text_.replace('"Trees"\n', '"Bäume"\ndescription: All of them\nlicence: CC0-1.0\n');
    assert.equal(await text(path), expected);
  });

  it('that changes nothing writes nothing', async (t) => {
    const { view, text, catalogue } = await open(t, undefined, { files: { [path]: text_ } });
    await view.list('dataset', {});
    const before = catalogue.snapshot.folders.get('parks')?.datasets.get('trees');
    const after = await view.edit(trees, { label: 'Trees', slug: 'trees', namespace: 'parks' });
    assert.equal(await text(path), text_);
    assert.deepEqual(after, before);
  });

  it('of columns changes their words only', async (t) => {
    const { view, text } = await open(t, undefined, { files: { [path]: text_ } });
    await view.edit(trees, { columns: [{ name: 'height', label: 'Height', type: 'string' }] });
    assert.equal(await text(path), text_.replace('    type: integer\n', '    type: integer\n    label: Height\n'));
    await assert.rejects(
      view.edit(trees, { columns: [{ name: 'width' }] }),
      refused({ columns: /^There is no column "width"\.$/ }),
    );
  });

  it('works in every format', async (t) => {
    const files = {
      [`${homeOf('parks/json')}/dataset.json`]: '{\n  "label": "JSON",\n  "ours": 1\n}\n',
      [`${homeOf('parks/yml')}/dataset.yml`]: 'label: YML # x\n',
    };
    const { view, text } = await open(t, undefined, { files });
    await view.edit(dataset('parks/json'), { label: 'Other' });
    await view.edit(dataset('parks/yml'), { label: 'Other' });
    assert.equal(await text(`${homeOf('parks/json')}/dataset.json`), '{\n  "label": "Other",\n  "ours": 1\n}\n');
    assert.equal(await text(`${homeOf('parks/yml')}/dataset.yml`), 'label: Other # x\n');
  });

  it('of a broken file is a conflict that says where; of nothing, not found', async (t) => {
    const { view, folder, text } = await open(t);
    await view.list('dataset', {});
    folder.write(path, 'label: [\n');
    await assert.rejects(view.edit(trees, { label: 'x' }), (error: unknown) => {
      assert.ok(error instanceof ConflictError);
      assert.match(error.message, /dataset\.yaml:\d+:\d+: /);
      assert.ok(!error.message.includes(folder.root));
      return true;
    });
    assert.equal(await text(path), 'label: [\n');
    await assert.rejects(view.edit(dataset('parks/none'), { label: 'x' }), NotFoundError);
  });
});

describe('renaming and moving', () => {
  const aliasesOf = async (view: Awaited<ReturnType<typeof open>>['view'], name: string) =>
    (await view.get<'dataset'>(dataset(name))).aliases;
  const leadsTo = async (view: Awaited<ReturnType<typeof open>>['view'], from: string, to: string) =>
    assert.rejects(
      view.get(dataset(from)),
      (error: unknown) => error instanceof MovedError && formatRef(error.to) === to,
    );

  it('takes everything along, and the old address leads to the new', async (t) => {
    const { view, text } = await open(t);
    const renamed = await view.edit<'dataset'>(trees, { slug: 'big-trees' });
    assert.equal(renamed.slug, 'big-trees');
    assert.equal(renamed.versions.length, 1);
    assert.equal(renamed.versions[0]?.ready, true);
    assert.match(await text(`${homeOf('parks/big-trees')}/dataset.yaml`), /\naliases:\n {2}- trees\n$/);
    await leadsTo(view, 'parks/trees', 'parks/big-trees');

    const moved = await view.edit<'dataset'>(dataset('parks/big-trees'), { namespace: 'water', label: 'Wet trees' });
    assert.equal(moved.namespace, 'water');
    assert.deepEqual(moved.aliases, ['parks/trees', 'parks/big-trees']);
    await leadsTo(view, 'parks/trees', 'water/big-trees');
    await leadsTo(view, 'parks/big-trees', 'water/big-trees');
    assert.equal((await view.list('dataset', {})).count, 1);
  });

  const edits: Readonly<Record<string, readonly [from: string, input: Readonly<Record<string, string>>]>> = {
    'into a private namespace, in which it becomes public': [
      'parks/plans',
      { namespace: 'secret', visibility: 'public' },
    ],
    'out of a private namespace, becoming private': ['secret/pay', { namespace: 'parks', visibility: 'private' }],
  };
  for (const [what, [from, input]] of Object.entries(edits))
    it(`${what}, shows it to nobody on the way`, async (t) => {
      const { view, folder, text } = await open(t, undefined, {
        namespaces: { parks: { label: 'P' }, secret: { label: 'S', visibility: 'private' } },
        datasets: {
          'parks/plans': { label: 'A', visibility: 'private', readers: ['nobody'] },
          'secret/pay': { label: 'B' },
        },
        versions: { [`${from}@1`]: { id: 5, file: { name: 'a.csv' } } },
        files: { [`${homeOf(from)}/data/a.csv`]: 'a\n1\n' },
      });
      const seen: string[] = [];
      const look = () => {
        for (const slug of ['plans', 'pay']) {
          const path = folder.path(`${homeOf(`parks/${slug}`)}/dataset.yaml`);
          if (fs.existsSync(path)) seen.push(fs.readFileSync(path, 'utf8'));
        }
      };
      const [{ renameSync }, { rename }] = [fs, fs.promises];
      replaceBuiltin(t, fs, 'renameSync', (...paths: Parameters<typeof renameSync>) => {
        renameSync(...paths);
        look();
      });
      replaceBuiltin(t, fs.promises, 'rename', async (...paths: Parameters<typeof rename>) => {
        await rename(...paths);
        look();
      });
      const { slug } = dataset(from);
      const edited = await view.edit<'dataset'>(dataset(from), { ...input, label: 'New' });
      assert.ok(seen.length > 0);
      for (const record of seen) assert.match(record, /^visibility: private$/m);
      const now = `${input.namespace}/${slug}`;
      assert.deepEqual([edited.visibility, edited.label, edited.versions.length], [input.visibility, 'New', 1]);
      assert.deepEqual(edited.aliases, [from]);
      assert.match(await text(`${homeOf(now)}/dataset.yaml`), new RegExp(`^visibility: ${input.visibility}$`, 'm'));
      await leadsTo(view, from, now);
    });

  it('back again leaves no alias of itself', async (t) => {
    const { view } = await open(t);
    await view.edit(trees, { slug: 'x' });
    await view.edit(dataset('parks/x'), { slug: 'trees' });
    assert.deepEqual(await aliasesOf(view, 'parks/trees'), ['x']);
    await leadsTo(view, 'parks/x', 'parks/trees');
    await view.edit(trees, { namespace: 'water' });
    await view.edit(dataset('water/trees'), { namespace: 'parks' });
    assert.deepEqual(await aliasesOf(view, 'parks/trees'), ['x', 'water/trees']);
  });

  it('of the case alone', async (t) => {
    const { view, folder } = await open(t);
    assert.equal((await view.edit(trees, { slug: 'Trees' })).slug, 'Trees');
    assert.deepEqual(await readdir(folder.path('namespaces/parks/datasets')), ['Trees']);
    await leadsTo(view, 'parks/trees', 'parks/Trees');
    assert.equal((await view.edit(namespace('parks'), { slug: 'PARKS' })).slug, 'PARKS');
    await leadsTo(view, 'parks/trees', 'PARKS/Trees');
  });

  it('out of a renamed namespace keeps the addresses by its former names when that namespace is removed', async (t) => {
    const { view } = await open(t);
    await view.edit(trees, { slug: 'oaks' });
    await view.edit(namespace('parks'), { slug: 'gardens' });
    await view.edit(dataset('gardens/oaks'), { namespace: 'water' });
    await view.remove(namespace('gardens'));
    for (const former of ['gardens/oaks', 'gardens/trees', 'parks/oaks', 'parks/trees'])
      await leadsTo(view, former, 'water/oaks');
    assert.deepEqual((await aliasesOf(view, 'water/oaks')).length, 4);
  });

  it('of a namespace takes its datasets along', async (t) => {
    const { view } = await open(t);
    await view.edit(namespace('parks'), { slug: 'gardens' });
    assert.equal((await view.get<'dataset'>(dataset('gardens/trees'))).label, 'Trees');
    await leadsTo(view, 'parks/trees', 'gardens/trees');
    await assert.rejects(view.get(namespace('parks')), MovedError);
    assert.equal((await view.list('namespace', {})).count, 2);
    // What comes to the old place is at home there.
    await view.create('namespace', { label: 'New parks', slug: 'parks' });
    assert.equal((await view.get<'namespace'>(namespace('parks'))).label, 'New parks');
  });

  describe('of what saved queries ask', () => {
    const queries: FolderContent = {
      namespaces: { parks: { label: 'Parks', owners: ['rangers'] }, water: { label: 'Water', owners: ['rangers'] } },
      datasets: { ...content.datasets, 'parks/trees-2': { label: 'Other trees' } },
      groups: { rangers: { label: 'Rangers' } },
      queries: {
        tall: { label: 'Tall', dataset: 'parks/trees' },
        wide: { label: 'Wide', dataset: 'parks/trees', version: null },
        other: { label: 'Other', dataset: 'parks/trees-2' },
        gone: { label: 'Of a dataset that is gone', dataset: 'parks/gone' },
        past: { label: 'Of a version that is gone', dataset: 'parks/trees', version: '20190101000000000000' },
      },
    };
    const ranger: Viewer = { username: 'bob', staff: false, groups: ['rangers'] };

    for (const viewer of [undefined, ranger])
      it(`writes the new address into them, for ${viewer ? 'owners' : 'the local administrator'}`, async (t) => {
        const { view, text } = await open(t, viewer, queries);
        const asked = async () =>
          Promise.all(
            ['tall', 'wide', 'other'].map(async (slug) => (await view.get<'query'>({ kind: 'query', slug })).dataset),
          );
        const before = await text('queries/tall.yaml');
        await view.edit(trees, { slug: 'oaks' }, { dryRun: true });
        assert.equal(await text('queries/tall.yaml'), before);

        await view.edit(trees, { slug: 'oaks' });
        assert.deepEqual(await asked(), ['parks/oaks', 'parks/oaks', 'parks/trees-2']);
        assert.equal(await text('queries/tall.yaml'), before.replace('parks/trees', 'parks/oaks'));
        await view.create('dataset', { label: 'New trees', slug: 'trees', namespace: 'parks' });
        assert.deepEqual(await asked(), ['parks/oaks', 'parks/oaks', 'parks/trees-2']);

        await view.edit(dataset('parks/oaks'), { namespace: 'water' });
        assert.deepEqual(await asked(), ['water/oaks', 'water/oaks', 'parks/trees-2']);
        await view.edit(namespace('water'), { slug: 'woods' });
        assert.deepEqual(await asked(), ['woods/oaks', 'woods/oaks', 'parks/trees-2']);
        await view.edit(namespace('parks'), { slug: 'gardens' });
        assert.deepEqual(await asked(), ['woods/oaks', 'woods/oaks', 'gardens/trees-2']);
        assert.match(await text('queries/gone.yaml'), /parks\/gone$/m);
        assert.match(await text('queries/past.yaml'), /parks\/trees$/m);
      });

    it('is refused while the file of one is broken, which the error names', async (t) => {
      const { view, folder, text } = await open(t, ranger, queries);
      await view.list('query', {});
      folder.write('queries/tall.yaml', 'label: [\n');
      await assert.rejects(view.edit(trees, { slug: 'oaks' }), /^ConflictError: queries\/tall.yaml:2:1: /);
      assert.match(await text('queries/wide.yaml'), /parks\/trees$/m);
      assert.equal((await view.get(trees)).slug, 'trees');
    });
  });

  it('is refused where the name is taken, and leaves the record as it was', async (t) => {
    const { view, text, folder } = await open(t, undefined, {
      datasets: { ...content.datasets, 'parks/benches': { label: 'B' }, 'water/trees': { label: 'W' } },
    });
    const before = await text(`${homeOf('parks/trees')}/dataset.yaml`);
    for (const change of [{ slug: 'benches' }, { slug: 'Benches' }, { namespace: 'water' }])
      await assert.rejects(view.edit(trees, change), unique);
    await assert.rejects(view.edit(trees, { namespace: 'none' }), refused({ namespace: /does not exist/ }));
    await assert.rejects(view.edit(namespace('parks'), { slug: 'water' }), refused({ slug: /already exists/ }));
    assert.equal(await text(`${homeOf('parks/trees')}/dataset.yaml`), before);
    // On a file system that keeps them apart there may be a twin: it is never written over.
    folder.write(`${homeOf('parks/TREES')}/dataset.yaml`, 'label: Twin\n');
    if ((await readdir(folder.path('namespaces/parks/datasets'))).length === 3) {
      await assert.rejects(view.edit(trees, { slug: 'TREES' }), unique);
      assert.equal(await text(`${homeOf('parks/trees')}/dataset.yaml`), before);
    }
  });

  it('of two to one name at once: one wins, the other stays whole', async (t) => {
    const { view, folder } = await open(t, undefined, {
      datasets: { ...content.datasets, 'parks/benches': { label: 'B' } },
    });
    await view.list('dataset', {});
    const outcomes = await Promise.allSettled([
      view.edit(trees, { slug: 'same' }),
      view.edit(dataset('parks/benches'), { slug: 'same' }),
      view.create('dataset', { label: 'Same', namespace: 'parks' }),
    ]);
    const lost = outcomes.filter((outcome) => outcome.status === 'rejected');
    assert.equal(lost.length, 2);
    for (const { reason } of lost)
      assert.ok(reason instanceof ValidationError || reason instanceof ConflictError, String(reason));
    const names = (await readdir(folder.path('namespaces/parks/datasets'))).filter((name) => !name.startsWith('.'));
    assert.equal(names.filter((name) => name === 'same').length, 1);
    assert.equal(names.length, outcomes[2]?.status === 'fulfilled' ? 3 : 2);
  });
});

describe('removing', () => {
  it('a dataset with all that belongs to it', async (t) => {
    const { view, folder } = await open(t);
    await view.remove(trees);
    assert.deepEqual(await readdir(folder.path('namespaces/parks/datasets')), []);
    assert.equal((await view.list('dataset', {})).count, 0);
    assert.equal((await view.list('version', {})).count, 0);
    await assert.rejects(view.remove(trees), NotFoundError);
  });

  it('by two at once: one finds nothing there any more', async (t) => {
    const { view } = await open(t);
    const outcomes = await Promise.allSettled([view.remove(trees), view.remove(trees), view.remove(trees)]);
    const lost = outcomes.filter((outcome) => outcome.status === 'rejected');
    assert.equal(lost.length, 2);
    for (const { reason } of lost) assert.ok(reason instanceof NotFoundError, String(reason));
  });

  it('a namespace only where it is empty', async (t) => {
    const { view, folder } = await open(t);
    await assert.rejects(view.remove(namespace('parks')), (error: unknown) => {
      assert.ok(error instanceof ConflictError);
      assert.match(error.message, /^The namespace parks still has a dataset\./);
      return true;
    });
    await view.remove(namespace('water'));
    await view.remove(trees);
    await view.remove(namespace('parks'));
    assert.deepEqual(await readdir(folder.path('namespaces')), []);
    assert.equal((await view.list('namespace', {})).count, 0);
  });

  it('a file as such is not done here', async (t) => {
    const { view } = await open(t);
    const [file] = (await view.list('file', {})).items;
    await assert.rejects(view.remove({ kind: 'file', slug: String(file?.id) }), ConflictError);
  });
});

describe('a version whose record says that it is a draft', () => {
  for (const fields of [{ draft: true }, { draft: true, ready: true }])
    it(`is not served, and seen by owners only: ${JSON.stringify(fields)}`, async (t) => {
      const slug = '20200101000000000000';
      const versions = { [`parks/trees@${slug}`]: { id: 4, file: { name: 'a.csv' }, ...fields } };
      const { catalogue } = await open(t, undefined, { versions });
      const stateFor = async (viewer?: Viewer) =>
        (await catalogue.for(viewer).get<'dataset'>(trees)).versions.map(({ ready, draft }) => ({ ready, draft }));
      assert.deepEqual(await stateFor(), [{ ready: false, draft: true }]);
      assert.deepEqual(await stateFor(anonymous), []);
    });
});

describe('a record with a misspelled key by which it is to be hidden', () => {
  const version = `${homeOf('parks/trees')}/versions/20200101000000000000.yaml`;
  const texts: Readonly<Record<string, readonly [path: string, line: string]>> = {
    'another case': [`${homeOf('parks/new')}/dataset.yaml`, 'Visibility: private'],
    'letters in another order': [`${homeOf('parks/new')}/dataset.yaml`, 'visiblity: private'],
    'a withdrawn version': [version, 'Ready: false'],
    'a draft': [version, 'darft: true'],
    'a merge key': [`${homeOf('parks/new')}/dataset.yaml`, 'x-base: &base { visibility: private }\n<<: *base'],
    'a merge key of a merge key': [
      `${homeOf('parks/new')}/dataset.yaml`,
      'x-hidden: &hidden { visibility: private }\nx-base: &base { <<: *hidden, licence: CC0-1.0 }\n<<: [*base]',
    ],
    'a merge key with a list': [version, '<<: [{ notes: a }, { ready: false }]'],
  };
  for (const [what, [path, line]] of Object.entries(texts))
    it(`is an error, and not public: ${what}`, async (t) => {
      const folder = makeFolder({ ...content, versions: {} }, t);
      folder.write(path, `label: New\nfile: { name: a.csv }\n${line}\n`);
      const catalogue = await openFileCatalogue(folder.root);
      t.after(() => catalogue.close());
      const view = catalogue.for(anonymous);
      const { items } = await view.list('dataset', {});
      assert.deepEqual(
        items.map(({ slug, versions }) => [slug, versions.length]),
        [['trees', 0]],
      );
      const [found] = [...catalogue.snapshot.diagnostics.values()].flat();
      assert.equal(found?.severity, 'error');
      assert.match(
        found.message,
        /^"(\w+" means nothing here\. Did you mean "(visibility|ready|draft)"\?|<<" merges nothing here: .*)$/,
      );
    });

  it('is valid where the key is one of their own', async (t) => {
    const folder = makeFolder(content, t);
    folder.write(
      `${homeOf('parks/new')}/dataset.yaml`,
      'label: New\nread: 5\nvisibility: public\nVisible: no\n<<: { label: A, visibility: private }\n',
    );
    const catalogue = await openFileCatalogue(folder.root);
    t.after(() => catalogue.close());
    assert.equal((await catalogue.for(anonymous).list('dataset', {})).count, 2);
  });
});
