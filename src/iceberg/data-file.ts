/** Facts about a data file, read from the footer of its Parquet: what manifests tell engines, so that they can skip it. */
import { parquetMetadata } from 'hyparquet';
import type { ByteRange } from '../catalogue/open-file.ts';
import type { TableField } from '../catalogue/table-fields.ts';
import type { TableSchema } from './schema.ts';

/** Facts about a data file; maps are by field id. */
export interface DataFileFacts {
  /** In bytes. */
  readonly size: number;
  readonly rows: number;
  readonly columnSizes: ReadonlyMap<number, number>;
  readonly valueCounts: ReadonlyMap<number, number>;
  readonly nullCounts: ReadonlyMap<number, number>;
  /** Least and greatest values of numbers, dates and times, as single values in bytes. */
  readonly lowerBounds: ReadonlyMap<number, Buffer>;
  readonly upperBounds: ReadonlyMap<number, Buffer>;
  /** Offsets of row groups in the file. */
  readonly splitOffsets: readonly number[];
}

/** Bytes at the end of a Parquet file: the length of the footer, and a magic number. */
const tailLength = 8;

/**
 * Reads the facts about a Parquet file.
 * @param size of the file, in bytes
 * @param read the bytes of a range
 */
export async function dataFileFacts(
  size: number,
  schema: TableSchema,
  read: (range: ByteRange) => Promise<Buffer>,
): Promise<DataFileFacts> {
  const tail = await read({ start: size - tailLength, end: size - 1 });
  const start = size - tailLength - tail.readUInt32LE(0);
  return factsInFooter(await read({ start, end: size - 1 }), size, schema);
}

/** Values as they are stored: hyparquet would round times to milliseconds. */
const parsers = {
  timestampFromMicroseconds: (value: bigint) => value as unknown as Date,
  dateFromDays: (value: number) => value as unknown as Date,
};

type Bound = number | bigint;

/** @param footer the end of the file, from the beginning of its metadata */
function factsInFooter(footer: Buffer, size: number, schema: TableSchema): DataFileFacts {
  const { row_groups: groups, num_rows: rows } = parquetMetadata(footer, { parsers, geoparquet: false });
  const fields = new Map(schema.fields.map((field) => [field.name, field]));
  const columnSizes = new Map<number, number>();
  const nullCounts = new Map<number, number>();
  const bounds = new Map<TableField, { min: Bound; max: Bound } | null>();
  for (const { columns } of groups)
    for (const { meta_data: data } of columns) {
      const field = fields.get(data?.path_in_schema[0] ?? '');
      if (!data || !field) continue;
      const { statistics, num_values: values } = data;
      columnSizes.set(field.id, (columnSizes.get(field.id) ?? 0) + Number(data.total_compressed_size));
      const nulls = statistics?.null_count;
      if (nulls !== undefined) nullCounts.set(field.id, (nullCounts.get(field.id) ?? 0) + Number(nulls));
      if (nulls === values) continue;
      const [min, max] = [statistics?.min_value as Bound | undefined, statistics?.max_value as Bound | undefined];
      const known = bounds.get(field);
      if (known === null || min === undefined || max === undefined || isNotANumber(min) || isNotANumber(max))
        bounds.set(field, null);
      else bounds.set(field, widened(known, min, max));
    }
  const exact = [...bounds].flatMap(([field, bound]) => (bound ? [{ field, ...bound }] : []));
  const encoded = (which: 'min' | 'max') =>
    new Map(exact.flatMap(({ field, ...bound }) => encodedBound(field, bound[which], which === 'min')));
  const known = [...columnSizes.keys()];
  return {
    size,
    rows: Number(rows),
    columnSizes,
    valueCounts: new Map(known.map((id) => [id, Number(rows)])),
    nullCounts,
    lowerBounds: encoded('min'),
    upperBounds: encoded('max'),
    splitOffsets: groups.map(({ columns }) => {
      const { dictionary_page_offset: dictionary, data_page_offset: data } = columns[0]?.meta_data ?? {};
      return Number(dictionary ?? data);
    }),
  };
}

const isNotANumber = (value: Bound): boolean => Number.isNaN(Number(value));

function widened(known: { min: Bound; max: Bound } | undefined, min: Bound, max: Bound) {
  return {
    min: known && known.min < min ? known.min : min,
    max: known && known.max > max ? known.max : max,
  };
}

/** A bound by field id, as bytes (table spec, "Binary single-value serialization"); none for texts, whose order differs. */
function encodedBound(
  { id, type }: TableField,
  value: Bound,
  isLower: boolean,
): readonly (readonly [number, Buffer])[] {
  const bytes = Buffer.alloc(type === 'date' ? 4 : 8);
  switch (type) {
    case 'long':
    case 'time':
    case 'timestamp':
    case 'timestamptz':
      bytes.writeBigInt64LE(BigInt(value));
      return [[id, bytes]];
    case 'date':
      bytes.writeInt32LE(Number(value));
      return [[id, bytes]];
    case 'double':
      // Minus zero is less than zero in the order of bounds, and equal to it in rows.
      bytes.writeDoubleLE(Number(value) === 0 && isLower ? -0 : Number(value));
      return [[id, bytes]];
    default:
      return [];
  }
}
