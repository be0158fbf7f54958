/** Files of the tables of the Iceberg REST catalog: metadata, manifests and data. */
import { Readable } from 'node:stream';
import type { Rows } from '../catalogue/catalogue.ts';
import { NotFoundError, UnavailableError } from '../catalogue/errors.ts';
import { refOf, type VersionRef } from '../catalogue/ref.ts';
import type { DataFileFacts } from '../iceberg/data-file.ts';
import { metadataFileName, metadataVersion, tableMetadata, versionHintName } from '../iceberg/metadata.ts';
import type { TableSnapshot } from '../iceberg/table.ts';
import { etagOf } from './etags.ts';
import { cacheControlOfVersion } from './headers.ts';
import { tableFromRoute, tableLocation } from './iceberg.ts';
import { runInTurns, toJsonInTurns, turnsOf } from './in-turns.ts';
import type { Handler, RequestContext } from './route.ts';
import { sendRowsFile } from './row-files.ts';
import { sendStoredBytes } from './stored-bytes.ts';

/** Media type of Avro's object container files. */
const avro = 'application/vnd.apache.avro';

/** A file of a table's metadata. The manifest and manifest list of a snapshot need its data file, which is made if necessary. */
export const icebergMetadataFileHandler: Handler = async (request) => {
  const { links, params } = request;
  const { file = '' } = params;
  const table = await tableFromRoute(request);
  const location = tableLocation(links, table.dataset);
  if (file === versionHintName)
    return sendBytes(request, Buffer.from(`${metadataVersion(table)}`), 'text/plain', false);
  if (file === metadataFileName(table)) {
    const metadata = await runInTurns(request, tableMetadata(table, location));
    const text = await toJsonInTurns(metadata, turnsOf(request));
    return sendBytes(request, Buffer.from(text), 'application/json', false);
  }
  const snapshot = table.snapshots.find(({ files }) => files.manifest === file || files.manifestList === file);
  if (!snapshot) throw new NotFoundError();
  const facts = await factsOfSnapshot(request, snapshot);
  // Loaded on demand, with the writer of Avro.
  const { manifest, manifestList } = await import('../iceberg/manifests.ts');
  const bytes = manifest(snapshot, facts, location);
  const isList = file === snapshot.files.manifestList;
  return sendBytes(request, isList ? manifestList(snapshot, facts, bytes.length, location) : bytes, avro, true);
};

/** The data file of a snapshot: its rows as Parquet, with the ids of the table's fields. */
export const icebergDataFileHandler: Handler = async (request) => {
  const { file = '' } = request.params;
  const table = await tableFromRoute(request);
  const snapshot = table.snapshots.find(({ files }) => files.data === file);
  if (!snapshot) throw new NotFoundError();
  const rows = await rowsOfSnapshot(request, snapshot);
  const { contentType, tag } = rows;
  const document = { tag, compressible: false, headers: {}, contentType, fileName: file, stream: () => rows.stream() };
  await sendRowsFile(request, document, rows.file, true);
  return undefined;
};

type RowsWithFile = Rows & { readonly file: NonNullable<Rows['file']> };

/** @throws NotFoundError, UnavailableError */
async function rowsOfSnapshot(
  { catalogue }: RequestContext,
  { version, schema }: TableSnapshot,
): Promise<RowsWithFile> {
  const request = { parameters: [], format: 'parquet', tableFields: schema.fields };
  const { file, ...rows } = await catalogue.rows(refOf(version) as VersionRef, request);
  if (!file) throw new NotFoundError('The rows of this version are no file.');
  return { ...rows, file };
}

const knownFacts = new WeakMap<TableSnapshot, DataFileFacts>();

async function factsOfSnapshot(request: RequestContext, snapshot: TableSnapshot): Promise<DataFileFacts> {
  const known = knownFacts.get(snapshot);
  if (known) return known;
  const { file } = await rowsOfSnapshot(request, snapshot);
  const opened = await file.open(true);
  if (!opened)
    throw new UnavailableError('The data file doesn\'t fit into the cache of files: set a larger "file_cache".');
  const { dataFileFacts } = await import('../iceberg/data-file.ts');
  try {
    const facts = await dataFileFacts(opened.size, snapshot.schema, async (range) =>
      Buffer.concat(await opened.stream({ ...range, staysOpen: true }).toArray()),
    );
    knownFacts.set(snapshot, facts);
    return facts;
  } finally {
    await opened.close();
  }
}

/** Sends bytes, or a range of them. @param isImmutable true if the bytes at the address never change */
async function sendBytes(
  { ctx, viewer }: RequestContext,
  bytes: Buffer,
  type: string,
  isImmutable: boolean,
): Promise<undefined> {
  await sendStoredBytes(ctx, {
    tag: etagOf(bytes),
    mediaType: type,
    size: bytes.length,
    headers: { 'Content-Type': type, 'Cache-Control': cacheControlOfVersion(viewer, isImmutable) },
    stream: ({ start, end } = { start: 0, end: bytes.length - 1 }) => Readable.from([bytes.subarray(start, end + 1)]),
    close: async () => {},
  });
  return undefined;
}
