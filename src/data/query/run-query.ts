/** Runs a query on a table: selects rows and writes them in a format. */
import { NotFoundError } from '../../catalogue/errors.ts';
import { isFileFormat, type OutputFormatName, outputFormats } from '../../catalogue/output-formats.ts';
import type { WriteToOptions } from '../derived/file-in-the-making.ts';
import { chunksOfTemporaryFile } from '../derived/temporary-file.ts';
import { columnsToWrite } from '../formats/selected-columns.ts';
import type { Link, RowsInput } from '../formats/types.ts';
import { writeRows } from '../formats/write-rows.ts';
import { originalJsonOfRows } from '../table/passthrough.ts';
import type { Table } from '../table/table.ts';
import type { WorkerPool } from '../worker-pool.ts';
import type { DataQuery } from './parameters.ts';
import { alwaysTrue } from './predicate.ts';
import { rowsOfQuery } from './rows-of-query.ts';
import { isLimited, type RowWindow, type SelectionLimits } from './select-rows.ts';

export interface QueryOptions {
  /** The layer's name. */
  readonly name: string;
  /** Path of the table's payload, or a function that returns it. */
  readonly payload: string | (() => Promise<string>);
  readonly format: OutputFormatName;
  /** Time of the last change of the rows, which some formats name: RFC 3339. By default, now. */
  readonly modified?: string | undefined;
  readonly limits: SelectionLimits;
  /** Returns the links of a GeoJSON document with a part of the rows. */
  readonly links?: ((window: RowWindow) => readonly Link[]) | undefined;
  /** Further facts for the writer. */
  readonly writing?: Pick<RowsInput, 'idOf' | 'timeStamp' | 'tableFields'> | undefined;
  /** Threads for work that a format's writer can give to them. */
  readonly workers?: WorkerPool | undefined;
}

export interface QueryResult {
  readonly contentType: string;
  readonly extension: string;
  /** Null if all matching rows are returned. */
  readonly window: RowWindow | null;
  /** The document; leaving the iteration stops the work. */
  chunks(signal?: AbortSignal): AsyncIterable<Uint8Array>;
  /** Writes the document to a new file, if its format is one that is written to a file. */
  readonly writeTo?: ((path: string, options: WriteToOptions) => Promise<void>) | undefined;
}

/**
 * Runs a query of rows, or of groups of them. A query of all rows of GeoJSON as GeoJSON is answered with the payload's own bytes.
 * @throws NotFoundError if there is no such page; UnavailableError if finding the rows takes too long
 */
export async function runQuery(table: Table, query: DataQuery, options: QueryOptions): Promise<QueryResult> {
  const { name, payload, format, limits, links, writing, workers } = options;
  const { contentType, extension } = outputFormats[format];
  if (format === 'geojson' && selectsEverything(query) && table.passthrough === 'features')
    return { contentType, extension, window: null, chunks: () => passthroughCollection(table, payload, name) };
  const { aggregation } = query;
  const { window, rows } = await rowsOfQuery(table, query, limits);
  const input = {
    name,
    rows,
    fields: query.fields,
    ...writing,
    ...(aggregation
      ? { schema: aggregation.schema }
      : { schema: table.schema, geometryKinds: table.geometryKinds, pointColumns: wgs84PointColumns(table) }),
    mayHaveMisdirectedRings: table.mayHaveMisdirectedRings,
    ...(window && {
      numberMatched: window.matched,
      numberReturned: Math.max(0, Math.min(window.limit, window.matched - window.offset)),
      links: links?.(window),
    }),
  };
  if (!isFileFormat(format))
    return { contentType, extension, window, chunks: () => writeRows(format, input, { ...query.csv, workers }) };
  if (format === 'pmtiles') assertHasGeometry(table);
  else assertFitsGeoPackage(columnsToWrite(input).length);
  const writeTo = async (path: string, more: WriteToOptions) => {
    if (format === 'pmtiles') {
      const { writeTileArchive } = await import('../map/tile-archive.ts');
      await writeTileArchive(path, { table, query, name, limits }, more);
    } else {
      const { writeGeoPackage } = await import('../formats/geopackage/writer.ts');
      await writeGeoPackage(path, { input, modified: options.modified ?? new Date().toISOString() }, more);
    }
  };
  return { contentType, extension, window, chunks: (signal) => chunksOfTemporaryFile(writeTo, signal), writeTo };
}

/** Names of the columns that are the longitude and latitude of the points: they aren't if the points were converted. */
const wgs84PointColumns = ({ crs, pointColumns }: Table) => (crs === null ? pointColumns : null);

/** @throws NotFoundError if the rows have no geometry */
function assertHasGeometry({ schema }: Table): void {
  if (!schema.hasGeometry) throw new NotFoundError('The rows have no geometry, so there is no map of them.');
}

/** @throws NotFoundError if there are too many columns */
function assertFitsGeoPackage(columns: number): void {
  const { mostColumns } = outputFormats.gpkg;
  if (columns <= mostColumns) return;
  const numbers = `${columns} columns; a GeoPackage has at most ${mostColumns}`;
  throw new NotFoundError(`The rows have ${numbers}. Choose some with _fields, or another format.`);
}

/** True if a query has no filter, order or limit: it selects the whole table. */
export function selectsEverything(query: DataQuery): boolean {
  const { predicate, fields, aggregation, ordering } = query;
  const isWhole = fields === undefined && aggregation === undefined && !isLimited(query);
  return predicate === alwaysTrue && isWhole && ordering.length === 0;
}

/** All features as the payload's own bytes, in a new collection: the payload's own `name` and `crs` are left out. */
async function* passthroughCollection(
  table: Table,
  payload: QueryOptions['payload'],
  name: string,
): AsyncGenerator<Uint8Array, void, undefined> {
  const path = typeof payload === 'string' ? payload : await payload();
  yield Buffer.from(`{"type":"FeatureCollection","name":${JSON.stringify(name)},"features":[`);
  yield* originalJsonOfRows(table, path);
  yield Buffer.from(']}');
}
