/** Tables of the REST catalog, read with icebird: all versions by their snapshots, and what is no table. */
import assert from 'node:assert/strict';
import { get, type IncomingMessage } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { after, before, describe, it } from 'node:test';
import { gunzipSync } from 'node:zlib';
import { icebergRead } from 'icebird';
import { computeChecksum } from '../../src/disk/checksum.ts';
import { filesIn } from '../support/exported.ts';
import { homeOf, makeFolder } from '../support/folder.ts';
import type { Workshop } from '../support/published.ts';
import { serveFolder } from '../support/server.ts';
import { icebergErrors, type Metadata } from './spec.ts';
import { makeTreesWorkshop, treeVersions } from './trees.ts';

describe('the Iceberg REST catalog', () => {
  let workshop: Workshop;
  let base = '';
  let close: () => Promise<void>;
  const get = async (path: string, init?: RequestInit) => fetch(`${base}/iceberg/${path}`, init);
  const read = async (path: string, schema: string, status = 200) => {
    const response = await get(path);
    assert.equal(response.status, status, path);
    const document = await response.json();
    assert.deepEqual(icebergErrors(schema, document), [], path);
    return document;
  };
  const load = async (name: string): Promise<Metadata> =>
    (await read(`v1/namespaces/lab/tables/${name}`, 'LoadTableResult')).metadata;
  const rowsOf = (name: string, metadata: object) =>
    icebergRead({ tableUrl: `${base}/iceberg/tables/lab/${name}`, metadata: metadata as never });

  before(async () => {
    workshop = await makeTreesWorkshop();
    const server = await serveFolder(workshop.root);
    base = server.base;
    close = () => server.close();
  });
  after(async () => {
    await close();
    await workshop.remove();
  });

  it('has the rows of each version, with the names and types of its time', async () => {
    const metadata = await load('trees');
    assert.equal(metadata.snapshots.length, treeVersions.length);
    for (const [i, snapshot] of metadata.snapshots.entries()) {
      const rows = await rowsOf('trees', {
        ...metadata,
        'current-snapshot-id': snapshot['snapshot-id'],
        'current-schema-id': snapshot['schema-id'],
      });
      assert.deepEqual(rows, treeVersions[i]?.rows, `version ${i}`);
    }
  });

  it('keeps the id of a renamed column, and gives one of another type a new id', async () => {
    const { schemas } = await load('trees');
    assert.deepEqual(
      schemas.map(({ fields }) => Object.fromEntries(fields.map(({ id, name, type }) => [name, `${id} ${type}`]))),
      treeVersions.map(({ fields }) => fields),
    );
  });

  it('reads old rows by the present names of columns', async () => {
    const metadata = await load('trees');
    const [first] = metadata.snapshots;
    const rows = await rowsOf('trees', { ...metadata, 'current-snapshot-id': first?.['snapshot-id'] });
    // The column `id` was a number then, and is another one since it is a text.
    assert.deepEqual(rows[0], {
      id: undefined,
      label: 'Oak',
      name: undefined,
      height: 12.5,
      planted: new Date('1990-03-01'),
      seen: undefined,
      note: undefined,
    });
  });

  it('has the newest version for readers that name none, and those with a version hint', async () => {
    const rows = await icebergRead({ tableUrl: `${base}/iceberg/tables/lab/trees` });
    assert.deepEqual(rows, treeVersions.at(-1)?.rows);
  });

  it('tags versions by name and by label', async () => {
    const metadata = await load('trees');
    const dataset = await workshop.catalogue.get({ kind: 'dataset', namespace: 'lab', slug: 'trees' });
    const [, ready] = dataset.versions;
    const { main, [String(ready?.slug)]: bySlug, 'Spring survey': byLabel, ...others } = metadata.refs;
    assert.equal(main?.type, 'branch');
    assert.deepEqual([bySlug, byLabel?.type], [{ 'snapshot-id': ready?.id, type: 'tag' }, 'tag']);
    assert.equal(Object.keys(others).length, treeVersions.length - 1);
  });

  it('has geometries as WKB, and objects and arrays as JSON', async () => {
    const rows = await rowsOf('places', await load('places'));
    assert.deepEqual(
      rows.map(({ tags, owner }) => [tags, owner]),
      [
        [['a', 'b'], { name: 'Ann' }],
        [null, null],
      ],
    );
    assert.deepEqual(
      (await load('places')).schemas[0]?.fields.map(({ name, type }) => `${name} ${type}`),
      ['geometry binary', 'tags string', 'owner string'],
    );
  });

  it('has a version without rows as a snapshot of an empty file', async () => {
    const metadata = await load('empty');
    assert.equal(metadata.snapshots.at(-1)?.summary['total-records'], '0');
    assert.deepEqual(await rowsOf('empty', metadata), []);
  });

  it('leaves out versions that are withdrawn, drafts, and files without rows', async () => {
    const { snapshots, refs } = await load('mixed');
    assert.deepEqual(
      snapshots.map(({ summary }) => summary['total-records']),
      ['1'],
    );
    assert.equal(Object.keys(refs).length, 2);
  });

  it('lists namespaces and tables, in parts if they are asked for', async () => {
    const all = await read('v1/namespaces/lab/tables', 'ListTablesResponse');
    const names = all.identifiers.map(({ name }: { name: string }) => name);
    assert.deepEqual(names, ['empty', 'mixed', 'places', 'trees']);
    const found: string[] = [];
    for (let token: string | null = ''; token !== null; ) {
      const part = await read(`v1/namespaces/lab/tables?pageSize=3&pageToken=${token}`, 'ListTablesResponse');
      found.push(...part.identifiers.map(({ name }: { name: string }) => name));
      token = part['next-page-token'];
    }
    assert.deepEqual(found, names);
    assert.deepEqual((await read('v1/namespaces', 'ListNamespacesResponse')).namespaces, [['lab']]);
    assert.deepEqual((await read('v1/namespaces?parent=lab', 'ListNamespacesResponse')).namespaces, []);
    await read('v1/namespaces/lab', 'GetNamespaceResponse');
    await read('v1/config?warehouse=any', 'CatalogConfig');
  });

  it('leads clients that name an export as their warehouse to its files', async () => {
    const { overrides } = await read('v1/config?warehouse=s3://bucket/tables/', 'CatalogConfig');
    const tables = `v1/${overrides.prefix}/namespaces/lab/tables`;
    assert.equal((await read(tables, 'ListTablesResponse')).identifiers.length, 4);
    const loaded = await read(`${tables}/trees`, 'LoadTableResult');
    assert.equal(loaded['metadata-location'], 's3://bucket/tables/lab/trees/metadata/v3.metadata.json');
    const { snapshots } = await load('trees');
    assert.deepEqual(
      loaded.metadata.snapshots.map((one: Metadata['snapshots'][0]) => one['manifest-list']),
      snapshots.map((one) => one['manifest-list'].replace(`${base}/iceberg/tables`, 's3://bucket/tables')),
    );
    for (const other of ['open', 'https://example.org/tables', 's3://a b'])
      assert.deepEqual((await read(`v1/config?warehouse=${encodeURIComponent(other)}`, 'CatalogConfig')).overrides, {});
    await read('v1/nothing/namespaces', 'IcebergErrorResponse', 404);
  });

  it('answers HEAD with 204, and what is missing with an error of the REST catalog', async () => {
    for (const path of ['v1/namespaces/lab', 'v1/namespaces/lab/tables/trees'])
      assert.equal((await get(path, { method: 'HEAD' })).status, 204, path);
    for (const [path, type] of [
      ['v1/namespaces/nowhere', 'NoSuchNamespaceException'],
      ['v1/namespaces/nowhere/tables', 'NoSuchNamespaceException'],
      ['v1/namespaces?parent=nowhere', 'NoSuchNamespaceException'],
      ['v1/namespaces/lab/tables/nothing', 'NoSuchTableException'],
      ['v1/namespaces/lab/tables/paper', 'NoSuchTableException'],
      ['v1/namespaces/lab/tables/hidden', 'NoSuchTableException'],
      ['tables/lab/trees/metadata/v1.metadata.json', 'NoSuchTableException'],
    ] as const) {
      const { error } = await read(path, 'IcebergErrorResponse', 404);
      assert.equal(error.type, type, path);
      assert.equal((await get(path, { method: 'HEAD' })).status, 404, path);
    }
    await read('v1/namespaces?pageToken=&pageSize=0', 'IcebergErrorResponse', 400);
    const refused = await get('v1/namespaces', { method: 'POST', body: '{}' });
    assert.deepEqual(icebergErrors('IcebergErrorResponse', await refused.json()), []);
  });

  it('answers 304 and ranges', async () => {
    const path = 'v1/namespaces/lab/tables/trees';
    const tag = (await get(path)).headers.get('ETag') ?? '';
    assert.equal((await get(path, { headers: { 'If-None-Match': tag } })).status, 304);
    const { snapshots } = await load('trees');
    const list = snapshots.at(-1)?.['manifest-list'] ?? '';
    const part = await fetch(list, { headers: { Range: 'bytes=0-3' } });
    assert.deepEqual([part.status, await part.text()], [206, 'Obj\u0001']);
  });
});

describe('a table of 1,000 versions', () => {
  const days = Array.from({ length: 1000 }, (_, n) => new Date(1.5e12 + n * 86_400_000).toISOString().slice(0, 10));
  const slugOf = (day: string) => `${day.replaceAll('-', '')}000000000000`;
  const csvOf = (n: number) => `id\n${n}\n`;
  const columns = [{ name: 'id', type: 'integer' }];
  const version = (n: number) => {
    const file = { name: `${n}.csv`, format: 'csv', size: csvOf(n).length };
    return { id: (n * 1_103_515_245 + 12_345) % 2 ** 31, rows: 1, columns, checksum: computeChecksum(csvOf(n)), file };
  };
  const folder = makeFolder({
    namespaces: { lab: { label: 'Lab' } },
    datasets: { 'lab/daily': { label: 'Daily', columns } },
    versions: Object.fromEntries(days.map((day, n) => [`lab/daily@${slugOf(day)}`, version(n)])),
    files: Object.fromEntries(days.map((_, n) => [`${homeOf('lab/daily')}/data/${n}.csv`, csvOf(n)])),
  });

  it('is loaded with one small response, without its data files', async (t) => {
    const { base, close } = await serveFolder(folder.root);
    t.after(close);
    const address = `${base}/iceberg/v1/namespaces/lab/tables/daily`;
    const sent = await new Promise<IncomingMessage>((resolve, reject) => {
      get(address, { headers: { 'accept-encoding': 'gzip' } }, resolve).on('error', reject);
    });
    const bytes = await buffer(sent);
    assert.equal(sent.headers['content-encoding'], 'gzip');
    assert.ok(bytes.length < 70_000, `${bytes.length} bytes`);
    const { metadata } = JSON.parse(gunzipSync(bytes).toString()) as { metadata: Metadata };
    assert.deepEqual(icebergErrors('LoadTableResult', { metadata }), []);
    assert.equal(metadata.snapshots.length, 1000);
    assert.equal(Object.keys(metadata.refs).length, 1001);
    assert.deepEqual(
      filesIn(folder.root).filter((path) => /\.catalogue\/cache\/.*parquet/.test(path)),
      [],
    );
    const again = await fetch(address, { headers: { 'If-None-Match': sent.headers.etag ?? '' } });
    assert.equal(again.status, 304);
    // Time travel needs the files of the snapshot that is read, and no others.
    const chosen = { ...metadata, 'current-snapshot-id': metadata.snapshots[500]?.['snapshot-id'] };
    const rows = await icebergRead({ tableUrl: metadata.location, metadata: chosen as never });
    assert.deepEqual(rows, [{ id: 500n }]);
  });
});
