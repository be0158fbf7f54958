/** A question to a table, answered: the rows chosen, written in a format. */
import { NotFoundError } from '../../catalogue/errors.ts';
import { type FormatName, formats } from '../formats/output-formats.ts';
import type { Link } from '../formats/types.ts';
import { writeRows } from '../formats/write-rows.ts';
import type { TableShape } from '../row.ts';
import { ownBytes } from '../table/passthrough.ts';
import type { Table } from '../table/table.ts';
import type { DataQuery } from './parameters.ts';
import { everything } from './predicate.ts';
import { type ChoiceLimits, choose, type Window } from './select-rows.ts';

export interface AnswerOptions {
  /** The layer's name. */
  readonly name: string;
  /** Path of the payload that the table is of. */
  readonly payload: string;
  readonly format: FormatName;
  readonly limits: ChoiceLimits;
  /** Links of a GeoJSON answer of which this is a part. */
  readonly links?: ((window: Window) => readonly Link[]) | undefined;
}

export interface Answer {
  readonly contentType: string;
  readonly extension: string;
  /** Null where all rows found are shown. */
  readonly window: Window | null;
  /** The document; whoever stops early stops the work. */
  chunks(): AsyncIterable<Uint8Array>;
}

/**
 * Answers a question to a table.
 * @throws NotFoundError where there is no such page; UnavailableError where finding the rows takes too long
 */
export async function answer(table: Table, query: DataQuery, options: AnswerOptions): Promise<Answer> {
  const { name, payload, format, limits, links } = options;
  const { contentType, extension } = formats[format];
  if (format === 'geojson' && isWhole(query) && table.ownBytes === 'features')
    return { contentType, extension, window: null, chunks: () => asTheyCame(table, payload, name) };
  const { columns, geometry } = shownBy(query.fields, table.shape);
  const choice = await choose(table, query, columns, geometry, limits);
  if (!choice) throw new NotFoundError('Invalid page.');
  const { window, rows } = choice;
  const input = {
    name,
    shape: table.shape,
    rows,
    fields: query.fields,
    geometryKinds: table.geometryKinds,
    pointColumns: table.pointColumns,
    ...(window && {
      numberMatched: window.matched,
      numberReturned: Math.max(0, Math.min(window.limit, window.matched - window.offset)),
      links: links?.(window),
    }),
  };
  return { contentType, extension, window, chunks: () => writeRows(format, input, query.csv) };
}

/** Whether a question asks for everything there is, as it is. */
export function isWhole({ predicate, fields, ordering, limit, offset, page, pageSize }: DataQuery): boolean {
  const limited = limit ?? offset ?? page ?? pageSize;
  return predicate === everything && fields === undefined && ordering.length === 0 && limited === undefined;
}

/** The columns that will be shown, by their places, and whether the geometry will. */
function shownBy(fields: readonly string[] | undefined, { columns, hasGeometry }: TableShape) {
  if (!fields) return { columns: columns.map((_, place) => place), geometry: hasGeometry };
  const places = fields.map((field) => columns.findIndex((column) => column.name === field));
  return { columns: places.filter((place) => place >= 0), geometry: fields.includes('geometry') };
}

/** All features in the payload's own bytes, in a collection of our own: without a name of its own, or a `crs`. */
async function* asTheyCame(table: Table, payload: string, name: string): AsyncGenerator<Uint8Array, void, undefined> {
  yield Buffer.from(`{"type":"FeatureCollection","name":${JSON.stringify(name)},"features":[`);
  yield* ownBytes(table, payload);
  yield Buffer.from(']}');
}
