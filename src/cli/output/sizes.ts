/** Numbers as people read them. */

const units = ['B', 'kB', 'MB', 'GB', 'TB', 'PB'];

/** A number of bytes: `512 B`, `1.2 MB`; a kB has 1000 of them. */
export function bytesText(bytes: number): string {
  let value = bytes;
  let unit = 0;
  // What would be written as 1000 is 1.0 of the next.
  while (value >= 999.5 && unit < units.length - 1) {
    value /= 1000;
    unit++;
  }
  return `${unit && value < 9.95 ? value.toFixed(1) : Math.round(value)} ${units[unit]}`;
}

/** A number with its thousands set apart: `1,234,567`. */
export const numberText = (number: number): string => number.toLocaleString('en');

/** A count and what is counted: `1 row`, `2 rows`. */
export const counted = (count: number, what: string): string => `${count} ${what}${count === 1 ? '' : 's'}`;
