import assert from 'node:assert/strict';
import { cpSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import { listAll } from '../../src/catalogue/iterate.ts';
import type { Dataset } from '../../src/catalogue/types.ts';
import { importCatalogue, openCatalogue } from '../../src/index.ts';
import { dcatUsDataset } from '../../src/standards/dcat-us.ts';
import { catalogueFacts, datasetFacts } from '../../src/standards/facts.ts';
import { workbookOf } from '../data/support/zip.ts';
import { makeRoot, type } from '../support/prompt.ts';

const fixtures = fileURLToPath(new URL('../fixtures/catalogues/', import.meta.url));

/** A catalogue, and a copy of the sources that a test may change. */
async function makeSources() {
  const root = await makeRoot();
  const folder = join(dirname(root), 'sources');
  cpSync(fixtures, folder, { recursive: true });
  const importing = async (...argv: string[]) => {
    const result = await type(['import', ...argv, '--json'], { root });
    return { ...result, json: result.out ? JSON.parse(result.out) : null };
  };
  const get = async (name: string): Promise<Dataset> => {
    const [namespace = '', slug = ''] = name.split('/');
    return (await type(['dataset', 'list'], { root })).catalogue.get<'dataset'>({ kind: 'dataset', namespace, slug });
  };
  const change = (path: string, edit: (value: never) => unknown) => {
    const file = join(folder, path);
    writeFileSync(file, JSON.stringify(edit(JSON.parse(readFileSync(file, 'utf8')) as never)));
  };
  return { root, folder, importing, get, change };
}

const counts = ({ created, updated, unchanged, skipped }: Record<string, unknown[]>) => [
  created?.length,
  updated?.length,
  unchanged,
  skipped?.length,
];

describe('an import of local files', () => {
  it('takes every record of a CKAN dump, or says why not', async () => {
    const { importing, get } = await makeSources();
    const { json, exitCode } = await importing('sources/ckan', '--to', 'tokyo');
    assert.equal(exitCode, 0);
    assert.deepEqual(counts(json), [3, 0, 0, 1]);
    assert.deepEqual(json.skipped, [
      { id: 't000001d0000000001', reason: 'a list of names has it, but the record is in no file' },
    ]);
    const dataset = await get(json.created[0].dataset);
    assert.equal(dataset.licence, 'CC-BY-4.0');
    assert.match(dataset.homepage, /^https:\/\/catalog\.data\.metro\.tokyo\.lg\.jp\/dataset\//);
    assert.ok(Object.values(dataset.links).every((url) => /^https?:/.test(url)));
    assert.deepEqual(counts((await importing('sources/ckan', '--to', 'tokyo')).json), [0, 0, 3, 1]);
  });

  it('takes the English texts of CKAN packages in several languages, else those of the first that has some', async () => {
    const { importing, get, folder } = await makeSources();
    const packages = [
      {
        id: '1',
        name: 'parks',
        title: { de: 'Parkanlagen', en: 'Parks', fr: '' },
        notes: { de: 'Alle Parkanlagen', en_GB: 'All parks' },
        keywords: { de: ['grün'], en: ['green'], fr: [] },
        tags: [{ name: 'city', display_name: { de: 'Stadt', en: 'City' } }],
        groups: [{ name: 'environment', title: { de: 'Umwelt', en: '' } }],
        organization: { name: 'office', title: { de: 'Amt', en: 'Office' } },
        resources: [{ url: 'https://data.example.org/parks.csv', name: { de: 'Tabelle', en: 'Table' }, format: 'CSV' }],
      },
      {
        id: '2',
        name: 'trees',
        title: { fr: '', de: 'Bäume' },
        notes: '',
        description: { 'de-CH': 'Alle Bäume' },
        keywords: ['plants'],
        resources: [{ url: 'https://data.example.org/t.csv', name: '', title: { de: 'Baumtabelle' }, format: 'CSV' }],
      },
      { id: '3', name: 'benches', title: { de: '', fr: '' }, notes: { text: 'no language' }, resources: [] },
    ];
    writeFileSync(join(folder, 'languages.json'), JSON.stringify(packages));
    const { json, err } = await importing('sources/languages.json', '--to', 'city');
    assert.deepEqual(counts(json), [3, 0, 0, 0], err);
    const parks = await get('city/parks');
    assert.deepEqual(
      [parks.label, parks.description, parks.keywords, parks.publisher, Object.keys(parks.links)],
      ['Parks', 'All parks', ['City', 'green', 'Umwelt'], 'Office', ['Table (CSV)']],
    );
    const trees = await get('city/trees');
    assert.deepEqual(
      [trees.label, trees.description, trees.keywords, Object.keys(trees.links)],
      ['Bäume', 'Alle Bäume', ['plants'], ['Baumtabelle (CSV)']],
    );
    const benches = await get('city/benches');
    assert.deepEqual([benches.label, benches.description], ['benches', '']);
  });

  it('keeps what people wrote by hand, and updates the rest', async () => {
    const { root, importing, get, change } = await makeSources();
    const { json } = await importing('sources/gsa.data.json', '--to', 'gsa');
    assert.deepEqual(counts(json), [3, 0, 0, 0]);
    const name = json.created[0].dataset;
    const { issued, modified } = await get(name);
    assert.deepEqual([issued, modified], ['2015-02-27', '2019-06-12']);
    const edited = await type(['dataset', 'edit', name, '--description', 'Our own words.'], { root });
    assert.equal(edited.exitCode, 0, edited.err);
    change('gsa.data.json', ({ dataset: [first, ...others] }: { dataset: Record<string, unknown>[] }) => ({
      dataset: [{ ...first, description: 'Their new words.', title: 'A new title' }, ...others],
    }));
    const second = (await importing('sources/gsa.data.json', '--to', 'gsa')).json;
    assert.deepEqual(counts(second), [0, 1, 2, 0]);
    assert.deepEqual(second.updated, [{ dataset: name, fields: ['label'] }]);
    assert.deepEqual(second.kept, [{ dataset: name, fields: ['description'] }]);
    const { description, label, slug } = await get(name);
    assert.deepEqual([description, label, `gsa/${slug}`], ['Our own words.', 'A new title', name]);
    assert.deepEqual(counts((await importing('sources/gsa.data.json', '--to', 'gsa')).json), [0, 0, 3, 0]);
  });

  it('puts datasets without versions into data.json, with the dates and files of the source', async () => {
    const { root, importing } = await makeSources();
    await importing('sources/gsa.data.json', '--to', 'gsa');
    const { catalogue } = await type(['dataset', 'list'], { root });
    const facts = catalogueFacts(catalogue.settings, 'https://data.example.org');
    for await (const dataset of listAll(catalogue, 'dataset', { namespace: 'gsa' })) {
      const one = dcatUsDataset(datasetFacts(facts, dataset, undefined));
      assert.deepEqual(
        [one?.issued, one?.modified],
        [`${dataset.issued}T00:00:00.000Z`, `${dataset.modified}T00:00:00.000Z`],
      );
      const files = one?.distribution as { downloadURL?: string; mediaType?: string; accessURL?: string }[];
      assert.equal(files.length, Object.keys(dataset.links).length);
      for (const { downloadURL, mediaType, accessURL } of files) assert.ok(downloadURL ? mediaType : accessURL);
    }
  });

  it('follows a name that changed at the source: one update, nothing new, the old address redirects', async () => {
    const { importing, get, folder } = await makeSources();
    const dump = (name: string) =>
      writeFileSync(join(folder, 'dump.json'), JSON.stringify([{ id: 'a-1', name, title: 'Trees', resources: [] }]));
    dump('trees');
    await importing('sources/dump.json', '--to', 'city');
    dump('street-trees');
    const { json } = await importing('sources/dump.json', '--to', 'city');
    assert.deepEqual(
      [counts(json), json.updated],
      [[0, 1, 0, 0], [{ dataset: 'city/street-trees', fields: ['slug'] }]],
    );
    assert.equal((await get('city/street-trees')).label, 'Trees');
    await assert.rejects(get('city/trees'), /Moved/);
    assert.deepEqual(counts((await importing('sources/dump.json', '--to', 'city')).json), [0, 0, 1, 0]);
  });

  it('updates datasets that people have moved into other namespaces, also where their namespace was renamed', async () => {
    const { root, importing, get, folder } = await makeSources();
    const dump = (title: string) => {
      const packages = ['trees', 'benches'].map((name) => ({ id: `${name}-1`, name, title, resources: [] }));
      writeFileSync(join(folder, 'dump.json'), JSON.stringify(packages));
    };
    const edit = async (...argv: string[]) => assert.equal((await type(argv, { root })).exitCode, 0);
    const again = async (to: string, ...more: string[]) =>
      (await importing('sources/dump.json', '--to', to, ...more)).json;
    dump('First');
    await again('inbox');
    await edit('namespace', 'add', 'curated', '--label', 'Curated');
    await edit('dataset', 'edit', 'inbox/trees', '--namespace', 'curated');
    dump('Second');
    assert.deepEqual(counts(await again('inbox')), [0, 2, 0, 0]);
    assert.equal((await get('curated/trees')).label, 'Second');
    await assert.rejects(get('inbox/trees'), /Moved/);
    await edit('namespace', 'edit', 'inbox', '--slug', 'incoming');
    dump('Third');
    const third = await again('inbox', '--save', 'dump');
    assert.deepEqual([counts(third), third.namespace], [[0, 2, 0, 0], 'incoming']);
    assert.equal((await get('incoming/benches')).label, 'Third');
    assert.match(readFileSync(join(root, 'catalogue.yaml'), 'utf8'), /to: incoming/);
    await again('old');
    for (const name of ['trees', 'benches'])
      await edit('dataset', 'edit', `old/${name}`, '--namespace', 'curated', '--slug', `old-${name}`);
    await edit('namespace', 'remove', 'old', '--yes');
    dump('Fourth');
    assert.deepEqual(counts(await again('old')), [0, 2, 0, 0]);
    assert.equal((await get('curated/old-benches')).label, 'Fourth');
    const { out } = await type(['namespace', 'list'], { root });
    assert.doesNotMatch(out, /^old/m, 'no namespace is made for nothing');
  });

  it('leaves out dates of a source that do not exist', async () => {
    const { importing, get, change } = await makeSources();
    change('fcc.data.json', ({ dataset: [first] }: { dataset: Record<string, unknown>[] }) => ({
      dataset: [{ ...first, issued: '2026-02-30', modified: '2026-02-28T12:00:00+01:00' }],
    }));
    const { json, err } = await importing('sources/fcc.data.json', '--to', 'fcc');
    assert.deepEqual(counts(json), [1, 0, 0, 0], err);
    const { issued, modified } = await get(json.created[0].dataset);
    assert.deepEqual([issued, modified], ['', '2026-02-28T11:00:00Z']);
  });

  it('leaves out times that their offset takes out of the years 0 to 9999', async () => {
    const { importing, get, change } = await makeSources();
    change('fcc.data.json', ({ dataset: [first] }: { dataset: Record<string, unknown>[] }) => ({
      dataset: [{ ...first, issued: '0000-01-01T00:00:00+01:00', modified: '9999-12-31T23:59:59-05:00' }],
    }));
    const { json, err } = await importing('sources/fcc.data.json', '--to', 'fcc');
    assert.deepEqual([counts(json), json.skipped], [[1, 0, 0, 0], []], err);
    const { issued, modified } = await get(json.created[0].dataset);
    assert.deepEqual([issued, modified], ['', '']);
  });

  it('is saved by its path from the catalogue, and imported again from any folder', async () => {
    const { root, folder, importing } = await makeSources();
    const place = join(dirname(root), 'deliveries/today');
    mkdirSync(place, { recursive: true });
    writeFileSync(join(place, 'trees.csv'), 'a\n1\n');
    for (const [source, saved] of [
      ['deliveries/today', '../deliveries/today'],
      [place, '../deliveries/today'],
    ] as const) {
      await importing(source, '--to', 'city', '--with-data', '--save', 'city');
      assert.match(readFileSync(join(root, 'catalogue.yaml'), 'utf8'), new RegExp(`url: ${saved}\n`));
    }
    for (const cwd of [folder, dirname(root), root]) {
      const { exitCode, err } = await type(['refresh'], { root, cwd });
      assert.equal(exitCode, 0, err);
      assert.match(err, /^Imported today into city: 0 new, 0 updated, 1 unchanged\.$/m);
    }
    const settings = readFileSync(join(root, 'catalogue.yaml'), 'utf8');
    writeFileSync(join(root, 'catalogue.yaml'), settings.replace('../deliveries/today', 'today'));
    assert.equal((await type(['refresh'], { root, cwd: dirname(place) })).exitCode, 0, 'as older versions saved it');
  });

  it('goes on after a document of a folder that names a file which is not there', async () => {
    const { folder, importing } = await makeSources();
    const write = (name: string, value: unknown) => writeFileSync(join(folder, 'saved', name), JSON.stringify(value));
    mkdirSync(join(folder, 'saved'));
    write('landing.json', { links: [{ rel: 'data', href: 'https://x.example/collections' }, { rel: 'conformance' }] });
    write('page.json', { links: [{ rel: 'conformance', href: 'conformance' }] });
    write('trees.json', { id: 'trees', title: 'Trees', links: [{ rel: 'items', href: 'https://x.example/items' }] });
    const { json, err } = await importing('sources/saved', '--to', 'city');
    assert.deepEqual(json?.created, [{ dataset: 'city/trees', label: 'Trees' }], err);
    assert.deepEqual(
      json?.skipped.map(({ id }: { id: string }) => id),
      ['landing.json', 'page.json'],
    );
  });

  it('turns HTML into Markdown, and drops scripts', async () => {
    const { importing, get, change } = await makeSources();
    change('fcc.data.json', ({ dataset: [first] }: { dataset: Record<string, unknown>[] }) => ({
      dataset: [
        {
          ...first,
          description:
            '<p>Trees &amp; <b>parks</b>, see <a href="https://example.org/a b">the page</a>.</p><ul><li>One</li><li>Two</li></ul><script>alert(1)</script><a href="javascript:x()">bad</a>',
        },
      ],
    }));
    const { json } = await importing('sources/fcc.data.json', '--to', 'fcc');
    const { description } = await get(json.created[0].dataset);
    assert.equal(description, 'Trees & **parks**, see [the page](https://example.org/a%20b).\n\n- One\n- Two\n\nbad');
  });

  it('keeps the lines of Markdown with entities or inline HTML, and words in emphasis apart', async () => {
    const { importing, get, folder } = await makeSources();
    const markdown =
      '## About\n\nTrees &amp; parks&nbsp;in <b>town</b>.\n\n* a\n  * b\n\n| a | b |\n|---|---|\n| 1 | 2 |';
    const notes = [markdown, '<p><b>Source</b> <b>city</b><i> </i></p>'];
    const packages = notes.map((text, i) => ({ id: `${i}`, name: `p${i}`, title: 'P', notes: text, resources: [] }));
    writeFileSync(join(folder, 'notes.json'), JSON.stringify(packages));
    await importing('sources/notes.json', '--to', 'notes');
    const expected = markdown
      .replace('&amp;', '&')
      .replace('&nbsp;', ' ')
      .replace(/<\/?b>/g, '**');
    assert.equal((await get('notes/p0')).description, expected);
    assert.equal((await get('notes/p1')).description, '**Source** **city**');
  });

  it('brings the files of a data package as versions, with the texts of its columns', async () => {
    const { importing, get } = await makeSources();
    const dry = (await importing('sources/gdp', '--to', 'economy', '--with-data', '--dry-run')).json;
    assert.deepEqual(counts(dry), [2, 0, 0, 0]);
    await assert.rejects(get('economy/gdp'), /Not found/);
    const { json } = await importing('sources/gdp', '--to', 'economy', '--with-data');
    assert.deepEqual([counts(json), json.versions.length], [[2, 0, 0, 0], 2]);
    const { versions, columns, licence } = await get('economy/gdp');
    assert.deepEqual([versions.length, versions[0]?.rows, licence], [1, 11, 'PDDL-1.0']);
    assert.ok(columns.some(({ description }) => description !== ''));
    const again = (await importing('sources/gdp', '--to', 'economy', '--with-data')).json;
    assert.deepEqual([counts(again), again.versions.length], [[0, 0, 2, 0], 0]);
  });

  it('gives columns the titles of a data package in place of labels made of their names, and keeps those of people', async () => {
    const { importing, get, folder, root } = await makeSources();
    mkdirSync(join(folder, 'alpha'));
    writeFileSync(join(folder, 'alpha/a.csv'), 'a_name,b_name,c_name\n1,2,3\n');
    const fields = [
      { name: 'a_name', title: 'Alpha of it' },
      { name: 'b_name', title: 'Beta of it' },
      { name: 'c_name', type: 'integer' },
    ];
    const resources = [{ name: 'a', path: 'a.csv', schema: { fields } }];
    const write = () => writeFileSync(join(folder, 'alpha/datapackage.json'), JSON.stringify({ name: 'a', resources }));
    const labels = async () => {
      const { err, json } = await importing('sources/alpha', '--to', 'alpha', '--with-data');
      assert.equal(json?.skipped.length, 0, err);
      return (await get('alpha/a')).columns.map(({ label }) => label);
    };
    write();
    assert.deepEqual(await labels(), ['Alpha of it', 'Beta of it', 'C name']);
    await type(['column', 'edit', 'alpha/a', 'b_name', '--label', 'Mine'], { root });
    fields[0] = { name: 'a_name', title: 'Another' };
    write();
    assert.deepEqual(await labels(), ['Alpha of it', 'Mine', 'C name']);
    const record = readFileSync(join(root, 'namespaces/alpha/datasets/a/dataset.yaml'), 'utf8');
    assert.doesNotMatch(record, /(?:unit|description): *(?:""|'')/);
  });

  it('reads a STAC catalogue with more items than documents that may be read', async () => {
    const { importing, folder } = await makeSources();
    mkdirSync(join(folder, 'scenes'));
    const link = (rel: string, href: string) => ({ rel, href });
    const write = (name: string, links: readonly object[]) =>
      writeFileSync(
        join(folder, 'scenes', `${name}.json`),
        JSON.stringify({ stac_version: '1.0.0', type: 'Catalog', id: name, description: name, links }),
      );
    write('catalog', [link('child', 'many.json'), link('child', 'one.json')]);
    write(
      'many',
      Array.from({ length: 200_001 }, (_, i) => link('item', `${i}.json`)),
    );
    write('one', [link('item', 'x.json')]);
    const { json, err } = await importing('sources/scenes', '--to', 'scenes');
    assert.deepEqual(counts(json ?? {}), [2, 0, 0, 0], err);
  });

  it('reads STAC folders and the Registry of Open Data, each link once', async () => {
    const { importing, get } = await makeSources();
    const stac = (await importing('sources/stac', '--to', 'stac')).json;
    assert.deepEqual([stac.created.length, stac.skipped.length], [4, 0]);
    const registry = (await importing('sources/registry', '--to', 'aws')).json;
    assert.deepEqual(counts(registry), [2, 0, 0, 0]);
    const { links, publisher } = await get(registry.created[0].dataset);
    assert.ok(publisher && !publisher.includes(']('));
    assert.ok(Object.keys(links).length > 0);
  });

  it('survives hostile documents: circles of links, links out of the folder, bombs and odd keys', async () => {
    const { importing, folder, get } = await makeSources();
    const catalogue = (id: string, ...children: string[]) => {
      const links = children.map((href) => ({ rel: 'child', href }));
      return JSON.stringify({
        stac_version: '1.0.0',
        type: 'Collection',
        id,
        description: id,
        license: 'CC0-1.0',
        extent: {},
        links,
      });
    };
    mkdirSync(join(folder, 'circle'));
    writeFileSync(
      join(folder, 'circle/catalog.json'),
      catalogue('a', './b.json', '../../../../../../etc/passwd', 'file:///etc/passwd', './none.json'),
    );
    writeFileSync(join(folder, 'circle/b.json'), catalogue('b', './catalog.json', './b.json'));
    const circle = (await importing('sources/circle', '--to', 'circle')).json;
    assert.deepEqual([circle.created.length, circle.skipped.length], [2, 3]);

    const resources = [
      { name: '__proto__', path: '../../../../../etc/passwd' },
      { name: 'ok', path: 'ok.csv', title: '\u0000Title\u0007' },
      7,
    ];
    mkdirSync(join(folder, 'odd'));
    writeFileSync(join(folder, 'odd/datapackage.json'), JSON.stringify({ name: 'odd', resources }));
    writeFileSync(join(folder, 'odd/ok.csv'), 'a,b\n1,2\n');
    const odd = (await importing('sources/odd', '--to', 'odd', '--with-data')).json;
    assert.deepEqual([odd.created.length, odd.versions.length, odd.skipped.length], [2, 1, 1]);
    assert.equal((await get('odd/ok')).label, 'Title');

    writeFileSync(
      join(folder, 'bomb.json.gz'),
      gzipSync(Buffer.concat([Buffer.from('[{"id":"'), Buffer.alloc(80_000_000, 0x61)])),
    );
    const bomb = await importing('sources/bomb.json.gz', '--to', 'bomb');
    assert.equal(bomb.exitCode, 1);
    assert.match(bomb.json?.skipped[0].reason ?? bomb.err, /format is not known|more than/);
  });

  it('brings no hidden file, and none from outside of the folder of the source, named by its path or through a link', async () => {
    const { root, folder, importing } = await makeSources();
    const outside = join(dirname(root), 'secret.csv');
    writeFileSync(outside, 'name,token\nremote,abc\n');
    const dcatUs = (downloadURL: string) =>
      JSON.stringify({
        conformsTo: 'https://project-open-data.cio.gov/v1.1/schema',
        dataset: [{ identifier: 'keys', title: 'Keys', distribution: [{ downloadURL, mediaType: 'text/csv' }] }],
      });
    const turtle = `@prefix dcat: <http://www.w3.org/ns/dcat#> . @prefix dct: <http://purl.org/dc/terms/> .
      <https://x.example/keys> a dcat:Dataset ; dct:title "Keys" ; dcat:distribution [ dcat:downloadURL "${outside}" ] .`;
    const stac = JSON.stringify({
      ...{ stac_version: '1.0.0', type: 'Collection', id: 'keys', description: 'Keys', license: 'CC0-1.0', extent: {} },
      ...{ links: [], assets: { data: { href: './link.csv', type: 'text/csv' } } },
    });
    const dataPackage = JSON.stringify({ name: 'keys', resources: [{ name: 'keys', path: 'link.csv' }] });
    const importingFolder = async (name: string, files: Readonly<Record<string, string>>, target = outside) => {
      mkdirSync(join(folder, name));
      for (const [file, text] of Object.entries(files)) {
        mkdirSync(dirname(join(folder, name, file)), { recursive: true });
        writeFileSync(join(folder, name, file), text);
      }
      symlinkSync(target, join(folder, name, 'link.csv'));
      const main = Object.keys(files)[0] ?? '';
      const { json, err } = await importing(`sources/${name}/${main}`, '--to', name, '--with-data');
      assert.equal(json?.created.length, 1, `${name}: ${err}`);
      return json;
    };
    for (const [name, files] of [
      ['path', { 'data.json': dcatUs(outside) }],
      ['relative', { 'data.json': dcatUs('../../secret.csv') }],
      ['link', { 'data.json': dcatUs('link.csv') }],
      [
        'hidden',
        {
          'data.json': dcatUs(join(folder, 'hidden/.config/secret.csv')),
          '.config/secret.csv': 'name,token\nremote,abc\n',
        },
      ],
      ['turtle', { 'catalog.ttl': turtle }],
      ['package', { 'datapackage.json': dataPackage }],
      ['collection', { 'collection.json': stac }],
    ] as const) {
      const { versions, links } = await importingFolder(name, files);
      assert.deepEqual(versions, [], name);
      assert.deepEqual([links.length, links[0].failed], [1, true], name);
      assert.match(
        links[0].reason,
        /(?:secret|link)\.csv is hidden, or outside of the folder of the source, .*copy it into the folder/,
      );
    }
    const secret = { 'data.json': dcatUs('link.csv'), '.config/secret.csv': 'name,token\nremote,abc\n' };
    const toHidden = await importingFolder('to-hidden', secret, '.config/secret.csv');
    assert.deepEqual([toHidden.versions, toHidden.links[0].failed], [[], true]);
    const within = await importingFolder('within', { 'data.json': dcatUs('link.csv'), 'own.csv': 'a\n1\n' }, 'own.csv');
    assert.deepEqual([within.versions.length, within.links], [1, []]);
    // What was typed may lead to any place.
    symlinkSync(join(folder, 'within'), join(folder, 'linked-folder'));
    const linked = (await importing('sources/linked-folder', '--to', 'linked-folder', '--with-data')).json;
    assert.deepEqual([linked.versions.length, linked.links], [1, []]);
    const typed = (await importing('sources/path/link.csv', '--to', 'typed')).json;
    assert.equal(typed.versions.length, 1);
  });

  it('refuses what is no catalogue, and what ends too early, with the reason', async () => {
    const { importing, folder } = await makeSources();
    writeFileSync(join(folder, 'page.json'), '{"a": 1}');
    const unknown = await importing('sources/page.json', '--to', 'x');
    assert.equal(unknown.exitCode, 1);
    assert.match(unknown.json.skipped[0].reason, /its format is not known\. Known are CKAN/);
    assert.equal((await importing('sources/none.json')).exitCode, 3);
    const long = JSON.stringify({
      id: '1',
      name: 'a',
      title: 'A',
      resources: [],
      metadata_created: 'x'.repeat(5_000_000),
    });
    writeFileSync(join(folder, 'cut.json'), `[${long},{"id":"2"`);
    const cut = await importing('sources/cut.json', '--to', 'x');
    assert.match(cut.err, /it ends within its list: the file is not complete/);
  });

  it('keeps every value of a property in DCAT', async () => {
    const { importing, folder, get } = await makeSources();
    const keywords = Array.from({ length: 500 }, (_, i) => `"word ${i}"`).join(', ');
    writeFileSync(
      join(folder, 'many.ttl'),
      `@prefix dcat: <http://www.w3.org/ns/dcat#> . @prefix dct: <http://purl.org/dc/terms/> .
      <https://x.example/a> a dcat:Dataset ; dct:title "A" ; dcat:keyword ${keywords} .`,
    );
    const { json, err } = await importing('sources/many.ttl', '--to', 'many');
    assert.equal(json?.created.length, 1, err);
    assert.equal((await get(json.created[0].dataset)).keywords.length, 500);
  });

  it('says how many keywords and links are beyond those of a record', async () => {
    const { importing, folder, get } = await makeSources();
    const keyword = Array.from({ length: 2_003 }, (_, i) => `word ${i}`);
    const distribution = Array.from({ length: 10_002 }, (_, i) => ({ accessURL: `https://x.example/${i}` }));
    const dataset = [{ identifier: 'a', title: 'A', keyword, distribution }];
    writeFileSync(join(folder, 'long.json'), JSON.stringify({ conformsTo: 'dcat', dataset }));
    for (let run = 0; run < 2; run++) {
      const { json, err } = await importing('sources/long.json', '--to', 'long');
      assert.deepEqual(
        json?.shortened,
        [
          { id: 'a', reason: '3 of its 2,003 keywords: a record has at most 2,000' },
          { id: 'a', reason: '2 of its 10,002 links: a record has at most 10,000' },
        ],
        err,
      );
      assert.deepEqual([json.created.length + json.unchanged, json.skipped], [1, []]);
    }
    const { keywords, links } = await get('long/a');
    assert.deepEqual([keywords.length, Object.keys(links).length], [2_000, 10_000]);
  });

  it('reads DCAT in Turtle, JSON-LD and RDF/XML alike, and says what it does not fetch or expand', async () => {
    const { folder, importing, get } = await makeSources();
    const iri = 'https://data.example.org/dataset/trees';
    const dcat = 'http://www.w3.org/ns/dcat#';
    const dct = 'http://purl.org/dc/terms/';
    const dataset = (language: string) => ({
      '@id': iri,
      '@type': `${dcat}Dataset`,
      [`${dct}title`]: { '@value': `Trees ${language}`, '@language': 'en' },
      [`${dcat}keyword`]: ['oak', 'park'],
      [`${dcat}distribution`]: {
        '@type': `${dcat}Distribution`,
        [`${dct}title`]: 'Table',
        [`${dcat}downloadURL`]: { '@id': 'https://data.example.org/trees.csv' },
      },
    });
    const rdf = (
      head: string,
      title: string,
    ) => `<?xml version="1.0"?>${head}<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#"
      xmlns:dcat="${dcat}" xmlns:dct="${dct}"><dcat:Dataset rdf:about="${iri}"><dct:title xml:lang="en">${title}</dct:title>
      <dcat:keyword>oak</dcat:keyword><dcat:keyword>park</dcat:keyword><dcat:distribution><dcat:Distribution><dct:title>Table</dct:title>
      <dcat:downloadURL rdf:resource="https://data.example.org/trees.csv"/></dcat:Distribution></dcat:distribution></dcat:Dataset></rdf:RDF>`;
    const forms = {
      'a.jsonld': JSON.stringify([dataset('1')]),
      'b.json': JSON.stringify({ '@context': { dcat }, '@graph': [{ ...dataset('2'), '@type': 'dcat:Dataset' }] }),
      'c.rdf': rdf('', 'Trees 3'),
      'd.xml': rdf('<!DOCTYPE rdf:RDF [<!ENTITY e "Trees">]>', '&e; 4'),
    };
    for (const [name, text] of Object.entries(forms)) {
      writeFileSync(join(folder, name), text);
      const { json, err } = await importing(`sources/${name}`, '--to', name.slice(0, 1));
      assert.deepEqual(counts(json ?? {}), [1, 0, 0, 0], `${name}: ${err}${JSON.stringify(json?.skipped)}`);
      const { label, keywords, links } = await get(json.created[0].dataset);
      assert.match(label, /^Trees \d$/);
      assert.deepEqual([keywords, links], [['oak', 'park'], { Table: 'https://data.example.org/trees.csv' }]);
    }
    for (const [name, text, reason] of [
      [
        'e.jsonld',
        JSON.stringify({ ...dataset('5'), '@context': 'https://other.example/context' }),
        /has its context at https:\/\/other\.example\/context, which is not fetched/,
      ],
      ['f.rdf', `${rdf('', 'x').slice(0, 400)}`, /is not valid RDF\/XML/],
      ['g.rdf', rdf(`<!DOCTYPE rdf:RDF [<!ENTITY e "${'a'.repeat(50_000)}">]>`, '&e;'.repeat(5000)), /grows too much/],
    ] as const) {
      writeFileSync(join(folder, name), text);
      const { err, json, exitCode } = await importing(`sources/${name}`, '--to', 'x');
      assert.match(`${err}${JSON.stringify(json?.skipped)}`, reason);
      assert.notEqual(exitCode, 0);
    }
  });

  it('takes files with rows: each sheet of a workbook is a dataset, again and again the same', async () => {
    const { root, folder, importing, get } = await makeSources();
    const cell = (value: string) => `<c t="inlineStr"><is><t>${value}</t></is></c>`;
    const sheet = (value: string) => `<row r="1">${cell('name')}</row><row r="2">${cell(value)}</row>`;
    mkdirSync(join(folder, 'office/more'), { recursive: true });
    writeFileSync(
      join(folder, 'office/plants.xlsx'),
      workbookOf({ Trees: sheet('oak'), 'Shrubs 2024': sheet('ivy'), Empty: '' }),
    );
    writeFileSync(join(folder, 'office/more/parks.csv'), 'name\nA\n');
    const { json, exitCode, err } = await importing('sources/office');
    assert.equal(exitCode, 0, err);
    assert.equal(json.namespace, 'office');
    assert.deepEqual(
      json.versions.map(({ dataset }: { dataset: string }) => dataset),
      ['office/parks', 'office/plants-trees', 'office/plants-shrubs-2024'],
    );
    const shrubs = await get('office/plants-shrubs-2024');
    assert.deepEqual([shrubs.label, shrubs.reading, shrubs.links], ['Shrubs 2024', { layer: 'Shrubs 2024' }, {}]);
    const rows = await type(['data', 'office/plants-shrubs-2024', '--format', 'csv'], { root });
    assert.equal(rows.out.replaceAll('\r', ''), 'name\nivy\n');
    writeFileSync(join(folder, 'office/more/parks.csv'), 'name\nB\n');
    const again = (await importing('sources/office')).json;
    assert.deepEqual([...counts(again), again.versions.length], [0, 0, 3, 0, 1]);
    const one = (await importing('sources/office/more/parks.csv')).json;
    assert.deepEqual([one.namespace, one.versions.length], ['parks', 1]);
  });

  it('is a function of the library, too', async (t) => {
    const { root, folder } = await makeSources();
    const catalogue = await openCatalogue(root);
    t.after(() => catalogue.close());
    const options = { to: 'agency', cacheFolder: join(folder, '.cache') };
    const source = join(folder, 'gsa.data.json');
    const planned = await importCatalogue(catalogue, source, { ...options, dryRun: true });
    const first = await importCatalogue(catalogue, source, options);
    assert.deepEqual([planned.created.length, first.created.length, first.namespace], [3, 3, 'agency']);
    assert.equal((await importCatalogue(catalogue, source, options)).unchanged, 3);
    await assert.rejects(importCatalogue(catalogue, source, { ...options, format: 'x' }), /Known formats are ckan/);
  });

  it('wants a number of seconds between requests', async () => {
    for (const delay of ['foo', '-1', '', 'Infinity']) {
      const { err, exitCode } = await type(['import', 'data.json', `--delay=${delay}`], { root: await makeRoot({}) });
      assert.equal(exitCode, 2, delay);
      assert.match(err, /number of seconds, such as 1 or 0\.5/);
    }
  });
});
