/** The documents in the standards are valid by the official schemas and shapes, also for hostile and for empty records. */
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { cpSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { Parser } from 'n3';
import { makeLastingFolder } from '../support/folder.ts';
import { makeRoot, type } from '../support/prompt.ts';
import { serveFolder } from '../support/server.ts';
import { realCatalogues } from './real-catalogues.ts';
import {
  canonicalGraph,
  croissantErrors,
  dataPackageErrors,
  dcatErrors,
  dcatUsErrors,
  googleErrors,
  stacErrors,
} from './validate.ts';

const payload = 'x,"a ""b""",geometry\n1,2,POINT (179 1)\n';
const checksum = createHash('sha256').update(payload).digest('hex');
const version = {
  datetime: '2024-01-31T12:00:00Z',
  checksum,
  file: { name: '20240131.csv', format: 'csv', media_type: 'text/csv', size: payload.length },
};
const columns = [
  { name: 'x', type: 'integer' },
  { name: 'a "b"', type: 'float', label: 'Line\nbreak', description: '</script><b>', unit: '°C' },
  { name: 'geometry', type: 'geometry' },
];

/** Records that are legal, and have what breaks documents. */
const hostile = {
  settings: {
    title: 'A "quoted" <b>title</b>',
    description: 'Line\nbreak & "quotes" \u202eright to left',
    publisher: 'Ämter & Co. "KG"',
    contact: 'Open "Data" <data@example.org>',
    language: 'de',
  },
  namespaces: {
    parks: { label: 'Parks "and" <gardens>' },
    bare: { label: 'bare' },
    secret: { label: 'Secret', visibility: 'private' },
  },
  datasets: {
    'parks/hostile': {
      label: '"</script><script>alert(1)</script>',
      description: '\u202e"\\ \u2028 \' \n\n# Title\u0001',
      keywords: ['a"b', 'c\\d', 'e f', '\u202e'],
      licence: 'CC-BY-4.0',
      homepage: 'https://example.org/?a=1&b="',
      contact: 'https://example.org/contact',
      columns,
    },
    'parks/antimeridian': {
      label: 'Fiji',
      description: `${'x'.repeat(4998)}😀😀`,
      licence: 'https://example.org/licence',
      contact: 'fiji@example.org',
    },
    'parks/odd-addresses': {
      label: 'Odd addresses',
      keywords: ['', ' ', 'twice', 'twice'],
      licence: 'https://例え.example/許諾[1]{a}#a#b%zz\n',
      homepage: 'https://example.org/a{b}|c^d`e',
      links: { '': 'https://example.org/nameless.csv' },
      contact: 'Ünï <ü{x}|%y@exämple.org>',
    },
    'parks/in-words': {
      label: 'Ｔ',
      description: '〇',
      licence: `Free for all, but "ask" first.${'.'.repeat(224)}😀`,
      contact: 'A B <a@b.example>',
    },
    'parks/odd-format': { label: 'Odd format' },
    'bare/missing-everything': { label: 'x' },
    'bare/without-data': { label: 'Nothing yet' },
    'secret/files': { label: 'Nobody knows' },
  },
  versions: {
    'parks/hostile@20240131': {
      ...version,
      label: '"1"',
      notes: '<&>',
      rows: 1,
      bbox: [179, 1, 179, 1],
      columns: columns.map(({ name, type }) => ({ name, type })),
    },
    'parks/antimeridian@20240131': { ...version, bbox: [177, -20, -178, -12] },
    'parks/odd-addresses@20240131': {
      label: '',
      datetime: version.datetime,
      file: { url: 'https://example.org/データ{1}[2].csv?x=|#a#b%zz', format: 'CSV; maybe', media_type: 'CSV file' },
      bbox: [0, 0, 0, 1, 1, 1],
    },
    'parks/odd-format@20240131': {
      datetime: version.datetime,
      file: { url: 'https://example.org/notes.constructor', format: 'constructor' },
    },
    'parks/in-words@20240131': { ...version, bbox: [-180, -90, 180, 90] },
    'bare/missing-everything@20240131': { ...version },
    'secret/files@20240131': { ...version },
  },
  files: Object.fromEntries(
    ['parks/hostile', 'parks/antimeridian', 'parks/in-words', 'bare/missing-everything', 'secret/files'].map((name) => [
      `namespaces/${name.replace('/', '/datasets/')}/data/20240131.csv`,
      payload,
    ]),
  ),
};

for (const [name, make] of [
  ['the example catalogue', copyOfExample],
  ['hostile records', () => makeLastingFolder(hostile)],
  ['real catalogues', () => makeLastingFolder(realCatalogues())],
  ['real catalogues that were imported', importRealCatalogues],
] as const)
  describe(`standards: ${name}`, () => {
    let base = '';
    let close = async () => {};
    const datasets: string[] = [];
    const isReal = name.startsWith('real catalogues');
    before(async () => {
      const folder = await make();
      const server = await serveFolder(folder.root);
      base = server.base;
      close = async () => {
        await server.close();
        folder.remove();
      };
      for (let url: string | null = `${base}/api/v1/datasets/?page_size=100`; url !== null; ) {
        const page = (await json(url)) as { results: { url: string }[]; next: string | null };
        datasets.push(...page.results.map((one) => one.url));
        url = page.next;
      }
    });
    after(() => close());

    it('schema.org has what Google requires', async () => {
      for (const url of datasets) assert.deepEqual(await googleErrors(await json(`${url}schema.jsonld`)), [], url);
    });

    it('DCAT-AP 3.0.1 holds, in JSON-LD and in Turtle, and both say the same', async () => {
      const document = await json(`${base}/catalog.jsonld`);
      const turtle = await text(`${base}/catalog.ttl`);
      assert.deepEqual(await dcatErrors(document), []);
      assert.equal(await canonicalGraph(turtle), await canonicalGraph(document));
      const { '@graph': graph } = document as { '@graph': readonly { '@id': string }[] };
      assert.equal(graph.length, datasets.length + 1);
      const subjects = new Set(new Parser().parse(turtle).map(({ subject }) => subject.value));
      for (const { '@id': id } of graph) assert.ok(subjects.has(id), id);
      for (const url of datasets) {
        const document = await json(`${url}dcat.jsonld`);
        assert.deepEqual(await dcatErrors(document), [], url);
        assert.equal(await canonicalGraph(await text(`${url}dcat.ttl`)), await canonicalGraph(document), url);
      }
    });

    it('DCAT-US 1.1 holds, and lists every dataset that has what it demands', async () => {
      const document = (await json(`${base}/data.json`)) as { dataset: readonly { identifier: string }[] };
      assert.deepEqual(dcatUsErrors(document), []);
      const listed = new Set(document.dataset.map(({ identifier }) => identifier));
      for (const url of datasets) {
        const dataset = (await json(url)) as Record<'contact' | 'issued' | 'modified', string> & {
          versions: { ready: boolean }[];
        };
        const { contact, issued, modified, versions } = dataset;
        const isDated = Boolean(issued || modified) || versions.some(({ ready }) => ready);
        const isComplete = !isReal || (contact.includes('@') && isDated);
        if (isComplete && !/hostile|without-data/.test(url)) assert.ok(listed.has(url), url);
        else assert.ok(!listed.has(url), url);
      }
    });

    for (const [document, errorsOf] of [
      ['datapackage.json', dataPackageErrors],
      ['stac.json', stacErrors],
      ['croissant.json', croissantErrors],
    ] as const)
      it(`${document} is valid, or says which facts are missing`, async () => {
        let valid = 0;
        for (const url of datasets) {
          const response = await fetch(url + document);
          const body = (await response.json()) as never;
          if (response.status === 200) {
            assert.deepEqual(await errorsOf(body), [], url);
            valid++;
          } else assert.match((body as { detail: string }).detail, /^This dataset has no .*, which .* demands\.$/);
        }
        // Nothing is known of the columns in files of others, and files that are links have no version.
        assert.ok(valid > 0 || (isReal && (document === 'croissant.json' || name.endsWith('imported'))));
      });

    it('the root of STAC leads to every Collection', async () => {
      const root = (await json(`${base}/stac/`)) as Parameters<typeof stacErrors>[0] & {
        links: readonly { rel: string; href: string }[];
      };
      assert.deepEqual(stacErrors(root), []);
      const childrenOf = ({ links }: Pick<typeof root, 'links'>) => links.filter(({ rel }) => rel === 'child');
      const collections: string[] = [];
      for (const { href } of childrenOf(root)) {
        const namespace = (await json(href)) as typeof root;
        assert.deepEqual(stacErrors(namespace), [], href);
        for (const child of childrenOf(namespace)) {
          const { type, links } = (await json(child.href)) as typeof root & { type: string };
          assert.equal(type, 'Collection');
          assert.equal(links.find(({ rel }) => rel === 'parent')?.href, href);
          collections.push(child.href);
        }
      }
      const expected = await Promise.all(
        datasets.map(async (url) => ((await fetch(`${url}stac.json`)).status === 200 ? [`${url}stac.json`] : [])),
      );
      assert.deepEqual(collections.toSorted(), expected.flat().toSorted());
      assert.equal((await fetch(`${base}/stac/nobody/`)).status, 404);
      assert.equal((await fetch(`${base}/stac/secret/`)).status, 404);
    });

    it('a document without a change is answered with 304', async () => {
      for (const address of [`${base}/data.json`, `${datasets[0]}dcat.ttl`]) {
        const tag = (await fetch(address)).headers.get('etag') ?? '';
        const again = await fetch(address, { headers: { 'If-None-Match': tag } });
        assert.equal(again.status, 304, address);
      }
    });

    it('names nothing that is private', async () => {
      for (const address of ['/data.json', '/catalog.jsonld', '/catalog.ttl', '/stac/', '/sitemap.xml', '/feed.atom'])
        assert.doesNotMatch(await text(base + address), /secret|Nobody knows/, address);
    });
  });

/** A catalogue into which the importer has taken the catalogues of others, from the files that these publish. */
async function importRealCatalogues() {
  const root = await makeRoot({ settings: { ...realCatalogues().settings } });
  const sources = fileURLToPath(new URL('../fixtures/catalogues/', import.meta.url));
  for (const source of readdirSync(sources, { withFileTypes: true })) {
    if (source.name === 'README.md') continue;
    const [slug = ''] = source.name.split('.');
    const { exitCode, err } = await type(['import', join(sources, source.name), '--to', slug], { root });
    assert.equal(exitCode, 0, `${source.name}: ${err}`);
  }
  return { root, remove: () => rmSync(root, { recursive: true, force: true }) };
}

async function text(url: string): Promise<string> {
  const response = await fetch(url, { headers: { 'Accept-Encoding': 'identity' } });
  assert.equal(response.status, 200, url);
  const found = await response.text();
  assert.doesNotMatch(found, /\\ud[89a-f]/, `${url} has half of a character`);
  return found;
}

const json = async (url: string) => JSON.parse(await text(url)) as object;

function copyOfExample() {
  const root = mkdtempSync(join(tmpdir(), 'catalogue-data-'));
  cpSync('catalogue-data', root, { recursive: true, filter: (path) => !path.endsWith('.catalogue') });
  return { root, remove: () => rmSync(root, { recursive: true, force: true }) };
}
