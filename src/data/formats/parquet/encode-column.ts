/** A column of a row group of a Parquet file as bytes: its values are converted, encoded and compressed. It may be done in a thread. */
import type { RowGroup, SchemaElement } from 'hyparquet';
import { ByteWriter, ParquetWriter } from 'hyparquet-writer';
import type { PageIndexes } from 'hyparquet-writer/src/types.js';
import { dateTimeInMicroseconds, parseDateTime, timeInMicroseconds } from '../../date-time.ts';
import type { TableColumn, Value } from '../../row.ts';

/** Values of a column in a row group. All of it can be sent to a thread at little cost. */
export interface ColumnToEncode {
  /** Where its bytes begin in the file. At 0, they begin with the file's magic number. */
  readonly start: number;
  readonly element: SchemaElement;
  readonly type: TableColumn['type'] | 'geometry';
  /** Of a geometry, WKB. */
  readonly values: readonly Value[] | JoinedBytes;
}

/** Bytes of several values, one after another. */
export interface JoinedBytes {
  readonly bytes: Uint8Array;
  /** By value; -1 for null. */
  readonly lengths: Int32Array;
}

export interface EncodedColumn {
  readonly bytes: Uint8Array;
  /** A row group of this column alone. */
  readonly group: RowGroup;
  /** Indexes of its pages, to be written behind the columns. */
  readonly indexes: PageIndexes[];
  /** True if a datetime has an offset from UTC. */
  readonly hasOffsets: boolean;
}

export type ColumnEncoder = (column: ColumnToEncode) => EncodedColumn | Promise<EncodedColumn>;

const dayInMilliseconds = 86_400_000;
/** One more than the greatest 64-bit integer. */
const integerBound = 2n ** 63n;
const offsetPattern = /([Zz]|[+-]\d\d:?\d\d)$/;
/** First bytes of every file. */
export const magic = new TextEncoder().encode('PAR1');

/** @throws TypeError if a value isn't of the column's type */
export function encodeColumn({ start, element, type, values }: ColumnToEncode): EncodedColumn {
  const sink = new ByteWriter();
  const writer = new ParquetWriter({ writer: sink, schema: [{ name: 'schema', num_children: 1 }, element] });
  // It has written the magic number.
  if (start > 0) sink.offset = start;
  const { name } = element;
  const data = 'bytes' in values ? splitBytes(values) : convertValues(values, name, type as TableColumn['type']);
  // Statistics of WKB are useless: the order of bytes is not one of positions. Those of JSON texts would be kept until the footer.
  const statistics = type !== 'geometry' && type !== 'object' && type !== 'array';
  const encoding = type === 'geometry' ? { encoding: 'PLAIN' as const } : {};
  // Not awaited: ByteWriter writes synchronously.
  writer.write({ columnData: [{ name, data, statistics, ...encoding }], rowGroupSize: data.length });
  const [group] = writer.row_groups as [RowGroup];
  return {
    bytes: sink.getBytes().slice(start > 0 ? magic.length : 0),
    group,
    indexes: writer.pendingIndexes,
    hasOffsets: type === 'datetime' && (values as readonly Value[]).some((value) => offsetPattern.test(String(value))),
  };
}

export function joinBytes(values: readonly (Uint8Array | null)[]): JoinedBytes {
  const lengths = Int32Array.from(values, (value) => value?.length ?? -1);
  const bytes = new Uint8Array(values.reduce((sum, value) => sum + (value?.length ?? 0), 0));
  let at = 0;
  for (const value of values) {
    if (!value) continue;
    bytes.set(value, at);
    at += value.length;
  }
  return { bytes, lengths };
}

function splitBytes({ bytes, lengths }: JoinedBytes): (Uint8Array | null)[] {
  let at = 0;
  return Array.from(lengths, (length) => {
    if (length < 0) return null;
    at += length;
    return bytes.subarray(at - length, at);
  });
}

function convertValues(values: readonly Value[], name: string, type: TableColumn['type']): unknown[] {
  const convert = converterFor(type);
  return values.map((value) => {
    if (value === null) return null;
    const converted = convert(value);
    if (converted === undefined) throw new TypeError(`${JSON.stringify(value)} in column ${name} is no ${type}.`);
    return converted;
  });
}

type Converter = (value: Exclude<Value, null>) => unknown;

/** The conversion of a column's values to stored ones; undefined if a value isn't of the column's type. */
function converterFor(type: TableColumn['type']): Converter {
  switch (type) {
    case 'integer':
      return toInteger;
    case 'float':
      return (value) => (typeof value === 'number' ? value : undefined);
    case 'boolean':
      return (value) => (typeof value === 'boolean' ? value : undefined);
    case 'string':
      return (value) => (typeof value === 'string' ? value : undefined);
    case 'date':
      return (value) => numberOrUndefined(parseDateTime(String(value)) / dayInMilliseconds);
    case 'datetime':
      return (value) => dateTimeInMicroseconds(String(value));
    case 'time':
      return (value) => timeInMicroseconds(String(value));
    case 'object':
    case 'array':
      return (value) => value;
  }
}

/** An integer beyond 2^53 is a string. */
function toInteger(value: Exclude<Value, null>): bigint | undefined {
  if (typeof value === 'number') return Number.isSafeInteger(value) ? BigInt(value) : undefined;
  if (typeof value !== 'string' || !/^-?\d+$/.test(value)) return undefined;
  const integer = BigInt(value);
  return integer >= -integerBound && integer < integerBound ? integer : undefined;
}

const numberOrUndefined = (value: number) => (Number.isNaN(value) ? undefined : value);
