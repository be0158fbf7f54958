/** DCAT: catalogues in pages, and what is read of their datasets. */
import assert from 'node:assert/strict';
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { after, before, beforeEach, describe, it } from 'node:test';
import { readDcatGraph } from '../../src/import/dcat-rdf.ts';
import { Portal } from '../support/portal.ts';
import { makeRoot, type } from '../support/prompt.ts';
import { serveFolder } from '../support/server.ts';

const portal = new Portal();
before(() => portal.start());
after(() => portal.close());
beforeEach(() => {
  portal.answers.clear();
  portal.asked.length = 0;
});

const prefixes = `@prefix dcat: <http://www.w3.org/ns/dcat#> .
@prefix dct: <http://purl.org/dc/terms/> .
@prefix hydra: <http://www.w3.org/ns/hydra/core#> .
`;
const named = (...names: readonly string[]) =>
  names.map((name) => `<https://data.example.org/${name}> a dcat:Dataset; dct:title "${name}" .\n`).join('');

async function importing(root: string, source: string, ...more: string[]) {
  const { out, err, exitCode } = await type(['import', source, '--to', 'city', '--delay', '0', '--json', ...more], {
    root,
  });
  return { json: out ? JSON.parse(out) : null, err, exitCode };
}
const createdIn = (json: { created: { dataset: string }[] } | null) =>
  json?.created.map(({ dataset }) => dataset).sort();

describe('a catalogue of DCAT in pages', () => {
  const serve = (path: string, turtle: string) => portal.file(path, prefixes + turtle, 'text/turtle');
  const linkTo = (path: string) => `${portal.base}${path}`;

  it('is read to its end, each dataset once', async () => {
    const root = await makeRoot();
    const page = (number: number, next: string, total = 4) =>
      `<${linkTo(`/${number}`)}> a hydra:PagedCollection; hydra:totalItems ${total}; ${next} .\n`;
    const firstPage = (total: number) => page(1, `hydra:nextPage "${linkTo('/2')}"`, total) + named('a', 'b');
    serve('/1', firstPage(4));
    serve('/2', `[] hydra:view [ hydra:next </3> ] .\n${named('b', 'c')}`);
    serve('/3', page(3, `hydra:firstPage "${linkTo('/1')}"`) + named('d'));
    const first = await importing(root, linkTo('/1'));
    assert.deepEqual(createdIn(first.json), ['city/a', 'city/b', 'city/c', 'city/d'], first.err);
    assert.deepEqual(first.json.skipped, []);
    assert.deepEqual(portal.asked, ['/1', '/2', '/3']);
    serve('/1', firstPage(3));
    serve('/3', page(3, `hydra:nextPage "${linkTo('/1')}"`, 3));
    const { json, err } = await importing(root, linkTo('/1'));
    assert.deepEqual([json?.unchanged, json?.missing], [3, ['city/d']], err);
  });

  it('is refused where a page is not followed or never comes, and nothing is missing then', async () => {
    const root = await makeRoot();
    serve('/1', named('a', 'b'));
    await importing(root, linkTo('/1'));
    for (const [next, reason] of [
      ['https://other.example.org/2', /the link to the next page leads to another server, other\.example\.org/],
      [linkTo('/2'), /\/2: the server answered 404/],
    ] as const) {
      serve('/1', `<> hydra:next <${next}> .\n${named('a')}`);
      const { json, err, exitCode } = await importing(root, linkTo('/1'));
      assert.equal(json, null);
      assert.notEqual(exitCode, 0);
      assert.match(err, reason);
    }
  });

  it('is complete as files if all pages are there', async () => {
    const root = await makeRoot();
    const folder = join(dirname(root), 'pages');
    mkdirSync(folder);
    const [one, two] = ['https://data.example.org/catalog.ttl?page=1', 'https://data.example.org/catalog.ttl?page=2'];
    const write = (name: string, turtle: string) => writeFileSync(join(folder, name), prefixes + turtle);
    write('1.ttl', `<${one}> a hydra:PagedCollection; hydra:nextPage "${two}" .\n${named('a')}`);
    write('2.ttl', `<${two}> a hydra:PagedCollection; hydra:previousPage "${one}" .\n${named('b')}`);
    const whole = await importing(root, folder);
    assert.deepEqual([createdIn(whole.json), whole.json?.skipped], [['city/a', 'city/b'], []], whole.err);
    write('2.ttl', named());
    const { json, err } = await importing(root, folder);
    const reason = 'a document names it as its next page, but it is in no file: the others may still be at the source';
    assert.deepEqual([json?.skipped, json?.missing], [[{ id: two, reason }], []], err);
  });
});

describe('the licence of a dataset of DCAT', () => {
  const right = 'http://publications.europa.eu/resource/authority/access-right/PUBLIC';
  const [own, other] = ['https://data.example.org/terms', 'https://data.example.org/other-terms'];
  for (const [what, expected, dataset, distribution] of [
    ['that of its files, not its access right', own, `dct:rights <${right}>`, `dct:license <${own}>`],
    ['that of its files before its rights', own, 'dct:rights "CC-BY-4.0"', `dct:license <${own}>`],
    ['in its rights, if they alone name one', 'CC-BY-4.0', `dct:rights <${right}>, "CC-BY-4.0"`, ''],
    ['not its access right', '', `dct:rights <${right}>`, ''],
    ['the identifier of a node', 'CC0-1.0', 'dct:license [ a dct:LicenseDocument; dct:identifier "CC0-1.0" ]', ''],
    ['the title of a node', 'ODbL-1.0', 'dct:license [ dct:title "Open Database License" ]', ''],
    ['what a node matches', 'CC-BY-4.0', `dct:license <${other}>`, ''],
    ['the IRI of a node that is not known', own, `dct:license <${own}>`, ''],
  ] as const)
    it(`is ${what}`, async () => {
      const node = (text: string) => (text ? `; ${text}` : '');
      const turtle = `${prefixes}@prefix skos: <http://www.w3.org/2004/02/skos/core#> .
        <https://data.example.org/a> a dcat:Dataset; dct:title "A"; dcat:distribution [ a dcat:Distribution${node(distribution)} ]${node(dataset)} .
        <${own}> dct:title "Terms of ours" .
        <${other}> skos:exactMatch <http://publications.europa.eu/resource/authority/licence/CC_BY_4_0> .`;
      const { Parser } = await import('n3');
      const [item] = [...readDcatGraph(new Parser().parse(turtle))].filter((one) => 'dataset' in one);
      assert.equal(item?.dataset.licence, expected);
    });
});

describe('the homepage of a dataset of DCAT', () => {
  const [iri, site, page] = [
    'https://data.example.org/a',
    'https://trees.example.org/',
    'https://portal.example.org/a',
  ];
  const foaf = '<http://xmlns.com/foaf/0.1/page>';
  for (const [what, expected, dataset] of [
    ['its landing page', page, `dcat:landingPage <${page}>; ${foaf} <${site}>`],
    [
      'a page about it, if the landing page is that of its record',
      site,
      `dcat:landingPage <${iri}?format=html>; ${foaf} <${site}>`,
    ],
    ['the page of its record, if there is no other', `${iri}?format=html`, `dcat:landingPage <${iri}?format=html>`],
    ['a page about it, if it has no landing page', site, `${foaf} <${site}>`],
    ['its address, if it has no page', iri, 'dct:title "A"'],
  ] as const)
    it(`is ${what}`, async () => {
      const { Parser } = await import('n3');
      const items = [
        ...readDcatGraph(new Parser().parse(`${prefixes} <${iri}> a dcat:Dataset; dct:title "A"; ${dataset} .`)),
      ];
      assert.equal(items.flatMap((one) => ('dataset' in one ? [one.dataset.homepage] : []))[0], expected);
    });

  it('is the same after a way through /catalog.ttl', async () => {
    const folder = await makeRoot({
      namespaces: { city: { id: 1, label: 'City' } },
      datasets: { 'city/trees': { id: 7, label: 'Trees', homepage: site }, 'city/parks': { id: 8, label: 'Parks' } },
    });
    const served = await serveFolder(folder);
    try {
      const root = await makeRoot({ settings: { title: 'Empty' } });
      await importing(root, `${served.base.replace(/\/$/, '')}/catalog.ttl`);
      const { catalogue } = await type(['dataset', 'list'], { root });
      const homepageOf = async (slug: string) =>
        (await catalogue.get<'dataset'>({ kind: 'dataset', namespace: 'city', slug })).homepage;
      assert.equal(await homepageOf('trees'), site);
      assert.match(await homepageOf('parks'), /\/datasets\/parks\//);
    } finally {
      await served.close();
    }
  });
});
