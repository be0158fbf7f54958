/** Values that don't fit a type: counted, and converted to null. */
import { shorten } from '../../catalogue/beginning.ts';
import { isBlank } from './text-forms.ts';

/** Values that don't fit: their number and that of all values present, and the first one with its line. */
export interface Misfits {
  readonly count: number;
  readonly present: number;
  readonly line: number | undefined;
  readonly text: string;
}

export class MisfitCounter {
  #fits = 0;
  #count = 0;
  #line: number | undefined;
  #text = '';

  addFits(count = 1): void {
    this.#fits += count;
  }

  addMisfit(text: string, lineOf: () => number | undefined): void {
    if (this.#count++ > 0) return;
    this.#line = lineOf();
    this.#text = shorten(text, 40);
  }

  /** Counts a misfit behind the first one. */
  addFurtherMisfit(): void {
    this.#count++;
  }

  /** True if there is no misfit. */
  get isEmpty(): boolean {
    return this.#count === 0;
  }

  /** True if nearly all values fit: at least four of five, or all but one of three or more. */
  get isNear(): boolean {
    return this.#count > 0 && (this.#fits >= 4 * this.#count || (this.#count === 1 && this.#fits >= 2));
  }

  /** Null if all values fit. */
  get misfits(): Misfits | null {
    const count = this.#count;
    return count === 0 ? null : { count, present: this.#fits + count, line: this.#line, text: this.#text };
  }
}

/** The values of a column that is converted. */
export interface ConvertedValues {
  readonly values: readonly (number | boolean | string | null)[];
  /** True if one has become another value. */
  readonly isChanged: boolean;
}

/**
 * Values as those of a type; null where they don't fit, and for blank texts.
 * @param convert converts a text, or a value as JSON; undefined if it doesn't fit
 * @param misfits counts them
 * @param lineOf returns the line of a row
 */
export function convertValues(
  values: readonly unknown[],
  convert: (text: string) => number | boolean | string | undefined,
  misfits: MisfitCounter,
  lineOf: (row: number) => number | undefined,
): ConvertedValues {
  let isChanged = false;
  const converted = values.map((value, row) => {
    if (value === null || value === undefined) return null;
    const text = typeof value === 'string' ? value : JSON.stringify(value);
    const result = isBlank(text) ? null : convert(text);
    if (result === undefined) misfits.addMisfit(text, () => lineOf(row));
    else if (result !== null) misfits.addFits();
    isChanged ||= result !== value;
    return result ?? null;
  });
  return { values: converted, isChanged };
}
