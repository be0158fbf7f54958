/** Reads decimal numbers from bytes: `-12.50`, without exponent, without a string being made. */

const powersOfTen = Float64Array.from({ length: 16 }, (_, exponent) => 10 ** exponent);

/** Most digits of numbers that are exact as doubles whatever the digits are. */
const exactDigits = 15;

export class DecimalScanner {
  /** The number that was read last. */
  number = 0;
  /** Number of its digits before the point. */
  wholeDigits = 0;
  /** Number of its digits behind the point; -1 without a point. */
  fractionDigits = -1;

  /**
   * Reads the number that begins at `start`.
   * @returns the index behind it; -1 if there is none, an integer has leading zeros, or it has more than 15 digits before the point
   */
  scan(bytes: Buffer, start: number, limit: number): number {
    const isNegative = bytes[start] === 0x2d;
    const whole = isNegative ? start + 1 : start;
    let at = whole;
    let digits = 0;
    for (; at < limit; at++) {
      const digit = (bytes[at] as number) - 0x30;
      if (digit < 0 || digit > 9) break;
      digits = 10 * digits + digit;
    }
    const wholeDigits = at - whole;
    if (wholeDigits === 0 || wholeDigits > exactDigits || (wholeDigits > 1 && bytes[whole] === 0x30)) return -1;
    let number = digits;
    this.fractionDigits = -1;
    if (at < limit && bytes[at] === 0x2e) {
      const fraction = ++at;
      for (; at < limit; at++) {
        const digit = (bytes[at] as number) - 0x30;
        if (digit < 0 || digit > 9) break;
        digits = 10 * digits + digit;
      }
      this.fractionDigits = at - fraction;
      // Digits and power of ten are exact as doubles, and so their quotient is correctly rounded.
      number =
        wholeDigits + this.fractionDigits <= exactDigits
          ? digits / (powersOfTen[this.fractionDigits] as number)
          : Number(bytes.toString('latin1', whole, at));
    }
    this.wholeDigits = wholeDigits;
    this.number = isNegative ? -number : number;
    return at;
  }
}
