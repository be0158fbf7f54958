/** Numbers of 32 bits as the decimal numbers that they stand for. */

/** Least and greatest size of the numbers whose digits are found by powers of ten, which are exact up to 10^22. */
const [least, greatest] = [1e-9, 1e9];

/** A number with the fewest digits (from six on) that has the same 32 bits: 0.1, not 0.10000000149011612. */
export function shortNumberOfFloat32(value: number): number {
  const size = Math.abs(value);
  if (size < 2 ** 24 && Number.isInteger(value)) return value;
  const isUsual = size >= least && size < greatest;
  const exponent = Math.floor(Math.log10(size));
  for (let digits = 6; digits < 9; digits++) {
    const short = isUsual ? rounded(value, digits - 1 - exponent) : Number(value.toPrecision(digits));
    if (Math.fround(short) === value) return short;
  }
  return Number(value.toPrecision(9));
}

/** A number rounded to some decimal places; the quotient or product is the nearest double. Far faster than `toPrecision`. */
function rounded(value: number, places: number): number {
  const power = 10 ** Math.abs(places);
  return places >= 0 ? Math.round(value * power) / power : Math.round(value / power) * power;
}
