/**
 * Parquet's values as plain ones: what a column's type says is applied, and what JSON can't say is written as text.
 */
import type { SchemaElement } from 'hyparquet';

/** The schema of a column of the table. */
export type ParquetElement = SchemaElement;

/** @param value as hyparquet gives it, with timestamps in microseconds and dates in days since 1970 */
export function plainParquet(value: unknown, element: ParquetElement): unknown {
  if (value === null || value === undefined) return undefined;
  const { converted_type: converted, logical_type: logical } = element;
  if (typeof value === 'number' || typeof value === 'bigint') {
    if (converted === 'DATE' || logical?.type === 'DATE') return isoDate(Number(value) * 86_400_000);
    if (logical?.type === 'TIMESTAMP') return isoTimestamp(BigInt(value), logical.isAdjustedToUTC);
    if (converted === 'TIMESTAMP_MILLIS' || converted === 'TIMESTAMP_MICROS' || element.type === 'INT96') {
      return isoTimestamp(BigInt(value), element.type !== 'INT96');
    }
    if (logical?.type === 'TIME') return isoTime(toMicros(value, logical.unit));
    if (converted === 'TIME_MILLIS') return isoTime(toMicros(value, 'MILLIS'));
    if (converted === 'TIME_MICROS') return isoTime(toMicros(value, 'MICROS'));
    if (converted === 'DECIMAL') return rounded(Number(value), element.scale ?? 0);
  }
  return plain(value);
}

/** The same with nested values: big integers, dates and bytes have no place in JSON. */
function plain(value: unknown): unknown {
  if (typeof value === 'bigint') return Number.isSafeInteger(Number(value)) ? Number(value) : String(value);
  if (value instanceof Uint8Array) return Buffer.from(value).toString('base64');
  if (value instanceof Date) return value.toISOString();
  if (Array.isArray(value)) return value.map(plain);
  if (ArrayBuffer.isView(value)) return Array.from(value as unknown as Iterable<unknown>, plain);
  if (typeof value === 'object' && value !== null) {
    return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, plain(member)]));
  }
  return value;
}

/** hyparquet multiplies by a power of ten that no binary number is: 35 hundredths come out as 0.35000000000000003. */
function rounded(value: number, scale: number): number {
  return Math.abs(value) < 1e15 ? Number(value.toFixed(Math.min(scale, 100))) : value;
}

function toMicros(value: number | bigint, unit: 'MILLIS' | 'MICROS' | 'NANOS'): bigint {
  if (unit === 'MILLIS') return BigInt(value) * 1000n;
  return unit === 'MICROS' ? BigInt(value) : BigInt(value) / 1000n;
}

function isoDate(milliseconds: number): string {
  return new Date(milliseconds).toISOString().slice(0, -'T00:00:00.000Z'.length);
}

function isoTimestamp(micros: bigint, utc: boolean): string {
  const day = 86_400_000_000n;
  const inDay = ((micros % day) + day) % day;
  return `${isoDate(Number((micros - inDay) / 1000n))}T${isoTime(inDay)}${utc ? 'Z' : ''}`;
}

function isoTime(micros: bigint): string {
  const seconds = Number(micros / 1_000_000n);
  const two = (part: number) => String(part).padStart(2, '0');
  const fraction = String(micros % 1_000_000n)
    .padStart(6, '0')
    .replace(/0+$/, '');
  const clock = `${two(Math.floor(seconds / 3600))}:${two(Math.floor(seconds / 60) % 60)}:${two(seconds % 60)}`;
  return fraction === '' ? clock : `${clock}.${fraction}`;
}
