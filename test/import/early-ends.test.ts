/** Lists that end too early, and answers of another kind: datasets that were not read are not missing. */
import assert from 'node:assert/strict';
import type { IncomingMessage } from 'node:http';
import { after, before, beforeEach, describe, it } from 'node:test';
import { Portal } from '../support/portal.ts';
import { makeRoot, type } from '../support/prompt.ts';

const portal = new Portal();
before(() => portal.start());
after(() => portal.close());
beforeEach(() => portal.answers.clear());

const importing = async (root: string, path: string, ...more: string[]) => {
  const argv = ['import', `${portal.base}${path}`, '--to', 'city', '--delay', '0', '--json', ...more];
  const { out, err, exitCode } = await type(argv, { root });
  return { json: out ? JSON.parse(out) : null, err, exitCode };
};

const ids = [...'abcdef'];
const message = JSON.stringify({ code: 'ServiceUnavailable', detail: 'maintenance' });

/** A kind of list with pages of two records. */
interface Kind {
  /** What to import. */
  readonly source: string;
  /** Path of the list. */
  readonly list: string;
  readonly mediaType?: string;
  /** Key of the number of all records; lists of this kind may lack it. */
  readonly total: string;
  /** Documents beside the list, by path. */
  readonly others?: () => Readonly<Record<string, unknown>>;
  /** @param next address of the next page; '' for the last one */
  page(names: readonly string[], next: string, total: number | undefined): string;
}

const links = (next: string) => (next ? [{ rel: 'next', href: next }] : []);
const collectionLinks = [{ rel: 'items', href: '/items' }];
const kinds: Readonly<Record<string, Kind>> = {
  'DCAT with pages of Hydra': {
    source: '/catalog.ttl',
    list: '/catalog.ttl',
    mediaType: 'text/turtle',
    total: 'hydra:totalItems',
    page: (names, next, total) =>
      `@prefix dcat: <http://www.w3.org/ns/dcat#> . @prefix hydra: <http://www.w3.org/ns/hydra/core#> .
       @prefix dct: <http://purl.org/dc/terms/> .
       <> a hydra:Collection . ${total === undefined ? '' : `<> hydra:totalItems ${total} .`} ${next && `<> hydra:next <${next}> .`}
       ${names.map((name) => `<https://data.example.org/${name}> a dcat:Dataset; dct:title "${name}" .`).join('\n')}`,
  },
  'another catalogue': {
    source: '/api/v1/',
    list: '/api/v1/datasets/',
    total: 'count',
    others: () => ({
      '/api/v1/': {
        authentication: ['token'],
        endpoints: ['namespaces', 'datasets'].map((name) => ({ name, url: `${portal.base}/api/v1/${name}/` })),
      },
    }),
    page: (names, next, count) =>
      JSON.stringify({
        count,
        next: next || null,
        results: names.map((name) => ({ id: name.charCodeAt(0), slug: name, label: name, versions: [] })),
      }),
  },
  'OGC API': {
    source: '/ogc',
    list: '/ogc/collections',
    total: 'numberMatched',
    others: () => ({ '/ogc': { links: [{ rel: 'data', href: '/ogc/collections' }] } }),
    page: (names, next, numberMatched) =>
      JSON.stringify({
        numberMatched,
        links: links(next),
        collections: names.map((id) => ({ id, links: collectionLinks })),
      }),
  },
  'a STAC API': {
    source: '/stac',
    list: '/stac/collections',
    total: 'numberMatched',
    others: () => ({
      '/stac': {
        ...{ type: 'Catalog', stac_version: '1.0.0', id: 'api', description: 'API' },
        conformsTo: ['https://api.stacspec.org/v1.0.0/core'],
        links: [{ rel: 'data', href: '/stac/collections' }],
      },
    }),
    page: (names, next, numberMatched) =>
      JSON.stringify({
        numberMatched,
        links: links(next),
        collections: names.map((id) => ({ type: 'Collection', stac_version: '1.0.0', id, links: collectionLinks })),
      }),
  },
};

for (const [name, kind] of Object.entries(kinds))
  describe(`the list of ${name}`, () => {
    /** Serves the list. @param instead answers to pages by their numbers, from 1 */
    function serve(instead: Readonly<Record<number, string>> = {}, total: number | undefined = ids.length): void {
      for (const [path, value] of Object.entries(kind.others?.() ?? {})) portal.json(path, value);
      portal.answers.set(kind.list, ({ url }: IncomingMessage, response) => {
        const page = Number(new URL(url ?? '', portal.base).searchParams.get('page') ?? 1);
        const text = instead[page] ?? pageText(page, page < 3 ? page + 1 : null, total);
        response.writeHead(200, { 'content-type': kind.mediaType ?? 'application/json' }).end(text);
      });
    }
    const pageText = (page: number, next: number | null, total: number | undefined) =>
      kind.page(
        ids.slice(page * 2 - 2, page * 2),
        next === null ? '' : `${portal.base}${kind.list}?page=${next}`,
        total,
      );
    const startImport = async () => {
      const root = await makeRoot();
      serve();
      const { json, err } = await importing(root, kind.source);
      assert.deepEqual([json?.created.length, json?.skipped, json?.missing], [6, [], []], err);
      return root;
    };

    it(`that has fewer datasets than its ${kind.total}, or leads back, is reported, and the others are not missing`, async () => {
      const root = await startImport();
      for (const [what, page2, total, read] of [
        ['no link to page 3', pageText(2, null, 6), 6, 4],
        ['page 1 in place of page 2', pageText(1, 2, 6), 6, 2],
        ['a way back, without a number', pageText(2, 2, undefined), undefined, 4],
      ] as const) {
        serve({ 1: pageText(1, 2, total), 2: page2 }, total);
        const { json, err } = await importing(root, kind.source);
        assert.deepEqual([json?.unchanged, json?.missing], [read, []], `${what}: ${err}`);
        const reason = json.skipped.map((one: { reason: string }) => one.reason).join();
        const end = total ? `its list ends after ${read} of 6 datasets` : 'its pages lead back to an earlier one';
        assert.ok(reason.startsWith(end) && reason.endsWith(': the others may still be at the source'), reason);
      }
    });

    it('that becomes shorter while it is read may have the others still', async () => {
      const root = await startImport();
      // With "a" removed behind page 1, the others move up: "c" is on no page.
      const page = (names: string, next: number) =>
        kind.page([...names], next ? `${portal.base}${kind.list}?page=${next}` : '', 5);
      serve({ 2: page('de', 3), 3: page('f', 0) });
      const { json, err } = await importing(root, kind.source);
      assert.deepEqual([json?.unchanged + json?.updated.length, json?.missing], [5, []], err);
      const [{ reason }] = json.skipped;
      assert.equal(reason, 'its list became shorter while it was read: the others may still be at the source');
    });

    it('with a message in place of a page is refused', async () => {
      const root = await startImport();
      for (const page of [1, 2]) {
        // As in catalogue.yaml, where the format may be said.
        const format = kind.mediaType ? ['--format', 'dcat'] : [];
        serve({ [page]: message });
        const { json, err, exitCode } = await importing(root, kind.source, ...format);
        assert.deepEqual([json, exitCode], [null, 2]);
        assert.match(err, /has no list "|is no DCAT: it has no statements of RDF/);
      }
    });

    it('that has become shorter has lost the others', async () => {
      const root = await startImport();
      serve({ 2: pageText(2, null, 4) }, 4);
      const { json, err } = await importing(root, kind.source);
      assert.deepEqual([json?.missing, json?.skipped], [['city/e', 'city/f'], []], err);
      // A link back does no harm if all are read.
      serve({ 1: pageText(1, 2, 4), 2: pageText(2, 1, 4) }, 4);
      assert.deepEqual((await importing(root, kind.source)).json?.missing, ['city/e', 'city/f']);
    });
  });

describe('a document whose format is said', () => {
  it('has lost no dataset if it is a message, or breaks off', async () => {
    const types = ['roads', 'parks'].map((name) => `<FeatureType><Name>ms:${name}</Name></FeatureType>`);
    const capabilities = `<WFS_Capabilities><FeatureTypeList>${types.join('')}</FeatureTypeList></WFS_Capabilities>`;
    const dataset = ids.map((identifier) => ({ identifier, title: identifier }));
    for (const [format, text, bad, reason] of [
      ['wfs', capabilities, '<ExceptionReport/>', /is no WFS_Capabilities/],
      ['wfs', capabilities, capabilities.slice(0, capabilities.indexOf('ms:parks')), /breaks off before its end/],
      ['dcat-us', JSON.stringify({ dataset }), message, /there is no list at dataset/],
      ['dcat-us', JSON.stringify({ dataset }), '{"success":false,"help":""}', /has no list "dataset"/],
    ] as const) {
      const root = await makeRoot();
      portal.file('/source', text, 'text/xml');
      assert.equal((await importing(root, '/source', '--format', format)).json?.skipped.length, 0);
      portal.file('/source', bad, 'text/xml');
      const { json, err, exitCode } = await importing(root, '/source', '--format', format);
      assert.deepEqual([json, exitCode], [null, 2]);
      assert.match(err, reason);
    }
  });
});
