/** Rows of versions, read from tables made of their payloads, and the difference between two versions. */
import { createHash } from 'node:crypto';
import { basename } from 'node:path';
import { LRUCache } from 'lru-cache';
import type { ProfileRequest, Rows, RowsPart, RowsRequest } from '../catalogue/catalogue.ts';
import { columnsByOtherName, renamesBetween } from '../catalogue/column-names.ts';
import type { VersionProfile } from '../catalogue/column-statistics.ts';
import type { Difference, DifferenceOptions } from '../catalogue/difference.ts';
import { excerpt, NotFoundError, UnavailableError, ValidationError } from '../catalogue/errors.ts';
import { findEntity } from '../catalogue/lookup.ts';
import {
  aggregateFormatMessage,
  aggregateFormats,
  type OutputFormatName,
  outputFormats,
} from '../catalogue/output-formats.ts';
import { datasetRefOf, formatRef, refOf } from '../catalogue/ref.ts';
import type { Dataset, Settings, Version } from '../catalogue/types.ts';
import { streamOfChunks } from '../data/derived/chunk-stream.ts';
import type { Comparison } from '../data/difference/classify-rows.ts';
import { compareTables, sizeOfComparison } from '../data/difference/difference.ts';
import { ChecksumMismatchError, PayloadError } from '../data/errors.ts';
import { parseFeatureQuery } from '../data/query/feature-query.ts';
import { type DataQuery, parseDataQuery } from '../data/query/parameters.ts';
import { alwaysTrue } from '../data/query/predicate.ts';
import { profileTable } from '../data/query/profile-table.ts';
import { type QueryOptions, type QueryResult, runQuery, selectsEverything } from '../data/query/run-query.ts';
import { columnNames, type TableSchema } from '../data/row.ts';
import { layoutVersion } from '../data/table/columnar-copy.ts';
import { featureIdsOf, hasNullGeometries } from '../data/table/features.ts';
import type { Table } from '../data/table/table.ts';
import type { TableStore } from '../data/table/table-store.ts';
import { assertPayloadOpens } from './bytes.ts';
import type { CatalogueFiles } from './catalogue-files.ts';
import { isPayload, openTableOfFile, pathOfPayload } from './payload-files.ts';
import { rowsFile, type WholeDocument, writerVersion } from './row-files.ts';
import { openTableStore } from './table-folder.ts';

/** Default of `OpenOptions.patience`, in milliseconds. */
const defaultTimeout = 10_000;
/** Longest time of a timer, in milliseconds: 24 days. */
const maxTimeout = 2 ** 31 - 1;

/** Milliseconds of work for finding rows, at most. */
export const timeoutOf = ({ options }: CatalogueFiles) => Math.min(options.patience ?? defaultTimeout, maxTimeout);

const tableStores = new WeakMap<CatalogueFiles, Promise<TableStore>>();

/**
 * The rows of a version that a request selects.
 * @throws NotFoundError, ValidationError, UnavailableError
 */
export async function queryRows(
  files: CatalogueFiles,
  version: Version,
  request: RowsRequest,
  settings: Settings,
): Promise<Rows> {
  const table = await openTable(files, version);
  const { parameters, length, features, tableFields } = request;
  const former = formerNamesOf(files, version);
  const schema = schemaOf(files, version, table);
  const query = features
    ? await parseFeaturesRequest(table, schema, request)
    : parseDataQuery(parameters, schema, undefined, length);
  const format = features ? 'geojson' : formatFor(query, request);
  const paged = query.page !== undefined || query.pageSize !== undefined;
  const part = (window: Omit<RowsPart, 'paged'>): RowsPart => ({ ...window, paged });
  const { page_size: pageSize, max_page_size: maxPageSize } = settings;
  const limits = { pageSize, maxPageSize, timeout: timeoutOf(files), budget: request.budget };
  const options: QueryOptions = {
    name: version.dataset,
    modified: version.datetime,
    payload: pathOfPayload(files, version),
    workers: files.options.workers,
    format,
    limits,
    ...(features && {
      writing: {
        idOf: (await featureIdsOf(table)).idOf,
        timeStamp: features.timeStamp ?? new Date().toISOString(),
      },
    }),
    ...(tableFields && { writing: { tableFields } }),
    links: (window) => {
      if (features) return features.links(part(window));
      const { next = null, previous = null } = request.links?.(part(window)) ?? {};
      const type = outputFormats[format].contentType;
      return [
        ...(previous ? [{ href: previous, rel: 'prev', type }] : []),
        ...(next ? [{ href: next, rel: 'next', type }] : []),
      ];
    },
  };
  const found = await runQuery(table, query, options);
  const isFile = !features && selectsEverything(query);
  return {
    version,
    format,
    contentType: found.contentType,
    extension: found.extension,
    part: found.window && part(found.window),
    tag: createHash('sha256')
      .update(
        JSON.stringify([
          layoutVersion,
          writerVersion,
          basename(table.folder),
          version.dataset,
          format,
          parameters,
          ...(features ? ['features', features.id] : []),
          ...(paged ? [[pageSize, maxPageSize]] : []),
          ...[former, tableFields].filter((facts) => facts && Object.keys(facts).length > 0),
        ]),
      )
      .digest('base64url')
      .slice(0, 27),
    isPayload: !tableFields && (await isPayload(files, version, table, query, format)),
    file: isFile ? rowsFile(files, version, wholeDocument(table, query, options, found)) : null,
    stream: () => streamOfChunks((signal) => found.chunks(signal)),
  };
}

/** All rows as a document, which is made anew each time. */
function wholeDocument(
  table: Table,
  query: DataQuery,
  options: QueryOptions,
  { contentType, extension, writeTo }: QueryResult,
): WholeDocument {
  return {
    ...{ contentType, extension, writeTo },
    options: [options.format, query.csv, ...(options.writing?.tableFields ? [options.writing.tableFields] : [])],
    async *chunks(signal) {
      yield* (await runQuery(table, query, options)).chunks(signal);
    },
  };
}

const formerNamesOf = (files: CatalogueFiles, version: Version): Dataset['former_names'] =>
  findEntity<'dataset'>(files.snapshot, datasetRefOf(version))?.former_names ?? {};

/** The schema of a version's rows, in which columns have their former names, too. */
function schemaOf(files: CatalogueFiles, version: Version, { schema }: Table): TableSchema {
  return { ...schema, otherNames: columnsByOtherName(formerNamesOf(files, version), columnNames(schema)) };
}

/** A query of features. @throws NotFoundError if there is no feature with the id; ValidationError */
async function parseFeaturesRequest(
  table: Table,
  schema: TableSchema,
  { parameters, length, features }: RowsRequest,
): Promise<DataQuery> {
  const hasBox = parameters.some(([name]) => name === 'bbox');
  const facts = { schema, hasNullGeometries: hasBox && (await hasNullGeometries(table)) };
  const query = parseFeatureQuery(parameters, facts, length);
  if (features?.isWhole) return { ...query, limit: Number.MAX_SAFE_INTEGER };
  if (features?.id === undefined) return query;
  const row = await (await featureIdsOf(table)).rowOf(features.id);
  if (row === undefined) throw new NotFoundError(`There is no feature "${excerpt(features.id)}".`);
  return { ...query, predicate: alwaysTrue, ordering: [], offset: row, limit: 1 };
}

/** @throws NotFoundError for an unknown format; ValidationError if groups of rows can't be written in it */
function formatFor(query: DataQuery, request: RowsRequest): OutputFormatName {
  const { format, preferred = query.aggregation ? 'objects' : 'geojson', parameters } = request;
  const name = format ?? query.format ?? preferred;
  if (!Object.hasOwn(outputFormats, name)) throw new NotFoundError();
  if (!query.aggregation) return name as OutputFormatName;
  const written = aggregateFormats[name as OutputFormatName];
  if (written) return written;
  const parameter = parameters.findLast(([one]) => one === '_format' || one === 'format')?.[0] ?? '_format';
  throw new ValidationError({ [parameter]: [aggregateFormatMessage(name)] });
}

/**
 * Opens the table of a version's rows.
 * @throws NotFoundError that says why there are no rows; UnavailableError if its columnar copy isn't ready in time
 */
export async function openTable(files: CatalogueFiles, version: Version): Promise<Table> {
  const file = assertPayloadOpens(files, version);
  if (!version.checksum) throw new NotFoundError('The rows of a version without a checksum are not shown.');
  let tables = tableStores.get(files);
  if (!tables) {
    tables = openTableStore(files);
    tableStores.set(files, tables);
  }
  const opening = tables.then((store) => openTableOfFile(files, version, file, store));
  let timer: NodeJS.Timeout | undefined;
  const timeout = new Promise<'late'>((resolve) => {
    timer = setTimeout(resolve, timeoutOf(files), 'late');
  });
  try {
    const table = await Promise.race([opening, timeout]);
    if (table === 'late') {
      opening.catch(() => {}); // The next request gets the error.
      throw new UnavailableError('The rows are being read for the first time. Try again in a moment.');
    }
    if (!table)
      throw new NotFoundError(`${version.format || 'These'} files have no rows that can be shown. Download the file.`);
    return table;
  } catch (error) {
    if (error instanceof PayloadError) throw new NotFoundError(`The rows can't be read: ${error.message}`);
    if (error instanceof ChecksumMismatchError)
      throw new NotFoundError('The payload is not the one that was published: its checksum differs.');
    throw error;
  } finally {
    clearTimeout(timer);
  }
}

/**
 * The difference between the rows of two versions.
 * @throws NotFoundError that says which of them has no rows; ValidationError under `_key`; UnavailableError
 */
export async function compareVersions(
  files: CatalogueFiles,
  from: Version,
  to: Version,
  options: DifferenceOptions = {},
): Promise<Difference> {
  const [before, after] = await Promise.all([openTableOf(files, from), openTableOf(files, to)]);
  const names = [before, after].map(({ schema }) => schema.columns.map(({ name }) => name));
  const renamed = renamesBetween(formerNamesOf(files, to), names[0] ?? [], names[1] ?? []);
  // A payload and the options for reading it say all about the rows.
  const id = JSON.stringify([from.checksum, from.reading, to.checksum, to.reading, options.key, renamed]);
  const { comparison, ...found } = await compareTables(before, after, {
    ...options,
    renamed,
    workers: files.options.workers,
    kept: comparisons.get(id),
  });
  comparisons.set(id, comparison);
  return { from, to, ...found };
}

/** Comparisons by the contents of both payloads: the pages of a difference are parts of one comparison. */
const comparisons = new LRUCache<string, Comparison>({ maxSize: 64 * 1024 ** 2, sizeCalculation: sizeOfComparison });

/** Statistics of the columns of a version. @throws NotFoundError, UnavailableError; ValidationError for a parameter */
export async function profileVersion(
  files: CatalogueFiles,
  version: Version,
  { parameters = [], length, budget }: Partial<ProfileRequest> = {},
): Promise<VersionProfile> {
  const table = await openTable(files, version);
  const query = parameters.length
    ? parseDataQuery(parameters, schemaOf(files, version, table), undefined, length)
    : null;
  if (query?.aggregation)
    throw new ValidationError({ _aggregate: ['A profile is of rows, and not of groups of rows.'] });
  const profile = await profileTable(table);
  if (!query) return profile;
  const { profileMatching } = await import('../data/query/profile-matching.ts');
  const limits = { pageSize: table.rowCount, maxPageSize: table.rowCount, timeout: timeoutOf(files), budget };
  return { ...profile, matched: await profileMatching(table, profile, query, limits) };
}

/** Opens a table. Its errors name the version. */
async function openTableOf(files: CatalogueFiles, version: Version): Promise<Table> {
  try {
    return await openTable(files, version);
  } catch (error) {
    if (error instanceof NotFoundError) throw new NotFoundError(`${formatRef(refOf(version))}: ${error.message}`);
    throw error;
  }
}
