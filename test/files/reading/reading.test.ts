/** What the files say: every format, and whatever else can lie in a record's place. Nothing of it stops the reading. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { chmod, mkdir, rm, symlink, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { anonymous } from '../../../src/catalogue/permissions.ts';
import { type FileCatalogue, openFileCatalogue } from '../../../src/files/file-catalogue.ts';
import { type CatalogueFolder, homeOf, makeFolder } from '../../support/folder.ts';

const home = homeOf('parks/trees');

async function opened(t: TestContext, prepare: (folder: CatalogueFolder) => unknown) {
  const folder = makeFolder(
    { namespaces: { parks: { label: 'Parks' } }, datasets: { 'parks/benches': { label: 'Benches' } } },
    t,
  );
  await prepare(folder);
  const catalogue = await openFileCatalogue(folder.root, { readOnly: true });
  t.after(() => catalogue.close());
  await catalogue.load();
  return { folder, catalogue };
}

const labelOf = ({ snapshot }: FileCatalogue, slug = 'trees') =>
  snapshot.folders.get('parks')?.datasets.get(slug)?.label ?? null;
const messagesOf = ({ snapshot }: FileCatalogue) =>
  [...snapshot.diagnostics.values()].flat().map(({ path, message }) => `${path}: ${message}`);

describe('a record', () => {
  const formats: readonly (readonly [name: string, text: string | Uint8Array])[] = [
    ['dataset.yaml', 'label: Trees\n'],
    ['dataset.yml', 'label: Trees\n'],
    ['dataset.json', '{"label": "Trees"}'],
    ['dataset.yaml', '\ufefflabel: Trees\r\n'],
    ['dataset.yaml', '# a comment\n---\nlabel: Trees'],
  ];
  for (const [name, text] of formats)
    it(`${name} ${JSON.stringify(text)}`, async (t) => {
      const { catalogue } = await opened(t, (folder) => folder.write(`${home}/${name}`, text));
      assert.equal(labelOf(catalogue), 'Trees');
      assert.deepEqual(messagesOf(catalogue), []);
    });

  it('is one file: of two, the first counts and the other is told of', async (t) => {
    const { catalogue } = await opened(t, async (folder) => {
      folder.write(`${home}/dataset.yaml`, 'label: YAML\n');
      folder.write(`${home}/dataset.yml`, 'label: YML\n');
      folder.write(`${home}/dataset.json`, '{"label": "JSON"}');
    });
    assert.equal(labelOf(catalogue), 'YAML');
    const messages = messagesOf(catalogue);
    assert.equal(messages.length, 2);
    for (const message of messages)
      assert.match(message, /dataset\.(yml|json): It is not read, because .*dataset\.yaml is there too/);
  });

  it('of a version is the same one of two that a write changes', async (t) => {
    const record = { label: 'JSON', datetime: '2020-01-01T00:00:00Z', file: { name: 'a.csv', format: 'csv' } };
    const folder = makeFolder(
      { namespaces: { parks: { label: 'P' } }, datasets: { 'parks/trees': { label: 'T' } } },
      t,
    );
    folder.write(`${home}/data/a.csv`, 'a\n1\n');
    folder.write(`${home}/versions/1.json`, JSON.stringify(record));
    folder.write(`${home}/versions/1.yaml`, JSON.stringify({ ...record, label: 'YAML' }));
    const catalogue = await openFileCatalogue(folder.root);
    t.after(() => catalogue.close());
    await catalogue.load();
    assert.deepEqual(messagesOf(catalogue), [
      `${home}/versions/1.json: There are two files for this version. Remove one.`,
    ]);
    const ref = { kind: 'version', namespace: 'parks', dataset: 'trees', slug: '1' } as const;
    const local = catalogue.for();
    assert.equal((await local.get<'version'>(ref)).label, 'YAML');
    assert.equal((await local.edit<'version'>(ref, { ready: false })).ready, false);
    assert.equal((await local.get<'version'>(ref)).ready, false);
  });

  it('is named in the message about the others, whatever its extension', async (t) => {
    const { catalogue } = await opened(t, (folder) => {
      folder.write(`${home}/dataset.yml`, 'label: YML\n');
      folder.write(`${home}/dataset.json`, '{"label": "JSON"}');
    });
    assert.match(messagesOf(catalogue).join(), /dataset\.json: It is not read, because .*dataset\.yml is there too/);
  });

  const outside = () => join(tmpdir(), `outside-${process.pid}.yaml`);
  type Odd = readonly [why: string, prepare: (folder: CatalogueFolder, t: TestContext) => unknown, problem: RegExp];
  const record = `${home}/dataset.yaml`;
  const odd: readonly Odd[] = [
    [
      'a link that leaves the folder',
      async (folder, t) => {
        await writeFile(outside(), 'label: Secret\n');
        t.after(() => rm(outside(), { force: true }));
        await symlink(outside(), folder.path(record));
      },
      /link that leaves/,
    ],
    ['a link that leads nowhere', (folder) => symlink('nowhere.yaml', folder.path(record)), /./],
    ['a link to itself', (folder) => symlink('dataset.yaml', folder.path(record)), /link to itself/],
    ['a folder', (folder) => mkdir(folder.path(record)), /not a file/],
    ['a pipe', async (folder) => execFileSync('mkfifo', [folder.path(record)]), /not a file/],
    [
      'a socket',
      async (folder, t) => {
        const server = createServer();
        // The path of a socket may not be long: it is made by its name.
        const before = process.cwd();
        process.chdir(folder.path(home));
        await new Promise<void>((resolve) => server.listen('dataset.yaml', resolve));
        process.chdir(before);
        t.after(() => server.close());
      },
      /can't be read/,
    ],
    [
      'too large',
      (folder) => folder.write(record, `label: x\ndescription: ${'x'.repeat(1024 * 1024)}\n`),
      /large|MiB|bytes/i,
    ],
    ['no UTF-8', (folder) => folder.write(record, Buffer.from([0x6c, 0x3a, 0x20, 0xff])), /not UTF-8/],
    ['nothing', (folder) => folder.write(record, ''), /nothing|empty/],
    ['NUL', (folder) => folder.write(record, 'label: a\0b\n'), /./],
    ['deep', (folder) => folder.write(record, `label: x\na: ${'['.repeat(10_000)}${']'.repeat(10_000)}\n`), /deep/i],
    [
      'a billion laughs',
      (folder) =>
        folder.write(
          record,
          `label: x\na: &a [x,x,x,x,x,x,x,x,x]\n${'bcdefgh'
            .split('')
            .map((c) => `${c}: &${c} [${new Array(9).fill(`*${String.fromCharCode(c.charCodeAt(0) - 1)}`).join()}]`)
            .join('\n')}\n`,
        ),
      /alias/i,
    ],
  ];
  for (const [why, prepare, problem] of odd)
    it(`${why}: is told of, and the rest is served`, { timeout: 20_000 }, async (t) => {
      const { catalogue, folder } = await opened(t, async (made) => {
        await mkdir(made.path(home), { recursive: true });
        await prepare(made, t);
      });
      // What can't be read at all may have been private.
      const { visibility = 'private' } = catalogue.snapshot.folders.get('parks')?.datasets.get('trees') ?? {};
      assert.equal(visibility, 'private');
      assert.equal(labelOf(catalogue, 'benches'), 'Benches');
      const messages = messagesOf(catalogue);
      assert.equal(messages.length, 1, messages.join('\n'));
      assert.match(messages[0] ?? '', problem);
      assert.ok(!messages.join().includes(folder.root), 'no path of the machine');
    });

  it('that may not be read is told of', { skip: process.getuid?.() === 0 }, async (t) => {
    const { catalogue } = await opened(t, async (folder) => {
      folder.write(record, 'label: x\n');
      await chmod(folder.path(record), 0);
    });
    assert.match(messagesOf(catalogue).join(), /can't be read: give the user/);
  });

  it('that has one file and no folder is read again when a file beside it comes or goes', async (t) => {
    const { catalogue, folder } = await opened(t, (made) => made.write('groups/keepers.yaml', 'label: Keepers\n'));
    const messages = async () => {
      await catalogue.refresh([{ folder: '' }]);
      return messagesOf(catalogue).join();
    };
    for (let i = 0; i < 2; i++) {
      folder.write('groups/keepers.json', '{"label": "Other"}');
      assert.match(
        await messages(),
        /^groups\/keepers\.json: It is not read, because groups\/keepers\.yaml is there too/,
      );
      folder.clear('groups/keepers.json');
      assert.equal(await messages(), '');
    }
  });

  it('that could not be read is gone when its file is removed', async (t) => {
    const { catalogue, folder } = await opened(t, (made) => {
      made.write('users/ann.yaml', 'staff: true\n');
      made.write('groups/keepers.yaml', 'label: Keepers\n');
    });
    await rm(folder.path('users/ann.yaml'));
    await symlink('../groups/keepers.yaml', folder.path('users/ann.yaml'));
    await catalogue.refresh([{ folder: '' }]);
    assert.match(messagesOf(catalogue).join(), /^users\/ann\.yaml: It is a link to another part/);
    assert.ok(catalogue.snapshot.users.has('ann'), 'the last valid state stays');
    await rm(folder.path('users/ann.yaml'));
    await catalogue.refresh([{ folder: '' }]);
    assert.deepEqual([messagesOf(catalogue), [...catalogue.snapshot.users.keys()]], [[], []]);
  });

  it('may be a link within the folder', async (t) => {
    const { catalogue } = await opened(t, async (folder) => {
      folder.write(`${home}/shared.yaml`, 'label: Trees\n');
      await symlink('shared.yaml', folder.path(record));
    });
    assert.equal(labelOf(catalogue), 'Trees');
  });
});

describe('what lies beside', () => {
  it('is left alone: crash leftovers, hidden files, editors’ copies, notes', async (t) => {
    const { catalogue } = await opened(t, async (folder) => {
      folder.write(`${home}/dataset.yaml`, 'label: Trees\n');
      for (const path of [
        `${home}/.0123456789abcdef.catalogue-tmp`,
        `${home}/dataset.yaml~`,
        `${home}/.dataset.yaml.swp`,
        `${home}/README.md`,
        `${home}/versions/.gitkeep`,
        'namespaces/.0123456789abcdef.catalogue-tmp/namespace.yaml',
        'namespaces/parks/datasets/.0123456789abcdef.catalogue-tmp/dataset.yaml',
        'namespaces/README.md',
        'groups/.keep',
        'README.md',
      ])
        folder.write(path, 'no: record\n');
    });
    assert.deepEqual(messagesOf(catalogue), []);
    assert.deepEqual([...catalogue.snapshot.folders.keys()], ['parks']);
    assert.equal(catalogue.snapshot.folders.get('parks')?.datasets.size, 2);
  });

  it('is told of where it looks like a record in the wrong place', async (t) => {
    const { catalogue } = await opened(t, async (folder) => {
      folder.write('namespaces/water.yaml', 'label: Water\n');
      folder.write('namespaces/two words/namespace.yaml', 'label: x\n');
      folder.write('namespaces/PARKS/namespace.yaml', 'label: x\n');
      folder.write('namespaces/parks/datasets/wells.yaml', 'label: x\n');
      folder.write('groups/two words.yaml', 'label: x\n');
      folder.write(`${home}/versions/1.yaml`, 'ready: false\n');
    });
    const messages = messagesOf(catalogue);
    for (const part of [
      /namespaces\/water\.yaml: A namespace is a folder: move this to namespaces\/water\/namespace\.yaml/,
      /namespaces\/two words: .* rename it/,
      /namespaces\/parks: There is "PARKS" too/,
      /datasets\/wells\.yaml: A dataset is a folder/,
      /groups\/two words\.yaml: .*rename the file/,
      /datasets\/trees: dataset\.yaml is missing/,
    ])
      assert.ok(
        messages.some((message) => part.test(message)),
        `${part} in\n${messages.join('\n')}`,
      );
  });
});

describe('versions of a dataset that is read again', () => {
  const versions = (catalogue: FileCatalogue) =>
    Object.fromEntries(
      catalogue.snapshot.folders
        .get('parks')
        ?.datasets.get('trees')
        ?.versions.map((version) => [version.slug, version]) ?? [],
    );
  const scope = { kind: 'dataset', namespace: 'parks', slug: 'trees' } as const;
  const prepare = (folder: CatalogueFolder) => {
    folder.write(`${home}/dataset.yaml`, 'label: Trees\n');
    for (const slug of ['edited', 'kept', 'broken']) {
      folder.write(`${home}/versions/${slug}.yaml`, `label: ${slug}\nfile:\n  name: ${slug}.csv\n  size: 4\n`);
      folder.write(`${home}/data/${slug}.csv`, 'a\n1\n');
    }
    // Later than the clock's tick, so that stamps count.
    return sleep(50);
  };

  it('keep their identity unless their record or payload changes', async (t) => {
    const { catalogue, folder } = await opened(t, prepare);
    const first = versions(catalogue);
    folder.write(`${home}/versions/edited.yaml`, 'label: Edited\nready: false\n');
    await catalogue.refresh([scope]);
    const second = versions(catalogue);
    assert.equal(second.edited?.label, 'Edited');
    assert.notEqual(second.edited, first.edited);
    assert.equal(second.kept, first.kept);

    folder.write(`${home}/data/kept.csv`, 'a\n1\n2\n');
    await catalogue.refresh([scope]);
    assert.equal(versions(catalogue).kept?.ready, false);
    assert.match(messagesOf(catalogue).join(), /kept\.yaml: The payload data\/kept\.csv has 6 bytes, not 4/);
    await rm(folder.path(`${home}/data`), { recursive: true });
    await catalogue.refresh([scope]);
    assert.equal(versions(catalogue).broken?.ready, false);
    prepare(folder);
    await catalogue.refresh([scope]);
    assert.deepEqual([versions(catalogue), messagesOf(catalogue)], [first, []]);
  });

  it('keep their diagnostics', async (t) => {
    const { catalogue, folder } = await opened(t, prepare);
    folder.write(`${home}/versions/broken.yaml`, '[');
    await sleep(50);
    await catalogue.refresh([scope]);
    const [message, ...others] = messagesOf(catalogue);
    assert.match(message ?? '', /broken\.yaml/);
    assert.deepEqual(others, []);
    const before = versions(catalogue);
    folder.write(`${home}/versions/edited.yaml`, 'label: Edited\nready: false\n');
    await catalogue.refresh([scope]);
    assert.deepEqual(messagesOf(catalogue), [message]);
    assert.equal(versions(catalogue).broken, before.broken);
    assert.equal(versions(catalogue).kept, before.kept);
  });
});

describe('a list of a part of the catalogue', () => {
  async function openedUnread(t: TestContext) {
    const slug = '20200101000000000000';
    const folder = makeFolder(
      {
        namespaces: { parks: { label: 'Parks', aliases: ['green'] }, water: { label: 'Water' } },
        datasets: { 'parks/trees': { label: 'Trees', aliases: ['oaks'] }, 'parks/benches': {}, 'water/wells': {} },
        versions: { [`parks/trees@${slug}`]: {}, [`parks/benches@${slug}`]: {} },
      },
      t,
    );
    const catalogue = await openFileCatalogue(folder.root, { readOnly: true });
    const whole = await openFileCatalogue(folder.root, { readOnly: true });
    await whole.load();
    t.after(() => Promise.all([catalogue.close(), whole.close()]));
    return { catalogue, whole };
  }
  const datasetsRead = ({ store }: FileCatalogue) =>
    [...store.states.values()].flatMap(({ reading }) => (reading.kind === 'dataset' ? [reading.slug] : [])).sort();

  it('reads the datasets of that namespace only, and lists the same', async (t) => {
    const { catalogue, whole } = await openedUnread(t);
    for (const options of [{ namespace: 'parks' }, { namespace: 'parks', search: 'trees', ordering: '-label' }]) {
      const list = await catalogue.for().list('dataset', options);
      assert.deepEqual(list, await whole.for().list('dataset', options));
    }
    assert.deepEqual(datasetsRead(catalogue), ['benches', 'trees']);
  });

  it('reads the versions of that dataset only, and lists the same', async (t) => {
    const { catalogue, whole } = await openedUnread(t);
    const options = { namespace: 'parks', dataset: 'trees' };
    assert.deepEqual(await catalogue.for().list('version', options), await whole.for().list('version', options));
    assert.deepEqual(datasetsRead(catalogue), ['trees']);
  });

  it('reads everything to find what was renamed, and refuses what is not there', async (t) => {
    for (const [kind, options] of [
      ['dataset', { namespace: 'green' }],
      ['version', { namespace: 'parks', dataset: 'oaks' }],
      ['dataset', { namespace: 'nothing' }],
      ['dataset', { namespace: '../parks' }],
      ['version', { namespace: 'parks', dataset: 'nothing' }],
    ] as const) {
      const { catalogue, whole } = await openedUnread(t);
      const expected = await whole
        .for()
        .list(kind, options)
        .catch((error: Error) => error);
      assert.ok(expected instanceof Error);
      await assert.rejects(catalogue.for().list(kind, options), { name: expected.name, message: expected.message });
      assert.equal(datasetsRead(catalogue).length, 3);
    }
  });

  it('reads everything for other viewers, from whom readers and groups may hide it', async (t) => {
    const { catalogue } = await openedUnread(t);
    await catalogue.for(anonymous).list('dataset', { namespace: 'parks' });
    assert.equal(datasetsRead(catalogue).length, 3);
  });
});
