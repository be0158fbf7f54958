/** Payloads of versions as files that their rows are read from. Those in the object store are fetched when they are needed. */
import type { Stats } from 'node:fs';
import { buffer } from 'node:stream/consumers';
import { payloadPath } from '../catalogue/layout.ts';
import type { OutputFormatName } from '../catalogue/output-formats.ts';
import type { ReadingOptions, Version } from '../catalogue/types.ts';
import { ChecksumMismatchError } from '../data/errors.ts';
import { type PayloadFormat, payloadFormats } from '../data/formats/detect-format.ts';
import type { DataQuery } from '../data/query/parameters.ts';
import { selectsEverything } from '../data/query/run-query.ts';
import type { Table } from '../data/table/table.ts';
import type { PayloadFile, TableStore } from '../data/table/table-store.ts';
import { openFileWithinFolder, openPayload } from './bytes.ts';
import type { CatalogueFiles } from './catalogue-files.ts';
import { isSettled, payloadChecksumsOf } from './payload-checksums.ts';
import type { PayloadPointer } from './tree/payload-pointer.ts';

/** The payload of a version, for its table. */
function payloadFileOf(files: CatalogueFiles, version: Version): PayloadFile {
  const path = payloadPath(version.namespace, version.dataset, version.file);
  const pointer = files.store.tree.pointer(path);
  return {
    checksum: version.checksum,
    path: files.store.tree.absolute(path),
    ...(pointer && { useCopy: (work) => useCopy(files, pointer, work) }),
    ...formatAndReadingFromRecord(version),
  };
}

/**
 * Opens the table of a version. Its columnar copy is found by the checksum in the record, and used if the file has these bytes.
 * @param file facts about the file, made just now; null if it lies in the object store, where its checksum is its name
 * @returns null if the payload has no rows
 * @throws PayloadError, ChecksumMismatchError
 */
export async function openTableOfFile(
  files: CatalogueFiles,
  version: Version,
  file: Stats | null,
  tables: TableStore,
): Promise<Table | null> {
  const { namespace, dataset, file: name, checksum } = version;
  const payload = payloadFileOf(files, version);
  const checksums = payloadChecksumsOf(files);
  const known = file ? checksums.get(file) : checksum;
  if (known === checksum) return tables.open(payload);
  if (!file || known !== undefined) throw new ChecksumMismatchError(`The payload has not the checksum ${checksum}.`);
  const isNoted = isSettled(file);
  let isRead = false;
  const useCopy: PayloadFile['useCopy'] = (work) => {
    isRead = true;
    return work(payload.path);
  };
  const table = await tables.open({ ...payload, useCopy });
  if (!table) return null;
  if (isRead && isNoted) await checksums.note(file, checksum, table.folder);
  const open = () => openFileWithinFolder(files.store.tree, payloadPath(namespace, dataset, name));
  if (isRead || (await checksums.has(file, checksum, open, table.folder))) return table;
  throw new ChecksumMismatchError(`The payload has not the checksum ${checksum}.`);
}

/** Path of a payload, or a function that fetches it from the object store and returns the path of its copy. */
export function pathOfPayload(files: CatalogueFiles, version: Version): string | (() => Promise<string>) {
  const path = payloadPath(version.namespace, version.dataset, version.file);
  const pointer = files.store.tree.pointer(path);
  return pointer ? () => useCopy(files, pointer, async (copy) => copy) : files.store.tree.absolute(path);
}

async function useCopy<T>(
  files: CatalogueFiles,
  pointer: PayloadPointer,
  work: (path: string) => Promise<T>,
): Promise<T> {
  const { storedPayloadsOf } = await import('./payloads/stored-payloads.ts');
  return storedPayloadsOf(files).use(pointer, work);
}

/**
 * Format of a payload and options for reading it, from the record of its version. No format if it is to be detected again: no rows were found at ingest,
 * and the format may only come from the file's extension.
 */
export function formatAndReadingFromRecord(version: Version): { format?: PayloadFormat; reading: ReadingOptions } {
  const { format, rows, file, reading } = version;
  if (!Object.hasOwn(payloadFormats, format)) return { reading };
  const known = format as PayloadFormat;
  const extension = /\.([^.]+?)(?:\.gz)?$/i.exec(file)?.[1]?.toLowerCase() ?? '';
  return rows === null && payloadFormats[known].extensions.includes(extension)
    ? { reading }
    : { format: known, reading };
}

/**
 * True if the payload itself has the rows in the requested format: all rows of a Parquet file as Parquet, with geometry
 * as WKB of GeoParquet (the metadata name a `primary_column`), unless columns are read as other types.
 */
export async function isPayload(
  files: CatalogueFiles,
  version: Version,
  table: Table,
  query: DataQuery,
  format: OutputFormatName,
): Promise<boolean> {
  if (format !== 'parquet' || version.format !== 'parquet' || version.file.endsWith('.gz') || !selectsEverything(query))
    return false;
  if (Object.keys(version.reading?.types ?? {}).length > 0) return false;
  if (table.crs !== null || table.geometryEncoding !== undefined) return false;
  if (!table.schema.hasGeometry) return true;
  const payload = await openPayload(files, version);
  try {
    const { size } = payload;
    const part = async (start: number, end: number) => buffer(payload.stream({ start, end: end - 1, staysOpen: true }));
    const tail = await part(size - 8, size);
    const length = Math.min(tail.readUInt32LE(0), size - 8, 16 * 1024 * 1024);
    return (await part(size - 8 - length, size - 8)).includes('"primary_column"');
  } finally {
    await payload.close();
  }
}
