/** `catalogue export --iceberg`: tables as files, read with icebird and DuckDB; complete, reproducible and incremental. */
import assert from 'node:assert/strict';
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { DuckDBInstance } from '@duckdb/node-api';
import { icebergManifests, icebergMetadata, icebergRead } from 'icebird';
import { exportTables, type TablesExportResult } from '../../src/export/export-iceberg.ts';
import { filesIn } from '../support/exported.ts';
import { type } from '../support/prompt.ts';
import type { Workshop } from '../support/published.ts';
import { icebergErrors, type Metadata } from './spec.ts';
import { makeTreesWorkshop, treeVersions } from './trees.ts';

describe('catalogue export --iceberg', () => {
  let workshop: Workshop;
  let to = '';
  let location = '';
  let server: Server;
  let first: TablesExportResult;
  const exportAgain = (folder = to) => exportTables({ folder: workshop.root, to: folder, location });
  const metadataOf = (name: string, version: number): Metadata =>
    JSON.parse(readFileSync(join(to, `lab/${name}/metadata/v${version}.metadata.json`), 'utf8'));
  const readAt = (metadata: Metadata, place: number) => {
    const snapshot = metadata.snapshots.at(place);
    const chosen = {
      ...metadata,
      'current-snapshot-id': snapshot?.['snapshot-id'],
      'current-schema-id': snapshot?.['schema-id'],
    };
    return icebergRead({ tableUrl: metadata.location, metadata: chosen as never });
  };

  before(async () => {
    workshop = await makeTreesWorkshop();
    to = `${workshop.root}-tables`;
    // Any host of files will do.
    server = createServer((request, response) => {
      const path = join(to, decodeURIComponent(request.url ?? ''));
      if (existsSync(path)) response.end(readFileSync(path));
      else response.writeHead(404).end();
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    location = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    first = await exportAgain();
  });
  after(async () => {
    server.close();
    await workshop.remove();
    for (const suffix of ['', '-2']) rmSync(`${to}${suffix}`, { recursive: true, force: true });
  });

  it('writes all versions of public datasets with rows, and nothing of the others', async () => {
    const { tables, snapshots, missing } = first;
    assert.deepEqual({ tables, snapshots, missing }, { tables: 4, snapshots: treeVersions.length + 3, missing: [] });
    const metadata = metadataOf('trees', 3);
    assert.deepEqual(icebergErrors('TableMetadata', metadata), []);
    for (const [i, { rows }] of treeVersions.entries()) assert.deepEqual(await readAt(metadata, i), rows);
    assert.deepEqual(
      filesIn(to).filter((file) => /hidden|paper/.test(file)),
      [],
    );
  });

  it('writes a folder that readers find without a catalog', async () => {
    const metadata = await icebergMetadata({ tableUrl: `${location}/lab/trees` });
    assert.equal(metadata['current-snapshot-id'], metadataOf('trees', 3)['current-snapshot-id']);
  });

  it('tells engines counts, nulls and bounds of the columns, by field id', async () => {
    const { snapshots, ...metadata } = metadataOf('trees', 3);
    const past = { ...metadata, snapshots, 'current-snapshot-id': snapshots[0]?.['snapshot-id'] };
    const [found] = await icebergManifests(past as never);
    const [entry] = (found?.entries ?? []) as unknown as ManifestEntry[];
    assert.ok(entry);
    const { data_file: file, status, snapshot_id: id } = entry;
    const path = join(to, file.file_path.slice(location.length));
    assert.equal(Number(file.file_size_in_bytes), readFileSync(path).length);
    assert.deepEqual([status, Number(id), Number(file.record_count)], [1, snapshots[0]?.['snapshot-id'], 2]);
    const nulls = Object.fromEntries(file.null_value_counts.map(({ key, value }) => [key, Number(value)]));
    assert.deepEqual(nulls, { 1: 0, 2: 1, 3: 1, 4: 1, 5: 1 });
    const bound = (list: ManifestEntry['data_file']['lower_bounds'], id: number) =>
      Buffer.from(list.find(({ key }) => key === id)?.value ?? []);
    assert.deepEqual(
      [bound(file.lower_bounds, 1).readBigInt64LE(), bound(file.upper_bounds, 1).readBigInt64LE()],
      [1n, 2n],
    );
    assert.equal(bound(file.lower_bounds, 3).readDoubleLE(), 12.5);
    assert.equal(bound(file.upper_bounds, 4).readInt32LE() * 86_400_000, Date.parse('1990-03-01'));
    assert.equal(bound(file.upper_bounds, 5).readBigInt64LE() / 1000n, BigInt(Date.parse('2024-05-01T10:00:00Z')));
    // Texts are in another order.
    assert.equal(bound(file.lower_bounds, 2).length, 0);
  });

  it('writes field ids into the Parquet files, by which DuckDB reads all versions as one', async () => {
    const instance = await DuckDBInstance.create(':memory:');
    const connection = await instance.connect();
    const schema = `MAP {2: {name: 'label', type: 'VARCHAR', default_value: NULL},
      3: {name: 'height', type: 'DOUBLE', default_value: NULL}, 8: {name: 'id', type: 'VARCHAR', default_value: NULL}}`;
    const sql = `SELECT * FROM read_parquet('${to}/lab/trees/data/*.parquet', schema = ${schema}) ORDER BY ALL`;
    const rows = (await connection.runAndReadAll(sql)).getRowsJson();
    connection.closeSync();
    instance.closeSync();
    assert.deepEqual(rows, [
      ['Oak', 12.5, null],
      ['Oak', 13.5, 'A1'],
      ['Oak', null, null],
      [null, null, null],
    ]);
  });

  it('writes the same bytes in another folder, and nothing again', async () => {
    await exportAgain(`${to}-2`);
    const contents = (folder: string) =>
      filesIn(folder).map((file) => [file, readFileSync(join(folder, file)).toString('base64')]);
    assert.deepEqual(contents(`${to}-2`), contents(to));
    const { written, removed } = await exportAgain();
    assert.deepEqual({ written, removed }, { written: 0, removed: 0 });
  });

  it('writes a new version, and no other file again', async () => {
    const published = await workshop.publish('trees', 'trees.csv', 'id,label\nB2,Elm\n');
    const { written, removed } = await exportAgain();
    // Data, manifest, list, metadata, hint, and our own list of files; the metadata before are gone.
    assert.deepEqual({ written, removed }, { written: 6, removed: 1 });
    const metadata = metadataOf('trees', 4);
    assert.equal(metadata['current-snapshot-id'], published.version.id);
    assert.deepEqual(await readAt(metadata, -1), [{ id: 'B2', label: 'Elm' }]);
    assert.deepEqual(await readAt(metadata, 0), treeVersions[0]?.rows);
  });

  it('leaves out a version whose file is damaged, and says why', async () => {
    const { versions } = await workshop.catalogue.get({ kind: 'dataset', namespace: 'lab', slug: 'trees' });
    const oldest = versions.at(-1);
    const folder = join(workshop.root, 'namespaces/lab/datasets/trees/data');
    const bytes = readFileSync(join(folder, oldest?.file ?? ''));
    writeFileSync(join(folder, oldest?.file ?? ''), bytes.toString().replace('Oak', 'Elm'));
    rmSync(join(workshop.root, '.catalogue/cache'), { recursive: true, force: true });
    rmSync(`${to}-2`, { recursive: true });
    const { missing } = await exportAgain(`${to}-2`);
    writeFileSync(join(folder, oldest?.file ?? ''), bytes);
    assert.deepEqual(missing, [
      {
        version: `lab/trees@${oldest?.slug}`,
        reason: 'The payload is not the one that was published: its checksum differs.',
      },
    ]);
    const text = readFileSync(join(`${to}-2`, 'lab/trees/metadata/v3.metadata.json'), 'utf8');
    assert.deepEqual(icebergErrors('TableMetadata', JSON.parse(text)), []);
  });

  it('is a command that spares the files of others, and says how another store gets the tables', async () => {
    const { root } = workshop;
    const done = await type(['export', '--iceberg', `${to}-2`, '--location', 's3://bucket/tables/'], { root });
    assert.match(done.err, /4 tables with 7 snapshots, to be read at s3:\/\/bucket\/tables\/\n/);
    const { exitCode, err } = await type(['export', '--iceberg', 'gs://bucket/tables'], { root });
    assert.equal(exitCode, 2);
    assert.match(err, /Name a folder, and the address with --location gs:\/\/bucket\/tables\./);
    // A site and tables have lists of their own: neither removes the files of the other.
    assert.match(
      (await type(['export', to, '--url', 'https://a.example'], { root })).err,
      /isn't empty and is no export/,
    );
    assert.match((await type(['export', to, '--location', 'x'], { root })).err, /add --iceberg/);
  });
});

interface ManifestEntry {
  readonly status: number;
  readonly snapshot_id: bigint;
  readonly data_file: {
    readonly file_path: string;
    readonly file_size_in_bytes: bigint;
    readonly record_count: bigint;
    readonly null_value_counts: readonly { readonly key: number; readonly value: bigint }[];
    readonly lower_bounds: readonly { readonly key: number; readonly value: Uint8Array }[];
    readonly upper_bounds: readonly { readonly key: number; readonly value: Uint8Array }[];
  };
}
