/** Rows of a version on a remote server, and differences between the rows of two versions. */
import type { Rows, RowsPart, RowsRequest } from '../catalogue/catalogue.ts';
import type { ChangeSelection, Difference, DifferenceOptions, RowChange } from '../catalogue/difference.ts';
import { formatRef } from '../catalogue/ref.ts';
import { ambiguousNames, haveAggregates, withExactNames } from '../catalogue/row-parameters.ts';
import type { Column, Version } from '../catalogue/types.ts';
import { apiPath } from '../catalogue/urls.ts';
import { answers, type Json } from './answers.ts';
import type { Http } from './http.ts';
import { readLines, streamOnDemand } from './http-body.ts';
import { refOfEntity } from './read.ts';
import { parseUntrustedJson, type Shape, unexpectedResponseFieldError, valueOfShape } from './shapes.ts';

/**
 * The rows of a version. A HEAD request checks the parameters; the rows are requested when they are read.
 * @param columnsOf its columns, which are read if a parameter may be the name of one
 */
export async function fetchRows(
  http: Http,
  version: Version,
  rows: RowsRequest,
  columnsOf: () => Promise<readonly Column[]>,
): Promise<Rows> {
  const { parameters } = rows;
  const mayBeColumn = parameters.some(([name]) => ambiguousNames.includes(name));
  const exact = mayBeColumn ? withExactNames(parameters, await columnsOf()) : parameters;
  const formatParameter = exact.findLast(([name]) => name === '_format' || name === 'format')?.[1];
  const format =
    rows.format ?? formatParameter ?? rows.preferred ?? (haveAggregates(parameters) ? 'objects' : 'geojson');
  const base = apiPath(refOfEntity<'version'>(version));
  const path = formatParameter !== undefined && rows.format === undefined ? `${base}data/` : `${base}data.${format}`;
  const request = { path, query: parameters };
  const { headers, body } = await http.request({ ...request, method: 'HEAD' });
  body.destroy();
  const tag = (headers.etag ?? '').replaceAll('"', '');
  async function* bytes(signal: AbortSignal): AsyncGenerator<Uint8Array, void, undefined> {
    yield* (await http.request({ ...request, signal })).body;
  }
  return {
    version,
    format,
    contentType: headers['content-type'] ?? 'application/octet-stream',
    extension: /\.(\w+)"?$/.exec(headers['content-disposition'] ?? '')?.[1] ?? format,
    part: rowsPart(headers['x-total-count'], exact),
    tag,
    isPayload: tag === version.checksum,
    file: null,
    stream: () => streamOnDemand(bytes),
  };
}

/**
 * The part of all matching rows that was requested.
 * @param total value of X-Total-Count
 * @param parameters with names as `withExactNames` gives them
 */
function rowsPart(total: string | undefined, parameters: RowsRequest['parameters']): RowsPart | null {
  if (total === undefined) return null;
  const value = (name: string): number | undefined => {
    const found = parameters.findLast(([given]) => given === name || given === `_${name}`)?.[1];
    return found === undefined ? undefined : Number(found);
  };
  const matched = Number(total);
  const [page, size] = [value('page'), value('page_size')];
  const limit = size ?? value('limit') ?? matched;
  const paged = page !== undefined || size !== undefined;
  return { matched, offset: paged ? ((page ?? 1) - 1) * limit : (value('offset') ?? 0), limit, paged };
}

/**
 * The difference between two versions: its counts at once, its rows as they are read.
 * @param options.signal closes the connection
 */
export async function fetchDifference(
  http: Http,
  from: Version,
  to: Version,
  { key, signal }: DifferenceOptions = {},
): Promise<Difference> {
  const request = {
    path: `${apiPath(refOfEntity<'version'>(to))}diff/`,
    query: [
      ['_from', formatRef(refOfEntity<'version'>(from))],
      ...(key ? [['_key', key.map(quoteColumn).join(',')]] : []),
      ['_format', 'ndjson'],
    ] as [string, string][],
    headers: { 'accept-encoding': 'gzip' },
    signal,
  };
  const open = async () => readLines((await http.request(request)).body);
  const lines = await open();
  const first = await lines.next();
  const { columns, key: found, counts, renames } = parseLine(first.done ? '' : first.value, answers.difference);
  let unread: AsyncGenerator<string, void, undefined> | undefined = lines;
  return {
    columns,
    key: found,
    counts,
    ...(renames && { renames }),
    from,
    to,
    async *rows(selected) {
      // The first reader gets the rest of the first response; others send the request again.
      const rows = unread ?? (await open());
      if (unread === undefined) await rows.next();
      unread = undefined;
      const all = (async function* () {
        for await (const line of rows) yield parseLine(line, answers.rowChange) as unknown as RowChange;
      })();
      yield* selected ? selectChanges(all, selected) : all;
    },
  };
}

/** The rows of a selection; ends after the last of them. */
async function* selectChanges(
  rows: AsyncIterable<RowChange>,
  { change, positions }: ChangeSelection,
): AsyncGenerator<RowChange, void, undefined> {
  let position = 0;
  let next = 0;
  if (positions.length === 0) return;
  for await (const row of rows) {
    if (row.change !== change || position++ !== positions[next]) continue;
    yield row;
    if (++next === positions.length) return;
  }
}

function parseLine<Value>(line: string, expected: Shape<Value>): Value {
  try {
    return valueOfShape(expected, parseUntrustedJson(line));
  } catch (error) {
    throw error instanceof SyntaxError ? unexpectedResponseFieldError('') : error;
  }
}

/** The rows of a document in the format `objects`. @throws UnreachableError */
export const parseRowsDocument = (text: string): readonly Json[] => parseLine(text, answers.rows);

/** A column name in a list of a query parameter: quoted unless it is a plain word. */
const quoteColumn = (name: string): string => (/^\w+$/.test(name) ? name : `"${name.replaceAll('"', '""')}"`);
