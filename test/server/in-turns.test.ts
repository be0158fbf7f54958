/** Documents about all datasets are made in turns: other requests go on meanwhile, however many datasets there are. */
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { get, type IncomingMessage, request } from 'node:http';
import { text } from 'node:stream/consumers';
import { after, before, describe, it, type TestContext } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import type { ChangedRecord } from '../../src/catalogue/feed.ts';
import { settlingTime } from '../../src/files/changes-feed.ts';
import { openFileCatalogue } from '../../src/files/file-catalogue.ts';
import { serveAccounts } from '../support/accounts.ts';
import { type CatalogueFolder, makeLastingFolder, until } from '../support/folder.ts';
import { served } from '../support/served.ts';

const count = 600;
const slugs = Array.from({ length: count }, (_, i) => `d${String(i).padStart(3, '0')}`);
const contact = 'office@example.org';
const content = {
  settings: { title: 'Town', publisher: 'Town', contact, licence: 'CC0-1.0', base_url: 'https://example.org' },
  namespaces: { parks: { id: 1, label: 'Parks' }, other: { id: 2, label: 'Other' } },
  datasets: {
    ...Object.fromEntries(slugs.map((slug, i) => [`parks/${slug}`, { id: i + 1, label: slug, keywords: ['tree'] }])),
    'other/one': { id: 5000, label: 'One' },
  },
};

/**
 * Lets each look at the clock be a millisecond after the one before, so that every turn is over at once.
 * @returns a function that tells how often work was put off to a later turn since
 */
function countTurns(t: TestContext): () => number {
  let now = performance.now();
  t.mock.method(performance, 'now', () => ++now);
  const { mock: later } = t.mock.method(globalThis, 'setImmediate');
  const start = later.callCount();
  return () => later.callCount() - start;
}

/** Asks by the plain client: `fetch` doesn't work with another clock. */
async function read(url: string, headers: Readonly<Record<string, string>> = {}) {
  const [response] = (await once(get(url, { headers }), 'response')) as [IncomingMessage];
  return { status: response.statusCode, etag: response.headers.etag ?? '', text: await text(response) };
}

const server = await served(content);
await read(`${server.base}/api/v1/datasets/`);

describe('a document about all datasets', () => {
  const html = { accept: 'text/html' };
  for (const [path, headers] of [
    ['/sitemap.xml'],
    ['/data.json'],
    ['/catalog.ttl'],
    ['/catalog.jsonld'],
    ['/stac/'],
    ['/stac/parks/'],
    ['/ogc/collections'],
    ['/ogc/collections', html],
    ['/ogc/api'],
    ['/iceberg/v1/namespaces'],
    ['/iceberg/v1/namespaces/parks/tables'],
    ['/api/v1/datasets/map.svg'],
    ['/api/v1/datasets/?page_size=1000', html],
    ['/api/v1/datasets/?page_size=1000&search=d', html],
    ['/?page_size=1000', html],
    ['/feed.atom'],
    ['/api/v1/namespaces/parks/feed.atom'],
    ['/api/v1/changes/'],
    ['/api/v1/changes/?since=2020-01-01'],
  ] as const)
    it(`lets other requests go on: ${path}${headers ? ' as a page' : ''}`, async (t) => {
      const turns = countTurns(t);
      const response = await read(server.base + path, headers);
      assert.equal(response.status, 200, response.text);
      assert.ok(turns() >= count, `${turns()} turns`);
    });

  it('ends when its client leaves', async (t) => {
    const turns = countTurns(t);
    for (const path of ['/stac/?left', '/data.json']) {
      const earlier = turns();
      const request = get(server.base + path).on('error', () => {});
      await until(() => turns() > earlier + 20);
      request.destroy();
      await until(async () => {
        const before = turns();
        await sleep(50);
        return turns() === before;
      });
      assert.ok(turns() - earlier < count / 2, `${path}: ${turns() - earlier} turns`);
    }
  });

  it('has the datasets in its text, those of the catalogue itself too', async () => {
    const textOf = async (path: string) => (await read(server.base + path)).text;
    const dataset = 'https://example.org/api/v1/namespaces/parks/datasets/d599/';
    const graph = (JSON.parse(await textOf('/catalog.jsonld')) as { '@graph': Record<string, object[]>[] })['@graph'];
    assert.equal(graph.length, count + 2);
    assert.equal(graph[0]?.['dcat:dataset']?.length, count + 1);
    assert.deepEqual(graph[0]?.['dcat:dataset']?.filter((one) => Object.values(one)[0] === dataset).length, 1);
    const turtle = await textOf('/catalog.ttl');
    assert.match(turtle, new RegExp(`dcat:dataset <[^;]*, <${dataset}>`));
    const sitemap = await textOf('/sitemap.xml');
    assert.equal(sitemap.match(/<url><loc>[^<]*<\/loc><\/url>\n/g)?.length, count + 1 + 2 + 4);
  });

  it('is not sent again to a client that has it', async () => {
    for (const path of ['/sitemap.xml', '/catalog.ttl', '/ogc/collections']) {
      const { etag } = await read(server.base + path);
      assert.equal((await read(server.base + path, { 'if-none-match': etag })).status, 304, path);
    }
  });
});

describe('a table of Iceberg with many versions', () => {
  const csv = 'a,b\n1,2\n';
  const version = {
    checksum: createHash('sha256').update(csv).digest('hex'),
    file: { name: 'a.csv', format: 'csv', size: csv.length },
    columns: ['a', 'b'].map((name) => ({ name, type: 'integer' })),
    rows: 1,
  };
  const slugOf = (i: number) => String(20200101000000000000n + BigInt(i));

  it('lets other requests go on', async (t) => {
    const { base } = await served(
      {
        namespaces: { parks: { id: 1, label: 'Parks' } },
        datasets: { 'parks/trees': { id: 2, label: 'Trees', columns: version.columns } },
        versions: Object.fromEntries(
          Array.from({ length: count }, (_, i) => [
            `parks/trees@${slugOf(i)}`,
            { ...version, id: 10 + i, label: String(i) },
          ]),
        ),
        files: { 'namespaces/parks/datasets/trees/data/a.csv': csv },
      },
      t,
    );
    const turns = countTurns(t);
    const { status, text } = await read(`${base}/iceberg/v1/namespaces/parks/tables/trees`);
    assert.equal(status, 200, text);
    const { metadata } = JSON.parse(text) as { metadata: { snapshots: object[]; refs: object } };
    assert.equal(metadata.snapshots.length, count);
    assert.equal(Object.keys(metadata.refs).length, 2 * count + 1);
    // Schemas, then snapshots, then their JSON, and that of the references.
    assert.ok(turns() >= 4 * count, `${turns()} turns`);
    const before = turns();
    const file = await read(`${base}/iceberg/tables/parks/trees/metadata/v${count}.metadata.json`);
    assert.deepEqual(JSON.parse(file.text).snapshots, metadata.snapshots);
    assert.ok(turns() - before >= 2 * count, `${turns() - before} turns`);
  });
});

describe('the feed of changes', () => {
  let folder: CatalogueFolder;
  let files: Awaited<ReturnType<typeof openFileCatalogue>>;
  before(async () => {
    folder = makeLastingFolder(content);
    files = await openFileCatalogue(folder.root);
    await files.for().changes();
    await sleep(settlingTime + 50);
  });
  after(async () => {
    await files.close();
    folder.remove();
  });

  it('is sorted once for all who wait for it', async (t) => {
    const turns = countTurns(t);
    const catalogue = files.for();
    const [first] = await Promise.all([catalogue.changes(), catalogue.changes(), catalogue.changes()]);
    assert.equal(first?.count, count + 3);
    const shared = turns();
    await catalogue.changes();
    assert.ok(shared < 1.5 * (turns() - shared), `${shared} turns for three, then ${turns() - shared} for one`);
  });

  it('names the datasets whose own files changed last as all of its pages together do', async () => {
    const catalogue = files.for();
    const all: ChangedRecord[] = [];
    for (let cursor: string | null = ''; cursor !== null; ) {
      const page = await catalogue.changes({ cursor, pageSize: 100 });
      all.push(...page.items);
      cursor = page.nextCursor ?? null;
    }
    assert.equal(new Set(all.map(({ ref }) => JSON.stringify(ref))).size, count + 3);
    const datasets = all.flatMap(({ ref, recordDatetime }, place) =>
      ref.kind === 'dataset' && recordDatetime !== null ? [{ ref, datetime: recordDatetime, place }] : [],
    );
    const sorted = datasets.sort((a, b) =>
      a.datetime === b.datetime ? b.place - a.place : a.datetime < b.datetime ? 1 : -1,
    );
    for (const [limit, within] of [
      [100, undefined],
      [1000, undefined],
      [7, { kind: 'namespace', slug: 'parks' }],
      [7, { kind: 'dataset', namespace: 'parks', slug: 'd007' }],
      [7, { kind: 'namespace', slug: 'none' }],
    ] as const) {
      const isWanted = ({ namespace, slug }: { namespace: string; slug: string }) =>
        !within || (within.kind === 'namespace' ? namespace === within.slug : slug === within.slug);
      const found = await catalogue.changedDatasets?.({ within, since: 0, limit });
      assert.deepEqual(
        found?.map(({ dataset, datetime }) => [`${dataset.namespace}/${dataset.slug}`, datetime]),
        sorted
          .filter(({ ref }) => isWanted(ref))
          .slice(0, limit)
          .map(({ ref, datetime }) => [`${ref.namespace}/${ref.slug}`, datetime]),
      );
    }
  });
});

it('a write whose If-Match has an older tag lets other requests go on while all forms of the JSON are compared', async (t) => {
  const { accounts, base } = await serveAccounts(t);
  const { token } = await accounts.addToken('alice');
  const headers = { authorization: `Token ${token}`, 'content-type': 'application/json', 'if-match': '"older"' };
  const sent = request(`${base}/api/v1/namespaces/parks/`, { method: 'PATCH', headers });
  const turns = countTurns(t);
  sent.end('{}');
  const [response] = (await once(sent, 'response')) as [IncomingMessage];
  assert.equal(response.statusCode, 412, await text(response));
  assert.ok(turns() >= 20, `${turns()} turns`);
});
