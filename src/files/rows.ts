/** Rows of versions: their payloads opened as tables, and asked. */
import { createHash } from 'node:crypto';
import { open } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { setTimeout as pause } from 'node:timers/promises';
import type { Rows, RowsPart, RowsRequest } from '../catalogue/catalogue.ts';
import { NotFoundError, UnavailableError } from '../catalogue/errors.ts';
import { payloadPath, privateFolder } from '../catalogue/layout.ts';
import type { Settings, Version } from '../catalogue/types.ts';
import { ChecksumMismatchError, PayloadError } from '../data/errors.ts';
import { type PayloadFormat, payloadFormats } from '../data/formats/detect-format.ts';
import { type OutputFormatName, outputFormats } from '../data/formats/output-formats.ts';
import { type DataQuery, parseDataQuery } from '../data/query/parameters.ts';
import { runQuery, selectsEverything } from '../data/query/run-query.ts';
import type { Table } from '../data/table/table.ts';
import { TableStore } from '../data/table/table-store.ts';
import { temporaryName } from '../disk/durable.ts';
import { openPayload } from './bytes.ts';
import type { CatalogueFiles } from './catalogue-files.ts';

/** Milliseconds that may pass before the first byte of an answer, unless the folder is opened with more patience. */
const customary = 10_000;
/** What a timer takes: 24 days. */
const longest = 2 ** 31 - 1;

const patienceOf = ({ options }: CatalogueFiles) => Math.min(options.patience ?? customary, longest);

const tablesOf = new WeakMap<CatalogueFiles, TableStore>();

/** Folder of the columnar copies of payloads: in the catalogue's folder, or outside of it if that is read-only. */
export function columnarFolder({ root, options }: Pick<CatalogueFiles, 'root' | 'options'>): string {
  if (!options.readOnly) return join(root, privateFolder, 'cache', 'tables');
  return join(tmpdir(), `catalogue-${createHash('sha256').update(root).digest('hex').slice(0, 16)}`);
}

/**
 * The rows of a version that a question means.
 * @throws NotFoundError, ValidationError, UnavailableError
 */
export async function queryRows(
  files: CatalogueFiles,
  version: Version,
  question: RowsRequest,
  settings: Settings,
): Promise<Rows> {
  const table = await openTable(files, version);
  const { parameters, length } = question;
  const query = parseDataQuery(parameters, table.schema, undefined, length);
  const format = formatFor(query, question);
  const paged = query.page !== undefined || query.pageSize !== undefined;
  const part = (window: Omit<RowsPart, 'paged'>): RowsPart => ({ ...window, paged });
  const limits = { pageSize: settings.page_size, maxPageSize: settings.max_page_size, timeout: patienceOf(files) };
  const found = await runQuery(table, query, {
    name: version.dataset,
    payload: files.store.tree.absolute(payloadPath(version.namespace, version.dataset, version.file)),
    format,
    limits,
    links: (window) => {
      const { next = null, previous = null } = question.links?.(part(window)) ?? {};
      const type = outputFormats[format].contentType;
      return [
        ...(previous ? [{ href: previous, rel: 'prev', type }] : []),
        ...(next ? [{ href: next, rel: 'next', type }] : []),
      ];
    },
  });
  return {
    version,
    format,
    contentType: found.contentType,
    extension: found.extension,
    part: found.window && part(found.window),
    tag: createHash('sha256')
      .update(JSON.stringify([version.checksum, version.dataset, format, parameters]))
      .digest('base64url')
      .slice(0, 27),
    isPayload: await isPayload(files, version, table, query, format),
    stream: () => Readable.from(found.chunks(), { objectMode: false, highWaterMark: 256 * 1024 }),
  };
}

function formatFor(query: DataQuery, { format, preferred = 'geojson' }: RowsRequest): OutputFormatName {
  const name = format ?? query.format ?? preferred;
  if (!Object.hasOwn(outputFormats, name)) throw new NotFoundError();
  return name as OutputFormatName;
}

/**
 * The format that a payload is read in where its record says so. Where no rows were found in it when it was taken in,
 * its name may promise more than its bytes hold, and they are asked again.
 */
export function formatOfRows({ format, rows, file }: Version): { format?: PayloadFormat } {
  if (!Object.hasOwn(payloadFormats, format)) return {};
  const known = format as PayloadFormat;
  const extension = /\.([^.]+?)(?:\.gz)?$/i.exec(file)?.[1]?.toLowerCase() ?? '';
  return rows === null && payloadFormats[known].extensions.includes(extension) ? {} : { format: known };
}

/**
 * The table of a version's rows. If its columnar copy has to be made first and that takes long, ask again later.
 * @throws NotFoundError that says why there are no rows; UnavailableError
 */
export async function openTable(files: CatalogueFiles, version: Version): Promise<Table> {
  // Opening the payload finds out all that can be wrong with it as a file.
  await (await openPayload(files.store.tree, version)).close();
  if (!version.checksum) throw new NotFoundError('The rows of a version without a checksum are not shown.');
  let tables = tablesOf.get(files);
  if (!tables) {
    tables = new TableStore({ folder: columnarFolder(files), stagingName: temporaryName });
    tablesOf.set(files, tables);
  }
  const path = files.store.tree.absolute(payloadPath(version.namespace, version.dataset, version.file));
  const known = formatOfRows(version);
  const opening = tables.open({ checksum: version.checksum, path, ...known });
  const late = new AbortController();
  try {
    const table = await Promise.race([opening, pause(patienceOf(files), 'late' as const, { signal: late.signal })]);
    if (table === 'late') {
      opening.catch(() => {}); // Whoever asks next is told.
      throw new UnavailableError('The rows are being read for the first time. Try again in a moment.');
    }
    if (!table)
      throw new NotFoundError(`${version.format || 'These'} files have no rows that can be shown. Download the file.`);
    return table;
  } catch (error) {
    if (error instanceof PayloadError) throw new NotFoundError(`The rows can't be read: ${error.message}`);
    if (error instanceof ChecksumMismatchError)
      throw new NotFoundError('The payload is not the one that was taken in: its checksum is another.');
    throw error;
  } finally {
    late.abort();
  }
}

/**
 * Whether the payload itself is what is asked for: all rows of Parquet as Parquet, with the geometry in it as GeoParquet
 * has it (its metadata name the `primary_column`).
 */
async function isPayload(
  files: CatalogueFiles,
  version: Version,
  table: Table,
  query: DataQuery,
  format: OutputFormatName,
): Promise<boolean> {
  if (format !== 'parquet' || version.format !== 'parquet' || version.file.endsWith('.gz') || !selectsEverything(query))
    return false;
  if (!table.schema.hasGeometry) return true;
  const file = await open(files.store.tree.absolute(payloadPath(version.namespace, version.dataset, version.file)));
  try {
    const { size } = await file.stat();
    const tail = Buffer.alloc(8);
    await file.read(tail, 0, 8, size - 8);
    const footer = Buffer.alloc(Math.min(tail.readUInt32LE(0), size - 8, 16 * 1024 * 1024));
    await file.read(footer, 0, footer.length, size - 8 - footer.length);
    return footer.includes('"primary_column"');
  } finally {
    await file.close();
  }
}
