/** `catalogue export --iceberg s3://…`: tables in a real object store, read back with icebird; complete at every moment. */
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Readable } from 'node:stream';
import { after, before, describe, it } from 'node:test';
import {
  GetObjectCommand,
  HeadObjectCommand,
  ListMultipartUploadsCommand,
  ListObjectsV2Command,
  PutObjectCommand,
} from '@aws-sdk/client-s3';
import { icebergMetadata, icebergRead } from 'icebird';
import { ExportBucket } from '../../src/export/export-bucket.ts';
import { exportTables, type TablesExportOptions } from '../../src/export/export-iceberg.ts';
import { type Fault, missingObjectStore, startObjectStore } from '../support/object-store.ts';
import { type } from '../support/prompt.ts';
import type { Workshop } from '../support/published.ts';
import { icebergErrors, type Metadata } from './spec.ts';
import { makeTreesWorkshop, treeVersions } from './trees.ts';

const s3 = missingObjectStore ? (undefined as never) : await startObjectStore();

describe('catalogue export --iceberg s3://…', { skip: missingObjectStore }, () => {
  let workshop: Workshop;
  let server: Server;
  let location = '';
  const { endpoint } = missingObjectStore ? { endpoint: '' } : s3.settings('');
  const exportTo = (place: string, more: Partial<TablesExportOptions> = {}) =>
    exportTables({ folder: workshop.root, to: `s3://${s3?.bucket}/${place}`, endpoint, ...more });
  const keysIn = async (place: string) =>
    ((await s3.client.send(new ListObjectsV2Command({ Bucket: s3.bucket, Prefix: `${place}/` }))).Contents ?? []).map(
      ({ Key = '' }) => Key,
    );
  const textOf = async (key: string) =>
    (await s3.client.send(new GetObjectCommand({ Bucket: s3.bucket, Key: key }))).Body?.transformToString() ?? '';
  const metadataOf = async (table: string): Promise<Metadata> => {
    const number = await textOf(`${table}/metadata/version-hint.text`);
    return JSON.parse(await textOf(`${table}/metadata/v${number}.metadata.json`));
  };
  const readAt = (metadata: Metadata, place: number) => {
    const snapshot = metadata.snapshots.at(place);
    const chosen = { 'current-snapshot-id': snapshot?.['snapshot-id'], 'current-schema-id': snapshot?.['schema-id'] };
    return icebergRead({ tableUrl: metadata.location, metadata: { ...metadata, ...chosen } as never });
  };
  async function during<T>(fault: Fault, work: () => Promise<T>): Promise<T> {
    s3.fault = fault;
    try {
      return await work();
    } finally {
      s3.fault = undefined;
    }
  }
  /** Requests that change something, such as `PUT tables/lab/…`. */
  async function changesDuring(work: () => Promise<unknown>): Promise<readonly string[]> {
    s3.requests.length = 0;
    await work();
    return s3.requests
      .filter((line) => /^(PUT|POST|DELETE) /.test(line))
      .map((line) => line.replace(`/${s3.bucket}/`, '').replace(/\?.*/, ''));
  }
  /** All tables that readers find have all their files; their current rows can be read. @returns numbers of snapshots, by table */
  async function assertComplete(place: string): Promise<Readonly<Record<string, number>>> {
    const keys = new Set(await keysIn(place));
    const found: Record<string, number> = {};
    for (const hint of keys) {
      if (!hint.endsWith('/version-hint.text')) continue;
      const table = hint.replace('/metadata/version-hint.text', '');
      const metadata = await metadataOf(table);
      assert.deepEqual(icebergErrors('TableMetadata', metadata), []);
      for (const { 'manifest-list': list } of metadata.snapshots)
        assert.ok(keys.has(list.replace(`${location}/`, '')), list);
      await readAt(metadata, -1);
      found[table.split('/').at(-1) ?? ''] = metadata.snapshots.length;
    }
    return found;
  }

  before(async () => {
    workshop = await makeTreesWorkshop();
    // Icebird reads by HTTP: as from a bucket that anybody may read.
    server = createServer((request, response) => {
      const key = decodeURIComponent(request.url ?? '').slice(1);
      const { range } = request.headers;
      s3.client
        .send(new GetObjectCommand({ Bucket: s3.bucket, Key: key, ...(range && { Range: range }) }))
        .then(async ({ Body }) => response.writeHead(range ? 206 : 200).end(await Body?.transformToByteArray()))
        .catch(() => response.writeHead(404).end());
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    location = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  });
  after(async () => {
    server.closeAllConnections();
    server.close();
    await workshop.remove();
  });

  it('writes what leads to files after them, and all versions can be read', async () => {
    const to = { location: `${location}/tables` };
    const changes = await changesDuring(async () => {
      const { tables, snapshots, missing } = await exportTo('tables', to);
      assert.deepEqual({ tables, snapshots, missing }, { tables: 4, snapshots: treeVersions.length + 3, missing: [] });
    });
    const trees = changes.filter((line) => line.includes('/lab/trees/'));
    const kinds = trees.map((line) => /\/data\/|snap-|-m0|metadata\.json|hint/.exec(line)?.[0]);
    const snapshot = ['/data/', '-m0', 'snap-'];
    assert.deepEqual(kinds, [...snapshot, ...snapshot, ...snapshot, 'metadata.json', 'hint']);
    assert.deepEqual(
      [changes[0], ...changes.slice(-2)],
      ['PUT tables/.catalogue-tables.new', 'PUT tables/.catalogue-tables', 'DELETE tables/.catalogue-tables.new'],
    );
    const metadata = (await icebergMetadata({ tableUrl: `${location}/tables/lab/trees` })) as unknown as Metadata;
    for (const [i, { rows }] of treeVersions.entries()) assert.deepEqual(await readAt(metadata, i), rows);
    assert.deepEqual(await assertComplete('tables'), { empty: 1, mixed: 1, places: 1, trees: 3 });
    assert.deepEqual(
      (await keysIn('tables')).filter((key) => /hidden|paper/.test(key)),
      [],
    );
    const hint = { Bucket: s3.bucket, Key: 'tables/lab/trees/metadata/version-hint.text' };
    const { ContentType, CacheControl } = await s3.client.send(new HeadObjectCommand(hint));
    assert.deepEqual([ContentType, CacheControl], ['text/plain', 'no-cache']);
  });

  it('sends nothing again, and of a new version its own files', async () => {
    const to = { location: `${location}/tables` };
    assert.deepEqual(await changesDuring(() => exportTo('tables', to)), []);
    const { version } = await workshop.publish('trees', 'trees.csv', 'id,label\nB2,Elm\n');
    const { written, removed } = await exportTo('tables', to);
    assert.deepEqual({ written, removed }, { written: 6, removed: 1 });
    const metadata = await metadataOf('tables/lab/trees');
    assert.equal(metadata['current-snapshot-id'], version.id);
    assert.deepEqual(await readAt(metadata, -1), [{ id: 'B2', label: 'Elm' }]);
    // A file that somebody has removed is written again.
    const lost = (await keysIn('tables')).find((key) => key.endsWith('.parquet')) ?? '';
    const { DeleteObjectCommand } = await import('@aws-sdk/client-s3');
    await s3.client.send(new DeleteObjectCommand({ Bucket: s3.bucket, Key: lost }));
    assert.equal((await exportTo('tables', to)).written, 3);
    assert.ok((await keysIn('tables')).includes(lost));
  });

  it('shows complete tables wherever it stops, and goes on from there', async () => {
    const to = { location: `${location}/halves` };
    let rounds = 0;
    for (let isDone = false; !isDone; rounds++) {
      let changes = 0;
      const stop: Fault = ({ method }) =>
        method !== 'GET' && method !== 'HEAD' && changes++ >= 12 ? { status: 403, code: 'AccessDenied' } : undefined;
      await during(stop, () => exportTo('halves', to)).then(
        () => {
          isDone = true;
        },
        (error) => assert.match(error.message, /refuses the key/),
      );
      await assertComplete('halves');
    }
    assert.ok(rounds > 2, `${rounds} rounds`);
    assert.deepEqual(await assertComplete('halves'), { empty: 1, mixed: 1, places: 1, trees: 4 });
    assert.deepEqual(await changesDuring(() => exportTo('halves', to)), []);
  });

  it("doesn't trust the list of an export that was interrupted", async () => {
    const to = { location: `${location}/moved` };
    await exportTo('moved', to);
    // An export for another location has replaced some files when it stops.
    let changes = 0;
    const stop: Fault = ({ method }) =>
      method === 'PUT' && changes++ >= 9 ? { status: 403, code: 'AccessDenied' } : undefined;
    await assert.rejects(during(stop, () => exportTo('moved', { location: `${location}/nowhere` })));
    await exportTo('moved', to);
    for (const table of ['empty', 'mixed', 'places', 'trees'])
      assert.equal((await metadataOf(`moved/lab/${table}`)).location, `${location}/moved/lab/${table}`);
    await assertComplete('moved');
  });

  it('removes tables of datasets that are gone: first what leads to them; files of interrupted exports, too', async () => {
    const to = { location: `${location}/gone` };
    await workshop.publish('brief', 'brief.csv', 'id\n1\n');
    const ref = { kind: 'dataset', namespace: 'lab', slug: 'brief' } as const;
    await exportTo('gone', to);
    await workshop.catalogue.remove(ref);
    const changes = await changesDuring(() => exportTo('gone', to));
    const removed = changes.filter((line) => line.includes('/lab/brief/'));
    assert.equal(removed.length, 5);
    assert.ok(removed.slice(0, 2).every((line) => /^DELETE .*(hint\.text|metadata\.json)$/.test(line)));
    const expected = await keysIn('gone');
    await workshop.publish('short', 'short.csv', 'id\n1\n');
    const stop: Fault = ({ method, url = '' }) =>
      method === 'PUT' && /short.*json/.test(url) ? { status: 403, code: 'AccessDenied' } : undefined;
    await assert.rejects(during(stop, () => exportTo('gone', to)));
    await workshop.catalogue.remove({ ...ref, slug: 'short' });
    const notes = { Bucket: s3.bucket, Key: 'gone/other/notes/data/of-others.txt' };
    await s3.client.send(new PutObjectCommand({ ...notes, Body: 'Of others' }));
    await exportTo('gone', to);
    assert.deepEqual(await keysIn('gone'), [...expected, notes.Key].sort());
  });

  it('spares the files of others', async () => {
    const file = { Bucket: s3.bucket, Key: 'taken/lab/trees/metadata/version-hint.text' };
    await s3.client.send(new PutObjectCommand({ ...file, Body: 'mine' }));
    await assert.rejects(exportTo('taken'), {
      name: 'ConflictError',
      message: /s3:\/\/payloads\/taken isn't empty and is no export \(lab\/trees.* is in it\)\. Name another folder/,
    });
    await s3.client.send(new PutObjectCommand({ ...file, Key: 'taken/.catalogue-tables', Body: '' }));
    await assert.rejects(exportTo('taken'), {
      name: 'ConflictError',
      message: /version-hint\.text already, and not of/,
    });
    assert.equal(await textOf(file.Key), 'mine');
    await exportTo('taken', { force: true });
    assert.equal(await textOf(file.Key), '4');
  });

  it('says in a sentence what is wrong, and sends nothing', async () => {
    const cases: readonly (readonly [Fault | undefined, Partial<TablesExportOptions>, RegExp])[] = [
      [
        undefined,
        { to: 's3://no-such-bucket/x' },
        /^The object store has no such bucket: make it, or name another one\.$/,
      ],
      [undefined, { to: 's3://B' }, /Name a bucket, and a folder in it, as in s3:\/\/bucket\/tables\./],
      [
        undefined,
        { endpoint: 'http://127.0.0.1:9' },
        /can't be reached at the moment\. Export again later: what has arrived/,
      ],
      [() => ({ status: 500 }), {}, /can't be reached at the moment/],
      [
        ({ method }) => (method === 'PUT' ? { status: 507 } : undefined),
        {},
        /is full: make room in it, or raise its quota/,
      ],
      [
        ({ method }) => (method === 'PUT' ? { status: 403, code: 'QuotaExceeded' } : undefined),
        {},
        /The bucket of the object store is full/,
      ],
      [() => ({ status: 400, code: 'AuthorizationHeaderMalformed' }), {}, /check --region and --endpoint\.$/],
    ];
    for (const [fault, options, message] of cases) {
      await assert.rejects(fault ? during(fault, () => exportTo('wrong', options)) : exportTo('wrong', options), {
        message,
      });
      assert.deepEqual(await keysIn('wrong'), []);
    }
  });

  it('says which key is wrong', async () => {
    for (const [name, value] of [
      ['AWS_SECRET_ACCESS_KEY', 'another'],
      // It may do nothing in the bucket.
      ['AWS_ACCESS_KEY_ID', 'test:reader'],
    ] as const) {
      const before = process.env[name];
      process.env[name] = value;
      try {
        await assert.rejects(exportTo('wrong'), {
          name: 'ObjectStoreError',
          message: /refuses the key: check AWS_ACCESS/,
        });
      } finally {
        process.env[name] = before;
      }
    }
  });

  it('sends large files in parts, and leaves nothing of one that fails or is ended', async () => {
    const large = randomBytes(36_000_000);
    const pieces = Array.from({ length: 36 }, (_, i) => large.subarray(i * 1e6, (i + 1) * 1e6));
    const ending = new AbortController();
    const open = () =>
      ExportBucket.open({
        address: `s3://${s3.bucket}/large`,
        endpoint,
        region: '',
        listName: '.list',
        mayReplace: true,
        signal: ending.signal,
      });
    const place = await open();
    const write = (file: string) => place.writeStream(file, [], Readable.from(pieces)[Symbol.asyncIterator]());
    assert.equal(await write('a/b/data/c.parquet'), large.length);
    const part = await place.readRange('a/b/data/c.parquet', large.length, { start: 20_000_000, end: 20_000_099 });
    assert.ok(part.equals(large.subarray(20_000_000, 20_000_100)));
    const isSecondPart = (url = '') => url.includes('partNumber=2');
    const refused: Fault = ({ url }) => (isSecondPart(url) ? { status: 403 } : undefined);
    await assert.rejects(
      during(refused, () => write('a/b/data/d.parquet')),
      { name: 'ObjectStoreError' },
    );
    const end: Fault = ({ url }) => {
      if (isSecondPart(url)) ending.abort(new Error('Ended.'));
      return undefined;
    };
    await assert.rejects(
      during(end, () => write('a/b/data/e.parquet')),
      { message: 'Ended.' },
    );
    assert.deepEqual(await keysIn('large'), ['large/a/b/data/c.parquet']);
    const { Uploads = [] } = await s3.client.send(new ListMultipartUploadsCommand({ Bucket: s3.bucket }));
    assert.deepEqual(Uploads, []);
    await place.close();
  });

  it('is a command, which Ctrl-C ends', async () => {
    const { root } = workshop;
    const to = `s3://${s3.bucket}/typed/`;
    let press = () => {};
    const interrupted = new Promise<void>((resolve) => {
      press = resolve;
    });
    const pressed: Fault = ({ method, url = '' }) => {
      if (method === 'PUT' && url.includes('/data/')) press();
      return undefined;
    };
    const ended = await during(pressed, () =>
      type(['export', '--iceberg', to, '--endpoint', endpoint], { root, interrupted }),
    );
    assert.equal(ended.exitCode, 130);
    assert.match(ended.err, /Interrupted\. The tables are usable\. Export again to complete them\./);
    await assertComplete('typed');
    const done = await type(['export', '--iceberg', to, '--endpoint', endpoint, '--json'], { root });
    assert.equal(done.exitCode, 0, done.err);
    assert.match(done.err, /4 tables with 7 snapshots, to be read at s3:\/\/payloads\/typed\/\n/);
    assert.equal(JSON.parse(done.out).tables, 4);
    for (const [args, message] of [
      [['export', to, '--url', 'https://a.example'], /A site is exported to a folder.*For tables, add --iceberg\./],
      [['export', '--iceberg', 'tables', '--endpoint', endpoint], /It is for a bucket: name one, as in s3:/],
      [['export', 'site', '--region', 'eu'], /It is for tables: add --iceberg\./],
    ] as const) {
      const { exitCode, err } = await type(args, { root });
      assert.equal(exitCode, 2);
      assert.match(err, message);
    }
  });

  it('takes the address of the object store from the environment, or from the settings of payloads', async () => {
    const to = `s3://${s3.bucket}/found`;
    process.env.AWS_ENDPOINT_URL = endpoint;
    try {
      assert.equal((await exportTables({ folder: workshop.root, to })).tables, 4);
    } finally {
      delete process.env.AWS_ENDPOINT_URL;
    }
    await workshop.catalogue.get({ kind: 'namespace', slug: 'lab' });
    const { writeFileSync } = await import('node:fs');
    writeFileSync(`${workshop.root}/catalogue.yaml`, JSON.stringify({ payloads: { endpoint } }));
    assert.equal((await exportTables({ folder: workshop.root, to })).written, 0);
  });
});
