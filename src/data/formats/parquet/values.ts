/**
 * Values of Parquet as plain JSON, nested ones by the elements of their members. Lists are arrays, structs and maps are objects.
 *
 * | In the file                    | Becomes                                                                       |
 * |--------------------------------|-------------------------------------------------------------------------------|
 * | 64-bit integer                 | number; a string with its digits beyond ±(2⁵³−1)                              |
 * | 32-bit float                   | number with the fewest digits that has the same bits: 0.1                     |
 * | decimal                        | number, the nearest; a string with its digits if the whole part is beyond ±(2⁵³−1) |
 * | date, time, timestamp          | text as in RFC 3339, with all digits; `Z` if it is adjusted to UTC            |
 * | interval                       | text, a duration of ISO 8601: P1M2DT3.5S                                      |
 * | bytes without a type           | the text if they are UTF-8, as old writers have texts; else base64            |
 * | bytes of a fixed length        | base64                                                                        |
 * | WKB, marked as a geometry      | the geometry as GeoJSON                                                       |
 */
import { type FileMetaData, type ParquetParsers, parquetSchema, type SchemaElement } from 'hyparquet';
import { readWkb } from '../../geometry/wkb.ts';
import { shortNumberOfFloat32 } from '../float32.ts';
import { isoDate, isoDuration, isoTime, isoTimestamp, microsOf, nanosIn } from './times.ts';

/** An element of a schema, and those below it. */
export type SchemaTree = ReturnType<typeof parquetSchema>;

/** A timestamp in nanoseconds of 96 bits, or in a variant. */
class Nanoseconds {
  readonly value: bigint;

  constructor(value: bigint) {
    this.value = value;
  }
}

/**
 * Dates are formatted at once. Timestamps are microseconds (`Nanoseconds` if they are finer), and geometries WKB, until
 * `parquetToPlainValue`, which knows their elements, converts them.
 */
export const parquetParsers: Partial<ParquetParsers> = {
  stringFromBytes: (bytes) => bytes && texts.decode(bytes),
  timestampFromMilliseconds: (value) => BigInt(value) * 1000n,
  timestampFromMicroseconds: (value) => value,
  timestampFromNanoseconds: (value) => new Nanoseconds(BigInt(value)) as unknown as Date,
  dateFromDays: (days) => isoDate(days * 86_400_000) as unknown as Date,
  geometryFromBytes: (bytes) => bytes,
  geographyFromBytes: (bytes) => bytes,
};

/**
 * The metadata, changed so that hyparquet leaves decimals, nanoseconds and bytes as they are: it would make doubles, dates and
 * texts of them, and lose digits and bytes; and intervals and BSON, which it refuses. Keys of maps and the parts of a variant are left to it, since it makes other values of them.
 */
export function withRawValues(metadata: FileMetaData): FileMetaData {
  const changed = new Map<SchemaElement, SchemaElement>();
  const visit = (tree: SchemaTree, isKey: boolean) => {
    const { element, children } = tree;
    if (element.logical_type?.type === 'VARIANT') return;
    const { converted_type: _, logical_type: __, ...raw } = element;
    if (isKey && isUntyped(element)) changed.set(element, { ...element, converted_type: 'UTF8' });
    else if (!isKey && (isDecimal(element) || isNanoseconds(element) || isRefused(element))) changed.set(element, raw);
    const map = mapOf(tree);
    for (const child of map ? [map.key, map.value] : children) visit(child, child === map?.key);
  };
  visit(parquetSchema(metadata), false);
  return { ...metadata, schema: metadata.schema.map((element) => changed.get(element) ?? element) };
}

/**
 * Converts a value of a column.
 * @param value as hyparquet returns it by `withRawValues`, with `utf8: false` and `parquetParsers`
 * @param tree the column, as in the file's own metadata
 * @throws InvalidGeometryError if the WKB of a geometry is broken
 */
export function parquetToPlainValue(value: unknown, tree: SchemaTree): unknown {
  if (value === null || value === undefined) return value;
  const { element, children } = tree;
  const isVariant = element.logical_type?.type === 'VARIANT';
  if (isVariant || element.converted_type === 'JSON') return toJsonValue(value);
  if (children.length === 0) {
    // Numbers without nulls are a typed array, of a list too.
    if (Array.isArray(value) || isNumberArray(value))
      return Array.from(value as Iterable<unknown>, (item) => convertLeaf(item, element));
    return convertLeaf(value, element);
  }
  if (Array.isArray(value)) {
    const item = itemOf(tree) ?? tree;
    return value.map((member) => parquetToPlainValue(member, item) ?? null);
  }
  const map = mapOf(tree);
  const trees = new Map(children.map((child) => [child.element.name, child]));
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => [
      name,
      // The library has undefined for a list without a value, which JSON would leave out.
      parquetToPlainValue(member, map?.value ?? (trees.get(name) as SchemaTree)) ?? null,
    ]),
  );
}

const isNumberArray = (value: unknown) => ArrayBuffer.isView(value) && !(value instanceof Uint8Array);

/** The items of a list, as hyparquet recognizes one. */
function itemOf({ element, children }: SchemaTree): SchemaTree | undefined {
  const [repeated, second] = children;
  const isList = element.converted_type === 'LIST' && repeated && !second && repeated.children.length <= 1;
  if (!isList || repeated.element.repetition_type !== 'REPEATED') return undefined;
  return repeated.children[0] ?? repeated;
}

/** Keys and values of a map, as hyparquet recognizes one. */
function mapOf({ element, children }: SchemaTree): { key: SchemaTree; value: SchemaTree } | undefined {
  const [repeated, second] = children;
  const isMap = element.converted_type === 'MAP' && repeated && !second && repeated.children.length === 2;
  if (!isMap || repeated.element.repetition_type !== 'REPEATED') return undefined;
  const [key, value] = repeated.children as [SchemaTree, SchemaTree];
  const isRepeated = [key, value].some((child) => child.element.repetition_type === 'REPEATED');
  return isRepeated || key.element.name !== 'key' || value.element.name !== 'value' ? undefined : { key, value };
}

/** True for Parquet's own types of geometries, by which hyparquet marks the WKB of GeoParquet, too. */
export const isWkb = ({ logical_type: logical }: SchemaElement): boolean =>
  logical?.type === 'GEOMETRY' || logical?.type === 'GEOGRAPHY';

/** True for texts that hyparquet decodes, once for each in a dictionary. */
export const isText = ({ converted_type: converted, logical_type: logical }: SchemaElement): boolean =>
  converted === 'UTF8' || logical?.type === 'STRING';

const isDecimal = ({ converted_type: converted, logical_type: logical }: SchemaElement) =>
  converted === 'DECIMAL' || logical?.type === 'DECIMAL';

const isNanoseconds = ({ logical_type: logical }: SchemaElement) =>
  logical?.type === 'TIMESTAMP' && logical.unit === 'NANOS';

/** True for types that hyparquet refuses, with the whole file. */
const isRefused = ({ converted_type: converted }: SchemaElement) => converted === 'INTERVAL' || converted === 'BSON';

/** Bytes of which nothing says what they are. */
const isUntyped = ({ type, converted_type: converted, logical_type: logical }: SchemaElement) =>
  type === 'BYTE_ARRAY' && converted === undefined && logical === undefined;

function convertLeaf(value: unknown, element: SchemaElement): unknown {
  const { converted_type: converted, logical_type: logical } = element;
  if (isDecimal(element)) return decimalValue(unscaled(value), element);
  if (element.type === 'FLOAT' && typeof value === 'number') return shortNumberOfFloat32(value);
  if (typeof value === 'number' || typeof value === 'bigint') {
    if (logical?.type === 'DATE') return isoDate(Number(value) * 86_400_000);
    if (logical?.type === 'TIMESTAMP' && logical.unit === 'NANOS')
      return isoTimestamp(microsOf(value, 'NANOS'), logical.isAdjustedToUTC, nanosIn(value));
    if (logical?.type === 'TIMESTAMP') return isoTimestamp(BigInt(value), logical.isAdjustedToUTC);
    if (converted === 'TIMESTAMP_MILLIS' || converted === 'TIMESTAMP_MICROS') return isoTimestamp(BigInt(value), true);
    if (logical?.type === 'TIME')
      return isoTime(microsOf(value, logical.unit), logical.unit === 'NANOS' ? nanosIn(value) : 0);
    if (converted === 'TIME_MILLIS') return isoTime(microsOf(value, 'MILLIS'));
    if (converted === 'TIME_MICROS') return isoTime(microsOf(value, 'MICROS'));
  }
  if (value instanceof Nanoseconds && element.type === 'INT96')
    return isoTimestamp(microsOf(value.value, 'NANOS'), false, nanosIn(value.value));
  if (value instanceof Uint8Array && converted === 'INTERVAL') return isoDuration(value);
  if (value instanceof Uint8Array && isWkb(element)) return readWkb(value);
  if (value instanceof Uint8Array && element.type === 'BYTE_ARRAY') return textOrBase64(value);
  return toJsonValue(value);
}

/** Converts big integers, dates and bytes, which JSON doesn't have, also in nested values. */
function toJsonValue(value: unknown): unknown {
  if (typeof value === 'bigint') return Number.isSafeInteger(Number(value)) ? Number(value) : String(value);
  if (value instanceof Uint8Array) return Buffer.from(value).toString('base64');
  if (value instanceof Date) return value.toISOString();
  if (value instanceof Nanoseconds) return toJsonValue(microsOf(value.value, 'NANOS'));
  if (Array.isArray(value)) return value.map(toJsonValue);
  if (ArrayBuffer.isView(value)) return Array.from(value as unknown as Iterable<unknown>, toJsonValue);
  if (typeof value === 'object' && value !== null) {
    return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, toJsonValue(member)]));
  }
  return value;
}

/** The digits of a decimal as a whole number; bytes are its two's complement, the highest first. */
function unscaled(value: unknown): bigint {
  if (!(value instanceof Uint8Array)) return BigInt(value as number | bigint);
  return value.length === 0 ? 0n : BigInt.asIntN(value.length * 8, BigInt(`0x${Buffer.from(value).toString('hex')}`));
}

/** Greatest power of ten that is exact as a double. */
const maxExactPower = 22;

function decimalValue(digits: bigint, { scale = 0 }: SchemaElement): unknown {
  // A quotient of two exact doubles is the nearest one.
  const few = Number(digits);
  if (Number.isSafeInteger(few) && scale >= 0 && scale <= maxExactPower) return few / 10 ** scale;
  if (scale <= 0) return toJsonValue(digits * 10n ** BigInt(-scale));
  const unit = 10n ** BigInt(scale);
  const size = digits < 0n ? -digits : digits;
  const text = `${digits < 0n ? '-' : ''}${size / unit}.${String(size % unit).padStart(scale, '0')}`;
  return size / unit > BigInt(Number.MAX_SAFE_INTEGER) ? text : Number(text);
}

/** A byte order mark in a value is a character of it. */
const texts = new TextDecoder('utf-8', { ignoreBOM: true });
const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** The text of UTF-8 without control characters but those of blanks; else base64. */
function textOrBase64(bytes: Uint8Array): string {
  const isControl = (byte: number) => byte < 32 && (byte < 9 || byte > 13);
  try {
    if (!bytes.some(isControl)) return utf8.decode(bytes);
  } catch {
    // No UTF-8.
  }
  return Buffer.from(bytes).toString('base64');
}
