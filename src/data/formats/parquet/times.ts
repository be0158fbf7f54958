/** Dates, times and intervals of Parquet as texts of RFC 3339 and ISO 8601. */

/** The whole microseconds of a time: a nanosecond is in the one that began before it, also before 1970. */
export function microsOf(value: number | bigint, unit: 'MILLIS' | 'MICROS' | 'NANOS'): bigint {
  if (unit === 'MILLIS') return BigInt(value) * 1000n;
  if (unit === 'MICROS') return BigInt(value);
  const nanos = BigInt(value);
  // Division of BigInt cuts towards 0.
  return (nanos < 0n ? nanos - 999n : nanos) / 1000n;
}

/** The nanoseconds of a time in nanoseconds beyond its microseconds: 0 to 999. */
export const nanosIn = (nanos: number | bigint): number => Number(BigInt(nanos) - microsOf(nanos, 'NANOS') * 1000n);

/** Days that JavaScript's dates reach on both sides of 1970 (ECMA-262, section 21.4.1.1). */
const maxDays = 100_000_000;

/** @throws RangeError if the date is beyond those of JavaScript */
export function isoDate(milliseconds: number): string {
  if (Math.abs(milliseconds) > maxDays * 86_400_000)
    throw new RangeError('the date is beyond the years -271821 to 275760');
  return new Date(milliseconds).toISOString().slice(0, -'T00:00:00.000Z'.length);
}

/** @param nanos those beyond the microseconds */
export function isoTimestamp(micros: bigint, utc: boolean, nanos = 0): string {
  const day = 86_400_000_000n;
  const inDay = ((micros % day) + day) % day;
  return `${isoDate(Number((micros - inDay) / 1000n))}T${isoTime(inDay, nanos)}${utc ? 'Z' : ''}`;
}

/** @param nanos those beyond the microseconds */
export function isoTime(micros: bigint, nanos = 0): string {
  const seconds = Number(micros / 1_000_000n);
  const two = (part: number) => String(part).padStart(2, '0');
  const digits = String(micros % 1_000_000n).padStart(6, '0') + (nanos === 0 ? '' : String(nanos).padStart(3, '0'));
  const fraction = digits.replace(/0+$/, '');
  const clock = `${two(Math.floor(seconds / 3600))}:${two(Math.floor(seconds / 60) % 60)}:${two(seconds % 60)}`;
  return fraction === '' ? clock : `${clock}.${fraction}`;
}

/** A duration of ISO 8601. @param bytes months, days and milliseconds, each unsigned in 32 bits, the lowest byte first */
export function isoDuration(bytes: Uint8Array): string {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const [months, days, millis] = [0, 4, 8].map((at) => view.getUint32(at, true)) as [number, number, number];
  const part = (count: number, unit: string) => (count === 0 ? '' : `${count}${unit}`);
  const date = part(Math.floor(months / 12), 'Y') + part(months % 12, 'M') + part(days, 'D');
  const [hours, minutes] = [Math.floor(millis / 3_600_000), Math.floor(millis / 60_000) % 60];
  const time = part(hours, 'H') + part(minutes, 'M') + part((millis % 60_000) / 1000, 'S');
  return date + time === '' ? 'P0D' : `P${date}${time && `T${time}`}`;
}
